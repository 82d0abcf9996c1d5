//! How good is the model?

pub mod linkage;
mod ranking;

pub use ranking::{Metrics, RankSide, Ranker};
