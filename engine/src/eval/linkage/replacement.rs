//! Does one entity do in the facts of another? (Algorithm 2)
//!
//! For a pair (e, e') of two graphs, all k training facts of e and of e' are scored by Eq. 10, and scored again with the
//! other one of the pair in the place of e or e':
//!
//! ```text
//! q = 1/k · ( Σ_{facts of e} |g(e, r, o) − g(e', r, o)|  +  Σ_{facts of e'} |g(e', r, o) − g(e, r, o)| )
//! ```
//!
//! wherever the entity stands, as the subject or as the object. q = 0 is a match; what is published is the similarity
//! 1 − q. In a fact, each entity leaves the other out of its neighbourhood; one that stands in the place of another is of
//! another graph, and nobody's neighbour there, so that nothing is left out: as in training.
//!
//! A pair neither of which has a fact has nothing to compare: its similarity is 0. Where one of them has facts, these
//! alone decide.
//!
//! The scores of a fact's replaced entities are products of z_r ⊙ z_o with the candidates' z, so that many candidates are
//! a product of matrices, in tiles. Sums are taken fact by fact, in the order of the facts, each by one thread.

use rayon::prelude::*;

use super::incident::Incident;
use super::representations::Representations;
use crate::compute::matrix::{plain, transposed};
use crate::compute::real::{Onto, Real};
use crate::graph::Link;
use crate::model::activation::Activation;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Scores between 0 and 1, as in the paper: σ is the sigmoid here, also where the model was trained without it.
    #[default]
    Sigmoid,
    /// Scores before σ, for models that were trained without it, whose scores are large: the similarity is 1 / (1 + q).
    Plain,
}

/// Scores pairs of two graphs by replacement.
#[derive(Debug)]
pub struct Replacement<'a> {
    representations: &'a Representations<'a>,
    measure: Measure,
    sides: [Side; 2],
}

/// The facts of one graph's entities.
#[derive(Debug)]
struct Side {
    incident: Incident,
    /// The score of each fact as it is.
    scores: Vec<f32>,
}

/// So many facts and so many candidates are in one tile.
const FACTS: usize = 120;
const CANDIDATES: usize = 512;

/// What one thread works with.
#[derive(Default)]
struct Tile {
    queries: Vec<f32>,
    candidates: Vec<f32>,
    scores: Vec<f32>,
}

impl<'a> Replacement<'a> {
    /// Scores the facts of both graphs as they are; of each entity at most so many, 0 for all.
    pub fn new(representations: &'a Representations<'a>, measure: Measure, facts: usize) -> Self {
        let sides = [0, 1].map(|side| {
            let model = representations.model;
            let incident = Incident::new(model.joint, representations.graphs[side], facts);
            let mut scores = incident.scores(representations, side);
            scores.par_chunks_mut(1 << 14).for_each(|scores| measure.bend(scores));
            Side { incident, scores }
        });
        Self { representations, measure, sides }
    }

    /// The similarity of each pair.
    pub fn pairs(&self, pairs: &[Link]) -> Vec<f64> {
        let sums = [0, 1].map(|side| self.sums_from(side, pairs));
        let each = pairs.par_iter().zip(&sums[0]).zip(&sums[1]);
        each.map(|((pair, first), second)| self.similarity(pair.first.0, pair.second.0, first + second))
            .collect()
    }

    /// The similarity of each of some entities of the first graph with each entity of the second: a row for each.
    pub fn against_all(&self, firsts: &[u32]) -> Vec<f64> {
        let (h, count) = (self.representations.width(), self.representations.count(1));
        if firsts.is_empty() || count == 0 {
            return Vec::new();
        }
        let mut rows = vec![0.0; firsts.len() * count];
        rows.par_chunks_mut(count).zip(firsts).for_each_init(Tile::default, |tile, (sums, &first)| {
            let seconds = self.representations.entities[1].chunks(CANDIDATES * h);
            for (sums, seconds) in sums.chunks_mut(CANDIDATES).zip(seconds) {
                self.add(0, first, seconds, tile, sums);
            }
        });
        let firsts_z: Vec<f32> =
            firsts.iter().flat_map(|&first| self.representations.entity(0, first)).copied().collect();
        let mut columns = vec![0.0; rows.len()];
        let seconds = columns.par_chunks_mut(firsts.len()).enumerate();
        seconds.for_each_init(Tile::default, |tile, (second, sums)| {
            self.add(1, second as u32, &firsts_z, tile, sums);
        });
        rows.par_chunks_mut(count).zip(firsts).enumerate().for_each(|(row, (sums, &first))| {
            for (second, sum) in sums.iter_mut().enumerate() {
                let other = columns[second * firsts.len() + row];
                *sum = self.similarity(first, second as u32, *sum + other);
            }
        });
        rows
    }

    fn similarity(&self, first: u32, second: u32, sum: f64) -> f64 {
        match self.sides[0].incident.count(first) + self.sides[1].incident.count(second) {
            0 => 0.0,
            facts => self.measure.similarity(sum / facts as f64),
        }
    }

    /// For each pair the sum over the facts of its entity of a side. Pairs that share it are computed together.
    fn sums_from(&self, side: usize, pairs: &[Link]) -> Vec<f64> {
        let own = |at: u32| ends(&pairs[at as usize])[side];
        let mut order: Vec<u32> = (0..pairs.len() as u32).collect();
        order.par_sort_unstable_by_key(|&at| (own(at), at));
        let mut ordered = vec![0.0; pairs.len()];
        let (mut groups, mut rest) = (Vec::new(), &mut ordered[..]);
        for group in order.chunk_by(|&a, &b| own(a) == own(b)) {
            let (sums, others) = rest.split_at_mut(group.len());
            groups.push((group, sums));
            rest = others;
        }
        groups.into_par_iter().for_each_init(Tile::default, |tile, (group, sums)| {
            let mut candidates = std::mem::take(&mut tile.candidates);
            for (group, sums) in group.chunks(CANDIDATES).zip(sums.chunks_mut(CANDIDATES)) {
                candidates.clear();
                for &at in group {
                    let other = ends(&pairs[at as usize])[1 - side];
                    candidates.extend_from_slice(self.representations.entity(1 - side, other));
                }
                self.add(side, own(group[0]), &candidates, tile, sums);
            }
            tile.candidates = candidates;
        });
        let mut sums = vec![0.0; pairs.len()];
        order.iter().zip(ordered).for_each(|(&at, sum)| sums[at as usize] = sum);
        sums
    }

    /// Adds to each candidate's sum what it differs in the facts of an entity.
    fn add(&self, side: usize, entity: u32, candidates: &[f32], tile: &mut Tile, sums: &mut [f64]) {
        let (h, width) = (self.representations.width(), sums.len());
        let Side { incident, scores } = &self.sides[side];
        let own = incident.of(entity);
        for first in own.clone().step_by(FACTS) {
            let facts = first..own.end.min(first + FACTS);
            tile.queries.clear();
            for fact in facts.clone() {
                let z = self.representations.entity(side, incident.others[fact]);
                let relation = incident.relations[fact] as usize;
                let z_r = &self.representations.relations[relation * h..(relation + 1) * h];
                tile.queries.extend(z.iter().zip(z_r).map(|(a, b)| a * b));
            }
            tile.scores.resize(facts.len() * width, 0.0);
            let shape = [facts.len(), h, width];
            let (queries, answers) = (plain(&tile.queries, h), transposed(candidates, h));
            f32::multiply(shape, queries, answers, &mut tile.scores, Onto::Nothing);
            self.measure.bend(&mut tile.scores);
            for (replaced, &score) in tile.scores.chunks_exact(width).zip(&scores[facts]) {
                for (sum, &replaced) in sums.iter_mut().zip(replaced) {
                    *sum += f64::from((score - replaced).abs());
                }
            }
        }
    }
}

fn ends(pair: &Link) -> [u32; 2] {
    [pair.first.0, pair.second.0]
}

impl Measure {
    fn bend(self, scores: &mut [f32]) {
        match self {
            Self::Sigmoid => Activation::Sigmoid.forward(scores),
            Self::Plain => {}
        }
    }

    fn similarity(self, q: f64) -> f64 {
        match self {
            Self::Sigmoid => 1.0 - q,
            Self::Plain => 1.0 / (1.0 + q),
        }
    }
}

#[cfg(test)]
#[path = "replacement_tests.rs"]
mod tests;
