//! How do tables lie on disk?
//!
//! As Arrow IPC files of one record batch, which pyarrow, polars and others read as they are. A column of numbers is
//! mapped, not read, so that opening costs the same whatever its size; names are read once, to check that they are
//! UTF-8.

use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, LargeListArray, LargeStringArray, RecordBatch, UInt32Array};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Footer, root_as_footer};
use arrow_schema::{DataType, Field, Schema};

use super::manifest::{FileEntry, Frame, Manifest};
use xxhash_rust::xxh3::Xxh3;

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

    /// Lists that are in memory.
    pub fn from_lists(lists: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let (mut starts, mut items) = (vec![0], Vec::new());
        for list in lists {
            items.extend(list);
            starts.push(items.len() as i64);
        }
        Self::new(starts, items)
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
    let frame = frame_of(&map_file(&path).map_err(Error::io(&path))?).map_err(|m| Error::folder(&path, m))?;
    Ok(FileEntry { path: relative.to_owned(), bytes: written.bytes, xxh3: written.xxh3, frame: Some(frame) })
}

/// A mapped table.
pub(super) struct Table {
    path: PathBuf,
    batch: RecordBatch,
}

impl Table {
    /// Maps a table of a published folder. What says where the columns are must be as it was written: the decoder
    /// trusts it. The columns themselves are not looked at, however many there are.
    pub(super) fn open(folder: &Path, relative: &str, manifest: &Manifest) -> Result<Self> {
        let path = &folder.join(relative);
        let frame =
            manifest.files.iter().find(|file| file.path == relative).and_then(|file| file.frame.as_ref());
        let frame = frame.ok_or_else(|| Error::folder(path, "the manifest does not name this file"))?;
        let buffer = map_file(path).map_err(Error::io(path))?;
        if frame_checksum(&buffer, frame.head, frame.tail).as_ref() != Some(&frame.xxh3) {
            return Err(Error::folder(path, "the file does not have its checksum; the folder is damaged"));
        }
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

fn damaged(what: impl Display) -> String {
    format!("not a whole Arrow file ({what})")
}

/// Where the footer of an Arrow file begins and ends.
fn footer_range(file: &[u8]) -> Result<Range<usize>, String> {
    let trailer = file.len().checked_sub(10).ok_or_else(|| damaged("too short"))?;
    let ending: [u8; 10] = file[trailer..].try_into().map_err(|_| damaged("too short"))?;
    let length = read_footer_length(ending).map_err(damaged)?;
    let start = trailer.checked_sub(length).ok_or_else(|| damaged("footer"))?;
    Ok(start..trailer)
}

/// The place of the only record batch: where its description begins, where that ends, and where its columns end.
fn only_block(footer: &Footer<'_>, length: usize) -> Result<[usize; 3], String> {
    let batches = footer.recordBatches().ok_or_else(|| damaged("no data"))?;
    if batches.len() != 1 {
        return Err(damaged("more than one part"));
    }
    let block = batches.get(0);
    let size = |size: i64| usize::try_from(size).map_err(|_| damaged("a size"));
    let start = size(block.offset())?;
    let middle = start.checked_add(size(block.metaDataLength().into())?).ok_or_else(|| damaged("a size"))?;
    let end = middle.checked_add(size(block.bodyLength())?).filter(|&end| end <= length);
    Ok([start, middle, end.ok_or_else(|| damaged("truncated"))?])
}

/// Everything of an Arrow file but its columns.
fn frame_of(file: &[u8]) -> Result<Frame, String> {
    let footer = root_as_footer(&file[footer_range(file)?]).map_err(damaged)?;
    let [_, middle, end] = only_block(&footer, file.len())?;
    let (head, tail) = (middle as u64, (file.len() - end) as u64);
    Ok(Frame { head, tail, xxh3: frame_checksum(file, head, tail).ok_or_else(|| damaged("frame"))? })
}

fn frame_checksum(file: &[u8], head: u64, tail: u64) -> Option<String> {
    let (head, tail) = (usize::try_from(head).ok()?, file.len().checked_sub(usize::try_from(tail).ok()?)?);
    let mut hash = Xxh3::new();
    hash.update(file.get(..head)?);
    hash.update(file.get(tail..)?);
    Some(format!("{:032x}", hash.digest128()))
}

/// The one record batch of an Arrow file, pointing into its bytes.
fn only_batch(file: &Buffer) -> Result<RecordBatch, String> {
    let footer = root_as_footer(&file[footer_range(file)?]).map_err(damaged)?;
    let schema = footer.schema().ok_or_else(|| damaged("no schema"))?;
    let schema = Arc::new(try_fb_to_schema(schema).map_err(damaged)?);
    let [start, _, end] = only_block(&footer, file.len())?;
    let block = footer.recordBatches().ok_or_else(|| damaged("no data"))?.get(0);
    let decoder = FileDecoder::new(schema, footer.version());
    let data = file.slice_with_length(start, end - start);
    let batch = decoder.read_record_batch(block, &data).map_err(damaged)?;
    batch.ok_or_else(|| damaged("no data"))
}
