//! What do an entity's attributes add to its representation? (Eq. 3, and W₃ A_c(e) of Eq. 7)
//!
//! ```text
//! a = f( W^key a_key + W^val a_val )        A_c(e) = AGG({ a })
//! ```
//!
//! with a_key one-hot and a_val the features of the value: a few of many, with weights. Each distinct attribute of a
//! batch is computed once, however many entities have it.

use rayon::prelude::*;

use super::Contexts;
use super::batch::Surroundings;
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, plain, transposed};
use crate::compute::places::Places;
use crate::compute::real::Onto;
use crate::compute::rows::{Gather, add_scaled};
use crate::model::aggregate::{Aggregator, listed};
use crate::model::parameters::Parameters;

/// What the way forward leaves for the way back.
#[derive(Debug, Default)]
pub(super) struct AttributeContexts<T> {
    places: Places,
    /// Which attributes each entity has.
    lists: Gather<T>,
    /// a of each distinct attribute.
    vectors: Vec<T>,
    /// exp(θ) of its key; nothing without attention.
    weights: Vec<T>,
    aggregated: Option<listed::Listed<T>>,
}

impl<T: Real> AttributeContexts<T> {
    /// Adds W₃ A_c to the sums of the entities.
    pub(super) fn forward(
        &mut self,
        entities: &[u32],
        surroundings: &impl Surroundings,
        parameters: &Parameters<T>,
        (aggregator, contexts): (Aggregator, Contexts),
        sums: &mut [T],
    ) {
        const ROWS: usize = 256;
        let (y, h) = (parameters.sizes.attribute, parameters.sizes.hidden);
        self.touch(entities, surroundings);
        self.vectors.resize(self.places.rows.len() * y, T::ZERO);
        let work = self.vectors.par_chunks_mut(ROWS * y).zip(self.places.rows.par_chunks(ROWS));
        work.for_each(|(vectors, attributes)| {
            for (vector, &attribute) in vectors.chunks_exact_mut(y).zip(attributes) {
                let (key, features, weights) = surroundings.attribute(attribute);
                vector.copy_from_slice(&parameters.keys[key as usize * y..(key as usize + 1) * y]);
                for (&feature, &weight) in features.iter().zip(weights) {
                    let feature = &parameters.features[feature as usize * y..(feature as usize + 1) * y];
                    add_scaled(vector, feature, T::of(f64::from(weight)));
                }
            }
            contexts.f().forward(vectors);
        });
        self.weights.clear();
        if contexts.attention {
            let key = |&attribute: &u32| surroundings.attribute(attribute).0 as usize;
            self.weights.extend(self.places.rows.iter().map(|at| parameters.key_attention[key(at)].exp()));
        }
        let learned = &parameters.attribute_aggregator;
        let aggregated = listed::forward(aggregator, &self.lists, &self.vectors, &self.weights, learned, y);
        let work = sums.par_chunks_mut(ROWS * h).zip(aggregated.contexts.par_chunks(ROWS * y));
        work.for_each(|(sums, contexts)| {
            let matrix = transposed(&parameters.attributes, y);
            T::multiply([contexts.len() / y, y, h], plain(contexts, y), matrix, sums, Onto::Sum);
        });
        self.aggregated = Some(aggregated);
    }

    /// Finds the distinct attributes, and which of them each entity has.
    fn touch(&mut self, entities: &[u32], surroundings: &impl Surroundings) {
        self.places.begin(surroundings.attribute_count());
        let places = &self.places;
        entities.par_iter().with_min_len(256).for_each(|&entity| {
            surroundings.attributes(entity).iter().for_each(|&attribute| places.mark(attribute));
        });
        self.places.number();
        let Gather { starts, rows, .. } = &mut self.lists;
        starts.clear();
        starts.push(0);
        let mut end = 0;
        for &entity in entities {
            end += surroundings.attributes(entity).len() as u32;
            starts.push(end);
        }
        rows.clear();
        let places = &self.places;
        // In chunks, since a collection of iterators of unknown length is gathered piece by piece.
        let chunks: Vec<Vec<u32>> = entities
            .par_chunks(1024)
            .map(|entities| {
                let of = |&entity: &u32| surroundings.attributes(entity).iter().map(|&at| places.of(at));
                entities.iter().flat_map(of).collect()
            })
            .collect();
        chunks.iter().for_each(|chunk| rows.extend_from_slice(chunk));
    }

    /// Adds what the gradients of the sums say about W₃, W^key, W^val, θ and the aggregator.
    pub(super) fn backward(
        &mut self,
        surroundings: &impl Surroundings,
        parameters: &Parameters<T>,
        (aggregator, contexts): (Aggregator, Contexts),
        gradient: &[T],
        gradients: &mut Parameters<T>,
    ) {
        let (y, h) = (parameters.sizes.attribute, parameters.sizes.hidden);
        let aggregated = self.aggregated.take().expect("the way forward was gone");
        add_transposed_times(&mut gradients.attributes, gradient, &aggregated.contexts, h, y);
        let mut to_contexts = vec![T::ZERO; self.lists.len() * y];
        add_times(&mut to_contexts, gradient, &parameters.attributes, h, y);
        let mut back = listed::backward(
            aggregator,
            &self.lists,
            &self.vectors,
            &self.weights,
            &parameters.attribute_aggregator,
            &aggregated,
            &to_contexts,
            &mut gradients.attribute_aggregator,
            y,
        );
        contexts.f().backward(&self.vectors, &mut back.components);
        for (&attribute, &gradient) in self.places.rows.iter().zip(&back.attention) {
            gradients.key_attention[surroundings.attribute(attribute).0 as usize] += gradient;
        }
        self.tables_backward(surroundings, &back.components, gradients);
    }

    /// The way back through Eq. 3: sums over many attributes into two small tables, in pieces of a fixed size. A piece
    /// has tables of its own, so there are fewer where tables are larger than what is summed.
    fn tables_backward(
        &self,
        surroundings: &impl Surroundings,
        to_vectors: &[T],
        gradients: &mut Parameters<T>,
    ) {
        const PIECES: usize = 16;
        let y = gradients.sizes.attribute;
        let (keys, features) = (gradients.keys.len(), gradients.features.len());
        let pieces = (4 * self.places.rows.len() * y / (keys + features).max(1)).clamp(2, PIECES);
        let every = self.places.rows.len().div_ceil(pieces).max(1);
        let work = self.places.rows.par_chunks(every).zip(to_vectors.par_chunks(every * y));
        let parts: Vec<[Vec<T>; 2]> = work
            .map(|(attributes, to_vectors)| {
                let (mut to_keys, mut to_features) = (vec![T::ZERO; keys], vec![T::ZERO; features]);
                for (&attribute, gradient) in attributes.iter().zip(to_vectors.chunks_exact(y)) {
                    let (key, features, weights) = surroundings.attribute(attribute);
                    let row = |row: u32| row as usize * y..(row as usize + 1) * y;
                    add_scaled(&mut to_keys[row(key)], gradient, T::ONE);
                    for (&feature, &weight) in features.iter().zip(weights) {
                        add_scaled(&mut to_features[row(feature)], gradient, T::of(f64::from(weight)));
                    }
                }
                [to_keys, to_features]
            })
            .collect();
        for [to_keys, to_features] in parts {
            add_scaled(&mut gradients.keys, &to_keys, T::ONE);
            add_scaled(&mut gradients.features, &to_features, T::ONE);
        }
    }
}
