//! Which rows of a table does a batch touch?
//!
//! Rows are marked by many threads, then numbered in the order of the table: the place of a row is its number among
//! those that are touched.

use std::sync::atomic::{AtomicU8, Ordering};

/// The rows of a table that are touched, and the place of each.
#[derive(Debug, Default)]
pub struct Places {
    marks: Vec<AtomicU8>,
    places: Vec<u32>,
    /// The touched rows, sorted.
    pub rows: Vec<u32>,
}

impl Places {
    /// Begins anew, for a table of so many rows.
    pub fn begin(&mut self, rows: usize) {
        if self.marks.len() != rows {
            self.marks = (0..rows).map(|_| AtomicU8::new(0)).collect();
            self.places = vec![0; rows];
        } else {
            self.rows.iter().for_each(|&row| *self.marks[row as usize].get_mut() = 0);
        }
        self.rows.clear();
    }

    /// Marks a row as touched.
    pub fn mark(&self, row: u32) {
        // Whoever marks writes the same. What is marked already is not written again: a line of the cache that many threads
        // only read is in all their caches, one that they write moves from each to the next.
        let mark = &self.marks[row as usize];
        if mark.load(Ordering::Relaxed) == 0 {
            mark.store(1, Ordering::Relaxed);
        }
    }

    /// Numbers the marked rows.
    pub fn number(&mut self) {
        for (row, mark) in self.marks.iter_mut().enumerate() {
            if *mark.get_mut() != 0 {
                self.places[row] = self.rows.len() as u32;
                self.rows.push(row as u32);
            }
        }
    }

    /// The place of a touched row.
    pub fn of(&self, row: u32) -> u32 {
        self.places[row as usize]
    }
}
