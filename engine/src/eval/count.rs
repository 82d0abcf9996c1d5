//! How many candidates are better than the right one?
//!
//! Knows no model: a question is a vector, so is a candidate, and the score is their product, or how little they differ,
//! save where a correction replaces it. DistMult, ComplEx, TransE and others have this form.
//!
//! Scores are never kept. A group of questions meets a strip of candidates, turned once so that a block of scores is one
//! small product of matrices in the cache; the block is compared with the scores of the right answers and forgotten.
//! Every product has the same shape, padded where something ends, so that equal vectors have equal scores wherever they
//! stand. What threads add up are whole numbers, so their number does not matter.

use std::ops::Range;

use rayon::prelude::*;

use super::rank::{Rank, Standing};
use crate::compute::kernel;
use crate::model::measure::Measure;

/// A score that replaces the product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correction {
    /// Whose score.
    pub candidate: u32,
    /// The score.
    pub score: f32,
}

/// What is asked: the place of one right candidate for each query.
#[derive(Debug, Clone, Copy)]
pub struct Questions<'a> {
    /// How long vectors are; at least 1.
    pub width: usize,
    /// What makes a score of two of them.
    pub measure: Measure,
    /// The queries, one after the other.
    pub queries: &'a [f32],
    /// The candidates, one after the other; the same for all queries.
    pub candidates: &'a [f32],
    /// The right candidate of each query.
    pub right: &'a [u32],
    /// All right candidates of each query, which filtering leaves out: sorted, each once, with or without the one that
    /// is asked for.
    pub known: &'a [&'a [u32]],
    /// The scores of each query that are something else than the product: sorted by candidate, each once.
    pub corrections: &'a [&'a [Correction]],
}

/// Candidates of a strip: what one row of a product in registers has.
const STRIP: usize = 64;
/// Candidates that one thread takes at a time.
const STRETCH: usize = 8 * STRIP;
/// Most questions of a block; a multiple of [`ROWS`].
const BLOCK: usize = 96;
/// Rows that are multiplied together.
const ROWS: usize = 6;
/// Blocks of a group: as many questions share the turning of a strip.
const BLOCKS: usize = 10;

/// Where the right candidate of each query stands. A score that is not a number is worse than all, and a right one
/// stands behind all others, whatever they are.
///
/// # Panics
///
/// If lists are not as long as there are queries, or not sorted, or name candidates that are not there.
pub fn standings(questions: &Questions<'_>) -> Vec<Standing> {
    questions.check();
    let count = questions.right.len();
    // Blocks of the same size, so that little is padded.
    let block = count.div_ceil(count.div_ceil(BLOCK).max(1)).next_multiple_of(ROWS);
    let firsts: Vec<usize> = (0..count).step_by((block * BLOCKS).max(1)).collect();
    let group = |first: usize| Group::new(questions, first..count.min(first + block * BLOCKS), block);
    firsts.into_par_iter().flat_map_iter(|first| group(first).standings()).collect()
}

impl Questions<'_> {
    fn candidate_count(&self) -> usize {
        self.candidates.len() / self.width
    }

    fn check(&self) {
        assert!(self.width > 0, "vectors have a length");
        let (count, candidates) = (self.right.len(), self.candidate_count());
        assert_eq!(self.candidates.len(), candidates * self.width, "candidates are whole vectors");
        assert!(u32::try_from(candidates).is_ok(), "candidates have numbers of 32 bits");
        assert_eq!(self.queries.len(), count * self.width, "one query for each question");
        assert_eq!((self.known.len(), self.corrections.len()), (count, count), "one list for each question");
        let is_there = |candidate: u32| (candidate as usize) < candidates;
        assert!(self.right.iter().all(|&right| is_there(right)), "the right answer is a candidate");
        let known =
            |list: &&[u32]| list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|&c| is_there(c));
        assert!(self.known.iter().all(known), "known answers are sorted, and candidates");
        let corrected = |list: &&[Correction]| {
            list.is_sorted_by(|a, b| a.candidate < b.candidate)
                && list.last().is_none_or(|correction| is_there(correction.candidate))
        };
        assert!(self.corrections.iter().all(corrected), "corrections are sorted, and of candidates");
    }

    fn candidate(&self, at: usize) -> &[f32] {
        &self.candidates[at * self.width..(at + 1) * self.width]
    }
}

/// Questions that are compared with the candidates together.
struct Group<'a> {
    questions: &'a Questions<'a>,
    asked: Range<usize>,
    /// Questions of a block.
    block: usize,
    /// The queries, padded to whole blocks.
    queries: Vec<f32>,
    /// The score of the right answer of each question.
    own: Vec<f32>,
}

/// What was counted for one question.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    all: Rank,
    /// Of these, the known answers.
    known: Rank,
}

/// What is left of the lists of one question, while candidates go by in their order.
struct Lists<'a> {
    known: &'a [u32],
    corrections: &'a [Correction],
}

impl<'a> Group<'a> {
    fn new(questions: &'a Questions<'a>, asked: Range<usize>, block: usize) -> Self {
        let width = questions.width;
        let mut queries = questions.queries[asked.start * width..asked.end * width].to_vec();
        queries.resize(asked.len().next_multiple_of(block) * width, 0.0);
        let mut group = Self { questions, asked, block, queries, own: Vec::new() };
        group.own = group.own_scores();
        group
    }

    /// The scores of the right answers, by products of the same shape as all others.
    fn own_scores(&self) -> Vec<f32> {
        let questions = self.questions;
        let mut own = Vec::with_capacity(self.asked.len());
        let mut strip = vec![0.0; questions.width * STRIP];
        let mut scores = vec![0.0; self.block * STRIP];
        let right = &questions.right[self.asked.clone()];
        for (block, right) in right.chunks(self.block).enumerate() {
            for (part, right) in right.chunks(STRIP).enumerate() {
                turn(&mut strip, questions.width, right.len(), |at| questions.candidate(right[at] as usize));
                self.multiply(block, &strip, &mut scores);
                own.extend((0..right.len()).map(|at| scores[(part * STRIP + at) * STRIP + at]));
            }
        }
        for (own, at) in own.iter_mut().zip(self.asked.clone()) {
            let corrections = questions.corrections[at];
            if let Ok(found) = corrections.binary_search_by_key(&questions.right[at], |c| c.candidate) {
                *own = corrections[found].score;
            }
        }
        own
    }

    fn multiply(&self, block: usize, strip: &[f32], scores: &mut [f32]) {
        let width = self.questions.width;
        let queries = &self.queries[block * self.block * width..(block + 1) * self.block * width];
        self.questions.measure.between(width, queries, strip, STRIP, scores);
    }

    fn standings(&self) -> Vec<Standing> {
        let candidates = self.questions.candidate_count();
        let none = || vec![Counts::default(); self.asked.len()];
        let counts = (0..candidates.div_ceil(STRETCH))
            .into_par_iter()
            .map(|stretch| self.count(stretch * STRETCH..candidates.min((stretch + 1) * STRETCH)))
            .reduce(none, |mut sum, counts| {
                sum.iter_mut().zip(counts).for_each(|(sum, counts)| sum.add(counts));
                sum
            });
        let each = counts.into_iter().zip(&self.own).zip(self.asked.clone());
        each.map(|((counts, own), at)| match own.is_nan() {
            true => self.questions.behind_all(at),
            false => counts.standing(),
        })
        .collect()
    }

    /// Compares all questions with some candidates.
    fn count(&self, candidates: Range<usize>) -> Vec<Counts> {
        let questions = self.questions;
        let mut counts = vec![Counts::default(); self.asked.len()];
        let mut lists: Vec<Lists<'_>> =
            self.asked.clone().map(|at| Lists::from(questions, at, candidates.start)).collect();
        let mut strip = vec![0.0; questions.width * STRIP];
        let mut scores = vec![0.0; self.block * STRIP];
        for first in candidates.clone().step_by(STRIP) {
            let strip_range = first..candidates.end.min(first + STRIP);
            turn(&mut strip, questions.width, strip_range.len(), |at| questions.candidate(first + at));
            for (block, counts) in counts.chunks_mut(self.block).enumerate() {
                self.multiply(block, &strip, &mut scores);
                let begin = block * self.block;
                let own = &self.own[begin..begin + counts.len()];
                let right = &questions.right[self.asked.start + begin..];
                let lists = &mut lists[begin..begin + counts.len()];
                for (row, lists) in lists.iter_mut().enumerate() {
                    let scores = &mut scores[row * STRIP..(row + 1) * STRIP];
                    counts[row].known.add(lists.pass(&strip_range, right[row] as usize, own[row], scores));
                }
                count_rows(&scores, own, counts);
            }
        }
        counts
    }
}

impl Questions<'_> {
    /// Of a right answer that is worse than all.
    fn behind_all(&self, at: usize) -> Standing {
        let others = self.candidate_count() - 1;
        let known = self.known[at].len() - usize::from(self.known[at].binary_search(&self.right[at]).is_ok());
        let behind = |others: usize| Rank { better: others as u32, equal: 0 };
        Standing { raw: behind(others), filtered: behind(others - known) }
    }
}

impl<'a> Lists<'a> {
    /// The lists of a question from a candidate on.
    fn from(questions: &Questions<'a>, at: usize, first: usize) -> Self {
        let (known, corrections) = (questions.known[at], questions.corrections[at]);
        let next_known = known.partition_point(|&candidate| (candidate as usize) < first);
        let next_correction = corrections.partition_point(|c| (c.candidate as usize) < first);
        Self { known: &known[next_known..], corrections: &corrections[next_correction..] }
    }

    /// Makes the scores of a strip those that are to be compared: corrected, and nothing in the place of the right
    /// answer and behind the last candidate. Returns what the known answers among them count.
    fn pass(&mut self, strip: &Range<usize>, right: usize, own: f32, scores: &mut [f32]) -> Rank {
        while let Some((correction, rest)) = self.corrections.split_first()
            && (correction.candidate as usize) < strip.end
        {
            scores[correction.candidate as usize - strip.start] = correction.score;
            self.corrections = rest;
        }
        // What is not a number is neither better nor equal.
        scores[strip.len()..].fill(f32::NAN);
        if strip.contains(&right) {
            scores[right - strip.start] = f32::NAN;
        }
        let mut found = Rank::default();
        while let Some((&known, rest)) = self.known.split_first()
            && (known as usize) < strip.end
        {
            let score = scores[known as usize - strip.start];
            found.better += u32::from(score > own);
            found.equal += u32::from(score == own);
            self.known = rest;
        }
        found
    }
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.all.add(other.all);
        self.known.add(other.known);
    }

    fn standing(self) -> Standing {
        let better = self.all.better - self.known.better;
        let equal = self.all.equal - self.known.equal;
        Standing { raw: self.all, filtered: Rank { better, equal } }
    }
}

/// Writes some vectors as columns of a strip. A few numbers of each at a time, so that what is written to stays in the
/// cache next to the processor.
fn turn<'a>(strip: &mut [f32], width: usize, count: usize, vector: impl Fn(usize) -> &'a [f32]) {
    const STEPS: usize = 16;
    for first in (0..width).step_by(STEPS) {
        let end = width.min(first + STEPS);
        for at in 0..count {
            for (row, &x) in
                strip[first * STRIP..end * STRIP].chunks_exact_mut(STRIP).zip(&vector(at)[first..end])
            {
                row[at] = x;
            }
        }
    }
}

kernel! {
    /// Counts, in each row of scores, those that are higher than the row's own and those that equal it.
    pub fn count_rows(scores: &[T], own: &[T], counts: &mut [Counts]) {
        for ((scores, &own), counts) in scores.chunks_exact(STRIP).zip(own).zip(counts) {
            let (mut better, mut equal) = (0u32, 0u32);
            for &score in scores {
                better += u32::from(score > own);
                equal += u32::from(score == own);
            }
            counts.all.better += better;
            counts.all.equal += equal;
        }
    }
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
