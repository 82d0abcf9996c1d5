//! What is true of a thing?
//!
//! The facts the world is made for: who plays whom in which film, who made it, who is married to whom and lives
//! where. Both catalogues are views of these. Nothing is stored; each is computed from the seed and the number.

pub(crate) mod people;
pub(crate) mod pool;

use super::dice::{Dice, Purpose};
use super::scale::{Census, Class, Object, Region, Scale};
use people::{Pair, Trade};
use pool::Pools;

/// What a true fact says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Property {
    /// A person plays in the film.
    Cast,
    /// A character is in the film.
    Role,
    /// A person directs the film.
    Directs,
    /// A person writes it.
    Writes,
    /// A person produces it.
    Produces,
    /// A person composes its music.
    Composes,
    /// A person is its cinematographer.
    Photographs,
    /// A person edits it.
    Edits,
    /// The genre of a film.
    Genre,
    /// The country a film comes from.
    Origin,
    /// The language of a film.
    Spoken,
    /// The place a film is shot at.
    ShotAt,
    /// The company that makes a film.
    MadeBy,
    /// The company that distributes a film.
    SoldBy,
    /// The film that follows a film.
    FollowedBy,
    /// An award a film is honoured with.
    Honoured,
    /// An award a person is nominated for.
    Nominated,
    /// The film a person is nominated for.
    NominatedWork,
    /// The place a person is born.
    BornIn,
    /// The place a person lives.
    LivesIn,
    /// The person a person is married to.
    Spouse,
    /// The place of the wedding.
    WedIn,
    /// The country of a person.
    CitizenOf,
    /// The person who plays a character.
    PlayedBy,
    /// The place of a company.
    BasedIn,
    /// The country of a place.
    LocatedIn,
    /// The language of a country.
    Official,
}

impl Property {
    /// What the fact points at.
    pub(crate) fn target(self) -> Class {
        match self {
            Self::Cast
            | Self::Directs
            | Self::Writes
            | Self::Produces
            | Self::Composes
            | Self::Photographs
            | Self::Edits
            | Self::Spouse
            | Self::PlayedBy => Class::Person,
            Self::Role => Class::Character,
            Self::Genre => Class::Genre,
            Self::Origin | Self::CitizenOf | Self::LocatedIn => Class::Country,
            Self::Spoken | Self::Official => Class::Language,
            Self::ShotAt | Self::BornIn | Self::LivesIn | Self::WedIn | Self::BasedIn => Class::Place,
            Self::MadeBy | Self::SoldBy => Class::Company,
            Self::FollowedBy | Self::NominatedWork => Class::Film,
            Self::Honoured | Self::Nominated => Class::Award,
        }
    }
}

/// One true fact about a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fact {
    /// What it says.
    pub(crate) property: Property,
    /// About which thing of [`Property::target`].
    pub(crate) object: u32,
    /// The part, nomination or marriage it belongs to: facts with one slot are told together.
    pub(crate) slot: u8,
    /// Whether every catalogue that has both ends has the fact.
    pub(crate) certain: bool,
}

/// A part in a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Who plays.
    pub(crate) actor: Option<u32>,
    /// Who is played.
    pub(crate) character: Option<u32>,
}

/// The most parts a film has, so that parts can be numbered.
pub(crate) const MOST_PARTS: usize = 64;

/// Everything that is true.
#[derive(Debug, Clone)]
pub(crate) struct Truth {
    /// Who there is.
    pub(crate) census: Census,
    /// Whom they know.
    pub(crate) pools: Pools,
    /// What all chance comes from.
    pub(crate) seed: u64,
    films: Dice,
    people: Dice,
    others: Dice,
}

impl Truth {
    /// The world of a scale and a seed.
    pub(crate) fn new(scale: Scale, seed: u64) -> Self {
        let census = scale.census();
        let dice = |purpose| Dice::new(seed, purpose);
        Self {
            census,
            pools: Pools::new(&census),
            seed,
            films: dice(Purpose::Films),
            people: dice(Purpose::People),
            others: dice(Purpose::Others),
        }
    }

    /// Whether a character is written about nowhere in the second catalogue, only pointed at.
    pub(crate) fn is_object_only(&self, object: Object) -> bool {
        object.class == Class::Character
            && object.index % 6 == 5
            && self.census.region(object) == Region::Both
    }

    /// All true facts whose subject is `subject`, each once.
    pub(crate) fn facts(&self, subject: Object, facts: &mut Vec<Fact>) {
        facts.clear();
        match subject.class {
            Class::Film => self.film(subject.index, facts),
            Class::Person => self.person(subject.index, facts),
            Class::Character => {
                let actor = self.played_by(subject.index);
                facts.extend(actor.map(|object| plain(Property::PlayedBy, object)));
            }
            Class::Company => self.one_other(subject, Property::BasedIn, 1, facts),
            Class::Place => self.one_other(subject, Property::LocatedIn, 1, facts),
            Class::Country => self.one_other(subject, Property::Official, 2, facts),
            Class::Award | Class::Genre | Class::Language => {}
        }
        facts.retain(|fact| (fact.property.target(), fact.object) != (subject.class, subject.index));
        facts.sort_by_key(|fact| (fact.property, fact.object));
        facts.dedup_by_key(|fact| (fact.property, fact.object));
    }

    fn one_other(&self, subject: Object, property: Property, most: u32, facts: &mut Vec<Fact>) {
        let dice = self.others.of(subject.class as u64).of(u64::from(subject.index));
        let region = self.census.region(subject);
        for number in 0..u64::from(1 + dice.below(0, most)) {
            let object = self.pools.draw(subject, region, property.target(), dice.roll(1 + number));
            facts.push(plain(property, object));
        }
    }

    fn film(&self, film: u32, facts: &mut Vec<Fact>) {
        use Property as P;
        for (slot, part) in self.cast(film).into_iter().enumerate() {
            let slot = slot as u8;
            facts.extend(part.actor.map(|object| {
                let certain = self.pair(object) == Pair::Couple;
                Fact { property: P::Cast, object, slot, certain }
            }));
            facts.extend(part.character.map(|object| {
                let certain = self.is_object_only(Object { class: Class::Character, index: object });
                Fact { property: P::Role, object, slot, certain }
            }));
        }
        self.crew(film, facts);
        let dice = self.films.of(u64::from(film));
        let subject = Object { class: Class::Film, index: film };
        let region = self.census.region(subject);
        let mut number = 2000;
        for (property, least, most) in [
            (P::Genre, 1, 3),
            (P::Origin, 1, 2),
            (P::Spoken, 1, 2),
            (P::ShotAt, 0, 2),
            (P::MadeBy, 1, 2),
            (P::SoldBy, 0, 2),
            (P::Honoured, 0, 1),
        ] {
            number += 100;
            for nth in 0..u64::from(least + dice.below(number, most - least + 1)) {
                let roll = dice.roll(number + 1 + nth);
                facts.push(plain(property, self.pools.draw(subject, region, property.target(), roll)));
            }
        }
        facts.extend(self.sequel(film).map(|object| plain(P::FollowedBy, object)));
    }

    fn crew(&self, film: u32, facts: &mut Vec<Fact>) {
        use Property as P;
        let dice = self.films.of(u64::from(film));
        let mut number = 1000;
        for (property, trade, least, most) in [
            (P::Directs, Trade::Director, 1, 2),
            (P::Writes, Trade::Writer, 1, 3),
            (P::Produces, Trade::Producer, 1, 3),
            (P::Composes, Trade::Crew, 0, 1),
            (P::Photographs, Trade::Crew, 0, 1),
            (P::Edits, Trade::Crew, 0, 1),
        ] {
            number += 100;
            for nth in 0..u64::from(least + dice.below(number, most - least + 1)) {
                let person = self.of_trade(self.person_near(film, dice.roll(number + 1 + nth)), trade);
                if self.pair(person) != Pair::Couple {
                    facts.push(plain(property, person));
                }
            }
        }
    }

    fn person_near(&self, film: u32, roll: u64) -> u32 {
        let film = Object { class: Class::Film, index: film };
        self.pools.draw(film, self.census.region(film), Class::Person, roll)
    }

    /// Films come in fours, and some of the fours are one story in parts.
    fn is_saga(&self, film: u32) -> bool {
        self.films.of(u64::from(film / 4)).chance(1, 300)
    }

    fn sequel(&self, film: u32) -> Option<u32> {
        let next = film + 1;
        let follows = self.is_saga(film) && !next.is_multiple_of(4);
        (follows && next < self.census.of(Class::Film).total()).then_some(next)
    }

    /// The first film of the story, where `film` is a later part of one.
    pub(crate) fn saga_opening(&self, film: u32) -> Option<u32> {
        (self.is_saga(film) && !film.is_multiple_of(4)).then_some(film / 4 * 4)
    }

    /// The characters first seen in a film: the characters of a region are dealt out to the films of it.
    fn characters(&self, film: u32) -> std::ops::Range<u32> {
        let region = self.census.of(Class::Film).region(film);
        let films = self.census.of(Class::Film).range(region);
        let characters = self.census.of(Class::Character).range(region);
        let dealt = |offset: u32| {
            let share = u64::from(offset) * characters.len() as u64 / (films.len() as u64).max(1);
            characters.start + share as u32
        };
        dealt(film - films.start)..dealt(film - films.start + 1)
    }

    /// The film a character is first seen in.
    pub(crate) fn home_film(&self, character: u32) -> u32 {
        let region = self.census.of(Class::Character).region(character);
        let films = self.census.of(Class::Film).range(region);
        let characters = self.census.of(Class::Character).range(region);
        let after = u64::from(character - characters.start + 1) * films.len() as u64;
        films.start + ((after - 1) / (characters.len() as u64).max(1)) as u32
    }

    fn played_by(&self, character: u32) -> Option<u32> {
        let parts = self.cast(self.home_film(character));
        parts.into_iter().find(|part| part.character == Some(character))?.actor
    }

    /// Who plays whom in a film, the leads first.
    pub(crate) fn cast(&self, film: u32) -> Vec<Part> {
        let own = self.characters(film);
        let mut actors = self.actors(film);
        actors.truncate(MOST_PARTS - 2);
        let count = actors.len().max(own.len()).min(MOST_PARTS);
        let mut parts: Vec<Part> = (0..count)
            .map(|slot| Part { actor: actors.get(slot).copied(), character: own.clone().nth(slot) })
            .collect();
        // A story keeps its hero: the first character of the first film is seen again in the others.
        if let Some(opening) = self.saga_opening(film)
            && let Some(hero) = self.characters(opening).next()
            && let Some(free) = parts.iter_mut().find(|part| part.character.is_none())
        {
            free.character = Some(hero);
        }
        parts
    }

    fn actors(&self, film: u32) -> Vec<u32> {
        let mut actors = Vec::with_capacity(32);
        let mut engage = |person: u32| {
            if !actors.contains(&person) {
                actors.push(person);
                if self.pair(person) == Pair::Couple {
                    let partner = self.partner(person);
                    if !actors.contains(&partner) {
                        actors.push(partner);
                    }
                }
            }
        };
        let shared = self.census.of(Class::Film).region(film) == Region::Both;
        if shared && film.is_multiple_of(8) && self.couples() > 0 {
            engage(self.couple(film / 8 % self.couples()));
        }
        let dice = self.films.of(u64::from(film));
        let luck = dice.roll(0) >> 40;
        let wanted = 4 + ((18 * luck * luck) >> 48);
        let lead = self.saga_opening(film).unwrap_or(film);
        for slot in 0..wanted.max(4) {
            let roll = if slot == 0 { self.films.of(u64::from(lead)).roll(10) } else { dice.roll(10 + slot) };
            let person = self.person_near(film, roll);
            engage(if dice.chance(500 + slot, 850) { self.of_trade(person, Trade::Actor) } else { person });
        }
        actors
    }

    fn person(&self, person: u32, facts: &mut Vec<Fact>) {
        let subject = Object { class: Class::Person, index: self.context_of(person) };
        let dice = self.people.of(u64::from(subject.index));
        let region = self.census.region(subject);
        let draw = |property: Property, roll: u64| {
            self.pools.draw(subject, region, property.target(), dice.roll(roll))
        };
        let own = self.people.of(u64::from(person)).of(1);
        let birth = self.pools.draw(subject, region, Class::Place, own.roll(0));
        facts.push(plain(Property::BornIn, birth));
        facts.push(plain(Property::CitizenOf, draw(Property::CitizenOf, 1)));
        let pair = self.pair(person);
        let certain = pair == Pair::Couple;
        let home = if certain {
            self.pools.draw_in(subject, region, Class::Place, Region::Both, dice.roll(2))
        } else {
            draw(Property::LivesIn, 2)
        };
        facts.push(Fact { certain, ..plain(Property::LivesIn, home) });
        if matches!(pair, Pair::Couple | Pair::Married) {
            facts.push(Fact { certain, ..plain(Property::Spouse, self.partner(person)) });
            facts.push(plain(Property::WedIn, draw(Property::WedIn, 3)));
        }
        let (mut awards, mut films) = (Vec::new(), Vec::new());
        for nth in 0..u64::from(own.below(10, 3)) {
            let slot = nth as u8 + 1;
            let award = draw(Property::Nominated, 20 + nth);
            let film = draw(Property::NominatedWork, 30 + nth);
            if !awards.contains(&award) && !films.contains(&film) {
                facts.push(Fact { slot, ..plain(Property::Nominated, award) });
                facts.push(Fact { slot, ..plain(Property::NominatedWork, film) });
                awards.push(award);
                films.push(film);
            }
        }
    }
}

fn plain(property: Property, object: u32) -> Fact {
    Fact { property, object, slot: 0, certain: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_in_its_film() {
        let truth = Truth::new(Scale::Small, 1);
        for character in 0..truth.census.of(Class::Character).total() {
            let film = truth.home_film(character);
            assert!(truth.characters(film).contains(&character));
            assert!(truth.cast(film).iter().any(|part| part.character == Some(character)));
        }
    }

    #[test]
    fn fame_is_heavy_tailed() {
        let truth = Truth::new(Scale::Small, 1);
        let mut times = vec![0u32; truth.census.of(Class::Person).total() as usize];
        for film in 0..truth.census.of(Class::Film).total() {
            for part in truth.cast(film) {
                times[part.actor.unwrap() as usize] += 1;
            }
        }
        times.sort_unstable_by(|a, b| b.cmp(a));
        let all: u32 = times.iter().sum();
        let top: u32 = times[..times.len() / 20].iter().sum();
        assert!(top * 4 > all, "the top twentieth plays {top} of {all} parts");
    }

    #[test]
    fn the_facts_of_a_subject_are_distinct_and_never_about_itself() {
        let truth = Truth::new(Scale::Tiny, 1);
        let mut facts = Vec::new();
        for number in 0..truth.census.total() {
            let subject = truth.census.object(number).unwrap();
            truth.facts(subject, &mut facts);
            let mut seen: Vec<_> = facts.iter().map(|fact| (fact.property, fact.object)).collect();
            seen.dedup();
            assert_eq!(seen.len(), facts.len());
            assert!(facts.iter().all(|f| (f.property.target(), f.object) != (subject.class, subject.index)));
        }
    }
}
