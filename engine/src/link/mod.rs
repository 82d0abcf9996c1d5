//! Which entities are the same?
//!
//! For each entity of one graph a few candidates of the other are found, by what is written about them and by where they
//! stand in their graphs; evidence is gathered about each pair; a decision is learned from the known links; and links are
//! chosen with a probability each.

pub mod agreement;
pub mod calibrate;
pub mod clusters;
pub mod compete;
mod decision;
pub mod decode;
mod figures;
mod find;
mod judge;
mod kinds;
mod learn;
mod learned;
mod outside;
mod pair;
pub mod structure;
mod together;
pub mod types;
pub mod values;
pub mod weigh;

pub use decision::TOGETHER;
pub use decode::Partners;
pub use figures::USUAL_LEAST;
pub use find::{Effort, Found, LinkConfig, Reasons, find, find_with};
pub use kinds::Kind;
pub use learned::Learned;
pub use outside::Outside;
pub use pair::{Candidates, Column, Pair};
pub use together::{LearnedOf, find_all};
