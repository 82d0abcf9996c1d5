//! What do the paper's Tables 2 and 3 look like on this data?
//!
//! Twelve rows: five models that LinkNBed is compared with, and seven variants of it. Each is learned with every seed
//! and judged alike. What is done is kept row by row, so that the work can stop and go on at any time.

mod folder;
mod hands;
mod judged;
mod page;
mod protocol;
mod queue;
mod result;
mod rows;
mod tables;
mod task;
mod text;
mod tuning;
mod work;

use std::path::PathBuf;

pub use folder::Begun;
pub use result::{Figures, Learned, Outcome, Ranked, RowResult, Sides, Training};
pub use rows::{Learning, Row};
pub use tables::{Cell, Column, Ending, Figure, Standing, Summary, Table, TableRow, Tables};
pub use tuning::{MOST_TRIES, Tried};

use crate::error::Result;
use crate::graph::Part;
use crate::progress::Progress;
use work::Work;

/// The tables as text.
pub const TEXT: &str = "tables.txt";
/// The same as data.
pub const DATA: &str = "tables.json";
/// The same as a page.
pub const PAGE: &str = "tables.html";

/// What to reproduce.
#[derive(Debug, Clone)]
pub struct Job {
    /// The prepared folder.
    pub data: PathBuf,
    /// The folder of the tables; what is there already is not done again.
    pub out: PathBuf,
    /// The rows to learn; all where there are none. They are learned in the paper's order.
    pub rows: Vec<Row>,
    /// How many seeds each row is learned with: that of the settings, and those that follow it.
    pub seeds: usize,
    /// The part of the data that is judged.
    pub part: Part,
    /// The settings that all rows begin with; none for the usual ones.
    pub preset: Option<String>,
    /// Single settings for all rows, as `key=value`.
    pub sets: Vec<String>,
    /// How many settings every row tries, up to [`MOST_TRIES`].
    pub tuning: usize,
    /// How many runs are learned beside each other, each with its share of the threads: one at least, and no more than there
    /// are threads.
    pub jobs: usize,
}

/// Learns and judges what is not done yet, and writes the tables whenever a row is done.
///
/// Where `should_stop` says so, or one of several jobs fails, every training ends after the step that it is at, and every row that is being
/// judged is judged to its end; the same job goes on from there.
pub fn reproduce(
    job: &Job,
    should_stop: &(dyn Fn() -> bool + Sync),
    progress: &dyn Progress,
) -> Result<Tables> {
    let work = Work::begin(job)?;
    let ending = hands::do_all(&work, should_stop, progress)?;
    work.write_tables(ending)
}
