//! How likely is a pair, given its rivals?
//!
//! An entity has one partner at most, so that each pair stands against all others of both its entities, and against having
//! no partner at all:
//!
//! ```text
//! margin = score − ln( exp(alone) + Σ over rivals exp(score) )        P = 1 / (1 + exp(−(a·margin + b)))
//! ```
//!
//! With a = 1 and b = 0 that is the pair's share among all that could be. Labels that were held out say how far such shares
//! can be trusted: [`Calibration`] fits a and b to them (Platt), drawn to 1 and 0 where labels are few.

use rayon::prelude::*;

use super::Candidates;
use crate::model::activation::Activation;

/// What is said for having no partner, in nats.
const ALONE: f32 = 0.0;

/// How far each candidate is ahead of its rivals.
pub fn margins(candidates: &Candidates, scores: &[f32], seconds: usize) -> Vec<f32> {
    // Scores are within a few dozen nats, so that sums of exponents are within f64.
    let weights: Vec<f64> =
        scores.par_iter().map(|&score| f64::from(score.clamp(-60.0, 60.0)).exp()).collect();
    let mut columns = vec![0.0; seconds];
    candidates.seconds.iter().zip(&weights).for_each(|(&second, weight)| columns[second as usize] += weight);
    let rows = candidates.starts.par_windows(2).map(|ends| weights[ends[0]..ends[1]].iter().sum::<f64>());
    let rows: Vec<f64> = rows.collect();
    let alone = f64::from(ALONE).exp();
    let firsts = 0..rows.len();
    let mut found = vec![0.0; scores.len()];
    for first in firsts {
        for at in candidates.starts[first]..candidates.starts[first + 1] {
            let own = weights[at];
            let rivals =
                (rows[first] - own).max(0.0) + (columns[candidates.seconds[at] as usize] - own).max(0.0);
            found[at] = (f64::from(scores[at].clamp(-60.0, 60.0)) - (alone + rivals).ln()) as f32;
        }
    }
    found
}

/// How margins become probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// a.
    pub slope: f64,
    /// b.
    pub shift: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { slope: 1.0, shift: 0.0 }
    }
}

/// So much the general calibration counts, in labels.
const PULL: f64 = 4.0;

impl Calibration {
    /// The probability of a margin.
    pub fn probability(&self, margin: f32) -> f32 {
        Activation::Sigmoid.of((self.slope * f64::from(margin) + self.shift) as f32)
    }

    /// Fits labels that were not learned from, by Newton's method.
    pub fn fitted(labelled: &[(f32, bool)]) -> Self {
        let mut own = Self::default();
        for _ in 0..50 {
            let pull = (PULL * (own.slope - 1.0), PULL * own.shift);
            let (mut slope, mut shift) = pull;
            let (mut aa, mut ab, mut bb) = (PULL, 0.0, PULL);
            for &(margin, is_same) in labelled {
                let margin = f64::from(margin.clamp(-30.0, 30.0));
                let p: f64 = Activation::Sigmoid.of(own.slope * margin + own.shift);
                let error = p - f64::from(u8::from(is_same));
                let curve = p * (1.0 - p);
                slope += error * margin;
                shift += error;
                aa += curve * margin * margin;
                ab += curve * margin;
                bb += curve;
            }
            let determinant = (aa * bb - ab * ab).max(1e-12);
            let step = ((bb * slope - ab * shift) / determinant, (aa * shift - ab * slope) / determinant);
            own.slope = (own.slope - step.0.clamp(-0.5, 0.5)).max(0.05);
            own.shift -= step.1.clamp(-1.0, 1.0);
            if step.0.abs().max(step.1.abs()) < 1e-9 {
                break;
            }
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_worked_by_hand() {
        // 0 has two candidates of equal score, 1 has one of them alone.
        let candidates = Candidates::of(2, vec![(0, 0), (0, 1), (1, 1)]);
        let scores = [2f32.ln(), 2f32.ln(), 3f32.ln()];
        let found = margins(&candidates, &scores, 2);
        let expected =
            [(2.0f32 / (1.0 + 2.0)).ln(), (2.0f32 / (1.0 + 2.0 + 3.0)).ln(), (3.0f32 / (1.0 + 2.0)).ln()];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        let share = Calibration::default().probability(found[0]);
        assert!((share - 0.4).abs() < 1e-6, "{share}");
    }

    #[test]
    fn probabilities_become_what_labels_say() {
        // Margins of 2 hold in three of four cases, those of −2 in one of four.
        let labelled: Vec<(f32, bool)> =
            (0..400).flat_map(|at| [(2.0, at % 4 > 0), (-2.0, at % 4 == 0)]).collect();
        let fitted = Calibration::fitted(&labelled);
        assert!((fitted.probability(2.0) - 0.75).abs() < 0.01, "{fitted:?}");
        assert!((fitted.probability(-2.0) - 0.25).abs() < 0.01, "{fitted:?}");
        assert_eq!(Calibration::fitted(&[]), Calibration::default());
    }
}
