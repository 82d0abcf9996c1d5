//! How large is the world, and who is in which catalogue?
//!
//! Every class of things is numbered once. The first numbers are known to both catalogues, the next to the
//! first alone, the last to the second alone; so membership needs no table.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::error::Error;

/// How large a world to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scale {
    /// About 200 entities: for a first look and for tests.
    Tiny,
    /// About 5,000 entities: learns in seconds.
    Small,
    /// About 50,000 entities: learns in minutes.
    Medium,
    /// The sizes of the paper's Table 1, to the fact.
    Paper,
    /// About so many entities a catalogue: to see how work grows.
    Entities(u32),
}

impl Scale {
    /// All that have a name, smallest first.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::Small, Self::Medium, Self::Paper];
    /// The fewest and the most entities a catalogue of a chosen size may have: below, some classes would be empty; above,
    /// identifiers would run out.
    pub const ENTITIES: RangeInclusive<u32> = 1000..=10_000_000;

    /// Whether such a world can be made.
    pub(crate) fn check(self) -> Result<(), Error> {
        let (least, most) = (Self::ENTITIES.start(), Self::ENTITIES.end());
        match self {
            Self::Entities(count) if !Self::ENTITIES.contains(&count) => {
                Err(Error::Usage(format!("a world of {count} entities; expected {least} to {most}")))
            }
            _ => Ok(()),
        }
    }

    /// How many facts each catalogue holds after cleaning, where its relations have room for them.
    pub(crate) fn facts(self, catalogue: Catalogue) -> u64 {
        match (self, catalogue) {
            (Self::Tiny, Catalogue::Screen) => 1_300,
            (Self::Tiny, Catalogue::Reel) => 1_150,
            (Self::Small, Catalogue::Screen) => 45_000,
            (Self::Small, Catalogue::Reel) => 40_000,
            (Self::Medium, Catalogue::Screen) => 480_000,
            (Self::Medium, Catalogue::Reel) => 420_000,
            (Self::Paper, Catalogue::Screen) => 143_928_582,
            (Self::Paper, Catalogue::Reel) => 22_140_475,
            (Self::Entities(count), Catalogue::Screen) => 8 * u64::from(count),
            (Self::Entities(count), Catalogue::Reel) => 7 * u64::from(count),
        }
    }

    /// How much of each catalogue's vocabulary a world of this size uses.
    pub(crate) fn vocabulary(self) -> Vocabulary {
        match self {
            Self::Tiny => Vocabulary { fillers: [9, 9], types: 4, keys: 5 },
            Self::Small => Vocabulary { fillers: [12, 21], types: 8, keys: 8 },
            Self::Medium | Self::Entities(_) => Vocabulary { fillers: [13, 50], types: 16, keys: 14 },
            Self::Paper => Vocabulary { fillers: [usize::MAX; 2], types: usize::MAX, keys: usize::MAX },
        }
    }

    /// How many of each class there are.
    pub(crate) fn census(self) -> Census {
        // Films, people, characters, companies, awards, genres, countries, places, languages.
        let (both, screen, reel) = match self {
            Self::Tiny => {
                ([15, 26, 12, 4, 2, 3, 2, 3, 2], [8, 13, 5, 2, 1, 1, 1, 1, 1], [8, 13, 5, 2, 1, 1, 1, 1, 1])
            }
            Self::Small => (
                [540, 700, 300, 60, 16, 14, 14, 18, 8],
                [270, 350, 150, 30, 8, 6, 6, 9, 4],
                [270, 350, 150, 30, 8, 6, 6, 9, 4],
            ),
            Self::Medium => (MEDIUM[0], MEDIUM[1], MEDIUM[1]),
            Self::Entities(count) => {
                let [both, alone] = MEDIUM.map(|members| resized(members, count));
                (both, alone, alone)
            }
            Self::Paper => (
                [10_000, 17_000, 6_200, 1_800, 420, 110, 150, 520, 100],
                [90_000, 180_000, 60_000, 9_000, 500, 20, 60, 2_200, 127],
                [900, 1_500, 600, 200, 50, 15, 12, 80, 10],
            ),
        };
        let mut members = [Members::default(); Class::ALL.len()];
        for (place, of) in members.iter_mut().enumerate() {
            *of = Members { both: both[place], screen: screen[place], reel: reel[place] };
        }
        Census(members)
    }
}

/// The members of each class of a medium world: in both catalogues, and in either alone.
const MEDIUM: [[u32; Class::ALL.len()]; 2] =
    [[5400, 7200, 3100, 560, 60, 24, 60, 200, 40], [2700, 3600, 1550, 280, 30, 8, 20, 100, 16]];
/// How many entities each catalogue of a medium world has.
const MEDIUM_ENTITIES: f64 = 24_948.0;

/// The members of a medium world, in one of `entities` a catalogue. There are more films and people, but hardly more
/// countries: what is few grows with the root.
fn resized(members: [u32; Class::ALL.len()], entities: u32) -> [u32; Class::ALL.len()] {
    let factor = f64::from(entities) / MEDIUM_ENTITIES;
    let mut resized = members;
    for (class, count) in Class::ALL.into_iter().zip(&mut resized) {
        let factor = match class {
            Class::Film | Class::Person | Class::Character | Class::Company | Class::Place => factor,
            Class::Award | Class::Genre | Class::Country | Class::Language => factor.sqrt(),
        };
        *count = ((f64::from(*count) * factor).round() as u32).max(1);
    }
    resized
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tiny => f.write_str("tiny"),
            Self::Small => f.write_str("small"),
            Self::Medium => f.write_str("medium"),
            Self::Paper => f.write_str("paper"),
            Self::Entities(count) => write!(f, "{count} entities"),
        }
    }
}

impl Serialize for Scale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Scale {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|scale| scale.to_string() == word).ok_or_else(|| {
            Error::Usage(format!("`{word}` is not a scale; expected tiny, small, medium or paper"))
        })
    }
}

/// How much of the vocabularies is in use: always their first entries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary {
    /// Relations that fill a catalogue up to its size, per catalogue.
    pub(crate) fillers: [usize; 2],
    /// Types per class.
    pub(crate) types: usize,
    /// Attribute keys per class.
    pub(crate) keys: usize,
}

/// One of the two catalogues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Catalogue {
    /// The first, of plain tables.
    Screen,
    /// The second, of RDF statements.
    Reel,
}

/// Who knows a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// Both catalogues.
    Both,
    /// The first alone.
    ScreenOnly,
    /// The second alone.
    ReelOnly,
}

impl Region {
    /// All of them, in the order of the numbers they hold.
    pub(crate) const ALL: [Self; 3] = [Self::Both, Self::ScreenOnly, Self::ReelOnly];

    /// The region only this catalogue knows.
    pub(crate) fn alone(catalogue: Catalogue) -> Self {
        match catalogue {
            Catalogue::Screen => Self::ScreenOnly,
            Catalogue::Reel => Self::ReelOnly,
        }
    }
}

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A film.
    Film,
    /// Someone who makes films.
    Person,
    /// Someone in a film.
    Character,
    /// A company.
    Company,
    /// An award.
    Award,
    /// A genre.
    Genre,
    /// A country.
    Country,
    /// A place.
    Place,
    /// A language.
    Language,
}

impl Class {
    /// All of them.
    pub(crate) const ALL: [Self; 9] = [
        Self::Film,
        Self::Person,
        Self::Character,
        Self::Company,
        Self::Award,
        Self::Genre,
        Self::Country,
        Self::Place,
        Self::Language,
    ];
}

/// A thing of the world: its class and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object {
    /// What it is.
    pub(crate) class: Class,
    /// Which one.
    pub(crate) index: u32,
}

/// How many members of one class are where.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Members {
    both: u32,
    screen: u32,
    reel: u32,
}

impl Members {
    /// All there are.
    pub(crate) fn total(self) -> u32 {
        self.both + self.screen + self.reel
    }

    /// The numbers of a region.
    pub(crate) fn range(self, region: Region) -> Range<u32> {
        let alone = self.both + self.screen;
        match region {
            Region::Both => 0..self.both,
            Region::ScreenOnly => self.both..alone,
            Region::ReelOnly => alone..self.total(),
        }
    }

    /// Who knows number `index`.
    pub(crate) fn region(self, index: u32) -> Region {
        if index < self.both {
            Region::Both
        } else if index < self.both + self.screen {
            Region::ScreenOnly
        } else {
            Region::ReelOnly
        }
    }

    /// Whether a catalogue has number `index`.
    pub(crate) fn holds(self, catalogue: Catalogue, index: u32) -> bool {
        let region = self.region(index);
        region == Region::Both || region == Region::alone(catalogue)
    }

    /// How many a catalogue has.
    pub(crate) fn count(self, catalogue: Catalogue) -> u32 {
        self.both + if catalogue == Catalogue::Screen { self.screen } else { self.reel }
    }

    /// The number of the `ordinal`-th member of a catalogue.
    pub(crate) fn index(self, catalogue: Catalogue, ordinal: u32) -> u32 {
        if catalogue == Catalogue::Reel && ordinal >= self.both { ordinal + self.screen } else { ordinal }
    }

    /// The place of number `index` among the members of a catalogue that has it.
    pub(crate) fn ordinal(self, catalogue: Catalogue, index: u32) -> u32 {
        if catalogue == Catalogue::Reel && index >= self.both { index - self.screen } else { index }
    }
}

/// How many members every class has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Census([Members; Class::ALL.len()]);

impl Census {
    /// The members of one class.
    pub(crate) fn of(&self, class: Class) -> Members {
        self.0[class as usize]
    }

    /// Who knows a thing.
    pub(crate) fn region(&self, object: Object) -> Region {
        self.of(object.class).region(object.index)
    }

    /// All things of all classes.
    pub(crate) fn total(&self) -> u32 {
        self.0.iter().map(|members| members.total()).sum()
    }

    /// All entities of a catalogue.
    pub(crate) fn count(&self, catalogue: Catalogue) -> u32 {
        self.0.iter().map(|members| members.count(catalogue)).sum()
    }

    /// All things known to one region.
    pub(crate) fn count_in(&self, region: Region) -> usize {
        self.0.iter().map(|members| members.range(region).len()).sum()
    }

    /// The `number`-th thing of a list of all classes, each as long as `size` says.
    fn locate(&self, mut number: u32, size: impl Fn(Members) -> u32) -> Option<(Class, u32)> {
        for class in Class::ALL {
            let length = size(self.of(class));
            if number < length {
                return Some((class, number));
            }
            number -= length;
        }
        None
    }

    /// The `number`-th entity of a catalogue.
    pub(crate) fn entity(&self, catalogue: Catalogue, number: u32) -> Option<Object> {
        let (class, ordinal) = self.locate(number, |members| members.count(catalogue))?;
        Some(Object { class, index: self.of(class).index(catalogue, ordinal) })
    }

    /// The `number`-th thing of the world.
    pub(crate) fn object(&self, number: u32) -> Option<Object> {
        let (class, index) = self.locate(number, Members::total)?;
        Some(Object { class, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_scales_are_the_same() {
        for scale in Scale::ALL {
            assert_eq!(scale.to_string().parse::<Scale>().unwrap(), scale);
        }
        assert!("huge".parse::<Scale>().is_err());
    }

    #[test]
    fn the_paper_scale_has_the_entities_of_table_one() {
        let census = Scale::Paper.census();
        assert_eq!(census.count(Catalogue::Screen), 378_207);
        assert_eq!(census.count(Catalogue::Reel), 39_667);
        assert!(census.count_in(Region::Both) > 39_667 * 9 / 10);
    }

    #[test]
    fn a_third_of_the_smaller_catalogues_is_unmatched() {
        for scale in [Scale::Tiny, Scale::Small, Scale::Medium] {
            let census = scale.census();
            for (catalogue, alone) in
                [(Catalogue::Screen, Region::ScreenOnly), (Catalogue::Reel, Region::ReelOnly)]
            {
                let share = census.count_in(alone) as f64 / f64::from(census.count(catalogue));
                assert!((0.3..0.37).contains(&share), "{scale}: {share}");
            }
        }
    }

    #[test]
    fn a_chosen_number_of_entities_is_met() {
        let medium = Scale::Medium.census();
        assert_eq!(f64::from(medium.count(Catalogue::Screen)), MEDIUM_ENTITIES);
        for entities in [*Scale::ENTITIES.start(), 30_000, 1_000_000, *Scale::ENTITIES.end()] {
            let census = Scale::Entities(entities).census();
            for catalogue in [Catalogue::Screen, Catalogue::Reel] {
                let share = f64::from(census.count(catalogue)) / f64::from(entities);
                assert!((0.97..1.03).contains(&share) || entities == 1000, "{entities}: {share}");
            }
            let both = census.count_in(Region::Both) as f64 / f64::from(entities);
            assert!((0.6..0.72).contains(&both), "{entities}: {both}");
        }
        let message = |count: u32| Scale::Entities(count).check().unwrap_err().to_string();
        assert_eq!(message(999), "a world of 999 entities; expected 1000 to 10000000");
        assert_eq!(message(10_000_001), "a world of 10000001 entities; expected 1000 to 10000000");
        // Forty times as many people, but six times as many countries.
        let census = Scale::Entities(1_000_000).census();
        let both = |class: Class| census.of(class).range(Region::Both).len();
        assert_eq!((both(Class::Person), both(Class::Country)), (288_600, 380));
    }

    #[test]
    fn ordinals_and_indices_are_inverse() {
        let census = Scale::Tiny.census();
        for catalogue in [Catalogue::Screen, Catalogue::Reel] {
            for number in 0..census.count(catalogue) {
                let object = census.entity(catalogue, number).unwrap();
                let members = census.of(object.class);
                assert!(members.holds(catalogue, object.index));
                let ordinal = members.ordinal(catalogue, object.index);
                assert_eq!(members.index(catalogue, ordinal), object.index);
            }
            assert!(census.entity(catalogue, census.count(catalogue)).is_none());
        }
    }
}
