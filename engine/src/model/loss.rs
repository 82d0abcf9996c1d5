//! What does it cost to be wrong? (Eq. 11 and 12)
//!
//! A question has one right answer and several wrong ones. Both losses of the paper are of this form: in the relational
//! loss (Eq. 11) the right answer is the entity of the fact and the wrong ones are corrupted; in the linkage loss
//! (Eq. 12) the right one is the linked entity of the other graph, or where none is known the original, and the wrong
//! ones are its negative labels.
//!
//! ```text
//! margin     Σ_c max(0, γ − g⁺ + g_c)
//! softmax    −g⁺ + ln( exp g⁺ + Σ_c exp g_c )
//! logistic   ln(1 + exp(−g⁺)) + Σ_c ln(1 + exp g_c)
//! ```

use crate::compute::Real;
use crate::model::activation::Activation;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// The paper's: each wrong answer must stay so far behind.
    Margin(f64),
    /// Cross-entropy: the right answer must stand out among all.
    Softmax,
    /// Each answer is judged for itself.
    Logistic,
}

impl Loss {
    /// The loss of one question; its gradient is written to `to_right` and `to_wrong`.
    pub fn of<T: Real>(self, right: T, wrong: &[T], to_right: &mut T, to_wrong: &mut [T]) -> T {
        match self {
            Self::Margin(margin) => {
                let (mut loss, mut count) = (T::ZERO, T::ZERO);
                for (&score, gradient) in wrong.iter().zip(to_wrong) {
                    let short = T::of(margin) - right + score;
                    let is_short = short > T::ZERO;
                    *gradient = if is_short { T::ONE } else { T::ZERO };
                    if is_short {
                        loss += short;
                        count += T::ONE;
                    }
                }
                *to_right = -count;
                loss
            }
            Self::Softmax => {
                // The largest score is taken out, so that nothing overflows.
                let top = wrong.iter().fold(right, |top, &score| top.larger(score));
                let sum = (right - top).exp() + wrong.iter().map(|&score| (score - top).exp()).sum::<T>();
                for (&score, gradient) in wrong.iter().zip(to_wrong) {
                    *gradient = (score - top).exp() / sum;
                }
                *to_right = (right - top).exp() / sum - T::ONE;
                top - right + sum.ln()
            }
            Self::Logistic => {
                let mut loss = softplus(-right);
                *to_right = -Activation::Sigmoid.of(-right);
                for (&score, gradient) in wrong.iter().zip(to_wrong) {
                    loss += softplus(score);
                    *gradient = Activation::Sigmoid.of(score);
                }
                loss
            }
        }
    }
}

/// ln(1 + exp x), without overflow.
fn softplus<T: Real>(x: T) -> T {
    x.larger(T::ZERO) + (T::ONE + (-x.abs()).exp()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    fn value(loss: Loss, scores: &[f64]) -> f64 {
        loss.of(scores[0], &scores[1..], &mut 0.0, &mut vec![0.0; scores.len() - 1])
    }

    #[test]
    fn losses_worked_by_hand() {
        // Margin 1, right .5: wrong .2 is short by .7, wrong −.6 is far enough behind.
        let mut wrong = [9.0; 2];
        let mut right = 9.0;
        let loss = Loss::Margin(1.0).of(0.5, &[0.2, -0.6], &mut right, &mut wrong);
        assert!((loss - 0.7f64).abs() < 1e-12);
        assert_eq!((right, wrong), (-1.0, [1.0, 0.0]));
        assert!((value(Loss::Softmax, &[0.0, 0.0]) - 2f64.ln()).abs() < 1e-12);
        assert!((value(Loss::Logistic, &[0.0, 0.0]) - 2.0 * 2f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn large_scores_do_not_overflow() {
        for loss in [Loss::Softmax, Loss::Logistic] {
            assert!(value(loss, &[-1e4, 1e4]).is_finite());
            assert!(value(loss, &[1e4, -1e4]).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, wrong in 0..6usize) {
            let scores = numbers(1 + wrong, seed);
            for loss in [Loss::Margin(1.0), Loss::Softmax, Loss::Logistic] {
                let mut gradient = vec![0.0; scores.len()];
                let (first, rest) = gradient.split_at_mut(1);
                loss.of(scores[0], &scores[1..], &mut first[0], rest);
                prop_assert!(agrees(&scores, &gradient, |s| value(loss, s)), "{loss:?}");
            }
        }
    }
}
