//! Which rows of two tables are most alike?
//!
//! Exactly, by products: a block of rows of the first table meets a stretch of the second, the scores of this tile are
//! offered to the lists of both sides, and forgotten. So one product serves both directions, and memory holds a tile and
//! the lists, never all pairs. Time is still the product of the sizes: 20,000 × 20,000 rows of 1,024 numbers are .8 TFLOP,
//! four seconds on two cores; at 200,000 entities a side it is seven minutes a round, and from about there on an
//! approximate index would be needed.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::compute::kernel;
use crate::compute::matrix::plain;
use crate::compute::real::{Onto, Real};

/// A row of the other table, and how alike it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::link) struct Near {
    pub(in crate::link) row: u32,
    pub(in crate::link) score: f32,
}

impl Near {
    /// The more alike first. Equal ones by number: numbers are drawn by a hash and say nothing.
    fn order(&self, other: &Self) -> Ordering {
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
pub(in crate::link) fn nearest(
    firsts: &[f32],
    seconds: &[f32],
    width: usize,
    keep: usize,
) -> [Vec<Vec<Near>>; 2] {
    let counts = [firsts, seconds].map(|table| table.len() / width);
    let mut of_firsts = vec![Best::default(); counts[0]];
    let mut of_seconds = vec![Best::default(); counts[1]];
    let mut tile = vec![0.0; BLOCK.min(counts[0]) * STRETCH.min(counts[1].next_multiple_of(STRIP))];
    for (stretch, (seconds, of_seconds)) in
        seconds.chunks(STRETCH * width).zip(of_seconds.chunks_mut(STRETCH)).enumerate()
    {
        let strips: Vec<Vec<f32>> =
            seconds.par_chunks(STRIP * width).map(|rows| strip(rows, width)).collect();
        for (block, (firsts, of_firsts)) in
            firsts.chunks(BLOCK * width).zip(of_firsts.chunks_mut(BLOCK)).enumerate()
        {
            let rows = firsts.len() / width;
            let each = tile.par_chunks_mut(rows * STRIP).zip(&strips).zip(of_seconds.par_chunks_mut(STRIP));
            each.for_each(|((scores, strip), lists)| {
                f32::multiply(
                    [rows, width, STRIP],
                    plain(firsts, width),
                    plain(strip, STRIP),
                    scores,
                    Onto::Nothing,
                );
                offer_to_columns(lists, scores, block * BLOCK, keep);
            });
            let columns = of_seconds.len();
            of_firsts.par_iter_mut().enumerate().with_min_len(16).for_each(|(row, list)| {
                offer_to_row(list, &tile, [row, rows], stretch * STRETCH, columns, keep);
            });
        }
    }
    let finished = |lists: Vec<Best>| lists.into_par_iter().map(|list| list.finish(keep)).collect();
    [finished(of_firsts), finished(of_seconds)]
}

/// Rows of a table turned, padded with zeros to a whole strip.
fn strip(rows: &[f32], width: usize) -> Vec<f32> {
    let mut strip = vec![0.0; width * STRIP];
    for (column, row) in rows.chunks_exact(width).enumerate() {
        row.iter().enumerate().for_each(|(at, &x)| strip[at * STRIP + column] = x);
    }
    strip
}

fn offer_to_columns(lists: &mut [Best], scores: &[f32], first_row: usize, keep: usize) {
    let mut limits = [f32::INFINITY; STRIP];
    limits.iter_mut().zip(lists.iter()).for_each(|(limit, list)| *limit = list.limit());
    let mut found = Vec::new();
    for (row, scores) in scores.chunks_exact(STRIP).enumerate() {
        found.clear();
        above(&mut found, scores, &limits);
        for &column in &found {
            let list = &mut lists[column as usize];
            list.offer(Near { row: (first_row + row) as u32, score: scores[column as usize] }, keep);
            limits[column as usize] = list.limit();
        }
    }
}

fn offer_to_row(
    list: &mut Best,
    tile: &[f32],
    [row, rows]: [usize; 2],
    first: usize,
    columns: usize,
    keep: usize,
) {
    let mut found = Vec::new();
    for (strip, begin) in (0..columns).step_by(STRIP).enumerate() {
        let scores = &tile[(strip * rows + row) * STRIP..][..STRIP.min(columns - begin)];
        found.clear();
        above(&mut found, scores, &[list.limit(); STRIP]);
        for &column in &found {
            let score = scores[column as usize];
            list.offer(Near { row: (first + begin) as u32 + column, score }, keep);
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

/// The best of what was offered. Keeps up to twice as many as asked for, and throws half away at once.
#[derive(Debug, Clone, Default)]
struct Best {
    kept: Vec<Near>,
    /// What the worst of the best had when they were last counted.
    limit: Option<f32>,
}

impl Best {
    /// Less than this need not be offered.
    fn limit(&self) -> f32 {
        self.limit.unwrap_or(f32::NEG_INFINITY)
    }

    fn offer(&mut self, near: Near, keep: usize) {
        if self.kept.capacity() == 0 {
            self.kept.reserve_exact(2 * keep);
        }
        if self.kept.len() == 2 * keep {
            self.kept.select_nth_unstable_by(keep - 1, Near::order);
            self.kept.truncate(keep);
            self.limit = Some(self.kept[keep - 1].score);
        }
        self.kept.push(near);
    }

    fn finish(mut self, keep: usize) -> Vec<Near> {
        self.kept.sort_unstable_by(Near::order);
        self.kept.truncate(keep);
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

#[cfg(test)]
#[path = "nearest_tests.rs"]
mod tests;
