//! How alike are two representations?
//!
//! The cosine of z and z'. A representation of nothing but zeros is like none: 0.

use rayon::prelude::*;

use super::representations::Representations;
use crate::compute::matrix::times_transposed;
use crate::graph::Link;

/// Scores pairs of two graphs by the cosine of their representations.
#[derive(Debug)]
pub struct Cosine {
    /// The representations of each graph, of length 1.
    sides: [Vec<f32>; 2],
    width: usize,
}

impl Cosine {
    /// Brings all representations to length 1.
    pub fn new(representations: &Representations<'_>) -> Self {
        let width = representations.width();
        let sides = [0, 1].map(|side| {
            let mut rows = representations.entities[side].clone();
            rows.par_chunks_mut(width).with_min_len(256).for_each(|row| {
                let length = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
                if length > 0.0 {
                    row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
                }
            });
            rows
        });
        Self { sides, width }
    }

    fn row(&self, side: usize, entity: u32) -> &[f32] {
        &self.sides[side][entity as usize * self.width..(entity as usize + 1) * self.width]
    }

    /// The cosine of each pair.
    pub fn pairs(&self, pairs: &[Link]) -> Vec<f64> {
        let cosine = |pair: &Link| {
            let (first, second) = (self.row(0, pair.first.0), self.row(1, pair.second.0));
            first.iter().zip(second).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
        };
        pairs.par_iter().with_min_len(256).map(cosine).collect()
    }

    /// The cosine of each of some entities of the first graph with each entity of the second: a row for each.
    pub fn against_all(&self, firsts: &[u32]) -> Vec<f64> {
        let count = self.sides[1].len() / self.width;
        let rows: Vec<f32> = firsts.iter().flat_map(|&first| self.row(0, first)).copied().collect();
        let mut cosines = vec![0.0; firsts.len() * count];
        if count > 0 {
            times_transposed(&mut cosines, &rows, &self.sides[1], self.width, count);
        }
        cosines.into_par_iter().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Share;
    use crate::eval::linkage::test_models::{EXACT, linked_graphs, parameters};
    use crate::eval::linkage::{Model, Representations};
    use crate::graph::EntityId;
    use crate::joint::Joint;
    use rand::RngExt;

    #[test]
    fn cosines_are_those_of_the_textbook() {
        let prepared = linked_graphs(5);
        let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
        let parameters = parameters(&joint, EXACT, 5, |dice| dice.random_range(-1i8..=2).into());
        let model =
            Model { joint: &joint, parameters: &parameters, contexts: EXACT, leave_partner_out: true };
        let z = Representations::new(model, [0, 1]);
        let cosine = Cosine::new(&z);
        let firsts: Vec<u32> = (0..z.count(0) as u32).collect();
        let all = cosine.against_all(&firsts);
        let (mut zeros, mut others) = (0, 0);
        for &first in &firsts {
            for second in 0..z.count(1) as u32 {
                let (a, b) = (z.entity(0, first), z.entity(1, second));
                let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
                let lengths = (dot(a, a) * dot(b, b)).sqrt();
                let expected = if lengths == 0.0 { 0.0 } else { dot(a, b) / lengths };
                let pair = Link { first: EntityId(first), second: EntityId(second) };
                let found = [cosine.pairs(&[pair])[0], all[first as usize * z.count(1) + second as usize]];
                assert!(found.iter().all(|x| (x - expected).abs() < 1e-6), "{found:?} {expected}");
                zeros += usize::from(lengths == 0.0);
                others += usize::from(lengths != 0.0);
            }
        }
        assert!(others > 20, "{zeros} {others}");
    }
}
