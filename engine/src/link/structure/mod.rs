//! Which entities stand at the same place of their graphs?
//!
//! Aligns two graphs by known links and facts alone: no names, no attributes, no training. In reading order: `edges` are
//! what is next to what; `propagate` spreads a random label from each known link, so that entities near to the same links
//! are described alike (in the manner of LightEA); `nearest` finds, exactly and in both directions, who is described most
//! alike, and in large graphs `sharing` and `cells` do so nearly; [`decode`](super::decode) lets these pairs compete; and `rounds` makes confident pairs links of the next round.
//!
//! Two entities of different graphs that are next to none of the links say nothing about each other, and the evidence of
//! such a pair is not a number.
//!
//! *Evidence of known links.* A known link carries a label of its own, so its evidence is perfect and tells nothing about
//! that of unknown ones. Who learns from evidence aligns with some of the known links held out ([`folds`]) and takes
//! theirs from there.

mod aligned;
pub(super) mod cells;
mod edges;
mod held_out;
pub(super) mod nearest;
mod propagate;
mod rounds;
mod sharing;

pub use aligned::Aligned;
pub use held_out::{Fold, folds};
pub use propagate::Weights;

use super::Pair;
use super::decode::Sinkhorn;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// How two graphs are aligned by structure. The default was chosen on several pairs of graphs; see
/// `docs/concepts/linking.md`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StructureConfig {
    /// Labels are drawn from this.
    pub seed: u64,
    /// How many numbers describe an entity: more are less noisy, and cost time in proportion.
    pub width: usize,
    /// What a description is made of.
    pub weights: Weights,
    /// How many candidates of an entity compete, in either direction; fewer in graphs so large that they are not searched
    /// exactly.
    pub list: usize,
    /// A similarity is corrected by its means over so many nearest: entities that are near to everything have less.
    pub hubness: usize,
    /// How those described alike are looked for.
    pub search: Search,
    /// How candidates compete.
    pub sinkhorn: Sinkhorn,
    /// How often labels are spread; after each round but the last, confident pairs become links of the next.
    pub rounds: usize,
    /// The least share of a confident pair, in either direction the best.
    pub confident: f32,
}

/// How entities that are described alike are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// Exactly, unless graphs are so large that it would take minutes; then nearly, and with shorter lists.
    #[default]
    BySize,
    /// Each entity is compared with each.
    Exact,
    /// Entities are compared that share a link next to them or a cell: nearly all of those that are alike.
    Nearly,
}

impl Default for StructureConfig {
    fn default() -> Self {
        Self {
            seed: 0,
            width: 1024,
            // Only pairs found in the round before have labels of their own where entities are compared. If these
            // counted, a wrong pair would confirm itself: on dbp15k Hits@1 among all falls from .769 to .711.
            weights: Weights { own: 0.0, near: 1.0, far: 1.0, relations: 1.0 },
            list: 50,
            hubness: 10,
            search: Search::BySize,
            sinkhorn: Sinkhorn { temperature: 0.02, unmatched: 0.0, turns: 20 },
            rounds: 5,
            confident: 0.3,
        }
    }
}

impl StructureConfig {
    fn check(&self) -> Result<()> {
        let least = |name: &str, found: usize, least: usize| match found < least {
            true => Err(Error::Usage(format!("structure: {name} is {found}; it must be at least {least}"))),
            false => Ok(()),
        };
        least("width", self.width, 16)?;
        least("list", self.list, 1)?;
        least("hubness", self.hubness, 1)?;
        least("rounds", self.rounds, 1)?;
        least("turns", self.sinkhorn.turns, 1)?;
        // A comparison that a number which is none does not pass.
        if self.sinkhorn.temperature > 0.0 {
            return Ok(());
        }
        let found = self.sinkhorn.temperature;
        Err(Error::Usage(format!("structure: temperature is {found}; it must be more than 0")))
    }
}

/// Aligns the graphs of a pair by their facts and the known links. The same bits on any number of threads.
pub fn align(pair: &Pair<'_>, config: &StructureConfig, progress: &dyn Progress) -> Result<Aligned> {
    config.check()?;
    let graphs = pair.graphs();
    let entities = graphs.map(|graph| graph.entities.len());
    if pair.known.iter().any(|link| link.first.row() >= entities[0] || link.second.row() >= entities[1]) {
        let names = format!("{} and {}", graphs[0].name, graphs[1].name);
        return Err(Error::Usage(format!(
            "structure: a known link of {names} names an entity that is not there"
        )));
    }
    Ok(rounds::align(pair, config, progress))
}

#[cfg(test)]
mod tests;
