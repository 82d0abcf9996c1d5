//! How do strings become ids, and back?
//!
//! An [`Interner`] gives out numbers while a graph is read, in whatever order threads meet the strings. A
//! [`Vocabulary`] is what it becomes: rows sorted by a salted hash of the string. That order depends on the strings
//! alone, so neither the order of the input nor the number of threads can leak into anything later; it carries no
//! meaning (alphabetical order would line up two graphs that name things alike); and because it is sorted by hash,
//! looking a string up is an interpolation search that needs no further index, also on a file mapped from disk.

use arrow_array::LargeStringArray;
use arrow_array::builder::LargeStringBuilder;
use hashbrown::HashTable;
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Numbers for byte strings, in the order of first sight.
#[derive(Debug, Default, Clone)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    /// (upper half of the hash, number): most mismatches are seen without touching the bytes.
    index: HashTable<(u32, u32)>,
}

impl Interner {
    /// The number of `string`, new if it was not seen before.
    pub fn intern(&mut self, string: &[u8]) -> u32 {
        let hash = xxh3_64(string);
        let tag = (hash >> 32) as u32;
        let (bytes, ends) = (&self.bytes, &self.ends);
        let found = self.index.find(hash, |&(t, number)| t == tag && slice(bytes, ends, number) == string);
        if let Some(&(_, number)) = found {
            return number;
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
        let (bytes, ends) = (&self.bytes, &self.ends);
        self.index.insert_unique(hash, (tag, number), |&(_, n)| xxh3_64(slice(bytes, ends, n)));
        number
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// Numbers of `other` in terms of this one, which learns the strings it lacks.
    pub fn absorb(&mut self, other: &Interner) -> Vec<u32> {
        (0..other.len() as u32).map(|number| self.intern(other.get(number))).collect()
    }

    /// The canonical order: the numbers sorted by salted hash, and for each number its row in that order.
    pub(super) fn canonical_order(&mut self, salt: u64) -> (Vec<u32>, Vec<u32>) {
        // The index is not needed any more, and memory peaks here.
        self.index = HashTable::new();
        let mut order: Vec<(u64, u32)> = (0..self.len() as u32)
            .into_par_iter()
            .map(|number| (xxh3_64_with_seed(self.get(number), salt), number))
            .collect();
        order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        let mut rows = vec![0; order.len()];
        for (row, &(_, number)) in order.iter().enumerate() {
            rows[number as usize] = row as u32;
        }
        (order.into_iter().map(|(_, number)| number).collect(), rows)
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.bytes.len() + 8 * self.ends.len() + 9 * self.index.capacity()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &bytes[start..ends[number] as usize]
}

/// The salt that orders a vocabulary: two graphs, or two tables, never share an order.
pub(super) fn salt(graph: &str, table: &str) -> u64 {
    xxh3_64(format!("{graph}\u{0}{table}").as_bytes())
}

/// Distinct strings in canonical order; the row of a string is its id.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    strings: LargeStringArray,
    salt: u64,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        self.salt == other.salt && self.strings == other.strings
    }
}

impl Vocabulary {
    /// Wraps rows that are already in canonical order for this graph and table, as they are on disk.
    pub fn from_rows(strings: LargeStringArray, graph: &str, table: &str) -> Self {
        Self { strings, salt: salt(graph, table) }
    }

    /// Brings an interner's strings into canonical order; also returns the id of every interned number.
    pub fn from_interner(mut interner: Interner, graph: &str, table: &str) -> (Self, Vec<u32>) {
        let salt = salt(graph, table);
        let (order, ids) = interner.canonical_order(salt);
        let mut strings = LargeStringBuilder::with_capacity(order.len(), interner.bytes.len());
        for number in order {
            strings.append_value(String::from_utf8_lossy(interner.get(number)));
        }
        (Self { strings: strings.finish(), salt }, ids)
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        use arrow_array::Array;
        self.strings.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The string of a row.
    pub fn get(&self, row: u32) -> &str {
        self.strings.value(row as usize)
    }

    /// All strings, by row.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len() as u32).map(|row| self.get(row))
    }

    /// The rows as an Arrow column.
    pub fn rows(&self) -> &LargeStringArray {
        &self.strings
    }

    /// The row of a string, by interpolation between the hashes of the rows.
    pub fn find(&self, string: &str) -> Option<u32> {
        let wanted = self.hash(string);
        let (mut low, mut high) = (0usize, self.len());
        let (mut low_hash, mut high_hash) = (0u64, u64::MAX);
        while low < high {
            let share = (wanted - low_hash) as f64 / ((high_hash - low_hash) as f64).max(1.0);
            let guess = (low + (share * (high - low) as f64) as usize).min(high - 1);
            let row = self.get(guess as u32);
            let hash = self.hash(row);
            if hash == wanted {
                return self.among_equal_hashes(guess, string, wanted);
            } else if hash < wanted {
                (low, low_hash) = (guess + 1, hash);
            } else {
                (high, high_hash) = (guess, hash);
            }
        }
        None
    }

    fn among_equal_hashes(&self, guess: usize, string: &str, wanted: u64) -> Option<u32> {
        let same = |row: &usize| self.hash(self.get(*row as u32)) == wanted;
        let upwards = (guess..self.len()).take_while(same);
        let downwards = (0..guess).rev().take_while(same);
        upwards.chain(downwards).find(|&row| self.get(row as u32) == string).map(|row| row as u32)
    }

    fn hash(&self, string: &str) -> u64 {
        xxh3_64_with_seed(string.as_bytes(), self.salt)
    }

    /// The same vocabulary without the rows for which `keep` is false, and the new row of every kept one.
    /// The order is by hash, so what is left is still in canonical order.
    pub fn retain(&self, keep: &[bool]) -> (Self, Vec<Option<u32>>) {
        let mut strings = LargeStringBuilder::new();
        let mut rows = Vec::with_capacity(keep.len());
        let mut next = 0;
        for (string, &kept) in self.iter().zip(keep) {
            rows.push(kept.then_some(next));
            if kept {
                strings.append_value(string);
                next += 1;
            }
        }
        (Self { strings: strings.finish(), salt: self.salt }, rows)
    }

    /// Bytes of the strings and their offsets.
    pub fn memory(&self) -> usize {
        self.strings.value_data().len() + 8 * (self.len() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vocabulary<'a>(strings: impl IntoIterator<Item = &'a String>) -> (Vocabulary, Vec<u32>) {
        let mut interner = Interner::default();
        for string in strings {
            interner.intern(string.as_bytes());
        }
        Vocabulary::from_interner(interner, "g", "entities")
    }

    #[test]
    fn interning_twice_gives_the_same_number() {
        let mut interner = Interner::default();
        let numbers: Vec<u32> =
            ["a", "b", "", "a", "b", ""].iter().map(|s| interner.intern(s.as_bytes())).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 2]);
        assert_eq!(interner.get(2), b"");
    }

    #[test]
    fn another_graph_orders_the_same_strings_otherwise() {
        let strings: Vec<String> = (0..50).map(|i| format!("entity {i}")).collect();
        let build = |graph: &str| {
            let mut interner = Interner::default();
            strings.iter().for_each(|s| _ = interner.intern(s.as_bytes()));
            Vocabulary::from_interner(interner, graph, "entities").0.iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_ne!(build("a"), build("b"));
        assert_eq!(build("a"), build("a"));
    }

    proptest! {
        #[test]
        fn every_string_is_found_where_it_is(strings in prop::collection::vec(".{0,8}", 0..200), absent in ".{9}") {
            let (vocabulary, ids) = vocabulary(&strings);
            for (row, string) in vocabulary.iter().enumerate() {
                prop_assert_eq!(vocabulary.find(string), Some(row as u32));
            }
            prop_assert_eq!(vocabulary.find(&absent), None);
            let distinct: std::collections::BTreeSet<_> = strings.iter().collect();
            prop_assert_eq!(vocabulary.len(), distinct.len());
            prop_assert_eq!(ids.len(), distinct.len());
        }

        #[test]
        fn the_order_of_the_input_does_not_matter(strings in prop::collection::vec(".{0,6}", 0..60)) {
            let backwards: Vec<String> = strings.iter().rev().cloned().collect();
            prop_assert!(vocabulary(&strings).0 == vocabulary(&backwards).0);
        }

        #[test]
        fn retained_rows_are_still_found(strings in prop::collection::vec(".{0,6}", 0..60), mask in any::<u64>()) {
            let (vocabulary, _) = vocabulary(&strings);
            let keep: Vec<bool> = (0..vocabulary.len()).map(|i| mask >> (i % 64) & 1 == 1).collect();
            let (fewer, rows) = vocabulary.retain(&keep);
            for (old, string) in vocabulary.iter().enumerate() {
                prop_assert_eq!(fewer.find(string), rows[old]);
                prop_assert_eq!(rows[old].is_some(), keep[old]);
            }
        }
    }
}
