//! What does structure say about a pair?

use super::nearest::corrected;
use crate::link::decode::{Scored, one_to_one};
use crate::link::{Candidates, Column};

/// Two graphs aligned by structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// How many numbers describe an entity.
    width: usize,
    /// The descriptions of all entities of both graphs.
    features: [Vec<f32>; 2],
    /// The mean similarity of each entity to its nearest; not a number where it has a known link or no description.
    means: [Vec<f32>; 2],
    /// Pairs that competed, with corrected similarities: sorted.
    pairs: Vec<Scored>,
    /// What each of them got.
    shares: Vec<f32>,
    /// For each entity of both graphs, its two best corrected similarities.
    best: [Vec<[f32; 2]>; 2],
}

impl Aligned {
    pub(super) fn new(
        width: usize,
        features: [Vec<f32>; 2],
        means: [Vec<f32>; 2],
        pairs: Vec<Scored>,
        shares: Vec<f32>,
    ) -> Self {
        let mut best = [0, 1].map(|side| vec![[f32::NEG_INFINITY; 2]; means[side].len()]);
        for pair in &pairs {
            insert(&mut best[0][pair.first as usize], pair.score);
            insert(&mut best[1][pair.second as usize], pair.score);
        }
        Self { width, features, means, pairs, shares, best }
    }

    /// The pairs that competed, by the first entity and then the second, with similarities corrected for hubness. Entities
    /// with a known link did not compete.
    pub fn similarities(&self) -> &[Scored] {
        &self.pairs
    }

    /// The same pairs with their shares of the competition, between 0 and 1.
    pub fn shares(&self) -> Vec<Scored> {
        self.pairs.iter().zip(&self.shares).map(|(pair, &score)| Scored { score, ..*pair }).collect()
    }

    /// The pairs that competed: candidates for other evidence to judge.
    pub fn proposals(&self) -> Vec<(u32, u32)> {
        self.pairs.iter().map(|pair| (pair.first, pair.second)).collect()
    }

    /// Links that structure alone would choose: no entity twice, and each of a share of at least `least`.
    pub fn links(&self, least: f32) -> Vec<Scored> {
        one_to_one([self.means[0].len(), self.means[1].len()], &self.shares(), least)
    }

    /// The pairs that are the best of both their entities, and have a share of at least `least`. Where an entity has two
    /// best ones, neither is taken.
    pub(super) fn mutual(&self, least: f32) -> Vec<[u32; 2]> {
        let mut best = [0, 1].map(|side| vec![[f32::NEG_INFINITY; 2]; self.means[side].len()]);
        let shared = || self.pairs.iter().zip(&self.shares);
        for (pair, &share) in shared() {
            insert(&mut best[0][pair.first as usize], share);
            insert(&mut best[1][pair.second as usize], share);
        }
        let is_best = |[most, next]: [f32; 2], share: f32| share == most && share > next;
        let chosen = shared().filter(|&(pair, &share)| {
            share >= least
                && is_best(best[0][pair.first as usize], share)
                && is_best(best[1][pair.second as usize], share)
        });
        chosen.map(|(pair, _)| [pair.first, pair.second]).collect()
    }

    /// Evidence about some pairs. Not a number where one of the entities is out of reach of all known links, or has a known
    /// link itself (see [`folds`](super::folds)).
    pub fn columns(&self, candidates: &Candidates) -> Vec<Column> {
        let places: Vec<Option<u32>> = candidates.map(|_, asked| {
            let place = self.pairs.binary_search_by_key(&asked, |pair| (pair.first, pair.second));
            place.ok().map(|at| at as u32)
        });
        let mut similarities = corrected(&self.features, &self.means, self.width, candidates);
        // Another order of additions gives other last digits; who is compared with the best must have the very same number.
        let listed = similarities.iter_mut().zip(&places).filter_map(|(own, place)| Some((own, (*place)?)));
        listed.for_each(|(similarity, at)| *similarity = self.pairs[at as usize].score);
        let margins = candidates.map(|at, pair| self.margin(pair, similarities[at]));
        let share = |(place, similarity): (&Option<u32>, &f32)| match place {
            Some(at) => self.shares[*at as usize],
            None if similarity.is_nan() => f32::NAN,
            None => 0.0,
        };
        let shares = places.iter().zip(&similarities).map(share).collect();
        let column = |name: &str, values| Column { name: name.to_owned(), values };
        vec![
            column("structure similarity", similarities),
            column("structure margin", margins),
            column("structure share", shares),
        ]
    }

    /// How far a pair is ahead of the best other pair of either of its entities.
    fn margin(&self, (first, second): (u32, u32), similarity: f32) -> f32 {
        // `min` would make a number of what is none.
        if similarity.is_nan() {
            return similarity;
        }
        let rival = |[most, next]: [f32; 2]| if similarity >= most { next } else { most };
        let rivals = [rival(self.best[0][first as usize]), rival(self.best[1][second as usize])];
        // Who has no rival is as far ahead as similarities can be.
        (similarity - rivals[0].max(rivals[1])).min(MOST)
    }
}

/// No two similarities are farther apart.
const MOST: f32 = 4.0;

/// Keeps the two largest.
fn insert(best: &mut [f32; 2], number: f32) {
    if number > best[0] {
        *best = [number, best[0]];
    } else if number > best[1] {
        best[1] = number;
    }
}
