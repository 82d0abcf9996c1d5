//! Which entities are too rare to learn?
//!
//! Appendix B.1: both entities of a fact must appear in more than k facts. Removing a fact can make other entities
//! rare, so this is repeated until nothing changes.

use super::Tally;
use crate::graph::Graph;

/// Marks the entities that do not survive; counts them.
pub(super) fn mark_rare(graph: &Graph, k: u64, keep: &mut [bool]) -> Tally {
    let before = keep.to_vec();
    loop {
        let mut facts = vec![0u64; keep.len()];
        for fact in graph.facts.iter().filter(|f| keep[f.subject.row()] && keep[f.object.row()]) {
            facts[fact.subject.row()] += 1;
            if fact.subject != fact.object {
                facts[fact.object.row()] += 1;
            }
        }
        let mut changed = false;
        for (kept, &count) in keep.iter_mut().zip(&facts) {
            if *kept && count <= k {
                *kept = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut tally = Tally::new();
    for (row, _) in before.iter().zip(keep.iter()).enumerate().filter(|(_, (was, is))| **was && !**is) {
        tally.add(|| graph.entities.get(row as u32).to_owned());
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part};

    #[test]
    fn what_is_left_holds_together() {
        let mut builder = GraphBuilder::default();
        // A triangle with a tail: the tail goes one by one, the triangle stays.
        for (a, b) in [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")] {
            builder.fact(Part::Undivided, a, "r", b);
        }
        let graph = builder.finish("g");
        let mut keep = vec![true; 5];
        assert_eq!(mark_rare(&graph, 1, &mut keep).count, 2);
        let kept: std::collections::BTreeSet<&str> =
            graph.entities.iter().zip(&keep).filter(|(_, k)| **k).map(|(name, _)| name).collect();
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}
