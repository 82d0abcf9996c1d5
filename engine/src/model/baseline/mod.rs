//! What do the models say that LinkNBed is compared with?
//!
//! Each has a vector for every entity and numbers for every relation, and asks for the missing entity of a fact in the
//! same way: the entity that is there and the relation make a query, and the nearer an answer is to the query, by the
//! model's [`Measure`], the better. One model, one file: the equation, the query, and the way back below it.
//!
//! | model | score of (s, r, o) | numbers of a relation |
//! |---|---|---|
//! | RESCAL | sᵀ W o | d² |
//! | DistMult | Σ sᵢ rᵢ oᵢ | d |
//! | ComplEx | Re Σ sᵢ rᵢ ōᵢ | d |
//! | TransE | −‖s + r − o‖ | d |
//! | RotatE | −Σ ∣sᵢ rᵢ − oᵢ∣, ∣rᵢ∣ = 1 | d/2 |
//! | STransE | −‖W₁ s + r − W₂ o‖ | d + 2d² |
//! | GAKE | o · (a s + b r) | d + 1 |

mod ask;
mod complex;
mod distmult;
pub mod gake;
mod moved;
mod rescal;
mod rotate;
mod stranse;
#[cfg(test)]
mod tests;
mod transe;

pub use ask::{Asked, Gradient};

use super::measure::Measure;
use crate::compute::Real;

/// Which model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A matrix for each relation.
    Rescal,
    /// A diagonal matrix.
    DistMult,
    /// A diagonal matrix of complex numbers.
    ComplEx,
    /// A relation is a way; measured by [`Measure::L1`] or [`Measure::L2`].
    TransE(Measure),
    /// A relation is a turn.
    RotatE,
    /// A way between what two matrices make of subject and object; measured as TransE's.
    STransE(Measure),
    /// What is around an entity tells which one it is.
    Gake,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The object.
    Forth,
    /// The subject.
    Back,
}

impl Kind {
    /// How long the row of an entity is, if its vector has d numbers.
    pub fn entity_width(self, d: usize) -> usize {
        match self {
            Self::Gake => d + 1,
            _ => d,
        }
    }

    /// How long the row of a relation is, if the vector of an entity has d numbers.
    pub fn relation_width(self, d: usize) -> usize {
        match self {
            Self::Rescal => d * d,
            Self::DistMult | Self::ComplEx | Self::TransE(_) => d,
            Self::RotatE => d / 2,
            Self::STransE(_) => d + 2 * d * d,
            Self::Gake => d + 1,
        }
    }

    /// How queries and answers are compared.
    pub fn measure(self) -> Measure {
        match self {
            Self::Rescal | Self::DistMult | Self::ComplEx | Self::Gake => Measure::Product,
            Self::TransE(measure) | Self::STransE(measure) => measure,
            Self::RotatE => Measure::Moduli,
        }
    }

    /// Whether the row of a relation is a matrix: too long to have one for each question.
    pub fn has_matrices(self) -> bool {
        matches!(self, Self::Rescal | Self::STransE(_))
    }

    /// Whether answers are moved by the relation, too.
    pub fn moves_answers(self) -> bool {
        matches!(self, Self::STransE(_))
    }

    /// The query of the entity that is there, and of the relation.
    pub fn query<T: Real>(self, direction: Direction, fixed: &[T], relation: &[T], query: &mut [T]) {
        match self {
            Self::Rescal => rescal::query(direction, fixed, relation, query),
            Self::DistMult => distmult::query(fixed, relation, query),
            Self::ComplEx => complex::query(direction, fixed, relation, query),
            Self::TransE(_) => transe::query(direction, fixed, relation, query),
            Self::RotatE => rotate::query(direction, fixed, relation, query),
            Self::STransE(_) => stranse::query(direction, fixed, relation, query),
            Self::Gake => gake::query(fixed, relation, query),
        }
    }

    /// What flows back from a query to the entity.
    pub fn back_to_fixed<T: Real>(
        self,
        direction: Direction,
        fixed: &[T],
        relation: &[T],
        to_query: &[T],
        to_fixed: &mut [T],
    ) {
        match self {
            Self::Rescal => rescal::back_to_fixed(direction, relation, to_query, to_fixed),
            Self::DistMult => distmult::back(relation, to_query, to_fixed),
            Self::ComplEx => complex::back_to_fixed(direction, relation, to_query, to_fixed),
            Self::TransE(_) => transe::back_to_fixed(to_query, to_fixed),
            Self::RotatE => rotate::back_to_fixed(direction, relation, to_query, to_fixed),
            Self::STransE(_) => stranse::back_to_fixed(direction, relation, to_query, to_fixed),
            Self::Gake => gake::back_to_fixed(fixed, relation, to_query, to_fixed),
        }
    }

    /// What flows back from a query to the relation.
    pub fn back_to_relation<T: Real>(
        self,
        direction: Direction,
        fixed: &[T],
        relation: &[T],
        to_query: &[T],
        to_relation: &mut [T],
    ) {
        match self {
            Self::Rescal => rescal::back_to_relation(direction, fixed, to_query, to_relation),
            Self::DistMult => distmult::back(fixed, to_query, to_relation),
            Self::ComplEx => complex::back_to_relation(direction, fixed, to_query, to_relation),
            Self::TransE(_) => transe::back_to_relation(direction, to_query, to_relation),
            Self::RotatE => rotate::back_to_relation(direction, fixed, relation, to_query, to_relation),
            Self::STransE(_) => stranse::back_to_relation(direction, fixed, to_query, to_relation),
            Self::Gake => gake::back_to_relation(fixed, relation, to_query, to_relation),
        }
    }

    /// What an answer is compared as.
    pub fn moved<T: Real>(self, direction: Direction, answer: &[T], relation: &[T], moved: &mut [T]) {
        match self {
            Self::STransE(_) => stranse::moved(direction, answer, relation, moved),
            _ => moved.copy_from_slice(answer),
        }
    }

    /// Where the matrix that moves answers is in the row of a relation, if the vector of an entity has d numbers; nowhere
    /// if none does.
    pub(super) fn matrix_of_answers(self, direction: Direction, d: usize) -> std::ops::Range<usize> {
        match self {
            Self::STransE(_) => stranse::matrix_of_answers(direction, d),
            _ => 0..0,
        }
    }

    /// What the numbers of a relation are before the first step, in the place of random ones between −scale and scale,
    /// for d numbers of an entity: the place of each part, and what it is.
    pub fn first_relation(self, d: usize, row: &mut [f32], scale: f64) {
        match self {
            // Any turn.
            Self::RotatE => row.iter_mut().for_each(|phase| *phase *= (std::f64::consts::PI / scale) as f32),
            Self::STransE(_) => stranse::first_matrices(d, row),
            Self::Gake => row[d] = 0.0,
            Self::Rescal | Self::DistMult | Self::ComplEx | Self::TransE(_) => {}
        }
    }
}
