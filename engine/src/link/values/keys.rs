//! Which keys mean the same, and what does it say when their values agree?
//!
//! For each key of the first graph and each of the second it is counted how near their values are, on pairs that are
//! the same and on pairs drawn at random from whoever has both keys. The logarithm of the ratio of the two rates is what a
//! level of agreement says (Fellegi and Sunter). Keys that mean different things agree as often by chance, and say nothing; and
//! that is what is believed of keys until pairs that are the same say otherwise.

use std::collections::{BTreeMap, HashSet};

use rand::RngExt;
use rayon::prelude::*;

use super::evidence::{Evidence, FOLDS, Source, Witness, fold_of};
use super::scales::{Scales, scales};
use super::{Level, Reading, Written};
use crate::dataset::Dice;

/// A key of the first graph and one of the second, and how near their values are.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPair {
    /// The key of the first graph.
    pub first: u32,
    /// The key of the second graph.
    pub second: u32,
    /// What numbers of the first are multiplied by before they are compared.
    pub scale: f64,
    /// How often each level was met on pairs that are the same, by fold.
    pub matched: [[u32; Level::COUNT]; FOLDS],
    /// How often each level was met by chance.
    pub chance: [u32; Level::COUNT],
}

/// Keys that mean the same, those that say most first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeyAlignment {
    /// The pairs of keys.
    pub pairs: Vec<KeyPair>,
    /// The places of the pairs that each key of the first graph is in, in their order.
    by_first: Vec<Vec<usize>>,
}

/// What values of two entities say: both sums are of logarithms of likelihood ratios.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Verdict {
    /// The sum of what speaks for the pair.
    pub agree: f32,
    /// The sum of what speaks against it; not above 0.
    pub disagree: f32,
    /// How many pairs of keys were compared.
    pub compared: usize,
}

/// Fewer pairs than this say too little about two keys.
const FEWEST: u32 = 8;
/// Of more values of a key than this, only those that are written alike are compared.
const MOST_VALUES: usize = 20;
/// How many pairs that are the same it is worth that levels are met as often as by chance: as little as can be overruled by the fewest
/// pairs, and enough that one pair alone does not.
const PRIOR: f64 = 2.0;
/// Rates settle long before this many pairs; more only cost time.
const MOST_WITNESSES: usize = 10_000;
const DRAWS: usize = 1000;
/// The least information, in nats for a pair that is the same, that makes keys worth comparing.
const LEAST_INFORMATION: f64 = 0.1;
/// No single value may decide alone, for or against.
const MOST: f64 = 9.0;

type Counts = BTreeMap<(u32, u32), [[u32; Level::COUNT]; FOLDS]>;

impl KeyPair {
    /// How often each level was met on pairs that are the same, without those of one fold.
    fn matched(&self, left_out: Option<usize>) -> [u32; Level::COUNT] {
        let mut matched = [0; Level::COUNT];
        for (_, counts) in self.matched.iter().enumerate().filter(|(fold, _)| Some(*fold) != left_out) {
            matched.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        matched
    }

    /// How often a level is met by chance; never quite 0, because the draws are few.
    fn chance(&self, level: usize) -> f64 {
        let draws: u32 = self.chance.iter().sum();
        (f64::from(self.chance[level]) + 0.5) / (f64::from(draws) + 0.5 * Level::COUNT as f64)
    }

    /// What each pair that is the same says on average, in nats.
    pub fn information(&self) -> f64 {
        let matched = self.matched(None);
        let said = |level: usize| {
            let rate = rate(&matched, level, self.chance(level));
            rate * (rate / self.chance(level)).ln()
        };
        (0..Level::COUNT).map(said).sum()
    }

    /// What a level says, without what one fold has taught.
    pub fn says(&self, level: Level, left_out: Option<usize>) -> f64 {
        self.says_against(level, self.chance(level as usize), left_out)
    }

    /// The same, where the chance of what was met is known better.
    fn says_against(&self, level: Level, chance: f64, left_out: Option<usize>) -> f64 {
        (rate(&self.matched(left_out), level as usize, chance) / chance).ln().clamp(-MOST, MOST)
    }
}

/// How often a level is met on pairs that are the same. A level that never was comes out below its chance, and so never speaks for a
/// pair.
fn rate(matched: &[u32; Level::COUNT], level: usize, chance: f64) -> f64 {
    let total: u32 = matched.iter().sum();
    (f64::from(matched[level]) + PRIOR * chance) / (f64::from(total) + PRIOR)
}

/// Attributes of one entity: key and value.
type Values<'a> = &'a [(u32, u32)];

/// The values of each key of an entity.
fn by_key(attributes: Values<'_>) -> impl Iterator<Item = (u32, Values<'_>)> {
    attributes.chunk_by(|a, b| a.0 == b.0).map(|values| (values[0].0, values))
}

/// The values of one key of an entity.
fn of_key(attributes: Values<'_>, key: u32) -> Values<'_> {
    &attributes[attributes.partition_point(|a| a.0 < key)..attributes.partition_point(|a| a.0 <= key)]
}

/// The best that any two values of two keys come to, and the text that is the same, if one is.
fn best(written: &[Written; 2], one: Values<'_>, two: Values<'_>, scale: f64) -> (Level, Option<u32>) {
    let read = |side: usize, value: u32| -> &Reading { &written[side].readings[value as usize] };
    if one.len() > MOST_VALUES || two.len() > MOST_VALUES {
        let texts: HashSet<&str> = two.iter().map(|(_, value)| read(1, *value).folded.as_str()).collect();
        let is_text = |reading: &Reading| reading.number.is_none() && texts.contains(reading.folded.as_str());
        let same = one.iter().find(|(_, value)| is_text(read(0, *value)));
        return match same {
            Some((_, value)) => (Level::Same, Some(*value)),
            None => {
                let few = |values: Values<'_>| values.len().min(MOST_VALUES);
                best(written, &one[..few(one)], &two[..few(two)], scale)
            }
        };
    }
    let pairs = one.iter().flat_map(|(_, a)| two.iter().map(move |(_, b)| (*a, *b)));
    let levels = pairs.map(|(a, b)| (read(0, a).compare(read(1, b), scale), a));
    levels.max_by_key(|(level, _)| *level).map_or((Level::Other, None), |(level, a)| (level, Some(a)))
}

impl KeyAlignment {
    /// Learns from pairs that are the same, and from chance.
    pub fn learn(written: &[Written; 2], evidence: &Evidence, seed: u64) -> Self {
        let step = evidence.witnesses.len().div_ceil(MOST_WITNESSES).max(1);
        let witnesses: Vec<Witness> = evidence.witnesses.iter().step_by(step).copied().collect();
        let scales = scales(written, &witnesses);
        let counted = count(written, &witnesses, &scales);
        let owners = [0, 1].map(|side: usize| owners(&written[side]));
        let dice = Dice::new(seed, "chance of agreement", "");
        let enough = |counts: &[[u32; Level::COUNT]; FOLDS]| counts.iter().flatten().sum::<u32>() >= FEWEST;
        let counted: Vec<_> = counted.into_iter().filter(|(_, counts)| enough(counts)).collect();
        let learned = counted.into_par_iter().map(|((first, second), matched)| {
            let scale = scales.get(&(first, second)).copied().unwrap_or(1.0);
            let mut dice = dice.of(u64::from(first) << 32 | u64::from(second));
            let mut chance = [0; Level::COUNT];
            for _ in 0..DRAWS {
                let mut draw = |side: usize, key: u32| {
                    let having = &owners[side][&key];
                    let entity = having[dice.random_range(0..having.len())];
                    of_key(written[side].attributes(entity), key)
                };
                chance[best(written, draw(0, first), draw(1, second), scale).0 as usize] += 1;
            }
            KeyPair { first, second, scale, matched, chance }
        });
        let mut pairs: Vec<KeyPair> =
            learned.filter(|keys| keys.information() >= LEAST_INFORMATION).collect();
        pairs.sort_by(|a, b| b.information().total_cmp(&a.information()));
        Self::of(pairs)
    }

    /// Of pairs of keys, those that say most first.
    pub(super) fn of(pairs: Vec<KeyPair>) -> Self {
        let keys = pairs.iter().map(|keys| keys.first as usize + 1).max().unwrap_or(0);
        let mut by_first = vec![Vec::new(); keys];
        pairs.iter().enumerate().for_each(|(place, keys)| by_first[keys.first as usize].push(place));
        Self { pairs, by_first }
    }

    /// What the values of two entities say. Each key speaks once, in the pair of keys that says most.
    pub fn verdict(&self, written: &[Written; 2], pair: (u32, u32), left_out: Option<usize>) -> Verdict {
        let mut verdict = Verdict::default();
        let mut used: [Vec<u32>; 2] = Default::default();
        for (place, one, two) in self.comparable(written, pair) {
            let keys = &self.pairs[place];
            if used[0].contains(&keys.first) || used[1].contains(&keys.second) {
                continue;
            }
            used[0].push(keys.first);
            used[1].push(keys.second);
            verdict.compared += 1;
            let (level, value) = best(written, one, two, keys.scale);
            let rare = value.filter(|_| level == Level::Same).and_then(|value| rarity(written, value));
            let says = match rare {
                Some(rare) => keys.says_against(level, rare, left_out),
                None => keys.says(level, left_out),
            } as f32;
            verdict.agree += says.max(0.0);
            verdict.disagree += says.min(0.0);
        }
        verdict
    }

    /// The places of the pairs of keys that two entities have, those that say most first, with their values of both.
    fn comparable<'a>(
        &self,
        written: &'a [Written; 2],
        pair: (u32, u32),
    ) -> Vec<(usize, Values<'a>, Values<'a>)> {
        let others = written[1].attributes(pair.1);
        let mut found = Vec::new();
        for (key, one) in by_key(written[0].attributes(pair.0)) {
            for &place in self.by_first.get(key as usize).into_iter().flatten() {
                let two = of_key(others, self.pairs[place].second);
                if !two.is_empty() {
                    found.push((place, one, two));
                }
            }
        }
        found.sort_unstable_by_key(|(place, ..)| *place);
        found
    }
}

/// The chance that somebody has a text of the first graph: that two agree on it says the more the fewer have it.
fn rarity(written: &[Written; 2], value: u32) -> Option<f64> {
    let text = &written[0].readings[value as usize].folded;
    let share = |side: &Written| {
        let at = side.texts.texts.binary_search(text).ok()?;
        Some(side.texts.owners.get(at).len() as f64 / side.entities() as f64)
    };
    Some(share(&written[0])?.max(share(&written[1])?))
}

fn owners(written: &Written) -> BTreeMap<u32, Vec<u32>> {
    let mut owners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entity in 0..written.entities() as u32 {
        by_key(written.attributes(entity)).for_each(|(key, _)| owners.entry(key).or_default().push(entity));
    }
    owners
}

fn count(written: &[Written; 2], witnesses: &[Witness], scales: &Scales) -> Counts {
    let mut counts = Counts::new();
    for same in witnesses.chunk_by(|a, b| (a.first, a.second) == (b.first, b.second)) {
        let w = same[0];
        for (a, one) in by_key(written[0].attributes(w.first)) {
            for (b, two) in by_key(written[1].attributes(w.second)) {
                // A pair that was found by these very keys says nothing about them.
                if same.iter().all(|w| w.source == Source::Keys(a, b)) {
                    continue;
                }
                let scale = scales.get(&(a, b)).copied().unwrap_or(1.0);
                let level = best(written, one, two, scale).0;
                counts.entry((a, b)).or_default()[fold_of(w.first)][level as usize] += 1;
            }
        }
    }
    counts
}
