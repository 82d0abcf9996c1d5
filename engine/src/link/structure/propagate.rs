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
//! F = ‖ w₀ E₀ + w₁ Π₁E₁ + w₂ Π₂E₂ + w₃ Π₃‖Σ over edges (r, t): weight · Π₅‖R₁ + R₂‖ᵣ ⊙ ‖E₀ + Π₁E₁ + Π₂E₂‖ₜ‖ ‖
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
use crate::compute::rows::{Gather, add_products, add_rows};
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
///
/// At most three tables of all entities are there at once: a million entities are 2 GB each. What only an entity's own row
/// needs is computed in blocks of rows, and tables are overwritten by what is made of them.
pub(super) fn describe(
    edges: &Edges,
    labels: &Gather<f32>,
    table: &[f32],
    width: usize,
    weights: Weights,
) -> Vec<f32> {
    let summed = |gather: &Gather<f32>, table: &[f32]| {
        let mut sum = vec![0.0; gather.len() * width];
        gather.add(&mut sum, table, width);
        sum
    };
    let own = summed(labels, table);
    let mut relation_features = unit_rows(summed(&edges.sources, &own), width);
    let mut near = unit_rows(summed(&edges.neighbours, &own), width);
    let mut far = spread_far(edges, &relation_features, &near, width);

    add(&mut relation_features, &unit_rows(summed(&edges.sources, &near), width));
    let relation_features = unit_rows(relation_features, width);
    let mut said = vec![0.0; edges.weights.len() * width];
    let sizes = edges.weights.par_iter();
    said.par_chunks_mut(width).zip(relation_features.par_chunks(width)).zip(sizes).for_each(
        |((said, row), &weight)| {
            turned_row(said, row, turn(width, 5), weight);
        },
    );
    unite(&own, &mut near, &mut far, width, weights);
    let (mut whole, ends) = (near, far);
    drop(own);
    add_related(&mut whole, edges, &said, &ends, width, weights.relations);
    unit_rows(whole, width)
}

/// Rows that are computed together.
const ROWS: usize = 64;

/// What is two edges away, E₂.
fn spread_far(edges: &Edges, relation_features: &[f32], near: &[f32], width: usize) -> Vec<f32> {
    let Gather { starts, rows, weights } = &edges.neighbours;
    let mut far = vec![0.0; edges.entities() * width];
    far.par_chunks_mut(ROWS * width).enumerate().for_each(|(piece, far)| {
        let starts = &starts[piece * ROWS..=piece * ROWS + far.len() / width];
        add_rows(far, width, starts, &edges.relations, weights, relation_features);
        scale_rows(far, width);
        let mut more = vec![0.0; far.len()];
        add_rows(&mut more, width, starts, rows, weights, near);
        scale_rows(&mut more, width);
        add_weighted(far, &more, 1.0);
        scale_rows(far, width);
    });
    far
}

/// Makes of `near` the sum of the first three parts, and of `far` what a neighbour is to others: all three parts alike.
fn unite(own: &[f32], near: &mut [f32], far: &mut [f32], width: usize, weights: Weights) {
    let turns = [0, turn(width, 1), turn(width, 2)];
    let each = own.par_chunks(width).zip(near.par_chunks_mut(width)).zip(far.par_chunks_mut(width));
    let state = || [vec![0.0; width], vec![0.0; width]];
    each.with_min_len(ROWS).for_each_init(state, |[whole, ends], ((own, near), far)| {
        whole.fill(0.0);
        ends.fill(0.0);
        let parts = [own, near, far].into_iter().zip(turns);
        for ((part, turn), weight) in parts.zip([weights.own, weights.near, weights.far]) {
            turned_row(whole, part, turn, weight);
            turned_row(ends, part, turn, 1.0);
        }
        scale_rows(ends, width);
        near.copy_from_slice(whole);
        far.copy_from_slice(ends);
    });
}

/// Adds the last part: for each entity the sum over its edges of the relation's row times the neighbour's, place by place.
fn add_related(whole: &mut [f32], edges: &Edges, said: &[f32], ends: &[f32], width: usize, weight: f32) {
    let neighbours = &edges.neighbours;
    whole.par_chunks_mut(ROWS * width).enumerate().for_each(|(piece, whole)| {
        let starts = &neighbours.starts[piece * ROWS..=piece * ROWS + whole.len() / width];
        let mut related = vec![0.0; whole.len()];
        add_products(&mut related, width, starts, &edges.relations, said, &neighbours.rows, ends);
        scale_rows(&mut related, width);
        for (whole, related) in whole.chunks_mut(width).zip(related.chunks(width)) {
            turned_row(whole, related, turn(width, 3), weight);
        }
    });
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

/// Adds a row whose places are turned.
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
