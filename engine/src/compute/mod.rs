//! How is the machine used well?
//!
//! The one room where `unsafe` may be written: each block says why it is sound.

pub mod mapped;
