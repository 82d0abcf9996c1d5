//! How does the model learn?

mod ahead;
mod apart;
mod around;
mod baseline;
mod draw;
mod dropout;
pub mod initial;
mod learner;
mod linknbed;
pub mod optimizer;
mod pool;
mod sample;
mod shuffle;
mod trainer;

pub use ahead::Ahead;
pub use around::Around;
pub use baseline::Baseline;
pub use learner::{Learner, Losses, baseline, contexts, ranker, sizes, zero_parameters};
pub use linknbed::LinkNBed;
pub use sample::{Sample, Sampler};
pub use trainer::{End, Judgement, State, Trainer};
