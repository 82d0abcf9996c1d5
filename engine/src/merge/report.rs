//! What did a merge do?

use std::collections::BTreeMap;

use serde::Serialize;

use super::attributes::Status;
use super::clusters::{Fate, Judged};
use super::statements::Statements;
use super::{Merged, clusters::Clusters};
use crate::dataset::{Dataset, FactColumns};

/// So many links that were cut are listed.
const LISTED: usize = 20;

/// What a merge did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MergeReport {
    /// What each graph held.
    pub graphs: Vec<GraphCounts>,
    /// Entities of all graphs.
    pub entities_before: u64,
    /// Entities of the result.
    pub entities: u64,
    /// How many entities of the result have so many members.
    pub clusters: BTreeMap<usize, u64>,
    /// Entities that have their graph before their name, because another graph uses the name for something else.
    pub prefixed_entities: u64,
    /// What became of the links.
    pub links: LinkCounts,
    /// The first links that were cut, the most probable first.
    pub cut: Vec<CutLink>,
    /// Relations of the result.
    pub relations: u64,
    /// Keys of the result.
    pub keys: u64,
    /// Types of the result.
    pub types: u64,
    /// Facts.
    pub facts: StatementCounts,
    /// Attributes, alternatives among them.
    pub attributes: StatementCounts,
    /// Which entity is of which type.
    pub typings: StatementCounts,
    /// How often graphs gave different values where there is one.
    pub attribute_conflicts: u64,
    /// Attributes that were not chosen.
    pub alternatives: u64,
    /// The conflicts of each key, the most first.
    pub conflicts: Vec<Conflict>,
}

/// What a graph held before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct GraphCounts {
    /// Its name.
    pub name: String,
    /// Its entities.
    pub entities: u64,
    /// Its facts, of all parts.
    pub facts: u64,
    /// Its attributes.
    pub attributes: u64,
    /// Which entity is of which type.
    pub typings: u64,
}

/// What became of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LinkCounts {
    /// In the files.
    pub stated: u64,
    /// That say two are not the same.
    pub denied: u64,
    /// Less probable than was asked for.
    pub improbable: u64,
    /// Said before.
    pub repeated: u64,
    /// Whose entities became one.
    pub used: u64,
    /// That would have brought two entities of one graph together.
    pub cut: u64,
}

/// A link that was cut.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CutLink {
    /// The graph of the first entity.
    pub graph_a: String,
    /// The first entity.
    pub entity_a: String,
    /// The graph of the second entity.
    pub graph_b: String,
    /// The second entity.
    pub entity_b: String,
    /// How sure it was.
    pub probability: f64,
}

/// How many statements there were, and are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StatementCounts {
    /// In all graphs.
    pub before: u64,
    /// In the result.
    pub after: u64,
    /// How many of the result so many graphs say.
    pub by_sources: BTreeMap<u32, u64>,
}

/// How often graphs gave different values of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The key.
    pub key: String,
    /// In so many entities.
    pub count: u64,
}

pub(super) fn of(merged: &Merged<'_>, links: LinkCounts) -> MergeReport {
    let Merged { data, clusters, attributes, .. } = merged;
    let mut sizes = BTreeMap::new();
    for cluster in 0..clusters.count() as u32 {
        *sizes.entry(clusters.members(cluster).len()).or_default() += 1;
    }
    let cut = merged.links.iter().filter(|link| link.fate == Fate::Cut);
    let by_key = attributes.conflicts.iter().zip(0..).filter(|(count, _)| **count > 0);
    let name = |key: u32| merged.keys.name(key).to_owned();
    let mut conflicts: Vec<Conflict> =
        by_key.map(|(&count, key)| Conflict { key: name(key), count }).collect();
    conflicts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.key.cmp(&b.key)));
    MergeReport {
        graphs: graphs(data),
        entities_before: clusters.of.len() as u64,
        entities: clusters.count() as u64,
        clusters: sizes,
        prefixed_entities: merged.names.prefixed() as u64,
        links,
        cut: cut.take(LISTED).map(|link| in_names(data, clusters, link)).collect(),
        relations: merged.relations.len() as u64,
        keys: merged.keys.len() as u64,
        types: merged.types.len() as u64,
        facts: counts(&merged.facts),
        attributes: counts(&attributes.statements),
        typings: counts(&merged.typings),
        attribute_conflicts: attributes.conflicts.iter().sum(),
        alternatives: attributes.status.iter().filter(|status| **status == Status::Alternative).count()
            as u64,
        conflicts,
    }
}

fn graphs(data: &Dataset) -> Vec<GraphCounts> {
    let counts = data.graphs.iter().map(|graph| GraphCounts {
        name: graph.name.clone(),
        entities: graph.entities.len() as u64,
        facts: graph.facts.iter().map(FactColumns::len).sum::<usize>() as u64,
        attributes: graph.attribute_entities.len() as u64,
        typings: graph.typed_entities.len() as u64,
    });
    counts.collect()
}

fn counts(statements: &Statements) -> StatementCounts {
    let mut by_sources = BTreeMap::new();
    statements.sources.iter().for_each(|sources| *by_sources.entry(sources.count()).or_default() += 1);
    StatementCounts { before: statements.before, after: statements.len() as u64, by_sources }
}

fn in_names(data: &Dataset, clusters: &Clusters, link: &Judged) -> CutLink {
    let name = |number: u32| {
        let (graph, entity) = clusters.numbers.entity(number);
        let graph = &data.graphs[graph];
        (graph.name.clone(), graph.entities.get(entity).to_owned())
    };
    let [(graph_a, entity_a), (graph_b, entity_b)] = link.ends.map(name);
    CutLink { graph_a, entity_a, graph_b, entity_b, probability: link.probability }
}
