//! Which values of several graphs are the same?
//!
//! Those of equal text and qualifier. They are told apart by a 128-bit hash, which is all that is held in memory; the
//! texts stay where they are mapped.

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use crate::dataset::Dataset;
use crate::graph::Value;

/// One numbering of the values of all graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnitedValues {
    /// For each graph, the number of each value.
    of: Vec<Vec<u32>>,
    /// Where each value is to be read.
    at: Vec<(u8, u32)>,
}

impl UnitedValues {
    pub(super) fn of(data: &Dataset) -> Self {
        let mut all: Vec<(u128, u8, u32)> = Vec::new();
        for (graph, prepared) in data.graphs.iter().enumerate() {
            let rows = (0..prepared.values.len() as u32).into_par_iter();
            all.par_extend(rows.map(|row| (hash(prepared.values.get(row)), graph as u8, row)));
        }
        all.par_sort_unstable();
        let mut of: Vec<Vec<u32>> = data.graphs.iter().map(|graph| vec![0; graph.values.len()]).collect();
        let mut at: Vec<(u8, u32)> = Vec::new();
        let mut last = None;
        for (hash, graph, row) in all {
            if last != Some(hash) {
                last = Some(hash);
                at.push((graph, row));
            }
            of[graph as usize][row as usize] = at.len() as u32 - 1;
        }
        Self { of, at }
    }

    /// The number of a graph's value.
    pub(super) fn number(&self, graph: usize, value: u32) -> u32 {
        self.of[graph][value as usize]
    }

    /// The value of a number.
    pub(super) fn get<'a>(&self, data: &'a Dataset, number: u32) -> Value<'a> {
        let (graph, row) = self.at[number as usize];
        data.graphs[graph as usize].values.get(row)
    }
}

fn hash(value: Value<'_>) -> u128 {
    let mut hash = Xxh3::new();
    for part in [value.text.as_bytes(), b"\xFF", value.qualifier.as_bytes()] {
        hash.update(part);
    }
    hash.digest128()
}
