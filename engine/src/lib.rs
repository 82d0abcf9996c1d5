//! linknbed joins knowledge graphs.
pub mod error;
pub mod progress;
pub mod graph;
pub mod compute;
pub mod io;
pub mod clean;
pub mod world;
pub mod dataset;
pub use error::{Error, Result};
