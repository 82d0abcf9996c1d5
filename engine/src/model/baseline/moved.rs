//! How are answers compared that the relation moves?
//!
//! ```text
//! aᵢ' = W aᵢ        and back:   ∂aᵢ = Wᵀ ∂aᵢ',   ∂W = Σᵢ ∂aᵢ' aᵢᵀ
//! ```
//!
//! Each answer becomes a vector of its own, compared with one query. Those that one matrix moves stand together, so that
//! all three lines are products of matrices.

use rayon::prelude::*;

use super::{Asked, Direction, Kind};
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::compute::rows::add_plain_rows;
use crate::compute::turned::Turned;
use crate::model::score::{Answered, Desk, Objective};

const DIRECTIONS: [Direction; 2] = [Direction::Forth, Direction::Back];
/// So many rows are one thread's at a time.
const ROWS: usize = 64;

impl<T: Real> Asked<'_, T> {
    /// The losses, and what flows back to answers and, added to what is there, to rows of relations; what flows back to
    /// queries is left on the desk.
    pub(super) fn ask_moved(
        &self,
        kind: Kind,
        objective: Objective,
        queries: &[T],
        desk: &mut Desk<T>,
        to_relations: &mut [T],
    ) -> Answered<T> {
        let (w, v) = (self.width, self.relation_width);
        let query_of = self.questions.query_of();
        let groups = Turned::new(query_of.len(), DIRECTIONS.len() * self.relations.len() / v, |at| {
            let query = query_of[at] as usize;
            let direction = self.directions[query] as u32;
            std::iter::once(self.relation_of[query] * DIRECTIONS.len() as u32 + direction)
        });
        let row_of: Vec<u32> = groups.lists.iter().map(|&at| self.questions.answers[at as usize]).collect();
        let mut answers = vec![T::ZERO; row_of.len() * w];
        answers.par_chunks_mut(w).with_min_len(ROWS).zip(&row_of).for_each(|(answer, &row)| {
            answer.copy_from_slice(&self.answers[row as usize * w..(row as usize + 1) * w]);
        });
        let of_group =
            |group: usize| groups.starts[group] as usize * w..groups.starts[group + 1] as usize * w;
        let matrix_of = |group: usize| {
            let (row, direction) = (group / DIRECTIONS.len(), DIRECTIONS[group % DIRECTIONS.len()]);
            &self.relations[row * v..(row + 1) * v][kind.matrix_of_answers(direction, w)]
        };

        let mut moved = vec![T::ZERO; answers.len()];
        let cut = cut_by(&mut moved, w, &groups.starts);
        cut.into_par_iter().enumerate().for_each(|(group, moved)| {
            times_transposed(moved, &answers[of_group(group)], matrix_of(group), w, w);
        });

        let mut apart = self.questions.clone();
        for (place, &at) in groups.lists.iter().enumerate() {
            apart.answers[at as usize] = place as u32;
        }
        let answered = apart.answer(objective, kind.measure(), queries, &moved, w, desk);

        to_relations.par_chunks_mut(v).enumerate().for_each(|(row, to_relation)| {
            for (at, &direction) in DIRECTIONS.iter().enumerate() {
                let own = of_group(row * DIRECTIONS.len() + at);
                let to_matrix = &mut to_relation[kind.matrix_of_answers(direction, w)];
                add_transposed_times(to_matrix, &answered.entities[own.clone()], &answers[own], w, w);
            }
        });
        let mut to_answers = moved;
        let cut = cut_by(&mut to_answers, w, &groups.starts);
        cut.into_par_iter().enumerate().for_each(|(group, to_answers)| {
            to_answers.fill(T::ZERO);
            add_times(to_answers, &answered.entities[of_group(group)], matrix_of(group), w, w);
        });
        Answered { entities: self.sum_by_row(&row_of, &to_answers), losses: answered.losses }
    }

    /// What flowed back to each row that is an answer, from all places where it is one.
    fn sum_by_row(&self, row_of: &[u32], to_answers: &[T]) -> Vec<T> {
        let w = self.width;
        let mut sums = vec![T::ZERO; self.answers.len()];
        let lists = Turned::new(row_of.len(), sums.len() / w, |at| std::iter::once(row_of[at]));
        sums.par_chunks_mut(ROWS * w).enumerate().for_each(|(chunk, sums)| {
            let starts = &lists.starts[chunk * ROWS..=chunk * ROWS + sums.len() / w];
            add_plain_rows(sums, w, starts, &lists.lists, to_answers);
        });
        sums
    }
}

/// Rows of `width` numbers, cut where groups of them begin.
fn cut_by<'a, T>(mut rows: &'a mut [T], width: usize, starts: &[u32]) -> Vec<&'a mut [T]> {
    let cut = starts.windows(2).map(|ends| {
        let (own, rest) = std::mem::take(&mut rows).split_at_mut((ends[1] - ends[0]) as usize * width);
        rows = rest;
        own
    });
    cut.collect()
}
