//! What does the paper say?
//!
//! One layer, one file: the equation with its number, the way forward, and the way back directly below it. A layer
//! knows ids and [`compute`](crate::compute) only: no files, clocks or random numbers.

#[cfg(test)]
mod finite_differences;
pub mod neighbourhood;
pub mod parameters;
