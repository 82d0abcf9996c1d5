//! How do strings become ids, and back?
//!
//! An [`Interner`] gives out numbers while a graph is read, in whatever order threads meet the strings. A
//! [`Vocabulary`] is what it becomes: rows sorted by a salted hash of the string. That order depends on the strings
//! alone, so neither the order of the input nor the number of threads can leak into anything later; it carries no
//! meaning (alphabetical order would line up two graphs that name things alike); and because it is sorted by hash,
//! looking a string up is an interpolation search that needs no further index, also on a file mapped from disk.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use arrow_array::LargeStringArray;
use arrow_array::builder::LargeStringBuilder;
use arrow_buffer::OffsetBuffer;
use hashbrown::HashTable;
use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128_with_seed};

/// Numbers for byte strings, in the order of first sight.
///
/// Strings are told apart by a 128-bit hash alone: comparing the bytes would cost two more cache misses a look-up,
/// which is most of the time that reading a dump takes. 96 bits of it are kept: for a thousand million strings the
/// chance that two meet is about 10^-11, and the hash is seeded anew in every process, so that nobody can make two
/// that do.
#[derive(Debug, Default, Clone)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    index: HashTable<Slot>,
}

/// The hash of a string, and its number.
#[derive(Debug, Clone, Copy)]
struct Slot {
    upper: u64,
    lower: u32,
    number: u32,
}

impl Slot {
    /// A slot without its number.
    fn of(string: &[u8]) -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        let seed = *SEED.get_or_init(|| RandomState::new().hash_one(0));
        let hash = xxh3_128_with_seed(string, seed);
        Self { upper: (hash >> 64) as u64, lower: hash as u32, number: u32::MAX }
    }

    /// What the table is indexed by.
    fn place(&self) -> u64 {
        u64::from(self.lower) | self.upper << 32
    }
}

impl Interner {
    /// The number of `string`, new if it was not seen before.
    pub fn intern(&mut self, string: &[u8]) -> u32 {
        let slot = Slot::of(string);
        match self.find(&slot) {
            Some(number) => number,
            None => self.insert(slot, string),
        }
    }

    fn find(&self, slot: &Slot) -> Option<u32> {
        let same = |other: &Slot| other.upper == slot.upper && other.lower == slot.lower;
        self.index.find(slot.place(), same).map(|found| found.number)
    }

    fn insert(&mut self, slot: Slot, string: &[u8]) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u64);
        self.index.insert_unique(slot.place(), Slot { number, ..slot }, Slot::place);
        number
    }

    /// Forgets all strings and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.index.clear();
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
    ///
    /// Every look-up misses the cache. Doing nothing else between them lets the processor wait for several at once.
    pub fn absorb(&mut self, other: &Interner) -> Vec<u32> {
        const BATCH: usize = 512;
        let mut numbers: Vec<u32> = Vec::with_capacity(other.len());
        let mut slots: Vec<Slot> = Vec::with_capacity(BATCH);
        let mut found: Vec<Option<u32>> = Vec::with_capacity(BATCH);
        for first in (0..other.len()).step_by(BATCH) {
            let batch = first as u32..other.len().min(first + BATCH) as u32;
            slots.clear();
            slots.extend(batch.clone().map(|number| Slot::of(other.get(number))));
            found.clear();
            found.extend(slots.iter().map(|slot| self.find(slot)));
            for ((number, &slot), found) in batch.zip(&slots).zip(&found) {
                // Nothing is twice in `other`, so what was not found before the batch is not there now either.
                numbers.push(found.unwrap_or_else(|| self.insert(slot, other.get(number))));
            }
        }
        numbers
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

    /// Bytes of all strings.
    pub(super) fn text_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.bytes.len() + 8 * self.ends.len() + (size_of::<Slot>() + 1) * self.index.capacity()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u64], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] as usize };
    &bytes[start..ends[number] as usize]
}

/// A column of strings. All are valid UTF-8, as every reader checks; should one not be, it is mended.
pub(super) fn strings<'a>(
    rows: impl ExactSizeIterator<Item = &'a [u8]> + Clone,
    size: usize,
) -> LargeStringArray {
    let mut bytes: Vec<u8> = Vec::with_capacity(size);
    let mut ends: Vec<i64> = Vec::with_capacity(rows.len() + 1);
    ends.push(0);
    for row in rows.clone() {
        bytes.extend_from_slice(row);
        ends.push(bytes.len() as i64);
    }
    // One check of all bytes at once is several times faster than one for each row.
    LargeStringArray::try_new(OffsetBuffer::new(ends.into()), bytes.into(), None)
        .unwrap_or_else(|_| LargeStringArray::from_iter_values(rows.map(String::from_utf8_lossy)))
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
        let strings = strings(order.iter().map(|&number| interner.get(number)), interner.bytes.len());
        (Self { strings, salt }, ids)
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
            Vocabulary::from_interner(interner, graph, "entities")
                .0
                .iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
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
