//! Which types take part in a relation?
//!
//! The context T_c(r) of the paper: the types of the entities that training facts put into relation r, as subject or
//! as object, and in how many facts.

use std::collections::HashMap;

use crate::graph::{Fact, Graph, Typing};

/// The place of an entity in a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// Before the relation.
    Subject = 0,
    /// After it.
    Object = 1,
}

/// Rows of (relation, side, type, facts), sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RelationTypes {
    pub(super) relation: Vec<u32>,
    pub(super) side: Vec<u8>,
    pub(super) class: Vec<u32>,
    pub(super) facts: Vec<u64>,
}

/// A table of counters is used up to this size; beyond it most cells would be zero.
const MOST_CELLS: usize = 1 << 24;

pub(super) fn relation_types(graph: &Graph, facts: &[Fact]) -> RelationTypes {
    let starts = typing_starts(graph);
    let types_of = |entity: u32| &graph.typings[starts[entity as usize]..starts[entity as usize + 1]];
    let cells = 2 * graph.relations.len() * graph.types.len();
    let mut rows = RelationTypes::default();
    let mut push = |relation: usize, side: usize, class: usize, count: u64| {
        rows.relation.push(relation as u32);
        rows.side.push(side as u8);
        rows.class.push(class as u32);
        rows.facts.push(count);
    };
    let cell = |fact: &Fact, side: Side, typing: &Typing| {
        (2 * fact.relation.row() + side as usize) * graph.types.len() + typing.class.row()
    };
    let each = |mut add: Box<dyn FnMut(usize) + '_>| {
        for fact in facts {
            for (side, entity) in [(Side::Subject, fact.subject), (Side::Object, fact.object)] {
                types_of(entity.0).iter().for_each(|typing| add(cell(fact, side, typing)));
            }
        }
    };
    let mut found = |cell: usize, count: u64| {
        let (slot, class) = (cell / graph.types.len(), cell % graph.types.len());
        push(slot / 2, slot % 2, class, count);
    };
    if cells <= MOST_CELLS {
        let mut counts = vec![0u64; cells];
        each(Box::new(|cell| counts[cell] += 1));
        counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .for_each(|(cell, &count)| found(cell, count));
    } else {
        let mut counts: HashMap<usize, u64> = HashMap::new();
        each(Box::new(|cell| *counts.entry(cell).or_default() += 1));
        let mut counts: Vec<(usize, u64)> = counts.into_iter().collect();
        counts.sort_unstable();
        counts.iter().for_each(|&(cell, count)| found(cell, count));
    }
    rows
}

/// Where the typings of each entity begin; they are sorted by entity.
pub(super) fn typing_starts(graph: &Graph) -> Vec<usize> {
    let mut starts = vec![0; graph.entities.len() + 1];
    graph.typings.iter().for_each(|typing| starts[typing.entity.row() + 1] += 1);
    for row in 0..graph.entities.len() {
        starts[row + 1] += starts[row];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part};

    #[test]
    fn types_are_counted_on_both_sides() {
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Train, "film", "starring", "ann");
        builder.fact(Part::Train, "film", "starring", "bob");
        builder.typing("film", "Film");
        builder.typing("ann", "Person");
        builder.typing("bob", "Person");
        builder.typing("bob", "Director");
        let graph = builder.finish("g");
        let rows = relation_types(&graph, graph.facts.part(Part::Train));
        let mut named: Vec<(u8, &str, u64)> = (0..rows.class.len())
            .map(|i| (rows.side[i], graph.types.get(rows.class[i]), rows.facts[i]))
            .collect();
        named.sort_unstable();
        assert_eq!(named, [(0, "Film", 2), (1, "Director", 1), (1, "Person", 2)]);
    }
}
