//! How does the model learn?

pub mod optimizer;
