//! Which rows of two tables are most alike?
//!
//! Exactly, by products: a block of rows of the first table meets a stretch of the second, the scores of this tile are
//! offered to the lists of both sides, and forgotten. So one product serves both directions, and memory holds a tile and
//! the lists, never all pairs. Time is still the product of the sizes: 20,000 × 20,000 rows of 1,024 numbers are .8 TFLOP,
//! four seconds on two cores; at 200,000 entities a side it is seven minutes a round. So in large tables only rows meet
//! that [share a link](super::sharing) or a [cell](super::cells).

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::compute::kernel;
use crate::compute::matrix::plain;
use crate::compute::real::{Onto, Real};
use crate::compute::rows::dot_rows;
use crate::link::Candidates;

/// A row of the other table, and how alike it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::link) struct Near {
    pub(in crate::link) row: u32,
    pub(in crate::link) score: f32,
}

impl Near {
    /// The more alike first. Equal ones by number: numbers are drawn by a hash and say nothing.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.row.cmp(&other.row))
    }
}

/// Columns of a strip, which is what a product in registers is wide.
const STRIP: usize = 64;
/// Columns of a tile.
const STRETCH: usize = 64 * STRIP;
/// Rows of a tile: a multiple of what is multiplied together.
const BLOCK: usize = 768;

/// For each row of the first table the `keep` most alike rows of the second, best first, and the same the other way.
pub(super) fn nearest(firsts: &[f32], seconds: &[f32], width: usize, keep: usize) -> [Vec<Vec<Near>>; 2] {
    let keep = Keep { count: keep, offers: Offers::Once };
    let numbers = [firsts, seconds].map(|table| (0..(table.len() / width) as u32).collect::<Vec<u32>>());
    let mut lists = [0, 1].map(|side: usize| vec![Best::default(); numbers[side].len()]);
    let [of_firsts, of_seconds] = &mut lists;
    let firsts = Side { rows: firsts, numbers: &numbers[0], lists: of_firsts };
    let seconds = Side { rows: seconds, numbers: &numbers[1], lists: of_seconds };
    meet([firsts, seconds], width, keep);
    lists.map(|lists| finished(lists, keep))
}

/// What is kept of many lists, best first.
pub(super) fn finished(lists: Vec<Best>, keep: Keep) -> Vec<Vec<Near>> {
    lists.into_par_iter().map(|list| list.finish(keep)).collect()
}

/// Rows that meet others, the numbers they go by in the lists of the others, and their own lists.
pub(super) struct Side<'a> {
    pub(super) rows: &'a [f32],
    pub(super) numbers: &'a [u32],
    pub(super) lists: &'a mut [Best],
}

/// Offers each row of either side to all rows of the other.
pub(super) fn meet([firsts, seconds]: [Side<'_>; 2], width: usize, keep: Keep) {
    let mut tile =
        vec![0.0; BLOCK.min(firsts.lists.len()) * STRETCH.min(seconds.lists.len().next_multiple_of(STRIP))];
    for ((rows, of_seconds), numbers) in seconds
        .rows
        .chunks(STRETCH * width)
        .zip(seconds.lists.chunks_mut(STRETCH))
        .zip(seconds.numbers.chunks(STRETCH))
    {
        let strips: Vec<Vec<f32>> = rows.par_chunks(STRIP * width).map(|rows| strip(rows, width)).collect();
        for ((firsts, of_firsts), first_numbers) in firsts
            .rows
            .chunks(BLOCK * width)
            .zip(firsts.lists.chunks_mut(BLOCK))
            .zip(firsts.numbers.chunks(BLOCK))
        {
            let rows = first_numbers.len();
            let each = tile.par_chunks_mut(rows * STRIP).zip(&strips).zip(of_seconds.par_chunks_mut(STRIP));
            each.for_each(|((scores, strip), lists)| {
                f32::multiply(
                    [rows, width, STRIP],
                    plain(firsts, width),
                    plain(strip, STRIP),
                    scores,
                    Onto::Nothing,
                );
                offer_to_columns(lists, scores, first_numbers, keep);
            });
            of_firsts.par_iter_mut().enumerate().with_min_len(16).for_each(|(row, list)| {
                offer_to_row(list, &tile, [row, rows], numbers, keep);
            });
        }
    }
}

/// Rows of a table turned, padded with zeros to a whole strip.
fn strip(rows: &[f32], width: usize) -> Vec<f32> {
    let mut strip = vec![0.0; width * STRIP];
    for (column, row) in rows.chunks_exact(width).enumerate() {
        row.iter().enumerate().for_each(|(at, &x)| strip[at * STRIP + column] = x);
    }
    strip
}

fn offer_to_columns(lists: &mut [Best], scores: &[f32], numbers: &[u32], keep: Keep) {
    let mut limits = [f32::INFINITY; STRIP];
    limits.iter_mut().zip(lists.iter()).for_each(|(limit, list)| *limit = list.limit());
    let mut found = Vec::new();
    for (&row, scores) in numbers.iter().zip(scores.chunks_exact(STRIP)) {
        found.clear();
        above(&mut found, scores, &limits);
        for &column in &found {
            let list = &mut lists[column as usize];
            list.offer(Near { row, score: scores[column as usize] }, keep);
            limits[column as usize] = list.limit();
        }
    }
}

fn offer_to_row(list: &mut Best, tile: &[f32], [row, rows]: [usize; 2], numbers: &[u32], keep: Keep) {
    let mut found = Vec::new();
    for (strip, numbers) in numbers.chunks(STRIP).enumerate() {
        let scores = &tile[(strip * rows + row) * STRIP..][..numbers.len()];
        found.clear();
        above(&mut found, scores, &[list.limit(); STRIP]);
        for &column in &found {
            list.offer(Near { row: numbers[column as usize], score: scores[column as usize] }, keep);
        }
    }
}

kernel! {
    /// The places of the numbers that are not below their limits.
    pub fn above(found: &mut Vec<u32>, numbers: &[T], limits: &[T]) {
        let mut count = 0u32;
        for (number, limit) in numbers.iter().zip(limits) {
            count += u32::from(number >= limit);
        }
        if count > 0 {
            for (at, (number, limit)) in numbers.iter().zip(limits).enumerate() {
                if number >= limit {
                    found.push(at as u32);
                }
            }
        }
    }
}

/// How much a list keeps of what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keep {
    /// So many.
    pub(super) count: usize,
    /// How often one row is offered.
    pub(super) offers: Offers,
}

/// How often a row is offered to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offers {
    /// Once at most.
    Once,
    /// Now and then again, always with the same score up to its last digits; it is kept once.
    Repeated,
}

/// The best of what was offered. Keeps up to twice as many as asked for, and throws half away at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Best {
    kept: Vec<Near>,
    /// What the worst of the best had when they were last counted.
    limit: Option<f32>,
}

impl Best {
    /// Less than this need not be offered.
    fn limit(&self) -> f32 {
        self.limit.unwrap_or(f32::NEG_INFINITY)
    }

    pub(super) fn offer(&mut self, near: Near, keep: Keep) {
        if self.kept.capacity() == 0 {
            self.kept.reserve_exact(2 * keep.count);
        }
        if self.kept.len() == 2 * keep.count {
            self.forget_repeated(keep.offers);
            if self.kept.len() > keep.count {
                self.kept.select_nth_unstable_by(keep.count - 1, Near::order);
                self.kept.truncate(keep.count);
                self.limit = Some(self.kept[keep.count - 1].score);
            }
        }
        self.kept.push(near);
    }

    fn forget_repeated(&mut self, offers: Offers) {
        if offers == Offers::Repeated {
            self.kept.sort_unstable_by(|one, other| one.row.cmp(&other.row).then(one.order(other)));
            self.kept.dedup_by_key(|near| near.row);
        }
    }

    fn finish(mut self, keep: Keep) -> Vec<Near> {
        self.forget_repeated(keep.offers);
        self.kept.sort_unstable_by(Near::order);
        self.kept.truncate(keep.count);
        self.kept
    }
}

/// How alike each row is to its nearest `among` on average: rows that are near to everything (hubs) have more.
pub(in crate::link) fn hubness(lists: &[Vec<Near>], among: usize) -> Vec<f32> {
    let mean = |list: &Vec<Near>| {
        let near = &list[..among.min(list.len())];
        near.iter().map(|near| near.score).sum::<f32>() / near.len().max(1) as f32
    };
    lists.par_iter().map(mean).collect()
}

/// How alike the rows of candidates are, less what is usual among the nearest of both:
/// `aᵢ · bⱼ − (usualᵢ + usualⱼ) / 2`.
pub(in crate::link) fn corrected(
    [first, second]: &[Vec<f32>; 2],
    usual: &[Vec<f32>; 2],
    width: usize,
    candidates: &Candidates,
) -> Vec<f32> {
    let of_row = |(own, ends): (usize, &[usize])| {
        let others = &candidates.seconds[ends[0]..ends[1]];
        let mut products = vec![0.0; others.len()];
        let row = &first[own * width..(own + 1) * width];
        dot_rows(&mut products, width, &[0, others.len() as u32], others, row, second);
        let both = |other: u32| (usual[0][own] + usual[1][other as usize]) / 2.0;
        products.iter_mut().zip(others).for_each(|(product, &other)| *product -= both(other));
        products
    };
    candidates.starts.par_windows(2).enumerate().flat_map_iter(of_row).collect()
}

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
