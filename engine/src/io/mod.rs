//! How do files become graphs, and graphs files?
//!
//! A graph comes from a file, a glob or a folder ([`source`]); bytes are streamed and decompressed (`stream`);
//! RDF (`rdf`) and tables (`table`) are read into a graph builder in parallel; links between graphs have their
//! own files ([`links`]), which are small, and so have vectors ([`vectors`]), which need not be. Graphs are streamed: no
//! file of theirs is held in memory whole, but for Parquet's row groups.

pub mod links;
mod problems;
mod rdf;
pub mod source;
pub mod staging;
mod stream;
mod table;
pub mod terms;
pub mod vectors;
pub mod write;

use std::sync::Mutex;

pub use problems::{Problem, Problems, Strictness};
pub use stream::Stamp;
pub use table::{Columns, is_guarded};

use crate::error::{Error, Place, Result};
use crate::graph::{Graph, GraphBuilder};
use crate::progress::{Progress, Unit};
use source::{Format, GraphSource, SourceFile};

/// How graphs are read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Whether a bad line ends the reading or is skipped and counted.
    pub strictness: Strictness,
    /// Which columns of a table mean what, where the table does not say so itself.
    pub columns: Columns,
}

/// What was read, and what was not.
#[derive(Debug, Clone)]
pub struct ReadReport {
    /// Every file, with its size and checksum.
    pub sources: Vec<Stamp>,
    /// Lines that were skipped.
    pub problems: Problems,
}

/// Where readers put what they find; shared by all threads.
pub(crate) struct Collector<'a> {
    builder: Mutex<GraphBuilder>,
    problems: Mutex<Problems>,
    progress: &'a dyn Progress,
}

impl Collector<'_> {
    /// Takes over a block's part of the graph, and empties the block.
    fn absorb(&self, place: impl FnOnce() -> Place, block: &mut GraphBuilder) -> Result<()> {
        let mut builder = self.builder.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        builder.absorb(block);
        block.clear();
        if builder.is_full() {
            return Err(Error::input(
                place(),
                "the graph has more than four thousand million distinct names",
            ));
        }
        Ok(())
    }

    /// A problem: an error, or one more skipped line.
    fn problem(&self, place: Place, message: impl Into<String>) -> Result<()> {
        let mut problems = self.problems.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        problems.add(place, message)
    }
}

/// Reads one graph from all its files.
pub fn read_graph(
    source: &GraphSource,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(Graph, ReadReport)> {
    let collector = Collector {
        builder: Mutex::default(),
        problems: Mutex::new(Problems::new(options.strictness)),
        progress,
    };
    let total = source.files.iter().map(SourceFile::size).sum::<Option<u64>>();
    progress.begin(&format!("reading {}", source.name), total, Unit::Bytes);
    let mut sources = Vec::new();
    for (number, file) in source.files.iter().enumerate() {
        // Blank nodes are local to their file; with one file their labels can stay as they are.
        let scope = if source.files.len() == 1 { String::new() } else { format!("{number}.") };
        sources.push(read_file(file, &scope, options, &collector)?);
    }
    let builder = collector.builder.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let problems = collector.problems.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let graph = builder.finish(&source.name);
    progress.end();
    if graph.entities.is_empty() {
        let path = source.files.first().map_or_else(Default::default, |file| file.path.clone());
        let skipped = match problems.count() {
            0 => String::new(),
            n => format!(" ({n} lines were skipped, the first because: {})", problems.first()[0].message),
        };
        return Err(Error::input(
            Place::file(path),
            format!("the graph {} holds nothing{skipped}", source.name),
        ));
    }
    Ok((graph, ReadReport { sources, problems }))
}

fn read_file(
    file: &SourceFile,
    scope: &str,
    options: &ReadOptions,
    collector: &Collector<'_>,
) -> Result<Stamp> {
    match file.format {
        Format::NTriples | Format::NQuads => rdf::read_lines(file, scope, collector),
        Format::Turtle | Format::TriG | Format::RdfXml | Format::JsonLd => {
            rdf::read_document(file, scope, collector)
        }
        Format::Tsv => table::read_tsv(file, options, collector),
        Format::Csv => table::read_csv(file, options, collector),
        Format::Parquet => table::read_parquet(file, options, collector),
    }
}
