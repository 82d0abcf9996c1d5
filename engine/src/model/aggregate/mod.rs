//! How does a context become one vector? (Eq. 4)
//!
//! One aggregator, one file.

pub mod max;
pub mod mean;
