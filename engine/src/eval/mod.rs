//! How good is the model?
//!
//! [`standings`] compares scores of any model that is a product of vectors; [`Ranker`] asks it about LinkNBed, and
//! [`TripleFigures`] says what many ranks amount to. [`linkage`] is about entities that are the same.

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

pub use categories::Category;
pub use count::{Correction, Questions, standings};
pub use known::KnownAnswers;
pub use metrics::{Figures, Metrics};
pub use rank::{Rank, RankSide, Standing};
pub use ranking::Ranker;
pub use triples::{CategoryFigures, RelationFigures, Sides, TripleFigures, Unseen};
