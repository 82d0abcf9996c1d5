//! In which order are facts seen?
//!
//! A different one in every epoch, and all of them once. There can be more facts than an order of them would fit into
//! memory, so that the order is a function: a permutation made of a few rounds of mixing (a Feistel network), applied
//! again while it leads outside of the range.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// An order of the numbers below `count`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shuffle {
    count: u64,
    /// Bits of each half of a number.
    bits: u32,
    key: u64,
}

const ROUNDS: u64 = 6;

impl Shuffle {
    /// The order of an epoch.
    pub(super) fn new(count: u64, seed: u64, epoch: u64) -> Self {
        let bits = (u64::BITS - count.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
        Self { count, bits, key: xxh3_64_with_seed(&epoch.to_le_bytes(), seed) }
    }

    /// The number at a place of the order.
    pub(super) fn at(&self, place: u64) -> u64 {
        let mut number = place;
        loop {
            number = self.mixed(number);
            // The network permutes at most four times as many numbers as there are.
            if number < self.count {
                return number;
            }
        }
    }

    fn mixed(&self, number: u64) -> u64 {
        let mask = (1u64 << self.bits) - 1;
        let (mut left, mut right) = (number >> self.bits, number & mask);
        for round in 0..ROUNDS {
            let mixed = xxh3_64_with_seed(&right.to_le_bytes(), self.key.wrapping_add(round));
            (left, right) = (right, left ^ (mixed & mask));
        }
        left << self.bits | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_there_once() {
        for count in [1, 2, 3, 5, 64, 65, 1000, 4097] {
            let shuffle = Shuffle::new(count, 7, 1);
            let mut seen: Vec<u64> = (0..count).map(|place| shuffle.at(place)).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn orders_differ_by_epoch_and_seed_and_look_random() {
        let order =
            |seed, epoch| (0..1000).map(|p| Shuffle::new(1000, seed, epoch).at(p)).collect::<Vec<_>>();
        assert_eq!(order(1, 1), order(1, 1));
        assert_ne!(order(1, 1), order(1, 2));
        assert_ne!(order(1, 1), order(2, 1));
        // The mean distance of a number from its place is a third of the count in a random order.
        let distance: u64 = order(3, 0).iter().enumerate().map(|(place, &n)| n.abs_diff(place as u64)).sum();
        assert!((250_000..420_000).contains(&distance), "{distance}");
    }
}
