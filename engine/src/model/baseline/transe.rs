//! What does TransE say?
//!
//! ```text
//! score(s, r, o) = −‖s + r − o‖        queries: q = s + r for the object, q = o − r for the subject
//! ```
//!
//! Bordes, Usunier, García-Durán, Weston and Yakhnenko: Translating Embeddings for Modeling Multi-relational Data (2013).

use super::Direction;
use super::complex::sign;
use crate::compute::Real;
use crate::compute::rows::add_scaled;

pub(super) fn query<T: Real>(direction: Direction, fixed: &[T], relation: &[T], query: &mut [T]) {
    query.copy_from_slice(fixed);
    add_scaled(query, relation, sign(direction));
}

pub(super) fn back_to_fixed<T: Real>(to_query: &[T], to_fixed: &mut [T]) {
    add_scaled(to_fixed, to_query, T::ONE);
}

pub(super) fn back_to_relation<T: Real>(direction: Direction, to_query: &[T], to_relation: &mut [T]) {
    add_scaled(to_relation, to_query, sign(direction));
}
