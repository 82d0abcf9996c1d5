//! How likely is a pair, given its rivals?
//!
//! An entity has one partner at most, so that each pair stands against all others of both its entities, and against having
//! no partner at all. Where an entity of the second graph may have several, only those of the first have rivals:
//!
//! ```text
//! margin = score − ln( exp(alone) + Σ over rivals exp(score) )
//! ```
//!
//! 1 / (1 + exp(−margin)) is the pair's share among all that could be; [`calibrate`](super::calibrate) says how far such
//! shares can be trusted.

use rayon::prelude::*;

use super::Candidates;
use super::decode::{Partners, Places};

/// Margins below this are of pairs that cannot be, since one of the two has a partner already.
pub const IMPOSSIBLE: f32 = -50.0;
/// What is said for having no partner, in nats.
const ALONE: f32 = 0.0;

/// How far each candidate is ahead of its rivals.
pub fn margins(candidates: &Candidates, scores: &[f32], places: &Places) -> Vec<f32> {
    // Scores are within a few dozen nats, so that sums of exponents are within f64.
    let weights: Vec<f64> =
        scores.par_iter().map(|&score| f64::from(score.clamp(-60.0, 60.0)).exp()).collect();
    let mut columns = vec![0.0; places.entities[1]];
    if places.partners == Partners::One {
        let all = candidates.seconds.iter().zip(&weights);
        all.for_each(|(&second, weight)| columns[second as usize] += weight);
    }
    let rows = candidates.starts.par_windows(2).map(|ends| weights[ends[0]..ends[1]].iter().sum::<f64>());
    let rows: Vec<f64> = rows.collect();
    let alone = f64::from(ALONE).exp();
    candidates.map(|at, (first, second)| {
        let own = weights[at];
        let rivals = (rows[first as usize] - own).max(0.0) + (columns[second as usize] - own).max(0.0);
        (f64::from(scores[at].clamp(-60.0, 60.0)) - (alone + rivals).ln()) as f32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_worked_by_hand() {
        // 0 has two candidates of equal score, 1 has one of them alone.
        let candidates = Candidates::of(2, vec![(0, 0), (0, 1), (1, 1)]);
        let scores = [2f32.ln(), 2f32.ln(), 3f32.ln()];
        let places = |partners| Places { entities: [2, 2], partners };
        let found = margins(&candidates, &scores, &places(Partners::One));
        let expected =
            [(2.0f32 / (1.0 + 2.0)).ln(), (2.0f32 / (1.0 + 2.0 + 3.0)).ln(), (3.0f32 / (1.0 + 2.0)).ln()];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // Where 1 may have several, that both 0 and 1 fit it speaks against neither.
        let found = margins(&candidates, &scores, &places(Partners::ManyToOne));
        for (found, expected) in found.iter().zip([2.0f32 / 3.0, 2.0 / 3.0, 3.0].map(f32::ln)) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}
