//! How do vectors become a table that databases read?
//!
//! As Parquet with the columns `graph`, `name` and `vector`, the last a list of fixed size, in row groups that are
//! written one after the other.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::schema::types::ColumnPath;
use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Schema};

use super::{Label, Rows};
use crate::error::{Error, Result};
use crate::io::staging::write_file;

/// How many numbers are held at a time.
struct Sizes {
    /// In a row group, which is in memory until it is full.
    group: usize,
    /// In what the writer gets at a time.
    chunk: usize,
}

/// 64 and 4 MiB.
const SIZES: Sizes = Sizes { group: 1 << 24, chunk: 1 << 20 };

/// Writes vectors with their graphs and names.
pub(super) fn write(path: &Path, rows: &Rows<'_>) -> Result<()> {
    let width = i32::try_from(rows.width)
        .map_err(|_| Error::Usage(format!("vectors of {} numbers do not fit into Parquet", rows.width)))?;
    write_file(path, |file| {
        let outcome = write_groups(rows, width, SIZES, file);
        outcome.map_err(|error| Error::io(path)(std::io::Error::other(error)))
    })
}

fn write_groups(rows: &Rows<'_>, width: i32, sizes: Sizes, file: &mut dyn Write) -> Result<(), ParquetError> {
    let mut table = Table::begin(width, (sizes.group / rows.width).max(1))?;
    let mut left = rows.iter();
    loop {
        let chunk: Vec<_> = left.by_ref().take((sizes.chunk / rows.width).max(1)).collect();
        if chunk.is_empty() {
            break;
        }
        table.add(&chunk)?;
        table.hand_over(file)?;
    }
    Ok(file.write_all(&table.writer.into_inner()?)?)
}

/// A table in the making. The writer wants a file that may change threads, which a file in the making may not; so it
/// writes into memory, and every finished row group is handed over.
struct Table {
    writer: ArrowWriter<Vec<u8>>,
    schema: Arc<Schema>,
    item: FieldRef,
    width: i32,
}

impl Table {
    fn begin(width: i32, rows_in_group: usize) -> Result<Self, ParquetError> {
        let item = Arc::new(Field::new_list_field(DataType::Float32, false));
        let schema = Arc::new(Schema::new(vec![
            Field::new("graph", DataType::LargeUtf8, false),
            Field::new("name", DataType::LargeUtf8, false),
            Field::new("vector", DataType::FixedSizeList(item.clone(), width), false),
        ]));
        // Few graphs have many rows, while hardly a name or a number comes twice.
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_column_dictionary_enabled(ColumnPath::from("graph"), true)
            .set_max_row_group_row_count(Some(rows_in_group))
            .build();
        let writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
        Ok(Self { writer, schema, item, width })
    }

    fn add(&mut self, rows: &[(Label<'_>, &[f32])]) -> Result<(), ParquetError> {
        let graphs = LargeStringArray::from_iter_values(rows.iter().map(|(label, _)| label.graph));
        let names = LargeStringArray::from_iter_values(rows.iter().map(|(label, _)| label.name));
        let numbers =
            Float32Array::from_iter_values(rows.iter().flat_map(|(_, vector)| vector.iter().copied()));
        let vectors = FixedSizeListArray::try_new(self.item.clone(), self.width, Arc::new(numbers), None)?;
        let columns: Vec<ArrayRef> = vec![Arc::new(graphs), Arc::new(names), Arc::new(vectors)];
        self.writer.write(&RecordBatch::try_new(self.schema.clone(), columns)?)
    }

    /// Moves what is written so far into the file.
    fn hand_over(&mut self, file: &mut dyn Write) -> std::io::Result<()> {
        let written = self.writer.inner_mut();
        file.write_all(written)?;
        written.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float32Type;
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::super::{Format, Naming, write_vectors};
    use super::*;

    type Row = (String, String, Vec<f32>);

    /// All rows of a file, and how many each of its groups has.
    fn read(bytes: Vec<u8>, width: usize) -> (Vec<Row>, Vec<i64>) {
        let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).unwrap();
        let groups = builder.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
        let mut rows = Vec::new();
        for batch in builder.build().unwrap() {
            let batch = batch.unwrap();
            let text = |name: &str, row: usize| {
                batch.column_by_name(name).unwrap().as_string::<i64>().value(row).to_owned()
            };
            let vectors = batch.column_by_name("vector").unwrap().as_fixed_size_list();
            assert_eq!(vectors.value_length() as usize, width);
            for row in 0..batch.num_rows() {
                let vector = vectors.value(row);
                assert_eq!(vector.null_count(), 0);
                let vector = vector.as_primitive::<Float32Type>().values().to_vec();
                rows.push((text("graph", row), text("name", row), vector));
            }
        }
        (rows, groups)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_table_reads_back_in_groups_of_the_asked_size(
            width in 1..5usize,
            labels in prop::collection::vec((any::<bool>(), ".{0,6}"), 0..40),
            chunk in 1..30usize,
            group in 1..60usize,
            seed in any::<u32>(),
        ) {
            let numbers = (0..(labels.len() * width) as u32).map(|n| n.wrapping_mul(seed) as f32 * 0.37);
            let vectors: Vec<f32> = numbers.collect();
            let label = |row: usize| {
                let (first, name) = &labels[row];
                Label { graph: if *first { "a" } else { "b" }, name }
            };
            let rows = Rows { width, vectors: &vectors, label: &label, naming: Naming::Name };
            let mut bytes = Vec::new();
            write_groups(&rows, width as i32, Sizes { group, chunk }, &mut bytes).unwrap();
            let (read, groups) = read(bytes, width);
            prop_assert_eq!(read.len(), labels.len());
            for (row, (graph, name, vector)) in read.iter().enumerate() {
                prop_assert_eq!((graph.as_str(), name.as_str()), (label(row).graph, label(row).name));
                prop_assert_eq!(vector.as_slice(), &vectors[row * width..][..width]);
            }
            let full = (group / width).max(1) as i64;
            prop_assert_eq!(groups.iter().sum::<i64>(), labels.len() as i64);
            prop_assert!(groups.iter().rev().skip(1).all(|&rows| rows == full), "{:?}", groups);
        }
    }

    #[test]
    fn a_file_holds_the_three_columns() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.parquet");
        let names = ["Tom Hanks", "tab\tand\nend"];
        let rows = Rows {
            width: 2,
            vectors: &[1.0, f32::NAN, -0.0, 4.0],
            label: &|row| Label { graph: "films", name: names[row] },
            naming: Naming::Name,
        };
        write_vectors(&path, Format::Parquet, &rows).unwrap();
        let (read, groups) = read(std::fs::read(&path).unwrap(), 2);
        assert_eq!(groups, [2]);
        for (row, (graph, name, vector)) in read.iter().enumerate() {
            assert_eq!((graph.as_str(), name.as_str()), ("films", names[row]));
            let bits = |vector: &[f32]| vector.iter().map(|n| n.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(vector), bits(&rows.vectors[row * 2..][..2]));
        }
    }

    #[test]
    fn a_vector_too_wide_for_a_list_is_refused() {
        let rows = Rows {
            width: 1 << 31,
            vectors: &[],
            label: &|_| Label { graph: "", name: "" },
            naming: Naming::Name,
        };
        let failure = write_vectors(Path::new("x.parquet"), Format::Parquet, &rows).unwrap_err().to_string();
        assert_eq!(failure, "vectors of 2147483648 numbers do not fit into Parquet");
    }
}
