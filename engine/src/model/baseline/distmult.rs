//! What does DistMult say?
//!
//! ```text
//! score(s, r, o) = Σ sᵢ rᵢ oᵢ        query: q = f ⊙ r, the same in both directions
//! ```
//!
//! Yang, Yih, He, Gao and Deng: Embedding Entities and Relations for Learning and Inference in Knowledge Bases (2015).

use crate::compute::{Real, kernel};

pub(super) fn query<T: Real>(fixed: &[T], relation: &[T], query: &mut [T]) {
    query.fill(T::ZERO);
    add_product(query, fixed, relation);
}

/// To the one of entity and relation, given the other.
pub(super) fn back<T: Real>(other: &[T], to_query: &[T], to: &mut [T]) {
    add_product(to, other, to_query);
}

kernel! {
    /// `out += a ⊙ b`.
    pub fn add_product(out: &mut [T], a: &[T], b: &[T]) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out += a * b;
        }
    }
}
