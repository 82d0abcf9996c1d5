//! Which keys mean the same, and what does it say when their values agree?
//!
//! For each key of the first graph and each of the second it is counted how near their values are, on pairs that are
//! the same and on pairs drawn at random from whoever has both keys. The logarithm of the ratio of the two rates is what a
//! level of agreement says (Fellegi and Sunter). Keys that mean different things agree as often by chance, and say nothing.

use std::collections::BTreeMap;

use rand::RngExt;
use rayon::prelude::*;

use super::evidence::{Evidence, FOLDS, Source, Witness, fold_of};
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
/// Rates settle long before this many pairs; more only cost time.
const MOST_WITNESSES: usize = 10_000;
const DRAWS: usize = 1000;
/// The least information, in nats for a pair that is the same, that makes keys worth comparing.
const LEAST_INFORMATION: f64 = 0.1;
/// No single value may decide alone, for or against.
const MOST: f64 = 9.0;
const SCALES: [f64; 11] = [1.0, 10.0, 100.0, 1000.0, 1e6, 60.0, 3600.0, 2.54, 3.280_84, 2.204_62, 1.609_344];

type Counts = BTreeMap<(u32, u32), [[u32; Level::COUNT]; FOLDS]>;

impl KeyPair {
    fn rates(&self, left_out: Option<usize>) -> ([f64; Level::COUNT], [f64; Level::COUNT]) {
        let mut matched = [0; Level::COUNT];
        for (fold, counts) in self.matched.iter().enumerate().filter(|(fold, _)| Some(*fold) != left_out) {
            debug_assert!(fold < FOLDS);
            matched.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        (smoothed(&matched), smoothed(&self.chance))
    }

    /// What each pair that is the same says on average, in nats.
    pub fn information(&self) -> f64 {
        let (matched, chance) = self.rates(None);
        matched.iter().zip(&chance).map(|(m, c)| m * (m / c).ln()).sum()
    }

    /// What a level says, without what one fold has taught.
    pub fn says(&self, level: Level, left_out: Option<usize>) -> f64 {
        let (matched, chance) = self.rates(left_out);
        (matched[level as usize] / chance[level as usize]).ln().clamp(-MOST, MOST)
    }
}

fn smoothed(counts: &[u32; Level::COUNT]) -> [f64; Level::COUNT] {
    let total: u32 = counts.iter().sum();
    counts.map(|count| (f64::from(count) + 0.5) / (f64::from(total) + 0.5 * Level::COUNT as f64))
}

/// The values of each key of an entity.
fn by_key(attributes: &[(u32, u32)]) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
    attributes.chunk_by(|a, b| a.0 == b.0).map(|values| (values[0].0, values))
}

/// The best that any two values of two keys come to, and the text that is the same, if one is.
fn best(written: &[Written; 2], one: &[(u32, u32)], two: &[(u32, u32)], scale: f64) -> (Level, Option<u32>) {
    let read = |side: usize, value: u32| -> &Reading { &written[side].readings[value as usize] };
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
                    let all = written[side].attributes(entity);
                    &all[all.partition_point(|a| a.0 < key)..all.partition_point(|a| a.0 <= key)]
                };
                chance[best(written, draw(0, first), draw(1, second), scale).0 as usize] += 1;
            }
            KeyPair { first, second, scale, matched, chance }
        });
        let mut pairs: Vec<KeyPair> =
            learned.filter(|keys| keys.information() >= LEAST_INFORMATION).collect();
        pairs.sort_by(|a, b| b.information().total_cmp(&a.information()));
        Self { pairs }
    }

    /// What the values of two entities say. Each key speaks once, in the pair of keys that says most.
    pub fn verdict(&self, written: &[Written; 2], pair: (u32, u32), left_out: Option<usize>) -> Verdict {
        let sides = [written[0].attributes(pair.0), written[1].attributes(pair.1)];
        let mut verdict = Verdict::default();
        let mut used: [Vec<u32>; 2] = Default::default();
        for keys in &self.pairs {
            if used[0].contains(&keys.first) || used[1].contains(&keys.second) {
                continue;
            }
            let of = |side: usize, key: u32| {
                let all = sides[side];
                &all[all.partition_point(|a| a.0 < key)..all.partition_point(|a| a.0 <= key)]
            };
            let (one, two) = (of(0, keys.first), of(1, keys.second));
            if one.is_empty() || two.is_empty() {
                continue;
            }
            used[0].push(keys.first);
            used[1].push(keys.second);
            verdict.compared += 1;
            let (level, value) = best(written, one, two, keys.scale);
            let rare = value.filter(|_| level == Level::Same).and_then(|value| rarity(written, value));
            let says = match rare {
                Some(rare) => (keys.rates(left_out).0[level as usize] / rare).ln().clamp(-MOST, MOST),
                None => keys.says(level, left_out),
            } as f32;
            verdict.agree += says.max(0.0);
            verdict.disagree += says.min(0.0);
        }
        verdict
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

/// Numbers of two keys may be in different units: the scale that makes most of them agree, where it beats none.
fn scales(written: &[Written; 2], witnesses: &[Witness]) -> BTreeMap<(u32, u32), f64> {
    let mut ratios: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for w in witnesses {
        let numbers = |side: usize, entity: u32| {
            let number =
                |&(key, value): &(u32, u32)| Some((key, written[side].readings[value as usize].number?));
            written[side]
                .attributes(entity)
                .iter()
                .filter_map(number)
                .filter(|n| n.1 != 0.0)
                .collect::<Vec<_>>()
        };
        let second = numbers(1, w.second);
        for (a, x) in numbers(0, w.first) {
            second.iter().for_each(|&(b, y)| ratios.entry((a, b)).or_default().push(y / x));
        }
    }
    let best = |ratios: &Vec<f64>| {
        let agreeing =
            |scale: f64| ratios.iter().filter(|&&ratio| (ratio / scale - 1.0).abs() < 0.02).count();
        let all = SCALES.iter().flat_map(|&scale| [scale, 1.0 / scale]);
        all.map(|scale| (agreeing(scale), scale))
            .fold((0, 1.0), |best, next| if next.0 > best.0 { next } else { best })
            .1
    };
    ratios.iter().map(|(keys, ratios)| (*keys, best(ratios))).collect()
}

fn count(written: &[Written; 2], witnesses: &[Witness], scales: &BTreeMap<(u32, u32), f64>) -> Counts {
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
