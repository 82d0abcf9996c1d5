//! Which names of several graphs mean the same?

use std::collections::HashMap;

use crate::config::Share;
use crate::graph::Vocabulary;

/// The names of one kind in all graphs, numbered anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Names {
    /// The new number of each name of each graph.
    numbers: Vec<Vec<u32>>,
    /// The graph and the number there that each new one was first met with.
    first_met: Vec<(u32, u32)>,
}

impl Names {
    /// Numbers the names of some vocabularies.
    pub(super) fn new<'a>(vocabularies: impl Iterator<Item = &'a Vocabulary>, share: Share) -> Self {
        let mut met: HashMap<&str, u32> = HashMap::new();
        let mut first_met = Vec::new();
        let numbers = vocabularies.enumerate().map(|(graph, names)| {
            let number = |row: u32| {
                let name = names.get(row);
                if let (Share::Names, Some(&number)) = (share, met.get(name)) {
                    return number;
                }
                first_met.push((graph as u32, row));
                met.insert(name, first_met.len() as u32 - 1);
                first_met.len() as u32 - 1
            };
            (0..names.len() as u32).map(number).collect()
        });
        let numbers = numbers.collect();
        Self { numbers, first_met }
    }

    /// So many names of one graph, as they are.
    pub(super) fn identity(count: usize) -> Self {
        let numbers: Vec<u32> = (0..count as u32).collect();
        Self { first_met: numbers.iter().map(|&row| (0, row)).collect(), numbers: vec![numbers] }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.first_met.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first_met.is_empty()
    }

    /// The number of a name of a graph.
    pub fn of(&self, graph: usize, row: u32) -> u32 {
        self.numbers[graph][row as usize]
    }

    /// The graph, and the number there, that a name was first met with.
    pub fn first_met(&self, number: u32) -> (usize, u32) {
        let (graph, row) = self.first_met[number as usize];
        (graph as usize, row)
    }
}
