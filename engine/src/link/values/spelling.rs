//! How alike are two texts, word by word and letter by letter?

/// Longer texts are not compared letter by letter: their groups of letters say the same.
const LONGEST: usize = 40;

/// The words that both have, as a share of all words.
pub(super) fn words(one: &str, two: &str) -> f32 {
    let (one, two) = (sorted_words(one), sorted_words(two));
    let shared = one.iter().filter(|word| two.binary_search(word).is_ok()).count();
    shared as f32 / (one.len() + two.len() - shared) as f32
}

fn sorted_words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// 1 less the share of letters that have to be changed, added or left out; not a number for long texts.
pub(super) fn letters(one: &str, two: &str) -> f32 {
    let longest = one.chars().count().max(two.chars().count());
    if longest > LONGEST {
        return f32::NAN;
    }
    1.0 - changes(one, two) as f32 / longest.max(1) as f32
}

/// The edit distance of texts of which the first has at most 64 letters.
///
/// Neighbouring cells of the table of distances differ by −1, 0 or 1. Hyyrö (2003), after Myers (1999): a column is two
/// words of bits, those that go up and those that go down, and the next column comes of a dozen operations on them.
fn changes(one: &str, two: &str) -> usize {
    let places = Places::of(one);
    let (mut up, mut down) = (u64::MAX, 0u64);
    let mut distance = places.count;
    if distance == 0 {
        return two.chars().count();
    }
    let last = 1u64 << (distance - 1);
    for letter in two.chars() {
        let same = places.get(letter);
        let vertical = same | down;
        let horizontal = ((same & up).wrapping_add(up) ^ up) | same;
        let (more, less) = (down | !(horizontal | up), up & horizontal);
        distance += usize::from(more & last > 0);
        distance -= usize::from(less & last > 0);
        let (more, less) = (more << 1 | 1, less << 1);
        (up, down) = (less | !(vertical | more), more & vertical);
    }
    distance
}

/// Where each letter stands in a text, as bits.
struct Places {
    ascii: [u64; 128],
    others: Vec<(char, u64)>,
    count: usize,
}

impl Places {
    fn of(text: &str) -> Self {
        let mut own = Self { ascii: [0; 128], others: Vec::new(), count: 0 };
        for letter in text.chars() {
            let bit = 1 << own.count;
            own.count += 1;
            match own.ascii.get_mut(letter as usize) {
                Some(bits) => *bits |= bit,
                None => own.others.push((letter, bit)),
            }
        }
        own
    }

    fn get(&self, letter: char) -> u64 {
        match self.ascii.get(letter as usize) {
            Some(bits) => *bits,
            None => self.others.iter().filter(|(other, _)| *other == letter).map(|(_, bit)| bit).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::edit_distance;
    use proptest::prelude::*;

    #[test]
    fn texts_worked_by_hand() {
        assert_eq!(words("the lost city", "city of the lost"), 0.75);
        assert_eq!(words("a a b", "a b"), 1.0);
        assert_eq!(words("a b", "c"), 0.0);
        assert_eq!(letters("harbour", "harbor"), 1.0 - 1.0 / 7.0);
        // kitten, sitten, sittin, sitting.
        assert!((letters("kitten", "sitting") - (1.0 - 3.0 / 7.0)).abs() < 1e-6);
        assert_eq!((letters("", ""), letters("", "ab"), letters("ab", "")), (1.0, 0.0, 0.0));
        assert!(letters(&"a".repeat(41), "a").is_nan());
        assert_eq!(letters(&"é".repeat(40), &"é".repeat(40)), 1.0);
    }

    proptest! {
        #[test]
        fn changes_are_those_of_the_table(one in "[a-dé漢]{0,64}", two in "[a-dé漢]{0,80}") {
            prop_assert_eq!(changes(&one, &two), edit_distance(&one, &two));
        }
    }
}
