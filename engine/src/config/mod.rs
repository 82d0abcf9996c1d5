//! What can be chosen?
//!
//! Everything about a training that is not data. No value is hidden in code: a [`Config`] is a preset, which names every
//! key, overridden by a file, overridden by single `key=value` pairs ([`Config::resolve`]). The presets are the
//! manual: there every key is explained, and here only named.

mod assign;
mod check;
mod choices;
mod file;
mod nearest;
mod preset;
mod resolve;

pub use choices::{
    Activation, Aggregation, Average, Corrupt, InitialFrom, InitialShape, KnownFacts, LeaveOut, LinkageEnds,
    LinkageGraphs, LinkageNegatives, LossKind, Method, Metric, MissingLabel, ModelKind, NegativeKind, Norm,
    Precision, RankedSide, Reach, Score, Share, Vectors,
};
pub(crate) use nearest::edit_distance;
pub use preset::{BASELINE_PRESETS, PRESETS, preset_text};

use serde::{Deserialize, Serialize};

/// All choices, in the order of the presets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// What everything random is drawn from.
    pub seed: u64,
    /// Sizes and functions.
    pub model: ModelConfig,
    /// What vectors are before the first step.
    pub initial: InitialConfig,
    /// What a representation is made of.
    pub contexts: ContextConfig,
    /// Wrong answers to facts.
    pub negatives: NegativeConfig,
    /// What is minimised.
    pub loss: LossConfig,
    /// What is learned from labels.
    pub linkage: LinkageConfig,
    /// What keeps parameters small.
    pub regularization: RegularizationConfig,
    /// How parameters move.
    pub optimizer: OptimizerConfig,
    /// How much is learned, and in what portions.
    pub training: TrainingConfig,
    /// How the model is judged while it learns.
    pub validation: ValidationConfig,
    /// What is kept on disk while it learns.
    pub checkpoint: CheckpointConfig,
}

/// Sizes and functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Which model.
    pub kind: ModelKind,
    /// d: numbers of an entity's own vector.
    pub entity: usize,
    /// k: numbers of a relation's own vector.
    pub relation: usize,
    /// q: numbers of a type's vector; the key is `type`.
    #[serde(rename = "type")]
    pub class: usize,
    /// y: numbers of an attribute's vector.
    pub attribute: usize,
    /// h: numbers of a representation.
    pub hidden: usize,
    /// v: features that values are hashed into.
    pub features: usize,
    /// Whether equal names are one row.
    pub share: Share,
    /// f of Eq. 1–3.
    pub vectors: Vectors,
    /// σ of Eq. 7–9.
    pub activation: Activation,
    /// σ of Eq. 10.
    pub score: Score,
    /// Whether relations have other vectors backwards.
    pub reciprocal: bool,
    /// The distance of models that have one.
    pub norm: Norm,
}

/// What vectors are before the first step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialConfig {
    /// Where they come from.
    pub from: InitialFrom,
    /// The file of word vectors, or the folder of a run; empty for none.
    pub path: String,
    /// How random numbers are spread.
    pub shape: InitialShape,
    /// How far.
    pub scale: f64,
}

/// What a representation is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContextConfig {
    /// The entity's own vector.
    pub own: bool,
    /// N_c: the entities around it.
    pub neighbourhood: Aggregation,
    /// A_c: its attributes.
    pub attributes: Aggregation,
    /// T_c: the types of a relation.
    pub types: Aggregation,
    /// Weights that are learned for what is aggregated.
    pub attention: bool,
    /// Whether the other entity of a fact is left out of a neighbourhood.
    pub leave_partner_out: LeaveOut,
    /// Which entities are around an entity.
    pub reach: Reach,
    /// Neighbours that are drawn for each batch; 0 for all.
    pub neighbours: usize,
}

/// Wrong answers to facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NegativeConfig {
    /// Where they come from.
    pub kind: NegativeKind,
    /// C: how many.
    pub count: usize,
    /// Which end of a fact they replace.
    pub corrupt: Corrupt,
    /// The share that is of the type of what is replaced.
    pub by_type: f64,
    /// So many facts share a pool; 0 for all of a batch.
    pub chunk: usize,
    /// What becomes of those that are known to be right.
    pub known: KnownFacts,
    /// Whether the entity that a question is about can be a wrong answer to it.
    pub itself: bool,
}

/// What is minimised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossConfig {
    /// What it costs to be wrong.
    pub kind: LossKind,
    /// γ of Eq. 11 and 12.
    pub margin: f64,
    /// How the wrong answers of a question add up.
    pub average: Average,
    /// What part of the right answer's weight all answers share.
    pub smoothing: f64,
    /// Answers that pull at a question by less than this do so by lot.
    pub thin: f64,
    /// How exactly scores of shared answers are computed.
    pub precision: Precision,
    /// The weight of paths, for GAKE.
    pub paths: f64,
    /// The weight of edges, for GAKE.
    pub edges: f64,
    /// b of Eq. 13.
    pub relational: f64,
}

/// What is learned from labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkageConfig {
    /// Whether anything is.
    pub on: bool,
    /// Which ends of a fact are asked for.
    pub ends: LinkageEnds,
    /// With which other graphs.
    pub graphs: LinkageGraphs,
    /// What is right where there is no positive label.
    pub missing: MissingLabel,
    /// Where wrong answers come from.
    pub negatives: LinkageNegatives,
    /// Z: how many of them.
    pub count: usize,
    /// The weight of the distance between representations of linked entities.
    pub alignment: f64,
}

/// What keeps parameters small.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegularizationConfig {
    /// λ of Eq. 13.
    pub l2: f64,
    /// The same for the vectors of relations.
    pub relation_l2: f64,
    /// The weight of the cubes of representations.
    pub n3: f64,
    /// The share of each entity's representation that is left out.
    pub dropout: f64,
    /// The same for relations.
    pub relation_dropout: f64,
}

/// How parameters move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerConfig {
    /// How gradients become steps.
    pub method: Method,
    /// How large the first steps are.
    pub rate: f64,
    /// The rate is multiplied by this after every epoch.
    pub decay: f64,
    /// Validations without improvement after which the rate falls; 0 for never.
    pub patience: usize,
    /// What the rate is then multiplied by.
    pub plateau_factor: f64,
    /// Steps in which the rate rises from nothing.
    pub warmup: usize,
    /// Last epochs in which the rate falls.
    pub cooldown: f64,
}

/// How much is learned, and in what portions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingConfig {
    /// Facts of a step.
    pub batch: usize,
    /// How often every fact is seen.
    pub epochs: usize,
    /// The graphs whose facts are learned; empty for all.
    pub graphs: Vec<String>,
}

/// How the model is judged while it learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationConfig {
    /// Epochs from one validation to the next; 0 for never.
    pub every: f64,
    /// By what.
    pub metric: Metric,
    /// Facts of each graph; 0 for all.
    pub facts: usize,
    /// Which end of them is asked for.
    pub side: RankedSide,
    /// Validations without improvement after which training stops; 0 for never.
    pub patience: usize,
    /// The graphs whose facts are ranked; empty for all that are learned.
    pub graphs: Vec<String>,
}

/// What is kept on disk while it learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointConfig {
    /// Minutes from one checkpoint to the next; 0 for never.
    pub every_minutes: f64,
    /// Older checkpoints that stay besides the best.
    pub keep: usize,
}
