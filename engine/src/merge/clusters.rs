//! Which entities become one?
//!
//! Links are taken the most probable first, and each unites the clusters of its two entities. A link that would bring
//! two entities of one graph together is cut, unless that is allowed; so is one that would bring two together that are
//! said to be different. Of equally probable links the order is that of the ids, which means nothing: they are hashes of
//! the names, salted with the graph.

use std::collections::HashMap;

use rayon::prelude::*;

use super::MergeConfig;
use super::report::LinkCounts;
use super::statements::Sources;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::io::links::StatedLink;

/// Whether a cluster may hold two entities of one graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// At most one entity of each graph: links that say otherwise are cut, the least probable first.
    Apart,
    /// Whatever links say.
    Together,
}

/// One numbering of the entities of all graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The number of each graph's first entity, and how many there are in all.
    starts: Vec<u32>,
}

impl Numbers {
    pub(super) fn of(data: &Dataset) -> Result<Self> {
        let mut starts = vec![0];
        for graph in &data.graphs {
            let end = starts[starts.len() - 1] as usize + graph.entities.len();
            let end = u32::try_from(end).map_err(|_| {
                Error::Usage("the graphs have more than four thousand million entities".to_owned())
            })?;
            starts.push(end);
        }
        Ok(Self { starts })
    }

    pub(super) fn count(&self) -> u32 {
        self.starts[self.starts.len() - 1]
    }

    /// The number of an entity.
    pub(super) fn of_entity(&self, graph: usize, entity: u32) -> u32 {
        self.starts[graph] + entity
    }

    /// The numbers of both ends of a link, the smaller first.
    fn ends(&self, stated: &StatedLink) -> [u32; 2] {
        let first = self.of_entity(stated.graphs.0, stated.link.first.0);
        let second = self.of_entity(stated.graphs.1, stated.link.second.0);
        [first.min(second), first.max(second)]
    }

    /// The graph of a number, and the entity in it.
    pub(super) fn entity(&self, number: u32) -> (usize, u32) {
        let graph = self.starts.partition_point(|&start| start <= number) - 1;
        (graph, number - self.starts[graph])
    }
}

/// Entities that are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clusters {
    pub(super) numbers: Numbers,
    /// The cluster of each entity.
    pub(super) of: Vec<u32>,
    /// Where the members of each cluster begin.
    starts: Vec<u32>,
    /// The members of all clusters; of each, the one that gives it its name comes first.
    members: Vec<u32>,
}

impl Clusters {
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The entities of a cluster by their numbers, the preferred one first.
    pub(super) fn members(&self, cluster: u32) -> &[u32] {
        &self.members[self.starts[cluster as usize] as usize..self.starts[cluster as usize + 1] as usize]
    }

    /// The cluster of an entity.
    pub(super) fn of_entity(&self, graph: usize, entity: u32) -> u32 {
        self.of[self.numbers.of_entity(graph, entity) as usize]
    }
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Judged {
    /// The entities by their numbers, the smaller first.
    pub(super) ends: [u32; 2],
    pub(super) probability: f64,
    pub(super) fate: Fate,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its entities are in one cluster.
    Used,
    /// It would have brought two entities of one graph together, or two that are said to be different.
    Cut,
}

impl Fate {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Cut => "cut",
        }
    }
}

/// Makes clusters of entities, and says what became of every link, the most probable first.
pub(super) fn unite(
    data: &Dataset,
    numbers: Numbers,
    links: &[StatedLink],
    config: &MergeConfig,
    ranks: &[usize],
) -> (Clusters, Vec<Judged>, LinkCounts) {
    let mut forest = Forest::of(&numbers);
    links.iter().filter(|link| !link.same).for_each(|link| forest.deny(numbers.ends(link)));
    let (mut links, mut counts) = ordered(&numbers, links, config.min_probability);
    for link in &mut links {
        link.fate = forest.unite(link.ends, config.duplicates);
    }
    counts.used = links.iter().filter(|link| link.fate == Fate::Used).count() as u64;
    counts.cut = links.len() as u64 - counts.used;
    (forest.clusters(data, numbers, ranks), links, counts)
}

/// The links that count, each once, the most probable first.
fn ordered(numbers: &Numbers, links: &[StatedLink], least: f64) -> (Vec<Judged>, LinkCounts) {
    let mut counts = LinkCounts { stated: links.len() as u64, ..LinkCounts::default() };
    let mut kept = Vec::with_capacity(links.len());
    for stated in links {
        if !stated.same {
            counts.denied += 1;
        } else if stated.probability < least {
            counts.improbable += 1;
        } else {
            let ends = numbers.ends(stated);
            kept.push(Judged { ends, probability: stated.probability, fate: Fate::Used });
        }
    }
    let before = kept.len();
    kept.par_sort_unstable_by(|a, b| a.ends.cmp(&b.ends).then(b.probability.total_cmp(&a.probability)));
    kept.dedup_by_key(|link| link.ends);
    counts.repeated = (before - kept.len()) as u64;
    kept.par_sort_unstable_by(|a, b| b.probability.total_cmp(&a.probability).then(a.ends.cmp(&b.ends)));
    (kept, counts)
}

/// Clusters in the making.
struct Forest {
    /// The parent of each entity; a root is its own.
    parents: Vec<u32>,
    /// How many entities are below each root.
    sizes: Vec<u32>,
    /// The graphs whose entities are below each root.
    graphs: Vec<Sources>,
    /// The entities that are said to be others than one below a root, by the root.
    denied: HashMap<u32, Vec<u32>>,
}

impl Forest {
    fn of(numbers: &Numbers) -> Self {
        let all = 0..numbers.count();
        let graphs = numbers.starts.windows(2).enumerate();
        let graphs = graphs.flat_map(|(graph, ends)| (ends[0]..ends[1]).map(move |_| Sources::only(graph)));
        Self {
            parents: all.clone().collect(),
            sizes: vec![1; all.len()],
            graphs: graphs.collect(),
            denied: HashMap::new(),
        }
    }

    /// Keeps two entities apart; to be said before any are united.
    fn deny(&mut self, [first, second]: [u32; 2]) {
        self.denied.entry(first).or_default().push(second);
        self.denied.entry(second).or_default().push(first);
    }

    /// Whether an entity below one root is said to be another than one below the other root.
    fn are_denied(&mut self, roots: [u32; 2]) -> bool {
        let [own, other] = roots;
        let Some(others) = self.denied.remove(&own) else { return false };
        let found = others.iter().any(|&entity| self.root(entity) == other);
        self.denied.insert(own, others);
        found
    }

    fn root(&mut self, mut entity: u32) -> u32 {
        while self.parents[entity as usize] != entity {
            let above = self.parents[entity as usize];
            // Every look shortens the way of the next.
            self.parents[entity as usize] = self.parents[above as usize];
            entity = self.parents[entity as usize];
        }
        entity
    }

    fn unite(&mut self, ends: [u32; 2], duplicates: Duplicates) -> Fate {
        let [mut large, mut small] = ends.map(|end| self.root(end));
        if large == small {
            return Fate::Used;
        }
        let shared = self.graphs[large as usize].shares(self.graphs[small as usize]);
        if shared && duplicates == Duplicates::Apart || self.are_denied([large, small]) {
            return Fate::Cut;
        }
        if self.sizes[large as usize] < self.sizes[small as usize] {
            (large, small) = (small, large);
        }
        if let Some(denied) = self.denied.remove(&small) {
            self.denied.entry(large).or_default().extend(denied);
        }
        self.parents[small as usize] = large;
        self.sizes[large as usize] += self.sizes[small as usize];
        self.graphs[large as usize] = self.graphs[large as usize].and(self.graphs[small as usize]);
        Fate::Used
    }

    /// Clusters in the order of the members that give them their names.
    fn clusters(mut self, data: &Dataset, numbers: Numbers, ranks: &[usize]) -> Clusters {
        let all = 0..numbers.count();
        let roots: Vec<u32> = all.clone().map(|entity| self.root(entity)).collect();
        let place = |number: u32| {
            let (graph, entity) = numbers.entity(number);
            (ranks[graph], data.graphs[graph].entities.get(entity))
        };
        let mut first: Vec<u32> = roots.clone();
        for entity in all.clone() {
            let best = &mut first[roots[entity as usize] as usize];
            if *best != entity && place(entity) < place(*best) {
                *best = entity;
            }
        }
        let mut of = vec![u32::MAX; all.len()];
        let mut sizes = Vec::new();
        for entity in all.clone() {
            let root = roots[entity as usize] as usize;
            if first[root] == entity {
                // Roots learn their cluster first; all others ask them.
                self.parents[root] = sizes.len() as u32;
                sizes.push(self.sizes[root]);
            }
        }
        let mut starts = vec![0; sizes.len() + 1];
        sizes.iter().enumerate().for_each(|(at, size)| starts[at + 1] = starts[at] + size);
        let mut members = vec![0; all.len()];
        // The first place is kept for the one that gives the name.
        let mut next: Vec<u32> = starts[..sizes.len()].iter().map(|start| start + 1).collect();
        for entity in all {
            let root = roots[entity as usize] as usize;
            let cluster = self.parents[root];
            of[entity as usize] = cluster;
            let at = match first[root] == entity {
                true => starts[cluster as usize],
                false => {
                    next[cluster as usize] += 1;
                    next[cluster as usize] - 1
                }
            };
            members[at as usize] = entity;
        }
        Clusters { numbers, of, starts, members }
    }
}
