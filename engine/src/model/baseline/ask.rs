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
        let (answers, losses) = match kind.moves_answers() {
            false => {
                let answered =
                    self.questions.answer(objective, kind.measure(), queries, self.answers, w, desk);
                (answered.entities, answered.losses)
            }
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
        Gradient { fixed, relations, answers, losses }
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

    /// The same where answers are moved: each is a vector of its own, compared with one query.
    fn ask_moved(
        &self,
        kind: Kind,
        objective: Objective,
        queries: &[T],
        desk: &mut Desk<T>,
        to_relations: &mut [T],
    ) -> (Vec<T>, Vec<f64>) {
        let w = self.width;
        let questions = self.questions;
        let answer = |at: usize| {
            let row = questions.answers[at] as usize;
            &self.answers[row * w..(row + 1) * w]
        };
        let query_of = questions.query_of();
        let mut moved = vec![T::ZERO; questions.answers.len() * w];
        moved.par_chunks_mut(w).with_min_len(QUERIES).enumerate().for_each(|(at, moved)| {
            let query = query_of[at] as usize;
            kind.moved(self.directions[query], answer(at), self.relation(query), moved);
        });
        let apart = Questions { answers: (0..questions.answers.len() as u32).collect(), ..questions.clone() };
        let answered = apart.answer(objective, kind.measure(), queries, &moved, w, desk);
        let mut single = vec![T::ZERO; moved.len()];
        let asking = self.asking();
        // Each query has one relation, and so has each answer: what a relation gets is one thread's to add up.
        let by_relation: Vec<Vec<(usize, Vec<T>)>> = to_relations
            .par_chunks_mut(self.relation_width)
            .enumerate()
            .map(|(row, to_relation)| {
                let mut found = Vec::new();
                for &query in asking.of(row) {
                    let query = query as usize;
                    let own =
                        questions.query_starts[query] as usize..questions.query_starts[query + 1] as usize;
                    for at in own {
                        let mut to_answer = vec![T::ZERO; w];
                        let from = &answered.entities[at * w..(at + 1) * w];
                        let of = (answer(at), self.relation(query));
                        kind.back_from_moved(
                            self.directions[query],
                            of,
                            from,
                            (&mut to_answer, &mut *to_relation),
                        );
                        found.push((at, to_answer));
                    }
                }
                found
            })
            .collect();
        for (at, to) in by_relation.into_iter().flatten() {
            single[at * w..(at + 1) * w].copy_from_slice(&to);
        }
        let mut answers = vec![T::ZERO; self.answers.len()];
        for (to, &row) in single.chunks_exact(w).zip(&questions.answers) {
            let own = &mut answers[row as usize * w..(row as usize + 1) * w];
            own.iter_mut().zip(to).for_each(|(own, &x)| *own += x);
        }
        (answers, answered.losses)
    }
}
