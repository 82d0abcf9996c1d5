//! How are tables of links read?
//!
//! A table has two columns, an entity of each graph, and perhaps a third that says 1 or 0; or a header with `graph_a`,
//! `entity_a`, `graph_b`, `entity_b` and `probability`, in any order, as links that were found are written. TSV is raw,
//! CSV has quotes, and Parquet has its header elsewhere.

use super::{CERTAIN, Written};
use crate::error::{Error, Place, Result};
use crate::io::problems::Problems;
use crate::io::source::{Format, SourceFile};

/// The columns of links that were found, in the order in which they are written.
pub(super) const COLUMNS: [&str; 5] = ["graph_a", "entity_a", "graph_b", "entity_b", "probability"];

/// Where the columns of a table are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Layout {
    /// An entity, an entity, and perhaps 1 or 0.
    Plain,
    /// As a header says.
    Found { entities: [usize; 2], graphs: Option<[usize; 2]>, probability: Option<usize>, width: usize },
}

impl Layout {
    /// What a row says about the columns, if it is a header of links that were found.
    fn of_header<'c>(cells: impl Iterator<Item = &'c str> + Clone) -> Option<Result<Self, String>> {
        let at = |name: &str| cells.clone().position(|cell| name.eq_ignore_ascii_case(cell.trim()));
        if ["graph_a", "graph_b", "probability"].iter().all(|name| at(name).is_none()) {
            return None;
        }
        let column = |name: &str| {
            let message =
                || format!("there is no column {name}; a table of links has {}", COLUMNS.join(", "));
            at(name).ok_or_else(message)
        };
        let graphs = at("graph_a").is_some() || at("graph_b").is_some();
        let found = (|| {
            Ok(Self::Found {
                entities: [column("entity_a")?, column("entity_b")?],
                graphs: if graphs { Some([column("graph_a")?, column("graph_b")?]) } else { None },
                probability: at("probability"),
                width: cells.clone().count(),
            })
        })();
        Some(found)
    }

    /// The link of a row.
    fn link(&self, cells: &[&str], line: Option<u64>) -> Result<Written, String> {
        let link = match self {
            Self::Plain => plain(cells, line)?,
            Self::Found { width, .. } if cells.len() != *width => {
                return Err(format!("expected {width} columns as in the header, found {}", cells.len()));
            }
            Self::Found { entities, graphs, probability, .. } => Written {
                graphs: graphs.map(|at| at.map(|at| cells[at].to_owned())),
                probability: probability.map_or(Ok(CERTAIN), |at| probability_of(cells[at]))?,
                ..Written::certain(line, cells[entities[0]], cells[entities[1]])
            },
        };
        if link.first.is_empty() || link.second.is_empty() {
            return Err("the entity is empty".to_owned());
        }
        Ok(link)
    }
}

fn plain(cells: &[&str], line: Option<u64>) -> Result<Written, String> {
    let same = match cells {
        [_, _] | [_, _, "1"] => true,
        [_, _, "0"] => false,
        [_, _, other] => return Err(format!("the third column should be 1 or 0, found {other:?}")),
        _ => {
            let found = cells.len();
            return Err(format!("expected 2 columns (an entity of each graph) or 3, found {found}"));
        }
    };
    Ok(Written { same, ..Written::certain(line, cells[0], cells[1]) })
}

/// A probability as it is written.
pub(super) fn probability_of(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| format!("the probability should be a number from 0 to 1, found {text:?}"))
}

/// The links of a TSV or CSV file.
pub(super) fn read(text: &str, file: &SourceFile, problems: &mut Problems) -> Result<Vec<Written>> {
    let delimiter = if file.format == Format::Csv { b',' } else { b'\t' };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(file.format == Format::Csv)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut links = Vec::new();
    let mut layout = Layout::Plain;
    for (number, row) in reader.records().enumerate() {
        let row = row.map_err(|error| Error::input(Place::file(&file.path), error.to_string()))?;
        let line = row.position().map(csv::Position::line);
        let place = Place { path: file.path.clone(), line, column: None };
        if number == 0 {
            if let Some(found) = Layout::of_header(row.iter()) {
                layout = found.map_err(|message| Error::input(place, message))?;
                continue;
            }
            if is_header(&row) {
                continue;
            }
        }
        let cells: Vec<&str> = row.iter().collect();
        match layout.link(&cells, line) {
            Ok(link) => links.push(link),
            Err(message) => problems.add(place, message)?,
        }
    }
    Ok(links)
}

/// The links of a Parquet file: its columns by their names, or else in their order.
pub(super) fn read_columns(
    names: &[String],
    rows: &[Vec<String>],
    file: &SourceFile,
    problems: &mut Problems,
) -> Result<Vec<Written>> {
    let layout = Layout::of_header(names.iter().map(String::as_str)).unwrap_or(Ok(Layout::Plain));
    let layout = layout.map_err(|message| Error::input(Place::file(&file.path), message))?;
    let mut links = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        // Rows have no lines; their number serves as well.
        let line = number as u64 + 1;
        match layout.link(&cells, Some(line)) {
            Ok(link) => links.push(link),
            Err(message) => problems.add(Place::line(&file.path, line), message)?,
        }
    }
    Ok(links)
}

/// Whether a row names columns instead of entities.
fn is_header(row: &csv::StringRecord) -> bool {
    let words = [
        ["source", "target"],
        ["left", "right"],
        ["first", "second"],
        ["subject", "object"],
        ["entity1", "entity2"],
        ["entity_1", "entity_2"],
        ["entity_a", "entity_b"],
        ["id1", "id2"],
    ];
    words.iter().any(|pair| pair.iter().zip(row).all(|(word, cell)| word.eq_ignore_ascii_case(cell.trim())))
}
