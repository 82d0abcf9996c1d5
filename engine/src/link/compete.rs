//! How likely is a pair, given its rivals?
//!
//! An entity has one partner at most, so that each pair stands against all others of both its entities, and against having
//! no partner at all:
//!
//! ```text
//! margin = score − ln( exp(alone) + Σ over rivals exp(score) )
//! ```
//!
//! 1 / (1 + exp(−margin)) is the pair's share among all that could be; [`calibrate`](super::calibrate) says how far such
//! shares can be trusted.

use rayon::prelude::*;

use super::Candidates;

/// Margins below this are of pairs that cannot be, since one of the two has a partner already.
pub const IMPOSSIBLE: f32 = -50.0;
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
    }
}
