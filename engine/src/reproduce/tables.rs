//! What do the rows amount to, side by side?

use std::collections::BTreeMap;

use serde::Serialize;

use super::folder::Begun;
use super::result::{RowResult, Training};
use super::rows::{Learning, Row};

/// The tables, and all that they were made from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tables {
    /// The graphs by their names.
    pub graphs: Vec<String>,
    /// What was asked for.
    pub begun: Begun,
    /// Every setting that all rows begin with.
    pub settings: BTreeMap<String, String>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Whether all that was asked for is there.
    pub ending: Ending,
    /// How the figures came about, in sentences.
    pub protocol: Vec<String>,
    /// Table 2, Table 2 without the linkage loss, and Table 3 where there are links.
    pub tables: Vec<Table>,
    /// Every row and seed that is done.
    pub results: Vec<RowResult>,
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every row that was asked for is there.
    Done,
    /// Some are not, as someone asked it to stop or it still goes on; the same again does the rest.
    Unfinished,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, in the paper's order.
    pub rows: Vec<TableRow>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// The graph, or the pair of graphs as `A-B`.
    pub of: String,
    /// What it shows.
    pub figure: Figure,
}

/// A figure of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// The share of objects among the first ten; of the row's first training.
    #[serde(rename = "hits@10")]
    Hits10,
    /// The mean of 1/rank of objects; of the row's first training.
    Mrr,
    /// [`Figure::Hits10`] of the training without links.
    #[serde(rename = "unsupervised_hits@10")]
    UnsupervisedHits10,
    /// [`Figure::Mrr`] of the training without links.
    UnsupervisedMrr,
    /// AUPRC of a model that learned from links.
    SupervisedAuprc,
    /// AUPRC of one that did not.
    UnsupervisedAuprc,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableRow {
    /// Which.
    pub row: Row,
    /// The paper's name for it.
    pub name: &'static str,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// What stands in a place of a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Cell {
    /// A figure over all seeds.
    Figure(Summary),
    /// The row is not done for every seed.
    NotYet,
    /// The row has no such figure.
    None,
    /// Learning led to numbers that are none, with one seed at least.
    Diverged,
}

/// A figure over all seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample; none of a single seed.
    pub spread: Option<f64>,
    /// How it stands in its column.
    pub standing: Standing,
    /// (mean − best baseline) / best baseline; for LinkNBed, where a baseline is there.
    pub gain: Option<f64>,
}

/// How a figure stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// No other is higher.
    Best,
    /// Another one is.
    Behind,
}

impl Summary {
    /// The mean and the spread of some numbers; none of no numbers.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let count = numbers.len() as f64;
        if numbers.is_empty() {
            return None;
        }
        let mean = numbers.iter().sum::<f64>() / count;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let spread = (numbers.len() > 1).then(|| (squares / (count - 1.0)).sqrt());
        Some(Self { mean, spread, standing: Standing::Behind, gain: None })
    }
}

impl Figure {
    /// Its name beside that of the graph.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hits10 | Self::UnsupervisedHits10 => "HITS@10",
            Self::Mrr | Self::UnsupervisedMrr => "MRR",
            Self::SupervisedAuprc => "supervised",
            Self::UnsupervisedAuprc => "unsupervised",
        }
    }

    /// Of what training of a row it is; none where the row has no such figure.
    fn training(self, result: &RowResult) -> Option<&Training> {
        match self {
            Self::Hits10 | Self::Mrr => result.trainings.first(),
            Self::SupervisedAuprc => result.training(Learning::Supervised),
            Self::UnsupervisedHits10 | Self::UnsupervisedMrr | Self::UnsupervisedAuprc => {
                result.training(Learning::Unsupervised)
            }
        }
    }

    fn is_of(self, row: Row) -> bool {
        !row.is_baseline() || self != Self::SupervisedAuprc
    }

    fn value(self, of: &str, result: &RowResult) -> Option<f64> {
        let figures = self.training(result)?.figures()?;
        match self {
            Self::Hits10 | Self::UnsupervisedHits10 => figures.facts.get(of).map(|sides| sides.tail.hits_10),
            Self::Mrr | Self::UnsupervisedMrr => figures.facts.get(of).map(|sides| sides.tail.mrr),
            Self::SupervisedAuprc | Self::UnsupervisedAuprc => figures.auprc.get(of).copied().flatten(),
        }
    }

    /// The figure of baselines that it is compared with: they never learn from links.
    fn of_baselines(self) -> Self {
        match self {
            Self::SupervisedAuprc => Self::UnsupervisedAuprc,
            other => other,
        }
    }
}

impl Column {
    /// What stands above it.
    pub fn name(&self) -> String {
        format!("{} {}", self.of, self.figure.name())
    }
}

impl Table {
    /// Fills a table from what is done. A row counts once it is done for every seed.
    pub(super) fn new(
        caption: String,
        rows: &[Row],
        columns: Vec<Column>,
        seeds: &[u64],
        results: &[RowResult],
    ) -> Self {
        let by_column = columns.iter().map(|column| column_cells(rows, column, seeds, results));
        let by_column: Vec<Vec<Cell>> = by_column.collect();
        let cells = |at: usize| by_column.iter().map(|cells| cells[at]).collect();
        let rows = rows.iter().enumerate();
        let rows = rows.map(|(at, &row)| TableRow { row, name: row.name(), cells: cells(at) }).collect();
        Self { caption, columns, rows }
    }
}

fn column_cells(rows: &[Row], column: &Column, seeds: &[u64], results: &[RowResult]) -> Vec<Cell> {
    let mut cells: Vec<Cell> =
        rows.iter().map(|&row| cell(row, column.figure, &column.of, seeds, results)).collect();
    let best = highest(cells.iter());
    let baselines = Row::ALL.iter().filter(|row| row.is_baseline());
    let baselines: Vec<Cell> =
        baselines.map(|&row| cell(row, column.figure.of_baselines(), &column.of, seeds, results)).collect();
    let baseline = highest(baselines.iter()).filter(|&baseline| baseline > 0.0);
    for (cell, row) in cells.iter_mut().zip(rows) {
        if let Cell::Figure(summary) = cell {
            if Some(summary.mean) == best {
                summary.standing = Standing::Best;
            }
            if !row.is_baseline() {
                summary.gain = baseline.map(|baseline| (summary.mean - baseline) / baseline);
            }
        }
    }
    cells
}

fn highest<'a>(cells: impl Iterator<Item = &'a Cell>) -> Option<f64> {
    let means = cells.filter_map(|cell| match cell {
        Cell::Figure(summary) => Some(summary.mean),
        Cell::NotYet | Cell::None | Cell::Diverged => None,
    });
    means.max_by(f64::total_cmp)
}

fn cell(row: Row, figure: Figure, of: &str, seeds: &[u64], results: &[RowResult]) -> Cell {
    if !figure.is_of(row) {
        return Cell::None;
    }
    let done = |seed: &u64| results.iter().find(|result| result.row == row && result.seed == *seed);
    let Some(done) = seeds.iter().map(done).collect::<Option<Vec<_>>>() else { return Cell::NotYet };
    let is_diverged =
        |result: &&RowResult| figure.training(result).is_some_and(|training| training.figures().is_none());
    if done.iter().any(is_diverged) {
        return Cell::Diverged;
    }
    let values: Option<Vec<f64>> = done.iter().map(|result| figure.value(of, result)).collect();
    values.and_then(|values| Summary::of(&values)).map_or(Cell::None, Cell::Figure)
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
