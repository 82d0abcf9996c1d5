//! Who must leave whom out?
//!
//! In a fact, neither entity counts as a neighbour of the other (Sec. 3.2). A question fixes one entity and tries answers
//! in the place of the other: where the two are neighbours, they are encoded once more without each other, and that
//! answer has a query of its own, apart from those that the other answers share.

use rayon::prelude::*;

use super::pool::Shared;
use super::sample::Asked;
use crate::compute::places::Places;
use crate::config::{Aggregation, Config, LeaveOut, ModelKind};
use crate::joint::Joint;
use crate::model::entity::{Batch, Ids};

/// Which entities of a pair leave the other one out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outs {
    /// The fixed one leaves the answer out.
    pub(super) fixed: bool,
    /// The answer leaves the fixed one out.
    pub(super) answer: bool,
}

/// The answers of a question that have a query of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct Apart {
    /// The right one always has.
    pub(super) right: Outs,
    /// Wrong ones that are neighbours.
    pub(super) wrong: Vec<(u32, Outs)>,
}

/// What a step is about, while neighbours are looked for.
pub(super) struct Scene<'a> {
    pub(super) joint: &'a Joint,
    pub(super) places: &'a Places,
    pub(super) batch: &'a Batch,
    pub(super) asked: &'a Asked,
}

impl Scene<'_> {
    fn near(&self, entity: u32) -> Ids<'_> {
        self.batch.neighbours(self.places.of(entity) as usize, self.joint)
    }

    /// For each question the answers that have a query of their own.
    pub(super) fn apart(&self, config: &Config, pools: &[Shared]) -> Vec<Apart> {
        let leave_out = match config.contexts.neighbourhood {
            _ if config.model.kind != ModelKind::LinkNBed => LeaveOut::Never,
            Aggregation::Off => LeaveOut::Never,
            _ => config.contexts.leave_partner_out,
        };
        if leave_out == LeaveOut::Never {
            return vec![Apart::default(); self.asked.questions.len()];
        }
        let of_question = |question: &super::draw::Question| {
            let around = self.near(question.fixed);
            let outs = |answer: u32| Outs {
                fixed: around.contains(answer),
                answer: self.near(answer).contains(question.fixed),
            };
            let mut apart = Apart { right: outs(question.right), wrong: Vec::new() };
            // Neighbours are of one graph; those of another cannot be.
            if leave_out == LeaveOut::Always && question.answers_from == question.graph {
                let pairs = self.asked.wrong_of(question).iter().map(|&answer| (answer, outs(answer)));
                apart.wrong.extend(pairs.filter(|(_, outs)| outs.fixed || outs.answer));
            }
            apart
        };
        let mut apart: Vec<Apart> = self.asked.questions.par_iter().map(of_question).collect();
        if leave_out == LeaveOut::Always {
            for pool in pools.iter().filter(|pool| !pool.questions.is_empty()) {
                self.of_pool(pool, &mut apart);
            }
        }
        apart
    }

    /// The candidates of a pool that are neighbours of a question's fixed entity, or have it as one.
    fn of_pool(&self, pool: &Shared, apart: &mut [Apart]) {
        let graph = &self.joint.graphs[pool.graph as usize];
        let within = |entity: u32| entity >= graph.first && entity - graph.first < graph.entities;
        let mut place_of = vec![u32::MAX; graph.entities as usize];
        for (place, &entity) in pool.candidates.iter().enumerate() {
            place_of[entity as usize] = place as u32;
        }
        let own = &self.asked.questions[pool.questions.clone()];
        let reverse = self.candidates_around(pool, own.iter().map(|q| q.fixed).filter(|&id| within(id)));
        let masks = pool.masked.par_iter();
        let questions = apart[pool.questions.clone()].par_iter_mut().zip(own).zip(masks);
        questions.filter(|((_, question), _)| within(question.fixed)).for_each(
            |((apart, question), masked)| {
                let first = reverse.partition_point(|pair| pair.0 < question.fixed);
                let backs =
                    reverse[first..].iter().take_while(|pair| pair.0 == question.fixed).map(|pair| pair.1);
                let mut found: Vec<(u32, Outs)> = self
                    .near(question.fixed)
                    .iter()
                    .filter(|&id| place_of[(id - graph.first) as usize] != u32::MAX)
                    .map(|id| (id, Outs { fixed: true, answer: false }))
                    .collect();
                for back in backs {
                    match found.binary_search_by_key(&back, |pair| pair.0) {
                        Ok(at) => found[at].1.answer = true,
                        Err(at) => found.insert(at, (back, Outs { fixed: false, answer: true })),
                    }
                }
                let is_masked =
                    |id: u32| masked.binary_search(&place_of[(id - graph.first) as usize]).is_ok();
                apart.wrong.extend(found.into_iter().filter(|pair| !is_masked(pair.0)));
            },
        );
    }

    /// Candidates that have one of the fixed entities as a neighbour, by that entity; sorted.
    fn candidates_around(&self, pool: &Shared, fixed: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
        let graph = &self.joint.graphs[pool.graph as usize];
        let mut is_fixed = vec![false; graph.entities as usize];
        fixed.for_each(|id| is_fixed[(id - graph.first) as usize] = true);
        let mut pairs: Vec<(u32, u32)> = pool
            .candidates
            .par_iter()
            .flat_map_iter(|&candidate| {
                let around = self.near(graph.first + candidate).iter();
                around
                    .filter(|&id| is_fixed[(id - graph.first) as usize])
                    .map(move |id| (id, graph.first + candidate))
            })
            .collect();
        pairs.par_sort_unstable();
        pairs
    }
}
