//! How is the machine used well?
//!
//! Mapped files, and arithmetic on many numbers. Plain loops are the specification; they are compiled for each set of
//! instructions and chosen at run time ([`level`]). The one room where `unsafe` may be written: each block says why it
//! is sound.

pub mod across;
#[cfg(target_arch = "x86_64")]
mod amx;
mod half;
pub mod level;
pub mod lines;
pub mod mapped;
pub mod matrix;
pub mod memory;
pub mod places;
pub mod real;
pub mod rows;
mod tile;
pub mod turned;
pub mod update;

pub(crate) use level::kernel;
pub use real::{Onto, Real};
