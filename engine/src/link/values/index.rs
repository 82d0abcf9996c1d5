//! Which texts are written most alike?
//!
//! A text is a vector of its words and of the groups of three letters in them, each weighted by how rare it is (IDF), of
//! length 1. The likeness of two texts is the cosine. The most alike of many are found by lists of who has what: rare
//! features first, long lists not at all, and no more work for a text than a limit. Those found are compared
//! exactly before the best are kept.

use std::collections::HashMap;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

/// How the search is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A feature that more texts have is not searched for.
    pub longest_list: usize,
    /// How many entries of lists are looked at for one text.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { longest_list: 4000, work: 20_000 }
    }
}

/// Texts as sparse vectors of length 1, over features that two sets of texts share.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    starts: Vec<usize>,
    features: Vec<u32>,
    weights: Vec<f32>,
}

impl Vectors {
    /// The vectors of two sets of texts; a feature's weight is ln(1 + texts / texts that have it), over both.
    pub fn of_both(texts: [&[String]; 2]) -> [Self; 2] {
        let hashed = texts.map(|texts| texts.par_iter().map(|text| features(text)).collect::<Vec<_>>());
        let mut all: Vec<u64> = hashed.iter().flatten().flatten().copied().collect();
        all.par_sort_unstable();
        let total = texts[0].len() + texts[1].len();
        let mut numbers: HashMap<u64, (u32, f32)> = HashMap::new();
        for same in all.chunk_by(|a, b| a == b) {
            let idf = (1.0 + total as f32 / same.len() as f32).ln();
            numbers.insert(same[0], (numbers.len() as u32, idf));
        }
        hashed.map(|hashed| Self::weighted(&hashed, &numbers))
    }

    fn weighted(hashed: &[Vec<u64>], numbers: &HashMap<u64, (u32, f32)>) -> Self {
        let (mut starts, mut features, mut weights) = (vec![0], Vec::new(), Vec::new());
        for text in hashed {
            // Numbers were given in the order of the hashes, so these are sorted.
            let entries: Vec<(u32, f32)> = text.iter().map(|hash| numbers[hash]).collect();
            let length = entries.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
            features.extend(entries.iter().map(|(feature, _)| feature));
            weights.extend(entries.iter().map(|(_, weight)| weight / length));
            starts.push(features.len());
        }
        Self { starts, features, weights }
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn get(&self, text: u32) -> (&[u32], &[f32]) {
        let range = self.starts[text as usize]..self.starts[text as usize + 1];
        (&self.features[range.clone()], &self.weights[range])
    }

    /// The cosine of a text with one of others.
    pub fn cosine(&self, text: u32, others: &Self, other: u32) -> f32 {
        let ((a, x), (b, y)) = (self.get(text), others.get(other));
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < a.len() && j < b.len() {
            match a[i].cmp(&b[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    sum += x[i] * y[j];
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
        sum
    }
}

/// What stands behind so many letters of a text is not looked at: long texts begin with what they are about, and
/// millions of them would fill the memory.
const MOST_LETTERS: usize = 200;

/// Words, and groups of three letters with the ends of words as part of them; sorted hashes, each once.
fn features(text: &str) -> Vec<u64> {
    let text = text.char_indices().nth(MOST_LETTERS).map_or(text, |(end, _)| &text[..end]);
    let mut found = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        // A space tells a word from a group. Seeds would not: those that differ in a bit or two make xxh3 of one short text that of another.
        found.push(xxh3_64(format!(" {word}").as_bytes()));
        let padded: Vec<char> = std::iter::once('^').chain(word.chars()).chain(['$']).collect();
        for group in padded.windows(3) {
            found.push(xxh3_64(group.iter().collect::<String>().as_bytes()));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Who has each feature, and with which weight.
struct Postings {
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Postings {
    fn new(vectors: &Vectors, features: usize) -> Self {
        let mut starts = vec![0; features + 1];
        vectors.features.iter().for_each(|&feature| starts[feature as usize + 1] += 1);
        (0..features).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut entries = vec![(0, 0.0); vectors.features.len()];
        for text in 0..vectors.len() as u32 {
            let (features, weights) = vectors.get(text);
            for (&feature, &weight) in features.iter().zip(weights) {
                entries[next[feature as usize]] = (text, weight);
                next[feature as usize] += 1;
            }
        }
        Self { starts, entries }
    }

    fn of(&self, feature: u32) -> &[(u32, f32)] {
        match self.starts.get(feature as usize + 1) {
            Some(&end) => &self.entries[self.starts[feature as usize]..end],
            None => &[],
        }
    }
}

/// The up to `count` most alike of `others` for each text, best first, with their cosines. Those that tie with the last
/// are all kept, up to four times as many; beyond that none of them is, as nothing tells them apart.
pub fn nearest(texts: &Vectors, others: &Vectors, count: usize, limits: Limits) -> Vec<Vec<(u32, f32)>> {
    let features = texts.features.iter().chain(&others.features).max().map_or(0, |&most| most as usize + 1);
    let postings = Postings::new(others, features);
    let state = || (vec![0.0f32; others.len()], Vec::new());
    let search = |(sums, met): &mut (Vec<f32>, Vec<u32>), text: usize| {
        let (features, weights) = texts.get(text as u32);
        gather(features, weights, &postings, limits, sums, met);
        let mut found: Vec<(u32, f32)> =
            met.drain(..).map(|m| (m, std::mem::take(&mut sums[m as usize]))).collect();
        keep_best(&mut found, 4 * count);
        found.iter_mut().for_each(|(other, score)| *score = texts.cosine(text as u32, others, *other));
        keep_best(&mut found, count);
        // Thousands were met; their places must not be held by the few that stay.
        found.shrink_to_fit();
        found
    };
    (0..texts.len()).into_par_iter().map_init(state, search).collect()
}

fn gather(
    features: &[u32],
    weights: &[f32],
    postings: &Postings,
    limits: Limits,
    sums: &mut [f32],
    met: &mut Vec<u32>,
) {
    let mut order: Vec<usize> = (0..features.len()).collect();
    order.sort_unstable_by_key(|&at| (postings.of(features[at]).len(), features[at]));
    let mut work = 0;
    for at in order {
        let list = postings.of(features[at]);
        work += list.len();
        if list.len() > limits.longest_list || work > limits.work {
            break;
        }
        for &(other, weight) in list {
            if sums[other as usize] == 0.0 {
                met.push(other);
            }
            sums[other as usize] += weights[at] * weight;
        }
    }
}

fn keep_best(found: &mut Vec<(u32, f32)>, count: usize) {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count == 0 {
        return found.clear();
    }
    // Thousands were met by a common name, and few are kept: only these are sorted.
    if found.len() > count {
        let (_, &mut (_, last), _) = found.select_nth_unstable_by(count - 1, order);
        let tied = found.iter().filter(|entry| entry.1 >= last).count();
        match tied <= 4 * count {
            true => found.retain(|entry| entry.1 >= last),
            false => found.retain(|entry| entry.1 > last),
        }
    }
    found.sort_unstable_by(order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UNBOUNDED: Limits = Limits { longest_list: usize::MAX, work: usize::MAX };

    /// The features of a text by definition, for small alphabets.
    fn by_definition(text: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            all.push(format!("word {word}"));
            let padded: Vec<char> = format!("^{word}$").chars().collect();
            all.extend((0..padded.len() - 2).map(|at| padded[at..at + 3].iter().collect()));
        }
        all.sort();
        all.dedup();
        all
    }

    fn naive_cosine(a: &str, b: &str, all: &[String]) -> f64 {
        let rare = |feature: &String| {
            let having = all.iter().filter(|text| by_definition(text).contains(feature)).count();
            (1.0 + all.len() as f64 / having as f64).ln()
        };
        let square = |text: &str| by_definition(text).iter().map(|f| rare(f).powi(2)).sum::<f64>();
        let b_features = by_definition(b);
        let shared: f64 =
            by_definition(a).iter().filter(|f| b_features.contains(f)).map(|f| rare(f).powi(2)).sum();
        shared / (square(a) * square(b)).sqrt()
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_everything_finds(
            one in prop::collection::vec("[ab]{1,4}( [abc]{1,3})?", 1..8),
            two in prop::collection::vec("[ab]{1,4}( [abc]{1,3})?", 1..8),
        ) {
            let [a, b] = Vectors::of_both([&one, &two]);
            let all: Vec<String> = one.iter().chain(&two).cloned().collect();
            let found = nearest(&a, &b, two.len(), UNBOUNDED);
            for (i, found) in found.iter().enumerate() {
                for (j, text) in two.iter().enumerate() {
                    let expected = naive_cosine(&one[i], text, &all);
                    prop_assert!((f64::from(a.cosine(i as u32, &b, j as u32)) - expected).abs() < 1e-5);
                    let got = found.iter().find(|(other, _)| *other as usize == j).map_or(0.0, |f| f.1);
                    prop_assert!((f64::from(got) - expected).abs() < 1e-5);
                }
                prop_assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            }
        }
    }

    #[test]
    fn words_are_told_from_groups_of_letters() {
        // With seeds 1 and 2 the word aac had the hash of the group aab.
        let [one, two] = ["aac", "aab"].map(features);
        let shared = one.iter().filter(|feature| two.contains(feature)).count();
        assert_eq!((one.len(), two.len(), shared), (4, 4, 1), "only ^aa");
    }

    #[test]
    fn the_end_of_a_long_text_is_not_looked_at() {
        // Letters of two bytes, so that letters are told from bytes.
        let begin = "é".repeat(MOST_LETTERS - 1);
        assert_eq!(features(&format!("{begin}äx")), features(&format!("{begin}äyyyy zz")));
        assert_ne!(features(&format!("{begin}äx")), features(&format!("{begin}öx")));
        assert_eq!(features(&"word ".repeat(100_000)).len(), features("word").len());
    }

    #[test]
    fn ties_with_the_last_stay_unless_there_are_too_many() {
        let entries = |scores: &[f32]| (0..).zip(scores.iter().copied()).collect::<Vec<(u32, f32)>>();
        let kept = |scores: &[f32], count| {
            let mut found = entries(scores);
            keep_best(&mut found, count);
            found.len()
        };
        assert_eq!(kept(&[0.9, 0.5, 0.5, 0.1], 2), 3);
        assert_eq!(kept(&[0.9, 0.5, 0.5, 0.5, 0.5, 0.1], 1), 1);
        assert_eq!(kept(&[0.5; 5], 1), 0);
        assert_eq!(kept(&[0.5; 3], 0), 0);
        assert_eq!(kept(&[0.5; 3], 9), 3);
    }

    #[test]
    fn long_lists_are_not_searched() {
        let texts: Vec<String> = ["aa xx", "aa yy", "aa zz"].map(String::from).to_vec();
        let [a, b] = Vectors::of_both([&texts, &texts]);
        let found = nearest(&a, &b, 3, Limits { longest_list: 1, work: 100 });
        assert!(found.iter().enumerate().all(|(at, found)| found.len() == 1 && found[0].0 == at as u32));
    }
}
