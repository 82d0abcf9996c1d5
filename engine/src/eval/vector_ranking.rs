//! Which entity does a model mean that has one vector for each?
//!
//! Queries are compared with the vectors of all entities of the graph; where the relation moves answers, with what it
//! makes of them.

use rayon::prelude::*;

use super::count::{Questions, standings};
use super::known::KnownAnswers;
use super::rank::{RankSide, Standing};
use super::ranking::Ranks;
use crate::graph::Fact;
use crate::joint::Joint;
use crate::model::baseline::{Direction, Kind};
use crate::model::parameters::Parameters;
use crate::progress::Progress;

/// Ranks facts with a model that LinkNBed is compared with.
#[derive(Debug)]
pub struct VectorRanker<'a> {
    joint: &'a Joint,
    parameters: &'a Parameters<f32>,
    kind: Kind,
}

/// So many facts are ranked at a time.
const PORTION: usize = 1920;

impl<'a> VectorRanker<'a> {
    /// Ranks with the given parameters.
    pub fn new(joint: &'a Joint, parameters: &'a Parameters<f32>, kind: Kind) -> Self {
        Self { joint, parameters, kind }
    }

    /// The vectors of the entities of a graph.
    pub fn entities(&self, graph: usize) -> &'a [f32] {
        let (w, graph) = (self.parameters.sizes.entity, &self.joint.graphs[graph]);
        &self.parameters.entities[graph.first as usize * w..(graph.first + graph.entities) as usize * w]
    }

    /// The row of a relation, and the direction in which it is asked.
    pub fn relation(&self, graph: usize, relation: u32, side: RankSide) -> (&'a [f32], Direction) {
        let all = self.joint.relations.len() as u32;
        let own = self.joint.relations.of(graph, relation);
        let is_reciprocal = self.parameters.sizes.relations > all as usize;
        let (row, direction) = match (side, is_reciprocal) {
            (RankSide::Tail, _) => (own, Direction::Forth),
            (RankSide::Head, true) => (all + own, Direction::Forth),
            (RankSide::Head, false) => (own, Direction::Back),
        };
        let v = self.parameters.sizes.relation;
        (&self.parameters.relations[row as usize * v..(row as usize + 1) * v], direction)
    }

    /// What the entities of a graph are compared as.
    pub fn candidates(&self, graph: usize, relation: u32, side: RankSide) -> std::borrow::Cow<'a, [f32]> {
        let (w, entities) = (self.parameters.sizes.entity, self.entities(graph));
        if !self.kind.moves_answers() {
            return entities.into();
        }
        let (relation, direction) = self.relation(graph, relation, side);
        let mut moved = vec![0.0; entities.len()];
        moved.par_chunks_mut(w).zip(entities.par_chunks(w)).with_min_len(64).for_each(|(moved, entity)| {
            self.kind.moved(direction, entity, relation, moved);
        });
        moved.into()
    }

    /// The query of an entity and a relation.
    pub fn query(&self, graph: usize, fixed: u32, relation: u32, side: RankSide, query: &mut [f32]) {
        let w = self.parameters.sizes.entity;
        let (relation, direction) = self.relation(graph, relation, side);
        let fixed = &self.entities(graph)[fixed as usize * w..(fixed as usize + 1) * w];
        self.kind.query(direction, fixed, relation, query);
    }

    /// Ranks facts that have the same candidates.
    fn rank_portion(
        &self,
        graph: usize,
        asked: &[Fact],
        side: RankSide,
        known: &KnownAnswers,
    ) -> Vec<Standing> {
        let w = self.parameters.sizes.entity;
        let mut queries = vec![0.0; asked.len() * w];
        queries.par_chunks_mut(w).zip(asked).for_each(|(query, fact)| {
            self.query(graph, side.ends(fact).0, fact.relation.0, side, query);
        });
        let none: &[_] = &[];
        standings(&Questions {
            width: w,
            measure: self.kind.measure(),
            queries: &queries,
            candidates: &self.candidates(graph, asked[0].relation.0, side),
            right: &asked.iter().map(|fact| side.ends(fact).1).collect::<Vec<_>>(),
            known: &asked.iter().map(|fact| known.of(fact)).collect::<Vec<_>>(),
            corrections: &vec![none; asked.len()],
        })
    }
}

impl Ranks for VectorRanker<'_> {
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
        let all = self.joint.graphs[graph].facts.iter().flat_map(|part| part.iter());
        let known = KnownAnswers::new(side, facts, all);
        let mut order: Vec<usize> = (0..facts.len()).collect();
        order.par_sort_unstable_by_key(|&at| (facts[at].relation.0, at));
        let mut found = vec![Standing::default(); facts.len()];
        // Where the relation moves answers, those of one relation have the same candidates.
        let is_together =
            |a: &usize, b: &usize| !self.kind.moves_answers() || facts[*a].relation == facts[*b].relation;
        for portion in order.chunk_by(is_together).flat_map(|same| same.chunks(PORTION)) {
            let asked: Vec<Fact> = portion.iter().map(|&at| facts[at]).collect();
            let standings = self.rank_portion(graph, &asked, side, &known);
            portion.iter().zip(standings).for_each(|(&at, standing)| found[at] = standing);
            progress.advance(portion.len() as u64);
        }
        found
    }
}

#[cfg(test)]
#[path = "vector_ranking_tests.rs"]
mod tests;
