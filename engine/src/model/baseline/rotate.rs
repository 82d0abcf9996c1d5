//! What does RotatE say?
//!
//! ```text
//! score(s, r, o) = −Σ |sᵢ rᵢ − oᵢ|,  rᵢ = exp(i θᵢ)        queries: q = s r for the object, q = o r̄ for the subject
//! ```
//!
//! Turning does not change distances, so that |s r − o| = |s − o r̄|. What is learned of a relation are the angles θ.
//!
//! Sun, Deng, Nie and Tang: RotatE: Knowledge Graph Embedding by Relational Rotation in Complex Space (2019).

use super::Direction;
use super::complex::{self, sign};
use crate::compute::Real;

/// exp(i θ), real parts first.
fn turn<T: Real>(angles: &[T]) -> Vec<T> {
    let real = angles.iter().map(|angle| T::of(angle.to_f64().cos()));
    real.chain(angles.iter().map(|angle| T::of(angle.to_f64().sin()))).collect()
}

pub(super) fn query<T: Real>(direction: Direction, fixed: &[T], angles: &[T], query: &mut [T]) {
    complex::query(direction, fixed, &turn(angles), query);
}

pub(super) fn back_to_fixed<T: Real>(direction: Direction, angles: &[T], to_query: &[T], to_fixed: &mut [T]) {
    complex::back_to_fixed(direction, &turn(angles), to_query, to_fixed);
}

/// d exp(±i θ) / dθ = ±i exp(±i θ), so that each angle gets ±(g_im q_re − g_re q_im) of its query q.
pub(super) fn back_to_relation<T: Real>(
    direction: Direction,
    fixed: &[T],
    angles: &[T],
    to_query: &[T],
    to_angles: &mut [T],
) {
    let mut turned = vec![T::ZERO; fixed.len()];
    query(direction, fixed, angles, &mut turned);
    let half = angles.len();
    for (at, to) in to_angles.iter_mut().enumerate() {
        let around = to_query[half + at] * turned[at] - to_query[at] * turned[half + at];
        *to += sign::<T>(direction) * around;
    }
}
