//! What does a prepared folder say about itself?
//!
//! `manifest.json` is written last, names every file with its size and checksum, and holds the counts and the report
//! of how the folder came to be. It holds no time and no host: the same input and seed give the same bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::PrepareConfig;
use crate::clean::{CleanConfig, Step};
use crate::error::{Error, Result};

/// The name of the manifest in its folder.
pub(super) const MANIFEST: &str = "manifest.json";
/// What a manifest calls itself.
const FORMAT: &str = "linknbed-data";
/// The version that this program writes, and the newest that it reads.
const VERSION: u32 = 1;

/// The account of a prepared folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `linknbed-data`.
    pub format: String,
    /// The version of the layout.
    pub version: u32,
    /// How the data set was made.
    pub prepare: PrepareConfig,
    /// How the graphs were cleaned.
    pub clean: CleanConfig,
    /// The files that were read.
    pub sources: Vec<SourceEntry>,
    /// The graphs, in the order they were given.
    pub graphs: Vec<GraphCounts>,
    /// The pairs of graphs.
    pub links: Vec<LinkCounts>,
    /// What cleaning did.
    pub cleaning: Vec<Step>,
    /// Lines that were skipped.
    pub skipped: Skipped,
    /// The files of the folder.
    pub files: Vec<FileEntry>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceEntry {
    /// The graph it belongs to; none for links.
    pub graph: Option<String>,
    /// The file as the user named it.
    pub path: String,
    /// Its size on disk.
    pub bytes: u64,
    /// Its 128-bit XXH3 checksum.
    pub xxh3: String,
}

/// Rows of each part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartCounts {
    /// Learned from.
    pub train: u64,
    /// Used to choose between models.
    pub valid: u64,
    /// Used once, at the end.
    pub test: u64,
}

/// One graph in numbers, after cleaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphCounts {
    /// What the user calls it.
    pub name: String,
    /// Entities.
    pub entities: u64,
    /// Relations.
    pub relations: u64,
    /// Facts between entities.
    pub triples: u64,
    /// The facts by part.
    pub splits: PartCounts,
    /// Attributes (entity, key, value); names are among them.
    pub attributes: u64,
    /// Keys of attributes.
    pub attribute_keys: u64,
    /// Distinct types.
    pub types: u64,
    /// Entities with a type.
    pub typed_entities: u64,
    /// Entities with a name.
    pub named_entities: u64,
    /// Entities that no training fact mentions.
    pub untrained_entities: u64,
    /// Items of all neighbourhoods.
    pub neighbours: u64,
}

/// What is known between two graphs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkCounts {
    /// The name of the first graph.
    pub first: String,
    /// The name of the second graph.
    pub second: String,
    /// Positive labels by part.
    pub positives: PartCounts,
    /// Negative labels that were given, by part.
    pub negatives: PartCounts,
    /// Negative labels that were drawn.
    pub drawn_negatives: u64,
}

/// Lines that were skipped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The first of them: where, and why.
    pub first: Vec<(String, String)>,
}

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Its path within the folder.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its 128-bit XXH3 checksum.
    pub xxh3: String,
    /// What surrounds the numbers of an Arrow file: it is checked whenever the file is opened.
    pub frame: Option<Frame>,
}

/// The beginning and the end of an Arrow file, which say where its columns are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// Bytes before the columns.
    pub head: u64,
    /// Bytes after them.
    pub tail: u64,
    /// The 128-bit XXH3 checksum of both.
    pub xxh3: String,
}

impl Manifest {
    /// A manifest of the current version.
    pub(super) fn new(prepare: PrepareConfig, clean: CleanConfig) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            prepare,
            clean,
            sources: Vec::new(),
            graphs: Vec::new(),
            links: Vec::new(),
            cleaning: Vec::new(),
            skipped: Skipped::default(),
            files: Vec::new(),
        }
    }

    /// Reads and checks the manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Header {
            format: String,
            version: u32,
        }
        let path = folder.join(MANIFEST);
        let aside = folder.with_file_name(format!(
            ".{}.replaced",
            folder.file_name().unwrap_or_default().to_string_lossy()
        ));
        if !folder.exists() && aside.exists() {
            let message =
                format!("an import was interrupted; the folder it was to replace is {}", aside.display());
            return Err(Error::folder(folder, message));
        }
        if !folder.exists() {
            return Err(Error::not_found(folder));
        }
        if !path.exists() {
            return Err(Error::folder(folder, "not a prepared folder: it has no manifest.json"));
        }
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let broken =
            |error: serde_json::Error| Error::folder(&path, format!("the manifest is damaged: {error}"));
        let header: Header = serde_json::from_str(&text).map_err(broken)?;
        if header.format != FORMAT {
            return Err(Error::folder(&path, format!("expected {FORMAT}, found {:?}", header.format)));
        }
        if header.version > VERSION {
            let message = format!(
                "the folder was written by a newer version of linknbed (layout {}; this one reads up to {VERSION})",
                header.version
            );
            return Err(Error::folder(folder, message));
        }
        serde_json::from_str(&text).map_err(broken)
    }

    /// Checks that every file is there, with its size.
    pub(super) fn check_sizes(&self, folder: &Path) -> Result<()> {
        for file in &self.files {
            let path = folder.join(&file.path);
            let bytes = std::fs::metadata(&path).map_err(Error::io(&path))?.len();
            if bytes != file.bytes {
                let message =
                    format!("the file has {bytes} bytes instead of {}; the folder is damaged", file.bytes);
                return Err(Error::folder(&path, message));
            }
        }
        Ok(())
    }
}
