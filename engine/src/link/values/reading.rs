//! How near are two values to each other?
//!
//! A value is read once: its folded text, its number in plain units, its date. Two readings are compared as what both can be
//! read as, and come out at one of four levels. What a level means for a key is learned from data (see
//! [`KeyAlignment`](super::KeyAlignment)), so the levels need only be in a sensible order.

use super::fold::fold;
use crate::graph::{Date, Kind, Value};

/// How near two values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Level {
    /// Nothing in common.
    Other = 0,
    /// Perhaps: the same year, numbers within 5 %, texts that share half of their letters.
    Alike = 1,
    /// Nearly: the same as far as the coarser of both says, numbers within 1 %, one text within the other.
    Near = 2,
    /// The same as far as can be said.
    Same = 3,
}

impl Level {
    /// How many levels there are.
    pub const COUNT: usize = 4;
}

/// A value, read for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The text as folded.
    pub folded: String,
    /// The number, in metres, kilograms or seconds where the value names a unit that we know.
    pub number: Option<f64>,
    /// The date.
    pub date: Option<Date>,
    /// The hashes of groups of three letters, sorted, for texts that are words.
    groups: Vec<u32>,
}

/// Units and what one of them is in metres, kilograms, seconds or their squares.
const UNITS: [(&str, f64); 31] = [
    ("mm", 1e-3),
    ("millimetre", 1e-3),
    ("cm", 1e-2),
    ("centimetre", 1e-2),
    ("m", 1.0),
    ("metre", 1.0),
    ("meter", 1.0),
    ("metres", 1.0),
    ("meters", 1.0),
    ("km", 1e3),
    ("kilometre", 1e3),
    ("mi", 1609.344),
    ("mile", 1609.344),
    ("miles", 1609.344),
    ("ft", 0.3048),
    ("foot", 0.3048),
    ("feet", 0.3048),
    ("in", 0.0254),
    ("inch", 0.0254),
    ("g", 1e-3),
    ("gram", 1e-3),
    ("kg", 1.0),
    ("kilogram", 1.0),
    ("lb", 0.453_592_37),
    ("lbs", 0.453_592_37),
    ("pound", 0.453_592_37),
    ("s", 1.0),
    ("second", 1.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("hour", 3600.0),
];

impl Reading {
    /// Reads a value.
    pub fn of(value: Value<'_>) -> Self {
        let folded = fold(value.text);
        let date = value.date();
        let number = if date.is_some() { None } else { number_in_plain_units(value) };
        let groups = if date.is_none() && number.is_none() { letter_groups(&folded) } else { Vec::new() };
        Self { folded, number, date, groups }
    }

    /// What it is compared as.
    pub fn kind(&self) -> Kind {
        match (self.date, self.number) {
            (Some(_), _) => Kind::Date,
            (None, Some(_)) => Kind::Number,
            (None, None) => Kind::Text,
        }
    }

    /// Compares two readings; a number of the first is multiplied by `scale` first.
    pub fn compare(&self, other: &Self, scale: f64) -> Level {
        match ((self.date, self.number), (other.date, other.number)) {
            ((Some(a), _), (Some(b), _)) => dates(a, b),
            ((Some(a), _), (None, Some(b))) => date_and_number(a, b),
            ((None, Some(a)), (Some(b), _)) => date_and_number(b, a),
            ((None, Some(a)), (None, Some(b))) => numbers(a * scale, b),
            _ if self.folded == other.folded => Level::Same,
            ((None, None), (None, None)) => self.texts(other),
            _ => Level::Other,
        }
    }

    fn texts(&self, other: &Self) -> Level {
        let shared = shared_groups(&self.groups, &other.groups) as f64;
        let dice = 2.0 * shared / ((self.groups.len() + other.groups.len()).max(1) as f64);
        if dice >= 0.8 || is_within(&self.folded, &other.folded) || is_within(&other.folded, &self.folded) {
            Level::Near
        } else if dice >= 0.5 {
            Level::Alike
        } else {
            Level::Other
        }
    }
}

/// Whether a text of some length is whole words of another.
fn is_within(part: &str, whole: &str) -> bool {
    const SHORTEST: usize = 4;
    if part.len() < SHORTEST {
        return false;
    }
    let is_end = |byte: Option<&u8>| byte.is_none_or(|&byte| byte == b' ');
    let mut from = 0;
    while let Some(at) = whole.get(from..).and_then(|rest| rest.find(part)).map(|at| from + at) {
        let before = at.checked_sub(1).and_then(|before| whole.as_bytes().get(before));
        if is_end(before) && is_end(whole.as_bytes().get(at + part.len())) {
            return true;
        }
        // The next one may begin within this one.
        from = at + whole[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}

fn number_in_plain_units(value: Value<'_>) -> Option<f64> {
    let factor = |unit: &str| UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    if let Some(number) = value.number() {
        let unit = value.datatype().and_then(|iri| iri.rsplit(['/', '#']).next());
        return Some(number * unit.and_then(factor).unwrap_or(1.0));
    }
    // A bare code such as `00501` has no unit and stays a text.
    let text = value.text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|&end| end > 0)?;
    let unit = text[end..].trim().to_ascii_lowercase();
    let number: f64 = text[..end].parse().ok()?;
    factor(&unit).map(|factor| number * factor)
}

fn dates(a: Date, b: Date) -> Level {
    let same_part = |a: Option<u8>, b: Option<u8>| a.is_none() || b.is_none() || a == b;
    if a.year != b.year {
        let next = a.year.abs_diff(b.year) == 1 && (a.month.is_none() || b.month.is_none());
        return if next { Level::Alike } else { Level::Other };
    }
    let swapped = a.month.is_some() && a.month == b.day && a.day == b.month;
    if !same_part(a.month, b.month) {
        return if swapped { Level::Near } else { Level::Alike };
    }
    match (a.day, b.day) {
        (Some(a), Some(b)) if a == b => Level::Same,
        (None, None) if a.month == b.month => Level::Same,
        // The same as far as the coarser says, or another day of the same month.
        _ => Level::Near,
    }
}

/// Some graphs write a date as a year and the part of it that has gone by: 1943.1667 is in March 1943 for some, the end of
/// February for others, so both are let stand.
fn date_and_number(date: Date, number: f64) -> Level {
    let (year, part) = (number.floor(), number - number.floor());
    if year != f64::from(date.year) {
        return if (number - f64::from(date.year)).abs() <= 1.0 { Level::Alike } else { Level::Other };
    }
    let month = (part * 12.0).round();
    match date.month.map(f64::from) {
        Some(at) if part > 0.01 => {
            if month == at - 1.0 || month == at {
                Level::Same
            } else {
                Level::Alike
            }
        }
        _ => Level::Near,
    }
}

fn is_year(number: f64) -> bool {
    (1000.0..2100.0).contains(&number)
}

fn numbers(a: f64, b: f64) -> Level {
    let apart = (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
    if a == b || apart < 1e-6 {
        Level::Same
    } else if is_year(a) && is_year(b) {
        // Half a century is within 5 %, but says nothing about two years.
        if a.floor() == b.floor() {
            Level::Near
        } else if (a - b).abs() <= 1.0 {
            Level::Alike
        } else {
            Level::Other
        }
    } else if apart <= 0.01 {
        Level::Near
    } else if apart <= 0.05 {
        Level::Alike
    } else {
        Level::Other
    }
}

/// Long texts are compared by their beginning: what follows costs more than it says.
const MOST_LETTERS: usize = 120;

fn letter_groups(folded: &str) -> Vec<u32> {
    let letters: Vec<char> =
        std::iter::once(' ').chain(folded.chars().take(MOST_LETTERS)).chain([' ']).collect();
    let hash = |group: &[char]| {
        group.iter().fold(0u32, |hash, &c| hash.wrapping_mul(0x0100_0193).rotate_left(7) ^ c as u32)
    };
    let mut groups: Vec<u32> = letters.windows(3).map(hash).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

fn shared_groups(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j, shared) = (i + 1, j + 1, shared + 1);
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_of_another_text_are_within_it() {
        for (part, whole) in [("lost", "the lost city"), ("lost city", "the lost city"), ("lost", "lost")] {
            assert!(is_within(part, whole), "{part} in {whole}");
        }
        // What fits first begins within a word; what fits next begins within that.
        assert!(is_within("ab ab", "xab ab ab"));
        assert!(is_within("été été", "xété été été"));
        for (part, whole) in
            [("lost", "the losts"), ("lost", "almost lostly"), ("the", "the city"), ("lost city", "lost")]
        {
            assert!(!is_within(part, whole), "{part} in {whole}");
        }
    }

    fn level(a: &str, b: &str) -> Level {
        let read = |text| Reading::of(Value::plain(text));
        assert_eq!(read(a).compare(&read(b), 1.0), read(b).compare(&read(a), 1.0), "{a} {b}");
        read(a).compare(&read(b), 1.0)
    }

    #[test]
    fn dates_agree_as_far_as_the_coarser_says() {
        assert_eq!(level("1974-05-02", "1974-05-02"), Level::Same);
        assert_eq!(level("1974-05-02", "1974-05"), Level::Near);
        assert_eq!(level("1974-05-02", "1974-02-05"), Level::Near);
        assert_eq!(level("1974-05-02", "1974-11-02"), Level::Alike);
        assert_eq!(level("1974-05-02", "1975-05-02"), Level::Other);
        assert_eq!(level("1974-05-02", "1974"), Level::Near);
        assert_eq!(level("1974-05-02", "1972"), Level::Other);
        assert_eq!(level("1974-05-02", "1975"), Level::Alike);
    }

    #[test]
    fn a_year_with_a_part_of_it_is_a_date() {
        // March is two twelfths into the year, or ends at three.
        assert_eq!(level("1943-03-09", "1943.16666667"), Level::Same);
        assert_eq!(level("1943-02-09", "1943.16666667"), Level::Same);
        assert_eq!(level("1943-07-09", "1943.16666667"), Level::Alike);
        assert_eq!(level("1950-01-01", "1964.0"), Level::Other);
    }

    #[test]
    fn numbers_agree_within_a_tolerance_and_years_do_not() {
        assert_eq!(level("1.88", "1.88"), Level::Same);
        assert_eq!(level("1.88", "1.875"), Level::Near);
        assert_eq!(level("1.88", "1.80"), Level::Alike);
        assert_eq!(level("1.88", "188"), Level::Other);
        assert_eq!(level("2011", "2011.5"), Level::Near);
        assert_eq!(level("2011", "2012"), Level::Alike);
        assert_eq!(level("2011", "2013"), Level::Other);
        assert_eq!(level("0", "0.0"), Level::Same);
    }

    #[test]
    fn units_and_scales() {
        assert_eq!(level("188 cm", "1.88"), Level::Same);
        assert_eq!(level("6 ft", "1.83 m"), Level::Near);
        assert_eq!(level("90 min", "5400"), Level::Same);
        let metre = Reading::of(Value::plain("1.88"));
        assert_eq!(metre.compare(&Reading::of(Value::plain("188")), 100.0), Level::Same);
        let typed = Value { text: "188", qualifier: "^^http://dbpedia.org/datatype/centimetre" };
        assert_eq!(Reading::of(typed).compare(&metre, 1.0), Level::Same);
    }

    #[test]
    fn texts_agree_by_letters() {
        assert_eq!(level("160 central park s", "160 Central Park S."), Level::Same);
        assert_eq!(level("london", "London, England"), Level::Near);
        assert_eq!(level("3073 piedmont road", "3073 piedmont rd"), Level::Near);
        assert_eq!(level("london road", "london street"), Level::Alike);
        assert_eq!(level("american", "japanese"), Level::Other);
        assert_eq!(level("404/233-7673", "404-233-7673"), Level::Same);
        assert_eq!(level("00501", "501"), Level::Other);
    }
}
