//! What represents an entity? (Eq. 1, 7 and 8)
//!
//! ```text
//! v_e = f(W^E e)
//! z_e = σ( W₁ v_e + W₂ N_c(e) + W₃ A_c(e) )
//! ```
//!
//! Every distinct entity of a batch is encoded once, and once more for each neighbour that is left out of its
//! neighbourhood because it is the other entity of a fact in question. Rows of W^E are the large table: they are read
//! where they lie, and on the way back each row's gradient is computed whole and handed over at once, so that no copy
//! of the touched rows or of their gradients exists.

mod attributes;
mod batch;
mod neighbourhood;

use rayon::prelude::*;

use super::activation::Activation;
use super::aggregate::Aggregator;
use super::parameters::Parameters;
use crate::compute::Real;
use crate::compute::matrix::{plain, transposed};
use crate::compute::memory::make_room;
use crate::compute::places::Places;
use crate::compute::real::Onto;
use crate::compute::rows::add_scaled;
use attributes::AttributeContexts;
pub use batch::{Batch, Drawn, Ids, LeftOut, Surroundings};
use neighbourhood::{Neighbourhoods, Scene, Shares, project};

/// Which contexts take part, and how: the variants of Table 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contexts {
    /// W₁ v_e.
    pub own: bool,
    /// W₂ N_c(e), and how the neighbours are aggregated.
    pub neighbourhood: Option<Aggregator>,
    /// W₃ A_c(e), and how the attributes are aggregated.
    pub attributes: Option<Aggregator>,
    /// W₅ T_c(r), and how the types that take part in a relation are aggregated.
    pub types: Option<Aggregator>,
    /// Whether components are weighted by exp(θ).
    pub attention: bool,
    /// Whether f is relu, as in the paper; otherwise vectors are used as they are.
    pub rectified: bool,
    /// σ.
    pub activation: Activation,
}

impl Contexts {
    /// f of Eq. 1–3.
    pub fn f(self) -> Activation {
        match self.rectified {
            true => Activation::Relu,
            false => Activation::Identity,
        }
    }
}

/// Someone who keeps W^E and takes the gradients of its rows.
pub trait RowTable<T> {
    /// Some rows of the table, for one thread.
    type Piece<'a>: RowPiece<T>
    where
        Self: 'a;

    /// Cuts the table into pieces that have so many of the touched rows each (the last may have fewer).
    fn cut(&mut self, touched: &[u32], every: usize) -> Vec<Self::Piece<'_>>;
}

/// Some rows of W^E.
pub trait RowPiece<T>: Send {
    /// A row.
    fn row(&self, row: u32) -> &[T];
    /// Takes the gradient of a row, and that of its θ (zero without attention).
    fn take(&mut self, row: u32, gradient: &[T], attention: T);
}

/// Encodes batches; what it allocates is kept from one to the next.
#[derive(Debug, Default)]
pub struct Encoder<T> {
    /// z, h-wide: one for each entity, and then one for each that leaves a neighbour out.
    pub representations: Vec<T>,
    rows: Places,
    neighbourhoods: Neighbourhoods<T>,
    attributes: AttributeContexts<T>,
}

/// So many pieces the touched rows are cut into: fixed, so that what is summed over rows is summed in one order.
const PIECES: usize = 32;
/// So many rows are computed at a time.
const BLOCK: usize = 252;

impl<T: Real> Encoder<T> {
    /// Encodes the entities of a batch.
    pub fn forward(
        &mut self,
        batch: &Batch,
        surroundings: &impl Surroundings,
        parameters: &Parameters<T>,
        contexts: Contexts,
    ) {
        let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
        let count = batch.entities.len();
        self.touch(batch, surroundings, parameters.sizes.entities, contexts);
        make_room(&mut self.representations, batch.len() * h);
        let (own, left_out) = self.representations.split_at_mut(count * h);
        if contexts.own {
            project(&parameters.entities, &batch.entities, (d, h), contexts.rectified, &parameters.own, own);
        } else {
            own.fill(T::ZERO);
        }
        if let Some(aggregator) = contexts.attributes {
            let how = (aggregator, contexts);
            self.attributes.forward(&batch.entities, surroundings, parameters, how, own);
        }
        left_out.par_chunks_mut(h).with_min_len(256).zip(&batch.left_out).for_each(|(row, out)| {
            row.copy_from_slice(&own[out.entity as usize * h..(out.entity as usize + 1) * h]);
        });
        if let Some(aggregator) = contexts.neighbourhood {
            let how = (aggregator, contexts);
            let sums = &mut self.representations;
            let scene = Scene { batch, surroundings, places: &self.rows };
            self.neighbourhoods.forward(&scene, parameters, how, sums);
        }
        self.representations.par_chunks_mut(1 << 14).for_each(|z| contexts.activation.forward(z));
    }

    /// Marks the rows of W^E that the batch needs.
    fn touch(
        &mut self,
        batch: &Batch,
        surroundings: &impl Surroundings,
        entities: usize,
        contexts: Contexts,
    ) {
        self.rows.begin(entities);
        let rows = &self.rows;
        (0..batch.entities.len()).into_par_iter().with_min_len(64).for_each(|at| {
            if contexts.own {
                rows.mark(batch.entities[at]);
            }
            if contexts.neighbourhood.is_some() {
                batch.neighbours(at, surroundings).iter().for_each(|id| rows.mark(id));
            }
        });
        self.rows.number();
    }

    /// Sends gradients of the representations back: rows of W^E and their θ to `table`, all else is added to
    /// `gradients`. `gradient` is used up.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &mut self,
        batch: &Batch,
        surroundings: &impl Surroundings,
        parameters: &Parameters<T>,
        contexts: Contexts,
        gradient: &mut [T],
        gradients: &mut Parameters<T>,
        table: &mut impl RowTable<T>,
    ) {
        let h = parameters.sizes.hidden;
        gradient
            .par_chunks_mut(1 << 14)
            .zip(self.representations.par_chunks(1 << 14))
            .for_each(|(gradient, z)| contexts.activation.backward(z, gradient));
        let shares = contexts.neighbourhood.map(|aggregator| {
            let near = &mut self.neighbourhoods;
            let scene = Scene { batch, surroundings, places: &self.rows };
            near.backward(&scene, parameters, aggregator, gradient, gradients)
        });
        // An entity's own part, and its attributes, are the same in all its representations.
        for block in batch.blocks(gradient, h) {
            for (at, row) in block.left_out.chunks_exact(h).enumerate() {
                let own = batch.left_out[block.first_out + at].entity as usize - block.first;
                add_scaled(&mut block.entities[own * h..(own + 1) * h], row, T::ONE);
            }
        }
        let own = &gradient[..batch.entities.len() * h];
        if let Some(aggregator) = contexts.attributes {
            self.attributes.backward(surroundings, parameters, (aggregator, contexts), own, gradients);
        }
        self.rows_backward(batch, parameters, contexts, own, shares.as_ref(), gradients, table);
        shares.into_iter().for_each(|shares| self.neighbourhoods.take_back(shares));
    }

    /// Computes the gradient of each touched row, and hands it over.
    #[allow(clippy::too_many_arguments)]
    fn rows_backward(
        &self,
        batch: &Batch,
        parameters: &Parameters<T>,
        contexts: Contexts,
        own: &[T],
        shares: Option<&Shares<T>>,
        gradients: &mut Parameters<T>,
        table: &mut impl RowTable<T>,
    ) {
        let rows = &self.rows.rows;
        if rows.is_empty() {
            return;
        }
        let every = rows.len().div_ceil(PIECES).next_multiple_of(BLOCK);
        let work = table.cut(rows, every).into_par_iter().zip(rows.par_chunks(every)).enumerate();
        let parts: Vec<[Vec<T>; 2]> = work
            .map(|(piece, (mut table, rows))| {
                let mut way = RowsBack::new(self, batch, parameters, contexts, own, shares);
                for (block, rows) in rows.chunks(BLOCK).enumerate() {
                    way.block(piece * every + block * BLOCK, rows, &mut table);
                }
                [way.to_own, way.to_neighbourhood]
            })
            .collect();
        for [to_own, to_neighbourhood] in parts {
            add_scaled(&mut gradients.own, &to_own, T::ONE);
            add_scaled(&mut gradients.neighbourhood, &to_neighbourhood, T::ONE);
        }
    }
}

/// The way back to some of the touched rows.
struct RowsBack<'a, T> {
    encoder: &'a Encoder<T>,
    batch: &'a Batch,
    parameters: &'a Parameters<T>,
    contexts: Contexts,
    own: &'a [T],
    shares: Option<&'a Shares<T>>,
    /// Sums over these rows.
    to_own: Vec<T>,
    to_neighbourhood: Vec<T>,
    /// v of the rows, and of those that are encoded.
    vectors: Vec<T>,
    encoded: Vec<T>,
    /// Gradients: of what neighbours send, of what the rows are themselves, of the rows, of those that are encoded, and
    /// of θ.
    sent: Vec<T>,
    spread: Vec<T>,
    to_rows: Vec<T>,
    to_encoded: Vec<T>,
    attention: Vec<T>,
}

impl<'a, T: Real> RowsBack<'a, T> {
    fn new(
        encoder: &'a Encoder<T>,
        batch: &'a Batch,
        parameters: &'a Parameters<T>,
        contexts: Contexts,
        own: &'a [T],
        shares: Option<&'a Shares<T>>,
    ) -> Self {
        let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
        let zeros = |count: usize| vec![T::ZERO; count];
        let is_projected = shares.is_some() && encoder.neighbourhoods.is_projected();
        Self {
            encoder,
            batch,
            parameters,
            contexts,
            own,
            shares,
            to_own: zeros(if contexts.own { h * d } else { 0 }),
            to_neighbourhood: zeros(if is_projected { h * d } else { 0 }),
            vectors: zeros(BLOCK * d),
            encoded: zeros(BLOCK * d),
            sent: zeros(if is_projected { BLOCK * h } else { 0 }),
            spread: zeros(if contexts.own { BLOCK * h } else { 0 }),
            to_rows: zeros(BLOCK * d),
            to_encoded: zeros(BLOCK * d),
            attention: zeros(BLOCK),
        }
    }

    /// One block of rows, which are the touched rows from `first` on.
    fn block(&mut self, first: usize, rows: &[u32], table: &mut impl RowPiece<T>) {
        let (d, h) = (self.parameters.sizes.entity, self.parameters.sizes.hidden);
        let count = rows.len();
        let vectors = &mut self.vectors[..count * d];
        for (vector, &row) in vectors.chunks_exact_mut(d).zip(rows) {
            vector.copy_from_slice(table.row(row));
        }
        self.contexts.f().forward(vectors);
        let to_rows = &mut self.to_rows[..count * d];
        let attention = &mut self.attention[..count];
        match self.shares {
            Some(shares) if !self.to_neighbourhood.is_empty() => {
                let sent = &mut self.sent[..count * h];
                self.encoder.neighbourhoods.take(shares, first, vectors, sent, attention);
                let matrix = plain(&self.parameters.neighbourhood, d);
                T::multiply([count, h, d], plain(sent, h), matrix, to_rows, Onto::Nothing);
                let shape = [h, count, d];
                T::multiply(
                    shape,
                    transposed(sent, h),
                    plain(vectors, d),
                    &mut self.to_neighbourhood,
                    Onto::Sum,
                );
            }
            Some(shares) => self.encoder.neighbourhoods.take(shares, first, vectors, to_rows, attention),
            None => to_rows.fill(T::ZERO),
        }
        if self.contexts.own {
            self.own_part(rows);
        }
        let to_rows = &mut self.to_rows[..count * d];
        self.contexts.f().backward(&self.vectors[..count * d], to_rows);
        for ((&row, gradient), &attention) in rows.iter().zip(to_rows.chunks_exact(d)).zip(&self.attention) {
            table.take(row, gradient, attention);
        }
    }

    /// Adds what the rows that are encoded get as themselves.
    ///
    /// Where most rows of the block are encoded, the others get a gradient of zero and the block is multiplied as it
    /// lies; where few are, they are copied together first.
    fn own_part(&mut self, rows: &[u32]) {
        let (d, h) = (self.parameters.sizes.entity, self.parameters.sizes.hidden);
        let entities = &self.batch.entities;
        let begin = entities.partition_point(|&entity| entity < rows[0]);
        let end = entities.partition_point(|&entity| entity <= rows[rows.len() - 1]);
        if begin == end {
            return;
        }
        // Every encoded entity of this range is a touched row; these are their places in the block.
        let at: Vec<usize> =
            entities[begin..end].iter().map(|entity| rows.partition_point(|row| row < entity)).collect();
        let gradient = &self.own[begin * h..end * h];
        let matrix = plain(&self.parameters.own, d);
        if at.len() * 4 > rows.len() * 3 {
            let spread = &mut self.spread[..rows.len() * h];
            spread.fill(T::ZERO);
            for (gradient, &at) in gradient.chunks_exact(h).zip(&at) {
                spread[at * h..(at + 1) * h].copy_from_slice(gradient);
            }
            let (vectors, to_rows) = (&self.vectors[..rows.len() * d], &mut self.to_rows[..rows.len() * d]);
            let shape = [h, rows.len(), d];
            T::multiply(shape, transposed(spread, h), plain(vectors, d), &mut self.to_own, Onto::Sum);
            T::multiply([rows.len(), h, d], plain(spread, h), matrix, to_rows, Onto::Sum);
            return;
        }
        let encoded = &mut self.encoded[..at.len() * d];
        for (vector, &at) in encoded.chunks_exact_mut(d).zip(&at) {
            vector.copy_from_slice(&self.vectors[at * d..(at + 1) * d]);
        }
        let shape = [h, at.len(), d];
        T::multiply(shape, transposed(gradient, h), plain(encoded, d), &mut self.to_own, Onto::Sum);
        let to_encoded = &mut self.to_encoded[..at.len() * d];
        T::multiply([at.len(), h, d], plain(gradient, h), matrix, to_encoded, Onto::Nothing);
        for (gradient, &at) in to_encoded.chunks_exact(d).zip(&at) {
            add_scaled(&mut self.to_rows[at * d..(at + 1) * d], gradient, T::ONE);
        }
    }
}
