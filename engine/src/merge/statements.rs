//! What do the graphs say together?
//!
//! Rows of ids are said of clusters instead of entities, and equal rows of several graphs become one row with all its
//! sources. This is a sort, so that the order of graphs and threads plays no part.

use rayon::prelude::*;

use super::clusters::Clusters;
use super::terms::Terms;
use crate::dataset::Dataset;

/// A set of graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Sources(u64);

impl Sources {
    /// So many graphs there can be.
    pub(super) const MOST: usize = 64;

    /// One graph.
    pub(super) fn only(graph: usize) -> Self {
        Self(1 << graph)
    }

    /// Both sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a graph is in both.
    pub(super) fn shares(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// How many graphs there are.
    pub(super) fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The graphs, in order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |graph| self.0 >> graph & 1 == 1)
    }
}

/// A row of ids, and the graph that says it.
pub(super) type Said = ([u32; 3], u8);

/// Rows of ids, sorted, each once, with the graphs that say them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statements {
    pub(super) rows: Vec<[u32; 3]>,
    pub(super) sources: Vec<Sources>,
    /// How many rows there were before.
    pub(super) before: u64,
}

impl Statements {
    pub(super) fn of(mut said: Vec<Said>) -> Self {
        said.par_sort_unstable();
        let (mut rows, mut sources): (Vec<[u32; 3]>, Vec<Sources>) = (Vec::new(), Vec::new());
        for &(row, graph) in &said {
            let source = Sources::only(graph.into());
            match (rows.last(), sources.last_mut()) {
                (Some(last), Some(all)) if *last == row => *all = all.and(source),
                _ => {
                    rows.push(row);
                    sources.push(source);
                }
            }
        }
        Self { rows, sources, before: said.len() as u64 }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// The facts of all parts.
pub(super) fn facts(data: &Dataset, clusters: &Clusters, relations: &Terms) -> Statements {
    let mut said: Vec<Said> = Vec::new();
    for (graph, prepared) in data.graphs.iter().enumerate() {
        for facts in &prepared.facts {
            said.par_extend((0..facts.len()).into_par_iter().map(|row| {
                let subject = clusters.of_entity(graph, facts.subjects[row]);
                let object = clusters.of_entity(graph, facts.objects[row]);
                ([subject, relations.of(graph, facts.relations[row]), object], graph as u8)
            }));
        }
    }
    Statements::of(said)
}

/// Which entity is of which type; the third id is not used.
pub(super) fn typings(data: &Dataset, clusters: &Clusters, types: &Terms) -> Statements {
    let mut said: Vec<Said> = Vec::new();
    for (graph, prepared) in data.graphs.iter().enumerate() {
        said.par_extend((0..prepared.typed_entities.len()).into_par_iter().map(|row| {
            let entity = clusters.of_entity(graph, prepared.typed_entities[row]);
            ([entity, types.of(graph, prepared.entity_types[row]), 0], graph as u8)
        }));
    }
    Statements::of(said)
}
