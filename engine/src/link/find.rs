//! How are the links of two graphs found?
//!
//! 1. Candidates are proposed by what is written, by structure, and by partners of linked neighbours.
//! 2. Evidence about each is gathered, weighed, and compared with its rivals'.
//! 3. What is likely then becomes evidence for the neighbours, for some rounds.
//!
//! Where enough links are known, all of this is done first without a quarter of them: these say what evidence is worth and
//! how far probabilities can be trusted. Then it is done again with all known links.

use super::compete::IMPOSSIBLE;
use super::decode::{Partners, Places, Scored};
use super::judge::Material;
use super::learn::Lesson;
use super::outside::Outside;
use super::weigh::Signals;
use super::{Candidates, Kind, Pair};
use crate::error::Result;
use crate::graph::{Link, is_name_key};
use crate::progress::{Progress, Unit};

/// How links are found.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConfig {
    /// What is looked at; sorted, each once, at least one.
    pub kinds: Vec<Kind>,
    /// What is drawn is drawn from this.
    pub seed: u64,
    /// How often likely links become evidence for their neighbours.
    pub rounds: usize,
    /// How many partners linked neighbours propose for an entity.
    pub from_neighbours: usize,
    /// How many partners an entity may have.
    pub partners: Partners,
    /// How much work structure is.
    pub structure: Effort,
}

/// How much work structure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Many rounds of long descriptions: where structure has to decide alone.
    Whole,
    /// A fifth of that: where other evidence decides most pairs.
    #[default]
    Less,
}

impl Effort {
    /// What is due beside these kinds of evidence.
    fn beside(kinds: &[Kind]) -> Self {
        match kinds.contains(&Kind::Names) || kinds.contains(&Kind::Attributes) {
            true => Self::Less,
            false => Self::Whole,
        }
    }
}

impl LinkConfig {
    /// Looks at these kinds of evidence; at all, if none is named.
    pub fn looking_at(kinds: &[Kind]) -> Self {
        let mut kinds = if kinds.is_empty() { Kind::ALL.to_vec() } else { kinds.to_vec() };
        kinds.sort_unstable();
        kinds.dedup();
        Self { structure: Effort::beside(&kinds), kinds, ..Default::default() }
    }

    /// The same without the kinds of evidence that one of two graphs does not have: who has no names is not judged as if
    /// names had been compared in vain. Where neither has anything that is asked for, nothing changes.
    fn seen_in(&self, pair: &Pair<'_>) -> Self {
        let has = |kind: &Kind| {
            pair.graphs().into_iter().all(|graph| {
                let mut keys = (0..graph.keys.len() as u32).map(|key| is_name_key(graph.keys.get(key)));
                match kind {
                    Kind::Names => keys.any(|is_name| is_name),
                    Kind::Attributes => keys.any(|is_name| !is_name),
                    Kind::Types => !graph.types.is_empty(),
                    Kind::Structure | Kind::Model | Kind::Graphs => true,
                }
            })
        };
        let kinds: Vec<Kind> = self.kinds.iter().copied().filter(has).collect();
        match kinds.is_empty() || kinds.len() == self.kinds.len() {
            true => self.clone(),
            false => Self { structure: Effort::beside(&kinds), kinds, ..self.clone() },
        }
    }

    /// The same without a kind of evidence that is not there.
    #[must_use]
    pub fn without(mut self, kind: Kind) -> Self {
        self.kinds.retain(|own| *own != kind);
        self
    }
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            kinds: Kind::ALL.into(),
            seed: 0,
            rounds: 4,
            from_neighbours: 20,
            partners: Partners::One,
            structure: Effort::Less,
        }
    }
}

/// Candidates, and what became of them.
#[derive(Debug)]
pub struct Found {
    /// The pairs that were looked at.
    pub candidates: Candidates,
    /// How far each is ahead of its rivals.
    pub margins: Vec<f32>,
    /// How likely each is.
    pub probabilities: Vec<f32>,
    /// The links that were known.
    pub known: Vec<Link>,
    signals: Signals,
    pub(super) lesson: Lesson,
    places: Places,
}

/// Finds the links of two graphs.
pub fn find(pair: &Pair<'_>, config: &LinkConfig, progress: &dyn Progress) -> Result<Found> {
    find_with(pair, config, &Outside::default(), progress)
}

/// Finds the links of two graphs, with what is known from outside them.
pub fn find_with(
    pair: &Pair<'_>,
    config: &LinkConfig,
    outside: &Outside<'_>,
    progress: &dyn Progress,
) -> Result<Found> {
    find_by(pair, config, outside, None, progress)
}

/// The same, by a lesson that was learned before.
pub(super) fn find_by(
    pair: &Pair<'_>,
    config: &LinkConfig,
    outside: &Outside<'_>,
    lesson: Option<&Lesson>,
    progress: &dyn Progress,
) -> Result<Found> {
    let config = &config.seen_in(pair);
    progress.begin("reading what is written", None, Unit::Items);
    let material = Material::new(pair, config);
    progress.end();
    let places = Places { entities: material.entities(), partners: config.partners };
    let lesson = match lesson {
        Some(lesson) => lesson.clone(),
        None => Lesson::of_known(&material, pair, config, &places, progress)?,
    };
    progress.begin("finding links", None, Unit::Items);
    let judged = material.judge(pair, config, &lesson.decisions, outside)?;
    progress.end();
    Ok(Found {
        probabilities: judged.margins.iter().map(|&margin| lesson.probability(margin)).collect(),
        candidates: judged.candidates,
        margins: judged.margins,
        known: pair.known.clone(),
        signals: judged.signals,
        lesson,
        places,
    })
}

impl Found {
    /// The links, each of at least a probability, without those that were known; sorted by the first entity.
    pub fn links(&self, least: f32) -> Vec<Scored> {
        let pairs = self.probabilities.iter().zip(&self.margins);
        // What is no number is no link.
        let possible = pairs.map(|(&p, &margin)| if margin > IMPOSSIBLE { p } else { f32::NAN });
        self.places.links(&self.candidates, &possible.collect::<Vec<f32>>(), least)
    }

    /// The least probability at which the links are right so often, by their own probabilities; more than 1 if there is
    /// none.
    pub fn least_for_precision(&self, precision: f64) -> f32 {
        let mut found: Vec<f32> = self.links(0.0).iter().map(|link| link.score).collect();
        found.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut sum, mut least) = (0.0, 2.0);
        for (at, &probability) in found.iter().enumerate() {
            sum += f64::from(probability);
            if sum / (at + 1) as f64 >= precision {
                least = probability;
            }
        }
        least
    }

    /// The place of a pair among the candidates.
    pub fn place(&self, first: u32, second: u32) -> Option<usize> {
        self.candidates.place(first, second)
    }

    /// What moved the probability of a candidate: what each column added, what speaks against any pair, and what rivals
    /// took away. Their sum, by the slope and the shift of the calibration, is the logarithm of its odds.
    pub fn reasons(&self, at: usize) -> Reasons {
        let decision = &self.lesson.decisions.last;
        let parts = decision.parts(&self.signals, at);
        let score: f32 = decision.weights.against + parts.iter().map(|part| part.1).sum::<f32>();
        Reasons {
            parts: parts.into_iter().filter(|part| part.1 != 0.0).collect(),
            against: decision.weights.against,
            rivals: self.margins[at] - score,
            slope: self.lesson.calibration.slope as f32,
            shift: self.lesson.calibration.shift as f32,
            probability: self.probabilities[at],
        }
    }
}

/// What moved a probability, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasons {
    /// What each column added, if anything.
    pub parts: Vec<(&'static str, f32)>,
    /// What speaks against any pair.
    pub against: f32,
    /// What rivals took away.
    pub rivals: f32,
    /// What the sum is multiplied by.
    pub slope: f32,
    /// What is added then.
    pub shift: f32,
    /// What comes out.
    pub probability: f32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part, Value};
    use crate::joint::small_graphs::prepared;

    #[test]
    fn what_a_graph_does_not_have_is_not_looked_at() {
        let graph = |name: &str, has_names: bool| {
            let mut graph = GraphBuilder::default();
            graph.fact(Part::Train, "a", "r", "b");
            if has_names {
                graph.attribute("a", "name", Value::plain("A"));
            }
            graph.finish(name)
        };
        let kinds = |named: [bool; 2], asked: &[Kind]| {
            let graphs = vec![graph("one", named[0]), graph("two", named[1])];
            let data = prepared(graphs, Vec::new(), 0);
            let config = LinkConfig::looking_at(asked).seen_in(&Pair::new(&data.data, [0, 1], Vec::new()));
            (config.kinds, config.structure)
        };
        let rest = vec![Kind::Structure, Kind::Model, Kind::Graphs];
        assert_eq!(kinds([true, false], &[]), (rest, Effort::Whole));
        let named = vec![Kind::Structure, Kind::Names, Kind::Model, Kind::Graphs];
        assert_eq!(kinds([true, true], &[]), (named, Effort::Less));
        assert_eq!(kinds([false, false], &[Kind::Names]), (vec![Kind::Names], Effort::Less));
    }
}
