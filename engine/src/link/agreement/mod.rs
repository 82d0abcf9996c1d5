//! Do the neighbours of two entities agree?
//!
//! After PARIS (Suchanek, Abiteboul and Senellart, 2011): two entities are the same if a neighbour of one is the same as a
//! neighbour of the other, in relations that mean the same and that lead back to few. With r(x, y) and r'(x', y'),
//!
//! ```text
//! P(x ≡ x') = 1 − Π (1 − P(r' ⊆ r) · fun⁻¹(r) · P(y ≡ y')) · (1 − P(r ⊆ r') · fun⁻¹(r') · P(y ≡ y'))
//! ```
//!
//! where fun⁻¹(r) is how far y alone tells x: the number of different y over the number of facts. Every relation is also
//! read backwards. What links are used, and how sure they are, the caller says.
//!
//! A pair is judged by links of its neighbours, never by its own: its own reaches it only through the alignment of
//! relations, where it is one of many.

mod columns;
mod relations;
mod surroundings;

pub use columns::{columns, columns_of, proposals};
pub use relations::{AlignedRelations, Direction, RelationAlignment, alignment};
pub use surroundings::Surroundings;
