//! Which entity does the model think is meant?
//!
//! For a fact (s, r, o) all entities of the graph are put in the place of o (or of s), and [`standings`] says where the
//! right one stands. As everywhere, an entity's neighbourhood leaves the other entity of the fact out, for each
//! candidate anew: candidates that are neighbours of the fixed entity, or have it as one, have scores of their own.
//!
//! All entities of a graph are encoded once. Facts are ranked in portions, for each of which every pair of a fixed
//! entity and a neighbour is encoded once more.

use rayon::prelude::*;

use super::count::{Correction, Questions, standings};
use super::known::KnownAnswers;
use super::rank::{RankSide, Standing};
use crate::graph::Fact;
use crate::joint::Joint;
use crate::model::entity::{Batch, Contexts, Encoder, LeftOut};
use crate::model::measure::Measure;
use crate::model::parameters::Parameters;
use crate::model::relation;
use crate::progress::{Progress, Silent};

/// Says where right answers stand.
pub trait Ranks {
    /// What is ranked.
    fn joint(&self) -> &Joint;

    /// Where the right answer stands for each of some facts of a graph. Advances by one for each.
    fn standings(
        &mut self,
        graph: usize,
        facts: &[Fact],
        side: RankSide,
        progress: &dyn Progress,
    ) -> Vec<Standing>;

    /// The filtered place of the right answer for each of some facts of a graph; of equal scores it takes the middle.
    fn rank(&mut self, graph: usize, facts: &[Fact], side: RankSide) -> Vec<f64> {
        let standings = self.standings(graph, facts, side, &Silent);
        standings.into_iter().map(|standing| standing.filtered.mean()).collect()
    }
}

/// Ranks facts with LinkNBed.
#[derive(Debug)]
pub struct Ranker<'a> {
    joint: &'a Joint,
    parameters: &'a Parameters<f32>,
    contexts: Contexts,
    leave_partner_out: bool,
    relations: Vec<f32>,
    /// The graph that `entities` has encoded.
    encoded: Option<usize>,
    entities: Encoder<f32>,
    /// Entities without one of their neighbours.
    without: Encoder<f32>,
}

/// So many facts are ranked at a time.
const PORTION: usize = 960;

impl<'a> Ranker<'a> {
    /// Ranks with the given parameters.
    pub fn new(
        joint: &'a Joint,
        parameters: &'a Parameters<f32>,
        contexts: Contexts,
        leave_partner_out: bool,
    ) -> Self {
        let relations = relation::forward(&joint.relation_types, parameters, contexts).representations;
        Self {
            joint,
            parameters,
            contexts,
            leave_partner_out: leave_partner_out && contexts.neighbourhood.is_some(),
            relations,
            encoded: None,
            entities: Encoder::default(),
            without: Encoder::default(),
        }
    }

    fn encode(&mut self, graph: usize) {
        if self.encoded == Some(graph) {
            return;
        }
        let (first, count) = (self.joint.graphs[graph].first, self.joint.graphs[graph].entities);
        let batch = Batch { entities: (first..first + count).collect(), ..Default::default() };
        self.entities.forward(&batch, self.joint, self.parameters, self.contexts);
        self.encoded = Some(graph);
    }

    /// Ranks facts that are sorted by the fixed entity and the relation.
    fn rank_portion(
        &mut self,
        graph: usize,
        asked: &[Fact],
        side: RankSide,
        known: &KnownAnswers,
    ) -> Vec<Standing> {
        let pairs = if self.leave_partner_out { self.pairs(graph, asked, side) } else { Vec::new() };
        let batch = self.encode_without(graph, &pairs);
        let portion = Portion::new(self, graph, pairs, batch);
        let is_same = |a: &Fact, b: &Fact| side.ends(a).0 == side.ends(b).0 && a.relation == b.relation;
        let same: Vec<&[Fact]> = asked.chunk_by(is_same).collect();
        let of = |facts: &&[Fact]| portion.corrections(side.ends(&facts[0]).0, facts[0].relation.0);
        let corrections: Vec<Vec<Correction>> = same.par_iter().map(of).collect();
        let repeated = same.iter().zip(&corrections);
        let corrections: Vec<&[Correction]> =
            repeated.flat_map(|(same, list)| same.iter().map(|_| list.as_slice())).collect();
        let queries: Vec<f32> = asked
            .iter()
            .flat_map(|fact| {
                let fixed = portion.representation(side.ends(fact).0);
                fixed.iter().zip(portion.relation(fact.relation.0)).map(|(a, b)| a * b)
            })
            .collect();
        let h = self.parameters.sizes.hidden;
        standings(&Questions {
            width: h,
            measure: Measure::Product,
            queries: &queries,
            candidates: &self.entities.representations[..self.joint.graphs[graph].entities as usize * h],
            right: &asked.iter().map(|fact| side.ends(fact).1).collect::<Vec<_>>(),
            known: &asked.iter().map(|fact| known.of(fact)).collect::<Vec<_>>(),
            corrections: &corrections,
        })
    }

    /// Every pair of a fixed entity and a neighbour, either way round: an entity, and whom it leaves out; sorted.
    fn pairs(&self, graph: usize, asked: &[Fact], side: RankSide) -> Vec<(u32, u32)> {
        let graph = &self.joint.graphs[graph];
        let mut is_fixed = vec![false; graph.entities as usize];
        asked.iter().for_each(|fact| is_fixed[side.ends(fact).0 as usize] = true);
        let is_fixed = &is_fixed;
        let mut pairs: Vec<(u32, u32)> = (0..graph.entities)
            .into_par_iter()
            .flat_map_iter(|entity| {
                let near = graph.neighbourhoods.get(entity as usize).iter();
                near.filter(move |&&id| is_fixed[entity as usize] || is_fixed[id as usize])
                    .map(move |&without| (entity, without))
            })
            .collect();
        pairs.par_sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Encodes entities without one of their neighbours.
    fn encode_without(&mut self, graph: usize, pairs: &[(u32, u32)]) -> Batch {
        let first = self.joint.graphs[graph].first;
        let mut batch = Batch::default();
        for &(entity, without) in pairs {
            if batch.entities.last() != Some(&(first + entity)) {
                batch.entities.push(first + entity);
            }
            let place = batch.entities.len() as u32 - 1;
            batch.left_out.push(LeftOut { entity: place, without: first + without });
        }
        if !pairs.is_empty() {
            self.without.forward(&batch, self.joint, self.parameters, self.contexts);
        }
        batch
    }
}

impl Ranks for Ranker<'_> {
    fn joint(&self) -> &Joint {
        self.joint
    }

    fn standings(
        &mut self,
        graph: usize,
        facts: &[Fact],
        side: RankSide,
        progress: &dyn Progress,
    ) -> Vec<Standing> {
        self.encode(graph);
        let all = self.joint.graphs[graph].facts.iter().flat_map(|part| part.iter());
        let known = KnownAnswers::new(side, facts, all);
        // What is asked about one entity comes together, so that it leaves each neighbour out once.
        let mut order: Vec<usize> = (0..facts.len()).collect();
        order.par_sort_unstable_by_key(|&at| (side.ends(&facts[at]).0, facts[at].relation.0, at));
        let mut standings = vec![Standing::default(); facts.len()];
        for portion in order.chunks(PORTION) {
            let asked: Vec<Fact> = portion.iter().map(|&at| facts[at]).collect();
            let found = self.rank_portion(graph, &asked, side, &known);
            portion.iter().zip(found).for_each(|(&at, found)| standings[at] = found);
            progress.advance(portion.len() as u64);
        }
        standings
    }
}

/// What the facts of a portion are scored with; all numbers are the graph's own.
struct Portion<'a, 'b> {
    ranker: &'a Ranker<'b>,
    graph: usize,
    /// Entities, and whom they leave out; sorted.
    pairs: Vec<(u32, u32)>,
    /// The same, whom first.
    reverse: Vec<(u32, u32)>,
    /// Representations of whole neighbourhoods that come before those of the pairs.
    before: usize,
}

impl<'a, 'b> Portion<'a, 'b> {
    fn new(ranker: &'a Ranker<'b>, graph: usize, pairs: Vec<(u32, u32)>, batch: Batch) -> Self {
        let mut reverse: Vec<(u32, u32)> = pairs.iter().map(|&(entity, without)| (without, entity)).collect();
        reverse.par_sort_unstable();
        Self { ranker, graph, pairs, reverse, before: batch.entities.len() }
    }

    fn row(&self, table: &'a [f32], row: usize) -> &'a [f32] {
        let h = self.ranker.parameters.sizes.hidden;
        &table[row * h..(row + 1) * h]
    }

    fn relation(&self, relation: u32) -> &'a [f32] {
        self.row(&self.ranker.relations, self.ranker.joint.relations.of(self.graph, relation) as usize)
    }

    fn representation(&self, entity: u32) -> &'a [f32] {
        self.row(&self.ranker.entities.representations, entity as usize)
    }

    /// The representation of an entity that leaves another out, if it is a neighbour.
    fn representation_without(&self, entity: u32, other: u32) -> &'a [f32] {
        match self.pairs.binary_search(&(entity, other)) {
            Ok(at) => self.row(&self.ranker.without.representations, self.before + at),
            Err(_) => self.representation(entity),
        }
    }

    /// The scores of candidates that are neighbours of the fixed entity, or have it as one.
    fn corrections(&self, fixed: u32, relation: u32) -> Vec<Correction> {
        let others = |pairs: &'_ [(u32, u32)]| {
            let begin = pairs.partition_point(|pair| pair.0 < fixed);
            let end = pairs.partition_point(|pair| pair.0 <= fixed);
            pairs[begin..end].iter().map(|pair| pair.1).collect::<Vec<u32>>()
        };
        let mut candidates = others(&self.pairs);
        candidates.extend(others(&self.reverse));
        candidates.sort_unstable();
        candidates.dedup();
        let relation = self.relation(relation);
        let score = |candidate: u32| {
            let fixed_row = self.representation_without(fixed, candidate);
            product(fixed_row, relation, self.representation_without(candidate, fixed))
        };
        candidates.into_iter().map(|candidate| Correction { candidate, score: score(candidate) }).collect()
    }
}

/// Σ a b c, in lanes that are summed at the end: one after the other would wait for each addition.
fn product(a: &[f32], b: &[f32], c: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    for ((a, b), c) in a.chunks(LANES).zip(b.chunks(LANES)).zip(c.chunks(LANES)) {
        for (((sum, a), b), c) in sums.iter_mut().zip(a).zip(b).zip(c) {
            *sum += a * b * c;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
#[path = "ranking_tests.rs"]
mod tests;
