//! What does it cost to be wrong? (Eq. 11 and 12)
//!
//! A question has one right answer and several wrong ones. Both losses of the paper are of this form: in the relational
//! loss (Eq. 11) the right answer is the entity of the fact and the wrong ones are corrupted; in the linkage loss
//! (Eq. 12) the right one is the linked entity of the other graph, or where none is known the original, and the wrong
//! ones are its negative labels.
//!
//! ```text
//! margin     Σ_c max(0, γ − g⁺ + g_c)
//! softmax    −(1 − ε) g⁺ − ε · mean(g) + ln( exp g⁺ + Σ_c exp g_c )          ε, the smoothing, is 0 as a rule
//! logistic   ln(1 + exp(−g⁺)) + Σ_c ln(1 + exp g_c)
//! ```

use crate::compute::{Real, kernel};
use crate::model::activation::Activation;

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// The paper's: each wrong answer must stay so far behind.
    Margin(f64),
    /// Cross-entropy: the right answer must stand out among all. So much of its weight goes to all in equal parts.
    Softmax(f64),
    /// Each answer is judged for itself.
    Logistic,
}

impl Loss {
    /// The loss of one question. Scores are given in any number of pieces; each is replaced by its gradient. A wrong
    /// answer with a score of −∞ counts for nothing.
    pub fn of<T: Real>(self, right: &mut T, wrong: &mut [&mut [T]]) -> T {
        match self {
            Self::Margin(margin) => {
                let bar = T::of(margin) - *right;
                let (mut loss, mut count) = (T::ZERO, T::ZERO);
                for piece in wrong {
                    let (short, many) = margin_of(piece, bar);
                    loss += short;
                    count += many;
                }
                *right = -count;
                loss
            }
            Self::Softmax(smoothing) => {
                // The largest score is taken out, so that nothing overflows.
                let top = wrong.iter().fold(*right, |top, piece| largest(piece, top));
                let smooth = (smoothing > 0.0).then(|| Smooth::new(smoothing, *right, wrong));
                let own = (*right - top).exp();
                let sum = wrong.iter_mut().fold(own, |sum, piece| sum + exp_of(piece, top));
                wrong.iter_mut().for_each(|piece| scale(piece, T::ONE / sum));
                let mut loss = top - *right + sum.ln();
                *right = own / sum - T::ONE;
                if let Some(smooth) = smooth {
                    loss += smooth.give(right, wrong);
                }
                loss
            }
            Self::Logistic => {
                let mut loss = softplus(-*right);
                *right = -Activation::Sigmoid.of(-*right);
                for piece in wrong {
                    loss += piece.iter().map(|&score| softplus(score)).sum::<T>();
                    Activation::Sigmoid.forward(piece);
                }
                loss
            }
        }
    }
}

/// What smoothing changes: part of the right answer's weight goes to all that count.
struct Smooth<T> {
    /// What all gain, and what the right answer loses.
    each: T,
    part: T,
    /// By how much the loss changes.
    loss: T,
    /// Whether each wrong answer counts, piece by piece.
    counts: Vec<bool>,
}

impl<T: Real> Smooth<T> {
    fn new(smoothing: f64, right: T, wrong: &[&mut [T]]) -> Self {
        let counts: Vec<bool> =
            wrong.iter().flat_map(|piece| piece.iter().map(|score| score.is_finite())).collect();
        let finite = wrong.iter().flat_map(|piece| piece.iter()).filter(|score| score.is_finite());
        let (sum, count) = finite.fold((right, 1.0), |(sum, count), &score| (sum + score, count + 1.0));
        let part = T::of(smoothing);
        Self { each: T::of(smoothing / count), part, loss: part * (right - sum / T::of(count)), counts }
    }

    /// Changes the gradients; returns the change of the loss.
    fn give(self, right: &mut T, wrong: &mut [&mut [T]]) -> T {
        *right += self.part - self.each;
        let gradients = wrong.iter_mut().flat_map(|piece| piece.iter_mut());
        for (gradient, counts) in gradients.zip(self.counts) {
            *gradient -= if counts { self.each } else { T::ZERO };
        }
        self.loss
    }
}

/// ln(1 + exp x), without overflow.
fn softplus<T: Real>(x: T) -> T {
    x.larger(T::ZERO) + (T::ONE + (-x.abs()).exp()).ln()
}

/// Sums in so many lanes are vector instructions; their order is fixed.
const LANES: usize = 16;

fn sum_of<T: Real>(lanes: [T; LANES]) -> T {
    lanes.into_iter().sum()
}

kernel! {
    /// How much all scores are above the bar together, and how many are; each becomes 1 if it is, and 0 if not.
    pub fn margin_of(scores: &mut [T], bar: T) -> (T, T) {
        let (mut short, mut many) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        for scores in scores.chunks_mut(LANES) {
            for (lane, score) in scores.iter_mut().enumerate() {
                let above = bar + *score;
                let is_above = above > T::ZERO;
                short[lane] += if is_above { above } else { T::ZERO };
                *score = if is_above { T::ONE } else { T::ZERO };
                many[lane] += *score;
            }
        }
        (sum_of(short), sum_of(many))
    }
}

kernel! {
    /// The largest score, or `least`.
    pub fn largest(scores: &[T], least: T) -> T {
        let mut top = [least; LANES];
        for scores in scores.chunks(LANES) {
            for (top, &score) in top.iter_mut().zip(scores) {
                *top = score.larger(*top);
            }
        }
        top.into_iter().fold(least, |top, score| score.larger(top))
    }
}

kernel! {
    /// The sum of exp(score − top); each score becomes its part.
    pub fn exp_of(scores: &mut [T], top: T) -> T {
        let mut sums = [T::ZERO; LANES];
        for scores in scores.chunks_mut(LANES) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                *score = (*score - top).exp();
                *sum += *score;
            }
        }
        sum_of(sums)
    }
}

kernel! {
    /// Multiplies every number.
    pub fn scale(numbers: &mut [T], factor: T) {
        for x in numbers {
            *x *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    fn value(loss: Loss, scores: &[f64]) -> f64 {
        loss.of(&mut scores[0].clone(), &mut [&mut scores[1..].to_vec()])
    }

    #[test]
    fn losses_worked_by_hand() {
        // Margin 1, right .5: wrong .2 is short by .7, wrong −.6 is far enough behind.
        let mut wrong = [0.2, -0.6];
        let mut right = 0.5;
        let loss = Loss::Margin(1.0).of(&mut right, &mut [&mut wrong]);
        assert!((loss - 0.7f64).abs() < 1e-12);
        assert_eq!((right, wrong), (-1.0, [1.0, 0.0]));
        assert!((value(Loss::Softmax(0.0), &[0.0, 0.0]) - 2f64.ln()).abs() < 1e-12);
        assert!((value(Loss::Logistic, &[0.0, 0.0]) - 2.0 * 2f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn large_scores_do_not_overflow() {
        for loss in [Loss::Softmax(0.0), Loss::Softmax(0.5), Loss::Logistic] {
            assert!(value(loss, &[-1e4, 1e4]).is_finite());
            if loss != Loss::Softmax(0.5) {
                assert!(value(loss, &[1e4, -1e4]).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn smoothing_is_a_mixture_of_losses_and_leaves_out_what_does_not_count() {
        let plain = |right: usize| {
            let mut scores = [1.0, 0.5, -2.0f64];
            scores.swap(0, right);
            value(Loss::Softmax(0.0), &scores)
        };
        let mixed = 0.7 * plain(0) + 0.3 * (plain(0) + plain(1) + plain(2)) / 3.0;
        let mut wrong = [0.5, f64::NEG_INFINITY, -2.0];
        let mut right = 1.0;
        let loss = Loss::Softmax(0.3).of(&mut right, &mut [&mut wrong]);
        assert!((loss - mixed).abs() < 1e-12, "{loss} {mixed}");
        assert_eq!(wrong[1], 0.0);
        assert!((right + wrong.iter().sum::<f64>()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, wrong in 0..6usize) {
            let scores = numbers(1 + wrong, seed);
            for loss in [Loss::Margin(1.0), Loss::Softmax(0.0), Loss::Softmax(0.3), Loss::Logistic] {
                let mut gradient = scores.clone();
                let (first, rest) = gradient.split_at_mut(1);
                let (one, other) = rest.split_at_mut(wrong / 2);
                loss.of(&mut first[0], &mut [one, other]);
                prop_assert!(agrees(&scores, &gradient, |s| value(loss, s)), "{loss:?}");
            }
        }
    }
}
