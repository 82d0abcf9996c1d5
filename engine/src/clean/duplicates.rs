//! Which rows say nothing new?
//!
//! Facts from an entity to itself, and rows that are there twice. A fact in two parts stays in the first of them:
//! what is trained on must not be asked in the test.

use rayon::prelude::*;

use super::{Tally, show_fact};
use crate::graph::{Fact, Graph, Part};

/// Counts facts from an entity to itself, and removes them if asked.
pub(super) fn self_loops(graph: &mut Graph, remove: bool) -> Tally {
    let mut tally = Tally::new();
    for fact in graph.facts.iter().filter(|fact| fact.subject == fact.object) {
        tally.add(|| show_fact(graph, fact));
    }
    if remove && tally.count > 0 {
        graph.facts.parts_mut().for_each(|facts| facts.retain(|fact| fact.subject != fact.object));
    }
    tally
}

/// Removes all but the first of equal facts, attributes and types. Rows are sorted, so equal ones are neighbours.
pub(super) fn remove_duplicates(graph: &mut Graph) -> Tally {
    let mut tally = Tally::new();
    for part in Part::ALL {
        let mut facts = std::mem::take(graph.facts.part_mut(part));
        let earlier: Vec<&Vec<Fact>> =
            Part::ALL[..part as usize].iter().map(|&p| graph.facts.part(p)).collect();
        let known = |fact: &Fact| earlier.iter().any(|facts| facts.binary_search(fact).is_ok());
        let repeated: Vec<usize> = (0..facts.len())
            .into_par_iter()
            .filter(|&row| (row > 0 && facts[row - 1] == facts[row]) || known(&facts[row]))
            .collect();
        repeated.iter().for_each(|&row| tally.add(|| show_fact(graph, &facts[row])));
        remove_rows(&mut facts, &repeated);
        *graph.facts.part_mut(part) = facts;
    }
    for pair in graph.attributes.windows(2).filter(|pair| pair[0] == pair[1]) {
        let (entity, key) = (graph.entities.get(pair[0].entity.0), graph.keys.get(pair[0].key.0));
        tally.add(|| format!("{entity} {key} {}", graph.values.get(pair[0].value.0).text));
    }
    for pair in graph.typings.windows(2).filter(|pair| pair[0] == pair[1]) {
        tally
            .add(|| format!("{} {}", graph.entities.get(pair[0].entity.0), graph.types.get(pair[0].class.0)));
    }
    graph.attributes.dedup();
    graph.typings.dedup();
    tally
}

fn remove_rows<T: Copy>(rows: &mut Vec<T>, removed: &[usize]) {
    let Some(&first) = removed.first() else { return };
    let mut next_removed = removed.iter().copied().peekable();
    let mut kept = first;
    for row in first..rows.len() {
        if next_removed.next_if_eq(&row).is_none() {
            rows[kept] = rows[row];
            kept += 1;
        }
    }
    rows.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn a_fact_stays_once_and_in_the_first_part() {
        let mut builder = GraphBuilder::default();
        for (part, object) in [
            (Part::Train, "b"),
            (Part::Train, "b"),
            (Part::Valid, "b"),
            (Part::Test, "c"),
            (Part::Test, "b"),
            (Part::Test, "c"),
        ] {
            builder.fact(part, "a", "r", object);
            builder.typing("a", "t");
        }
        let mut graph = builder.finish("g");
        let tally = remove_duplicates(&mut graph);
        assert_eq!(tally.count, 4 + 5);
        let counts = Part::ASSIGNED.map(|part| graph.facts.part(part).len());
        assert_eq!(counts, [1, 0, 1]);
        assert_eq!(graph.typings.len(), 1);
    }

    #[test]
    fn self_loops_are_counted_and_go_when_asked() {
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Undivided, "a", "r", "a");
        builder.fact(Part::Undivided, "a", "r", "b");
        let mut graph = builder.finish("g");
        assert_eq!(self_loops(&mut graph, false).count, 1);
        assert_eq!(graph.facts.len(), 2);
        assert_eq!(self_loops(&mut graph, true).samples, ["a r a"]);
        assert_eq!(graph.facts.len(), 1);
    }
}
