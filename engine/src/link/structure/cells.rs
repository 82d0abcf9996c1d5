//! Which rows of two large tables are most alike, without comparing all with all?
//!
//! Rows are put into cells: each row of either table into the few cells whose centres are most like it, and rows meet where
//! they are in a cell together, in the tiles of the [exact search](super::nearest). Centres are rows that were drawn from
//! both tables, moved to the middle of those around them (two steps of Lloyd's on a sample). With n rows a table there
//! are a few times √n cells, so that time grows with n√n. A cell that came out far larger than others is cut into parts.
//!
//! Alone this is not enough: where all descriptions have much in common, as in the film world, the most alike row is only
//! a little more alike than a hundred others, and four cells a row found no more than .51 of the pairs that are the best
//! of both (.91 on dbp15k); there are six now. So whoever [shares a link](super::sharing) nearby has been compared before, and cells add those
//! that share none.

use rand::RngExt;
use rayon::prelude::*;

use super::nearest::{Best, Keep, Near, Offers, Side, finished, meet, nearest};
use super::propagate::unit_rows;
use crate::compute::rows::Gather;
use crate::dataset::Dice;

/// From so many pairs of rows on, not all are compared: about 46,000 rows a table, which take a quarter of a minute on two
/// cores.
pub(super) const LARGE: usize = 1 << 31;
/// So many of the nearest compete then: what is far down a list hardly ever wins, and a million entities with fifty each
/// would not fit into memory with all that is said about them.
pub(super) const SHORT: usize = 10;

/// Each row is in so many cells.
const CELLS_OF_A_ROW: usize = 6;
/// For each centre, so many rows are drawn to find it by.
const DRAWN: usize = 32;
const LLOYD_STEPS: usize = 2;
/// In a cell of so many times the pairs of a usual one, not all meet.
const TOO_LARGE: usize = 8;
/// Rows that are put into cells at once: enough for all cores, and little memory.
const PIECE: usize = 1 << 14;

/// Some rows of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) table: &'a [f32],
    pub(super) chosen: &'a [u32],
    pub(super) width: usize,
}

impl<'a> Rows<'a> {
    /// A copy of them, one after the other.
    pub(super) fn copied(self) -> Vec<f32> {
        let width = self.width;
        let mut rows = vec![0.0; self.chosen.len() * width];
        rows.par_chunks_mut(width).zip(self.chosen).with_min_len(64).for_each(|(row, &from)| {
            row.copy_from_slice(&self.table[from as usize * width..][..width]);
        });
        rows
    }

    /// The one at a place.
    pub(super) fn row(self, place: usize) -> &'a [f32] {
        &self.table[self.chosen[place] as usize * self.width..][..self.width]
    }

    /// Those at some places.
    fn at(self, places: &[u32]) -> Vec<f32> {
        let chosen: Vec<u32> = places.iter().map(|&place| self.chosen[place as usize]).collect();
        Rows { chosen: &chosen, ..self }.copied()
    }
}

/// Places of rows of both tables that meet.
type Members = [Vec<u32>; 2];

/// Offers to the list of each chosen row of either table the rows of the other that share a cell with it. Rows go by their
/// places among the chosen.
pub(super) fn offer_by_cells(tables: [Rows<'_>; 2], keep: Keep, dice: &Dice, lists: &mut [Vec<Best>; 2]) {
    let counts = tables.map(|rows| rows.chosen.len());
    let size = cells(counts);
    // What would meet in one cell if all were of one size.
    let usual = counts.map(|count| (CELLS_OF_A_ROW * count).div_ceil(size));
    let most = (TOO_LARGE * usual[0] * usual[1]).max(1);
    let mut search = Search { tables, keep, most, lists };
    let centres = search.centres(dice);
    let [firsts, seconds] = [0, 1].map(|side| search.members_of_cells(side, &centres));
    for cell in firsts.into_iter().zip(seconds) {
        search.meet_in_parts(&cell.into());
    }
}

/// For each row of two tables those of the other that are most alike: all compared with all, or by cells where the tables
/// are large.
pub(in crate::link) fn nearest_by_size(
    tables: [&[f32]; 2],
    width: usize,
    keep: usize,
    dice: &Dice,
) -> [Vec<Vec<Near>>; 2] {
    let chosen = tables.map(|table| (0..(table.len() / width) as u32).collect::<Vec<u32>>());
    if chosen[0].len().saturating_mul(chosen[1].len()) < LARGE {
        return nearest(tables[0], tables[1], width, keep);
    }
    let keep = Keep { count: keep, offers: Offers::Repeated };
    let mut lists = chosen.each_ref().map(|chosen| vec![Best::default(); chosen.len()]);
    let rows = [0, 1].map(|side: usize| Rows { table: tables[side], chosen: &chosen[side], width });
    offer_by_cells(rows, keep, dice, &mut lists);
    lists.map(|lists| finished(lists, keep))
}

/// How many cells: so many that putting rows into cells takes as long as what is done in the cells.
fn cells(counts: [usize; 2]) -> usize {
    let mean = (counts[0] as f64 * counts[1] as f64).sqrt();
    (CELLS_OF_A_ROW as f64 * (mean / 2.0).sqrt()).ceil().max(1.0) as usize
}

struct Search<'a> {
    tables: [Rows<'a>; 2],
    keep: Keep,
    /// More pairs do not meet in one cell.
    most: usize,
    lists: &'a mut [Vec<Best>; 2],
}

impl Search<'_> {
    /// Centres among the rows of both tables.
    fn centres(&self, dice: &Dice) -> Vec<f32> {
        let width = self.tables[0].width;
        let counts = self.tables.map(|rows| rows.chosen.len());
        let all = counts[0] + counts[1];
        let drawn_count = (cells(counts) * DRAWN).min(all);
        let count = cells(counts).min(drawn_count);
        let mut random = dice.of(0);
        // One of each stretch of rows, so that none is drawn twice.
        let places: Vec<usize> = (0..drawn_count)
            .map(|at| random.random_range(at * all / drawn_count..(at + 1) * all / drawn_count))
            .collect();
        let (of_first, of_second) = places.split_at(places.partition_point(|&place| place < counts[0]));
        let of_first: Vec<u32> = of_first.iter().map(|&place| place as u32).collect();
        let of_second: Vec<u32> = of_second.iter().map(|&place| (place - counts[0]) as u32).collect();
        let mut drawn = self.tables[0].at(&of_first);
        drawn.extend(self.tables[1].at(&of_second));
        let mut centres: Vec<f32> = (0..count)
            .flat_map(|centre| &drawn[centre * drawn_count / count * width..][..width])
            .copied()
            .collect();
        for _ in 0..LLOYD_STEPS {
            move_to_the_middle(&mut centres, &drawn, width);
        }
        centres
    }

    /// The members of each cell, in their order.
    fn members_of_cells(&self, side: usize, centres: &[f32]) -> Vec<Vec<u32>> {
        let rows = self.tables[side];
        let mut cells = vec![Vec::new(); centres.len() / rows.width];
        for (piece, chosen) in rows.chosen.chunks(PIECE).enumerate() {
            let copied = Rows { chosen, ..rows }.copied();
            let nearest = nearest_centres(&copied, centres, rows.width, CELLS_OF_A_ROW);
            for (place, nearest) in (piece * PIECE..).zip(nearest) {
                nearest.iter().for_each(|near| cells[near.row as usize].push(place as u32));
            }
        }
        cells
    }

    /// Lets the rows of a cell meet; if there are too many of them, parts of both sides that are cut by place.
    fn meet_in_parts(&mut self, cell: &Members) {
        let parts = (cell[0].len() * cell[1].len()).div_ceil(self.most);
        let part = |side: usize, at: usize| {
            let count = cell[side].len();
            cell[side][at * count / parts..(at + 1) * count / parts].to_vec()
        };
        for at in 0..parts {
            let members = [part(0, at), part(1, at)];
            if !members[0].is_empty() && !members[1].is_empty() {
                self.meet(&members);
            }
        }
    }

    fn meet(&mut self, cell: &Members) {
        let width = self.tables[0].width;
        let rows: [Vec<f32>; 2] = [0, 1].map(|side: usize| self.tables[side].at(&cell[side]));
        let mut lists: [Vec<Best>; 2] = [0, 1].map(|side: usize| {
            let own = &mut self.lists[side];
            cell[side].iter().map(|&member| std::mem::take(&mut own[member as usize])).collect()
        });
        let [of_firsts, of_seconds] = &mut lists;
        let firsts = Side { rows: &rows[0], numbers: &cell[0], lists: of_firsts };
        let seconds = Side { rows: &rows[1], numbers: &cell[1], lists: of_seconds };
        meet([firsts, seconds], width, self.keep);
        for (side, lists) in lists.into_iter().enumerate() {
            for (&member, list) in cell[side].iter().zip(lists) {
                self.lists[side][member as usize] = list;
            }
        }
    }
}

/// The `count` centres that are most like each row.
fn nearest_centres(rows: &[f32], centres: &[f32], width: usize, count: usize) -> Vec<Vec<Near>> {
    let keep = Keep { count, offers: Offers::Once };
    let numbers = [rows, centres].map(|table| (0..(table.len() / width) as u32).collect::<Vec<u32>>());
    let [mut of_rows, mut of_centres] = [0, 1].map(|side: usize| vec![Best::default(); numbers[side].len()]);
    let rows = Side { rows, numbers: &numbers[0], lists: &mut of_rows };
    let centres = Side { rows: centres, numbers: &numbers[1], lists: &mut of_centres };
    meet([rows, centres], width, keep);
    finished(of_rows, keep)
}

/// Moves each centre to the middle of the rows that are nearest to it; one that has none stays.
fn move_to_the_middle(centres: &mut [f32], rows: &[f32], width: usize) {
    let count = centres.len() / width;
    let nearest = nearest_centres(rows, centres, width, 1);
    let mut around = vec![Vec::new(); count];
    (0..).zip(&nearest).for_each(|(row, near)| around[near[0].row as usize].push(row));
    let mut starts = vec![0u32];
    around.iter().for_each(|rows: &Vec<u32>| starts.push(starts[starts.len() - 1] + rows.len() as u32));
    let gather: Gather<f32> = Gather { starts, rows: around.concat(), weights: Vec::new() };
    let mut middles = vec![0.0; centres.len()];
    gather.add(&mut middles, rows, width);
    let middles = unit_rows(middles, width);
    for ((centre, middle), around) in centres.chunks_mut(width).zip(middles.chunks(width)).zip(&around) {
        if !around.is_empty() {
            centre.copy_from_slice(middle);
        }
    }
}

#[cfg(test)]
#[path = "cells_tests.rs"]
mod tests;
