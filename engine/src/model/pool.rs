//! What does it cost to be wrong about answers that many questions share?
//!
//! All queries of a pool are compared with all its candidates, as a product of matrices. Gradients go back the same way,
//! as two more products; or, where [thinned out](super::thin), as sums over those that are left.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::measure::Measure;
use super::score::{Objective, row_of};
use super::thin::{Kept, Lots};
use crate::compute::Real;
use crate::compute::memory::make_room;
use crate::compute::rows::add_rows;
use crate::compute::turned::Turned;

/// Wrong answers that several questions share.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    /// Their rows, each once.
    pub candidates: Vec<u32>,
    /// Which questions: a range, since those of a pool follow one another.
    pub questions: Range<usize>,
    /// The query of each of them that most of its answers have.
    pub queries: Vec<u32>,
    /// Those that do not count, as the number of the question within the pool and of the candidate; sorted.
    pub masked: Vec<(u32, u32)>,
    /// By what lots the gradients of each question are thinned out, if they are.
    pub lots: Vec<Lots>,
}

/// What a pool's questions are asked with. All numbers are of its questions, in their order.
pub(super) struct Asking<'a, 'b, T> {
    pub(super) objective: Objective,
    pub(super) measure: Measure,
    /// Their queries.
    pub(super) queries: &'a [T],
    /// The pool's candidates.
    pub(super) candidates: &'a [T],
    pub(super) width: usize,
    /// How much they count.
    pub(super) weights: &'a [f32],
    /// The scores of their own answers, which become gradients.
    pub(super) items: &'a mut [&'b mut [T]],
    /// What they cost.
    pub(super) losses: &'a mut [f64],
    /// What flows back, added to what is there.
    pub(super) to_queries: &'a mut [T],
    pub(super) to_candidates: &'a mut [T],
}

/// Room for the scores of a pool; kept from one step to the next.
#[derive(Debug, Default)]
pub(super) struct Room<T> {
    /// Of many questions.
    dense: Vec<T>,
    /// Of as many as one thread has at a time.
    blocks: Mutex<Vec<Vec<T>>>,
}

/// So many scores are in memory at a time, where all of them are needed again: 80 MB.
const SCORES: usize = 20_000_000;
/// So many rows of a product are one thread's at a time.
const ROWS: usize = 60;

/// So many questions have their scores in memory at a time: one at least, however many candidates there are.
fn at_once(candidates: usize) -> usize {
    (SCORES / candidates).max(1)
}

/// So many rows of a product are one thread's, where a right side has to be laid out for each block anew: as many as
/// leave work for six threads. By the number of rows alone, so that the result is the same for any number of threads.
fn rows_of_block(rows: usize) -> usize {
    rows.div_ceil(6).next_multiple_of(6).clamp(12, 252)
}

impl Pool {
    /// Scores all questions against all candidates, and sends the gradients back.
    pub(super) fn ask<T: Real>(&self, asking: Asking<'_, '_, T>, room: &mut Room<T>) {
        match asking.objective.thin > 0.0 {
            true => self.ask_thinly(asking, room),
            false => self.ask_exactly(asking, room),
        }
    }

    fn ask_exactly<T: Real>(&self, asking: Asking<'_, '_, T>, room: &mut Room<T>) {
        let Asking { objective, measure, queries, candidates, width: h, weights, items, losses, .. } = asking;
        let count = self.candidates.len();
        let laid = measure.lay_out(candidates, h, objective.precision);
        let at_once = at_once(count).min(self.queries.len());
        make_room(&mut room.dense, at_once * count);
        for first in (0..self.queries.len()).step_by(at_once) {
            let own = first..self.queries.len().min(first + at_once);
            let asked = &queries[own.start * h..own.end * h];
            let dense = &mut room.dense[..own.len() * count];
            let to_asked = &mut asking.to_queries[own.start * h..own.end * h];
            let rows = rows_of_block(own.len());
            let blocks = dense.par_chunks_mut(rows * count).zip(asked.par_chunks(rows * h));
            let blocks =
                blocks.zip(to_asked.par_chunks_mut(rows * h)).zip(items[own.clone()].par_chunks_mut(rows));
            let blocks = blocks.zip(losses[own.clone()].par_chunks_mut(rows)).enumerate();
            blocks.for_each(|(block, ((((dense, asked), to_asked), items), losses))| {
                laid.scores(asked, dense);
                let kept = if measure == Measure::L2 { dense.to_vec() } else { Vec::new() };
                for (at, dense) in dense.chunks_exact_mut(count).enumerate() {
                    let row = first + block * rows + at;
                    losses[at] = self.loss_of(objective, row, items[at], dense, weights[row]);
                }
                measure.back_to_queries(h, asked, candidates, &kept, dense, to_asked);
            });
            let rows = rows_of_block(count);
            asking.to_candidates.par_chunks_mut(rows * h).enumerate().for_each(|(block, to)| {
                measure.back_to_answers(h, asked, candidates, dense, block * rows, to);
            });
        }
    }

    fn ask_thinly<T: Real>(&self, asking: Asking<'_, '_, T>, room: &mut Room<T>) {
        let Asking { objective, measure, queries, candidates, width: h, weights, items, losses, .. } = asking;
        let count = self.candidates.len();
        let laid = measure.lay_out(candidates, h, objective.precision);
        let blocks = queries.par_chunks(ROWS * h).zip(asking.to_queries.par_chunks_mut(ROWS * h));
        let blocks = blocks.zip(items.par_chunks_mut(ROWS)).zip(losses.par_chunks_mut(ROWS)).enumerate();
        let one_block = |(block, (((asked, to_asked), items), losses)): Block<'_, '_, T>| {
            let mut dense = room.block(items.len() * count);
            laid.scores(asked, &mut dense);
            let mut kept = Kept::default();
            for (at, dense) in dense.chunks_exact_mut(count).enumerate() {
                let row = block * ROWS + at;
                losses[at] = self.loss_of(objective, row, items[at], dense, weights[row]);
                kept.add(dense, objective.thin * f64::from(weights[row]), &self.lots[row]);
            }
            room.give_back(dense);
            pull_queries(measure, h, asked, candidates, &kept, to_asked);
            kept
        };
        let kept = Kept::joined(blocks.map(one_block).collect());
        pull_candidates(measure, h, queries, candidates, &kept, asking.to_candidates);
    }

    /// The loss of one of the pool's questions: scores become gradients.
    fn loss_of<T: Real>(
        &self,
        objective: Objective,
        question: usize,
        items: &mut [T],
        dense: &mut [T],
        weight: f32,
    ) -> f64 {
        let first = self.masked.partition_point(|masked| (masked.0 as usize) < question);
        let count = self.masked[first..].partition_point(|masked| masked.0 as usize == question);
        objective.of(items, dense, &self.masked[first..first + count], weight).to_f64()
    }
}

/// A block of queries with its number, what flows back to them, the scores of their own answers, and their losses.
type Block<'a, 'b, T> = (usize, (((&'a [T], &'a mut [T]), &'a mut [&'b mut [T]]), &'a mut [f64]));

impl<T: Real> Room<T> {
    /// Room for the scores of a block; what is in it is anything.
    fn block(&self, count: usize) -> Vec<T> {
        let mut block = self.blocks.lock().ok().and_then(|mut blocks| blocks.pop()).unwrap_or_default();
        make_room(&mut block, count);
        block
    }

    fn give_back(&self, block: Vec<T>) {
        if let Ok(mut blocks) = self.blocks.lock() {
            blocks.push(block);
        }
    }
}

/// What is left pulls at its queries.
fn pull_queries<T: Real>(
    measure: Measure,
    h: usize,
    queries: &[T],
    candidates: &[T],
    kept: &Kept<T>,
    to: &mut [T],
) {
    if measure == Measure::Product {
        return add_rows(to, h, &kept.starts, &kept.candidates, &kept.pulls, candidates);
    }
    let each = to.chunks_exact_mut(h).zip(queries.chunks_exact(h)).zip(kept.starts.windows(2));
    for ((to, query), ends) in each {
        for at in ends[0] as usize..ends[1] as usize {
            let candidate = row_of(candidates, kept.candidates[at], h);
            measure.pull(to, query, candidate, measure.of(query, candidate), kept.pulls[at]);
        }
    }
}

/// What is left pulls at its candidates.
fn pull_candidates<T: Real>(
    measure: Measure,
    h: usize,
    queries: &[T],
    candidates: &[T],
    kept: &Kept<T>,
    to: &mut [T],
) {
    let mut query_of = vec![0; kept.candidates.len()];
    for (query, ends) in kept.starts.windows(2).enumerate() {
        query_of[ends[0] as usize..ends[1] as usize].fill(query as u32);
    }
    let asking = Turned::new(kept.candidates.len(), to.len() / h, |at| std::iter::once(kept.candidates[at]));
    to.par_chunks_mut(ROWS * h).enumerate().for_each(|(chunk, to)| {
        let rows = chunk * ROWS..chunk * ROWS + to.len() / h;
        let starts = &asking.starts[rows.start..=rows.end];
        let own = &asking.lists[starts[0] as usize..starts[rows.len()] as usize];
        let from: Vec<u32> = own.iter().map(|&at| query_of[at as usize]).collect();
        let pulls: Vec<T> = own.iter().map(|&at| kept.pulls[at as usize]).collect();
        let starts: Vec<u32> = starts.iter().map(|start| start - starts[0]).collect();
        if measure == Measure::Product {
            return add_rows(to, h, &starts, &from, &pulls, queries);
        }
        for ((to, row), ends) in to.chunks_exact_mut(h).zip(rows).zip(starts.windows(2)) {
            let candidate = row_of(candidates, row as u32, h);
            for at in ends[0] as usize..ends[1] as usize {
                let query = row_of(queries, from[at], h);
                measure.pull(to, query, candidate, measure.of(query, candidate), -pulls[at]);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_questions_at_once_however_many_candidates() {
        assert_eq!([at_once(14_505), at_once(SCORES), at_once(SCORES + 1)], [1378, 1, 1]);
    }

    #[test]
    fn a_block_has_rows_and_leaves_work_for_six_threads() {
        assert_eq!([1, 72, 1024, 2000, 1 << 20].map(rows_of_block), [12, 12, 174, 252, 252]);
    }
}
