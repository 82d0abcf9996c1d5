//! How do several graphs become one thing to learn from?
//!
//! Their entities are numbered one graph after the other. Relations, types and keys that have the same name in several
//! graphs can be one thing or several, by choice. Nothing large is copied: facts and neighbourhoods stay where the
//! prepared folder is mapped.

mod attributes;
mod direct;
mod known;
mod links;
mod names;
mod parts;
#[cfg(test)]
pub(crate) mod small_graphs;
#[cfg(test)]
mod tests;

use arrow_buffer::ScalarBuffer;

use crate::compute::rows::Gather;
use crate::config::{Config, Reach, Share};
use crate::dataset::{Dataset, FactColumns, Lists, PreparedGraph};
use crate::error::Result;
use crate::graph::{EntityId, Part};
use crate::model::entity::{Ids, Surroundings};
pub use attributes::AttributeTable;
pub use links::{Labels, Partner};
pub use names::Names;
pub use parts::Parts;

/// Several graphs as one.
#[derive(Debug)]
pub struct Joint {
    /// The graphs.
    pub graphs: Vec<JointGraph>,
    /// The relations of all graphs.
    pub relations: Names,
    /// The types of all graphs.
    pub types: Names,
    /// The keys of all graphs.
    pub keys: Names,
    /// The types that take part in each relation.
    pub relation_types: Gather<f32>,
    /// The distinct attributes of all graphs.
    pub attributes: AttributeTable,
    /// What is known between each two graphs.
    pub labels: Vec<Labels>,
}

/// One of the graphs.
#[derive(Debug)]
pub struct JointGraph {
    /// What the user calls it.
    pub name: String,
    /// The number of its first entity.
    pub first: u32,
    /// How many entities it has.
    pub entities: u32,
    /// The facts of each part, with the graph's own numbers.
    pub facts: [FactColumns; 3],
    /// Where the training facts of each subject begin; one more than there are entities.
    subject_starts: Vec<u32>,
    /// The neighbourhoods, with the graph's own numbers.
    pub neighbourhoods: Lists,
    /// Where the types of each entity begin; one more than there are entities.
    type_starts: Vec<u32>,
    /// The types of each entity, with the graph's own numbers.
    entity_types: ScalarBuffer<u32>,
    /// The entities of each type, with the graph's own numbers.
    members: Gather<f32>,
}

impl Joint {
    /// Joins the graphs of a prepared folder, with the neighbourhoods it holds. Values get so many features.
    pub fn new(data: &Dataset, share: Share, features: u32) -> Result<Self> {
        data.check_ids()?;
        let names = |of: fn(&PreparedGraph) -> &crate::graph::Vocabulary| {
            Names::new(data.graphs.iter().map(of), share)
        };
        let (relations, types, keys) = (names(|g| &g.relations), names(|g| &g.types), names(|g| &g.keys));
        let mut first = 0;
        let mut graphs = Vec::new();
        for graph in &data.graphs {
            let joined = JointGraph::new(graph, first);
            first += joined.entities;
            graphs.push(joined);
        }
        let relation_types = relation_types(data, &relations, &types);
        let attributes = AttributeTable::new(data, &keys, features);
        let labels = data.links.iter().map(|links| Labels::new(links, &graphs)).collect();
        Ok(Self { graphs, relations, types, keys, relation_types, attributes, labels })
    }

    /// Joins the graphs of a prepared folder as a config asks for.
    pub fn for_config(data: &Dataset, config: &Config) -> Result<Self> {
        let mut joint = Self::new(data, config.model.share, config.model.features as u32)?;
        if config.contexts.reach == Reach::Direct {
            for graph in &mut joint.graphs {
                graph.neighbourhoods = direct::neighbourhoods(graph, direct::MOST, config.seed);
            }
        }
        Ok(joint)
    }

    /// How many entities there are.
    pub fn entities(&self) -> usize {
        self.graphs.last().map_or(0, |graph| (graph.first + graph.entities) as usize)
    }

    /// The number of the graph that an entity is of.
    pub fn graph_of(&self, entity: u32) -> usize {
        self.graphs.partition_point(|graph| graph.first <= entity) - 1
    }
}

impl JointGraph {
    fn new(graph: &PreparedGraph, first: u32) -> Self {
        let entities = graph.entities.len();
        let type_starts = starts_of(&graph.typed_entities, entities);
        let mut members = Gather { starts: vec![0u32; graph.types.len() + 1], ..Default::default() };
        graph.entity_types.iter().for_each(|&class| members.starts[class as usize + 1] += 1);
        for class in 0..graph.types.len() {
            members.starts[class + 1] += members.starts[class];
        }
        let mut next = members.starts.clone();
        members.rows = vec![0; graph.entity_types.len()];
        for (&entity, &class) in graph.typed_entities.iter().zip(graph.entity_types.iter()) {
            members.rows[next[class as usize] as usize] = entity;
            next[class as usize] += 1;
        }
        Self {
            name: graph.name.clone(),
            first,
            entities: entities as u32,
            facts: graph.facts.clone(),
            subject_starts: starts_of(&graph.facts[Part::Train as usize].subjects, entities),
            neighbourhoods: graph.neighbourhoods.clone(),
            type_starts,
            entity_types: graph.entity_types.clone(),
            members,
        }
    }

    /// The types of an entity, both with the graph's own numbers.
    pub fn types_of(&self, entity: EntityId) -> &[u32] {
        let row = entity.row();
        &self.entity_types[self.type_starts[row] as usize..self.type_starts[row + 1] as usize]
    }

    /// The entities of a type, with the graph's own numbers.
    pub fn members_of(&self, class: u32) -> &[u32] {
        let class = class as usize;
        &self.members.rows[self.members.starts[class] as usize..self.members.starts[class + 1] as usize]
    }
}

/// Where the rows of each id begin in a sorted column.
fn starts_of(sorted: &[u32], count: usize) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    sorted.iter().for_each(|&id| starts[id as usize + 1] += 1);
    for id in 0..count {
        starts[id + 1] += starts[id];
    }
    starts
}

/// The distinct types of the entities that take part in each relation, on either side and in any graph.
fn relation_types(data: &Dataset, relations: &Names, types: &Names) -> Gather<f32> {
    let mut pairs = Vec::new();
    for (number, graph) in data.graphs.iter().enumerate() {
        for (&relation, &class) in graph.typed_relations.iter().zip(graph.relation_types.iter()) {
            pairs.push((relations.of(number, relation), types.of(number, class)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut lists = Gather { starts: vec![0], ..Default::default() };
    for relation in 0..relations.len() as u32 {
        let end = pairs.partition_point(|pair| pair.0 <= relation);
        lists.starts.push(end as u32);
    }
    lists.rows = pairs.into_iter().map(|pair| pair.1).collect();
    lists
}

impl Surroundings for Joint {
    fn neighbours(&self, entity: u32) -> Ids<'_> {
        let graph = &self.graphs[self.graph_of(entity)];
        Ids { first: graph.first, ids: graph.neighbourhoods.get((entity - graph.first) as usize) }
    }

    fn attributes(&self, entity: u32) -> &[u32] {
        self.attributes.of(entity)
    }

    fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    fn attribute(&self, attribute: u32) -> (u32, &[u32], &[f32]) {
        self.attributes.get(attribute)
    }
}
