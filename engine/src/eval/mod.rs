//! How good is the model?
//!
//! [`standings`] compares scores of any model that compares vectors; [`Ranker`] asks it about LinkNBed, [`VectorRanker`]
//! about the models that it is compared with, and [`TripleFigures`] says what many ranks amount to. [`linkage`] is about entities that are the same.

mod categories;
mod count;
mod known;
pub mod linkage;
mod metrics;
#[cfg(test)]
mod pykeen_tests;
mod rank;
mod ranking;
mod triples;
mod vector_ranking;

pub use categories::Category;
pub use count::{Correction, Questions, standings};
pub use known::KnownAnswers;
pub use metrics::{Figures, Metrics};
pub use rank::{Rank, RankSide, Standing};
pub use ranking::{Ranker, Ranks};
pub use triples::{CategoryFigures, RelationFigures, Sides, TripleFigures, Unseen};
pub use vector_ranking::VectorRanker;
