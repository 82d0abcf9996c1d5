//! How is Parquet read and written?
//!
//! Text is taken as it is; numbers, dates and truth values are written out as text, which the graph reads as their
//! kind again; a list gives one row for each of its items.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::ChunkReader;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, LargeStringArray, RecordBatch, RecordBatchReader, StringArray, StringViewArray,
};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;

use super::layout::{Layout, add_row};
use crate::error::{Error, Place, Result};
use crate::graph::{GraphBuilder, Value};
use crate::io::source::SourceFile;
use crate::io::stream::{Stamp, Stream};
use crate::io::{Collector, ReadOptions};
use crate::progress::Progress;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is where a panic is caught and becomes an error: a panic hook can stay silent.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Reads a Parquet file, a batch of rows at a time.
///
/// The parquet crate panics on some damaged files; that is caught here and is an error like any other.
pub(in crate::io) fn read(
    file: &SourceFile,
    options: &ReadOptions,
    collector: &Collector<'_>,
) -> Result<Stamp> {
    let (unpacked, stamp) = stamp(file, collector)?;
    guarded(file, || match unpacked {
        Some(bytes) => read_rows(bytes, file, options, collector),
        None => read_rows(File::open(&file.path).map_err(Error::io(&file.path))?, file, options, collector),
    })?;
    Ok(stamp)
}

/// Does something with a Parquet file of which a panic is an error like any other.
fn guarded<T>(file: &SourceFile, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let guarded = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(guarded);
    let damaged = |_| Err(Error::input(Place::file(&file.path), "the Parquet file is damaged"));
    outcome.unwrap_or_else(damaged)
}

/// The columns of a small Parquet file, and its rows as text; a cell without a value is empty.
pub(in crate::io) fn read_texts(
    file: &SourceFile,
    progress: &dyn Progress,
) -> Result<(Vec<String>, Vec<Vec<String>>, Stamp)> {
    if file.is_stdin() {
        return Err(Error::Usage("Parquet cannot be read from standard input".into()));
    }
    let (mut reader, stamper) = Stream::open(file, progress)?.into_reader();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| stamper.error(error))?;
    let (names, rows) = guarded(file, || texts_of(bytes.into(), file))?;
    Ok((names, rows, stamper.stamp()))
}

fn texts_of(bytes: Bytes, file: &SourceFile) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let bad = |message: String| Error::input(Place::file(&file.path), message);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes)
        .and_then(|builder| builder.with_batch_size(1 << 14).build())
        .map_err(|error| bad(format!("this is not a Parquet file that can be read: {error}")))?;
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|error| bad(format!("the file is damaged: {error}")))?;
        let columns = (0..batch.num_columns())
            .map(|at| column_of(&batch, at, file))
            .collect::<Result<Vec<Cells<'_>>>>()?;
        let text = |row| columns.iter().map(|cells| cells.one(row).unwrap_or("").to_owned()).collect();
        rows.extend((0..batch.num_rows()).map(text));
    }
    Ok((names, rows))
}

/// A column of a batch as text.
fn column_of<'a>(batch: &'a RecordBatch, at: usize, file: &SourceFile) -> Result<Cells<'a>> {
    Cells::of(batch.column(at)).ok_or_else(|| {
        let schema = batch.schema();
        let field = schema.field(at);
        let message =
            format!("the column {:?} is {}, which cannot be read as text", field.name(), field.data_type());
        Error::input(Place::file(&file.path), message)
    })
}

fn read_rows(
    source: impl ChunkReader + 'static,
    file: &SourceFile,
    options: &ReadOptions,
    collector: &Collector<'_>,
) -> Result<()> {
    let bad = |message: String| Error::input(Place::file(&file.path), message);
    let reader = ParquetRecordBatchReaderBuilder::try_new(source)
        .and_then(|builder| builder.with_batch_size(1 << 14).build())
        .map_err(|error| bad(format!("this is not a Parquet file that can be read: {error}")))?;
    let schema = reader.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let layout = Layout::of_header(&names, file, &options.columns)?;
    let mut row = 0;
    for batch in reader {
        let batch = batch.map_err(|error| bad(format!("the file is damaged: {error}")))?;
        let mut builder = GraphBuilder::default();
        let problems = read_batch(&batch, &layout, file, &mut builder)?;
        for (at, message) in problems {
            // Rows have no lines; their number serves as well.
            collector.problem(Place::line(&file.path, row + at + 1), message)?;
        }
        row += batch.num_rows() as u64;
        collector.absorb(|| Place::file(&file.path), &mut builder)?;
    }
    Ok(())
}

/// Parquet is read from its end, so its checksum takes a pass of its own. A file that is compressed once more is
/// unpacked into memory.
fn stamp(file: &SourceFile, collector: &Collector<'_>) -> Result<(Option<Bytes>, Stamp)> {
    if file.is_stdin() {
        return Err(Error::Usage("Parquet cannot be read from standard input".into()));
    }
    let (mut reader, stamper) = Stream::open(file, collector.progress)?.into_reader();
    let mut unpacked = Vec::new();
    let plain = stamper.is_plain();
    let read =
        if plain { io::copy(&mut reader, &mut io::sink()) } else { io::copy(&mut reader, &mut unpacked) };
    read.map_err(|error| stamper.error(error))?;
    Ok(((!plain).then(|| unpacked.into()), stamper.stamp()))
}

fn read_batch(
    batch: &RecordBatch,
    layout: &Layout,
    file: &SourceFile,
    builder: &mut GraphBuilder,
) -> Result<Vec<(u64, String)>> {
    let mut problems = Vec::new();
    let cells = |at: usize| column_of(batch, at, file);
    match layout {
        Layout::Long { role, at, qualifier, .. } => {
            let columns = at.iter().map(|&at| cells(at)).collect::<Result<Vec<_>>>()?;
            let qualifier = qualifier.filter(|&at| at < batch.num_columns()).map(cells).transpose()?;
            for row in 0..batch.num_rows() {
                let qualifier = qualifier.as_ref().and_then(|cells| cells.one(row)).unwrap_or("");
                let column = |position: usize| columns[position].one(row).unwrap_or("");
                if let Err(message) = add_row(*role, column, qualifier, builder) {
                    problems.push((row as u64, message));
                }
            }
        }
        Layout::Wide { entity, class, keys, .. } => {
            let entities = cells(*entity)?;
            let classes = class.map(cells).transpose()?;
            let keys = keys.iter().map(|(at, key)| Ok((cells(*at)?, key))).collect::<Result<Vec<_>>>()?;
            for row in 0..batch.num_rows() {
                let Some(entity) = entities.one(row).filter(|entity| !entity.is_empty()) else {
                    problems.push((row as u64, "the entity is empty".to_owned()));
                    continue;
                };
                for (cells, key) in &keys {
                    cells.each(row, |value| builder.attribute(entity, key, Value::plain(value)));
                }
                if let Some(classes) = &classes {
                    classes.each(row, |class| builder.typing(entity, class));
                }
            }
        }
    }
    Ok(problems)
}

/// A column as text.
enum Cells<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    View(&'a StringViewArray),
    Written(Vec<Vec<String>>),
}

impl<'a> Cells<'a> {
    fn of(array: &'a ArrayRef) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::View(array.as_string_view()),
            DataType::List(_) => Self::Written(lists(array.as_list::<i32>())?),
            DataType::LargeList(_) => Self::Written(lists(array.as_list::<i64>())?),
            _ => Self::Written(written(array)?.into_iter().map(|cell| cell.into_iter().collect()).collect()),
        })
    }

    /// The only value of a row, or the first.
    fn one(&self, row: usize) -> Option<&str> {
        match self {
            Self::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Written(rows) => rows[row].first().map(String::as_str),
        }
    }

    fn each(&self, row: usize, mut take: impl FnMut(&str)) {
        match self {
            Self::Written(rows) => {
                rows[row].iter().filter(|value| !value.is_empty()).for_each(|value| take(value))
            }
            _ => self.one(row).filter(|value| !value.is_empty()).into_iter().for_each(take),
        }
    }
}

fn lists<O: arrow_array::OffsetSizeTrait>(
    array: &arrow_array::GenericListArray<O>,
) -> Option<Vec<Vec<String>>> {
    let items: Option<Vec<Vec<String>>> = (0..array.len())
        .map(|row| {
            if array.is_null(row) {
                return Some(Vec::new());
            }
            let items = array.value(row);
            let cells = Cells::of(&items)?;
            Some((0..items.len()).filter_map(|item| cells.one(item).map(str::to_owned)).collect())
        })
        .collect();
    items
}

/// Numbers, truth values and dates as text.
fn written(array: &ArrayRef) -> Option<Vec<Option<String>>> {
    macro_rules! numbers {
        ($kind:ty) => {
            array.as_primitive::<$kind>().iter().map(|n| n.map(|n| n.to_string())).collect()
        };
    }
    Some(match array.data_type() {
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Boolean => array.as_boolean().iter().map(|b| b.map(|b| b.to_string())).collect(),
        DataType::Date32 => array.as_primitive::<Date32Type>().iter().map(|d| d.map(calendar_date)).collect(),
        DataType::Null => vec![None; array.len()],
        _ => return None,
    })
}

/// Days since 1970 as `YYYY-MM-DD` (Howard Hinnant's civil-from-days).
fn calendar_date(days: i32) -> String {
    let days = i64::from(days) + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Writes columns of text as one Parquet file.
pub(in crate::io) fn write<'r>(
    writer: impl Write + Send,
    columns: &[&str],
    mut rows: impl Iterator<Item = Vec<&'r str>>,
) -> Result<(), ::parquet::errors::ParquetError> {
    let fields: Vec<Field> =
        columns.iter().map(|name| Field::new(*name, DataType::LargeUtf8, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut writer = ArrowWriter::try_new(writer, schema.clone(), Some(properties))?;
    loop {
        let chunk: Vec<Vec<&str>> = rows.by_ref().take(1 << 16).collect();
        if chunk.is_empty() {
            break;
        }
        let column = |at: usize| {
            Arc::new(LargeStringArray::from_iter_values(chunk.iter().map(|row| row[at]))) as ArrayRef
        };
        let arrays = (0..columns.len()).map(column).collect();
        writer.write(&RecordBatch::try_new(schema.clone(), arrays)?)?;
    }
    writer.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::calendar_date;

    #[test]
    fn days_become_dates() {
        for (days, date) in
            [(0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (19_723, "2024-01-01")]
        {
            assert_eq!(calendar_date(days), date);
        }
    }
}
