//! What represents an entity? (Eq. 1, 7 and 8)
//!
//! ```text
//! v_e = f(W^E e)
//! z_e = σ( W₁ v_e + W₂ N_c(e) + W₃ A_c(e) )
//! ```
//!
//! Every distinct entity of a batch is encoded once, and once more for each neighbour that is left out of its
//! neighbourhood because it is the other entity of a fact in question. Rows of W^E are touched once each.

use super::activation::Activation;
use super::aggregate::{max, mean};
use super::attribute::{self, Attributes};
use super::parameters::Parameters;
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::compute::rows::Gather;

/// Which contexts take part, and how: the variants of Table 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contexts {
    /// W₁ v_e.
    pub own: bool,
    /// W₂ N_c(e).
    pub neighbourhood: bool,
    /// W₃ A_c(e), and how the attributes are aggregated.
    pub attributes: Option<AttributeAggregator>,
    /// Whether components are weighted by exp(θ).
    pub attention: bool,
    /// σ.
    pub activation: Activation,
}

/// How an entity's attributes become one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeAggregator {
    /// §3.2.
    Max,
    /// Appendix C; the only one that attention can weight.
    Mean,
}

/// The entities of a batch. Places are row numbers of `rows`.
#[derive(Debug, Clone, Default)]
pub struct Entities<T> {
    /// The rows of W^E that are touched, each once.
    pub rows: Vec<u32>,
    /// The place of each entity that is encoded.
    pub places: Vec<u32>,
    /// The places of each one's neighbours.
    pub neighbours: Gather<T>,
    /// Those that are encoded once more, without a neighbour.
    pub left_out: Vec<mean::LeftOut>,
    /// The distinct attributes.
    pub attributes: Attributes<T>,
    /// Which of them each entity has.
    pub attribute_lists: Gather<T>,
}

/// The representations, and what the way back needs.
#[derive(Debug, Clone)]
pub struct Encoded<T> {
    /// z, h-wide: one for each entity, and then one for each that leaves a neighbour out.
    pub representations: Vec<T>,
    /// v of each touched row.
    vectors: Vec<T>,
    /// v of each encoded entity.
    own: Vec<T>,
    /// W₂ v of each touched row.
    products: Vec<T>,
    weights: Vec<T>,
    neighbourhoods: Option<mean::Means<T>>,
    attribute_vectors: Vec<T>,
    attribute_weights: Vec<T>,
    attribute_contexts: Option<AttributeContexts<T>>,
}

#[derive(Debug, Clone)]
enum AttributeContexts<T> {
    Max(max::Maxima<T>),
    Mean(mean::Means<T>),
}

impl<T> AttributeContexts<T> {
    fn contexts(&self) -> &[T] {
        match self {
            Self::Max(maxima) => &maxima.contexts,
            Self::Mean(means) => &means.contexts,
        }
    }
}

/// What flows back to the touched rows; the rest is added to the gradients of the matrices.
#[derive(Debug, Clone)]
pub struct RowGradients<T> {
    /// To W^E, d-wide: one for each of [`Entities::rows`].
    pub vectors: Vec<T>,
    /// To their θ; empty without attention.
    pub attention: Vec<T>,
}

const F: Activation = Activation::Relu;

fn rows_of<T: Copy>(table: &[T], rows: &[u32], width: usize) -> Vec<T> {
    rows.iter()
        .flat_map(|&row| table[row as usize * width..(row as usize + 1) * width].iter().copied())
        .collect()
}

fn exp_of<T: Real>(theta: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&row| theta[row as usize].exp()).collect()
}

/// Encodes the entities of a batch.
pub fn forward<T: Real>(batch: &Entities<T>, parameters: &Parameters<T>, contexts: Contexts) -> Encoded<T> {
    let (d, y, h) = (parameters.sizes.entity, parameters.sizes.attribute, parameters.sizes.hidden);
    let mut vectors = rows_of(&parameters.entities, &batch.rows, d);
    F.forward(&mut vectors);
    let own = rows_of(&vectors, &batch.places, d);
    let count = batch.places.len();
    let mut sums = vec![T::ZERO; count * h];
    if contexts.own {
        times_transposed(&mut sums, &own, &parameters.own, d, h);
    }
    let (attribute_vectors, attribute_weights, attribute_contexts) = match contexts.attributes {
        Some(aggregator) => attribute_contexts(batch, parameters, aggregator, contexts.attention),
        None => (Vec::new(), Vec::new(), None),
    };
    if let Some(attributes) = &attribute_contexts {
        let mut products = vec![T::ZERO; count * h];
        times_transposed(&mut products, attributes.contexts(), &parameters.attributes, y, h);
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }
    for out in &batch.left_out {
        sums.extend_from_within(out.context as usize * h..(out.context as usize + 1) * h);
    }
    let (mut products, mut weights, mut neighbourhoods) = (Vec::new(), Vec::new(), None);
    if contexts.neighbourhood {
        products = vec![T::ZERO; batch.rows.len() * h];
        times_transposed(&mut products, &vectors, &parameters.neighbourhood, d, h);
        if contexts.attention {
            weights = exp_of(&parameters.entity_attention, &batch.rows);
        }
        let means = mean::forward(&batch.neighbours, &batch.left_out, &products, &weights, h);
        sums.iter_mut().zip(&means.contexts).for_each(|(sum, &context)| *sum += context);
        neighbourhoods = Some(means);
    }
    let mut representations = sums;
    contexts.activation.forward(&mut representations);
    Encoded {
        representations,
        vectors,
        own,
        products,
        weights,
        neighbourhoods,
        attribute_vectors,
        attribute_weights,
        attribute_contexts,
    }
}

type AttributeForward<T> = (Vec<T>, Vec<T>, Option<AttributeContexts<T>>);

fn attribute_contexts<T: Real>(
    batch: &Entities<T>,
    parameters: &Parameters<T>,
    aggregator: AttributeAggregator,
    attention: bool,
) -> AttributeForward<T> {
    let y = parameters.sizes.attribute;
    let vectors = attribute::forward(&batch.attributes, parameters);
    match aggregator {
        AttributeAggregator::Max => {
            let maxima = max::forward(&batch.attribute_lists, &vectors, y);
            (vectors, Vec::new(), Some(AttributeContexts::Max(maxima)))
        }
        AttributeAggregator::Mean => {
            let weights = if attention {
                exp_of(&parameters.key_attention, &batch.attributes.keys)
            } else {
                Vec::new()
            };
            let means = mean::forward(&batch.attribute_lists, &[], &vectors, &weights, y);
            (vectors, weights, Some(AttributeContexts::Mean(means)))
        }
    }
}

/// Sends gradients of the representations back.
pub fn backward<T: Real>(
    batch: &Entities<T>,
    parameters: &Parameters<T>,
    contexts: Contexts,
    encoded: &Encoded<T>,
    mut gradient: Vec<T>,
    gradients: &mut Parameters<T>,
) -> RowGradients<T> {
    let (d, h) = (parameters.sizes.entity, parameters.sizes.hidden);
    contexts.activation.backward(&encoded.representations, &mut gradient);
    let mut to_rows = RowGradients { vectors: vec![T::ZERO; batch.rows.len() * d], attention: Vec::new() };
    if let Some(means) = &encoded.neighbourhoods {
        let (products, weights) = (&encoded.products, &encoded.weights);
        let back = mean::backward(&batch.neighbours, &batch.left_out, products, weights, means, &gradient, h);
        add_transposed_times(&mut gradients.neighbourhood, &back.components, &encoded.vectors, h, d);
        add_times(&mut to_rows.vectors, &back.components, &parameters.neighbourhood, h, d);
        to_rows.attention = back.attention;
    }
    // An entity's own part is the same in all its representations.
    let own = gradient.split_off(batch.places.len() * h);
    for (out, own) in batch.left_out.iter().zip(own.chunks_exact(h)) {
        let base = &mut gradient[out.context as usize * h..(out.context as usize + 1) * h];
        base.iter_mut().zip(own).for_each(|(base, &own)| *base += own);
    }
    if contexts.own {
        add_transposed_times(&mut gradients.own, &gradient, &encoded.own, h, d);
        let mut to_own = vec![T::ZERO; encoded.own.len()];
        add_times(&mut to_own, &gradient, &parameters.own, h, d);
        for (&place, to_own) in batch.places.iter().zip(to_own.chunks_exact(d)) {
            let row = &mut to_rows.vectors[place as usize * d..(place as usize + 1) * d];
            row.iter_mut().zip(to_own).for_each(|(row, &own)| *row += own);
        }
    }
    if let Some(attributes) = &encoded.attribute_contexts {
        attributes_backward(batch, parameters, encoded, attributes, &gradient, gradients);
    }
    F.backward(&encoded.vectors, &mut to_rows.vectors);
    to_rows
}

fn attributes_backward<T: Real>(
    batch: &Entities<T>,
    parameters: &Parameters<T>,
    encoded: &Encoded<T>,
    attributes: &AttributeContexts<T>,
    gradient: &[T],
    gradients: &mut Parameters<T>,
) {
    let (y, h) = (parameters.sizes.attribute, parameters.sizes.hidden);
    add_transposed_times(&mut gradients.attributes, gradient, attributes.contexts(), h, y);
    let mut to_contexts = vec![T::ZERO; batch.places.len() * y];
    add_times(&mut to_contexts, gradient, &parameters.attributes, h, y);
    let vectors = &encoded.attribute_vectors;
    let to_vectors = match attributes {
        AttributeContexts::Max(maxima) => {
            let mut to_vectors = vec![T::ZERO; vectors.len()];
            max::backward(maxima, &to_contexts, &mut to_vectors, y);
            to_vectors
        }
        AttributeContexts::Mean(means) => {
            let weights = &encoded.attribute_weights;
            let back = mean::backward(&batch.attribute_lists, &[], vectors, weights, means, &to_contexts, y);
            for (&key, gradient) in batch.attributes.keys.iter().zip(back.attention) {
                gradients.key_attention[key as usize] += gradient;
            }
            back.components
        }
    };
    attribute::backward(&batch.attributes, vectors, to_vectors, gradients);
}
