//! What does ComplEx say?
//!
//! ```text
//! score(s, r, o) = Re Σ sᵢ rᵢ ōᵢ        queries: q = s r for the object, q = o r̄ for the subject
//! ```
//!
//! The first half of a vector are real parts, the second imaginary ones, so that Re Σ q c̄ is the product of two real
//! vectors.
//!
//! Trouillon, Welbl, Riedel, Gaussier and Bouchard: Complex Embeddings for Simple Link Prediction (2016).

use super::Direction;
use crate::compute::{Real, kernel};

/// +1, or −1 where r̄ takes the place of r.
pub(super) fn sign<T: Real>(direction: Direction) -> T {
    match direction {
        Direction::Forth => T::ONE,
        Direction::Back => -T::ONE,
    }
}

pub(super) fn query<T: Real>(direction: Direction, fixed: &[T], relation: &[T], query: &mut [T]) {
    query.fill(T::ZERO);
    let half = query.len() / 2;
    let (query, (fixed, relation)) =
        (query.split_at_mut(half), (fixed.split_at(half), relation.split_at(half)));
    add_complex(query.0, query.1, fixed.0, fixed.1, relation.0, relation.1, sign(direction));
}

/// g r̄ for q = f r, and g r for q = f r̄.
pub(super) fn back_to_fixed<T: Real>(
    direction: Direction,
    relation: &[T],
    to_query: &[T],
    to_fixed: &mut [T],
) {
    let half = to_query.len() / 2;
    let (to, (g, r)) = (to_fixed.split_at_mut(half), (to_query.split_at(half), relation.split_at(half)));
    add_complex(to.0, to.1, g.0, g.1, r.0, r.1, -sign::<T>(direction));
}

/// g f̄ for q = f r, and its conjugate, f ḡ, for q = f r̄.
pub(super) fn back_to_relation<T: Real>(
    direction: Direction,
    fixed: &[T],
    to_query: &[T],
    to_relation: &mut [T],
) {
    let half = to_query.len() / 2;
    let (to, (g, f)) = (to_relation.split_at_mut(half), (to_query.split_at(half), fixed.split_at(half)));
    match direction {
        Direction::Forth => add_complex(to.0, to.1, g.0, g.1, f.0, f.1, -T::ONE),
        Direction::Back => add_complex(to.0, to.1, f.0, f.1, g.0, g.1, -T::ONE),
    }
}

kernel! {
    /// `out += a b` of complex numbers, or with `sign` −1 `out += a b̄`.
    pub fn add_complex(out_re: &mut [T], out_im: &mut [T], a_re: &[T], a_im: &[T], b_re: &[T], b_im: &[T], sign: T) {
        let places = out_re.iter_mut().zip(out_im.iter_mut()).zip(a_re).zip(a_im).zip(b_re).zip(b_im);
        for (((((out_re, out_im), &a_re), &a_im), &b_re), &b_im) in places {
            let b_im = sign * b_im;
            *out_re += a_re * b_re - a_im * b_im;
            *out_im += a_re * b_im + a_im * b_re;
        }
    }
}
