//! What is asked about a fact?
//!
//! The relational loss (Eq. 11) asks for its subject or its object among entities that make no known fact. The linkage
//! loss (Eq. 12) asks for the same with the entity of another graph that is the same: right is the linked one, or the
//! original where no link is known; wrong are those with a negative label. Everything is drawn from a stream of the
//! fact's own, so that the order in which threads work does not matter.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::config::{
    Config, Corrupt, KnownFacts, LinkageEnds, LinkageGraphs, LinkageNegatives, MissingLabel, ModelKind,
    NegativeKind,
};
use crate::joint::{Joint, JointGraph};

/// A training fact, with its graph's own numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    pub(super) graph: u32,
    pub(super) subject: u32,
    pub(super) relation: u32,
    pub(super) object: u32,
    /// The stream its choices are drawn from.
    pub(super) stream: u64,
}

/// The end of a fact that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Head,
    Tail,
}

/// A question, with numbers of entities among all graphs.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) graph: u32,
    /// Where wrong answers come from.
    pub(super) answers_from: u32,
    pub(super) asked: End,
    /// The number of the relation in its graph.
    pub(super) relation: u32,
    pub(super) fixed: u32,
    pub(super) right: u32,
    /// Its own wrong answers: a range of those of its portion.
    pub(super) wrong: std::ops::Range<usize>,
    /// How much it counts beside others of its loss.
    pub(super) weight: f32,
}

/// What is asked about some facts.
#[derive(Debug, Default)]
pub(super) struct Portion {
    pub(super) relational: Vec<Question>,
    pub(super) linkage: Vec<Question>,
    pub(super) wrong: Vec<u32>,
    /// Linked entities that are brought together.
    pub(super) pairs: Vec<(u32, u32)>,
}

/// So often a wrong answer is drawn again before the question does without it.
const ATTEMPTS: usize = 30;

impl Portion {
    /// Draws everything that is asked about a fact.
    pub(super) fn ask(&mut self, joint: &Joint, config: &Config, fact: Drawn, dice: &mut ChaCha8Rng) {
        let ends: &[End] = match config.negatives.corrupt {
            Corrupt::Head => &[End::Head],
            Corrupt::Tail => &[End::Tail],
            Corrupt::Both => &[End::Head, End::Tail],
            Corrupt::Either if dice.random() => &[End::Head],
            Corrupt::Either => &[End::Tail],
        };
        for &end in ends {
            let wrong = match config.negatives.kind {
                NegativeKind::Independent => self.draw_wrong(joint, config, fact, end, dice),
                NegativeKind::Shared | NegativeKind::All => 0..0,
            };
            self.relational.push(question(joint, fact, end, wrong));
        }
        if !config.linkage.on || config.model.kind != ModelKind::LinkNBed {
            return;
        }
        let ends: &[End] = match config.linkage.ends {
            LinkageEnds::Both => &[End::Head, End::Tail],
            LinkageEnds::Head => &[End::Head],
            LinkageEnds::Tail => &[End::Tail],
        };
        for &end in ends {
            self.ask_links(joint, config, fact, end, dice);
        }
    }

    fn draw_wrong(
        &mut self,
        joint: &Joint,
        config: &Config,
        fact: Drawn,
        end: End,
        dice: &mut ChaCha8Rng,
    ) -> std::ops::Range<usize> {
        let graph = &joint.graphs[fact.graph as usize];
        let begin = self.wrong.len();
        let (right, fixed) =
            if end == End::Head { (fact.subject, fact.object) } else { (fact.object, fact.subject) };
        let known = match end {
            End::Tail => graph.objects_of(fact.subject, fact.relation),
            End::Head => &[],
        };
        let is_wrong = |entity: u32| match end {
            _ if entity == fixed && !config.negatives.itself => false,
            _ if config.negatives.known == KnownFacts::Kept => entity != right,
            End::Tail => known.binary_search(&entity).is_err(),
            End::Head => !graph.knows(entity, fact.relation, fact.object),
        };
        for _ in 0..config.negatives.count {
            let drawn =
                (0..ATTEMPTS).map(|_| draw_one(graph, config, right, dice)).find(|&entity| is_wrong(entity));
            self.wrong.extend(drawn.map(|entity| graph.first + entity));
        }
        begin..self.wrong.len()
    }

    /// The questions of the linkage loss about one end of a fact.
    fn ask_links(&mut self, joint: &Joint, config: &Config, fact: Drawn, end: End, dice: &mut ChaCha8Rng) {
        let own = if end == End::Head { fact.subject } else { fact.object };
        let about = |labels: &&crate::joint::Labels| labels.graphs.contains(&(fact.graph as usize));
        let count = joint.labels.iter().filter(about).count();
        if count == 0 {
            return;
        }
        let chosen = match config.linkage.graphs {
            LinkageGraphs::All => 0..count,
            LinkageGraphs::One => {
                let one = dice.random_range(0..count);
                one..one + 1
            }
        };
        for labels in joint.labels.iter().filter(about).skip(chosen.start).take(chosen.len()) {
            let Some(partner) = labels.partner(fact.graph as usize, own) else { continue };
            let other = &joint.graphs[partner.graph];
            let mut question = question(joint, fact, end, 0..0);
            match partner.entity {
                Some(entity) => question.right = other.first + entity,
                None if config.linkage.missing == MissingLabel::Original => {}
                None => continue,
            }
            question.answers_from = partner.graph as u32;
            if let Some(entity) = partner.entity
                && config.linkage.alignment > 0.0
            {
                self.pairs.push((joint.graphs[fact.graph as usize].first + own, other.first + entity));
            }
            if config.linkage.negatives == LinkageNegatives::Labels {
                let begin = self.wrong.len();
                let negatives = labels.negatives(fact.graph as usize, own);
                self.wrong.extend(negatives.take(config.linkage.count).map(|entity| other.first + entity));
                if self.wrong.len() == begin {
                    continue;
                }
                question.wrong = begin..self.wrong.len();
            }
            self.linkage.push(question);
        }
    }
}

fn question(joint: &Joint, fact: Drawn, asked: End, wrong: std::ops::Range<usize>) -> Question {
    let first = joint.graphs[fact.graph as usize].first;
    let (fixed, right) = match asked {
        End::Head => (fact.object, fact.subject),
        End::Tail => (fact.subject, fact.object),
    };
    Question {
        graph: fact.graph,
        answers_from: fact.graph,
        asked,
        relation: fact.relation,
        fixed: first + fixed,
        right: first + right,
        wrong,
        weight: 1.0,
    }
}

/// One entity of the graph: any, or one of a type that the right answer has.
pub(super) fn draw_one(graph: &JointGraph, config: &Config, right: u32, dice: &mut ChaCha8Rng) -> u32 {
    if config.negatives.by_type > 0.0 && dice.random::<f64>() < config.negatives.by_type {
        let types = graph.types_of(crate::graph::EntityId(right));
        if !types.is_empty() {
            let members = graph.members_of(types[dice.random_range(0..types.len())]);
            return members[dice.random_range(0..members.len())];
        }
    }
    dice.random_range(0..graph.entities)
}

#[cfg(test)]
#[path = "draw_tests.rs"]
mod tests;
