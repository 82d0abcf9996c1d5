//! Which wrong answers do many questions share, and which of them do not count?
//!
//! Candidates are drawn once for a portion of the batch. For each question those that make a known fact do not count,
//! nor does the right answer, nor the fixed entity where the config says so. Candidates that are neighbours of the fixed
//! entity, or have it as a neighbour, are scored apart, because one of the two must be left out of the other's neighbourhood.

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::draw::{End, Question, draw_one};
use crate::config::{Config, KnownFacts, NegativeKind};
use crate::joint::{Joint, JointGraph};

/// Candidates for a range of questions.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) graph: u32,
    pub(super) questions: Range<usize>,
    /// The candidates with the graph's own numbers, sorted.
    pub(super) candidates: Vec<u32>,
    /// For each question, sorted: what does not count, by the place of the candidate.
    pub(super) masked: Vec<Vec<u32>>,
}

/// So often what is missing is drawn again before a pool does without it.
const ROUNDS: usize = 16;

impl Shared {
    /// Draws the candidates of some questions, and finds those that do not count.
    pub(super) fn draw(
        joint: &Joint,
        config: &Config,
        asked: &[Question],
        questions: Range<usize>,
        dice: &mut ChaCha8Rng,
        count: usize,
    ) -> Self {
        let own = &asked[questions.clone()];
        let number = own[0].answers_from;
        let graph = &joint.graphs[number as usize];
        let candidates = candidates(graph, config, own, dice, count);
        let mut shared = Self { graph: number, questions, candidates, masked: vec![Vec::new(); own.len()] };
        match config.negatives.known {
            KnownFacts::LeftOut => shared.mask_known(graph, own),
            KnownFacts::Kept => {}
        }
        shared.mask_ends(graph, own, config.negatives.itself);
        shared
    }

    /// The place of a candidate.
    pub(super) fn place(&self, entity: u32) -> Option<u32> {
        self.candidates.binary_search(&entity).ok().map(|place| place as u32)
    }

    /// Right answers are no wrong ones, whatever is known; nor is what a question is about, where it is no answer to itself.
    fn mask_ends(&mut self, graph: &JointGraph, asked: &[Question], itself: bool) {
        for (at, question) in asked.iter().enumerate() {
            let ends = [Some(question.right), (!itself).then_some(question.fixed)];
            for entity in ends.into_iter().flatten() {
                let place = entity.checked_sub(graph.first).and_then(|entity| self.place(entity));
                self.masked[at].extend(place);
            }
            self.masked[at].sort_unstable();
            self.masked[at].dedup();
        }
    }

    /// Other answers that are known to be right; those of a question in any order, and some twice.
    fn mask_known(&mut self, graph: &JointGraph, asked: &[Question]) {
        let mut places = vec![u32::MAX; graph.entities as usize];
        for (place, &entity) in self.candidates.iter().enumerate() {
            places[entity as usize] = place as u32;
        }
        // Whose subjects are asked for: relation and object, and the question.
        let mut heads: Vec<((u32, u32), usize)> = Vec::new();
        let mut objects = vec![false; graph.entities as usize];
        for (at, question) in asked.iter().enumerate() {
            let masked = &mut self.masked[at];
            let mut add = |entity: u32| {
                let place = places[entity as usize];
                if place != u32::MAX {
                    masked.push(place);
                }
            };
            let same_graph = question.graph == self.graph;
            match (same_graph, question.asked) {
                (true, End::Tail) => {
                    let subject = question.fixed - graph.first;
                    graph.objects_of(subject, question.relation).iter().for_each(|&entity| add(entity));
                }
                (true, End::Head) => {
                    let object = question.fixed - graph.first;
                    heads.push(((question.relation, object), at));
                    objects[object as usize] = true;
                }
                // A link: the original is right as well, where it is of another graph it is no candidate.
                (false, _) => {}
            }
        }
        if !heads.is_empty() {
            heads.sort_unstable();
            let facts = &graph.facts[0];
            for (place, &candidate) in self.candidates.iter().enumerate() {
                for row in graph.facts_of(candidate) {
                    let object = facts.objects[row];
                    if objects[object as usize] {
                        let asked = (facts.relations[row], object);
                        let first = heads.partition_point(|head| head.0 < asked);
                        let same = heads[first..].iter().take_while(|head| head.0 == asked);
                        same.for_each(|&(_, at)| self.masked[at].push(place as u32));
                    }
                }
            }
        }
    }
}

fn candidates(
    graph: &JointGraph,
    config: &Config,
    asked: &[Question],
    dice: &mut ChaCha8Rng,
    count: usize,
) -> Vec<u32> {
    if config.negatives.kind == NegativeKind::All || count >= graph.entities as usize {
        return (0..graph.entities).collect();
    }
    let mut candidates = Vec::with_capacity(count);
    // Those drawn twice are drawn again; types can be small, so not for ever. Up to half of a graph is found like this.
    for _ in 0..ROUNDS {
        while candidates.len() < count {
            let like = &asked[dice.random_range(0..asked.len())];
            let right = like.right.checked_sub(graph.first).filter(|&right| right < graph.entities);
            candidates.push(match right {
                Some(right) => draw_one(graph, config, right, dice),
                None => dice.random_range(0..graph.entities),
            });
        }
        candidates.sort_unstable();
        candidates.dedup();
        if candidates.len() == count {
            break;
        }
    }
    candidates
}
