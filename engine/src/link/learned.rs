//! What does a trained model say about a pair?
//!
//! - *model: likeness*: the cosine of z and z', each less the mean of its graph, less what is usual among the nearest of
//!   both (hubs are near to everything);
//! - *model: replacement*: Algorithm 2's similarity, as a standard score among the candidates of the first entity.
//!
//! The model has seen the known links, so that what it says about these is better than about any other: their weights are
//! general ones, and are not learned.

use rayon::prelude::*;

use super::structure::cells::nearest_by_size;
use super::structure::nearest::{corrected, hubness};
use super::{Candidates, Column};
use crate::dataset::Dice;
use crate::eval::linkage::{Measure, Replacement, Representations};
use crate::graph::{EntityId, Link};

/// So many nearest entities are candidates, in either direction.
const NEAREST: usize = 10;
/// Algorithm 2 compares at most so many facts of an entity.
const FACTS: usize = 50;

/// Two graphs as a model sees them.
#[derive(Debug)]
pub struct Learned<'a> {
    representations: Representations<'a>,
    /// z of each entity less the mean, of length 1.
    sides: [Vec<f32>; 2],
    /// The mean likeness of each entity to its nearest.
    usual: [Vec<f32>; 2],
    proposals: Vec<(u32, u32)>,
}

impl<'a> Learned<'a> {
    /// Compares all entities of both graphs.
    pub fn new(representations: Representations<'a>) -> Self {
        let width = representations.width();
        let sides = representations.entities.each_ref().map(|rows| centred(rows, width));
        // Where all are compared with all, nothing is drawn.
        let dice = Dice::new(0, "nearest to the model", "");
        let lists = nearest_by_size([&sides[0], &sides[1]], width, NEAREST, &dice);
        let usual = lists.each_ref().map(|lists| hubness(lists, NEAREST));
        let of = |side: usize, own: usize, other: u32| match side {
            0 => (own as u32, other),
            _ => (other, own as u32),
        };
        let mut proposals = Vec::new();
        for (side, lists) in lists.iter().enumerate() {
            for (own, list) in lists.iter().enumerate() {
                proposals.extend(list.iter().map(|near| of(side, own, near.row)));
            }
        }
        proposals.sort_unstable();
        proposals.dedup();
        Self { representations, sides, usual, proposals }
    }

    /// The pairs that are among the nearest of either entity: sorted, each once.
    pub fn proposals(&self) -> &[(u32, u32)] {
        &self.proposals
    }

    /// What it says about candidates.
    pub fn columns(&self, candidates: &Candidates) -> Vec<Column> {
        let likeness = corrected(&self.sides, &self.usual, self.representations.width(), candidates);
        let mut columns = vec![Column { name: "model: likeness".to_owned(), values: likeness }];
        // Models that are one vector for each entity have no representations of relations.
        if !self.representations.relations.is_empty() {
            let link = |(first, second)| Link { first: EntityId(first), second: EntityId(second) };
            let links: Vec<Link> = candidates.pairs().map(link).collect();
            let replacement = Replacement::new(&self.representations, Measure::default(), FACTS);
            let values = standard(candidates, &replacement.pairs(&links));
            columns.push(Column { name: "model: replacement".to_owned(), values });
        }
        columns
    }
}

/// Rows less their mean, of length 1.
fn centred(rows: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0f64; width];
    for row in rows.chunks_exact(width) {
        mean.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
    }
    let count = (rows.len() / width.max(1)).max(1) as f64;
    let mut rows = rows.to_vec();
    rows.par_chunks_mut(width).with_min_len(256).for_each(|row| {
        row.iter_mut().zip(&mean).for_each(|(x, sum)| *x -= (sum / count) as f32);
        let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
    });
    rows
}

/// How far each is above the mean of its list, in standard deviations; nothing where the list does not differ.
fn standard(candidates: &Candidates, numbers: &[f64]) -> Vec<f32> {
    let mut out = Vec::with_capacity(numbers.len());
    for ends in candidates.starts.windows(2) {
        let own = &numbers[ends[0]..ends[1]];
        let count = own.len().max(1) as f64;
        let mean = own.iter().sum::<f64>() / count;
        let spread = (own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
        out.extend(own.iter().map(|x| if spread > 1e-9 { ((x - mean) / spread) as f32 } else { f32::NAN }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_centred_and_of_length_one() {
        let rows = centred(&[3.0, 1.0, 1.0, 1.0, 2.0, 4.0], 2);
        // The mean is (2, 2).
        let half = 0.5f32.sqrt();
        let expected = [half, -half, -half, -half, 0.0, 1.0];
        assert!(rows.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{rows:?}");
    }

    #[test]
    fn standard_scores_are_within_lists() {
        let candidates = Candidates::of(3, vec![(0, 1), (0, 2), (1, 0), (2, 0), (2, 1)]);
        let found = standard(&candidates, &[1.0, 3.0, 5.0, 2.0, 2.0]);
        assert_eq!(found[..2], [-1.0, 1.0]);
        // A list of one, and one of equals, say nothing.
        assert!(found[2..].iter().all(|x| x.is_nan()), "{found:?}");
    }
}
