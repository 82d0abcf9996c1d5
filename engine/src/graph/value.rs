//! What is the value of an attribute?
//!
//! A value is its text as written, and a qualifier: nothing, a language (`@en`) or a datatype (`^^` and its IRI).
//! Its kind follows from both: a typed literal is what its datatype says if the text agrees, and untyped text is what
//! it reads as. The text is never changed by reading it as a number or a date, so nothing is lost.

use arrow_array::LargeStringArray;
use arrow_array::builder::LargeStringBuilder;

use super::vocabulary::{Interner, salt, strings};

/// What a value can be compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Words, perhaps in a known language.
    Text = 0,
    /// A finite number.
    Number = 1,
    /// A calendar date, to the year, the month or the day.
    Date = 2,
}

/// A calendar date; the year alone is known for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The year; negative ones are before the common era.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: Option<u8>,
    /// The day of the month, 1 to 31.
    pub day: Option<u8>,
}

impl Date {
    /// Reads `2001-02-03`, `2001-02`, `2001` and their date-time and time-zone forms.
    pub fn parse(text: &str) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let digits = match digits.split_once('T') {
            Some((date, time)) if is_time(time) => date,
            Some(_) => return None,
            None => without_zone(digits),
        };
        let mut parts = digits.split('-');
        let year = parts.next().filter(|y| (4..=6).contains(&y.len())).and_then(number)?;
        // What is there must be right; what is not there is not known.
        let mut part = |most| parts.next().map_or(Some(None), |text| two_digits(text, most).map(Some));
        let (month, day) = (part(12)?, part(31)?);
        if parts.next().is_some() || digits.contains('T') {
            return None;
        }
        Some(Self { year: sign * year, month, day })
    }
}

fn number(text: &str) -> Option<i32> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn two_digits(text: &str, most: i32) -> Option<u8> {
    (text.len() == 2).then(|| number(text)).flatten().filter(|n| (1..=most).contains(n)).map(|n| n as u8)
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 5
        && bytes[2] == b':'
        && bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'+' | b'-' | b'Z'))
}

/// `2001-02-03Z` and `2001-02-03+01:00` are dates with a time zone.
fn without_zone(text: &str) -> &str {
    if let Some(text) = text.strip_suffix('Z') {
        return text;
    }
    match text.len().checked_sub(6) {
        Some(at) if text.is_char_boundary(at) && text.as_bytes()[at + 3] == b':' => &text[..at],
        _ => text,
    }
}

const XSD: &str = "^^http://www.w3.org/2001/XMLSchema#";

/// A value: the text as written, and its qualifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value<'a> {
    /// The text as it stands in the source.
    pub text: &'a str,
    /// Empty, `@` and a language, or `^^` and the IRI of a datatype.
    pub qualifier: &'a str,
}

impl<'a> Value<'a> {
    /// A value with nothing said about it.
    pub fn plain(text: &'a str) -> Self {
        Self { text, qualifier: "" }
    }

    /// The language, if the text has one.
    pub fn language(&self) -> Option<&'a str> {
        self.qualifier.strip_prefix('@')
    }

    /// The IRI of the datatype, if the value has one.
    pub fn datatype(&self) -> Option<&'a str> {
        self.qualifier.strip_prefix("^^")
    }

    /// What the value can be compared as.
    pub fn kind(&self) -> Kind {
        if self.language().is_some() {
            Kind::Text
        } else if self.date().is_some() {
            Kind::Date
        } else if self.number().is_some() {
            Kind::Number
        } else {
            Kind::Text
        }
    }

    /// The number, if it is one. A leading zero makes it a code (`00501`), not a number.
    pub fn number(&self) -> Option<f64> {
        if self.language().is_some() || self.xsd().is_some_and(|name| !is_numeric(name)) {
            return None;
        }
        let text = self.text;
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let code = self.qualifier.is_empty()
            && digits.len() > 1
            && digits.starts_with('0')
            && digits.as_bytes()[1].is_ascii_digit();
        let looks = digits.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.')
            && digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+'));
        if code || !looks { None } else { text.parse().ok().filter(|n: &f64| n.is_finite()) }
    }

    /// The date, if it is one. A bare year needs a datatype that says so: without one it is a number.
    pub fn date(&self) -> Option<Date> {
        if self.language().is_some() {
            return None;
        }
        match self.xsd() {
            Some("date" | "dateTime" | "dateTimeStamp" | "gYear" | "gYearMonth") => Date::parse(self.text),
            Some(_) => None,
            None => Date::parse(self.text).filter(|date| date.month.is_some()),
        }
    }

    fn xsd(&self) -> Option<&'a str> {
        self.qualifier.strip_prefix(XSD)
    }
}

fn is_numeric(xsd: &str) -> bool {
    matches!(xsd, "decimal" | "double" | "float" | "integer" | "int" | "long" | "short" | "byte")
        || xsd.ends_with("Integer")
        || (xsd.starts_with("unsigned") && xsd != "unsigned")
}

/// Between text and qualifier while values are interned: a byte that no UTF-8 text holds.
const SEPARATOR: u8 = 0xFF;

/// The interned form of a value.
pub(super) fn encode(value: Value<'_>, into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(value.text.as_bytes());
    if !value.qualifier.is_empty() {
        into.push(SEPARATOR);
        into.extend_from_slice(value.qualifier.as_bytes());
    }
}

fn decode(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(SEPARATOR, bytes) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, b""),
    }
}

/// The distinct values of a graph, in canonical order.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    texts: LargeStringArray,
    qualifiers: LargeStringArray,
}

impl Values {
    /// Wraps columns that are already in canonical order, as they are on disk.
    pub fn from_rows(texts: LargeStringArray, qualifiers: LargeStringArray) -> Self {
        Self { texts, qualifiers }
    }

    /// Brings interned values into canonical order; also returns the id of every interned number.
    pub(super) fn from_interner(mut interner: Interner, graph: &str) -> (Self, Vec<u32>) {
        let (order, ids) = interner.canonical_order(salt(graph, "values"));
        let encoded = order.iter().map(|&number| interner.get(number));
        let texts = strings(encoded.clone().map(|bytes| decode(bytes).0), interner.text_bytes());
        let qualifiers = strings(encoded.map(|bytes| decode(bytes).1), 0);
        (Self { texts, qualifiers }, ids)
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        use arrow_array::Array;
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row.
    pub fn get(&self, row: u32) -> Value<'_> {
        Value { text: self.texts.value(row as usize), qualifier: self.qualifiers.value(row as usize) }
    }

    /// All values, by row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        (0..self.len() as u32).map(|row| self.get(row))
    }

    /// The values for which `keep` is true, still in canonical order, and the new row of each.
    pub(super) fn retain(&self, keep: &[bool]) -> (Self, Vec<Option<u32>>) {
        let mut texts = LargeStringBuilder::new();
        let mut qualifiers = LargeStringBuilder::new();
        let mut rows = Vec::with_capacity(keep.len());
        let mut next = 0;
        for (value, &kept) in self.iter().zip(keep) {
            rows.push(kept.then_some(next));
            if kept {
                texts.append_value(value.text);
                qualifiers.append_value(value.qualifier);
                next += 1;
            }
        }
        (Self { texts: texts.finish(), qualifiers: qualifiers.finish() }, rows)
    }

    /// The texts as an Arrow column.
    pub fn texts(&self) -> &LargeStringArray {
        &self.texts
    }

    /// The qualifiers as an Arrow column.
    pub fn qualifiers(&self) -> &LargeStringArray {
        &self.qualifiers
    }

    /// Bytes of the strings and their offsets.
    pub fn memory(&self) -> usize {
        self.texts.value_data().len() + self.qualifiers.value_data().len() + 16 * (self.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &'static str, xsd: &str) -> Kind {
        Value { text, qualifier: &format!("{XSD}{xsd}") }.kind()
    }

    #[test]
    fn untyped_text_is_what_it_reads_as() {
        for (text, kind) in [
            ("The Aviator", Kind::Text),
            ("310/246-1501", Kind::Text),
            ("1941.08333333", Kind::Number),
            ("-121.27", Kind::Number),
            ("6.02e23", Kind::Number),
            ("1994", Kind::Number),
            ("00501", Kind::Text),
            ("0", Kind::Number),
            ("0.5", Kind::Number),
            ("1e999", Kind::Text),
            ("nan", Kind::Text),
            ("inf", Kind::Text),
            ("-", Kind::Text),
            ("", Kind::Text),
            ("1982-09-18", Kind::Date),
            ("1982-09", Kind::Date),
            ("1982-13-18", Kind::Text),
            ("1982-09-18T10:00:00Z", Kind::Date),
            ("1982-09-18Tomorrow", Kind::Text),
            ("1982-09-18-01", Kind::Text),
            ("é-09:18", Kind::Text),
        ] {
            assert_eq!(Value::plain(text).kind(), kind, "{text}");
        }
    }

    #[test]
    fn a_datatype_decides_when_the_text_agrees() {
        assert_eq!(typed("1994", "gYear"), Kind::Date);
        assert_eq!(typed("1994", "integer"), Kind::Number);
        assert_eq!(typed("007", "integer"), Kind::Number);
        assert_eq!(typed("1994", "string"), Kind::Text);
        assert_eq!(typed("soon", "date"), Kind::Text);
        assert_eq!(typed("5", "nonNegativeInteger"), Kind::Number);
        assert_eq!(typed("true", "boolean"), Kind::Text);
        assert_eq!(Value { text: "12", qualifier: "^^http://example.org/kilometre" }.kind(), Kind::Number);
        assert_eq!(Value { text: "1994", qualifier: "@en" }.kind(), Kind::Text);
    }

    #[test]
    fn dates_keep_their_precision() {
        let date = |year, month, day| Some(Date { year, month, day });
        assert_eq!(Date::parse("2001-02-03"), date(2001, Some(2), Some(3)));
        assert_eq!(Date::parse("2001-02-03+01:00"), date(2001, Some(2), Some(3)));
        assert_eq!(Date::parse("2001-02"), date(2001, Some(2), None));
        assert_eq!(Date::parse("-0044"), date(-44, None, None));
        assert_eq!(Date::parse("44"), None);
    }
}
