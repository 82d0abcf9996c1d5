//! What does an entity's neighbourhood add to its representation? (W₂ N_c(e) of Eq. 7)
//!
//! A (weighted) mean commutes with the matrix that follows it: W₂ mean(v) = mean(W₂ v). So there are two ways, and which
//! moves fewer bytes depends on the batch:
//!
//! - *projected*: each touched row is multiplied by W₂ once, and h-wide products are averaged. For batches whose
//!   neighbourhoods overlap;
//! - *wide*: d-wide vectors are averaged, and the contexts are multiplied by W₂. For batches that meet most rows once
//!   or twice, and for aggregators that are not linear.
//!
//! Leaving a partner out of a mean is one subtraction from its sum and one from its weight.

mod back;

pub(super) use back::Shares;

use rayon::prelude::*;

use super::Contexts;
use super::batch::{Batch, Ids, Surroundings};
use crate::compute::Real;
use crate::compute::matrix::{plain, turned};
use crate::compute::memory::make_room;
use crate::compute::places::Places;
use crate::compute::real::Onto;
use crate::compute::rows::{
    Gather, add_plain_positive_rows, add_plain_rows, add_positive_rows, add_rows, add_scaled,
    copy_positive_rows, copy_rows,
};
use crate::compute::turned::Turned;
use crate::model::aggregate::{Aggregator, listed};
use crate::model::parameters::Parameters;

/// What the way forward leaves for the way back.
#[derive(Debug, Default)]
pub(super) struct Neighbourhoods<T> {
    form: Form,
    /// W₂ v of each touched row (projected). Without attention the way back needs it no more, and computes shares in
    /// it.
    products: Vec<T>,
    /// N_c of each representation (wide), or W₂ N_c (projected, and only with attention).
    contexts: Vec<T>,
    /// exp(θ) of each touched row; nothing without attention.
    weights: Vec<T>,
    /// The sum of weights of each entity's neighbourhood.
    totals: Vec<T>,
    /// What shares are computed in otherwise, and neighbourhoods turned round; kept for the next step.
    spare: Vec<T>,
    spare_turned: Turned,
    /// Of other aggregators.
    listed: Option<(listed::Listed<T>, Gather<T>, Vec<T>)>,
}

/// How the step is computed; the result differs in rounding only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Form {
    #[default]
    Projected,
    Wide,
    Listed,
}

impl<T> Neighbourhoods<T> {
    /// Whether the touched rows get h-wide gradients of their products.
    pub(super) fn is_projected(&self) -> bool {
        self.form == Form::Projected
    }
}

/// Which form moves less: gathers cost bytes, products cost multiplications, and the machines we know do about twelve of
/// these in the time of one of those.
fn form(aggregator: Aggregator, references: usize, rows: usize, d: usize, h: usize) -> Form {
    match aggregator {
        Aggregator::Mean if references * d.saturating_sub(h) * 16 > rows * d * h => Form::Projected,
        Aggregator::Mean => Form::Wide,
        _ => Form::Listed,
    }
}

/// A batch, what is around it, and the rows it touches.
pub(super) struct Scene<'a, S> {
    pub(super) batch: &'a Batch,
    pub(super) surroundings: &'a S,
    pub(super) places: &'a Places,
}

impl<'a, S: Surroundings> Scene<'a, S> {
    fn neighbours(&self, entity: usize) -> Ids<'a> {
        self.batch.neighbours(entity, self.surroundings)
    }
}

/// Lists of places for a block of entities; kept from block to block.
#[derive(Default)]
struct Lists<T> {
    starts: Vec<u32>,
    rows: Vec<u32>,
    weights: Vec<T>,
    sums: Vec<T>,
}

impl<T: Real> Neighbourhoods<T> {
    /// Adds W₂ N_c to the sums of all representations.
    pub(super) fn forward(
        &mut self,
        scene: &Scene<'_, impl Surroundings>,
        parameters: &Parameters<T>,
        (aggregator, contexts): (Aggregator, Contexts),
        sums: &mut [T],
    ) {
        let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
        let count = scene.batch.entities.len();
        let references = (0..count).into_par_iter().map(|at| scene.neighbours(at).ids.len()).sum();
        self.form = form(aggregator, references, scene.places.rows.len(), d, h);
        self.weights.clear();
        if contexts.attention {
            self.weights
                .extend(scene.places.rows.iter().map(|&row| parameters.entity_attention[row as usize].exp()));
        }
        self.totals.resize(count, T::ZERO);
        match self.form {
            Form::Projected => {
                make_room(&mut self.products, scene.places.rows.len() * h);
                project(
                    &parameters.entities,
                    &scene.places.rows,
                    (d, h),
                    contexts.rectified,
                    &parameters.neighbourhood,
                    &mut self.products,
                );
                let mut kept = std::mem::take(&mut self.contexts);
                kept.clear();
                if contexts.attention {
                    kept.resize(scene.batch.len() * h, T::ZERO);
                }
                self.means(scene, Source::Products, h, sums, &mut kept);
                self.contexts = kept;
            }
            Form::Wide => {
                let mut wide = std::mem::take(&mut self.contexts);
                make_room(&mut wide, scene.batch.len() * d);
                wide.par_chunks_mut(1 << 16).for_each(|wide| wide.fill(T::ZERO));
                let source = match contexts.rectified {
                    true => Source::PositiveTable(&parameters.entities),
                    false => Source::Table(&parameters.entities),
                };
                self.means(scene, source, d, &mut wide, &mut []);
                self.contexts = wide;
                self.multiply(parameters, sums);
            }
            Form::Listed => {
                self.aggregate(scene, parameters, (aggregator, contexts.rectified));
                self.multiply(parameters, sums);
            }
        }
    }

    /// Adds W₂ times the contexts.
    fn multiply(&self, parameters: &Parameters<T>, sums: &mut [T]) {
        const ROWS: usize = 120;
        let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
        let matrix = turned(&parameters.neighbourhood, d);
        sums.par_chunks_mut(ROWS * h).zip(self.contexts.par_chunks(ROWS * d)).for_each(|(sums, contexts)| {
            let shape = [contexts.len() / d, d, h];
            T::multiply(shape, plain(contexts, d), plain(&matrix, h), sums, Onto::Sum);
        });
    }

    /// Adds the mean of its components to the row of each representation; `copies`, if there are any, get it too.
    #[allow(clippy::too_many_arguments)]
    fn means(
        &mut self,
        scene: &Scene<'_, impl Surroundings>,
        source: Source<'_, T>,
        width: usize,
        rows: &mut [T],
        copies: &mut [T],
    ) {
        let mut totals = std::mem::take(&mut self.totals);
        let blocks = scene.batch.blocks(rows, width);
        let copies = match copies.is_empty() {
            true => blocks.iter().map(|_| None).collect(),
            false => scene.batch.blocks(copies, width).into_iter().map(Some).collect::<Vec<_>>(),
        };
        let this = &*self;
        let work = blocks.into_par_iter().zip(copies).zip(totals.par_chunks_mut(64));
        work.for_each_init(Lists::default, |lists, ((block, copy), totals)| {
            let entities = block.first..block.first + totals.len();
            this.gather(scene, source, width, entities.clone(), lists);
            let mut copy = copy;
            for (at, total) in totals.iter_mut().enumerate() {
                let list = lists.starts[at] as usize..lists.starts[at + 1] as usize;
                *total = match this.weights.is_empty() {
                    true => T::of(list.len() as f64),
                    false => lists.weights[list.clone()].iter().copied().sum(),
                };
                if !list.is_empty() {
                    let factor = T::ONE / *total;
                    let own = at * width..(at + 1) * width;
                    add_scaled(&mut block.entities[own.clone()], &lists.sums[own.clone()], factor);
                    if let Some(copy) = &mut copy {
                        add_scaled(&mut copy.entities[own.clone()], &lists.sums[own], factor);
                    }
                }
            }
            let outs =
                scene.batch.left_out[block.first_out..].iter().zip(block.left_out.chunks_exact_mut(width));
            let mut without = vec![T::ZERO; width];
            for (at, (out, row)) in outs.enumerate() {
                let own = out.entity as usize - block.first;
                // Counted, not computed: the difference of two sums of floats is rarely zero.
                if lists.starts[own + 1] - lists.starts[own] > 1 {
                    let place = scene.places.of(out.without);
                    let weight = this.weight(place);
                    without.copy_from_slice(&lists.sums[own * width..(own + 1) * width]);
                    source.take_away(&mut without, &this.products, place, out.without, weight, width);
                    let factor = T::ONE / (totals[own] - weight);
                    add_scaled(row, &without, factor);
                    if let Some(copy) = &mut copy {
                        add_scaled(&mut copy.left_out[at * width..(at + 1) * width], &without, factor);
                    }
                }
            }
        });
        self.totals = totals;
    }

    /// The sums of a block of entities.
    #[allow(clippy::too_many_arguments)]
    fn gather(
        &self,
        scene: &Scene<'_, impl Surroundings>,
        source: Source<'_, T>,
        width: usize,
        entities: std::ops::Range<usize>,
        lists: &mut Lists<T>,
    ) {
        lists.starts.clear();
        lists.rows.clear();
        lists.weights.clear();
        lists.starts.push(0);
        lists.sums.clear();
        lists.sums.resize(entities.len() * width, T::ZERO);
        for entity in entities {
            for neighbour in scene.neighbours(entity).iter() {
                let place = scene.places.of(neighbour);
                lists.rows.push(match source {
                    Source::Products => place,
                    Source::Table(_) | Source::PositiveTable(_) => neighbour,
                });
                if !self.weights.is_empty() {
                    lists.weights.push(self.weights[place as usize]);
                }
            }
            lists.starts.push(lists.rows.len() as u32);
        }
        let (sums, starts, rows, weights) = (&mut lists.sums, &lists.starts, &lists.rows, &lists.weights);
        match (source, weights.is_empty()) {
            (Source::Products, true) => add_plain_rows(sums, width, starts, rows, &self.products),
            (Source::Products, false) => add_rows(sums, width, starts, rows, weights, &self.products),
            (Source::Table(table), true) => add_plain_rows(sums, width, starts, rows, table),
            (Source::Table(table), false) => add_rows(sums, width, starts, rows, weights, table),
            (Source::PositiveTable(table), true) => add_plain_positive_rows(sums, width, starts, rows, table),
            (Source::PositiveTable(table), false) => {
                add_positive_rows(sums, width, starts, rows, weights, table);
            }
        }
    }

    fn weight(&self, place: u32) -> T {
        self.weights.get(place as usize).copied().unwrap_or(T::ONE)
    }

    /// Any aggregator: every context, also one that leaves a neighbour out, is a list of its own.
    fn aggregate(
        &mut self,
        scene: &Scene<'_, impl Surroundings>,
        parameters: &Parameters<T>,
        (aggregator, rectified): (Aggregator, bool),
    ) {
        let d = parameters.sizes.entity;
        let mut lists = Gather { starts: vec![0], ..Default::default() };
        let everyone = (0..scene.batch.entities.len()).map(|at| (at, None));
        let outs = scene.batch.left_out.iter().map(|out| (out.entity as usize, Some(out.without)));
        for (entity, without) in everyone.chain(outs) {
            let near = scene.neighbours(entity);
            lists.rows.extend(near.iter().filter(|&id| Some(id) != without).map(|id| scene.places.of(id)));
            lists.starts.push(lists.rows.len() as u32);
        }
        let mut vectors = vec![T::ZERO; scene.places.rows.len() * d];
        vectors_of(&mut vectors, d, &scene.places.rows, &parameters.entities, rectified);
        let learned = &parameters.neighbourhood_aggregator;
        let mut aggregated = listed::forward(aggregator, &lists, &vectors, &self.weights, learned, d);
        self.contexts = std::mem::take(&mut aggregated.contexts);
        self.listed = Some((aggregated, lists, vectors));
    }

    fn context(&self, representation: usize, width: usize) -> &[T] {
        &self.contexts[representation * width..(representation + 1) * width]
    }
}

/// What is averaged.
#[derive(Clone, Copy)]
enum Source<'a, T> {
    /// The products of the touched rows.
    Products,
    /// Rows of W^E.
    Table(&'a [T]),
    /// Their positive parts.
    PositiveTable(&'a [T]),
}

impl<T: Real> Source<'_, T> {
    /// Takes one component out of a sum.
    fn take_away(self, sum: &mut [T], products: &[T], place: u32, id: u32, weight: T, width: usize) {
        let row = |row: u32| row as usize * width..(row as usize + 1) * width;
        match self {
            Self::Products => add_scaled(sum, &products[row(place)], -weight),
            Self::Table(table) => add_scaled(sum, &table[row(id)], -weight),
            Self::PositiveTable(table) => {
                let positive = table[row(id)].iter().map(|x| x.larger(T::ZERO));
                sum.iter_mut().zip(positive).for_each(|(sum, x)| *sum -= weight * x);
            }
        }
    }
}

/// v = f(W^E e) of some entities.
fn vectors_of<T: Real>(out: &mut [T], d: usize, rows: &[u32], table: &[T], rectified: bool) {
    match rectified {
        true => copy_positive_rows(out, d, rows, table),
        false => copy_rows(out, d, rows, table),
    }
}

/// `out[i] = matrix · f(table[rows[i]])`, the matrix h×d.
///
/// A few rows at a time: they stay in the cache between being copied and being multiplied.
pub(super) fn project<T: Real>(
    table: &[T],
    rows: &[u32],
    (d, h): (usize, usize),
    rectified: bool,
    matrix: &[T],
    out: &mut [T],
) {
    const ROWS: usize = 24;
    let matrix = turned(matrix, d);
    out.par_chunks_mut(8 * ROWS * h).zip(rows.par_chunks(8 * ROWS)).for_each_init(
        || vec![T::ZERO; ROWS * d],
        |vectors, (out, rows)| {
            for (out, rows) in out.chunks_mut(ROWS * h).zip(rows.chunks(ROWS)) {
                let vectors = &mut vectors[..rows.len() * d];
                vectors_of(vectors, d, rows, table, rectified);
                T::multiply([rows.len(), d, h], plain(vectors, d), plain(&matrix, h), out, Onto::Nothing);
            }
        },
    );
}
