//! Which of many small pulls are worth the way back?
//!
//! Of all the entities of a graph, few are taken for the right answer with any probability, and yet each sends its
//! little back to the query, and gets as much from it: two of three products of matrices. Here a pull gᵢ that is weaker
//! than a bar τ either counts as τ or not at all, by lot, and for the first it has the probability |gᵢ| / τ:
//!
//! ```text
//! |gᵢ| ≥ τ    gᵢ
//! |gᵢ| < τ    sign(gᵢ) τ    where  ⌊(u + Σ_{j ≤ i} |gⱼ|) / τ⌋ steps up, over the weak ones, with u drawn from [0, τ)
//!             0             elsewhere
//! ```
//!
//! The mean over all lots is the gradient itself, and one lot decides about all weak pulls of a lane, so that their sum is
//! off by no more than τ. At most Σ|gᵢ| / τ are left besides the strong ones.

use crate::compute::{Real, kernel};

/// Pulls are added up in so many lanes, each with a lot of its own.
pub const LANES: usize = 16;

/// Where the lanes of one question begin: numbers from 0 to below 1.
pub type Lots = [f32; LANES];

/// What is left of the pulls of some questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept<T> {
    /// Where those of each question begin; one more than there are questions.
    pub starts: Vec<u32>,
    /// Which candidates.
    pub candidates: Vec<u32>,
    /// How strongly.
    pub pulls: Vec<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { starts: vec![0], candidates: Vec::new(), pulls: Vec::new() }
    }
}

impl<T: Real> Kept<T> {
    /// Adds the pulls of a question, those above the bar and of the others as many as the lots say.
    pub fn add(&mut self, pulls: &[T], bar: f64, lots: &Lots) {
        // Without a bar the question counts for nothing, and none of its pulls is above 0.
        if bar > 0.0 {
            let sums = lots.map(|lot| T::of(f64::from(lot) * bar));
            thin_out(pulls, T::of(bar), sums, &mut self.candidates, &mut self.pulls);
        }
        self.starts.push(self.candidates.len() as u32);
    }

    /// All questions of several, one after the other.
    pub fn joined(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            let first = all.candidates.len() as u32;
            all.starts.extend(part.starts[1..].iter().map(|start| first + start));
            all.candidates.extend(part.candidates);
            all.pulls.extend(part.pulls);
        }
        all
    }
}

kernel! {
    /// Appends what is left to both lists; `sums` are where the lanes begin.
    pub fn thin_out(
        pulls: &[T], bar: T, sums: [T; LANES], candidates: &mut Vec<u32>, left: &mut Vec<T>,
    ) {
        // First who is left, without a branch, then what they are: so the sums stay in registers.
        const AT_ONCE: usize = 64;
        let mut sums = sums;
        let mut who = [0u32; AT_ONCE];
        for (block, pulls) in pulls.chunks(AT_ONCE * LANES).enumerate() {
            let (whole, rest) = pulls.as_chunks::<LANES>();
            for (who, own) in who.iter_mut().zip(whole) {
                *who = 0;
                for (lane, (x, sum)) in own.iter().zip(&mut sums).enumerate() {
                    let size = x.abs();
                    let is_strong = size >= bar;
                    let next = *sum + if is_strong { T::ZERO } else { size };
                    let is_drawn = next >= bar;
                    *sum = if is_drawn { next - bar } else { next };
                    *who |= u32::from(is_strong | is_drawn) << lane;
                }
            }
            let mut add = |at: usize| {
                candidates.push((block * AT_ONCE * LANES + at) as u32);
                let x = pulls[at];
                left.push(if x.abs() >= bar { x } else if x < T::ZERO { -bar } else { bar });
            };
            for (at, &who) in who.iter().enumerate().take(whole.len()) {
                let mut who = who;
                while who != 0 {
                    add(at * LANES + who.trailing_zeros() as usize);
                    who &= who - 1;
                }
            }
            for (lane, (x, sum)) in rest.iter().zip(&mut sums).enumerate() {
                let size = x.abs();
                *sum += if size >= bar { T::ZERO } else { size };
                if size >= bar || *sum >= bar {
                    *sum -= if size >= bar { T::ZERO } else { bar };
                    add(whole.len() * LANES + lane);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn left_of(pulls: &[f64], bar: f64, lots: &Lots) -> Vec<f64> {
        let mut kept = Kept::default();
        kept.add(pulls, bar, lots);
        let mut left = vec![0.0; pulls.len()];
        kept.candidates.iter().zip(&kept.pulls).for_each(|(&at, &pull)| left[at as usize] = pull);
        left
    }

    #[test]
    fn pulls_worked_by_hand() {
        // One lane, as only every sixteenth place has a pull: .3, .5, −.4 and 2 with a bar of 1, beginning at .6.
        let mut pulls = [0.0; 4 * LANES];
        for (at, pull) in [0.3, 0.5, -0.4, 2.0].into_iter().enumerate() {
            pulls[at * LANES] = pull;
        }
        let mut lots = [0.0; LANES];
        lots[0] = 0.6;
        // .6 + .3 = .9; + .5 = 1.4 steps over 1; .4 + .4 = .8 does not; 2 is above the bar.
        let mut expected = [0.0; 4 * LANES];
        (expected[LANES], expected[3 * LANES]) = (1.0, 2.0);
        assert_eq!(left_of(&pulls, 1.0, &lots), expected);
        lots[0] = 0.0;
        // .3; .8; 1.2 steps over, and pulls back.
        (expected[LANES], expected[2 * LANES]) = (0.0, -1.0);
        assert_eq!(left_of(&pulls, 1.0, &lots), expected);
    }

    #[test]
    fn nothing_is_kept_of_a_question_that_counts_for_nothing() {
        let mut kept = Kept::default();
        kept.add(&[0.0f32; 50], 0.0, &[0.5; LANES]);
        assert_eq!((kept.starts, kept.candidates, kept.pulls), (vec![0, 0], vec![], vec![]));
    }

    #[test]
    fn what_pulls_at_nothing_is_never_drawn() {
        let lots = [0.999_999; LANES];
        assert_eq!(left_of(&[0.0; 50], 0.25, &lots), [0.0; 50]);
    }

    proptest! {
        /// Over lots that are spread evenly, the mean of every pull is what it was.
        #[test]
        fn the_mean_stays(pulls in prop::collection::vec(-0.4..0.4f64, 0..70), bar in 0.05..0.5f64) {
            const ROUNDS: usize = 4000;
            let mut means = vec![0.0; pulls.len()];
            for round in 0..ROUNDS {
                let lots = [(round as f32 + 0.5) / ROUNDS as f32; LANES];
                for (mean, left) in means.iter_mut().zip(left_of(&pulls, bar, &lots)) {
                    prop_assert!(left == 0.0 || left.abs() >= bar);
                    *mean += left / ROUNDS as f64;
                }
            }
            for (mean, pull) in means.iter().zip(&pulls) {
                prop_assert!((mean - pull).abs() < 2.0 * bar / ROUNDS as f64, "{mean} {pull}");
            }
        }
    }
}
