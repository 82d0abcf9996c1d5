//! How do files become a data set?
//!
//! Read every graph, find the links between them, clean, and prepare: the whole way from people's files to a folder
//! that is ready to learn from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::PrepareConfig;
use super::manifest::{Manifest, Skipped, SourceEntry};
use super::write::{Material, prepare};
use crate::clean::{CleanConfig, Step, clean};
use crate::error::{Error, Result};
use crate::graph::{ByPart, EntityId, Graph, Link, Links};
use crate::io::links::{find_links, read_links};
use crate::io::source::{Format, GraphSource, find_graphs};
use crate::io::staging::{Replace, Staging};
use crate::io::{Columns, Problems, ReadOptions, Stamp, Strictness, read_graph};
use crate::progress::{Progress, Unit};

/// What to import, and how.
#[derive(Debug, Clone)]
pub struct ImportConfig {
    /// The graphs: name and path.
    pub graphs: Vec<(String, PathBuf)>,
    /// The links: paths, or `A-B=PATH`.
    pub links: Vec<String>,
    /// The format of standard input, if a path is `-`.
    pub stdin: Format,
    /// Whether a bad line ends the reading or is skipped and counted.
    pub strictness: Strictness,
    /// What the columns of tables mean, for one graph or for all.
    pub columns: Vec<(Option<String>, Columns)>,
    /// How graphs are cleaned.
    pub clean: CleanConfig,
    /// The minimal occurrence of entities for some graphs, beside the one for all.
    pub min_occurrence: BTreeMap<String, u64>,
    /// How the data set is made.
    pub prepare: PrepareConfig,
    /// Where it goes.
    pub out: PathBuf,
    /// What to do if it is there already.
    pub replace: Replace,
}

/// What an import did.
#[derive(Debug, Clone)]
pub struct ImportReport {
    /// The account of the folder.
    pub manifest: Manifest,
    /// Bytes of the encoded graphs in memory, before cleaning.
    pub encoded_bytes: u64,
}

/// Imports graphs and links into a prepared folder.
pub fn import(config: &ImportConfig, progress: &dyn Progress) -> Result<ImportReport> {
    if config.graphs.is_empty() {
        return Err(Error::Usage("no graph to import".into()));
    }
    // First of all, so that an output that cannot be written does not cost the reading.
    let staging = Staging::begin(&config.out, config.replace)?;
    let sources = find_graphs(&config.graphs, config.stdin)?;
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    if let Some(unknown) = config.min_occurrence.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(Error::Usage(format!(
            "there is no graph {unknown}; the graphs are {}",
            names.join(", ")
        )));
    }
    let mut link_sources = Vec::new();
    for argument in &config.links {
        link_sources.extend(find_links(argument, &names)?);
    }
    let options = options_of(config, &sources)?;
    let mut problems = Problems::new(config.strictness);
    let mut stamps = Vec::new();
    let mut graphs = Vec::new();
    for (source, options) in sources.iter().zip(&options) {
        let (graph, report) = read_graph(source, options, progress)?;
        stamps.extend(report.sources.into_iter().map(|stamp| entry(Some(&source.name), stamp)));
        problems.absorb(report.problems);
        graphs.push(graph);
    }
    let (links, report) = read_links(&link_sources, &graphs, config.strictness, progress)?;
    stamps.extend(report.read.sources.into_iter().map(|stamp| entry(None, stamp)));
    problems.absorb(report.read.problems);
    let encoded_bytes = graphs.iter().map(Graph::memory).sum::<usize>() as u64;
    let (graphs, links, mut cleaning) = clean_all(graphs, links, config, progress)?;
    let mut note = |step: &str, count: u64| {
        if count > 0 {
            let step = step.to_owned();
            cleaning.push(Step { graph: String::new(), step, count, samples: Vec::new() });
        }
    };
    note("unknown_same_as", report.same_as.unknown);
    note("same_as_within_a_graph", report.same_as.within_a_graph);
    note("other_mappings", report.other_mappings);
    let first = problems.first().into_iter().map(|problem| (problem.place, problem.message)).collect();
    let material = Material {
        graphs,
        links,
        clean: config.clean.clone(),
        cleaning,
        sources: stamps,
        skipped: Skipped { count: problems.count(), first },
    };
    let manifest = prepare(material, &config.prepare, staging, progress)?;
    Ok(ImportReport { manifest, encoded_bytes })
}

/// How each graph is read. A mapping of columns that fits no table is a mistake.
fn options_of(config: &ImportConfig, sources: &[GraphSource]) -> Result<Vec<ReadOptions>> {
    for (name, columns) in &config.columns {
        if let Some(name) = name.as_ref().filter(|name| sources.iter().all(|source| source.name != **name)) {
            let known: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
            let known = known.join(", ");
            return Err(Error::Usage(format!("--columns names {name}; the graphs are {known}")));
        }
        let meant = |source: &&GraphSource| name.as_ref().is_none_or(|name| *name == source.name);
        if !sources.iter().filter(meant).flat_map(|source| &source.files).any(|file| columns.fit(file)) {
            let whose =
                name.as_ref().map_or_else(|| "any graph".to_owned(), |name| format!("the graph {name}"));
            return Err(Error::Usage(format!("--columns fits no table of {whose}")));
        }
    }
    let columns_of = |source: &GraphSource| {
        let own = config.columns.iter().find(|(name, _)| name.as_ref() == Some(&source.name));
        let general = || config.columns.iter().find(|(name, _)| name.is_none());
        own.or_else(general).map(|(_, columns)| columns.clone()).unwrap_or_default()
    };
    let options = |source| ReadOptions { strictness: config.strictness, columns: columns_of(source) };
    Ok(sources.iter().map(options).collect())
}

fn entry(graph: Option<&str>, stamp: Stamp) -> SourceEntry {
    let Stamp { path, bytes, xxh3 } = stamp;
    SourceEntry { graph: graph.map(str::to_owned), path, bytes, xxh3 }
}

/// Cleans every graph, and the links with them: a link to an entity that is gone goes too, and is reported.
fn clean_all(
    graphs: Vec<Graph>,
    mut links: Vec<Links>,
    config: &ImportConfig,
    progress: &dyn Progress,
) -> Result<(Vec<Graph>, Vec<Links>, Vec<Step>)> {
    let (mut cleaned, mut moved, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for graph in graphs {
        let own = config.min_occurrence.get(&graph.name).copied();
        let clean_config = CleanConfig {
            min_occurrence: own.unwrap_or(config.clean.min_occurrence),
            ..config.clean.clone()
        };
        progress.begin(&format!("cleaning {}", graph.name), None, Unit::Items);
        let (outcome, report) = clean(graph, &clean_config)?;
        progress.end();
        if outcome.graph.entities.is_empty() {
            return Err(Error::Usage(format!("cleaning leaves nothing of the graph {}", outcome.graph.name)));
        }
        cleaned.push(outcome.graph);
        moved.push(outcome.entities);
        steps.extend(report.steps);
    }
    for links in &mut links {
        let (first, second) = (&moved[links.first], &moved[links.second]);
        let before = links.positives.len() + links.negatives.len();
        move_links(&mut links.positives, first, second);
        move_links(&mut links.negatives, first, second);
        let lost = before - links.positives.len() - links.negatives.len();
        if lost > 0 {
            let graph = format!("{}-{}", cleaned[links.first].name, cleaned[links.second].name);
            let step = "links_of_removed_entities".to_owned();
            steps.push(Step { graph, step, count: lost as u64, samples: Vec::new() });
        }
    }
    Ok((cleaned, links, steps))
}

fn move_links(links: &mut ByPart<Link>, first: &[Option<EntityId>], second: &[Option<EntityId>]) {
    for part in links.parts_mut() {
        *part = part
            .iter()
            .filter_map(|link| {
                Some(Link { first: first[link.first.row()]?, second: second[link.second.row()]? })
            })
            .collect();
    }
}
