//! Who is next to the same links?
//!
//! A description is a sum of the labels around an entity, so that whoever is described alike mostly shares a label of a
//! neighbour. From each label to those next to a carrier of it, in either graph, there are lists; labels that many are next
//! to tell little and are not followed. What an entity meets by its labels is weighed by how rare they are, and the best are
//! compared exactly. That is linear in facts: a few hundred steps for each entity.
//!
//! Of the pairs that are the best of both by an exact search, .88 are found so on the medium film world and .854 on dbp15k; of
//! those among them that are right, .993 and .969. The rest is left to [cells](super::cells).

use rayon::prelude::*;

use super::cells::Rows;
use super::edges::Edges;
use super::nearest::{Best, Keep, Near};
use crate::compute::rows::{Gather, dot_rows};
use crate::dataset::Lists;

/// A label that more entities of either graph are next to is not followed.
const WIDEST: usize = 100;
/// So many of those met are compared.
const COMPARED: usize = 50;

/// Labels next to the open entities of a graph, which go by their places.
pub(super) struct Labelled {
    /// The labels of each: sorted, each once.
    labels: Lists,
    /// Who is next to each label, sorted.
    places: Lists,
}

impl Labelled {
    /// `carriers` says which of the `labels` each entity carries.
    pub(super) fn new(edges: &Edges, carriers: &Gather<f32>, open: &[u32], labels: usize) -> Self {
        let list = |gather: &Gather<f32>, at: u32| {
            gather.starts[at as usize] as usize..gather.starts[at as usize + 1] as usize
        };
        let of_entity = |&entity: &u32| {
            let neighbours = &edges.neighbours.rows[list(&edges.neighbours, entity)];
            let carried = neighbours.iter().flat_map(|&next| &carriers.rows[list(carriers, next)]);
            let mut labels: Vec<u32> = carried.copied().collect();
            labels.sort_unstable();
            labels.dedup();
            labels.shrink_to_fit();
            labels
        };
        let of_entities: Vec<Vec<u32>> = open.par_iter().map(of_entity).collect();
        let mut places = vec![Vec::new(); labels];
        for (place, labels) in (0..).zip(&of_entities) {
            labels.iter().for_each(|&label| places[label as usize].push(place));
        }
        Self { labels: Lists::from_lists(of_entities), places: Lists::from_lists(places) }
    }
}

/// Offers to the list of each open entity those of the other graph that it shares rare labels with.
pub(super) fn offer_by_sharing(
    tables: [Rows<'_>; 2],
    labelled: &[Labelled; 2],
    keep: Keep,
    lists: &mut [Vec<Best>; 2],
) {
    for (side, lists) in lists.iter_mut().enumerate() {
        let [own, other] = [tables[side], tables[1 - side]];
        let state = || (vec![0.0f32; other.chosen.len()], Vec::<u32>::new());
        lists.par_iter_mut().enumerate().for_each_init(state, |(sums, met), (place, list)| {
            follow([&labelled[side], &labelled[1 - side]], place, sums, met);
            let mut best: Vec<Near> = met
                .drain(..)
                .map(|row| Near { row, score: std::mem::take(&mut sums[row as usize]) })
                .collect();
            if best.len() > COMPARED {
                best.select_nth_unstable_by(COMPARED - 1, Near::order);
                best.truncate(COMPARED);
            }
            let entities: Vec<u32> = best.iter().map(|near| other.chosen[near.row as usize]).collect();
            let mut products = vec![0.0; entities.len()];
            let ends = [0, entities.len() as u32];
            dot_rows(&mut products, own.width, &ends, &entities, own.row(place), other.table);
            for (near, score) in best.iter().zip(products) {
                list.offer(Near { score, ..*near }, keep);
            }
        });
    }
}

/// Sums what speaks for each that shares a label with the entity at a place, and lists whom it met.
fn follow([own, other]: [&Labelled; 2], place: usize, sums: &mut [f32], met: &mut Vec<u32>) {
    for &label in own.labels.get(place) {
        let (here, there) = (own.places.get(label as usize).len(), other.places.get(label as usize));
        if here > WIDEST || there.len() > WIDEST {
            continue;
        }
        let weight = 1.0 / ((here * there.len()) as f32).sqrt();
        for &row in there {
            if sums[row as usize] == 0.0 {
                met.push(row);
            }
            sums[row as usize] += weight;
        }
    }
}

#[cfg(test)]
#[path = "sharing_tests.rs"]
mod tests;
