//! What falls when chance is asked?
//!
//! Everything random in the world is a pure function of (seed, purpose, numbers), so any object can be made
//! at any time, on any thread, without making the ones before it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What a roll is for; two purposes never share their rolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// What is true of films.
    Films,
    /// What is true of people.
    People,
    /// What is true of all the other classes.
    Others,
    /// What things are called.
    Names,
    /// How the catalogues write those names.
    Spelling,
    /// The values of attributes.
    Details,
    /// Which kinds a thing is of.
    Kinds,
    /// Which true facts the first catalogue has.
    ScreenKeeps,
    /// Which true facts the second catalogue has.
    ReelKeeps,
    /// The facts that fill the catalogues up to their size.
    Fillers,
    /// Order of the first catalogue.
    ScreenOrder,
    /// Order of the second catalogue.
    ReelOrder,
    /// Order of the answers.
    AnswerOrder,
    /// Identifiers of the first catalogue.
    ScreenIds,
    /// Identifiers of the second catalogue.
    ReelIds,
    /// Dirt of the first catalogue.
    ScreenDirt,
    /// Dirt of the second catalogue.
    ReelDirt,
}

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of SplitMix64: every bit of the input moves every bit of the output.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A numbered set of rolls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The dice of one purpose.
    pub(crate) fn new(seed: u64, purpose: Purpose) -> Self {
        Self(mix(seed.wrapping_add(GOLDEN))).of(purpose as u64)
    }

    /// The dice of one thing among those of the purpose.
    pub(crate) fn of(self, part: u64) -> Self {
        Self(mix(self.0 ^ mix(part.wrapping_add(GOLDEN))))
    }

    /// Sixty-four fair bits.
    pub(crate) fn roll(self, number: u64) -> u64 {
        mix(self.0.wrapping_add(number.wrapping_mul(GOLDEN)))
    }

    /// A fair number below `bound` (0 when the bound is 0).
    pub(crate) fn below(self, number: u64, bound: u32) -> u32 {
        below(self.roll(number), bound)
    }

    /// True so many times in a thousand.
    pub(crate) fn chance(self, number: u64, per_mille: u32) -> bool {
        self.below(number, 1000) < per_mille
    }

    /// The same rolls one after another, for things made in steps.
    pub(crate) fn rolls(self) -> Rolls {
        Rolls { dice: self, next: 0 }
    }
}

/// Maps fair bits to a fair number below `bound`.
pub(crate) fn below(roll: u64, bound: u32) -> u32 {
    (((roll >> 32) * u64::from(bound)) >> 32) as u32
}

/// Rolls taken one after another.
#[derive(Debug, Clone)]
pub(crate) struct Rolls {
    dice: Dice,
    next: u64,
}

impl Rolls {
    /// A fair number below `bound` (0 when the bound is 0).
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.next += 1;
        self.dice.below(self.next, bound as u32) as usize
    }

    /// True so many times in a thousand.
    pub(crate) fn chance(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// One word of a list of them.
    pub(crate) fn word(&mut self, words: &[&'static str]) -> &'static str {
        let place = self.below(words.len());
        words.get(place).copied().unwrap_or("")
    }
}

/// The numbers 0..n in an order that only the seed and the purpose know.
pub(crate) fn shuffled(n: u32, seed: u64, purpose: Purpose, stream: u64) -> Vec<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ mix(purpose as u64 + 1));
    rng.set_stream(stream);
    let mut numbers: Vec<u32> = (0..n).collect();
    for last in (1..numbers.len()).rev() {
        let other = below(rng.next_u64(), last as u32 + 1) as usize;
        numbers.swap(last, other);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_depends_on_seed_purpose_and_stream() {
        let one = shuffled(100, 7, Purpose::ScreenOrder, 0);
        let mut sorted = one.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_eq!(one, shuffled(100, 7, Purpose::ScreenOrder, 0));
        assert_ne!(one, shuffled(100, 8, Purpose::ScreenOrder, 0));
        assert_ne!(one, shuffled(100, 7, Purpose::ReelOrder, 0));
        assert_ne!(one, shuffled(100, 7, Purpose::ScreenOrder, 1));
    }

    #[test]
    fn chances_are_what_they_say() {
        let dice = Dice::new(1, Purpose::Films);
        let hits = (0..20_000).filter(|&i| dice.chance(i, 250)).count();
        assert!((4_700..5_300).contains(&hits), "{hits}");
        assert!((0..1000).all(|i| dice.below(i, 3) < 3));
    }
}
