//! Between what is there a choice?
//!
//! The words of a config file are the names here in small letters; the variants tell what they mean.

use serde::{Deserialize, Serialize};

/// Which model learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// The paper's.
    #[serde(rename = "linknbed")]
    LinkNBed,
    /// A matrix for each relation.
    Rescal,
    /// A diagonal matrix for each relation.
    #[serde(rename = "distmult")]
    DistMult,
    /// The same of complex numbers.
    #[serde(rename = "complex")]
    ComplEx,
    /// A relation is a way from subject to object.
    #[serde(rename = "transe")]
    TransE,
    /// A relation is a turn of complex numbers.
    #[serde(rename = "rotate")]
    RotatE,
    /// A way between subject and object, each behind a matrix of the relation's.
    #[serde(rename = "stranse")]
    STransE,
    /// What is around an entity tells which one it is.
    Gake,
}

/// How a distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Norm {
    /// The sum of all differences.
    L1,
    /// The root of the sum of their squares.
    L2,
}

/// How random numbers are spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialShape {
    /// Evenly between two bounds.
    Uniform,
    /// Around zero.
    Normal,
}

/// How exactly products of many queries and answers are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// As numbers are.
    Single,
    /// Of numbers that are rounded to half their size.
    Half,
}

/// What becomes of wrong answers that are known to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownFacts {
    /// They do not count.
    LeftOut,
    /// They count as wrong.
    Kept,
}

/// Whether what has one name in several graphs is one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Relations, types and attribute keys of equal names are one row.
    Names,
    /// Every graph has its own rows.
    Nothing,
}

/// Which entities are around an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Those that the walks of `import` met.
    Walks,
    /// Those in one training fact with it.
    Direct,
}

/// f of Eq. 1–3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vectors {
    /// max(0, x).
    Relu,
    /// x.
    Identity,
}

/// σ of Eq. 7–9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activation {
    /// tanh x.
    Tanh,
    /// max(0, x).
    Relu,
    /// x.
    Identity,
}

/// σ of Eq. 10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// 1 / (1 + exp(−x)).
    Sigmoid,
    /// x.
    Identity,
}

/// Where vectors come from before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialFrom {
    /// They are drawn.
    Random,
    /// From the vectors of the words in a name.
    Words,
    /// From a run that was trained before.
    Run,
}

/// AGG of Eq. 4: how a context becomes one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// The context is not used.
    Off,
    /// The mean of its vectors.
    Mean,
    /// The largest number in each place.
    Max,
    /// The largest number in each place, behind a layer that is learned.
    Pooling,
    /// What an LSTM remembers of them.
    Lstm,
}

/// When the other entity of a fact is left out of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaveOut {
    /// Always.
    Always,
    /// In what is right; wrong answers see it.
    Right,
    /// Never.
    Never,
}

/// Where the wrong answers of a fact come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NegativeKind {
    /// They are drawn for each fact.
    Independent,
    /// They are drawn once for many facts.
    Shared,
    /// All entities of the graph.
    All,
}

/// Which end of a fact wrong answers replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Corrupt {
    /// For each fact one of the two, drawn.
    Either,
    /// The subject.
    Head,
    /// The object.
    Tail,
    /// Both, as two questions.
    Both,
}

/// What it costs to be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossKind {
    /// Each wrong answer must stay behind by a margin.
    Margin,
    /// The right answer must stand out among all.
    Softmax,
    /// Each answer is judged for itself.
    Logistic,
}

/// How the wrong answers of a question add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Average {
    /// Their losses are added.
    Sum,
    /// Their losses are averaged.
    Mean,
}

/// Which ends of a fact the linkage loss asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkageEnds {
    /// Both, as two questions.
    Both,
    /// The subject.
    Head,
    /// The object.
    Tail,
}

/// With which other graphs an entity is linked in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkageGraphs {
    /// With every other graph.
    All,
    /// With one other graph, drawn anew.
    One,
}

/// What is the right answer where an entity has no positive label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingLabel {
    /// The entity itself.
    Original,
    /// There is none, and no question.
    Skip,
}

/// Where the wrong answers of the linkage loss come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkageNegatives {
    /// From the negative labels of the entity.
    Labels,
    /// From the shared wrong answers of the batch.
    Shared,
}

/// How gradients become steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Steps follow the mean of the last gradients.
    Adam,
    /// Steps shrink as gradients add up.
    Adagrad,
}

/// By what a model is judged while it learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Metric {
    /// The mean of 1 / rank.
    #[serde(rename = "mrr")]
    Mrr,
    /// How often the right answer is first.
    #[serde(rename = "hits@1")]
    HitsAt1,
    /// How often it is among the first three.
    #[serde(rename = "hits@3")]
    HitsAt3,
    /// How often it is among the first ten.
    #[serde(rename = "hits@10")]
    HitsAt10,
}

/// Which end of a fact is asked for when facts are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedSide {
    /// The object.
    Tail,
    /// Subject and object in turn.
    Both,
}
