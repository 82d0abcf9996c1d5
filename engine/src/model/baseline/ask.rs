//! What does it cost such a model to be wrong, and what flows back?

use rayon::prelude::*;

use super::{Direction, Kind};
use crate::compute::Real;
use crate::compute::memory::make_room;
use crate::compute::turned::Turned;
use crate::model::score::{Desk, Objective, Questions};

/// Questions, with the numbers that they are made of. Vectors are as wide as those of entities.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a, T> {
    /// What is asked. Rows of answers are those of `answers`; relations are not looked at.
    pub questions: &'a Questions,
    /// The vector of each query's fixed entity.
    pub fixed: &'a [T],
    /// Rows of relations.
    pub relations: &'a [T],
    /// Which of these rows each query has.
    pub relation_of: &'a [u32],
    /// What each query asks for.
    pub directions: &'a [Direction],
    /// The vectors that are answers.
    pub answers: &'a [T],
    /// How long a vector is.
    pub width: usize,
    /// How long the row of a relation is.
    pub relation_width: usize,
}

/// What flows back.
#[derive(Debug)]
pub struct Gradient<T> {
    /// To the fixed entity of each query.
    pub fixed: Vec<T>,
    /// To the rows of relations.
    pub relations: Vec<T>,
    /// To answers.
    pub answers: Vec<T>,
    /// The loss of each question, weighted.
    pub losses: Vec<f64>,
}

/// So many queries are one thread's at a time.
const QUERIES: usize = 32;

impl<T: Real> Asked<'_, T> {
    /// The losses, and what flows back from them.
    pub fn ask(
        &self,
        kind: Kind,
        objective: Objective,
        queries: &mut Vec<T>,
        desk: &mut Desk<T>,
    ) -> Gradient<T> {
        let w = self.width;
        make_room(queries, self.fixed.len());
        queries.par_chunks_mut(w).with_min_len(QUERIES).enumerate().for_each(|(at, query)| {
            kind.query(self.directions[at], self.fixed(at), self.relation(at), query);
        });
        let mut relations = vec![T::ZERO; self.relations.len()];
        let answered = match kind.moves_answers() {
            false => self.questions.answer(objective, kind.measure(), queries, self.answers, w, desk),
            true => self.ask_moved(kind, objective, queries, desk, &mut relations),
        };
        let to_queries = &desk.to_queries;
        let to_query = |at: usize| &to_queries[at * w..(at + 1) * w];
        let mut fixed = vec![T::ZERO; self.fixed.len()];
        fixed.par_chunks_mut(w).with_min_len(QUERIES).enumerate().for_each(|(at, to)| {
            kind.back_to_fixed(self.directions[at], self.fixed(at), self.relation(at), to_query(at), to);
        });
        let asking = self.asking();
        relations.par_chunks_mut(self.relation_width).enumerate().for_each(|(row, to)| {
            for &at in asking.of(row) {
                let at = at as usize;
                kind.back_to_relation(
                    self.directions[at],
                    self.fixed(at),
                    self.relation(at),
                    to_query(at),
                    to,
                );
            }
        });
        Gradient { fixed, relations, answers: answered.entities, losses: answered.losses }
    }

    fn fixed(&self, query: usize) -> &[T] {
        &self.fixed[query * self.width..(query + 1) * self.width]
    }

    fn relation(&self, query: usize) -> &[T] {
        let row = self.relation_of[query] as usize;
        &self.relations[row * self.relation_width..(row + 1) * self.relation_width]
    }

    /// For each row of relations, the queries that have it.
    fn asking(&self) -> Turned {
        let rows = self.relations.len() / self.relation_width;
        Turned::new(self.relation_of.len(), rows, |query| std::iter::once(self.relation_of[query]))
    }
}
