//! How good is the model?

mod ranking;

pub use ranking::{Metrics, RankSide, Ranker};
