//! What are united entities called?
//!
//! By the name of their member in the most preferred graph, so that a cluster keeps its name from run to run as long as
//! that member is in it. Where two clusters would have the same name, because two graphs use one name for different
//! things, each gets its graph before it: `graph:name`. Or every cluster is called by a hash of its members, which
//! depends on nothing else.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::clusters::Clusters;
use super::terms::prefixed;
use crate::dataset::Dataset;

/// What united entities are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// By their member of the most preferred graph.
    Member,
    /// By a hash of all their members.
    Hash,
}

/// The names of clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Names {
    /// That of the first member, but for these.
    Members { others: HashMap<u32, String> },
    /// Hashes of the members.
    Hashes(Vec<u128>),
}

impl Names {
    pub(super) fn of(data: &Dataset, clusters: &Clusters, ids: Ids) -> Self {
        let all = (0..clusters.count() as u32).into_par_iter();
        match ids {
            Ids::Hash => Self::Hashes(all.map(|cluster| hash(data, clusters, cluster)).collect()),
            Ids::Member => {
                let shared: Vec<u32> = all.filter(|&cluster| is_shared(data, clusters, cluster)).collect();
                let (mut others, mut given) = (HashMap::new(), HashSet::new());
                for cluster in shared {
                    let (graph, name) = first_member(data, clusters, cluster);
                    let taken = |name: &str| {
                        given.contains(name)
                            || data.graphs.iter().any(|graph| graph.entities.find(name).is_some())
                    };
                    let name = prefixed(&data.graphs[graph].name, name, taken);
                    given.insert(name.clone());
                    others.insert(cluster, name);
                }
                Self::Members { others }
            }
        }
    }

    /// The name of a cluster.
    pub(super) fn get<'a>(&'a self, data: &'a Dataset, clusters: &Clusters, cluster: u32) -> Cow<'a, str> {
        match self {
            Self::Hashes(hashes) => format!("merged-{:032x}", hashes[cluster as usize]).into(),
            Self::Members { others } => match others.get(&cluster) {
                Some(name) => name.into(),
                None => first_member(data, clusters, cluster).1.into(),
            },
        }
    }

    /// Whether some cluster has this name.
    pub(super) fn is_given(&self, data: &Dataset, clusters: &Clusters, name: &str) -> bool {
        match self {
            Self::Hashes(_) => false,
            Self::Members { others } => (0..data.graphs.len()).any(|graph| {
                let Some(entity) = data.graphs[graph].entities.find(name) else { return false };
                let cluster = clusters.of_entity(graph, entity);
                clusters.members(cluster)[0] == clusters.numbers.of_entity(graph, entity)
                    && !others.contains_key(&cluster)
            }),
        }
    }

    /// How many clusters have their graph before their name.
    pub(super) fn prefixed(&self) -> usize {
        match self {
            Self::Hashes(_) => 0,
            Self::Members { others } => others.len(),
        }
    }
}

/// The graph and the name of the member that gives a cluster its name.
fn first_member<'a>(data: &'a Dataset, clusters: &Clusters, cluster: u32) -> (usize, &'a str) {
    let (graph, entity) = clusters.numbers.entity(clusters.members(cluster)[0]);
    (graph, data.graphs[graph].entities.get(entity))
}

/// Whether another cluster would have the same name.
fn is_shared(data: &Dataset, clusters: &Clusters, cluster: u32) -> bool {
    let (own, name) = first_member(data, clusters, cluster);
    (0..data.graphs.len()).filter(|&graph| graph != own).any(|graph| {
        let Some(entity) = data.graphs[graph].entities.find(name) else { return false };
        let other = clusters.of_entity(graph, entity);
        other != cluster && clusters.members(other)[0] == clusters.numbers.of_entity(graph, entity)
    })
}

/// A hash of the members, in an order of their own.
fn hash(data: &Dataset, clusters: &Clusters, cluster: u32) -> u128 {
    let name = |&number: &u32| {
        let (graph, entity) = clusters.numbers.entity(number);
        (data.graphs[graph].name.as_str(), data.graphs[graph].entities.get(entity))
    };
    let mut members: Vec<(&str, &str)> = clusters.members(cluster).iter().map(name).collect();
    members.sort_unstable();
    let mut hash = Xxh3::new();
    for (graph, entity) in members {
        // No UTF-8 text holds this byte, so that no two lists of members read alike.
        for part in [graph.as_bytes(), b"\xFF", entity.as_bytes(), b"\xFF"] {
            hash.update(part);
        }
    }
    hash.digest128()
}
