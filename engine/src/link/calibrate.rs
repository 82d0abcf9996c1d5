//! How far can margins be trusted?
//!
//! ```text
//! P = 1 / (1 + exp(−(a·margin + b)))
//! ```
//!
//! With a = 1 and b = 0 that is a pair's share among all that could be. Links that were held out say better, but only about
//! entities that have a partner, and most graphs hold others too: fitted to held-out links alone, P would be too high for
//! everybody else. So their margins are compared with those of all links that were decided on about entities of which
//! nothing is known. If M of these are right, and right ones are like the n that were held out, then a margin m is
//!
//! ```text
//! n · P(m) / M    times as frequent among the held-out links that were found as among the others,    M = Σ over others P
//! ```
//!
//! and a and b are those that make the margins at hand likeliest (learning from positive and unlabelled examples: Elkan and
//! Noto 2008, with a curve that ends at 1), drawn to 1 and 0 where labels are few. Where few links of high margins
//! are among the others, few have a partner; where margins of the held-out links are just as frequent, all have.
//!
//! Margins alone cannot tell half as many right links from half as sure ones. So the better half of the held-out links that
//! were found counts as beyond doubt: for each, ln P is added to the likelihood.

use crate::model::activation::Activation;

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

/// Margins of links that were decided on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decided {
    /// Held-out links that were found.
    pub right: Vec<f32>,
    /// Links about entities of which nothing is known.
    pub others: Vec<f32>,
}

/// So much the general calibration counts, in labels.
const PULL: f64 = 4.0;
/// Fewer labels than this say nothing.
const FEWEST: usize = 10;
/// Margins are counted in steps of a quarter, up to so many.
const FARTHEST: f32 = 25.0;
const STEPS: usize = 201;
/// The best of a grid of so many slopes and shifts is looked for, and then around it on ever finer ones.
const GRID: i32 = 12;
const FINER: usize = 6;

impl Calibration {
    /// The probability of a margin.
    pub fn probability(&self, margin: f32) -> f32 {
        self.of(f64::from(margin)) as f32
    }

    fn of(&self, margin: f64) -> f64 {
        Activation::Sigmoid.of(self.slope * margin + self.shift)
    }

    /// Fits what was decided.
    pub fn of_decided(decided: &Decided) -> Self {
        if decided.right.len() < FEWEST || decided.others.len() < FEWEST {
            return Self::default();
        }
        let counts = [&decided.right, &decided.others].map(|margins| Counts::of(margins));
        let surest = Counts::of(&better_half(&decided.right));
        let worth = |own: &Self| own.likelihood(&counts) + own.sureness(&surest) - own.pull();
        let (mut best, mut most) = (Self::default(), worth(&Self::default()));
        // Slopes by factors, from a tenth to ten; shifts from −8 to 8.
        let (mut factor, mut step) = (10f64.ln() / f64::from(GRID), 8.0 / f64::from(GRID));
        for _ in 0..FINER {
            let around = best;
            for slope in -GRID..=GRID {
                for shift in -GRID..=GRID {
                    let own = Self {
                        slope: around.slope * (f64::from(slope) * factor).exp(),
                        shift: around.shift + f64::from(shift) * step,
                    };
                    let found = worth(&own);
                    if found > most {
                        (best, most) = (own, found);
                    }
                }
            }
            factor /= 4.0;
            step /= 4.0;
        }
        best
    }

    /// The logarithm of the likelihood that margins are where they are: for each, that a link with it is a held-out one.
    fn likelihood(&self, [right, others]: &[Counts; 2]) -> f64 {
        let probabilities: Vec<f64> = (0..STEPS).map(|at| self.of(Counts::margin(at)).max(1e-12)).collect();
        let expected: f64 = others.0.iter().zip(&probabilities).map(|(count, p)| count * p).sum();
        let scale = right.0.iter().sum::<f64>() / expected;
        let each = probabilities.iter().zip(right.0.iter().zip(&others.0));
        each.map(|(p, (right, others))| {
            let odds = scale * p;
            right * (odds / (1.0 + odds)).ln() - others * (1.0 + odds).ln()
        })
        .sum()
    }

    /// The logarithm of the probability that links are right.
    fn sureness(&self, links: &Counts) -> f64 {
        let counted = links.0.iter().enumerate().filter(|(_, count)| **count > 0.0);
        counted.map(|(at, count)| count * self.of(Counts::margin(at)).max(1e-12).ln()).sum()
    }

    fn pull(&self) -> f64 {
        PULL / 2.0 * (self.slope.ln().powi(2) + self.shift.powi(2) / 4.0)
    }
}

fn better_half(margins: &[f32]) -> Vec<f32> {
    let mut sorted = margins.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted.truncate(margins.len().div_ceil(2));
    sorted
}

/// How many links have which margin.
struct Counts(Vec<f64>);

impl Counts {
    fn of(margins: &[f32]) -> Self {
        let mut counts = vec![0.0; STEPS];
        for margin in margins {
            let share = (margin.clamp(-FARTHEST, FARTHEST) + FARTHEST) / (2.0 * FARTHEST);
            counts[(share * (STEPS - 1) as f32).round() as usize] += 1.0;
        }
        Self(counts)
    }

    fn margin(step: usize) -> f64 {
        f64::from(FARTHEST) * (2.0 * step as f64 / (STEPS - 1) as f64 - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dice;
    use rand::RngExt;

    /// Links whose margins are drawn; each is right as often as a calibration says. A share of the right ones is held out.
    fn drawn(truth: Calibration, held_out: f64, count: u64) -> Decided {
        let dice = Dice::new(1, "calibration", "test");
        let mut decided = Decided::default();
        for at in 0..count {
            let mut dice = dice.of(at);
            let margin = dice.random_range(-12.0..12.0f32);
            let is_right = dice.random_range(0.0..1.0f32) < truth.probability(margin);
            match is_right && dice.random_range(0.0..1.0) < held_out {
                true => decided.right.push(margin),
                false => decided.others.push(margin),
            }
        }
        decided
    }

    #[test]
    fn what_was_decided_tells_the_curve() {
        for truth in [
            Calibration { slope: 1.0, shift: 0.0 },
            Calibration { slope: 0.5, shift: 2.0 },
            Calibration { slope: 1.5, shift: -4.0 },
        ] {
            let found = Calibration::of_decided(&drawn(truth, 0.1, 300_000));
            for margin in [-8.0, -4.0, 0.0, 2.0, 4.0, 8.0] {
                // A tenth of the right ones is not among the others.
                let right = 0.9 * truth.probability(margin);
                let (own, expected) =
                    (found.probability(margin), right / (right + 1.0 - truth.probability(margin)));
                assert!((own - expected).abs() < 0.06, "{truth:?} {found:?} {margin}: {own} {expected}");
            }
        }
    }

    #[test]
    fn few_labels_say_little_and_none_nothing() {
        assert_eq!(Calibration::of_decided(&Decided::default()), Calibration::default());
        let few = Decided { right: vec![3.0; 12], others: vec![-5.0; 12] };
        let found = Calibration::of_decided(&few);
        assert!((found.probability(0.0) - 0.5).abs() < 0.2, "{found:?}");
        assert!(found.probability(3.0) > 0.9 && found.probability(-5.0) < 0.1, "{found:?}");
    }

    #[test]
    fn fewer_others_with_high_margins_are_fewer_links() {
        // The same held-out links; around a margin of zero many others, or as many as foretold.
        // So many that the general calibration counts for little.
        let right: Vec<f32> = [vec![6.0; 18_000], vec![0.0; 2000]].concat();
        let of = |around_zero: usize| Decided {
            right: right.clone(),
            others: [vec![6.0; 180_000], vec![0.0; around_zero], vec![-9.0; 500_000]].concat(),
        };
        let many = Calibration::of_decided(&of(200_000)).probability(0.0);
        let few = Calibration::of_decided(&of(20_000)).probability(0.0);
        assert!(many < 0.2 && few > 0.8, "{many} {few}");
    }
}
