//! How is a merge written as a folder of tables?
//!
//! As Parquet: `triples`, `attributes` and `types` with a column `source` that lists the graphs, and, for attributes, a
//! column `status` that says whether a value was chosen. The folder reads back as a graph. Beside it, in `provenance`,
//! are the members of every entity and what became of every link; `report.json` says what was done.

use std::io;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{LargeStringBuilder, ListBuilder};
use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::Write;

use super::Merged;
use super::statements::Sources;
use crate::error::{Error, Result};
use crate::io::staging::{Replace, Staging};
use crate::progress::{Progress, Unit};

/// So many rows are written at a time.
const PIECE: usize = 1 << 16;

/// A column of a table: what a row holds in it.
enum Column<'a> {
    Text(&'a str, Box<dyn Fn(usize) -> std::borrow::Cow<'a, str> + 'a>),
    Number(&'a str, Box<dyn Fn(usize) -> f64 + 'a>),
    Graphs(&'a str, Box<dyn Fn(usize) -> Sources + 'a>),
}

pub(super) fn write(
    merged: &Merged<'_>,
    path: &Path,
    replace: Replace,
    progress: &dyn Progress,
) -> Result<()> {
    let staging = Staging::begin(path, replace)?;
    let tables = tables(merged);
    let total: usize = tables.iter().map(|(_, rows, _)| rows).sum();
    progress.begin("writing", Some(total as u64), Unit::Items);
    for (name, rows, columns) in &tables {
        // A table without rows cannot be read back, and says nothing.
        if *rows > 0 {
            write_table(&staging, name, *rows, columns, &merged.graph_names(), progress)?;
        }
    }
    progress.end();
    let mut file = staging.create("report.json")?;
    let at = file.path().to_path_buf();
    serde_json::to_writer_pretty(&mut file, &merged.report).map_err(|error| Error::io(&at)(error.into()))?;
    writeln!(file).map_err(Error::io(&at))?;
    file.finish()?;
    staging.publish()
}

type Table<'a> = (&'static str, usize, Vec<Column<'a>>);

fn tables<'a>(merged: &'a Merged<'a>) -> Vec<Table<'a>> {
    let Merged { data, facts, attributes, typings, .. } = merged;
    let text = |name, cell: Box<dyn Fn(usize) -> std::borrow::Cow<'a, str> + 'a>| Column::Text(name, cell);
    let value = |row: usize| attributes.values.get(data, attributes.statements.rows[row][2]);
    let triples = vec![
        text("subject", Box::new(|row| merged.name(facts.rows[row][0]))),
        text("relation", Box::new(|row| merged.relations.name(facts.rows[row][1]).into())),
        text("object", Box::new(|row| merged.name(facts.rows[row][2]))),
        Column::Graphs("source", Box::new(|row| facts.sources[row])),
    ];
    let attribute_columns = vec![
        text("entity", Box::new(|row| merged.name(attributes.statements.rows[row][0]))),
        text("key", Box::new(|row| merged.keys.name(attributes.statements.rows[row][1]).into())),
        text("value", Box::new(move |row| value(row).text.into())),
        text("qualifier", Box::new(move |row| value(row).qualifier.into())),
        text("status", Box::new(|row| attributes.status[row].as_str().into())),
        Column::Graphs("source", Box::new(|row| attributes.statements.sources[row])),
    ];
    let types = vec![
        text("entity", Box::new(|row| merged.name(typings.rows[row][0]))),
        text("type", Box::new(|row| merged.types.name(typings.rows[row][1]).into())),
        Column::Graphs("source", Box::new(|row| typings.sources[row])),
    ];
    vec![
        ("triples.parquet", facts.len(), triples),
        ("attributes.parquet", attributes.status.len(), attribute_columns),
        ("types.parquet", typings.len(), types),
        ("provenance/members.parquet", merged.clusters.of.len(), members(merged)),
        ("provenance/links.parquet", merged.links.len(), links(merged)),
    ]
}

fn members<'a>(merged: &'a Merged<'a>) -> Vec<Column<'a>> {
    let member = |row: usize| merged.member(row as u32);
    vec![
        Column::Text("entity", Box::new(|row| merged.name(merged.clusters.of[row]))),
        Column::Text("graph", Box::new(move |row| member(row).0.into())),
        Column::Text("member", Box::new(move |row| member(row).1.into())),
    ]
}

fn links<'a>(merged: &'a Merged<'a>) -> Vec<Column<'a>> {
    let end = |row: usize, side: usize| merged.member(merged.links[row].ends[side]);
    vec![
        Column::Text("graph_a", Box::new(move |row| end(row, 0).0.into())),
        Column::Text("entity_a", Box::new(move |row| end(row, 0).1.into())),
        Column::Text("graph_b", Box::new(move |row| end(row, 1).0.into())),
        Column::Text("entity_b", Box::new(move |row| end(row, 1).1.into())),
        Column::Number("probability", Box::new(|row| merged.links[row].probability)),
        Column::Text("fate", Box::new(|row| merged.links[row].fate.as_str().into())),
    ]
}

fn write_table(
    staging: &Staging,
    name: &str,
    rows: usize,
    columns: &[Column<'_>],
    graphs: &[&str],
    progress: &dyn Progress,
) -> Result<()> {
    let mut file = staging.create(name)?;
    let path = file.path().to_path_buf();
    let failed = |error: ParquetError| Error::io(&path)(io::Error::other(error));
    let item = || Arc::new(Field::new_list_field(DataType::LargeUtf8, false));
    let fields = columns.iter().map(|column| match column {
        Column::Text(name, _) => Field::new(*name, DataType::LargeUtf8, false),
        Column::Number(name, _) => Field::new(*name, DataType::Float64, false),
        Column::Graphs(name, _) => Field::new(*name, DataType::List(item()), false),
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut writer = ArrowWriter::try_new(&mut file, schema.clone(), Some(properties)).map_err(failed)?;
    for start in (0..rows).step_by(PIECE) {
        let piece = start..rows.min(start + PIECE);
        let arrays = columns.iter().map(|column| -> ArrayRef {
            match column {
                Column::Text(_, cell) => {
                    Arc::new(LargeStringArray::from_iter_values(piece.clone().map(cell)))
                }
                Column::Number(_, cell) => Arc::new(Float64Array::from_iter_values(piece.clone().map(cell))),
                Column::Graphs(_, cell) => {
                    let mut lists = ListBuilder::new(LargeStringBuilder::new()).with_field(item());
                    for row in piece.clone() {
                        cell(row).iter().for_each(|graph| lists.values().append_value(graphs[graph]));
                        lists.append(true);
                    }
                    Arc::new(lists.finish())
                }
            }
        });
        let batch =
            RecordBatch::try_new(schema.clone(), arrays.collect()).map_err(|error| failed(error.into()))?;
        writer.write(&batch).map_err(failed)?;
        progress.advance(piece.len() as u64);
    }
    writer.close().map_err(failed)?;
    file.finish()?;
    Ok(())
}
