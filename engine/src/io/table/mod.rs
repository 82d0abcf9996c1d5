//! How are tables read?
//!
//! TSV is raw: no quotes and no escapes, one row a line, read on all cores. CSV has quotes. Parquet has types. What
//! their columns mean is decided once, in [`layout`].

mod layout;
mod parquet;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::Read;
use std::rc::Rc;

pub use layout::Columns;
pub use parquet::is_guarded;
pub(super) use parquet::{read as read_parquet, read_texts as read_parquet_texts, write as write_parquet};

use super::source::SourceFile;
use super::stream::{Block, Stamp, Stream, for_each_block, without_byte_order_mark};
use super::{Collector, ReadOptions};
use crate::error::{Error, Place, Result};
use crate::graph::GraphBuilder;
use layout::Layout;

/// Reads a raw table with tabs between its columns, in parallel.
pub(super) fn read_tsv(file: &SourceFile, options: &ReadOptions, collector: &Collector<'_>) -> Result<Stamp> {
    let (mut blocks, stamper) = Stream::open(file, collector.progress)?.into_blocks();
    let Some(first) = blocks.next() else { return Ok(stamper.stamp()) };
    let first = first.map_err(|error| stamper.error(error))?;
    let layout = {
        let text = without_byte_order_mark(&first.bytes);
        let line = text.split(|&b| b == b'\n').next().unwrap_or_default();
        let cells = String::from_utf8_lossy(line);
        let cells: Vec<&str> = cells.trim_end_matches('\r').split('\t').collect();
        Layout::of_first_row(&cells, file, &options.columns)?
    };
    let blocks = std::iter::once(Ok(first)).chain(blocks);
    for_each_block(blocks, stamper, GraphBuilder::default, |builder, block| {
        read_tsv_block(block, file, &layout, builder, collector)
    })
}

fn read_tsv_block(
    block: &Block,
    file: &SourceFile,
    layout: &Layout,
    builder: &mut GraphBuilder,
    collector: &Collector<'_>,
) -> Result<()> {
    let bytes = if block.line == 1 { without_byte_order_mark(&block.bytes) } else { &block.bytes };
    let mut cells: Vec<&str> = Vec::new();
    let mut rest = bytes;
    let mut number = block.line;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
        let is_header = number == 1 && layout.has_header();
        if !line.is_empty() && !is_header {
            let place = || Place::line(&file.path, number);
            match std::str::from_utf8(line) {
                Ok(line) => {
                    cells.clear();
                    split_at_tabs(line, &mut cells);
                    if let Err(message) = layout.add(&cells, builder) {
                        collector.problem(place(), message)?;
                    }
                }
                Err(error) => {
                    let place = Place { column: Some(error.valid_up_to() as u64 + 1), ..place() };
                    collector.problem(place, "this is not valid UTF-8")?;
                }
            }
        }
        number += 1;
    }
    collector.absorb(|| Place::file(&file.path), builder)
}

fn split_at_tabs<'a>(line: &'a str, cells: &mut Vec<&'a str>) {
    let mut start = 0;
    for tab in memchr::memchr_iter(b'\t', line.as_bytes()) {
        cells.push(&line[start..tab]);
        start = tab + 1;
    }
    cells.push(&line[start..]);
}

/// Reads a table with commas between its columns and quotes where they are needed.
pub(super) fn read_csv(file: &SourceFile, options: &ReadOptions, collector: &Collector<'_>) -> Result<Stamp> {
    let (reader, stamper) = Stream::open(file, collector.progress)?.into_reader();
    let quotes = Rc::new(RefCell::new(Quotes::default()));
    let reader = QuoteWatch { reader, quotes: quotes.clone() };
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(reader);
    let mut record = csv::ByteRecord::new();
    let mut builder = GraphBuilder::default();
    let mut layout: Option<Layout> = None;
    let mut rows = 0u64;
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let message = error.to_string();
                return Err(match error.into_kind() {
                    csv::ErrorKind::Io(error) => stamper.error(error),
                    _ => Error::input(Place::file(&file.path), message),
                });
            }
        }
        let place = || match record.position() {
            Some(position) => Place::line(&file.path, position.line()),
            None => Place::file(&file.path),
        };
        let several_lines = record.iter().any(|cell| cell.contains(&b'\n'));
        let begins = record.position().map_or(0, csv::Position::byte);
        if quotes.borrow_mut().left_open(begins) && several_lines {
            collector.problem(place(), "a quote that is opened here is never closed")?;
            break;
        }
        let cells: Result<Vec<&str>, _> = record
            .iter()
            .enumerate()
            .map(|(i, cell)| std::str::from_utf8(bare(cell, rows == 0 && i == 0)))
            .collect();
        match (cells, &layout) {
            (Err(_), _) => collector.problem(place(), "this is not valid UTF-8")?,
            (Ok(cells), None) => {
                let new = Layout::of_first_row(&cells, file, &options.columns)?;
                if !new.has_header()
                    && let Err(message) = new.add(&cells, &mut builder)
                {
                    collector.problem(place(), message)?;
                }
                layout = Some(new);
            }
            (Ok(cells), Some(layout)) => {
                if let Err(message) = layout.add(&cells, &mut builder) {
                    collector.problem(place(), message)?;
                }
            }
        }
        rows += 1;
        if rows.is_multiple_of(1 << 16) {
            collector.absorb(|| Place::file(&file.path), &mut builder)?;
        }
    }
    collector.absorb(|| Place::file(&file.path), &mut builder)?;
    Ok(stamper.stamp())
}

/// Where the quotes are that the current record may hold.
#[derive(Default)]
struct Quotes {
    /// Bytes that passed.
    passed: u64,
    /// Places of quotes, from the current record on.
    places: VecDeque<u64>,
    ended: bool,
}

impl Quotes {
    /// Whether the record that begins here ends with the file, inside a quote: it has swallowed the rest.
    fn left_open(&mut self, record: u64) -> bool {
        while self.places.front().is_some_and(|&place| place < record) {
            self.places.pop_front();
        }
        self.ended && !self.places.len().is_multiple_of(2)
    }
}

/// Notes the quotes that pass.
struct QuoteWatch<R> {
    reader: R,
    quotes: Rc<RefCell<Quotes>>,
}

impl<R: Read> Read for QuoteWatch<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let mut quotes = self.quotes.borrow_mut();
        let passed = quotes.passed;
        quotes.places.extend(memchr::memchr_iter(b'"', &buffer[..read]).map(|at| passed + at as u64));
        quotes.passed += read as u64;
        quotes.ended |= read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

fn bare(cell: &[u8], first: bool) -> &[u8] {
    if first { without_byte_order_mark(cell) } else { cell }
}
