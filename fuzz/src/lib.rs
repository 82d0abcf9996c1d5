//! What every target does with its bytes: they become a file, the file is read as a user's would be, and what comes
//! out must hold together.
//!
//! The readers take paths, so there is a file; it lies in memory where the system offers that.

pub mod links;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Once;

use linknbed::Result;
use linknbed::graph::Graph;
use linknbed::io::source::{GraphSource, SourceFile};
use linknbed::io::{Columns, ReadOptions, ReadReport, Strictness, read_graph};
use linknbed::progress::Silent;
use tempfile::TempDir;

/// A folder for this process; removed with it unless it crashes.
pub fn folder() -> PathBuf {
    thread_local! {
        static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
    }
    FOLDER.with(|folder| {
        let made = folder.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let parent = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
            TempDir::with_prefix_in("linknbed-fuzz-", parent).expect("a temporary folder")
        });
        made.path().to_path_buf()
    })
}

/// A panic that the library catches is an error like any other; every other one is a finding.
pub fn allow_guarded_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let fatal = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !linknbed::io::is_guarded() {
                fatal(panic);
            }
        }));
    });
}

/// Writes bytes to a file of this name.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// Reads a file as a graph.
pub fn read(path: &Path, strictness: Strictness, columns: &Columns) -> Result<(Graph, ReadReport)> {
    let source = GraphSource { name: "g".to_owned(), files: vec![SourceFile::of_path(path)?] };
    read_graph(&source, &ReadOptions { strictness, columns: columns.clone() }, &Silent)
}

/// Reads bytes as a graph, strictly and leniently.
///
/// Whatever is read refers to what is there; a message names the file and is not empty; and what reads strictly
/// reads leniently as the same, with nothing skipped.
pub fn read_both_ways(name: &str, bytes: &[u8], columns: &Columns) {
    let path = file(name, bytes);
    let strict = read(&path, Strictness::Strict, columns);
    let lenient = read(&path, Strictness::Lenient, columns);
    for outcome in [&strict, &lenient] {
        match outcome {
            Ok((graph, _)) => check(graph),
            Err(error) => assert!(error.to_string().contains(name), "{error}"),
        }
    }
    if let Ok((graph, report)) = &strict {
        assert_eq!(report.problems.count(), 0);
        let (other, report) = lenient.expect("what reads strictly reads leniently");
        assert_eq!(report.problems.count(), 0);
        assert!(*graph == other, "a lenient reading differs");
    }
}

/// Every id of a graph is a row of its table.
pub fn check(graph: &Graph) {
    let (entities, relations) = (graph.entities.len(), graph.relations.len());
    for fact in graph.facts.iter() {
        assert!(
            fact.subject.row() < entities && fact.relation.row() < relations && fact.object.row() < entities
        );
    }
    for attribute in &graph.attributes {
        assert!(attribute.entity.row() < entities && attribute.key.row() < graph.keys.len());
        assert!(attribute.value.row() < graph.values.len());
    }
    for typing in &graph.typings {
        assert!(typing.entity.row() < entities && typing.class.row() < graph.types.len());
    }
    for (row, name) in graph.entities.iter().enumerate() {
        assert_eq!(graph.entities.find(name), Some(row as u32), "{name:?}");
    }
    for value in graph.values.iter() {
        let _ = (value.kind(), value.number(), value.date());
    }
}

/// Overwrites bytes of `base` as `edits` say, three bytes an edit: two for the place and one for what is put there.
pub fn edited(base: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = base.to_vec();
    for edit in edits.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(place) {
            *byte = edit[2];
        }
    }
    bytes
}
