//! What does a catalogue say of a thing in numbers, dates and words?
//!
//! A detail is true once; the catalogues have some of them, sometimes less exactly, sometimes a little wrong.

use super::super::dice::{Dice, Purpose};
use super::super::names::{Naming, tagline};
use super::super::scale::{Catalogue, Object};
use super::super::terms::{Detail, Key};
use super::super::truth::Truth;

/// A value as a catalogue has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Words.
    Text(String),
    /// A day.
    Date(u32, u32, u32),
    /// A year.
    Year(u32),
    /// A whole number.
    Integer(u64),
    /// Hundredths.
    Hundredths(u64),
}

/// Knows the details of one thing.
#[derive(Debug)]
pub(crate) struct Details<'a> {
    truth: &'a Truth,
    catalogue: Catalogue,
    object: Object,
    naming: &'a Naming,
    /// What both catalogues know.
    shared: Dice,
    /// What one of them makes of it.
    own: Dice,
}

/// Rolls are numbered by what they decide.
const MONTH: u64 = 100;
const DAY: u64 = 200;
const LUCK: u64 = 300;

impl<'a> Details<'a> {
    /// The details of an entity of a catalogue.
    pub(crate) fn new(truth: &'a Truth, catalogue: Catalogue, object: Object, naming: &'a Naming) -> Self {
        let shared =
            Dice::new(truth.seed, Purpose::Details).of(object.class as u64).of(u64::from(object.index));
        Self { truth, catalogue, object, naming, shared, own: shared.of(1 + catalogue as u64) }
    }

    /// What the catalogue says under a key, if it says anything.
    pub(crate) fn under(&self, key: &Key) -> Option<Value> {
        let own = self.own.of(fingerprint(key.name));
        if !own.chance(0, key.per_mille) {
            return None;
        }
        Some(self.distorted(key.detail, self.value(key)?, own))
    }

    fn value(&self, key: &Key) -> Option<Value> {
        let dice = self.shared;
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        let skewed = |number: u64, most: u64| {
            let unit = dice.roll(number) >> 40;
            let square = (unit * unit) >> 24;
            1 + ((square * unit) >> 24) * most / (1 << 24)
        };
        match key.detail {
            Detail::Year => Some(Value::Year(self.year())),
            Detail::Released => Some(self.day(self.year(), 1)),
            Detail::Runtime => Some(Value::Integer(u64::from(70 + dice.below(2, 90)))),
            Detail::OriginalTitle => text(&self.naming.native.text),
            Detail::AlternativeTitle => text(&self.naming.alternative.as_ref()?.text),
            Detail::Tagline => Some(Value::Text(tagline(&mut dice.of(3).rolls()))),
            Detail::Rating => Some(Value::Hundredths(u64::from(10 + dice.below(4, 90)) * 10)),
            Detail::Votes => Some(Value::Integer(skewed(5, 2_000_000))),
            Detail::Budget => Some(Value::Integer(skewed(6, 200_000) * 1000)),
            Detail::Gross => Some(Value::Integer(skewed(7, 900_000) * 1000)),
            Detail::Certificate => text(["U", "PG", "12", "15", "18", "R"][dice.below(8, 6) as usize]),
            Detail::Colour => text(self.colour()),
            Detail::Born => Some(self.day(self.birth_year(), 9)),
            Detail::Died => self.day_of_death(),
            Detail::HeightInCentimetres => Some(Value::Integer(self.height())),
            Detail::HeightInMetres => Some(Value::Hundredths(self.height())),
            Detail::Gender => text(self.gender()),
            Detail::BirthName => text(&self.naming.native.text),
            Detail::Founded => Some(Value::Year(1890 + dice.below(12, 130))),
            Detail::Population => Some(Value::Integer(500 + skewed(13, 3_000_000))),
            Detail::Iso => Some(Value::Text(letters(dice, 14, 3).to_uppercase())),
            Detail::Description => Some(Value::Text(format!(
                "{} is remembered for this: {}",
                self.naming.screen,
                tagline(&mut dice.of(15).rolls())
            ))),
            Detail::Identifier
            | Detail::WebPage
            | Detail::Quantity(..)
            | Detail::SomeYear
            | Detail::Remark => Some(self.trivia(key)),
        }
    }

    /// Details of one catalogue alone.
    fn trivia(&self, key: &Key) -> Value {
        let dice = self.own.of(fingerprint(key.name)).of(1);
        match key.detail {
            Detail::WebPage => {
                Value::Text(format!("http://www.{}.example/{}", letters(dice, 0, 8), dice.below(9, 9999)))
            }
            Detail::Quantity(least, most) if most < 1000 => {
                Value::Hundredths(u64::from(least * 100 + dice.below(0, (most - least) * 100)))
            }
            Detail::Quantity(least, most) => Value::Integer(u64::from(least + dice.below(0, most - least))),
            Detail::SomeYear => Value::Year(1900 + dice.below(0, 120)),
            Detail::Remark => Value::Text(tagline(&mut dice.rolls())),
            _ => Value::Text(format!("{}{}", letters(dice, 0, 3), 1000 + dice.below(9, 900_000))),
        }
    }

    /// What becomes of a value on its way into the catalogue.
    fn distorted(&self, detail: Detail, value: Value, own: Dice) -> Value {
        let ticket = own.below(1, 1000);
        let up = own.chance(2, 500);
        let vague = if self.catalogue == Catalogue::Screen { 150 } else { 350 };
        match (detail, value) {
            (Detail::Born | Detail::Died, Value::Date(year, month, day)) => {
                let year = if ticket < 40 { if up { year + 1 } else { year - 1 } } else { year };
                if own.chance(3, vague) { Value::Year(year) } else { Value::Date(year, month, day) }
            }
            (_, Value::Date(year, _, _)) if own.chance(3, vague) => Value::Year(year),
            (Detail::Founded | Detail::Year, Value::Year(year)) if ticket < 60 => {
                Value::Year(if up { year + 1 } else { year - 1 })
            }
            (Detail::Runtime, Value::Integer(minutes)) if ticket < 150 => {
                Value::Integer(minutes + u64::from(own.below(4, 5)))
            }
            (Detail::Votes | Detail::Population | Detail::Gross | Detail::Budget, Value::Integer(number))
                if ticket < 400 =>
            {
                Value::Integer(number + number * u64::from(own.below(4, 20)) / 100)
            }
            (Detail::HeightInCentimetres, Value::Integer(height)) if ticket < 80 => {
                Value::Integer(height + 1)
            }
            (_, value) => value,
        }
    }

    fn day(&self, year: u32, number: u64) -> Value {
        let (month, day) = (self.shared.below(MONTH + number, 12), self.shared.below(DAY + number, 28));
        Value::Date(year, 1 + month, 1 + day)
    }

    fn year(&self) -> u32 {
        2024 - self.shared.below(1, 105)
    }

    fn birth_year(&self) -> u32 {
        1880 + self.shared.below(9, 126)
    }

    fn day_of_death(&self) -> Option<Value> {
        let year = self.birth_year() + 30 + self.shared.below(10, 65);
        (year < 2024 && self.shared.chance(LUCK, 600)).then(|| self.day(year, 10))
    }

    fn height(&self) -> u64 {
        u64::from(150 + self.shared.below(11, 30))
            + if self.truth.is_male(self.object.index) { 12 } else { 0 }
    }

    fn gender(&self) -> &'static str {
        match (self.catalogue, self.truth.is_male(self.object.index)) {
            (Catalogue::Screen, true) => "male",
            (Catalogue::Screen, false) => "female",
            (Catalogue::Reel, true) => "Male",
            (Catalogue::Reel, false) => "Female",
        }
    }

    fn colour(&self) -> &'static str {
        match (self.catalogue, self.year() > 1950) {
            (Catalogue::Screen, true) => "Color",
            (Catalogue::Screen, false) => "Black and White",
            (Catalogue::Reel, true) => "Colour",
            (Catalogue::Reel, false) => "B&W",
        }
    }
}

/// A few small letters.
fn letters(dice: Dice, first: u64, count: u64) -> String {
    (first..first + count).map(|number| char::from(b'a' + dice.below(number, 26) as u8)).collect()
}

/// A number for a word, the same everywhere.
fn fingerprint(word: &str) -> u64 {
    word.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
