//! What does a catalogue know of the world?
//!
//! A view takes the true facts whose ends the catalogue has, leaves some of them out, and adds as many looser
//! facts as its size asks for. The two authors, `screen` and `reel`, write a view down.

pub(crate) mod details;
pub(crate) mod dirt;
pub(crate) mod filler;
pub(crate) mod ids;
pub(crate) mod press;
pub(crate) mod quota;
pub(crate) mod reel;
pub(crate) mod screen;

use rayon::prelude::*;

use super::dice::{Dice, Purpose};
use super::scale::{Catalogue, Class, Object, Scale};
use super::terms::Terms;
use super::truth::people::Trade;
use super::truth::{Fact, Truth};

/// The true facts and the types one catalogue knows.
#[derive(Debug)]
pub(crate) struct View<'a> {
    /// Of what it is a view.
    pub(crate) truth: &'a Truth,
    /// Whose.
    pub(crate) catalogue: Catalogue,
    /// In which words.
    pub(crate) terms: Terms,
    keeps: Dice,
    kinds: Dice,
}

impl<'a> View<'a> {
    /// The view of a catalogue.
    pub(crate) fn new(truth: &'a Truth, catalogue: Catalogue, scale: Scale) -> Self {
        let purpose = match catalogue {
            Catalogue::Screen => Purpose::ScreenKeeps,
            Catalogue::Reel => Purpose::ReelKeeps,
        };
        Self {
            truth,
            catalogue,
            terms: Terms::new(catalogue, &scale.vocabulary()),
            keeps: Dice::new(truth.seed, purpose),
            kinds: Dice::new(truth.seed, Purpose::Kinds),
        }
    }

    /// Whether the catalogue only ever points at the entity.
    pub(crate) fn is_mute(&self, object: Object) -> bool {
        self.catalogue == Catalogue::Reel && self.truth.is_object_only(object)
    }

    /// The true facts the catalogue has of a subject.
    pub(crate) fn facts(&self, subject: Object, facts: &mut Vec<Fact>) {
        facts.clear();
        if !self.is_mute(subject) {
            self.truth.facts(subject, facts);
            facts.retain(|fact| self.has(subject, fact));
        }
    }

    fn has(&self, subject: Object, fact: &Fact) -> bool {
        let target = fact.property.target();
        if !self.truth.census.of(target).holds(self.catalogue, fact.object)
            || self.terms.relation(fact.property).is_none()
        {
            return false;
        }
        // The two of a couple are kept or left out together, on both sides of a fact.
        let key = |class: Class, index: u32| {
            u64::from(if class == Class::Person { self.truth.context_of(index) } else { index })
        };
        let dice = self.keeps.of(fact.property as u64);
        let often = if self.catalogue == Catalogue::Screen { 800 } else { 700 };
        let ends = key(subject.class, subject.index) << 32 | key(target, fact.object);
        fact.certain || dice.of(ends).chance(0, often)
    }

    /// How many true facts the catalogue has in all.
    pub(crate) fn count(&self) -> u64 {
        let census = &self.truth.census;
        (0..census.count(self.catalogue))
            .into_par_iter()
            .map_init(Vec::new, |facts, number| {
                census.entity(self.catalogue, number).map_or(0, |subject| {
                    self.facts(subject, facts);
                    facts.len() as u64
                })
            })
            .sum()
    }

    /// The types the catalogue gives an entity, each once.
    pub(crate) fn types(&self, object: Object) -> Vec<&'static str> {
        let names = &self.terms.types[object.class as usize];
        let shared = self.kinds.of(object.class as u64).of(u64::from(object.index));
        let own = shared.of(1 + self.catalogue as u64);
        let mut places = vec![0];
        if own.chance(0, 850) {
            places.extend(self.true_kind(object, shared));
        }
        let (first, most) = match self.catalogue {
            Catalogue::Screen => (1, 2),
            Catalogue::Reel => (1, 4),
        };
        let others = (names.len() as u32).saturating_sub(first);
        let sex = matches!((self.catalogue, object.class), (Catalogue::Screen, Class::Person));
        for number in 0..u64::from(own.below(1, most)) {
            let place = first + own.below(2 + number, others);
            // The first catalogue files players by sex, and never under both.
            if !(sex && place < 3) {
                places.push(place);
            }
        }
        places.sort_unstable();
        places.dedup();
        places.into_iter().filter_map(|place| names.get(place as usize).copied()).collect()
    }

    /// Whether the catalogue also files the entity under the type of everything.
    pub(crate) fn is_topic(&self, object: Object) -> bool {
        self.kinds.of(object.class as u64).of(u64::from(object.index)).chance(50, 600)
    }

    /// What a thing truly is beyond its class, as a place in the list of types.
    fn true_kind(&self, object: Object, shared: Dice) -> Option<u32> {
        let screen = self.catalogue == Catalogue::Screen;
        let one_of = |often: u32, count: u32| shared.chance(0, often).then(|| 1 + shared.below(1, count));
        match object.class {
            Class::Film => one_of(300, 5),
            Class::Person => {
                let after = u32::from(screen);
                Some(match self.truth.trade(object.index) {
                    Trade::Actor => 1 + u32::from(screen && !self.truth.is_male(object.index)),
                    Trade::Director => 2 + after,
                    Trade::Writer => 3 + after,
                    Trade::Producer => 4 + after,
                    Trade::Crew => 5 + after + shared.below(1, 3),
                })
            }
            Class::Character => one_of(400, 2),
            Class::Company => one_of(900, 4),
            Class::Award => one_of(700, 2),
            Class::Place => one_of(350, 2),
            Class::Country => one_of(150, 1),
            Class::Genre | Class::Language => None,
        }
    }
}
