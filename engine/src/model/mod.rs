//! What does the paper say?
//!
//! One layer, one file: the equation with its number, the way forward, and the way back directly below it. A layer
//! knows ids and [`compute`](crate::compute) only: no files, clocks or random numbers.

pub mod activation;
pub mod aggregate;
pub mod baseline;
pub mod entity;
#[cfg(test)]
pub(crate) mod finite_differences;
pub mod loss;
pub mod masks;
pub mod measure;
pub mod parameters;
pub mod pool;
pub mod relation;
pub mod score;
pub mod thin;
#[cfg(test)]
mod whole_step;
