//! What are the attributes of all entities?
//!
//! A distinct attribute is a key with a value; many entities can have it. The features of each distinct value are
//! computed once, when the graphs are joined.

use rayon::prelude::*;

use super::names::Names;
use super::starts_of;
use crate::dataset::{Dataset, features};

/// The distinct attributes of all graphs, and who has them.
#[derive(Debug, Default)]
pub struct AttributeTable {
    /// Where the attributes of each entity begin; one more than there are entities.
    starts: Vec<u32>,
    /// The attributes of each entity.
    lists: Vec<u32>,
    /// The key and the value of each attribute.
    keys: Vec<u32>,
    values: Vec<u32>,
    /// The number of each graph's first value.
    first_values: Vec<u32>,
    /// Where the features of each value begin; one more than there are values.
    feature_starts: Vec<u32>,
    features: Vec<u32>,
    weights: Vec<f32>,
}

impl AttributeTable {
    pub(super) fn new(data: &Dataset, keys: &Names, count: u32) -> Self {
        let mut table = Self { starts: vec![0], feature_starts: vec![0], ..Default::default() };
        for (number, graph) in data.graphs.iter().enumerate() {
            let first_value = table.feature_starts.len() as u32 - 1;
            table.first_values.push(first_value);
            table.add_values(graph.values.len(), |value| features(graph.values.get(value), count));
            let mut pairs: Vec<(u32, u32)> = graph
                .attribute_keys
                .iter()
                .zip(graph.attribute_values.iter())
                .map(|(&key, &value)| (keys.of(number, key), first_value + value))
                .collect();
            let of_rows = pairs.clone();
            pairs.par_sort_unstable();
            pairs.dedup();
            let first = table.keys.len() as u32;
            let place = |pair: &(u32, u32)| first + pairs.partition_point(|other| other < pair) as u32;
            let base = table.lists.len() as u32;
            table.lists.par_extend(of_rows.par_iter().map(place));
            let starts = starts_of(&graph.attribute_entities, graph.entities.len());
            table.starts.extend(starts[1..].iter().map(|start| base + start));
            table.keys.extend(pairs.iter().map(|pair| pair.0));
            table.values.extend(pairs.iter().map(|pair| pair.1));
        }
        table
    }

    /// Attributes given as lists: those of each entity, and the key and features of each.
    pub(super) fn of_lists(lists: Vec<Vec<u32>>, values: Vec<(u32, Vec<(u32, f32)>)>) -> Self {
        let (starts, feature_starts, first_values) = (vec![0], vec![0], vec![0]);
        let mut table = Self { starts, feature_starts, first_values, ..Default::default() };
        for list in lists {
            table.lists.extend(list);
            table.starts.push(table.lists.len() as u32);
        }
        table.keys = values.iter().map(|value| value.0).collect();
        table.values = (0..values.len() as u32).collect();
        table.add_values(values.len(), |value| values[value as usize].1.clone());
        table
    }

    /// Adds the features of a graph's values.
    fn add_values(&mut self, count: usize, of: impl Fn(u32) -> Vec<(u32, f32)> + Sync) {
        const CHUNK: u32 = 4096;
        let chunks = (count as u32).div_ceil(CHUNK);
        // The features of a chunk's values one after the other, and how many each has.
        let found: Vec<(Vec<_>, Vec<u32>)> = (0..chunks)
            .into_par_iter()
            .map(|chunk| {
                let (mut features, mut lengths) = (Vec::new(), Vec::new());
                for value in chunk * CHUNK..(count as u32).min((chunk + 1) * CHUNK) {
                    let own = of(value);
                    lengths.push(own.len() as u32);
                    features.extend(own);
                }
                (features, lengths)
            })
            .collect();
        // Exactly: at the size of the paper's data a list that doubles is 50 MB too long.
        let more = found.iter().map(|(features, _)| features.len()).sum();
        self.features.reserve_exact(more);
        self.weights.reserve_exact(more);
        for (features, lengths) in found {
            let mut end = self.features.len() as u32;
            self.feature_starts.extend(lengths.into_iter().map(|length| {
                end += length;
                end
            }));
            self.features.extend(features.iter().map(|feature| feature.0));
            self.weights.extend(features.iter().map(|feature| feature.1));
        }
    }

    /// How many distinct attributes there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The attributes of an entity.
    pub fn of(&self, entity: u32) -> &[u32] {
        &self.lists[self.starts[entity as usize] as usize..self.starts[entity as usize + 1] as usize]
    }

    /// The key of an attribute, and the features of its value with their weights.
    pub fn get(&self, attribute: u32) -> (u32, &[u32], &[f32]) {
        let value = self.values[attribute as usize] as usize;
        let own = self.feature_starts[value] as usize..self.feature_starts[value + 1] as usize;
        (self.keys[attribute as usize], &self.features[own.clone()], &self.weights[own])
    }

    /// The graph that an attribute is of, and the number of its value there.
    pub fn value_of(&self, attribute: u32) -> (usize, u32) {
        let value = self.values[attribute as usize];
        let graph = self.first_values.partition_point(|&first| first <= value) - 1;
        (graph, value - self.first_values[graph])
    }
}
