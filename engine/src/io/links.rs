//! How are known links between graphs read?
//!
//! From tables of two columns (and a third, 1 or 0), from tables of links that were found, which name the graphs and a
//! probability, from SSSOM mapping files, and from `owl:sameAs` statements. A folder holds `train`, `valid` and `test`
//! tables; with more than two graphs their names begin with the pair, as in `A-B.train.tsv`. Links that were found are
//! written in four formats ([`write_links`]), and each is read back.

mod resolve;
mod sssom;
mod table;
mod write;

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::problems::Problems;
use super::source::{Format, Role, SourceFile};
use super::stream::{Stamp, Stream, without_byte_order_mark};
use super::table::read_parquet_texts;
use super::{ReadReport, Strictness, rdf};
use crate::error::{Error, Place, Result};
use crate::graph::{ByPart, EntityId, Graph, Link, Links, Part};
use crate::progress::Progress;
pub use resolve::Side;
use resolve::{Unresolved, resolve, within};
pub use write::{FoundLink, Identity, LinkFormat, check_names, write_links};

/// A file of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSource {
    /// Where it is.
    pub path: PathBuf,
    /// The numbers of the two graphs, where the file's name or the user says them.
    pub graphs: Option<(usize, usize)>,
    /// The part its links belong to.
    pub part: Part,
}

/// Finds the files behind `PATH` or `A-B=PATH`.
pub fn find_links(argument: &str, graphs: &[&str]) -> Result<Vec<LinkSource>> {
    let (pair, path) =
        match argument.split_once('=').and_then(|(pair, path)| Some((pair_of(pair, graphs)?, path))) {
            Some((pair, path)) => (Some(pair?), Path::new(path)),
            None => (None, Path::new(argument)),
        };
    if !path.is_dir() {
        if let Some((pair, _)) =
            argument.split_once('=').filter(|(_, path)| pair.is_none() && Path::new(path).exists())
        {
            let message = format!("{pair} is no pair of graphs; the graphs are {}", graphs.join(", "));
            return Err(Error::Usage(message));
        }
        if !path.exists() {
            return Err(Error::not_found(path));
        }
        let (named, part) = pair_and_part(path, graphs)?;
        return Ok(vec![LinkSource { path: path.to_path_buf(), graphs: pair.or(named), part }]);
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|entry| entry.map(|e| e.path())).collect())
        .map_err(Error::io(path))?;
    paths.sort();
    let is_open_ea = paths.iter().any(|file| is_open_ea_links(&name_of(file)));
    let mut files = Vec::new();
    for file in paths.iter().filter(|file| file.is_file() && is_link_file(file)) {
        if is_open_ea && !is_open_ea_links(&name_of(file)) {
            continue;
        }
        let (named, part) = pair_and_part(file, graphs)?;
        files.push(LinkSource { path: file.clone(), graphs: pair.or(named), part });
    }
    if files.iter().any(|file| file.graphs.is_some()) && pair.is_none() {
        // A folder of many pairs may hold more of them than are imported here.
        files.retain(|file| file.graphs.is_some());
    }
    if files.is_empty() {
        let message =
            "no links in this folder; expected train.tsv, valid.tsv, test.tsv, or A-B.train.tsv and so on";
        return Err(Error::input(Place::file(path), message));
    }
    let whole = |f: &LinkSource| f.path.file_name().is_some_and(|name| name == "ent_links");
    if files.len() > 1 && files.iter().any(|file| !whole(file)) {
        // The OpenEA layout keeps all links beside their split.
        files.retain(|file| !whole(file));
    }
    Ok(files)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_link_file(path: &Path) -> bool {
    is_open_ea_links(&name_of(path)) || SourceFile::of_path(path).is_ok()
}

fn is_open_ea_links(name: &str) -> bool {
    matches!(name, "ent_links" | "train_links" | "valid_links" | "test_links")
}

/// `A-B` as the numbers of two graphs; names may hold hyphens too, so every cut is tried.
fn pair_of(text: &str, graphs: &[&str]) -> Option<Result<(usize, usize)>> {
    let number = |name: &str| graphs.iter().position(|graph| *graph == name);
    let mut found = text.match_indices('-').filter_map(|(at, _)| {
        let (first, second) = (number(&text[..at])?, number(&text[at + 1..])?);
        (first != second).then_some((first, second))
    });
    let pair = found.next()?;
    Some(match found.next() {
        None => Ok(pair),
        Some(_) => Err(Error::Usage(format!("{text} can be read as more than one pair of graphs"))),
    })
}

fn pair_and_part(path: &Path, graphs: &[&str]) -> Result<(Option<(usize, usize)>, Part)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.split_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let part = |word: &str| match word {
        "train" | "train_links" => Some(Part::Train),
        "valid" | "dev" | "valid_links" => Some(Part::Valid),
        "test" | "test_links" => Some(Part::Test),
        _ => None,
    };
    // `A-B.train.tsv`: a graph's name may hold dots, so the pair is all before the last known part.
    let words: Vec<&str> = name.split('.').collect();
    let split = words.iter().rposition(|word| part(word).is_some());
    let pair = match split {
        Some(at) => words[..at].join("."),
        None => stem.to_owned(),
    };
    let pair = pair_of(&pair, graphs).transpose()?;
    Ok((pair, split.and_then(|at| part(words[at])).unwrap_or(Part::Undivided)))
}

/// What a file of links holds.
struct LinkFile {
    links: Vec<Written>,
    columns: Columns,
    /// Rows that state something else than identity.
    other_mappings: u64,
}

/// What the columns of a file of links are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// An entity of the first graph, and one of the second.
    InOrder,
    /// Either way round: identity has no direction.
    EitherWay,
}

/// The probability of a link of which nothing else is said.
const CERTAIN: f64 = 1.0;

/// A link as it is written.
struct Written {
    line: Option<u64>,
    first: String,
    second: String,
    same: bool,
    /// The graphs, where the row names them.
    graphs: Option<[String; 2]>,
    probability: f64,
}

impl Written {
    /// Two that are the same, and no more is said.
    fn certain(line: Option<u64>, first: &str, second: &str) -> Self {
        let (first, second) = (first.to_owned(), second.to_owned());
        Self { line, first, second, same: true, graphs: None, probability: CERTAIN }
    }
}

/// What a file says about two entities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedLink {
    /// The numbers of their graphs.
    pub graphs: (usize, usize),
    /// The entities.
    pub link: Link,
    /// Whether they are said to be the same, or not to be.
    pub same: bool,
    /// How sure it is; 1 where the file does not say.
    pub probability: f64,
}

/// Reads files of links with their probabilities, between any graphs. `hint` may say what was meant by an entity that is
/// not there: in the graph of this number, or in any.
pub fn read_stated(
    sources: &[LinkSource],
    sides: &[Side<'_>],
    hint: &dyn Fn(Option<usize>, &str) -> String,
    progress: &dyn Progress,
) -> Result<Vec<StatedLink>> {
    let mut problems = Problems::new(Strictness::Strict);
    let mut stated = Vec::new();
    for source in sources {
        let (file, _) = read_file(source, &mut problems, progress)?;
        for link in file.links {
            let (graphs, found) =
                resolve(sides, source.graphs, file.columns, &link).map_err(|unresolved| {
                    let mut message = unresolved.message(sides);
                    if let Unresolved::Entity { graph, name } = &unresolved {
                        message += &hint(*graph, name);
                    }
                    let place = Place { path: source.path.clone(), line: link.line, column: None };
                    Error::input(place, message)
                })?;
            let Written { same, probability, .. } = link;
            stated.push(StatedLink { graphs, link: found, same, probability });
        }
    }
    Ok(stated)
}

/// Reads all files of links and finds their entities. Links that the graphs themselves state (`owl:sameAs`) are
/// added; what they say about things of no graph is counted, not refused.
pub fn read_links(
    sources: &[LinkSource],
    graphs: &[Graph],
    strictness: Strictness,
    progress: &dyn Progress,
) -> Result<(Vec<Links>, LinkReport)> {
    let mut gathered = Gathered { links: Vec::new(), graphs };
    let sides = Side::of_all(graphs);
    let mut problems = Problems::new(strictness);
    let mut stamps = Vec::new();
    let mut other_mappings = 0;
    for source in sources {
        let (file, stamp) = read_file(source, &mut problems, progress)?;
        stamps.push(stamp);
        other_mappings += file.other_mappings;
        for link in file.links {
            let place = Place { path: source.path.clone(), line: link.line, column: None };
            match resolve(&sides, source.graphs, file.columns, &link) {
                Ok(((a, b), _)) if a == b => problems.add(place, within(&link.first, &link.second))?,
                Ok(((a, b), found)) if source.graphs.is_none() && b < a => {
                    // Identity has no direction: the order of the graphs gives the pair its name.
                    let turned = Link { first: found.second, second: found.first };
                    gathered.add((b, a), turned, source.part, link.same);
                }
                Ok((pair, found)) => gathered.add(pair, found, source.part, link.same),
                Err(unresolved) => problems.add(place, unresolved.message(&sides))?,
            }
        }
    }
    let same_as = gathered.add_same_as();
    for links in &mut gathered.links {
        links
            .positives
            .parts_mut()
            .chain(links.negatives.parts_mut())
            .for_each(|links| links.sort_unstable());
    }
    let report = ReadReport { sources: stamps, problems };
    Ok((gathered.links, LinkReport { read: report, same_as, other_mappings }))
}

/// What was read, and what was not.
#[derive(Debug, Clone)]
pub struct LinkReport {
    /// The files, and the lines that were skipped.
    pub read: ReadReport,
    /// `owl:sameAs` statements of the graphs that are no links.
    pub same_as: SameAs,
    /// Rows of SSSOM files that state something else than identity.
    pub other_mappings: u64,
}

struct Gathered<'a> {
    links: Vec<Links>,
    graphs: &'a [Graph],
}

impl Gathered<'_> {
    fn add(&mut self, (a, b): (usize, usize), link: Link, part: Part, same: bool) {
        let swapped = Link { first: link.second, second: link.first };
        let at = self
            .links
            .iter()
            .position(|links| (links.first, links.second) == (a, b) || (links.first, links.second) == (b, a));
        let at = at.unwrap_or_else(|| {
            let (positives, negatives) = (ByPart::default(), ByPart::default());
            self.links.push(Links { first: a, second: b, positives, negatives });
            self.links.len() - 1
        });
        let links = &mut self.links[at];
        let link = if links.first == a { link } else { swapped };
        let side = if same { &mut links.positives } else { &mut links.negatives };
        side.part_mut(part).push(link);
    }

    /// Links that the graphs state themselves, whichever way round; counts what is in no two graphs.
    fn add_same_as(&mut self) -> SameAs {
        let mut others = SameAs::default();
        for own in 0..self.graphs.len() {
            let within = |name: &str| self.graphs[own].entities.find(name).map(EntityId);
            let elsewhere = |name: &str| {
                let mut graphs = (0..self.graphs.len()).filter(|graph| *graph != own);
                graphs.find_map(|graph| Some((graph, EntityId(self.graphs[graph].entities.find(name)?))))
            };
            let mut found = Vec::new();
            for (one, other) in &self.graphs[own].same_as {
                let link = [(one, other), (other, one)]
                    .into_iter()
                    .find_map(|(here, there)| Some((within(here)?, elsewhere(there)?)));
                match link {
                    Some((here, (graph, there))) => found.push((here, graph, there)),
                    None if within(one).is_some() && within(other).is_some() => others.within_a_graph += 1,
                    None => others.unknown += 1,
                }
            }
            for (here, graph, there) in found {
                // The order of the graphs decides the direction, so that one link has one form.
                let (pair, link) = if own < graph {
                    ((own, graph), Link { first: here, second: there })
                } else {
                    ((graph, own), Link { first: there, second: here })
                };
                self.add(pair, link, Part::Undivided, true);
            }
        }
        others
    }
}

/// `owl:sameAs` statements that are no links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SameAs {
    /// About something that is in no graph.
    pub unknown: u64,
    /// Between two entities of one graph.
    pub within_a_graph: u64,
}

fn read_file(
    source: &LinkSource,
    problems: &mut Problems,
    progress: &dyn Progress,
) -> Result<(LinkFile, Stamp)> {
    let name = source.path.file_name().unwrap_or_default().to_string_lossy();
    let role = Role::Facts(source.part);
    let file = if is_open_ea_links(&name) {
        SourceFile { path: source.path.clone(), format: Format::Tsv, role }
    } else {
        SourceFile { role, ..SourceFile::of_path(&source.path)? }
    };
    if !file.format.is_table() {
        return read_same_as(&file, problems, progress);
    }
    if file.format == Format::Parquet {
        let (names, rows, stamp) = read_parquet_texts(&file, progress)?;
        let links = table::read_columns(&names, &rows, &file, problems)?;
        return Ok((LinkFile { links, columns: Columns::InOrder, other_mappings: 0 }, stamp));
    }
    let (mut reader, stamper) = Stream::open(&file, progress)?.into_reader();
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|error| stamper.error(error))?;
    let bytes = without_byte_order_mark(&bytes);
    let text = valid_lines(bytes, &file.path, problems)?;
    let file = if sssom::is_sssom(&text) {
        let (links, other_mappings) = sssom::read(&text, &file.path, problems)?;
        LinkFile { links, columns: Columns::EitherWay, other_mappings }
    } else {
        let links = table::read(&text, &file, problems)?;
        LinkFile { links, columns: Columns::InOrder, other_mappings: 0 }
    };
    Ok((file, stamper.stamp()))
}

/// The lines that are valid UTF-8; others are left empty, so that lines keep their numbers.
fn valid_lines<'a>(bytes: &'a [u8], path: &Path, problems: &mut Problems) -> Result<Cow<'a, str>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(text.into());
    }
    let mut text = String::with_capacity(bytes.len());
    for (number, line) in bytes.split(|&b| b == b'\n').enumerate() {
        match std::str::from_utf8(line) {
            Ok(line) => text.push_str(line),
            Err(_) => problems.add(Place::line(path, number as u64 + 1), "this is not valid UTF-8")?,
        }
        text.push('\n');
    }
    Ok(text.into())
}

/// The `owl:sameAs` statements of an RDF file.
fn read_same_as(
    file: &SourceFile,
    problems: &mut Problems,
    progress: &dyn Progress,
) -> Result<(LinkFile, Stamp)> {
    let (links, stamp) = rdf::read_same_as(file, problems, progress)?;
    if links.is_empty() {
        let message = "no owl:sameAs statement between two resources in this file";
        return Err(Error::input(Place::file(&file.path), message));
    }
    let written = links.iter().map(|(first, second)| Written::certain(None, first, second));
    Ok((LinkFile { links: written.collect(), columns: Columns::EitherWay, other_mappings: 0 }, stamp))
}
