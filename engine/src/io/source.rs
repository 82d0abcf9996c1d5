//! Which files make up a graph, and what does each of them hold?
//!
//! `NAME=PATH` names a graph. The path is a file, a glob, or a folder; what a file holds follows from its name:
//! the extension is the format (a second one the compression), and for tables the stem is the role.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::error::{Error, Place, Result};
use crate::graph::Part;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.nt`
    NTriples,
    /// `.nq`
    NQuads,
    /// `.ttl`
    Turtle,
    /// `.trig`
    TriG,
    /// `.rdf`, `.owl`, `.xml`
    RdfXml,
    /// `.jsonld`
    JsonLd,
    /// `.tsv`, and the files of the OpenEA layout
    Tsv,
    /// `.csv`
    Csv,
    /// `.parquet`
    Parquet,
}

/// The extensions that are understood, for messages.
const EXTENSIONS: &str =
    ".nt .nq .ttl .trig .rdf .owl .xml .jsonld .tsv .csv .parquet, each also .gz .bz2 .zst .xz";

impl Format {
    /// The format that an extension (without the dot) stands for.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "nt" => Self::NTriples,
            "nq" => Self::NQuads,
            "ttl" => Self::Turtle,
            "trig" => Self::TriG,
            "rdf" | "owl" | "xml" => Self::RdfXml,
            "jsonld" => Self::JsonLd,
            "tsv" => Self::Tsv,
            "csv" => Self::Csv,
            "parquet" => Self::Parquet,
            _ => return None,
        })
    }

    /// Whether rows and columns are read, rather than statements.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Tsv | Self::Csv | Self::Parquet)
    }
}

/// What the rows of a table say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// subject, relation, object
    Facts(Part),
    /// entity, key, value, and optionally the value's language or datatype
    Attributes,
    /// entity, key, value, where the value may be written as in N-Triples
    OpenEaAttributes,
    /// entity, type
    Types,
    /// entity, name
    Names,
}

impl Role {
    /// The role that a table's stem stands for; any other name holds facts.
    fn of_stem(stem: &str) -> Self {
        match stem {
            "train" => Self::Facts(Part::Train),
            "valid" | "dev" => Self::Facts(Part::Valid),
            "test" => Self::Facts(Part::Test),
            "attributes" => Self::Attributes,
            "types" => Self::Types,
            "names" => Self::Names,
            _ => Self::Facts(Part::Undivided),
        }
    }

    /// What each column of such a table means, in order.
    pub(super) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Facts(_) => &["subject", "relation", "object"],
            Self::Attributes | Self::OpenEaAttributes => &["entity", "key", "value"],
            Self::Types => &["entity", "type"],
            Self::Names => &["entity", "name"],
        }
    }
}

/// One file of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is; `-` is standard input.
    pub path: PathBuf,
    /// How it is written.
    pub format: Format,
    /// What it holds, if it is a table.
    pub role: Role,
}

impl SourceFile {
    /// Looks at the name of a file.
    pub fn of_path(path: &Path) -> Result<Self> {
        if let Some(role) = open_ea_role(path) {
            return Ok(Self { path: path.to_path_buf(), format: Format::Tsv, role });
        }
        let (stem, extension) = stem_and_extension(path);
        let format = Format::of_extension(&extension).ok_or_else(|| {
            let message = format!("unknown format; expected one of {EXTENSIONS}");
            Error::input(Place::file(path), message)
        })?;
        Ok(Self { path: path.to_path_buf(), format, role: Role::of_stem(&stem) })
    }

    /// Whether the name of the file says what kind of table it is.
    pub(super) fn has_role(&self) -> bool {
        is_known_stem(&stem_and_extension(&self.path).0)
    }

    /// Standard input in the given format.
    pub fn stdin(format: Format) -> Self {
        Self { path: PathBuf::from("-"), format, role: Role::Facts(Part::Undivided) }
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// A part that was left empty on purpose is no mistake.
    pub(super) fn may_be_empty(&self) -> bool {
        matches!(self.role, Role::Facts(Part::Valid | Part::Test))
    }

    pub(super) fn size(&self) -> Option<u64> {
        std::fs::metadata(&self.path).ok().map(|m| m.len())
    }
}

/// The name without its extensions, and the extension that says the format, in lower case.
fn stem_and_extension(path: &Path) -> (String, String) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut stem, mut extension) = match name.rsplit_once('.') {
        Some((stem, extension)) => (stem.to_owned(), extension.to_ascii_lowercase()),
        None => (name, String::new()),
    };
    if matches!(extension.as_str(), "gz" | "bz2" | "zst" | "xz")
        && let Some((inner, format)) = stem.clone().rsplit_once('.')
    {
        (stem, extension) = (inner.to_owned(), format.to_ascii_lowercase());
    }
    (stem, extension)
}

fn open_ea_role(path: &Path) -> Option<Role> {
    match path.file_name()?.to_str()? {
        "rel_triples_1" | "rel_triples_2" => Some(Role::Facts(Part::Train)),
        "attr_triples_1" | "attr_triples_2" => Some(Role::OpenEaAttributes),
        _ => None,
    }
}

/// A graph and its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphSource {
    /// What the user calls the graph.
    pub name: String,
    /// Its files, sorted by path.
    pub files: Vec<SourceFile>,
}

/// Finds the files of every graph. `stdin` is the format of `-`.
pub fn find_graphs(named: &[(String, PathBuf)], stdin: Format) -> Result<Vec<GraphSource>> {
    let mut graphs = Vec::new();
    for (number, (name, path)) in named.iter().enumerate() {
        check_name(name)?;
        if is_open_ea(path) {
            graphs.extend(open_ea_graphs(name, path, number, named)?);
        } else {
            graphs.push(GraphSource { name: name.clone(), files: files_of(path, stdin)? });
        }
    }
    check_all_names(&graphs)?;
    let on_stdin = graphs.iter().flat_map(|graph| &graph.files).filter(|file| file.is_stdin()).count();
    if on_stdin > 1 {
        return Err(Error::Usage("only one graph can come from standard input".into()));
    }
    Ok(graphs)
}

/// Names become folder names and parts of `A-B`, so they are kept plain.
fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        let message = format!("{name:?} cannot name a graph; use letters, digits, '_', '-' and '.'");
        return Err(Error::Usage(message));
    }
    Ok(())
}

/// Every graph has its own name, and so has every pair of graphs: `a-b` with `c` reads like `a` with `b-c`.
fn check_all_names(graphs: &[GraphSource]) -> Result<()> {
    let mut names = HashSet::new();
    if let Some(twice) = graphs.iter().find(|graph| !names.insert(&graph.name)) {
        let message = format!("two graphs are called {}; every graph needs its own name", twice.name);
        return Err(Error::Usage(message));
    }
    let mut pairs = HashSet::new();
    for (a, b) in graphs.iter().flat_map(|a| graphs.iter().map(move |b| (&a.name, &b.name))) {
        if a != b && !pairs.insert(format!("{a}-{b}")) {
            return Err(Error::Usage(format!(
                "{a}-{b} can be read as more than one pair of graphs; rename one"
            )));
        }
    }
    Ok(())
}

fn files_of(path: &Path, stdin: Format) -> Result<Vec<SourceFile>> {
    if path.as_os_str() == "-" {
        return Ok(vec![SourceFile::stdin(stdin)]);
    }
    if path.is_dir() {
        return folder_files(path);
    }
    if path.exists() {
        let file = SourceFile::of_path(path)?;
        let mut files = vec![file];
        files.extend(open_ea_attributes_beside(path));
        return Ok(files);
    }
    let pattern = path.to_string_lossy();
    if pattern.contains(['*', '?', '[']) {
        return glob_files(&pattern);
    }
    Err(Error::not_found(path))
}

fn glob_files(pattern: &str) -> Result<Vec<SourceFile>> {
    let paths = glob::glob(pattern).map_err(|e| Error::Usage(format!("{pattern}: {e}")))?;
    let mut files = Vec::new();
    for path in paths {
        let path = path.map_err(|e| Error::Io { path: e.path().to_path_buf(), source: e.into() })?;
        if path.is_file() {
            files.push(SourceFile::of_path(&path)?);
        }
    }
    if files.is_empty() {
        return Err(Error::Usage(format!("{pattern}: no file matches")));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The tables of a folder, by their stems, and all of its RDF. Files of other kinds are no part of the graph.
fn folder_files(folder: &Path) -> Result<Vec<SourceFile>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|e| e.path())).collect())
        .map_err(Error::io(folder))?;
    paths.sort();
    let files: Vec<SourceFile> = paths
        .iter()
        .filter(|path| path.is_file())
        .filter_map(|path| SourceFile::of_path(path).ok())
        .collect();
    let mut stems = HashSet::new();
    for file in files.iter().filter(|file| file.format.is_table()) {
        let stem = stem_and_extension(&file.path).0;
        if !is_known_stem(&stem) {
            let message = "in a folder, a table is called triples, train, valid, test, attributes, types or names; \
                           rename this one or put it elsewhere";
            return Err(Error::input(Place::file(&file.path), message));
        }
        if !stems.insert(stem) {
            return Err(Error::input(Place::file(&file.path), "the folder holds this table twice"));
        }
    }
    let facts = |part: fn(Part) -> bool| {
        files.iter().any(|f| f.format.is_table() && matches!(f.role, Role::Facts(p) if part(p)))
    };
    if facts(|p| p == Part::Undivided) && facts(|p| p != Part::Undivided) {
        let message = "the folder holds both triples and train/valid/test; keep one of them";
        return Err(Error::input(Place::file(folder), message));
    }
    if files.is_empty() {
        let message = "no graph in this folder; expected train.tsv or triples.tsv (with attributes.tsv, types.tsv, \
                       names.tsv), RDF files, or the OpenEA layout";
        return Err(Error::input(Place::file(folder), message));
    }
    Ok(files)
}

fn is_known_stem(stem: &str) -> bool {
    matches!(stem, "triples" | "train" | "valid" | "dev" | "test" | "attributes" | "types" | "names")
}

fn is_open_ea(path: &Path) -> bool {
    path.join("rel_triples_1").is_file() && path.join("rel_triples_2").is_file()
}

/// A folder of the OpenEA layout holds two graphs. Named twice, the first is the first graph and the second the
/// second; named once, it stands for both.
fn open_ea_graphs(
    name: &str,
    folder: &Path,
    number: usize,
    named: &[(String, PathBuf)],
) -> Result<Vec<GraphSource>> {
    let graph = |name: String, side: u8| {
        let facts = folder.join(format!("rel_triples_{side}"));
        let mut files =
            vec![SourceFile { path: facts.clone(), format: Format::Tsv, role: Role::Facts(Part::Train) }];
        files.extend(open_ea_attributes_beside(&facts));
        GraphSource { name, files }
    };
    let same = |range: &[(String, PathBuf)]| range.iter().filter(|(_, path)| path == folder).count();
    match (same(named), same(&named[..number])) {
        (1, _) => Ok(vec![graph(format!("{name}_1"), 1), graph(format!("{name}_2"), 2)]),
        (2, 0) => Ok(vec![graph(name.to_owned(), 1)]),
        (2, _) => Ok(vec![graph(name.to_owned(), 2)]),
        (times, _) => {
            Err(Error::Usage(format!("{} holds two graphs but is named {times} times", folder.display())))
        }
    }
}

fn open_ea_attributes_beside(facts: &Path) -> Option<SourceFile> {
    let name = facts.file_name()?.to_str()?.strip_prefix("rel_triples_")?;
    let path = facts.with_file_name(format!("attr_triples_{name}"));
    path.is_file().then_some(SourceFile { path, format: Format::Tsv, role: Role::OpenEaAttributes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pairs: &[(&str, &Path)]) -> Result<Vec<GraphSource>> {
        let named: Vec<_> = pairs.iter().map(|(n, p)| ((*n).to_owned(), p.to_path_buf())).collect();
        find_graphs(&named, Format::NTriples)
    }

    #[test]
    fn extensions_say_the_format_and_stems_the_role() {
        let file = |name: &str| SourceFile::of_path(Path::new(name)).map(|f| (f.format, f.role)).ok();
        assert_eq!(file("a/train.tsv.gz"), Some((Format::Tsv, Role::Facts(Part::Train))));
        assert_eq!(file("x.NT"), Some((Format::NTriples, Role::Facts(Part::Undivided))));
        assert_eq!(file("names.csv"), Some((Format::Csv, Role::Names)));
        assert_eq!(file("attr_triples_2"), Some((Format::Tsv, Role::OpenEaAttributes)));
        assert_eq!(file("data.bin"), None);
        assert_eq!(file("data.gz"), None);
    }

    #[test]
    fn one_name_cannot_stand_for_two_graphs() {
        let message = find(&[("a", Path::new("-")), ("a", Path::new("-"))]).unwrap_err().to_string();
        assert!(message.contains("two graphs are called a"), "{message}");
        assert!(find(&[("../a", Path::new("-"))]).is_err());
        assert!(find(&[("a", Path::new("-")), ("b", Path::new("-"))]).is_err());
    }

    #[test]
    fn a_folder_is_read_by_its_layout() {
        let home = tempfile::tempdir().unwrap();
        let touch = |name: &str| std::fs::write(home.path().join(name), "x").unwrap();
        assert!(find(&[("g", home.path())]).is_err());
        touch("b.nt");
        touch("a.ttl.gz");
        touch("SOURCE.txt");
        let names = |graphs: Vec<GraphSource>| -> Vec<String> {
            graphs[0]
                .files
                .iter()
                .map(|f| f.path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(names(find(&[("g", home.path())]).unwrap()), ["a.ttl.gz", "b.nt"]);
        touch("train.tsv");
        touch("types.tsv");
        assert_eq!(
            names(find(&[("g", home.path())]).unwrap()),
            ["a.ttl.gz", "b.nt", "train.tsv", "types.tsv"]
        );
        touch("facts.tsv");
        assert!(find(&[("g", home.path())]).is_err());
        std::fs::remove_file(home.path().join("facts.tsv")).unwrap();
        touch("train.csv");
        assert!(find(&[("g", home.path())]).is_err());
        std::fs::remove_file(home.path().join("train.csv")).unwrap();
        touch("triples.tsv");
        assert!(find(&[("g", home.path())]).is_err());
    }

    #[test]
    fn an_open_ea_folder_holds_two_graphs() {
        let home = tempfile::tempdir().unwrap();
        for name in ["rel_triples_1", "rel_triples_2", "attr_triples_2"] {
            std::fs::write(home.path().join(name), "x").unwrap();
        }
        let both = find(&[("d", home.path())]).unwrap();
        assert_eq!(
            both.iter().map(|g| (g.name.as_str(), g.files.len())).collect::<Vec<_>>(),
            [("d_1", 1), ("d_2", 2)]
        );
        let twice = find(&[("en", home.path()), ("de", home.path())]).unwrap();
        assert_eq!(
            twice.iter().map(|g| (g.name.as_str(), g.files.len())).collect::<Vec<_>>(),
            [("en", 1), ("de", 2)]
        );
        let file = find(&[("de", &home.path().join("rel_triples_2"))]).unwrap();
        assert_eq!(file[0].files.len(), 2);
    }
}
