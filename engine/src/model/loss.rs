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
                match smoothing > 0.0 {
                    true => smoothed(smoothing, top, right, wrong),
                    false => {
                        let own = (*right - top).exp();
                        let sum = wrong.iter_mut().fold(own, |sum, piece| sum + exp_of(piece, top));
                        wrong.iter_mut().for_each(|piece| scale(piece, T::ONE / sum));
                        let loss = top - *right + sum.ln();
                        *right = own / sum - T::ONE;
                        loss
                    }
                }
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

/// Softmax, where so much of the right answer's weight goes to all that count, in equal parts.
fn smoothed<T: Real>(smoothing: f64, top: T, right: &mut T, wrong: &mut [&mut [T]]) -> T {
    let own = (*right - top).exp();
    let (mut sum, mut total, mut count) = (own, *right, T::ONE);
    for piece in wrong.iter_mut() {
        let (scores, many) = total_of(piece);
        total += scores;
        count += many;
        sum += marked_exp_of(piece, top);
    }
    let (part, each) = (T::of(smoothing), T::of(smoothing / count.to_f64()));
    wrong.iter_mut().for_each(|piece| scale_marked(piece, T::ONE / sum, each));
    let loss = top - *right + sum.ln() + part * (*right - total / count);
    *right = own / sum - T::ONE + (part - each);
    loss
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
    /// The sum of those scores that count, and how many they are.
    pub fn total_of(scores: &[T]) -> (T, T) {
        let (mut totals, mut counts) = ([T::ZERO; LANES], [T::ZERO; LANES]);
        for scores in scores.chunks(LANES) {
            for ((total, count), &score) in totals.iter_mut().zip(&mut counts).zip(scores) {
                let does_count = score.is_finite();
                *total += if does_count { score } else { T::ZERO };
                *count += if does_count { T::ONE } else { T::ZERO };
            }
        }
        (sum_of(totals), sum_of(counts))
    }
}

kernel! {
    /// The sum of exp(score − top); each score becomes its part, or −1 where it does not count.
    pub fn marked_exp_of(scores: &mut [T], top: T) -> T {
        let mut sums = [T::ZERO; LANES];
        for scores in scores.chunks_mut(LANES) {
            for (sum, score) in sums.iter_mut().zip(scores) {
                let part = (*score - top).exp();
                *sum += part;
                *score = if score.is_finite() { part } else { -T::ONE };
            }
        }
        sum_of(sums)
    }
}

kernel! {
    /// Multiplies what counts, and takes the same from each; what does not count, marked by −1, becomes 0.
    pub fn scale_marked(numbers: &mut [T], factor: T, less: T) {
        for x in numbers {
            *x = if *x < T::ZERO { T::ZERO } else { *x * factor - less };
        }
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

    #[test]
    fn a_score_far_below_counts_though_its_part_is_nothing() {
        let mut wrong = [-1e4, f64::NEG_INFINITY];
        let mut right = 0.0;
        Loss::Softmax(0.5).of(&mut right, &mut [&mut wrong]);
        assert_eq!((right, wrong), (0.25, [-0.25, 0.0]));
    }

    proptest! {
        /// More scores than there are lanes, and some that do not count.
        #[test]
        fn smoothing_agrees_with_plain_sums(
            scores in prop::collection::vec((-3.0..3.0f64, prop::bool::weighted(0.8)), 1..70), cut in 0..70usize,
        ) {
            let does_count = |at: usize| at == 0 || scores[at].1;
            let counting: Vec<f64> = (0..scores.len()).filter(|&at| does_count(at)).map(|at| scores[at].0).collect();
            let (count, sum) = (counting.len() as f64, counting.iter().map(|score| score.exp()).sum::<f64>());
            let mean = counting.iter().sum::<f64>() / count;
            let mut wrong: Vec<f64> = (1..scores.len())
                .map(|at| if does_count(at) { scores[at].0 } else { f64::NEG_INFINITY })
                .collect();
            let mut right = scores[0].0;
            let (one, other) = wrong.split_at_mut(cut.min(scores.len() - 1));
            let loss = Loss::Softmax(0.3).of(&mut right, &mut [one, other]);
            prop_assert!((loss - (sum.ln() - 0.7 * scores[0].0 - 0.3 * mean)).abs() < 1e-9);
            let expected = |at: usize| match does_count(at) {
                true => scores[at].0.exp() / sum - 0.3 / count - if at == 0 { 0.7 } else { 0.0 },
                false => 0.0,
            };
            for (at, gradient) in [right].into_iter().chain(wrong).enumerate() {
                prop_assert!((gradient - expected(at)).abs() < 1e-9, "{at}: {gradient}");
            }
        }

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
