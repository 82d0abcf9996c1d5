//! Which relations and keys mean the same under different names?
//!
//! A table says so: two columns, a name of the first graph and one of the second, or four, with the graphs' names before
//! them. A header may name the columns. What is a relation in both graphs is united as a relation, what is a key in both
//! as a key.

use std::fs;
use std::path::Path;

use super::hint;
use super::terms::Aligned;
use crate::dataset::Dataset;
use crate::error::{Error, Place, Result};
use crate::graph::Vocabulary;

/// Pairs that mean the same.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    pub(super) relations: Vec<Aligned>,
    pub(super) keys: Vec<Aligned>,
}

impl Alignment {
    pub(super) fn read(path: &Path, data: &Dataset) -> Result<Self> {
        if !path.exists() {
            return Err(Error::not_found(path));
        }
        let bytes = fs::read(path).map_err(Error::io(path))?;
        let mut alignment = Self::default();
        let mut lines = 0;
        for (number, line) in bytes.split(|&b| b == b'\n').enumerate() {
            let place = || Place::line(path, number as u64 + 1);
            let line =
                std::str::from_utf8(line).map_err(|_| Error::input(place(), "this is not valid UTF-8"))?;
            let line = line.trim_end_matches('\r');
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            lines += 1;
            let cells: Vec<&str> = line.split('\t').collect();
            if lines == 1 && (cells.contains(&"relation_a") && cells.contains(&"relation_b")) {
                continue;
            }
            alignment.add(&cells, data).map_err(|message| Error::input(place(), message))?;
        }
        if lines == 0 {
            return Err(Error::input(Place::file(path), "the file is empty"));
        }
        Ok(alignment)
    }

    fn add(&mut self, cells: &[&str], data: &Dataset) -> Result<(), String> {
        let graph = |name: &str| {
            let found = data.graphs.iter().position(|graph| graph.name == name);
            let known = || data.graphs.iter().map(|graph| graph.name.as_str()).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| format!("there is no graph {name:?}; the graphs are {}", known()))
        };
        let ends = match (cells, data.graphs.len()) {
            ([first, second], 2) if is_there(data, 0, first) || !is_there(data, 1, first) => {
                [(0, *first), (1, *second)]
            }
            ([first, second], 2) => [(1, *first), (0, *second)],
            ([_, _], graphs) => {
                return Err(format!(
                    "with {graphs} graphs a row needs 4 columns: graph_a, relation_a, graph_b, relation_b"
                ));
            }
            ([graph_a, first, graph_b, second], _) => [(graph(graph_a)?, *first), (graph(graph_b)?, *second)],
            _ => {
                return Err(format!(
                    "expected 2 columns (a relation of each graph) or 4, found {}",
                    cells.len()
                ));
            }
        };
        let [first, second] = ends;
        for (graph, name) in ends {
            if !is_there(data, graph, name) {
                let known = &data.graphs[graph];
                let hint = hint([&known.relations, &known.keys].into_iter(), name);
                return Err(format!("{} has no relation and no key {name:?}{hint}", known.name));
            }
        }
        if first.0 == second.0 {
            return Err(format!("{:?} and {:?} are in the same graph", first.1, second.1));
        }
        let both = |find: &dyn Fn(usize, &str) -> Option<u32>| {
            Some([(first.0, find(first.0, first.1)?), (second.0, find(second.0, second.1)?)])
        };
        let relations = both(&|graph, name| data.graphs[graph].relations.find(name));
        let keys = both(&|graph, name| data.graphs[graph].keys.find(name));
        if relations.is_none() && keys.is_none() {
            return Err(format!(
                "{:?} and {:?} cannot be one: one is a relation and the other a key",
                first.1, second.1
            ));
        }
        self.relations.extend(relations);
        self.keys.extend(keys);
        Ok(())
    }
}

/// Whether a graph has a relation or a key of this name.
fn is_there(data: &Dataset, graph: usize, name: &str) -> bool {
    let has = |vocabulary: &Vocabulary| vocabulary.find(name).is_some();
    has(&data.graphs[graph].relations) || has(&data.graphs[graph].keys)
}
