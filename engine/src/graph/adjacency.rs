//! Who is next to whom?
//!
//! The undirected neighbours of every entity, one for each fact that joins them, in compressed sparse rows.

use super::{EntityId, Fact};

/// The ends of facts seen from each entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adjacency {
    starts: Vec<u64>,
    neighbours: Vec<EntityId>,
}

impl Adjacency {
    /// Counts, then fills: two passes over the facts and no sorting. Self-loops lead nowhere and are left out.
    pub fn undirected(entities: usize, facts: &[Fact]) -> Self {
        let mut starts = vec![0u64; entities + 1];
        let ends = || facts.iter().filter(|f| f.subject != f.object);
        for fact in ends() {
            starts[fact.subject.row() + 1] += 1;
            starts[fact.object.row() + 1] += 1;
        }
        for row in 0..entities {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![EntityId(0); starts[entities] as usize];
        for fact in ends() {
            for (from, to) in [(fact.subject, fact.object), (fact.object, fact.subject)] {
                neighbours[next[from.row()] as usize] = to;
                next[from.row()] += 1;
            }
        }
        Self { starts, neighbours }
    }

    /// The neighbours of an entity; one that shares several facts appears as often.
    pub fn of(&self, entity: EntityId) -> &[EntityId] {
        &self.neighbours[self.starts[entity.row()] as usize..self.starts[entity.row() + 1] as usize]
    }

    /// How many entities there are.
    pub fn entities(&self) -> usize {
        self.starts.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::RelationId;

    #[test]
    fn every_fact_is_seen_from_both_ends() {
        let fact = |s, o| Fact { subject: EntityId(s), relation: RelationId(0), object: EntityId(o) };
        let adjacency = Adjacency::undirected(4, &[fact(0, 1), fact(0, 2), fact(1, 0), fact(2, 2)]);
        assert_eq!(adjacency.of(EntityId(0)), [EntityId(1), EntityId(2), EntityId(1)]);
        assert_eq!(adjacency.of(EntityId(1)), [EntityId(0), EntityId(0)]);
        assert_eq!(adjacency.of(EntityId(2)), [EntityId(0)]);
        assert!(adjacency.of(EntityId(3)).is_empty());
    }
}
