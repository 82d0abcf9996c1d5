//! How do scores of pairs become links?
//!
//! Knows no kind of evidence: a pair is a number of the first graph, a number of the second, and a score; the more, the
//! likelier the pair. Pairs that are not listed do not exist, so that memory and time follow the lists and not the product
//! of the graphs.
//!
//! [`Sinkhorn`] lets pairs compete in both directions at once. With K = exp(score / temperature) it looks for factors u
//! and v, one for each entity, such that
//!
//! ```text
//! uᵢ (Σⱼ Kᵢⱼ vⱼ + β) = 1        vⱼ (Σᵢ Kᵢⱼ uᵢ + β) = 1        Pᵢⱼ = uᵢ Kᵢⱼ vⱼ
//! ```
//!
//! by satisfying the two in turns. β = exp(unmatched / 2 temperature) stands for having no partner at all: graphs overlap in
//! part only, and an entity without a partner must not take that of another because shares have to add up to one. A pair
//! whose score is `unmatched` and that nobody contests has P = (3 − √5) / 2 ≈ .38: about as likely as not.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::Candidates;

/// A pair of entities and what speaks for it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scored {
    /// The entity of the first graph.
    pub first: u32,
    /// The entity of the second graph.
    pub second: u32,
    /// The more, the likelier.
    pub score: f32,
}

/// How pairs compete.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinkhorn {
    /// A difference of scores that makes one pair e times as likely as another.
    pub temperature: f32,
    /// The score at which a pair is about as likely as no partner; −∞ if everyone has one.
    pub unmatched: f32,
    /// How often rows and columns are satisfied.
    pub turns: usize,
}

/// Scores are kept within so many temperatures of zero: e²⁰⁰ squared is still a number.
const FARTHEST: f64 = 200.0;

impl Sinkhorn {
    /// P of each pair, in the order of the pairs. `entities` are the numbers of entities of both graphs.
    ///
    /// # Panics
    ///
    /// If a pair names an entity that is not there.
    pub fn shares(&self, entities: [usize; 2], pairs: &[Scored]) -> Vec<f32> {
        let temperature = f64::from(self.temperature);
        let weight = |score: f64| (score / temperature).clamp(-FARTHEST, FARTHEST).exp();
        let weights: Vec<f64> = pairs.par_iter().map(|pair| weight(f64::from(pair.score))).collect();
        let alone =
            if self.unmatched == f32::NEG_INFINITY { 0.0 } else { weight(f64::from(self.unmatched) / 2.0) };
        let rows = Sides::new(entities[0], pairs.iter().map(|pair| (pair.first, pair.second)));
        let columns = Sides::new(entities[1], pairs.iter().map(|pair| (pair.second, pair.first)));
        let mut second = vec![1.0; entities[1]];
        let mut first = Vec::new();
        for _ in 0..self.turns.max(1) {
            first = rows.factors(&weights, &second, alone);
            second = columns.factors(&weights, &first, alone);
        }
        let share = |(pair, weight): (&Scored, &f64)| {
            (first[pair.first as usize] * weight * second[pair.second as usize]) as f32
        };
        pairs.par_iter().zip(&weights).map(share).collect()
    }
}

/// The pairs seen from one graph.
struct Sides {
    starts: Vec<usize>,
    /// For each pair of an entity: its place among all pairs, and the other entity.
    pairs: Vec<(u32, u32)>,
}

impl Sides {
    fn new(entities: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; entities + 1];
        pairs.clone().for_each(|(own, _)| starts[own as usize + 1] += 1);
        for at in 0..entities {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut places = vec![(0, 0); starts[entities]];
        for (at, (own, other)) in pairs.enumerate() {
            places[next[own as usize]] = (at as u32, other);
            next[own as usize] += 1;
        }
        Self { starts, pairs: places }
    }

    /// The factors that satisfy each entity, given those of the other graph. Each sum is one thread's, in a fixed order.
    fn factors(&self, weights: &[f64], others: &[f64], alone: f64) -> Vec<f64> {
        let factor = |ends: &[usize]| {
            let pairs = &self.pairs[ends[0]..ends[1]];
            let sum: f64 =
                pairs.iter().map(|&(at, other)| weights[at as usize] * others[other as usize]).sum();
            if sum + alone > 0.0 { 1.0 / (sum + alone) } else { 0.0 }
        };
        self.starts.par_windows(2).with_min_len(256).map(factor).collect()
    }
}

/// The better pair first; equal ones by their numbers, which are drawn by a hash and say nothing.
fn better(one: &Scored, other: &Scored) -> Ordering {
    other.score.total_cmp(&one.score).then((one.first, one.second).cmp(&(other.first, other.second)))
}

/// Links that share no entity: the best pair, then the best of those that are left, and so on. Pairs below `least`, and
/// those whose score is not a number, are no links. Sorted by the first entity.
pub fn one_to_one(entities: [usize; 2], pairs: &[Scored], least: f32) -> Vec<Scored> {
    let mut sorted: Vec<Scored> = pairs.iter().copied().filter(|pair| pair.score >= least).collect();
    sorted.par_sort_unstable_by(better);
    let mut taken = entities.map(|count| vec![false; count]);
    sorted.retain(|pair| {
        let (first, second) = (pair.first as usize, pair.second as usize);
        let is_free = !taken[0][first] && !taken[1][second];
        taken[0][first] |= is_free;
        taken[1][second] |= is_free;
        is_free
    });
    sorted.sort_unstable_by_key(|link| link.first);
    sorted
}

/// For each entity of the first graph its best pair, if it has one of at least `least`: several may have one partner, as
/// when the first graph has duplicates. Sorted by the first entity.
pub fn many_to_one(pairs: &[Scored], least: f32) -> Vec<Scored> {
    let mut sorted: Vec<Scored> = pairs.iter().copied().filter(|pair| pair.score >= least).collect();
    sorted.par_sort_unstable_by(|one, other| one.first.cmp(&other.first).then(better(one, other)));
    sorted.dedup_by_key(|pair| pair.first);
    sorted
}

/// Who there is, and how many partners each may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// How many entities either graph has.
    pub entities: [usize; 2],
    /// How many partners an entity may have.
    pub partners: Partners,
}

/// How many partners an entity may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Partners {
    /// One, in either graph: both are free of duplicates.
    #[default]
    One,
    /// An entity of the second graph may have several: the first has duplicates.
    ManyToOne,
}

impl Places {
    /// Links of at least a score, each the best that is left.
    pub fn links(&self, candidates: &Candidates, scores: &[f32], least: f32) -> Vec<Scored> {
        let scored = candidates.map(|at, (first, second)| Scored { first, second, score: scores[at] });
        match self.partners {
            Partners::One => one_to_one(self.entities, &scored, least),
            Partners::ManyToOne => many_to_one(&scored, least),
        }
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
