//! What is wrong with the files?
//!
//! What real dumps bring along, so that cleaning has something to do: facts about oneself, facts said twice,
//! characters that belong in no text, and types that only one user ever meant.

use serde::Serialize;

use super::super::dice::{Dice, Purpose};
use super::super::scale::{Catalogue, Class, Object};

/// How much of each kind of dirt a catalogue has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Dirt {
    /// Facts whose subject is their object.
    pub self_loops: u64,
    /// Lines that repeat a fact.
    pub duplicates: u64,
    /// Values and names with characters that belong in no text.
    pub garbage_values: u64,
    /// Nodes that stand for a compound value.
    pub cvt_nodes: u64,
    /// Assignments of `base.*` types.
    pub base_types: u64,
}

impl Dirt {
    /// Adds what another part of the catalogue has.
    pub(crate) fn add(&mut self, other: &Self) {
        self.self_loops += other.self_loops;
        self.duplicates += other.duplicates;
        self.garbage_values += other.garbage_values;
        self.cvt_nodes += other.cvt_nodes;
        self.base_types += other.base_types;
    }
}

/// One film and one person always have a kind of dirt, so that even the smallest world has some of each.
fn is_example(object: Object, number: u32) -> bool {
    object.index == number && matches!(object.class, Class::Film | Class::Person)
}

/// Decides where the dirt is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sloppiness(Dice);

impl Sloppiness {
    /// That of one catalogue.
    pub(crate) fn new(seed: u64, catalogue: Catalogue) -> Self {
        Self(Dice::new(
            seed,
            match catalogue {
                Catalogue::Screen => Purpose::ScreenDirt,
                Catalogue::Reel => Purpose::ReelDirt,
            },
        ))
    }

    fn of(self, object: Object) -> Dice {
        self.0.of(object.class as u64).of(u64::from(object.index))
    }

    /// Whether the catalogue says something about the entity and itself.
    pub(crate) fn has_self_loop(self, object: Object) -> bool {
        is_example(object, 3) || self.of(object).chance(0, 8)
    }

    /// Whether the catalogue repeats itself about the entity.
    pub(crate) fn has_duplicate(self, object: Object) -> bool {
        is_example(object, 4) || self.of(object).chance(1, 30)
    }

    /// Which of `count` types of its own some user gave the entity.
    pub(crate) fn user_type(self, object: Object, count: u32) -> Option<u32> {
        let dice = self.of(object);
        let often = if matches!(object.class, Class::Film | Class::Person) { 200 } else { 60 };
        dice.chance(2, often).then(|| dice.below(3, count))
    }

    /// Spoils the `nth` text of an entity now and then; says whether it did. The name is number 0.
    pub(crate) fn spoil(self, object: Object, nth: u64, text: &mut String) -> bool {
        let dice = self.of(object).of(4 + nth);
        if !(dice.chance(0, 12) || nth == 0 && is_example(object, 5)) {
            return false;
        }
        let letters = text.chars().count() as u32;
        let place = text.char_indices().nth(dice.below(1, letters) as usize).map_or(0, |(at, _)| at);
        match dice.below(2, 8) {
            0 => text.insert(place, '\u{1}'),
            1 => text.insert(place, '\u{8}'),
            2 => text.insert(place, '\u{FFFD}'),
            3 => text.insert(place, '\u{200B}'),
            4 => text.insert(0, '\u{FEFF}'),
            5 => text.push_str("<br>"),
            6 => text.push_str(" &amp;"),
            _ => text.push_str("&nbsp;"),
        }
        true
    }
}
