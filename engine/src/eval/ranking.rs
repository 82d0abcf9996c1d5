//! At which place does the right answer stand?
//!
//! Filtered ranking: for a fact (s, r, o) all entities of the graph are put in the place of o (or of s), those that make
//! another known fact are left out, and the others are ordered by their score. Of equal scores the right answer takes
//! the middle: the mean of its best and its worst place. As everywhere, an entity's neighbourhood leaves the other
//! entity of the fact out, for each candidate anew.
//!
//! Facts are ranked in portions. All entities are encoded once a portion, and once more for every pair of a fixed
//! entity and a neighbour; scores are products of matrices, in blocks that fit into the cache.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::compute::matrix::{plain, transposed};
use crate::compute::real::{Onto, Real};
use crate::graph::{Fact, Part};
use crate::joint::Joint;
use crate::model::entity::{Batch, Contexts, Encoder, LeftOut, Surroundings};
use crate::model::parameters::Parameters;
use crate::model::relation;

/// Which entity of a fact is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankSide {
    /// The subject.
    Head,
    /// The object: the paper's protocol.
    Tail,
}

/// Ranks facts with a model.
#[derive(Debug)]
pub struct Ranker<'a> {
    joint: &'a Joint,
    parameters: &'a Parameters<f32>,
    contexts: Contexts,
    leave_partner_out: bool,
    relations: Vec<f32>,
    encoder: Encoder<f32>,
}

/// What many ranks amount to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Metrics {
    /// How many ranks there are.
    pub count: usize,
    /// The mean of 1/rank.
    pub mrr: f64,
    /// The mean rank.
    pub mr: f64,
    /// The share of ranks up to 1, 3 and 10.
    pub hits: [f64; 3],
}

impl Metrics {
    /// The metrics of some ranks.
    pub fn of(ranks: &[f64]) -> Self {
        let count = ranks.len();
        let mean =
            |of: &dyn Fn(f64) -> f64| ranks.iter().map(|&rank| of(rank)).sum::<f64>() / count.max(1) as f64;
        let hits = |most: f64| mean(&|rank| f64::from(u8::from(rank <= most)));
        Self {
            count,
            mrr: mean(&|rank| 1.0 / rank),
            mr: mean(&|rank| rank),
            hits: [hits(1.0), hits(3.0), hits(10.0)],
        }
    }
}

/// So many facts are ranked at a time.
const PORTION: usize = 1024;
/// So many of them in one block of scores.
const BLOCK: usize = 16;

/// What is asked about a fact, with the graph's own numbers.
struct Asked {
    fixed: u32,
    relation: u32,
    right: u32,
}

impl<'a> Ranker<'a> {
    /// Ranks with the given parameters.
    pub fn new(
        joint: &'a Joint,
        parameters: &'a Parameters<f32>,
        contexts: Contexts,
        leave_partner_out: bool,
    ) -> Self {
        let relations = relation::forward(&joint.relation_types, parameters, contexts).representations;
        let leave_partner_out = leave_partner_out && contexts.neighbourhood.is_some();
        Self { joint, parameters, contexts, leave_partner_out, relations, encoder: Encoder::default() }
    }

    /// The rank of the right answer for each of some facts of a graph.
    pub fn rank(&mut self, graph: usize, facts: &[Fact], side: RankSide) -> Vec<f64> {
        let known = self.known(graph, facts, side);
        let mut ranks = Vec::with_capacity(facts.len());
        for portion in facts.chunks(PORTION) {
            let asked: Vec<Asked> = portion
                .iter()
                .map(|fact| {
                    let (fixed, right) = match side {
                        RankSide::Tail => (fact.subject.0, fact.object.0),
                        RankSide::Head => (fact.object.0, fact.subject.0),
                    };
                    Asked { fixed, relation: fact.relation.0, right }
                })
                .collect();
            ranks.extend(self.rank_portion(graph, &asked, &known));
        }
        ranks
    }

    /// All right answers, in any part of the data, to what is asked; sorted.
    fn known(&self, graph: usize, facts: &[Fact], side: RankSide) -> HashMap<(u32, u32), Vec<u32>> {
        let key = |fact: &Fact| match side {
            RankSide::Tail => (fact.subject.0, fact.relation.0),
            RankSide::Head => (fact.object.0, fact.relation.0),
        };
        let mut known: HashMap<(u32, u32), Vec<u32>> =
            facts.iter().map(|fact| (key(fact), Vec::new())).collect();
        for part in Part::ASSIGNED {
            for fact in self.joint.graphs[graph].facts[part as usize].iter() {
                if let Some(answers) = known.get_mut(&key(&fact)) {
                    answers.push(if side == RankSide::Tail { fact.object.0 } else { fact.subject.0 });
                }
            }
        }
        known.values_mut().for_each(|answers| {
            answers.sort_unstable();
            answers.dedup();
        });
        known
    }

    fn rank_portion(
        &mut self,
        graph: usize,
        asked: &[Asked],
        known: &HashMap<(u32, u32), Vec<u32>>,
    ) -> Vec<f64> {
        let (first, count) = (self.joint.graphs[graph].first, self.joint.graphs[graph].entities as usize);
        let mut batch = Batch { entities: (first..first + count as u32).collect(), ..Default::default() };
        if self.leave_partner_out {
            batch.left_out = self.left_out(graph, asked);
        }
        self.encoder.forward(&batch, self.joint, self.parameters, self.contexts);
        let outs = batch.left_out.iter();
        let mut reverse: Vec<(u32, u32)> = outs.map(|out| (out.without - first, out.entity)).collect();
        reverse.par_sort_unstable();
        let scorer = Scorer { ranker: self, graph, batch: &batch, reverse, count };
        asked.par_chunks(BLOCK).flat_map_iter(|asked| scorer.ranks(asked, known)).collect()
    }

    /// Every pair of a fixed entity and a neighbour, either way round.
    fn left_out(&self, graph: usize, asked: &[Asked]) -> Vec<LeftOut> {
        let first = self.joint.graphs[graph].first;
        let count = self.joint.graphs[graph].entities;
        let mut is_fixed = vec![false; count as usize];
        asked.iter().for_each(|asked| is_fixed[asked.fixed as usize] = true);
        let mut outs: Vec<LeftOut> = (0..count)
            .into_par_iter()
            .flat_map_iter(|entity| {
                let near = self.joint.neighbours(first + entity);
                let is_fixed = &is_fixed;
                near.iter()
                    .filter(move |&id| is_fixed[entity as usize] || is_fixed[(id - first) as usize])
                    .map(move |without| LeftOut { entity, without })
            })
            .collect();
        outs.par_sort_unstable();
        outs.dedup();
        outs
    }
}

/// Scores candidates of one portion.
struct Scorer<'a, 'b> {
    ranker: &'a Ranker<'b>,
    graph: usize,
    batch: &'a Batch,
    /// Who is left out, and by whom; sorted.
    reverse: Vec<(u32, u32)>,
    count: usize,
}

impl Scorer<'_, '_> {
    fn ranks(&self, asked: &[Asked], known: &HashMap<(u32, u32), Vec<u32>>) -> Vec<f64> {
        let h = self.ranker.parameters.sizes.hidden;
        let z = &self.ranker.encoder.representations;
        let queries: Vec<f32> =
            asked.iter().flat_map(|asked| self.query(asked, asked.fixed as usize)).collect();
        let mut scores = vec![0.0; asked.len() * self.count];
        let candidates = &z[..self.count * h];
        let shape = [asked.len(), h, self.count];
        f32::multiply(shape, plain(&queries, h), transposed(candidates, h), &mut scores, Onto::Nothing);
        let each = asked.iter().zip(scores.chunks_exact_mut(self.count));
        each.map(|(asked, scores)| {
            self.leave_out(asked, scores);
            rank_of(scores, asked.right, &known[&(asked.fixed, asked.relation)])
        })
        .collect()
    }

    /// z_r ⊙ z of the fixed entity, by its row.
    fn query(&self, asked: &Asked, row: usize) -> Vec<f32> {
        let h = self.ranker.parameters.sizes.hidden;
        let relation = self.ranker.joint.relations.of(self.graph, asked.relation) as usize;
        let z = &self.ranker.encoder.representations[row * h..(row + 1) * h];
        let z_r = &self.ranker.relations[relation * h..(relation + 1) * h];
        z.iter().zip(z_r).map(|(a, b)| a * b).collect()
    }

    /// Scores again those candidates that are neighbours of the fixed entity, or have it as one.
    fn leave_out(&self, asked: &Asked, scores: &mut [f32]) {
        let outs = &self.batch.left_out;
        if outs.is_empty() {
            return;
        }
        let h = self.ranker.parameters.sizes.hidden;
        let z = &self.ranker.encoder.representations;
        let first = self.ranker.joint.graphs[self.graph].first;
        let row_without = |entity: u32, without: u32| {
            let out = LeftOut { entity, without: first + without };
            outs.binary_search(&out).map_or(entity as usize, |at| self.count + at)
        };
        let near = self.ranker.joint.neighbours(first + asked.fixed);
        let around = near.iter().map(|id| id - first);
        let begin = self.reverse.partition_point(|pair| pair.0 < asked.fixed);
        let reverse =
            self.reverse[begin..].iter().take_while(|pair| pair.0 == asked.fixed).map(|pair| pair.1);
        for candidate in around.chain(reverse) {
            let query = self.query(asked, row_without(asked.fixed, candidate));
            let row = row_without(candidate, asked.fixed);
            let answer = &z[row * h..(row + 1) * h];
            scores[candidate as usize] = query.iter().zip(answer).map(|(a, b)| a * b).sum();
        }
    }
}

/// One more than how many are better, and half of how many are equal. Not a number is worse than all.
fn rank_of(scores: &[f32], right: u32, known: &[u32]) -> f64 {
    let own = scores[right as usize];
    let (mut better, mut equal) = (0usize, 0usize);
    for &score in scores {
        better += usize::from(score > own);
        equal += usize::from(score == own);
    }
    let mut left_out = 0;
    for &other in known.iter().filter(|&&other| other != right) {
        let score = scores[other as usize];
        left_out += 1;
        better -= usize::from(score > own);
        equal -= usize::from(score == own);
    }
    if own.is_nan() {
        return (scores.len() - left_out) as f64;
    }
    1.0 + better as f64 + (equal - 1) as f64 / 2.0
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
mod tests;
