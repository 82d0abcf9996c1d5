//! linknbed joins knowledge graphs.
pub mod error;
pub mod progress;
pub mod graph;
pub mod io;
pub use error::{Error, Result};
