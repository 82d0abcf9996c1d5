//! How do bytes get from a file to a parser?
//!
//! A [`Stream`] counts and checksums the bytes as they lie on disk, decompresses them, and hands them out as one
//! reader or as [`Block`]s that end at a line's end, which can be parsed in parallel.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::source::SourceFile;
use crate::error::{Error, Place, Result};
use crate::progress::Progress;

/// What identifies a file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The file as the user named it.
    pub path: String,
    /// Its size on disk.
    pub bytes: u64,
    /// The 128-bit XXH3 checksum of its bytes on disk, as `xxhsum -H2` prints it.
    pub xxh3: String,
}

/// How a file is compressed, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Bzip2,
    Zstd,
    Xz,
}

impl Compression {
    fn of(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, ..] => Self::Bzip2,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::None,
        }
    }

    fn of_extension(extension: &str) -> Self {
        match extension {
            "gz" => Self::Gzip,
            "bz2" => Self::Bzip2,
            "zst" => Self::Zstd,
            "xz" => Self::Xz,
            _ => Self::None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "no compression",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
        }
    }
}

/// A file being read.
pub(super) struct Stream<'a> {
    path: PathBuf,
    compression: Compression,
    reader: Box<dyn Read + Send + 'a>,
    tally: Arc<Mutex<Tally>>,
}

#[derive(Default)]
struct Tally {
    bytes: u64,
    hash: Xxh3,
}

/// Counts and checksums what passes.
struct Tallied<'a, R> {
    inner: R,
    tally: Arc<Mutex<Tally>>,
    progress: &'a dyn Progress,
}

impl<R: Read> Read for Tallied<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let mut tally = self.tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        tally.bytes += read as u64;
        tally.hash.update(&buffer[..read]);
        self.progress.advance(read as u64);
        Ok(read)
    }
}

const BUFFER: usize = 1 << 18;

impl<'a> Stream<'a> {
    /// Opens a file, or standard input, and looks at how it is compressed.
    pub(super) fn open(file: &SourceFile, progress: &'a dyn Progress) -> Result<Self> {
        let path = &file.path;
        let raw: Box<dyn Read + Send> = if file.is_stdin() {
            Box::new(io::stdin())
        } else {
            Box::new(File::open(path).map_err(Error::io(path))?)
        };
        let tally = Arc::new(Mutex::new(Tally::default()));
        let tallied = Tallied { inner: raw, tally: tally.clone(), progress };
        let mut buffered = BufReader::with_capacity(BUFFER, tallied);
        let first = buffered.fill_buf().map_err(Error::io(path))?;
        if first.is_empty() && !file.may_be_empty() {
            return Err(Error::input(Place::file(path), "the file is empty"));
        }
        let compression = Compression::of(first);
        let named =
            path.extension().and_then(|e| e.to_str()).map_or(Compression::None, Compression::of_extension);
        if named != compression && named != Compression::None {
            let message = format!("the file is named as {} but does not hold {0} data", named.name());
            return Err(Error::input(Place::file(path), message));
        }
        let reader: Box<dyn Read + Send + 'a> = match compression {
            Compression::None => Box::new(buffered),
            Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered)),
            Compression::Zstd => {
                Box::new(zstd::stream::read::Decoder::with_buffer(buffered).map_err(Error::io(path))?)
            }
            Compression::Xz => Box::new(lzma_rust2::XzReader::new(buffered, true)),
        };
        Ok(Self { path: path.clone(), compression, reader, tally })
    }

    /// The decompressed bytes, and a way to the checksum once they are read.
    pub(super) fn into_reader(self) -> (Box<dyn Read + Send + 'a>, Stamper) {
        let stamper = Stamper { path: self.path.clone(), compression: self.compression, tally: self.tally };
        (self.reader, stamper)
    }

    /// The decompressed bytes in blocks of whole lines.
    pub(super) fn into_blocks(self) -> (Blocks<'a>, Stamper) {
        let (reader, stamper) = self.into_reader();
        (Blocks { reader, rest: Vec::new(), line: 1, done: false }, stamper)
    }
}

/// Turns read errors into messages that name the file, and stamps the file at the end.
pub(super) struct Stamper {
    path: PathBuf,
    compression: Compression,
    tally: Arc<Mutex<Tally>>,
}

impl Stamper {
    /// Whether the file is not compressed, so that bad bytes are the file's own.
    pub(super) fn is_plain(&self) -> bool {
        self.compression == Compression::None
    }

    /// What a failed read means.
    pub(super) fn error(&self, error: io::Error) -> Error {
        use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
        match (self.compression, error.kind()) {
            (Compression::None, _) => Error::Io { path: self.path.clone(), source: error },
            (compression, UnexpectedEof) => Error::input(
                Place::file(&self.path),
                format!("the {} data ends too early; the file is truncated", compression.name()),
            ),
            (compression, InvalidData | InvalidInput | Other) => Error::input(
                Place::file(&self.path),
                format!("the {} data is damaged: {error}", compression.name()),
            ),
            _ => Error::Io { path: self.path.clone(), source: error },
        }
    }

    /// What was read in all.
    pub(super) fn stamp(self) -> Stamp {
        let tally = self.tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        Stamp {
            path: self.path.display().to_string(),
            bytes: tally.bytes,
            xxh3: format!("{:032x}", tally.hash.digest128()),
        }
    }
}

/// Whole lines of a file.
pub(super) struct Block {
    /// The bytes; the last line may lack its end.
    pub(super) bytes: Vec<u8>,
    /// The number of the first line, from 1.
    pub(super) line: u64,
}

/// A file cut into blocks of whole lines.
pub(super) struct Blocks<'a> {
    reader: Box<dyn Read + Send + 'a>,
    rest: Vec<u8>,
    line: u64,
    done: bool,
}

/// Small enough that a block's names stay in a core's cache, large enough that few are met twice.
const BLOCK: usize = 1 << 20;

impl Blocks<'_> {
    fn next_block(&mut self) -> io::Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let end = loop {
            let before = bytes.len();
            bytes.reserve(BLOCK);
            let read = self.reader.by_ref().take(BLOCK as u64).read_to_end(&mut bytes)?;
            if read < BLOCK {
                self.done = true;
                break bytes.len();
            }
            if let Some(end) = memchr::memrchr(b'\n', &bytes[before..]) {
                break before + end + 1;
            }
        };
        self.rest = bytes[end..].to_vec();
        bytes.truncate(end);
        let line = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        Ok((!bytes.is_empty()).then_some(Block { bytes, line }))
    }
}

impl Iterator for Blocks<'_> {
    type Item = io::Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let block = self.next_block().transpose();
        if !matches!(block, Some(Ok(_))) {
            self.done = true;
        }
        block
    }
}

/// Reads blocks on all cores. Blocks come in order and the earliest failure is kept, so that the message is the same
/// on any number of threads.
/// `scratch` is what a thread reuses from block to block.
pub(super) fn for_each_block<S>(
    blocks: impl Iterator<Item = io::Result<Block>> + Send,
    stamper: Stamper,
    scratch: impl Fn() -> S + Sync + Send,
    read: impl Fn(&mut S, &Block) -> Result<()> + Sync + Send,
) -> Result<Stamp> {
    let failure: Mutex<Option<(u64, Error)>> = Mutex::new(None);
    let locked = || failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    blocks.take_while(|_| locked().is_none()).par_bridge().for_each_init(scratch, |scratch, block| {
        let (line, outcome) = match block {
            Ok(block) => (block.line, read(scratch, &block)),
            Err(error) => (u64::MAX, Err(stamper.error(error))),
        };
        if let Err(error) = outcome {
            let mut failure = locked();
            if failure.as_ref().is_none_or(|(earliest, _)| line < *earliest) {
                *failure = Some((line, error));
            }
        }
    });
    let failure = locked().take();
    match failure {
        Some((_, error)) => Err(error),
        None => Ok(stamper.stamp()),
    }
}

/// A byte order mark says nothing in UTF-8, but would become part of the first name.
pub(super) fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(bytes: &[u8]) -> Vec<Block> {
        let blocks = Blocks {
            reader: Box::new(io::Cursor::new(bytes.to_vec())),
            rest: Vec::new(),
            line: 1,
            done: false,
        };
        blocks.map(Result::unwrap).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn blocks_are_the_file_in_whole_lines(lengths in prop::collection::vec(0..700_000usize, 0..8), end in any::<bool>()) {
            let lines: Vec<Vec<u8>> = lengths.iter().map(|&n| vec![b'x'; n]).collect();
            let mut file = lines.join(&b'\n');
            if end { file.push(b'\n'); }
            let blocks = blocks(&file);
            let mut line = 1;
            for (i, block) in blocks.iter().enumerate() {
                prop_assert_eq!(block.line, line);
                line += block.bytes.iter().filter(|&&b| b == b'\n').count() as u64;
                prop_assert!(i + 1 == blocks.len() || block.bytes.ends_with(b"\n"));
            }
            prop_assert_eq!(blocks.into_iter().flat_map(|b| b.bytes).collect::<Vec<u8>>(), file);
        }
    }
}
