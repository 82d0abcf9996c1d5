//! How does the model learn?

mod apart;
mod draw;
mod dropout;
pub mod initial;
mod learner;
pub mod optimizer;
mod pool;
mod sample;
mod shuffle;
mod trainer;

pub use learner::{Learner, Losses, contexts, sizes};
pub use sample::{Sample, Sampler};
pub use trainer::{End, Judgement, State, Trainer};
