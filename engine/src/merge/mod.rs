//! How do several graphs become one?
//!
//! Links make clusters of entities (`clusters`), each of which becomes one entity with one name; relations,
//! keys and types are united by their names. Then every fact, attribute and type is said of the united entities, once,
//! with the graphs that say it. Where graphs disagree about something that has one value, a rule chooses, and what it
//! does not choose stays as an alternative. Nothing is lost, and the result is a function of the data and the links
//! alone: taking a link away and merging again is as if it had never been there.

mod alignment;
mod attributes;
mod clusters;
mod names;
mod quads;
mod report;
mod statements;
mod tables;
mod terms;
mod values;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

pub use attributes::Conflicts;
pub use clusters::Duplicates;
pub use names::Ids;
pub use report::{Conflict, CutLink, GraphCounts, LinkCounts, MergeReport, StatementCounts};

use crate::config::edit_distance;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::graph::Vocabulary;
use crate::io::links::{Side, StatedLink, find_links, read_stated};
use crate::io::staging::Replace;
use crate::predict;
use crate::progress::{Progress, Unit};
use alignment::Alignment;
use attributes::Attributes;
use clusters::Clusters;
use names::Names;
use statements::{Sources, Statements};
use terms::Terms;

/// What is chosen for a merge.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeConfig {
    /// Links that are less probable are left out.
    pub min_probability: f64,
    /// The graphs whose names and values come first, in this order; the others follow in theirs.
    pub prefer: Vec<String>,
    /// Who is right about what has one value.
    pub conflicts: Conflicts,
    /// Whether a cluster may hold two entities of one graph.
    pub duplicates: Duplicates,
    /// What united entities are called.
    pub ids: Ids,
    /// A table of relations and keys that mean the same under different names.
    pub relations: Option<PathBuf>,
}

impl Default for MergeConfig {
    fn default() -> Self {
        Self {
            min_probability: 0.5,
            prefer: Vec::new(),
            conflicts: Conflicts::Majority,
            duplicates: Duplicates::Apart,
            ids: Ids::Member,
            relations: None,
        }
    }
}

/// Several graphs as one.
#[derive(Debug)]
pub struct Merged<'a> {
    data: &'a Dataset,
    clusters: Clusters,
    names: Names,
    relations: Terms,
    keys: Terms,
    types: Terms,
    facts: Statements,
    attributes: Attributes,
    typings: Statements,
    links: Vec<clusters::Judged>,
    /// What was done.
    pub report: MergeReport,
}

/// How the result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// N-Quads: what a graph says is in the named graph of its name.
    Quads,
    /// A folder of Parquet tables with a column of sources.
    Folder,
}

impl Output {
    /// What a path asks for: a name that ends in `.nq` is a file, one without an extension a folder.
    pub fn of_path(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) if extension.eq_ignore_ascii_case("nq") => Ok(Self::Quads),
            None => Ok(Self::Folder),
            Some(_) if path.is_dir() => Ok(Self::Folder),
            Some(other) => Err(Error::Usage(format!(
                "{}: .{other} is not written; a merge is a file .nq, or a folder of Parquet tables",
                path.display()
            ))),
        }
    }
}

/// Reads the files of links behind `PATH` or `A-B=PATH`, and finds their entities in a prepared folder.
pub fn read_links(data: &Dataset, paths: &[String], progress: &dyn Progress) -> Result<Vec<StatedLink>> {
    let names: Vec<&str> = data.graphs.iter().map(|graph| graph.name.as_str()).collect();
    let mut sources = Vec::new();
    for path in paths {
        sources.extend(find_links(path, &names)?);
    }
    let sides: Vec<Side<'_>> =
        data.graphs.iter().map(|graph| Side { name: &graph.name, entities: &graph.entities }).collect();
    let hint = |graph: Option<usize>, written: &str| {
        let within = graph.map_or(0..sides.len(), |graph| graph..graph + 1);
        hint(within.map(|graph| sides[graph].entities), written)
    };
    progress.begin("reading links", None, Unit::Bytes);
    let links = read_stated(&sources, &sides, &hint, progress);
    progress.end();
    links
}

/// What may have been meant by a name that is not there, as the end of a message.
fn hint<'v>(vocabularies: impl Iterator<Item = &'v Vocabulary>, written: &str) -> String {
    /// What is longer than this is no slip of the pen, and not worth the time to compare.
    const LONGEST: usize = 200;
    let length = written.chars().count();
    let most = 1 + length / 3;
    let near = |name: &&str| length <= LONGEST && name.chars().count().abs_diff(length) <= most;
    let names = vocabularies.flat_map(Vocabulary::iter).filter(near);
    let nearest = names.map(|name| (edit_distance(written, name), name)).min();
    match nearest.filter(|(far, _)| *far <= most) {
        Some((_, name)) => format!("; did you mean {name:?}?"),
        None => String::new(),
    }
}

/// Unites the graphs of a prepared folder by links.
pub fn merge<'a>(
    data: &'a Dataset,
    links: &[StatedLink],
    config: &MergeConfig,
    progress: &dyn Progress,
) -> Result<Merged<'a>> {
    check(data, config)?;
    let ranks = ranks(data, &config.prefer)?;
    let alignment = config.relations.as_deref().map(|path| Alignment::read(path, data)).transpose()?;
    let alignment = alignment.unwrap_or_default();
    progress.begin("uniting entities", None, Unit::Items);
    let numbers = clusters::Numbers::of(data)?;
    let (clusters, links, counts) = clusters::unite(data, numbers, links, config, &ranks);
    let names = Names::of(data, &clusters, config.ids);
    let graphs = &data.graphs;
    let all =
        |of: fn(&crate::dataset::PreparedGraph) -> &Vocabulary| graphs.iter().map(of).collect::<Vec<_>>();
    let graph_names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
    let unite = |vocabularies: &[&Vocabulary], aligned: &[terms::Aligned]| {
        Terms::unite(vocabularies, &graph_names, &ranks, aligned)
    };
    let relations = unite(&all(|graph| &graph.relations), &alignment.relations);
    let keys = unite(&all(|graph| &graph.keys), &alignment.keys);
    let types = unite(&all(|graph| &graph.types), &[]);
    progress.end();
    progress.begin("uniting facts", None, Unit::Items);
    let facts = statements::facts(data, &clusters, &relations);
    let typings = statements::typings(data, &clusters, &types);
    progress.end();
    progress.begin("uniting attributes", None, Unit::Items);
    let attributes = Attributes::unite(data, &clusters, &keys, config.conflicts, &ranks)?;
    progress.end();
    let mut merged = Merged {
        data,
        clusters,
        names,
        relations,
        keys,
        types,
        facts,
        attributes,
        typings,
        links,
        report: MergeReport::default(),
    };
    merged.report = report::of(&merged, counts);
    Ok(merged)
}

fn check(data: &Dataset, config: &MergeConfig) -> Result<()> {
    if !(0.0..=1.0).contains(&config.min_probability) {
        let message = "the least probability should be a number from 0 to 1, found";
        return Err(Error::Usage(format!("{message} {}", config.min_probability)));
    }
    if data.graphs.len() > Sources::MOST {
        let (most, found) = (Sources::MOST, data.graphs.len());
        return Err(Error::Usage(format!("at most {most} graphs can be merged at once, found {found}")));
    }
    Ok(())
}

/// The place of each graph in the order of preference.
fn ranks(data: &Dataset, prefer: &[String]) -> Result<Vec<usize>> {
    let mut order = Vec::new();
    for name in prefer {
        let graph = predict::graph(data, name)?;
        if order.contains(&graph) {
            return Err(Error::Usage(format!("the graph {name} is preferred twice")));
        }
        order.push(graph);
    }
    let others: Vec<usize> = (0..data.graphs.len()).filter(|graph| !order.contains(graph)).collect();
    order.extend(others);
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &graph)| ranks[graph] = rank);
    Ok(ranks)
}

impl Merged<'_> {
    /// What an entity of the result is called.
    fn name(&self, cluster: u32) -> Cow<'_, str> {
        self.names.get(self.data, &self.clusters, cluster)
    }

    /// The graph and the name of an entity before.
    fn member(&self, number: u32) -> (&str, &str) {
        let (graph, entity) = self.clusters.numbers.entity(number);
        let graph = &self.data.graphs[graph];
        (&graph.name, graph.entities.get(entity))
    }

    fn graph_names(&self) -> Vec<&str> {
        self.data.graphs.iter().map(|graph| graph.name.as_str()).collect()
    }

    /// Writes the result; it appears whole or not at all.
    pub fn write(
        &self,
        path: &Path,
        output: Output,
        replace: Replace,
        progress: &dyn Progress,
    ) -> Result<()> {
        match output {
            Output::Quads => quads::write(self, path, progress),
            Output::Folder => tables::write(self, path, replace, progress),
        }
    }
}

#[cfg(test)]
mod tests;
