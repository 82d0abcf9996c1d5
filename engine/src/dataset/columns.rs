//! How do tables lie on disk?
//!
//! As Arrow IPC files of one record batch, which pyarrow, polars and others read as they are. A column is mapped, not
//! read: opening a file costs the same whatever its size.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, LargeListArray, LargeStringArray, RecordBatch, UInt32Array};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::root_as_footer;
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};

use super::manifest::FileEntry;
use crate::compute::mapped::map_file;
use crate::error::{Error, Result};
use crate::io::staging::Staging;

/// A list of ids for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists {
    starts: ScalarBuffer<i64>,
    items: ScalarBuffer<u32>,
}

impl Lists {
    pub(super) fn new(starts: Vec<i64>, items: Vec<u32>) -> Self {
        Self { starts: starts.into(), items: items.into() }
    }

    /// The list of a row.
    pub fn get(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All items of all lists.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    pub(super) fn to_array(&self) -> ArrayRef {
        let field = Arc::new(Field::new("item", DataType::UInt32, false));
        let items = Arc::new(UInt32Array::new(self.items.clone(), None));
        Arc::new(LargeListArray::new(field, OffsetBuffer::new(self.starts.clone()), items, None))
    }
}

/// Writes one table into a folder in the making.
pub(super) fn write_table(
    staging: &Staging,
    relative: &str,
    columns: Vec<(&str, ArrayRef)>,
) -> Result<FileEntry> {
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), array.null_count() > 0))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let mut file = staging.create(relative)?;
    let path = file.path().to_path_buf();
    let arrow = |error: arrow_schema::ArrowError| match error {
        arrow_schema::ArrowError::IoError(_, source) => Error::Io { path: path.clone(), source },
        other => Error::folder(&path, other.to_string()),
    };
    let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(arrow)?;
    let mut writer = FileWriter::try_new(&mut file, &schema).map_err(arrow)?;
    writer.write(&batch).map_err(arrow)?;
    writer.finish().map_err(arrow)?;
    drop(writer);
    let written = file.finish()?;
    Ok(FileEntry { path: relative.to_owned(), bytes: written.bytes, xxh3: written.xxh3 })
}

/// A mapped table.
pub(super) struct Table {
    path: PathBuf,
    batch: RecordBatch,
}

impl Table {
    /// Maps a table of a published folder.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let buffer = map_file(path).map_err(Error::io(path))?;
        let batch = only_batch(&buffer).map_err(|message| Error::folder(path, message))?;
        Ok(Self { path: path.to_path_buf(), batch })
    }

    pub(super) fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn column(&self, name: &str, kind: &DataType) -> Result<&ArrayRef> {
        let column = self.batch.column_by_name(name);
        column.filter(|column| column.data_type() == kind && column.null_count() == 0).ok_or_else(|| {
            Error::folder(
                &self.path,
                format!("the column {name:?} of {kind} is missing; the folder is damaged"),
            )
        })
    }

    pub(super) fn strings(&self, name: &str) -> Result<LargeStringArray> {
        Ok(self.column(name, &DataType::LargeUtf8)?.as_string::<i64>().clone())
    }

    pub(super) fn ids(&self, name: &str) -> Result<ScalarBuffer<u32>> {
        Ok(self.column(name, &DataType::UInt32)?.as_primitive::<UInt32Type>().values().clone())
    }

    pub(super) fn bytes(&self, name: &str) -> Result<ScalarBuffer<u8>> {
        Ok(self.column(name, &DataType::UInt8)?.as_primitive::<UInt8Type>().values().clone())
    }

    pub(super) fn counts(&self, name: &str) -> Result<ScalarBuffer<u64>> {
        Ok(self.column(name, &DataType::UInt64)?.as_primitive::<UInt64Type>().values().clone())
    }

    pub(super) fn lists(&self, name: &str) -> Result<Lists> {
        let kind = DataType::LargeList(Arc::new(Field::new("item", DataType::UInt32, false)));
        let array = self.column(name, &kind)?.as_list::<i64>();
        let items = array.values().as_primitive::<UInt32Type>().values().clone();
        Ok(Lists { starts: array.offsets().inner().clone(), items })
    }
}

/// The one record batch of an Arrow file, pointing into its bytes.
fn only_batch(file: &Buffer) -> Result<RecordBatch, String> {
    let damaged = |what: &str| format!("not a whole Arrow file ({what})");
    let trailer = file.len().checked_sub(10).ok_or_else(|| damaged("too short"))?;
    let ending: [u8; 10] = file[trailer..].try_into().map_err(|_| damaged("too short"))?;
    let length = read_footer_length(ending).map_err(|error| damaged(&error.to_string()))?;
    let start = trailer.checked_sub(length).ok_or_else(|| damaged("footer"))?;
    let footer = root_as_footer(&file[start..trailer]).map_err(|error| damaged(&error.to_string()))?;
    let schema = footer.schema().ok_or_else(|| damaged("no schema"))?;
    let schema = Arc::new(try_fb_to_schema(schema).map_err(|error| damaged(&error.to_string()))?);
    let batches = footer.recordBatches().ok_or_else(|| damaged("no data"))?;
    if batches.len() != 1 {
        return Err(damaged("more than one part"));
    }
    let block = batches.get(0);
    let offset = usize::try_from(block.offset()).map_err(|_| damaged("offset"))?;
    let length = usize::try_from(block.bodyLength() + i64::from(block.metaDataLength()))
        .map_err(|_| damaged("length"))?;
    if offset.checked_add(length).is_none_or(|end| end > file.len()) {
        return Err(damaged("truncated"));
    }
    let decoder = FileDecoder::new(schema, footer.version());
    let data = file.slice_with_length(offset, length);
    let batch = decoder.read_record_batch(block, &data).map_err(|error| damaged(&error.to_string()))?;
    batch.ok_or_else(|| damaged("no data"))
}
