//! How are tables of numbers kept?
//!
//! As safetensors: eight bytes with the length of a header, the header in JSON, and the numbers. The crate checks what
//! a header says; the header is written here, because tables of gigabytes should go to disk without a copy of them all
//! in memory. A checksum of the numbers is among the metadata, so that damage is found before they are used.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use arrow_buffer::Buffer;
use safetensors::Dtype;
use safetensors::tensor::Metadata;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::little_endian;
use crate::compute::mapped::map_file;
use crate::error::{Error, Place, Result};
use crate::io::staging::write_file;

/// The metadata key under which the checksum of the numbers is kept.
const CHECKSUM: &str = "xxh3";
/// The key in the header that stands beside the names of tensors.
const METADATA: &str = "__metadata__";
/// Other readers refuse a longer header.
const LONGEST_HEADER: usize = 100_000_000;
/// The length of the header is written in so many bytes.
const LENGTH: usize = size_of::<u64>();

/// A table to be written.
#[derive(Debug, Clone)]
pub struct TensorView<'a> {
    /// What it is called.
    pub name: String,
    /// The size of each dimension; the last one varies fastest.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub data: &'a [f32],
}

/// Writes tables with metadata into one file, which appears whole or not at all.
pub fn write_tensors(
    path: &Path,
    tensors: &[TensorView<'_>],
    metadata: &BTreeMap<String, String>,
) -> Result<()> {
    check(tensors, metadata)?;
    let header = header(tensors, metadata);
    if header.len() > LONGEST_HEADER {
        let message = "names and metadata are longer than the safetensors format allows";
        return Err(Error::Usage(format!("{}: {message}", path.display())));
    }
    write_file(path, |file| {
        file.write_all(&(header.len() as u64).to_le_bytes()).map_err(Error::io(path))?;
        file.write_all(&header).map_err(Error::io(path))?;
        for tensor in tensors {
            let written = little_endian::for_each_piece(tensor.data, |bytes| file.write_all(bytes));
            written.map_err(Error::io(path))?;
        }
        Ok(())
    })
}

fn check(tensors: &[TensorView<'_>], metadata: &BTreeMap<String, String>) -> Result<()> {
    if metadata.contains_key(CHECKSUM) {
        return Err(Error::Usage(format!("the metadata key {CHECKSUM:?} is kept for the checksum")));
    }
    let mut names = HashSet::new();
    for TensorView { name, shape, data } in tensors {
        if name == METADATA || !names.insert(name) {
            return Err(Error::Usage(format!("a tensor cannot be called {name:?}, which is taken")));
        }
        if size(shape) != Some(data.len()) {
            let numbers = data.len();
            let message = format!("the tensor {name:?} has the shape {shape:?} but {numbers} numbers");
            return Err(Error::Usage(message));
        }
    }
    Ok(())
}

/// How many numbers a shape holds, if that is a number.
fn size(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}

/// The header, padded with spaces so that the numbers lie at a multiple of their size.
fn header(tensors: &[TensorView<'_>], metadata: &BTreeMap<String, String>) -> Vec<u8> {
    let mut metadata = metadata.clone();
    metadata.insert(CHECKSUM.to_owned(), written(checksum(tensors)));
    let mut entries = Map::from_iter([(METADATA.to_owned(), json!(metadata))]);
    let mut start = 0;
    for tensor in tensors {
        let end = start + size_of_val(tensor.data);
        let entry = json!({ "dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end] });
        entries.insert(tensor.name.clone(), entry);
        start = end;
    }
    let mut header = Value::Object(entries).to_string().into_bytes();
    header.resize(header.len().next_multiple_of(LENGTH), b' ');
    header
}

/// The checksum stands before the numbers, so they are passed over twice; the first time costs no disk.
fn checksum(tensors: &[TensorView<'_>]) -> u128 {
    let mut hash = Xxh3::new();
    for tensor in tensors {
        let Ok(()) = little_endian::for_each_piece(tensor.data, |bytes| {
            hash.update(bytes);
            Ok::<(), std::convert::Infallible>(())
        });
    }
    hash.digest128()
}

fn written(checksum: u128) -> String {
    format!("{checksum:032x}")
}

/// A file of tables, mapped.
#[derive(Debug)]
pub struct Tensors {
    path: PathBuf,
    metadata: BTreeMap<String, String>,
    tables: BTreeMap<String, Table>,
    /// The file from the end of its header on.
    numbers: Buffer,
    is_checked: bool,
}

/// Where a table lies.
#[derive(Debug)]
struct Table {
    kind: Dtype,
    shape: Vec<usize>,
    start: usize,
    end: usize,
}

impl Tensors {
    /// Opens a file and compares its numbers with their checksum, for which all of them are read once. Files of other
    /// tools have none; see [`Tensors::is_checked`].
    pub fn open(path: &Path) -> Result<Self> {
        let bad = |message: String| Error::input(Place::file(path), message);
        let file = map_file(path).map_err(Error::io(path))?;
        let header = header_of(&file).map_err(bad)?;
        let numbers = file.slice(LENGTH + header.len());
        let header: Metadata = serde_json::from_slice(header)
            .map_err(|error| bad(format!("this is not a safetensors file that can be read: {error}")))?;
        let (expected, found) = (header.data_len(), numbers.len());
        if found != expected {
            let what = if found < expected { "truncated" } else { "damaged" };
            return Err(bad(format!(
                "the file is {what}: expected {expected} bytes of numbers, found {found}"
            )));
        }
        let metadata = header.metadata().iter().flatten();
        let mut metadata: BTreeMap<String, String> =
            metadata.map(|(key, value)| (key.clone(), value.clone())).collect();
        let expected = metadata.remove(CHECKSUM);
        if let Some(expected) = &expected {
            let found = written(xxh3_128(&numbers));
            if found != *expected {
                let message = format!("the file is damaged: its checksum is {found}, expected {expected}");
                return Err(bad(message));
            }
        }
        Ok(Self {
            path: path.to_path_buf(),
            metadata,
            tables: tables_of(&header),
            numbers,
            is_checked: expected.is_some(),
        })
    }

    /// Whether the file has a checksum, which then was right.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }

    /// What was written about the tables, without the checksum.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// The names of the tables, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The shape of a table.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tables.get(name).map(|table| table.shape.as_slice())
    }

    /// Copies a table of 32-bit floats that has to be of this shape.
    pub fn read_into(&self, name: &str, shape: &[usize], out: &mut [f32]) -> Result<()> {
        let bad = |message: String| Error::input(Place::file(&self.path), message);
        let table =
            self.tables.get(name).ok_or_else(|| bad(format!("there is no tensor {name:?} in this file")))?;
        if table.shape != shape {
            let found = &table.shape;
            return Err(bad(format!("the tensor {name:?} has the shape {found:?}, expected {shape:?}")));
        }
        if table.kind != Dtype::F32 {
            return Err(bad(format!("the tensor {name:?} holds {}, expected F32", table.kind)));
        }
        let bytes = &self.numbers[table.start..table.end];
        if size_of_val(out) != bytes.len() {
            let (numbers, places) = (bytes.len() / size_of::<f32>(), out.len());
            let message =
                format!("the tensor {name:?} has {numbers} numbers, but there is room for {places}");
            return Err(Error::Usage(message));
        }
        little_endian::read(bytes, out);
        Ok(())
    }
}

/// The bytes of the header.
fn header_of(file: &[u8]) -> Result<&[u8], String> {
    let Some((length, rest)) = file.split_first_chunk() else {
        return Err("this is not a safetensors file: it is too short".to_owned());
    };
    let length = u64::from_le_bytes(*length);
    usize::try_from(length).ok().and_then(|length| rest.get(..length)).ok_or_else(|| {
        let found = rest.len();
        format!("this is not a safetensors file, or it is truncated: its header should have {length} bytes, but {found} follow")
    })
}

/// The tables of a header that was checked: they follow each other without a gap up to the end of the numbers.
fn tables_of(header: &Metadata) -> BTreeMap<String, Table> {
    let table = |(name, info): (String, &safetensors::tensor::TensorInfo)| {
        let (start, end) = info.data_offsets;
        (name, Table { kind: info.dtype, shape: info.shape.clone(), start, end })
    };
    header.tensors().into_iter().map(table).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;
    use safetensors::SafeTensors;
    use safetensors::tensor::{TensorView as Foreign, serialize};

    use super::*;

    fn metadata(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn view<'a>(name: &str, shape: &[usize], data: &'a [f32]) -> TensorView<'a> {
        TensorView { name: name.to_owned(), shape: shape.to_vec(), data }
    }

    fn message(outcome: Result<impl Sized>) -> String {
        outcome.err().expect("an error").to_string()
    }

    /// The number with these bits, of any kind.
    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        (0..count as u32).map(|n| f32::from_bits((n + 1).wrapping_mul(seed | 1))).collect()
    }

    fn bits(numbers: &[f32]) -> Vec<u32> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn what_is_written_reads_back_here_and_in_the_crate(
            tables in prop::collection::btree_map(".{0,8}", (prop::collection::vec(0..5usize, 0..4), any::<u32>()), 0..6),
            about in prop::collection::btree_map("[a-w]{0,4}|\\PC{0,3}", ".{0,8}", 0..4),
        ) {
            prop_assume!(!tables.contains_key(METADATA));
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("x.safetensors");
            let data: BTreeMap<&String, Vec<f32>> =
                tables.iter().map(|(name, (shape, seed))| (name, numbers(shape.iter().product(), *seed))).collect();
            // Against the order of the names, so that it is the offsets that count.
            let views: Vec<_> = tables.iter().rev().map(|(name, (shape, _))| view(name, shape, &data[name])).collect();
            write_tensors(&path, &views, &about).unwrap();

            let tensors = Tensors::open(&path).unwrap();
            prop_assert!(tensors.is_checked());
            prop_assert_eq!(tensors.metadata(), &about);
            prop_assert_eq!(tensors.names().collect::<Vec<_>>(), tables.keys().collect::<Vec<_>>());
            let bytes = fs::read(&path).unwrap();
            let header = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            prop_assert_eq!(header % 8, 0);
            let foreign = SafeTensors::deserialize(&bytes).unwrap();
            prop_assert_eq!(foreign.len(), tables.len());
            for (name, (shape, _)) in &tables {
                prop_assert_eq!(tensors.shape(name), Some(shape.as_slice()));
                let mut read = vec![0.0; data[name].len()];
                tensors.read_into(name, shape, &mut read).unwrap();
                prop_assert_eq!(bits(&read), bits(&data[name]));
                let other = foreign.tensor(name).unwrap();
                let expected: Vec<u8> = data[name].iter().flat_map(|n| n.to_le_bytes()).collect();
                prop_assert_eq!((other.dtype(), other.shape(), other.data()), (Dtype::F32, shape.as_slice(), expected.as_slice()));
            }
        }

        #[test]
        fn no_changed_byte_of_the_numbers_and_no_cut_goes_unseen(at in any::<prop::sample::Index>(), change in 1..=255u8) {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("x.safetensors");
            let data = numbers(40, 77);
            write_tensors(&path, &[view("a", &[4, 5], &data[..20]), view("b", &[20], &data[20..])], &metadata(&[])).unwrap();
            let whole = fs::read(&path).unwrap();
            let cut = at.index(whole.len());
            fs::write(&path, &whole[..cut]).unwrap();
            let text = message(Tensors::open(&path));
            prop_assert!(text.contains("x.safetensors: ") && (text.contains("truncated") || cut < 8), "{}", text);
            let mut damaged = whole.clone();
            let place = whole.len() - 160 + at.index(160);
            damaged[place] ^= change;
            fs::write(&path, &damaged).unwrap();
            let text = message(Tensors::open(&path));
            prop_assert!(text.contains("the file is damaged: its checksum is "), "{}", text);
        }
    }

    #[test]
    fn a_header_is_as_the_format_says() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        write_tensors(&path, &[view("b", &[1, 2], &[1.0, -2.0])], &metadata(&[("model", "max")])).unwrap();
        let numbers = [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0];
        let checksum = format!("{:032x}", xxh3_128(&numbers));
        let header = format!(
            "{{\"__metadata__\":{{\"model\":\"max\",\"xxh3\":\"{checksum}\"}},\
             \"b\":{{\"data_offsets\":[0,8],\"dtype\":\"F32\",\"shape\":[1,2]}}}}"
        );
        let padded = header.len().next_multiple_of(8);
        let mut expected = (padded as u64).to_le_bytes().to_vec();
        expected.extend(format!("{header:padded$}").bytes());
        expected.extend(numbers);
        assert_eq!(fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn files_of_the_crate_are_read() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        let bytes: Vec<u8> = [1.5f32, -2.0, 0.25, 8.0].iter().flat_map(|n| n.to_le_bytes()).collect();
        let float = Foreign::new(Dtype::F32, vec![2, 2], &bytes).unwrap();
        let half = Foreign::new(Dtype::F16, vec![8], &bytes).unwrap();
        let about = [("format".to_owned(), "pt".to_owned())].into_iter().collect();
        fs::write(&path, serialize([("float", float), ("half", half)], Some(about)).unwrap()).unwrap();
        let tensors = Tensors::open(&path).unwrap();
        assert!(!tensors.is_checked());
        assert_eq!(tensors.metadata(), &metadata(&[("format", "pt")]));
        assert_eq!(tensors.names().collect::<Vec<_>>(), ["float", "half"]);
        let mut read = [0.0; 4];
        tensors.read_into("float", &[2, 2], &mut read).unwrap();
        assert_eq!(read, [1.5, -2.0, 0.25, 8.0]);
        let at = path.display();
        let failure = message(tensors.read_into("half", &[8], &mut [0.0; 8]));
        assert_eq!(failure, format!("{at}: the tensor \"half\" holds F16, expected F32"));
    }

    #[test]
    fn a_table_that_is_not_as_expected_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        write_tensors(&path, &[view("a", &[2, 3], &[0.0; 6])], &metadata(&[])).unwrap();
        let tensors = Tensors::open(&path).unwrap();
        let at = path.display();
        let read = |name: &str, shape: &[usize], places: usize| {
            message(tensors.read_into(name, shape, &mut vec![0.0; places]))
        };
        assert_eq!(read("c", &[6], 6), format!("{at}: there is no tensor \"c\" in this file"));
        assert_eq!(
            read("a", &[3, 2], 6),
            format!("{at}: the tensor \"a\" has the shape [2, 3], expected [3, 2]")
        );
        assert_eq!(read("a", &[2, 3], 5), "the tensor \"a\" has 6 numbers, but there is room for 5");
        assert_eq!(tensors.shape("c"), None);
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        let write = |tensors: &[TensorView<'_>], about: &[(&str, &str)]| {
            message(write_tensors(&path, tensors, &metadata(about)))
        };
        let taken = |name: &str| format!("a tensor cannot be called {name:?}, which is taken");
        assert_eq!(write(&[view("a", &[1], &[0.0]), view("a", &[1], &[0.0])], &[]), taken("a"));
        assert_eq!(write(&[view(METADATA, &[0], &[])], &[]), taken(METADATA));
        let wrong = |shape: &str| format!("the tensor \"a\" has the shape {shape} but 3 numbers");
        assert_eq!(write(&[view("a", &[2, 2], &[0.0; 3])], &[]), wrong("[2, 2]"));
        assert_eq!(
            write(&[view("a", &[1 << 40, 1 << 40], &[0.0; 3])], &[]),
            wrong("[1099511627776, 1099511627776]")
        );
        assert_eq!(write(&[], &[("xxh3", "")]), "the metadata key \"xxh3\" is kept for the checksum");
        let long = "x".repeat(LONGEST_HEADER);
        assert_eq!(
            write(&[], &[("long", &long)]),
            format!("{}: names and metadata are longer than the safetensors format allows", path.display())
        );
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_no_such_file_says_so() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        let open = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let text = message(Tensors::open(&path));
            text.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
        };
        let framed = |header: &str, numbers: usize| {
            [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; numbers]].concat()
        };
        assert_eq!(open(b""), "this is not a safetensors file: it is too short");
        assert_eq!(
            open(b"subject\tobject\n"),
            "this is not a safetensors file, or it is truncated: its header should have 681278730867471731 bytes, but 7 follow"
        );
        assert_eq!(
            open(&framed("[]", 0)),
            "this is not a safetensors file that can be read: invalid type: sequence, expected struct HashMetadata at line 1 column 0"
        );
        let one = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
        assert_eq!(open(&framed(one, 7)), "the file is truncated: expected 8 bytes of numbers, found 7");
        assert_eq!(open(&framed(one, 9)), "the file is damaged: expected 8 bytes of numbers, found 9");
        let gap = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#;
        assert!(open(&framed(gap, 16)).contains("invalid offset for tensor `a`"));
        let wrong = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#;
        assert!(open(&framed(wrong, 8)).contains("invalid shape, data type, or offset for tensor"));
        let checked = format!(r#"{{"__metadata__":{{"xxh3":"no"}},{}"#, &one[1..]);
        let found = written(xxh3_128(&[0; 8]));
        assert_eq!(
            open(&framed(&checked, 8)),
            format!("the file is damaged: its checksum is {found}, expected no")
        );
        assert!(matches!(Tensors::open(&home.path().join("nowhere")), Err(Error::Io { .. })));
    }

    /// Tables that end near the largest number there is: a sum with the header's length must not come out small.
    #[test]
    fn offsets_that_wrap_around_are_an_error() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("x.safetensors");
        let piece = (1u64 << 61) - 1;
        let mut header = String::from("{");
        for n in 0..8 {
            let (start, end) = (n * piece, (n + 1) * piece);
            header.push_str(&format!(
                r#""t{n}":{{"dtype":"U8","shape":[{piece}],"data_offsets":[{start},{end}]}},"#
            ));
        }
        header.pop();
        header.push('}');
        fs::write(&path, [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat()).unwrap();
        let expected = 8 * piece;
        assert_eq!(
            message(Tensors::open(&path)),
            format!(
                "{}: the file is truncated: expected {expected} bytes of numbers, found 0",
                path.display()
            )
        );
    }
}
