//! What do the tables look like on a terminal?

use std::collections::BTreeMap;

use super::result::RowResult;
use super::tables::{Cell, Ending, Standing, Table, Tables};

impl Tables {
    /// The tables as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            text.push_str(&format!("{}\n\n", table.caption));
            text.push_str(&aligned(&figures(table)));
            let gains = gains(table);
            if gains.len() > 1 {
                text.push_str("\nGain over the best baseline\n\n");
                text.push_str(&aligned(&gains));
            }
            text.push('\n');
        }
        text.push_str("How each row was learned\n\n");
        text.push_str(&aligned(&self.trainings()));
        text.push('\n');
        for (name, settings) in self.settings() {
            text.push_str(&format!("{name}: {settings}\n"));
        }
        for (name, why) in self.problems() {
            text.push_str(&format!("{name} diverged: {why}\n"));
        }
        text.push('\n');
        self.protocol.iter().for_each(|sentence| text.push_str(&format!("{sentence}\n")));
        text
    }

    /// Time and length of every training, with headings.
    pub(super) fn trainings(&self) -> Vec<Vec<String>> {
        let mut rows = vec![words(&["", "seed", "learning", "graph", "epochs", "seconds", "run"])];
        for result in &self.results {
            for (training, run) in result.runs() {
                rows.push(vec![
                    result.row.name().to_owned(),
                    result.seed.to_string(),
                    training.learning.name().to_owned(),
                    run.graph.clone().unwrap_or("all".to_owned()),
                    format!("{:.1}", run.epochs),
                    format!("{:.1}", run.seconds),
                    run.run.clone(),
                ]);
            }
        }
        rows
    }

    /// The settings of all rows, as they differ from the preset, and then those of each row, as they differ from all.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        let begun = &self.begun;
        let listed = |settings: &BTreeMap<String, String>, none: &str| {
            let all: Vec<String> = settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
            if all.is_empty() { none.to_owned() } else { all.join(" ") }
        };
        let all = listed(&begun.settings, "as the preset");
        let mut found = vec![(format!("All rows (preset {})", begun.preset), all)];
        let first = self.seeds.first();
        for result in self.results.iter().filter(|result| Some(&result.seed) == first) {
            for run in result.trainings.first().map_or(&[][..], |training| &training.runs) {
                let mut settings = listed(&run.settings, "as all rows");
                if !run.tried.is_empty() {
                    settings += &format!(" (try {} of {})", run.chosen, run.tried.len());
                }
                let of = run.graph.as_ref().map(|graph| format!(", {graph}")).unwrap_or_default();
                found.push((format!("{}{of}", result.row.name()), settings));
            }
        }
        found
    }

    /// Rows that diverged, and why.
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let problem = |result: &RowResult| {
            let name = format!("{}, seed {},", result.row.name(), result.seed);
            Some((name, result.problem()?.to_owned()))
        };
        self.results.iter().filter_map(problem).collect()
    }

    /// Whether rows that were asked for are missing.
    pub fn is_unfinished(&self) -> bool {
        self.ending == Ending::Unfinished
    }
}

impl Cell {
    /// The cell in a few letters, without any mark.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Figure(summary) => match summary.spread {
                Some(spread) => format!("{:.3} ±{spread:.3}", summary.mean),
                None => format!("{:.3}", summary.mean),
            },
            Self::NotYet => "not yet".to_owned(),
            Self::None => "–".to_owned(),
            Self::Diverged => "diverged".to_owned(),
        }
    }

    /// Whether it is the best of its column.
    pub(super) fn is_best(&self) -> bool {
        matches!(self, Self::Figure(summary) if summary.standing == Standing::Best)
    }

    /// The gain, such as `+4.2 %`.
    pub(super) fn gain(&self) -> Option<String> {
        match self {
            Self::Figure(summary) => summary.gain.map(|gain| format!("{:+.1} %", gain * 100.0)),
            Self::NotYet | Self::None | Self::Diverged => None,
        }
    }
}

/// The figures of a table, with headings; the best of a column bears a star.
fn figures(table: &Table) -> Vec<Vec<String>> {
    let mut rows = vec![headings(table)];
    for row in &table.rows {
        let mark = |cell: &Cell| if cell.is_best() { "*" } else { " " };
        let cells = row.cells.iter().map(|cell| cell.words() + mark(cell));
        rows.push([row.name.to_owned()].into_iter().chain(cells).collect());
    }
    rows
}

/// The gains of those rows that have any, with headings.
pub(super) fn gains(table: &Table) -> Vec<Vec<String>> {
    let mut rows = vec![headings(table)];
    for row in &table.rows {
        let gains: Vec<Option<String>> = row.cells.iter().map(Cell::gain).collect();
        if gains.iter().any(Option::is_some) {
            let gains = gains.into_iter().map(|gain| gain.unwrap_or("–".to_owned()));
            rows.push([row.name.to_owned()].into_iter().chain(gains).collect());
        }
    }
    rows
}

/// What stands above the columns, beginning with nothing above the names of rows.
pub(super) fn headings(table: &Table) -> Vec<String> {
    [String::new()].into_iter().chain(table.columns.iter().map(|column| column.name())).collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Columns side by side: the first to the left, the others to the right. Names stay one line, whatever is in them.
fn aligned(rows: &[Vec<String>]) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| cell.chars().map(shown).collect()).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
            let gap = " ".repeat(width - cell.chars().count());
            if at == 0 { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::tables::Summary;

    #[test]
    fn cells_say_what_is_known() {
        let figure =
            |spread, gain| Cell::Figure(Summary { mean: 0.12345, spread, standing: Standing::Behind, gain });
        assert_eq!(figure(None, None).words(), "0.123");
        assert_eq!(figure(Some(0.0067), None).words(), "0.123 ±0.007");
        assert_eq!(
            [Cell::NotYet, Cell::None, Cell::Diverged].map(|cell| cell.words()).join(", "),
            "not yet, –, diverged"
        );
        assert_eq!(figure(None, Some(0.0423)).gain().unwrap(), "+4.2 %");
        assert_eq!(figure(None, Some(-0.5)).gain().unwrap(), "-50.0 %");
        assert_eq!(figure(None, None).gain(), None);
    }

    #[test]
    fn columns_are_aligned_and_names_stay_one_line() {
        let rows = [vec!["a\nb".to_owned(), "é".to_owned()], vec!["x".to_owned(), "0.5*".to_owned()]];
        assert_eq!(aligned(&rows), "a\\nb     é\nx     0.5*\n");
    }
}
