//! What is ready to learn from?
//!
//! Graphs with their facts in parts, labels that say which entities are the same and which are not, neighbourhoods
//! from random walks, and the types that take part in each relation. [`prepare`] makes them and writes a folder;
//! [`Dataset::open`] maps it into memory in no time, whatever its size.

mod columns;
mod features;
mod import;
mod labels;
mod manifest;
mod open;
mod random;
mod relation_types;
mod split;
mod type_alignment;
mod walks;
mod write;

pub use columns::Lists;
pub use features::features;
pub use import::{ImportConfig, ImportReport, import};
pub use labels::NegativeConfig;
pub use manifest::{FileEntry, Frame, GraphCounts, LinkCounts, Manifest, PartCounts, Skipped, SourceEntry};
pub use open::{Dataset, FactColumns, PreparedGraph, PreparedLinks};
pub(crate) use random::Dice;
pub use relation_types::Side;
pub use split::Shares;
pub use walks::WalkConfig;
pub use write::{Material, prepare};

use serde::{Deserialize, Serialize};

/// How a data set is made from graphs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct PrepareConfig {
    /// Everything that is drawn is drawn from this.
    pub seed: u64,
    /// The parts that undivided facts and links are drawn into.
    pub split: Shares,
    /// The random walks that make neighbourhoods.
    pub walks: WalkConfig,
    /// The negative labels of each entity.
    pub negatives: NegativeConfig,
}
