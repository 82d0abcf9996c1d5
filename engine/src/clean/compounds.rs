//! How does a compound value become facts?
//!
//! Freebase says that an actor played in a film through a node of its own (a CVT): film —starring→ node, node
//! —actor→ person, node —character→ role. Each way through the node becomes one fact, film —starring.actor→ person,
//! and each attribute of the node an attribute of what leads to it. A node that nothing leads to, or that leads
//! nowhere, stays, and is reported.

use std::collections::{BTreeMap, HashMap};

use super::types::Patterns;
use super::{SAMPLES, Tally};
use crate::error::Result;
use crate::graph::{Attribute, COMPOUND, EntityId, Fact, Graph, Interner, Part, ValueId};

/// A node with more ways through it than this is no compound value but a hub.
const MOST_WAYS: usize = 10_000;

pub(super) struct Outcome {
    pub(super) collapsed: Tally,
    pub(super) kept: Tally,
}

/// Numbers of names, and of paths of them: `starring`, `actor`, `starring.actor`.
#[derive(Default)]
struct Paths {
    names: Interner,
    joined: HashMap<(u32, usize, u32), u32>,
}

impl Paths {
    fn number(&mut self, name: &str) -> u32 {
        self.names.intern(name.as_bytes())
    }

    fn join(&mut self, first: u32, between: &str, second: u32) -> u32 {
        let names = &mut self.names;
        *self.joined.entry((first, between.len(), second)).or_insert_with(|| {
            let path = [names.get(first), between.as_bytes(), names.get(second)].concat();
            names.intern(&path)
        })
    }

    fn name(&self, number: u32) -> String {
        String::from_utf8_lossy(self.names.get(number)).into_owned()
    }
}

/// A fact whose relation is a path.
#[derive(Clone, Copy)]
struct Way {
    subject: EntityId,
    path: u32,
    object: EntityId,
    part: Part,
}

/// An attribute whose key is a path.
#[derive(Clone, Copy)]
struct Trait {
    entity: EntityId,
    path: u32,
    value: ValueId,
}

/// The rows that have to do with one compound node.
#[derive(Default)]
struct Node {
    inwards: Vec<Way>,
    outwards: Vec<Way>,
    traits: Vec<Trait>,
}

/// Collapses all compound nodes; clears `keep` for those that are gone.
pub(super) fn collapse(graph: &mut Graph, patterns: &[String], keep: &mut [bool]) -> Result<Outcome> {
    let mut outcome = Outcome { collapsed: Tally::new(), kept: Tally::new() };
    let mut compound = compound_entities(graph, patterns)?;
    if !compound.contains(&true) {
        return Ok(outcome);
    }
    let mut paths = Paths::default();
    let (mut ways, mut traits) = take_rows(graph, &compound, &mut paths);
    let (mut done_ways, mut done_traits) = (Vec::new(), Vec::new());
    // Nodes can lead to nodes: each round collapses those that only plain entities lead to.
    loop {
        let mut nodes = by_node(&compound, &ways, &traits);
        nodes.retain(|_, node| is_ready(node, &compound));
        if nodes.is_empty() {
            break;
        }
        ways.retain(|way| !nodes.contains_key(&way.subject) && !nodes.contains_key(&way.object));
        traits.retain(|row| !nodes.contains_key(&row.entity));
        for (id, node) in &nodes {
            compound[id.row()] = false;
            keep[id.row()] = false;
            outcome.collapsed.count += 1;
            for (inward, outward) in
                node.inwards.iter().flat_map(|i| node.outwards.iter().map(move |o| (i, o)))
            {
                if inward.subject == outward.object {
                    // A marriage leads from each spouse to both of them.
                    continue;
                }
                let path = paths.join(inward.path, ".", outward.path);
                let part = inward.part.max(outward.part);
                let way = Way { subject: inward.subject, path, object: outward.object, part };
                if outcome.collapsed.samples.len() < SAMPLES {
                    let [s, o] = [way.subject, way.object].map(|entity| graph.entities.get(entity.0));
                    outcome.collapsed.samples.push(format!("{s} {} {o}", paths.name(path)));
                }
                if compound[way.object.row()] { ways.push(way) } else { done_ways.push(way) }
            }
            for (inward, row) in node.inwards.iter().flat_map(|i| node.traits.iter().map(move |t| (i, t))) {
                let path = paths.join(inward.path, COMPOUND, row.path);
                done_traits.push(Trait { entity: inward.subject, path, value: row.value });
            }
        }
    }
    for (row, _) in compound.iter().enumerate().filter(|(_, compound)| **compound) {
        outcome.kept.add(|| graph.entities.get(row as u32).to_owned());
    }
    done_ways.extend(ways);
    done_traits.extend(traits);
    put_rows(graph, &done_ways, &done_traits, &paths);
    graph.typings.retain(|typing| keep[typing.entity.row()]);
    Ok(outcome)
}

/// Whether a node can be collapsed: something leads in, something out, and no other node comes first.
fn is_ready(node: &Node, compound: &[bool]) -> bool {
    let ways = node.inwards.len() * (node.outwards.len() + node.traits.len());
    (1..=MOST_WAYS).contains(&ways) && node.inwards.iter().all(|way| !compound[way.subject.row()])
}

/// Which entities are of a type that stands for compound values.
fn compound_entities(graph: &Graph, patterns: &[String]) -> Result<Vec<bool>> {
    let patterns = Patterns::new(patterns)?;
    let mut classes: Vec<bool> = graph.types.iter().map(|name| patterns.matches(name)).collect();
    graph.mediators.iter().for_each(|class| classes[class.row()] = true);
    let mut compound = vec![false; graph.entities.len()];
    for typing in graph.typings.iter().filter(|typing| classes[typing.class.row()]) {
        compound[typing.entity.row()] = true;
    }
    Ok(compound)
}

/// Takes all rows that mention a compound node out of the graph.
fn take_rows(graph: &mut Graph, compound: &[bool], paths: &mut Paths) -> (Vec<Way>, Vec<Trait>) {
    let (mut ways, mut traits) = (Vec::new(), Vec::new());
    let touches = |fact: &Fact| compound[fact.subject.row()] || compound[fact.object.row()];
    for part in Part::ALL {
        let facts = graph.facts.part_mut(part);
        for fact in facts.iter().filter(|fact| touches(fact)) {
            let path = paths.number(graph.relations.get(fact.relation.0));
            ways.push(Way { subject: fact.subject, path, object: fact.object, part });
        }
        facts.retain(|fact| !touches(fact));
    }
    for attribute in graph.attributes.iter().filter(|a| compound[a.entity.row()]) {
        let path = paths.number(graph.keys.get(attribute.key.0));
        traits.push(Trait { entity: attribute.entity, path, value: attribute.value });
    }
    graph.attributes.retain(|attribute| !compound[attribute.entity.row()]);
    (ways, traits)
}

fn by_node(compound: &[bool], ways: &[Way], traits: &[Trait]) -> BTreeMap<EntityId, Node> {
    let mut nodes: BTreeMap<EntityId, Node> = BTreeMap::new();
    for way in ways {
        if compound[way.subject.row()] {
            nodes.entry(way.subject).or_default().outwards.push(*way);
        }
        if compound[way.object.row()] {
            nodes.entry(way.object).or_default().inwards.push(*way);
        }
    }
    for row in traits {
        nodes.entry(row.entity).or_default().traits.push(*row);
    }
    nodes
}

/// Gives the graph the new rows, with their paths as relations and keys.
fn put_rows(graph: &mut Graph, ways: &[Way], traits: &[Trait], paths: &Paths) {
    let distinct = |mut numbers: Vec<u32>| {
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let relations = distinct(ways.iter().map(|way| way.path).collect());
    let keys = distinct(traits.iter().map(|row| row.path).collect());
    let names =
        |numbers: &[u32]| -> Vec<String> { numbers.iter().map(|&number| paths.name(number)).collect() };
    let (relation_ids, key_ids) = graph.add_names(&names(&relations), &names(&keys));
    let relation_ids: HashMap<u32, _> = relations.into_iter().zip(relation_ids).collect();
    let key_ids: HashMap<u32, _> = keys.into_iter().zip(key_ids).collect();
    for way in ways {
        let fact = Fact { subject: way.subject, relation: relation_ids[&way.path], object: way.object };
        graph.facts.part_mut(way.part).push(fact);
    }
    graph.facts.parts_mut().for_each(|facts| facts.sort_unstable());
    let new = traits.iter().map(|r| Attribute { entity: r.entity, key: key_ids[&r.path], value: r.value });
    graph.attributes.extend(new);
    graph.attributes.sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Value};

    fn facts(graph: &Graph) -> Vec<String> {
        let mut shown: Vec<String> =
            graph.facts.iter().map(|fact| super::super::show_fact(graph, fact)).collect();
        shown.sort();
        shown
    }

    fn run(facts: &[(&str, &str, &str)], compound: &[&str]) -> (Graph, Outcome) {
        let mut builder = GraphBuilder::default();
        for (s, r, o) in facts {
            builder.fact(Part::Undivided, s, r, o);
        }
        for node in compound {
            builder.typing(node, "performance");
            builder.attribute(node, "year", Value::plain("1999"));
        }
        builder.mediator("performance");
        let mut graph = builder.finish("g");
        let mut keep = vec![true; graph.entities.len()];
        let outcome = collapse(&mut graph, &[], &mut keep).unwrap();
        graph.retain_entities(&keep);
        graph.drop_unused_names();
        (graph, outcome)
    }

    #[test]
    fn each_way_through_a_node_is_a_fact() {
        let (graph, outcome) = run(
            &[
                ("film", "starring", "n"),
                ("n", "actor", "ann"),
                ("n", "character", "queen"),
                ("film", "next", "film2"),
            ],
            &["n"],
        );
        assert_eq!(
            facts(&graph),
            ["film next film2", "film starring.actor ann", "film starring.character queen"]
        );
        assert_eq!((outcome.collapsed.count, outcome.kept.count), (1, 0));
        let attribute = graph.attributes[0];
        assert_eq!(graph.entities.get(attribute.entity.0), "film");
        assert_eq!(graph.keys.get(attribute.key.0), "starring > year");
        assert!(graph.typings.is_empty());
    }

    #[test]
    fn nodes_that_lead_to_nodes_are_collapsed_one_after_the_other() {
        let (graph, outcome) = run(&[("a", "r", "n1"), ("n1", "s", "n2"), ("n2", "t", "b")], &["n1", "n2"]);
        assert_eq!(facts(&graph), ["a r.s.t b"]);
        assert_eq!(outcome.collapsed.count, 2);
    }

    #[test]
    fn a_marriage_does_not_marry_anyone_to_themselves() {
        let (graph, _) = run(
            &[
                ("ann", "spouse_s", "n"),
                ("bob", "spouse_s", "n"),
                ("n", "spouse", "ann"),
                ("n", "spouse", "bob"),
            ],
            &["n"],
        );
        assert_eq!(facts(&graph), ["ann spouse_s.spouse bob", "bob spouse_s.spouse ann"]);
    }

    #[test]
    fn a_node_without_a_way_in_stays_and_is_reported() {
        let (graph, outcome) =
            run(&[("n", "actor", "ann"), ("c1", "r", "c2"), ("c2", "r", "c1")], &["n", "c1", "c2"]);
        assert_eq!(facts(&graph), ["c1 r c2", "c2 r c1", "n actor ann"]);
        assert_eq!((outcome.collapsed.count, outcome.kept.count), (0, 3));
        assert_eq!(graph.attributes.len(), 3);
    }
}
