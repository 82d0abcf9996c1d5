//! Which facts are trained on, and which are asked about?

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::random::Dice;
use crate::error::{Error, Result};
use crate::graph::{ByPart, Part};

/// The shares of the parts; what is left of 1 is the test part.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// Learned from.
    pub train: f64,
    /// Used to choose between models.
    pub valid: f64,
    /// Used once, at the end.
    pub test: f64,
}

impl Default for Shares {
    /// The paper's 60/40.
    fn default() -> Self {
        Self { train: 0.6, valid: 0.0, test: 0.4 }
    }
}

impl std::str::FromStr for Shares {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong =
            || Error::Usage(format!("{text:?} should be three shares that sum to 1, such as 0.6,0,0.4"));
        let nothing_to_learn = || {
            Error::Usage(format!("{text:?} leaves nothing to learn from: the first share should be above 0"))
        };
        let shares: Vec<f64> =
            text.split(',').map(|share| share.trim().parse().map_err(|_| wrong())).collect::<Result<_>>()?;
        match shares[..] {
            [train, valid, test]
                if shares.iter().all(|share| (0.0..=1.0).contains(share))
                    && (train + valid + test - 1.0).abs() < 1e-9 =>
            {
                if train > 0.0 {
                    Ok(Self { train, valid, test })
                } else {
                    Err(nothing_to_learn())
                }
            }
            _ => Err(wrong()),
        }
    }
}

/// Draws undivided rows into parts of exactly the asked sizes, each such division as likely as any other (Knuth's
/// selection sampling: one pass, no copy of the rows beside the parts). Rows keep their order.
pub(super) fn divide<T: Copy + Ord>(rows: &mut ByPart<T>, shares: Shares, dice: &Dice) {
    let undivided = std::mem::take(rows.part_mut(Part::Undivided));
    if undivided.is_empty() {
        return;
    }
    let total = undivided.len() as f64;
    let train = (total * shares.train).round() as usize;
    let valid = ((total * shares.valid).round() as usize).min(undivided.len() - train);
    let mut left = [train, valid, undivided.len() - train - valid];
    for (part, &count) in Part::ASSIGNED.iter().zip(&left) {
        rows.part_mut(*part).reserve_exact(count);
    }
    let mut generator = dice.of(0);
    for (done, row) in undivided.iter().enumerate() {
        let draw = generator.random_range(0..undivided.len() - done);
        let part = if draw < left[0] {
            0
        } else if draw < left[0] + left[1] {
            1
        } else {
            2
        };
        left[part] -= 1;
        rows.part_mut(Part::ASSIGNED[part]).push(*row);
    }
    // Links may have been divided in part by their source: what was drawn is mixed in.
    Part::ASSIGNED.iter().for_each(|&part| rows.part_mut(part).sort_unstable());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_disjoint_cover_all_and_have_their_sizes(n in 1..500usize, train in 1..=10u8, valid in 0..=10u8, seed: u64) {
            let train = f64::from(train) / 10.0;
            let valid = (f64::from(valid) / 10.0).min(1.0 - train);
            let shares = Shares { train, valid, test: 1.0 - train - valid };
            let mut rows = ByPart::default();
            rows.part_mut(Part::Undivided).extend(0..n);
            divide(&mut rows, shares, &Dice::new(seed, "test", "g"));
            prop_assert_eq!(rows.part(Part::Train).len(), (n as f64 * train).round() as usize);
            prop_assert!(rows.part(Part::Undivided).is_empty());
            let mut all: Vec<usize> = rows.iter().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_row_is_as_likely_to_be_trained_on() {
        let mut hits = [0u32; 10];
        for seed in 0..4000 {
            let mut rows = ByPart::default();
            rows.part_mut(Part::Undivided).extend(0..10usize);
            divide(&mut rows, Shares::default(), &Dice::new(seed, "test", "g"));
            rows.part(Part::Train).iter().for_each(|&row| hits[row] += 1);
        }
        // 4000 draws of probability .6: the standard deviation is 31.
        assert!(hits.iter().all(|&n| (2400 - 150..2400 + 150).contains(&n)), "{hits:?}");
    }

    #[test]
    fn shares_are_checked() {
        assert_eq!("0.6,0,0.4".parse::<Shares>().unwrap(), Shares::default());
        for wrong in ["", "1", "0.5,0.5", "0.6,0.6,-0.2", "a,b,c", "0,0.5,0.5", "nan,0,1"] {
            assert!(wrong.parse::<Shares>().is_err(), "{wrong}");
        }
    }
}
