//! How does an entity come to be described by the known links around it?
//!
//! Each known link is a label: a random vector of length 1 that both its ends carry, so that vectors of different labels
//! are nearly orthogonal, and equal surroundings give equal sums whatever the graphs call things. Labels spread over the
//! edges. With ‖·‖ for scaling rows to length 1, A for edges weighted by what their relation says, and S from each directed
//! relation to the entities it leaves:
//!
//! ```text
//! E₀ = labels          R₁ = ‖S E₀‖
//! E₁ = ‖A E₀‖          R₂ = ‖S E₁‖
//! E₂ = ‖ ‖A E₁‖ + ‖B R₁‖ ‖        B: from an entity to its relations, weighted as A
//! ```
//!
//! What an entity is described by is the sum of four parts of fixed weights, scaled to length 1:
//!
//! ```text
//! F = ‖ w₀ E₀ + w₁ Π₁E₁ + w₂ Π₂E₂ + w₃ ‖Σ over edges (r, t): weight · Π₃(R₁ + R₂)ᵣ ⊙ Π₄(E₀ + E₁ + E₂)ₜ‖ ‖
//! ```
//!
//! Each Π turns the places of a vector round by another amount. Coordinates of random labels are independent, so parts
//! that are turned differently have products near zero and lie beside each other in one vector, as if they had been put
//! one behind the other and projected down. For the same reason the product of two rows in the last part stands for the
//! outer product: ⟨a ⊙ b, a′ ⊙ b′⟩ ≈ ⟨a, a′⟩⟨b, b′⟩ / width, "a like relation to a like neighbour". All of it is exact
//! up to noise of about 1/√width.

use rand::RngExt;
use rayon::prelude::*;

use super::edges::Edges;
use crate::compute::kernel;
use crate::compute::rows::{Gather, add_products};
use crate::dataset::Dice;

/// How much each part of a description weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The entity's own label.
    pub own: f32,
    /// Labels one edge away.
    pub near: f32,
    /// Labels two edges away.
    pub far: f32,
    /// Which relation leads to which neighbour.
    pub relations: f32,
}

/// So many random vectors of length 1.
pub(super) fn random_labels(dice: &Dice, count: usize, width: usize) -> Vec<f32> {
    let mut labels = vec![0.0; count * width];
    labels.par_chunks_mut(width).enumerate().for_each(|(label, row)| {
        let mut random = dice.of(label as u64);
        // Signs are as good as normal numbers, and of length 1 without a division that rounds.
        let size = 1.0 / (width as f32).sqrt();
        row.chunks_mut(64).for_each(|row| {
            let bits: u64 = random.random();
            row.iter_mut()
                .enumerate()
                .for_each(|(at, x)| *x = if bits >> at & 1 == 1 { size } else { -size });
        });
    });
    labels
}

/// The descriptions of all entities, row after row: of length 1, or zero where no label is near. `labels` says which
/// labels each entity carries.
pub(super) fn describe(
    edges: &Edges,
    labels: &Gather<f32>,
    table: &[f32],
    width: usize,
    weights: Weights,
) -> Vec<f32> {
    let entities = edges.entities();
    let relations = edges.weights.len();
    let summed = |gather: &Gather<f32>, table: &[f32]| {
        let mut sum = vec![0.0; gather.len() * width];
        gather.add(&mut sum, table, width);
        sum
    };
    let own = summed(labels, table);
    let mut relation_features = unit_rows(summed(&edges.sources, &own), width);
    let near = unit_rows(summed(&edges.neighbours, &own), width);
    let by_relation = Gather {
        starts: edges.neighbours.starts.clone(),
        rows: edges.relations.clone(),
        weights: edges.neighbours.weights.clone(),
    };
    let mut far = unit_rows(summed(&by_relation, &relation_features), width);
    add(&mut far, &unit_rows(summed(&edges.neighbours, &near), width));
    let far = unit_rows(far, width);

    add(&mut relation_features, &unit_rows(summed(&edges.sources, &near), width));
    let relation_features = unit_rows(relation_features, width);
    let mut ends = vec![0.0; entities * width];
    let mut said = vec![0.0; relations * width];
    add_turned(&mut ends, &own, width, 0, 1.0);
    add_turned(&mut ends, &near, width, turn(width, 1), 1.0);
    add_turned(&mut ends, &far, width, turn(width, 2), 1.0);
    let ends = unit_rows(ends, width);
    let sizes = edges.weights.par_iter();
    said.par_chunks_mut(width).zip(relation_features.par_chunks(width)).zip(sizes).for_each(
        |((said, row), &weight)| {
            turned_row(said, row, turn(width, 5), weight);
        },
    );
    let related = unit_rows(products(edges, &said, &ends, width), width);

    let mut whole = vec![0.0; entities * width];
    add_turned(&mut whole, &own, width, 0, weights.own);
    add_turned(&mut whole, &near, width, turn(width, 1), weights.near);
    add_turned(&mut whole, &far, width, turn(width, 2), weights.far);
    add_turned(&mut whole, &related, width, turn(width, 3), weights.relations);
    unit_rows(whole, width)
}

/// For each entity the sum over its edges of the relation's row times the neighbour's, place by place.
fn products(edges: &Edges, relations: &[f32], entities: &[f32], width: usize) -> Vec<f32> {
    const ROWS: usize = 64;
    let neighbours = &edges.neighbours;
    let mut out = vec![0.0; edges.entities() * width];
    out.par_chunks_mut(ROWS * width).enumerate().for_each(|(piece, out)| {
        let starts = &neighbours.starts[piece * ROWS..=piece * ROWS + out.len() / width];
        add_products(out, width, starts, &edges.relations, relations, &neighbours.rows, entities);
    });
    out
}

/// By how much the places of a part are turned: no two parts by the same, and not by a simple fraction of the width.
fn turn(width: usize, part: usize) -> usize {
    (width * part * 3 / 17 + part) % width.max(1)
}

fn add(sum: &mut [f32], more: &[f32]) {
    const NUMBERS: usize = 1 << 14;
    sum.par_chunks_mut(NUMBERS)
        .zip(more.par_chunks(NUMBERS))
        .for_each(|(sum, more)| add_weighted(sum, more, 1.0));
}

/// Adds rows whose places are turned.
fn add_turned(sum: &mut [f32], rows: &[f32], width: usize, turn: usize, weight: f32) {
    let each = sum.par_chunks_mut(width).zip(rows.par_chunks(width)).with_min_len(64);
    each.for_each(|(sum, row)| turned_row(sum, row, turn, weight));
}

fn turned_row(sum: &mut [f32], row: &[f32], turn: usize, weight: f32) {
    let (begin, end) = row.split_at(turn);
    add_weighted(&mut sum[..end.len()], end, weight);
    add_weighted(&mut sum[row.len() - turn..], begin, weight);
}

/// Scales rows to length 1; a row of zeros stays one.
pub(super) fn unit_rows(mut rows: Vec<f32>, width: usize) -> Vec<f32> {
    rows.par_chunks_mut(64 * width.max(1)).for_each(|rows| scale_rows(rows, width));
    rows
}

kernel! {
    /// `sum += weight · more`.
    pub fn add_weighted(sum: &mut [T], more: &[T], weight: T) {
        for (sum, &more) in sum.iter_mut().zip(more) {
            *sum += weight * more;
        }
    }
}

kernel! {
    /// Scales rows to length 1.
    pub fn scale_rows(rows: &mut [T], width: usize) {
        const SUMS: usize = 16;
        for row in rows.chunks_exact_mut(width) {
            let mut sums = [T::ZERO; SUMS];
            for numbers in row.chunks(SUMS) {
                for (sum, &x) in sums.iter_mut().zip(numbers) {
                    *sum += x * x;
                }
            }
            let mut length = T::ZERO;
            for sum in sums {
                length += sum;
            }
            if length > T::ZERO {
                let factor = T::ONE / length.sqrt();
                for x in row.iter_mut() {
                    *x *= factor;
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "propagate_tests.rs"]
mod tests;
