//! What can be done next, beside what is being done?
//!
//! A run waits for nothing but the tries by which its settings are chosen, and a row is judged when its runs are there.
//! Done one after the other, that is the order of the tables.

use std::collections::{BTreeMap, BTreeSet};

use super::result::RowResult;
use super::rows::Row;
use super::task::Task;
use super::tuning::{Tried, best};
use super::work::{Ended, Work};
use crate::error::Result;

/// Something that can be done beside others.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// A run to learn.
    Run(Task<'a>),
    /// A row to judge.
    Row(Learnt<'a>),
}

/// A row whose runs are there.
#[derive(Debug)]
pub(super) struct Learnt<'a> {
    pub(super) row: Row,
    pub(super) seed: u64,
    /// Its runs, those of one way of learning side by side.
    pub(super) runs: Vec<LearntRun<'a>>,
}

/// A run that is there.
#[derive(Debug)]
pub(super) struct LearntRun<'a> {
    pub(super) task: Task<'a>,
    /// What was tried before; nothing where there was no choice.
    pub(super) tried: Vec<Tried>,
    pub(super) ended: Ended,
}

/// What is done, and what is being done.
pub(super) struct Queue<'a> {
    work: &'a Work<'a>,
    /// Runs by name.
    ended: BTreeMap<String, Ended>,
    /// Rows, with the settings that the runs of their first way of learning have, counted from 0.
    rows: BTreeMap<(Row, u64), Vec<usize>>,
    underway: BTreeSet<String>,
}

impl<'a> Queue<'a> {
    /// Begins with the rows that the folder has.
    pub(super) fn new(work: &'a Work<'a>) -> Result<Self> {
        let mut queue =
            Self { work, ended: BTreeMap::new(), rows: BTreeMap::new(), underway: BTreeSet::new() };
        for &row in &work.rows {
            for &seed in &work.seeds {
                work.folder.row(row, seed)?.iter().for_each(|result| queue.row_is_done(result));
            }
        }
        Ok(queue)
    }

    /// Hands out what can be done next; nothing where all is done or underway, or waits for what is.
    pub(super) fn next(&mut self) -> Option<Piece<'a>> {
        let work = self.work;
        let rows = work.rows.iter().flat_map(|&row| work.seeds.iter().map(move |&seed| (row, seed)));
        let open = rows.filter(|row| !self.rows.contains_key(row));
        let next = open.flat_map(|(row, seed)| self.of_row(row, seed)).find(|piece| {
            let name = piece.name();
            !self.underway.contains(&name)
        })?;
        self.underway.insert(next.name());
        Some(next)
    }

    /// Whether there is nothing left to do.
    pub(super) fn is_done(&self) -> bool {
        self.rows.len() == self.work.rows.len() * self.work.seeds.len()
    }

    pub(super) fn run_has_ended(&mut self, task: Task<'_>, ended: Ended) {
        self.underway.remove(&task.name());
        self.ended.insert(task.name(), ended);
    }

    pub(super) fn row_is_done(&mut self, result: &RowResult) {
        self.underway.remove(&name_of_row(result.row, result.seed));
        let chosen = result
            .trainings
            .first()
            .map(|training| training.runs.iter().map(|run| run.chosen.saturating_sub(1)).collect());
        self.rows.insert((result.row, result.seed), chosen.unwrap_or_default());
    }

    /// What there is to do for a row: its tries; when they are made, its runs; and when these are there, to judge it.
    fn of_row(&self, row: Row, seed: u64) -> Vec<Piece<'a>> {
        let missing = |tasks: &[Task<'a>]| -> Vec<Piece<'a>> {
            let is_missing = |task: &&Task<'a>| !self.ended.contains_key(&task.name());
            tasks.iter().filter(is_missing).map(|&task| Piece::Run(task)).collect()
        };
        let is_chosen = self.rows.contains_key(&(row, self.work.first_seed()));
        let tries = if is_chosen { Vec::new() } else { missing(&self.work.tries(row).concat()) };
        if !tries.is_empty() {
            return tries;
        }
        let tasks = self.work.runs(row, seed, &self.chosen(row));
        let runs = missing(&tasks);
        if !runs.is_empty() {
            return runs;
        }
        let learnt = tasks.into_iter().filter_map(|task| {
            let tried = if task.is_try { self.tried(task) } else { Vec::new() };
            Some(LearntRun { task, tried, ended: self.ended.get(&task.name())?.clone() })
        });
        vec![Piece::Row(Learnt { row, seed, runs: learnt.collect() })]
    }

    /// The settings of a row's runs: for each graph that is learned alone, those of the best try of the first seed.
    fn chosen(&self, row: Row) -> Vec<usize> {
        if let Some(chosen) = self.rows.get(&(row, self.work.first_seed())) {
            return chosen.clone();
        }
        let tries = self.work.tries(row);
        tries.iter().map(|tries| tries.first().map_or(0, |&first| best(&self.tried(first)))).collect()
    }

    /// All tries that were made beside one.
    fn tried(&self, one: Task<'_>) -> Vec<Tried> {
        let beside = (0..self.work.tuning()).map(|number| Task { number, ..one });
        beside.filter_map(|task| self.work.tried(task, self.ended.get(&task.name())?)).collect()
    }
}

impl Piece<'_> {
    fn name(&self) -> String {
        match self {
            Self::Run(task) => task.name(),
            Self::Row(learnt) => name_of_row(learnt.row, learnt.seed),
        }
    }
}

/// No run is called like that.
fn name_of_row(row: Row, seed: u64) -> String {
    format!("row {} {seed}", row.key())
}
