//! Do joined graphs say what the prepared ones say?

use std::collections::{BTreeMap, BTreeSet};

use super::small_graphs::{Labelled, random_data};
use super::*;
use crate::dataset::features;
use crate::graph::{EntityId, Fact, RelationId, Vocabulary};

const FEATURES: u32 = 16;

/// Calls a test with some random data, joined.
fn for_all(test: impl Fn(&Dataset, &Joint, Share)) {
    for seed in 0..12 {
        let prepared = random_data(seed, 1 + seed as usize % 3, Labelled::Both);
        for share in [Share::Names, Share::Nothing] {
            test(&prepared.data, &Joint::new(&prepared.data, share, FEATURES).unwrap(), share);
        }
    }
}

#[test]
fn entities_are_numbered_one_graph_after_the_other() {
    for_all(|data, joint, _| {
        let mut number = 0;
        for (graph, (prepared, joined)) in data.graphs.iter().zip(&joint.graphs).enumerate() {
            assert_eq!((&joined.name, joined.first), (&prepared.name, number));
            for entity in 0..prepared.entities.len() as u32 {
                assert_eq!(joint.graph_of(number), graph);
                let near: Vec<u32> = joint.neighbours(number).iter().map(|id| id - joined.first).collect();
                assert_eq!(near, prepared.neighbourhoods.get(entity as usize));
                number += 1;
            }
        }
        assert_eq!(joint.entities(), number as usize);
    });
}

#[test]
fn equal_names_are_one_if_they_are_shared() {
    for_all(|data, joint, share| {
        let check = |names: &Names, vocabulary: fn(&PreparedGraph) -> &Vocabulary| {
            let mut known: BTreeMap<(Option<usize>, &str), u32> = BTreeMap::new();
            for (number, graph) in data.graphs.iter().enumerate() {
                for (row, name) in vocabulary(graph).iter().enumerate() {
                    let key = ((share == Share::Nothing).then_some(number), name);
                    let next = known.len() as u32;
                    let expected = *known.entry(key).or_insert(next);
                    assert_eq!(names.of(number, row as u32), expected);
                    let (first, first_row) = names.first_met(expected);
                    assert!(first <= number);
                    assert_eq!(vocabulary(&data.graphs[first]).get(first_row), name);
                }
            }
            assert_eq!(names.len(), known.len());
            assert_eq!(names.is_empty(), known.is_empty());
        };
        check(&joint.relations, |graph| &graph.relations);
        check(&joint.types, |graph| &graph.types);
        check(&joint.keys, |graph| &graph.keys);
    });
}

#[test]
fn facts_are_known_that_are_trained_on() {
    for_all(|data, joint, _| {
        for (prepared, joined) in data.graphs.iter().zip(&joint.graphs) {
            let facts: BTreeSet<Fact> = prepared.facts[0].iter().collect();
            for subject in 0..joined.entities {
                let rows = joined.facts_of(subject);
                let own = facts.iter().filter(|fact| fact.subject.0 == subject);
                assert!(rows.map(|row| joined.facts[0].get(row)).eq(own.copied()));
                for relation in 0..prepared.relations.len() as u32 {
                    let all = 0..joined.entities;
                    let fact = |object| Fact {
                        subject: EntityId(subject),
                        relation: RelationId(relation),
                        object: EntityId(object),
                    };
                    let objects: Vec<u32> = all.clone().filter(|&o| facts.contains(&fact(o))).collect();
                    assert_eq!(joined.objects_of(subject, relation), objects);
                    assert!(all.clone().all(|o| joined.knows(subject, relation, o) == objects.contains(&o)));
                }
            }
        }
    });
}

#[test]
fn types_and_their_members_agree() {
    for_all(|data, joint, _| {
        for (prepared, joined) in data.graphs.iter().zip(&joint.graphs) {
            let mut members = vec![Vec::new(); prepared.types.len()];
            for entity in (0..joined.entities).map(EntityId) {
                let types: Vec<u32> = prepared.types_of(entity).map(|class| class.0).collect();
                assert_eq!(joined.types_of(entity), types);
                types.iter().for_each(|&class| members[class as usize].push(entity.0));
            }
            for (class, members) in members.iter().enumerate() {
                assert_eq!(joined.members_of(class as u32), members);
            }
        }
    });
}

#[test]
fn attributes_have_their_keys_and_features() {
    for_all(|data, joint, _| {
        let mut distinct = BTreeSet::new();
        for (number, (prepared, joined)) in data.graphs.iter().zip(&joint.graphs).enumerate() {
            for entity in (0..joined.entities).map(EntityId) {
                let own = joint.attributes(joined.first + entity.0);
                let expected: Vec<_> = prepared.attributes_of(entity).collect();
                assert_eq!(own.len(), expected.len());
                for (&id, attribute) in own.iter().zip(expected) {
                    let (key, ids, weights) = joint.attribute(id);
                    assert_eq!(key, joint.keys.of(number, attribute.key.0));
                    let value = features(prepared.values.get(attribute.value.0), FEATURES);
                    assert!(ids.iter().copied().zip(weights.iter().copied()).eq(value));
                    distinct.insert((number, attribute.key, attribute.value));
                }
            }
        }
        assert_eq!(
            (joint.attribute_count(), joint.attributes.is_empty()),
            (distinct.len(), distinct.is_empty())
        );
    });
}

#[test]
fn relations_have_the_types_of_both_sides_in_all_graphs() {
    for_all(|data, joint, _| {
        let mut expected = vec![BTreeSet::new(); joint.relations.len()];
        for (number, graph) in data.graphs.iter().enumerate() {
            for fact in graph.facts[0].iter() {
                let relation = joint.relations.of(number, fact.relation.0) as usize;
                for class in graph.types_of(fact.subject).chain(graph.types_of(fact.object)) {
                    expected[relation].insert(joint.types.of(number, class.0));
                }
            }
        }
        for (relation, types) in expected.into_iter().enumerate() {
            let ends = &joint.relation_types.starts[relation..relation + 2];
            let found = &joint.relation_types.rows[ends[0] as usize..ends[1] as usize];
            assert!(found.iter().copied().eq(types), "{relation}");
        }
    });
}

#[test]
fn labels_are_those_to_learn_from() {
    for_all(|data, joint, _| {
        for (links, labels) in data.links.iter().zip(&joint.labels) {
            assert_eq!(labels.graphs, [links.first, links.second]);
            for side in [0, 1] {
                let (graph, other) = (labels.graphs[side], labels.graphs[1 - side]);
                for entity in 0..joint.graphs[graph].entities {
                    let ends = |link: &crate::graph::Link| match side {
                        0 => (link.first.0, link.second.0),
                        _ => (link.second.0, link.first.0),
                    };
                    let of = |labels: &[crate::graph::Link]| -> Vec<u32> {
                        let own = labels.iter().map(ends).filter(|ends| ends.0 == entity);
                        own.map(|ends| ends.1).collect()
                    };
                    let partner = of(&links.positives[0]).first().copied();
                    assert_eq!(
                        labels.partner(graph, entity),
                        Some(Partner { graph: other, entity: partner })
                    );
                    let mut negatives = of(&links.negatives[0]);
                    negatives.sort_unstable();
                    negatives.extend(links.same_type_negatives[side].get(entity as usize));
                    negatives.extend(links.other_type_negatives[side].get(entity as usize));
                    assert_eq!(labels.negatives(graph, entity).collect::<Vec<_>>(), negatives);
                }
            }
            let outside = (0..data.graphs.len()).find(|graph| !labels.graphs.contains(graph));
            assert!(outside.is_none_or(|graph| labels.partner(graph, 0).is_none()));
        }
    });
}

#[test]
fn an_attribute_can_be_told_by_name() {
    for_all(|data, joint, _| {
        for (number, (prepared, joined)) in data.graphs.iter().zip(&joint.graphs).enumerate() {
            for entity in 0..joined.entities {
                let own = prepared.attributes_of(EntityId(entity));
                let expected = own.map(|at| (prepared.keys.get(at.key.0), prepared.values.get(at.value.0)));
                let told = joint.attributes(joined.first + entity).iter().map(|&attribute| {
                    let (graph, row) = joint.keys.first_met(joint.attribute(attribute).0);
                    let (of, value) = joint.attributes.value_of(attribute);
                    assert_eq!(of, number);
                    (data.graphs[graph].keys.get(row), data.graphs[of].values.get(value))
                });
                assert!(told.eq(expected));
            }
        }
    });
}
