//! linknbed joins knowledge graphs.
//!
//! It reads several graphs with their attributes, types and known links, and prepares them for learning one joint
//! representation of all their entities and relations (LinkNBed, ACL 2018). The modules stand in reading order; each
//! answers one question, and each uses only those above it.

pub mod error;
pub mod progress;

pub mod graph;

pub mod compute;

pub mod io;

pub mod clean;

pub mod world;

pub mod dataset;

pub mod config;

pub mod model;

pub mod joint;

pub mod eval;

pub mod train;

pub mod run;

pub mod predict;

pub mod link;

pub mod merge;

pub mod report;

pub mod assess;

pub mod reproduce;

pub use error::{Error, Result};

/// The README's snippets are tested.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
