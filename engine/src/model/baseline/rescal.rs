//! What does RESCAL say?
//!
//! ```text
//! score(s, r, o) = sᵀ W o        queries: q = Wᵀ s for the object, q = W o for the subject
//! ```
//!
//! Nickel, Tresp and Kriegel: A Three-Way Model for Collective Learning on Multi-Relational Data (2011).

use super::Direction;
use crate::compute::Real;
use crate::compute::rows::add_scaled;
use crate::model::measure::sum_of_products;

pub(super) fn query<T: Real>(direction: Direction, fixed: &[T], matrix: &[T], query: &mut [T]) {
    query.fill(T::ZERO);
    match direction {
        Direction::Forth => add_turned(query, matrix, fixed),
        Direction::Back => add_moved(query, matrix, fixed),
    }
}

pub(super) fn back_to_fixed<T: Real>(direction: Direction, matrix: &[T], to_query: &[T], to_fixed: &mut [T]) {
    match direction {
        Direction::Forth => add_moved(to_fixed, matrix, to_query),
        Direction::Back => add_turned(to_fixed, matrix, to_query),
    }
}

pub(super) fn back_to_relation<T: Real>(
    direction: Direction,
    fixed: &[T],
    to_query: &[T],
    to_matrix: &mut [T],
) {
    match direction {
        Direction::Forth => add_outer(to_matrix, fixed, to_query),
        Direction::Back => add_outer(to_matrix, to_query, fixed),
    }
}

/// `out += W x`.
pub(super) fn add_moved<T: Real>(out: &mut [T], matrix: &[T], x: &[T]) {
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *out += sum_of_products(row, x);
    }
}

/// `out += Wᵀ x`.
pub(super) fn add_turned<T: Real>(out: &mut [T], matrix: &[T], x: &[T]) {
    for (&x, row) in x.iter().zip(matrix.chunks_exact(out.len())) {
        add_scaled(out, row, x);
    }
}

/// `W += x yᵀ`.
pub(super) fn add_outer<T: Real>(matrix: &mut [T], x: &[T], y: &[T]) {
    for (&x, row) in x.iter().zip(matrix.chunks_exact_mut(y.len())) {
        add_scaled(row, y, x);
    }
}
