//! What identifies an entity in a catalogue?
//!
//! Identifiers come from a shuffle of their own per catalogue: neither their order nor their spacing says anything
//! about the other catalogue.

use super::super::dice::{Dice, Purpose, shuffled};
use super::super::scale::{Catalogue, Census, Class, Members, Object};

/// Written length of every identifier, in both catalogues.
pub(crate) const LENGTH: usize = 9;

/// An identifier as written.
pub(crate) type Id = [u8; LENGTH];

const DIGITS: &[u8; 32] = b"0123456789bcdfghjklmnpqrstvwxyz_";
/// Compound nodes have the upper half of the second catalogue's identifiers.
const HALF: u32 = 1 << 29;

/// All identifiers of one catalogue.
#[derive(Debug)]
pub(crate) struct Ids {
    catalogue: Catalogue,
    census: Census,
    written: Vec<Vec<Id>>,
    shift: u32,
}

impl Ids {
    /// Draws the identifiers of a catalogue.
    pub(crate) fn new(catalogue: Catalogue, census: &Census, seed: u64) -> Self {
        let count = |class: Class| census.of(class).count(catalogue);
        let written = match catalogue {
            Catalogue::Screen => {
                let dice = Dice::new(seed, Purpose::ScreenIds);
                let numbers = |class: Class| {
                    let shuffle = shuffled(count(class), seed, Purpose::ScreenIds, class as u64);
                    scattered(&shuffle, 9_999_999, dice.of(class as u64))
                };
                Class::ALL
                    .iter()
                    .map(|&class| numbers(class).into_iter().map(|n| in_decimal(class, n + 1)).collect())
                    .collect()
            }
            Catalogue::Reel => {
                let shuffle = shuffled(census.count(catalogue), seed, Purpose::ReelIds, 0);
                let numbers = scattered(&shuffle, HALF, Dice::new(seed, Purpose::ReelIds));
                let mut rest = numbers.into_iter().map(in_base_32);
                Class::ALL.iter().map(|&class| rest.by_ref().take(count(class) as usize).collect()).collect()
            }
        };
        let shift = Dice::new(seed, Purpose::ReelIds).below(0, HALF);
        Self { catalogue, census: *census, written, shift }
    }

    /// The identifier of an entity the catalogue has.
    pub(crate) fn of(&self, object: Object) -> &Id {
        let class = self.class(object.class);
        &class.written[class.members.ordinal(class.catalogue, object.index) as usize]
    }

    /// The identifiers of a class, for many of them at once.
    pub(crate) fn class(&self, class: Class) -> ClassIds<'_> {
        ClassIds {
            written: &self.written[class as usize],
            members: self.census.of(class),
            catalogue: self.catalogue,
        }
    }

    /// The identifier of a compound node: `number` is below 2^29 and its own.
    pub(crate) fn compound(&self, number: u32) -> Id {
        // An odd factor permutes the numbers below a power of two.
        in_base_32(HALF | (number.wrapping_mul(0x2545_F491).wrapping_add(self.shift) & (HALF - 1)))
    }
}

/// The identifiers of one class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClassIds<'a> {
    written: &'a [Id],
    members: Members,
    catalogue: Catalogue,
}

impl<'a> ClassIds<'a> {
    /// The identifier of number `index` of the class, which the catalogue has.
    pub(crate) fn of(&self, index: u32) -> &'a Id {
        &self.written[self.members.ordinal(self.catalogue, index) as usize]
    }
}

/// Spreads shuffled numbers over a larger range, each somewhere in a stretch of its own.
fn scattered(shuffle: &[u32], range: u32, dice: Dice) -> Vec<u32> {
    let stretch = range / (shuffle.len() as u32).max(1);
    shuffle.iter().map(|&place| place * stretch + dice.below(u64::from(place) + 1, stretch)).collect()
}

fn in_decimal(class: Class, mut number: u32) -> Id {
    const PREFIXES: [&[u8; 2]; Class::ALL.len()] =
        [b"tt", b"nm", b"ch", b"co", b"aw", b"ge", b"cy", b"pl", b"la"];
    let mut id = [b'0'; LENGTH];
    id[..2].copy_from_slice(PREFIXES[class as usize]);
    for digit in id[2..].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    id
}

fn in_base_32(mut number: u32) -> Id {
    let mut id = *b"m.0000000";
    for digit in id[3..].iter_mut().rev() {
        *digit = DIGITS[number as usize % 32];
        number /= 32;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::super::super::scale::Scale;
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn identifiers_are_distinct() {
        let census = Scale::Small.census();
        for catalogue in [Catalogue::Screen, Catalogue::Reel] {
            let ids = Ids::new(catalogue, &census, 4);
            let mut all: BTreeSet<Id> = (0..census.count(catalogue))
                .map(|number| *ids.of(census.entity(catalogue, number).unwrap()))
                .collect();
            assert_eq!(all.len(), census.count(catalogue) as usize);
            all.extend((0..10_000).map(|number| ids.compound(number)));
            assert_eq!(all.len(), census.count(catalogue) as usize + 10_000);
        }
    }
}
