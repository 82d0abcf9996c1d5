//! What does STransE say?
//!
//! ```text
//! score(s, r, o) = −‖W₁ s + r − W₂ o‖
//! queries: q = W₁ s + r for the object, which is compared as W₂ o; q = W₂ o − r for the subject, compared as W₁ s
//! ```
//!
//! The row of a relation is r, then W₁, then W₂. Both matrices begin as the identity, which is TransE.
//!
//! Nguyen, Sirts, Qu and Johnson: STransE: a novel embedding model of entities and relationships in knowledge bases
//! (2016).

use super::Direction;
use super::complex::sign;
use super::rescal::{add_moved, add_outer, add_turned};
use crate::compute::Real;
use crate::compute::rows::add_scaled;

/// The numbers of the matrix of one end, after those of r: the subject's is the first.
fn matrix(end: Direction, d: usize) -> std::ops::Range<usize> {
    match end {
        // The fixed end is the subject when the object is asked for.
        Direction::Forth => d..d + d * d,
        Direction::Back => d + d * d..d + 2 * d * d,
    }
}

fn other(direction: Direction) -> Direction {
    match direction {
        Direction::Forth => Direction::Back,
        Direction::Back => Direction::Forth,
    }
}

pub(super) fn query<T: Real>(direction: Direction, fixed: &[T], relation: &[T], query: &mut [T]) {
    let d = fixed.len();
    query.fill(T::ZERO);
    add_moved(query, &relation[matrix(direction, d)], fixed);
    add_scaled(query, &relation[..d], sign(direction));
}

pub(super) fn back_to_fixed<T: Real>(
    direction: Direction,
    relation: &[T],
    to_query: &[T],
    to_fixed: &mut [T],
) {
    add_turned(to_fixed, &relation[matrix(direction, to_query.len())], to_query);
}

pub(super) fn back_to_relation<T: Real>(
    direction: Direction,
    fixed: &[T],
    to_query: &[T],
    to_relation: &mut [T],
) {
    let d = fixed.len();
    add_outer(&mut to_relation[matrix(direction, d)], to_query, fixed);
    add_scaled(&mut to_relation[..d], to_query, sign(direction));
}

/// The matrix that moves answers is that of the end which is asked for.
pub(super) fn matrix_of_answers(direction: Direction, d: usize) -> std::ops::Range<usize> {
    matrix(other(direction), d)
}

/// An answer behind the matrix of its end.
pub(super) fn moved<T: Real>(direction: Direction, answer: &[T], relation: &[T], moved: &mut [T]) {
    moved.fill(T::ZERO);
    add_moved(moved, &relation[matrix_of_answers(direction, answer.len())], answer);
}

/// Both matrices are the identity before the first step.
pub(super) fn first_matrices(d: usize, row: &mut [f32]) {
    row[d..].fill(0.0);
    for end in [Direction::Forth, Direction::Back] {
        row[matrix(end, d)].iter_mut().step_by(d + 1).for_each(|x| *x = 1.0);
    }
}
