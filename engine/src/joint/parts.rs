//! How is a graph made that was never in a file?
//!
//! For measurements: one graph, given as lists, whose entities are linked among themselves.

use super::attributes::AttributeTable;
use super::links::Labels;
use super::names::Names;
use super::{Joint, JointGraph, starts_of};
use crate::compute::rows::Gather;
use crate::dataset::{FactColumns, Lists};

/// One graph as lists of numbers.
#[derive(Debug, Clone)]
pub struct Parts {
    /// How many relations, types and keys there are.
    pub counts: [usize; 3],
    /// Subject, relation and object of each training fact.
    pub facts: Vec<[u32; 3]>,
    /// The neighbourhood of each entity, sorted.
    pub neighbourhoods: Vec<Vec<u32>>,
    /// The types that take part in each relation.
    pub relation_types: Vec<Vec<u32>>,
    /// The attributes of each entity.
    pub attributes: Vec<Vec<u32>>,
    /// The key of each attribute, and the features of its value.
    pub attribute_values: Vec<(u32, Vec<(u32, f32)>)>,
    /// The partner of each entity, and those known not to be.
    pub partners: Vec<(Option<u32>, Vec<u32>)>,
}

impl Joint {
    /// One graph that was never in a file.
    pub fn of_parts(mut parts: Parts) -> Self {
        let entities = parts.neighbourhoods.len();
        parts.facts.sort_unstable();
        parts.facts.dedup();
        let column = |at: usize| parts.facts.iter().map(|fact| fact[at]).collect::<Vec<u32>>().into();
        let train = FactColumns { subjects: column(0), relations: column(1), objects: column(2) };
        let none = || FactColumns {
            subjects: Vec::new().into(),
            relations: Vec::new().into(),
            objects: Vec::new().into(),
        };
        let graph = JointGraph {
            name: "parts".to_owned(),
            first: 0,
            entities: entities as u32,
            subject_starts: starts_of(&train.subjects, entities),
            facts: [train, none(), none()],
            neighbourhoods: Lists::from_lists(parts.neighbourhoods),
            type_starts: vec![0; entities + 1],
            entity_types: Vec::new().into(),
            members: Gather { starts: vec![0; parts.counts[1] + 1], ..Default::default() },
        };
        let mut relation_types = Gather { starts: vec![0], ..Default::default() };
        for types in parts.relation_types {
            relation_types.rows.extend(types);
            relation_types.starts.push(relation_types.rows.len() as u32);
        }
        let partners: Vec<Option<u32>> = parts.partners.iter().map(|partner| partner.0).collect();
        let negatives = || Lists::from_lists(parts.partners.iter().map(|partner| partner.1.clone()));
        let labels = Labels::from_lists([0, 0], [partners.clone(), partners], [negatives(), negatives()]);
        Self {
            graphs: vec![graph],
            relations: Names::identity(parts.counts[0]),
            types: Names::identity(parts.counts[1]),
            keys: Names::identity(parts.counts[2]),
            relation_types,
            attributes: AttributeTable::of_lists(parts.attributes, parts.attribute_values),
            labels: vec![labels],
        }
    }
}
