//! What is a value like, as numbers?
//!
//! The a_val of Eq. 3: a few of a fixed number of features, chosen by hashing what the value is made of. Text gives its
//! words and the groups of three characters in them; a number its sign and magnitude, coarse and fine; a date its
//! decade, year, month and day. So values that are nearly the same have nearly the same features, whatever their key.
//! Weights make the features of every value a vector of length 1.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::graph::{Date, Value};

/// The features of a value: distinct numbers below `count`, sorted, with their weights.
pub fn features(value: Value<'_>, count: u32) -> Vec<(u32, f32)> {
    let mut drawn = Drawn { count, hits: Vec::new() };
    if let Some(date) = value.date() {
        drawn.date(date);
    } else if let Some(number) = value.number() {
        drawn.number(number);
    } else {
        drawn.text(value.text);
    }
    drawn.weighted()
}

/// What a feature stands for; equal bytes of different kinds are different features.
#[derive(Clone, Copy)]
enum Kind {
    Word,
    Characters,
    Magnitude,
    Digits,
    Decade,
    Year,
    Month,
    Day,
}

struct Drawn {
    count: u32,
    hits: Vec<u32>,
}

impl Drawn {
    fn add(&mut self, kind: Kind, bytes: &[u8]) {
        if self.count > 0 {
            self.hits.push((xxh3_64_with_seed(bytes, kind as u64) % u64::from(self.count)) as u32);
        }
    }

    fn text(&mut self, text: &str) {
        let text = text.to_lowercase();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            self.add(Kind::Word, word.as_bytes());
            // The ends of a word are part of its groups: `^al`, `ali`, …, `en$`.
            let padded: Vec<char> =
                std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
            for group in padded.windows(3) {
                self.add(Kind::Characters, group.iter().collect::<String>().as_bytes());
            }
        }
    }

    fn number(&mut self, number: f64) {
        let magnitude = if number == 0.0 { f64::NEG_INFINITY } else { number.abs().log10() };
        let bin = |steps: f64| format!("{}{}", number < 0.0, (magnitude * steps).floor());
        self.add(Kind::Magnitude, bin(2.0).as_bytes());
        self.add(Kind::Digits, bin(40.0).as_bytes());
        self.add(Kind::Digits, format!("={number}").as_bytes());
    }

    fn date(&mut self, date: Date) {
        self.add(Kind::Decade, &date.year.div_euclid(10).to_le_bytes());
        self.add(Kind::Year, &date.year.to_le_bytes());
        if let Some(month) = date.month {
            self.add(Kind::Month, &[month]);
        }
        if let Some(day) = date.day {
            self.add(Kind::Day, &[day]);
        }
    }

    fn weighted(mut self) -> Vec<(u32, f32)> {
        self.hits.sort_unstable();
        let mut features: Vec<(u32, f32)> = Vec::new();
        for hit in self.hits {
            match features.last_mut() {
                Some((feature, weight)) if *feature == hit => *weight += 1.0,
                _ => features.push((hit, 1.0)),
            }
        }
        let length = features.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
        features.iter_mut().for_each(|(_, weight)| *weight /= length);
        features
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COUNT: u32 = 512;

    /// The cosine of two values.
    fn likeness(a: Value<'_>, b: Value<'_>) -> f32 {
        let b = features(b, COUNT);
        let weight = |feature: u32| b.iter().find(|(other, _)| *other == feature).map_or(0.0, |(_, w)| *w);
        features(a, COUNT).iter().map(|&(feature, w)| w * weight(feature)).sum()
    }

    fn plain(a: &str, b: &str) -> f32 {
        likeness(Value::plain(a), Value::plain(b))
    }

    #[test]
    fn values_that_are_alike_have_like_features() {
        assert!(plain("The Long Night", "the long night!") > 0.999);
        assert!(plain("Harbour Lights", "Harbor Lights") > 0.6);
        assert!(plain("Harbour Lights", "A Short Day") < 0.3);
        assert!(plain("1974-05-02", "1974-05-02") > 0.999);
        assert!(plain("1974-05-02", "1974-11-30") > plain("1974-05-02", "1912-11-30"));
        assert!(plain("1.86", "1.87") > plain("1.86", "18.7"));
        assert!(plain("186", "-186") < 0.1);
        let year = Value { text: "1974", qualifier: "^^http://www.w3.org/2001/XMLSchema#gYear" };
        assert!(likeness(year, Value::plain("1974-05-02")) > 0.6);
    }

    proptest! {
        #[test]
        fn features_are_a_vector_of_length_one(text in "\\PC{0,30}", count in 1..600u32) {
            let features = features(Value::plain(&text), count);
            prop_assert!(features.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(features.iter().all(|(feature, weight)| *feature < count && *weight > 0.0));
            let length: f32 = features.iter().map(|(_, weight)| weight * weight).sum();
            prop_assert!(features.is_empty() || (length - 1.0).abs() < 1e-4);
        }
    }
}
