//! What does a neighbourhood send back? (the gradient of W₂ N_c(e) in Eq. 7)
//!
//! A context sends the same share to all its components, and takes back what went to the one left out. Shares are
//! computed once; what each touched row gets is then summed when it is asked for, a block of rows at a time, from the
//! lists turned round.

use rayon::prelude::*;

use super::{Form, Neighbourhoods, Scene};
use crate::compute::Real;
use crate::compute::matrix::{add_transposed_times, plain};
use crate::compute::memory::make_room;
use crate::compute::real::Onto;
use crate::compute::rows::{add_plain_rows, add_scaled};
use crate::compute::turned::Turned;
use crate::model::aggregate::{Aggregator, listed};
use crate::model::entity::Surroundings;
use crate::model::loss::scale;
use crate::model::parameters::Parameters;

/// What contexts send back to their components.
#[derive(Debug, Default)]
pub(in crate::model::entity) struct Shares<T> {
    pub(in crate::model::entity) width: usize,
    /// For each representation; those of an entity include those that leave one out.
    rows: Vec<T>,
    /// The last numbers of the same, with attention.
    totals: Vec<T>,
    /// Which entities each touched row is a neighbour of.
    turned: Turned,
    /// Who was left out, and of which representation; sorted.
    left_out: Vec<(u32, u32)>,
    first_left_out: usize,
    /// Where all is computed already: gradients of the components, and of their θ.
    ready: Option<(Vec<T>, Vec<T>)>,
}

impl<T: Real> Neighbourhoods<T> {
    /// What flows back to the touched rows, before they are asked for one by one. `gradient` is that of all sums.
    pub(in crate::model::entity) fn backward(
        &mut self,
        scene: &Scene<'_, impl Surroundings>,
        parameters: &Parameters<T>,
        aggregator: Aggregator,
        gradient: &[T],
        gradients: &mut Parameters<T>,
    ) -> Shares<T> {
        let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
        let width = if self.form == Form::Projected { h } else { d };
        let rows = std::mem::take(self.room_for_shares());
        let mut shares = Shares { width, rows, ..Default::default() };
        make_room(&mut shares.rows, scene.batch.len() * width);
        if self.form == Form::Projected {
            let chunks = shares.rows.par_chunks_mut(1 << 16).zip(gradient.par_chunks(1 << 16));
            chunks.for_each(|(rows, gradient)| rows.copy_from_slice(gradient));
        } else {
            add_transposed_times(&mut gradients.neighbourhood, gradient, &self.contexts, h, d);
            const ROWS: usize = 120;
            shares.rows.par_chunks_mut(ROWS * d).zip(gradient.par_chunks(ROWS * h)).for_each(
                |(rows, gradient)| {
                    let shape = [gradient.len() / h, h, d];
                    T::multiply(
                        shape,
                        plain(gradient, h),
                        plain(&parameters.neighbourhood, d),
                        rows,
                        Onto::Nothing,
                    );
                },
            );
        }
        if self.form == Form::Listed {
            let (mut aggregated, lists, vectors) = self.listed.take().expect("the way forward was gone");
            aggregated.contexts = std::mem::take(&mut self.contexts);
            let learned = &parameters.neighbourhood_aggregator;
            let to_learned = &mut gradients.neighbourhood_aggregator;
            let back = listed::backward(
                aggregator,
                &lists,
                &vectors,
                &self.weights,
                learned,
                &aggregated,
                &shares.rows,
                to_learned,
                d,
            );
            return Shares { ready: Some((back.components, back.attention)), width: d, ..Default::default() };
        }
        self.shares(scene, &mut shares);
        let near = |at: usize| scene.neighbours(at).iter().map(|id| scene.places.of(id));
        shares.turned = std::mem::take(&mut self.spare_turned);
        shares.turned.turn(scene.batch.entities.len(), scene.places.rows.len(), near);
        shares.left_out = scene
            .batch
            .left_out
            .iter()
            .enumerate()
            .map(|(at, out)| (scene.places.of(out.without), at as u32))
            .collect();
        shares.left_out.par_sort_unstable();
        shares.first_left_out = scene.batch.entities.len();
        shares
    }

    /// Turns gradients of contexts into what each component gets, and adds up those of an entity.
    ///
    /// With c = S/D for each row: dS = dc/D and dD = −(dc·c)/D.
    fn shares(&self, scene: &Scene<'_, impl Surroundings>, shares: &mut Shares<T>) {
        let width = shares.width;
        let attention = !self.weights.is_empty();
        shares.totals.resize(if attention { scene.batch.len() } else { 0 }, T::ZERO);
        let blocks = scene.batch.blocks(&mut shares.rows, width);
        let totals = match attention {
            true => scene.batch.blocks(&mut shares.totals, 1).into_iter().map(Some).collect::<Vec<_>>(),
            false => blocks.iter().map(|_| None).collect(),
        };
        blocks.into_par_iter().zip(totals).for_each(|(block, mut total_block)| {
            for (at, row) in block.entities.chunks_exact_mut(width).enumerate() {
                let entity = block.first + at;
                let total = self.totals[entity];
                let share = if total > T::ZERO { T::ONE / total } else { T::ZERO };
                if let Some(totals) = &mut total_block {
                    totals.entities[at] = -dot(row, self.context(entity, width)) * share;
                }
                scale(row, share);
            }
            for (at, row) in block.left_out.chunks_exact_mut(width).enumerate() {
                let out = scene.batch.left_out[block.first_out + at];
                let own = out.entity as usize - block.first;
                let others = scene.neighbours(out.entity as usize).ids.len() > 1;
                let left = self.totals[out.entity as usize] - self.weight(scene.places.of(out.without));
                let share = if others { T::ONE / left } else { T::ZERO };
                if let Some(totals) = &mut total_block {
                    let context = self.context(scene.batch.entities.len() + block.first_out + at, width);
                    totals.left_out[at] = -dot(row, context) * share;
                    totals.entities[own] += totals.left_out[at];
                }
                scale(row, share);
                // A context's sums are also those of its rows with one left out.
                add_scaled(&mut block.entities[own * width..(own + 1) * width], row, T::ONE);
            }
        });
    }

    /// The gradients of some touched rows, as many as `out` has room for, and those of their θ. `vectors` are the rows
    /// themselves.
    pub(in crate::model::entity) fn take(
        &self,
        shares: &Shares<T>,
        first: usize,
        vectors: &[T],
        out: &mut [T],
        attention: &mut [T],
    ) {
        let width = shares.width;
        let rows = out.len() / width;
        if let Some((components, thetas)) = &shares.ready {
            out.copy_from_slice(&components[first * width..(first + rows) * width]);
            attention.iter_mut().zip(thetas.iter().skip(first)).for_each(|(to, &theta)| *to = theta);
            return;
        }
        out.fill(T::ZERO);
        let starts = &shares.turned.starts[first..=first + rows];
        add_plain_rows(out, width, starts, &shares.turned.lists, &shares.rows);
        let end = (first + rows) as u32;
        let begin = shares.left_out.partition_point(|out| out.0 < first as u32);
        let left_out = shares.left_out[begin..].iter().take_while(|out| out.0 < end);
        // The one left out has no part in that.
        for &(place, at) in left_out.clone() {
            let row = (place as usize - first) * width;
            let from = (shares.first_left_out + at as usize) * width;
            add_scaled(&mut out[row..row + width], &shares.rows[from..from + width], -T::ONE);
        }
        if self.weights.is_empty() {
            return;
        }
        let components = match self.form {
            Form::Projected => &self.products[first * width..(first + rows) * width],
            _ => vectors,
        };
        attention.fill(T::ZERO);
        add_plain_rows(attention, 1, starts, &shares.turned.lists, &shares.totals);
        for &(place, at) in left_out {
            attention[place as usize - first] -= shares.totals[shares.first_left_out + at as usize];
        }
        let each = out.chunks_exact_mut(width).zip(components.chunks_exact(width)).zip(attention);
        for (at, ((out, component), attention)) in each.enumerate() {
            let weight = self.weights[first + at];
            *attention = weight * (dot(out, component) + *attention);
            scale(out, weight);
        }
    }

    /// Takes back what was lent to shares.
    pub(in crate::model::entity) fn take_back(&mut self, shares: Shares<T>) {
        *self.room_for_shares() = shares.rows;
        self.spare_turned = shares.turned;
    }

    fn room_for_shares(&mut self) -> &mut Vec<T> {
        match self.weights.is_empty() {
            true => &mut self.products,
            false => &mut self.spare,
        }
    }
}

fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}
