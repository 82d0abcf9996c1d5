//! Which facts are missing?
//!
//! A query fixes a relation and one entity, and asks for the other: all entities of the graph are scored in its place,
//! those that make a known fact are left out, and the best are the answer. As in training and evaluation, the two
//! entities of a fact are no neighbours of each other, for each candidate anew.

mod answers;
mod explain;
mod names;
mod questions;

pub use answers::{Answer, Predictor, Query};
pub use explain::{Explanation, Part, Whose};
pub use names::{entity, graph, name_of, relation};
pub use questions::{Question, queries};
