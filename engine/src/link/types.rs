//! Does the type of one entity go with the type of the other?
//!
//! From pairs that are the same it is counted how often an entity of type s is linked to one of type t, against how common
//! t is. For entities of many types, the chance of each type t of the second is averaged over the types of the first, and
//! the logarithms of the ratios over the types of the second: types overlap, so a sum would count them many times.

use std::collections::HashMap;

use super::values::{Evidence, FOLDS, fold_of};
use super::{Candidates, Column, Pair};
use crate::dataset::{Lists, PreparedGraph};
use crate::graph::EntityId;

/// How strongly a type without evidence is taken to be as common as everywhere, in pairs.
const PRIOR: f32 = 2.0;

/// How often types of linked entities meet.
#[derive(Debug, Clone, Default)]
pub struct TypeAlignment {
    /// By type of the first graph and of the second, by fold.
    met: HashMap<(u32, u32), [f32; FOLDS]>,
    /// How many pairs have each type of the first graph, by fold.
    firsts: Vec<[f32; FOLDS]>,
    /// The share of entities of the second graph that have each type.
    shares: Vec<f32>,
}

impl TypeAlignment {
    /// Counts the types of pairs that are the same.
    pub fn learn(pair: &Pair<'_>, evidence: &Evidence) -> Self {
        let [first, second] = pair.graphs();
        let mut firsts = vec![[0.0; FOLDS]; first.types.len()];
        let mut met: HashMap<(u32, u32), [f32; FOLDS]> = HashMap::new();
        for (a, b) in evidence.pairs() {
            let theirs = types(second, b);
            for one in types(first, a) {
                firsts[one as usize][fold_of(a)] += 1.0;
                theirs.iter().for_each(|&two| met.entry((one, two)).or_default()[fold_of(a)] += 1.0);
            }
        }
        let mut shares = vec![0.0; second.types.len()];
        second.entity_types.iter().for_each(|&class| shares[class as usize] += 1.0);
        let entities = second.entities.len().max(1) as f32;
        shares.iter_mut().for_each(|share| *share /= entities);
        Self { met, firsts, shares }
    }

    /// The logarithm of how much more often entities of these types are linked than chance would have it.
    pub fn says(&self, firsts: &[u32], seconds: &[u32], left_out: Option<usize>) -> f32 {
        let sum = |counts: &[f32; FOLDS]| {
            counts.iter().enumerate().filter(|(fold, _)| Some(*fold) != left_out).map(|(_, n)| n).sum::<f32>()
        };
        let ratio = |two: u32| {
            let share = self.shares[two as usize].max(f32::MIN_POSITIVE);
            let rate = |&one: &u32| {
                let met = self.met.get(&(one, two)).map_or(0.0, sum);
                (met + PRIOR * share) / (sum(&self.firsts[one as usize]) + PRIOR)
            };
            let mean = firsts.iter().map(rate).sum::<f32>() / firsts.len() as f32;
            (mean / share).ln()
        };
        // Not at all is NaN: an entity without types says nothing.
        seconds.iter().map(|&two| ratio(two)).sum::<f32>() / (seconds.len() * firsts.len().min(1)) as f32
    }
}

fn types(graph: &PreparedGraph, entity: u32) -> Vec<u32> {
    graph.types_of(EntityId(entity)).map(|class| class.0).collect()
}

/// The types of all entities of two graphs, and what those of one say about those of the other.
#[derive(Debug, Clone)]
pub struct Types {
    alignment: TypeAlignment,
    of_entities: [Lists; 2],
}

impl Types {
    /// Learned from pairs that are the same.
    pub fn of(pair: &Pair<'_>, evidence: &Evidence) -> Self {
        let of_graph = |graph: &PreparedGraph| {
            Lists::from_lists((0..graph.entities.len() as u32).map(|entity| types(graph, entity)))
        };
        Self { alignment: TypeAlignment::learn(pair, evidence), of_entities: pair.graphs().map(of_graph) }
    }

    /// The column `types`; who has a known link is judged without its fold.
    pub fn column(&self, evidence: &Evidence, candidates: &Candidates) -> Column {
        let [ones, twos] = &self.of_entities;
        let says = |_, (a, b): (u32, u32)| {
            let value = self.alignment.says(ones.get(a as usize), twos.get(b as usize), evidence.left_out(a));
            if value.is_finite() { value } else { f32::NAN }
        };
        Column { name: "types".to_owned(), values: candidates.map(says) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_are_linked_speak_for_each_other() {
        // Eight pairs of type 0, in two folds, all linked to type 0; half of the second graph has each type.
        let mut alignment = TypeAlignment { shares: vec![0.5, 0.5], ..Default::default() };
        alignment.firsts = vec![[4.0, 4.0, 0.0, 0.0, 0.0]];
        alignment.met.insert((0, 0), [4.0, 4.0, 0.0, 0.0, 0.0]);
        // (8 + 2 · 0.5) / (8 + 2) against 0.5, and without one fold (4 + 1) / (4 + 2).
        assert!((alignment.says(&[0], &[0], None) - (0.9f32 / 0.5).ln()).abs() < 1e-6);
        assert!((alignment.says(&[0], &[0], Some(0)) - (5.0f32 / 6.0 / 0.5).ln()).abs() < 1e-6);
        assert!((alignment.says(&[0], &[1], None) - (0.1f32 / 0.5).ln()).abs() < 1e-6);
        assert!(alignment.says(&[], &[0], None).is_nan());
        assert!(alignment.says(&[0], &[], None).is_nan());
    }
}
