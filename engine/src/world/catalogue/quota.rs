//! How do facts add up to exactly as many as asked?
//!
//! [`allot`] shares a total among relations, [`spread`] shares a relation's part among its subjects, both to the
//! last fact; [`Seen`] keeps the objects of one subject distinct.

/// What one relation may get of a total.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Its part, relative to the others.
    pub(crate) share: u64,
    /// What it must have.
    pub(crate) least: u64,
    /// What it can hold.
    pub(crate) most: u64,
}

/// Shares `total` by the shares, within what each must have and can hold. The parts add up to `total` wherever
/// there is room for it, and to all the room otherwise.
pub(crate) fn allot(total: u64, rooms: &[Room]) -> Vec<u64> {
    let mut parts: Vec<u64> = rooms.iter().map(|room| room.least.min(room.most)).collect();
    let mut left = total.saturating_sub(parts.iter().sum());
    while left > 0 {
        let open: u64 = rooms.iter().zip(&parts).filter(|(r, p)| r.most > **p).map(|(r, _)| r.share).sum();
        let round = left;
        for (room, part) in rooms.iter().zip(&mut parts).filter(|(r, p)| r.most > **p) {
            let fair = u128::from(round) * u128::from(room.share) / u128::from(open.max(1));
            // Rounding down must not stop the last few from being given away.
            let given = (fair as u64).max(1).min(room.most - *part).min(left);
            *part += given;
            left -= given;
        }
        if left == round {
            break;
        }
    }
    parts
}

/// Shares `total` among subjects by their weights: everyone of weight above 0 gets `base`, no one more than
/// `most`, and the sum is exact as long as it is at most `most` times the number of them.
pub(crate) fn spread(total: u64, weights: &[u32], base: u32, most: u32) -> Vec<u32> {
    let bearers = weights.iter().filter(|&&weight| weight > 0).count() as u64;
    let base = base.min(most);
    let above = total.saturating_sub(bearers * u64::from(base));
    let room = u64::from(most - base);
    let ceiling = highest_fair_weight(above, weights, room);
    let all: u64 = weights.iter().map(|&weight| u64::from(weight.min(ceiling))).sum();
    let mut before = 0u64;
    let due = |sum: u64| (u128::from(above) * u128::from(sum) / u128::from(all.max(1))) as u64;
    let degree = |&weight: &u32| {
        let after = before + u64::from(weight.min(ceiling));
        let degree = due(after) - due(before);
        before = after;
        if weight > 0 { base + degree as u32 } else { 0 }
    };
    weights.iter().map(degree).collect()
}

/// The weight to cut the others down to, so that the heaviest subject still has room for its share.
fn highest_fair_weight(total: u64, weights: &[u32], room: u64) -> u32 {
    let mut ceiling = weights.iter().copied().max().unwrap_or(1).max(1);
    while ceiling > 1 {
        let all: u64 = weights.iter().map(|&weight| u64::from(weight.min(ceiling))).sum();
        let heaviest = (u128::from(total) * u128::from(ceiling)).div_ceil(u128::from(all.max(1)));
        if heaviest <= u128::from(room) {
            break;
        }
        ceiling -= (ceiling / 8).max(1);
    }
    ceiling
}

/// The numbers met so far, forgotten in one step: a table of stamped slots, larger than what it holds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    slots: Vec<u64>,
    stamp: u32,
}

impl Seen {
    /// Forgets everything and makes room for so many.
    pub(crate) fn clear(&mut self, expected: usize) {
        let wanted = (expected * 2 + 2).next_power_of_two();
        if wanted > self.slots.len() || self.stamp == u32::MAX {
            self.slots = vec![0; wanted.max(self.slots.len())];
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// Whether the number is new; it is not the next time. Holds as many as were expected, no more.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let entry = u64::from(self.stamp) << 32 | u64::from(number);
        let mask = self.slots.len() - 1;
        let mut at = (u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        loop {
            let found = self.slots[at];
            if found == entry {
                return false;
            }
            if (found >> 32) as u32 != self.stamp {
                self.slots[at] = entry;
                return true;
            }
            at = (at + 1) & mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::dice::{Dice, Purpose};
    use super::*;

    #[test]
    fn parts_add_up_for_any_total() {
        let dice = Dice::new(11, Purpose::Fillers);
        for case in 0..500u64 {
            let mut rolls = dice.of(case).rolls();
            let rooms: Vec<Room> = (0..1 + rolls.below(12))
                .map(|_| {
                    let most = rolls.below(5000) as u64 + 1;
                    let least = rolls.below(10) as u64;
                    Room { share: rolls.below(300) as u64 + 1, least: least.min(most), most }
                })
                .collect();
            let (least, most) = rooms.iter().fold((0, 0), |sum, r| (sum.0 + r.least, sum.1 + r.most));
            let total = rolls.below(70_000) as u64;
            let parts = allot(total, &rooms);
            assert_eq!(parts.iter().sum::<u64>(), total.clamp(least, most));
            assert!(parts.iter().zip(&rooms).all(|(part, room)| (room.least..=room.most).contains(part)));
        }
    }

    #[test]
    fn degrees_add_up_and_keep_their_bounds() {
        let dice = Dice::new(12, Purpose::Fillers);
        for case in 0..500u64 {
            let mut rolls = dice.of(case).rolls();
            let weights: Vec<u32> =
                (0..1 + rolls.below(200)).map(|_| rolls.below(7).pow(rolls.below(8) as u32) as u32).collect();
            let bearers = weights.iter().filter(|&&w| w > 0).count() as u64;
            let most = 1 + rolls.below(50) as u32;
            let base = rolls.below(2) as u32;
            let total = bearers * u64::from(base)
                + rolls.below((bearers * u64::from(most - base.min(most))) as usize + 1) as u64;
            let degrees = spread(total, &weights, base, most);
            assert_eq!(degrees.iter().map(|&d| u64::from(d)).sum::<u64>(), total);
            for (&degree, &weight) in degrees.iter().zip(&weights) {
                assert!(degree <= most && (weight == 0) <= (degree == 0) && (weight == 0 || degree >= base));
            }
        }
    }

    #[test]
    fn heavy_weights_get_more() {
        let degrees = spread(1000, &[100, 1, 1, 50, 1], 1, 900);
        assert!(degrees[0] > degrees[3] && degrees[3] > degrees[1]);
    }

    #[test]
    fn a_number_is_new_once() {
        let mut seen = Seen::default();
        for round in 0..50u32 {
            seen.clear(100);
            assert!((0..100).all(|i| seen.insert(i * 7 + round)));
            assert!((0..100).all(|i| !seen.insert(i * 7 + round)));
        }
    }
}
