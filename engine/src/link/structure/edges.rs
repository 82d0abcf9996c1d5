//! Who is next to whom, by which relation, and how much does it say?
//!
//! A fact is an edge in both directions, by its relation and by the inverse of it: a directed relation. All facts of a
//! graph count, those of the parts valid and test too: the parts are there to judge predicted *facts*, while links have parts
//! of their own, and no link is a fact.

use crate::compute::rows::Gather;
use crate::dataset::PreparedGraph;
use crate::graph::Fact;

/// The edges of a graph.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Edges {
    /// For each entity its neighbours, once for each fact, weighted by what the relation says.
    pub(super) neighbours: Gather<f32>,
    /// For each entity the directed relations that leave it, once for each fact: beside `neighbours`.
    pub(super) relations: Vec<u32>,
    /// For each directed relation the entities it leaves, once for each fact.
    pub(super) sources: Gather<f32>,
    /// What each directed relation says: ln(1 + facts / facts of it). One that every second fact has hardly tells entities
    /// apart.
    pub(super) weights: Vec<f32>,
}

impl Edges {
    /// The edges of a prepared graph.
    pub(super) fn of(graph: &PreparedGraph) -> Self {
        let facts: Vec<Fact> = graph.facts.iter().flat_map(|facts| facts.iter()).collect();
        Self::new(graph.entities.len(), graph.relations.len(), &facts)
    }

    /// The edges of some facts. An edge from an entity to itself leads nowhere and is left out.
    pub(super) fn new(entities: usize, relations: usize, facts: &[Fact]) -> Self {
        let mut edges: Vec<[u32; 3]> = Vec::with_capacity(2 * facts.len());
        for fact in facts.iter().filter(|fact| fact.subject != fact.object) {
            let (subject, relation, object) = (fact.subject.0, fact.relation.0, fact.object.0);
            edges.push([subject, relation, object]);
            edges.push([object, relation + relations as u32, subject]);
        }
        edges.sort_unstable();
        edges.dedup();
        let mut counts = vec![0u32; 2 * relations];
        edges.iter().for_each(|edge| counts[edge[1] as usize] += 1);
        let all = edges.len() as f32 / 2.0;
        let weights: Vec<f32> = counts.iter().map(|&count| (all / count.max(1) as f32).ln_1p()).collect();
        let neighbours = Gather {
            starts: starts(entities, edges.iter().map(|edge| edge[0])),
            rows: edges.iter().map(|edge| edge[2]).collect(),
            weights: edges.iter().map(|edge| weights[edge[1] as usize]).collect(),
        };
        let of_entities = edges.iter().map(|edge| edge[1]).collect();
        edges.sort_unstable_by_key(|edge| [edge[1], edge[0], edge[2]]);
        let sources = Gather {
            starts: starts(2 * relations, edges.iter().map(|edge| edge[1])),
            rows: edges.iter().map(|edge| edge[0]).collect(),
            weights: Vec::new(),
        };
        Self { neighbours, relations: of_entities, sources, weights }
    }

    /// The number of entities.
    pub(super) fn entities(&self) -> usize {
        self.neighbours.len()
    }
}

/// Where the list of each thing begins, given whose each sorted row is.
fn starts(count: usize, owners: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; count + 1];
    owners.for_each(|owner| starts[owner as usize + 1] += 1);
    for at in 0..count {
        starts[at + 1] += starts[at];
    }
    starts
}
