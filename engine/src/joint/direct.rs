//! Who stands in one fact with an entity?
//!
//! The nearest neighbourhood there is: no walk, but the entities at the other ends of its training facts. Of a hub's
//! thousands, as many as a neighbourhood of walks has at most, drawn once from the seed.

use rand::RngExt;
use rayon::prelude::*;

use super::JointGraph;
use crate::dataset::{Dice, Lists};

/// So many are kept at most: fifty walks of three steps meet no more.
pub(super) const MOST: usize = 150;

/// The neighbours of each entity of a graph, sorted, with the graph's own numbers.
pub(super) fn neighbourhoods(graph: &JointGraph, most: usize, seed: u64) -> Lists {
    let facts = &graph.facts[0];
    let count = graph.entities as usize;
    // The subjects of each object: a counting sort, since facts lie sorted by subject.
    let mut starts = vec![0u32; count + 1];
    facts.objects.iter().for_each(|&object| starts[object as usize + 1] += 1);
    for entity in 0..count {
        starts[entity + 1] += starts[entity];
    }
    let mut next = starts.clone();
    let mut subjects = vec![0; facts.len()];
    for (&subject, &object) in facts.subjects.iter().zip(facts.objects.iter()) {
        subjects[next[object as usize] as usize] = subject;
        next[object as usize] += 1;
    }
    let dice = Dice::new(seed, "direct neighbours", &graph.name);
    let lists: Vec<Vec<u32>> = (0..graph.entities)
        .into_par_iter()
        .map(|entity| {
            let as_object = starts[entity as usize] as usize..starts[entity as usize + 1] as usize;
            let mut near: Vec<u32> = facts.objects[graph.facts_of(entity)].to_vec();
            near.extend_from_slice(&subjects[as_object]);
            near.sort_unstable();
            near.dedup();
            near.retain(|&other| other != entity);
            drawn(near, most, &mut dice.of(u64::from(entity)))
        })
        .collect();
    Lists::from_lists(lists)
}

/// So many of them, in their order.
fn drawn(all: Vec<u32>, most: usize, dice: &mut impl RngExt) -> Vec<u32> {
    if all.len() <= most {
        return all;
    }
    // One after the other: each is taken with the probability that fills the places left from those left.
    let mut kept = Vec::with_capacity(most);
    for (at, &id) in all.iter().enumerate() {
        if dice.random_range(0..all.len() - at) < most - kept.len() {
            kept.push(id);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::Share;
    use crate::joint::Joint;
    use crate::joint::small_graphs::{Labelled, random_data};

    #[test]
    fn neighbours_share_a_training_fact() {
        let mut cut = 0;
        for seed in 0..40 {
            let prepared = random_data(seed, 2, Labelled::Not);
            let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
            for graph in &joint.graphs {
                let (all, few) = (neighbourhoods(graph, MOST, seed), neighbourhoods(graph, 2, seed));
                for entity in 0..graph.entities {
                    let expected: BTreeSet<u32> = graph.facts[0]
                        .iter()
                        .flat_map(|fact| [(fact.subject.0, fact.object.0), (fact.object.0, fact.subject.0)])
                        .filter(|&(own, other)| own == entity && other != entity)
                        .map(|(_, other)| other)
                        .collect();
                    let expected: Vec<u32> = expected.into_iter().collect();
                    assert_eq!(all.get(entity as usize), expected, "seed {seed}");
                    let few = few.get(entity as usize);
                    assert_eq!(few.len(), expected.len().min(2));
                    assert!(few.is_sorted() && few.iter().all(|id| expected.contains(id)));
                    cut += usize::from(few.len() < expected.len());
                }
            }
        }
        assert!(cut > 20, "{cut}");
    }

    #[test]
    fn everyone_is_drawn_as_often() {
        let mut counts = [0; 5];
        for seed in 0..4000 {
            let dice = Dice::new(seed, "test", "");
            drawn((0..5).collect(), 2, &mut dice.of(0)).iter().for_each(|&id| counts[id as usize] += 1);
        }
        assert!(counts.iter().all(|&count| (1450..1750).contains(&count)), "{counts:?}");
    }
}
