//! What represents a relation? (Eq. 2 and 9)
//!
//! ```text
//! v_r = f(W^R r)        v_t = f(W^T t)
//! z_r = σ( W₄ v_r + W₅ T_c(r) )
//! ```
//!
//! with T_c(r) the mean over the types of the entities that take part in r.

use super::activation::Activation;
use super::aggregate::mean;
use super::parameters::Parameters;
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::compute::rows::Gather;

/// The representations of all relations, and what the way back needs.
#[derive(Debug, Clone)]
pub struct Encoded<T> {
    /// z, h-wide.
    pub representations: Vec<T>,
    vectors: Vec<T>,
    types: Vec<T>,
    weights: Vec<T>,
    means: mean::Means<T>,
}

const F: Activation = Activation::Relu;

/// Encodes all relations; `types` lists the types that take part in each.
pub fn forward<T: Real>(
    types: &Gather<T>,
    parameters: &Parameters<T>,
    attention: bool,
    activation: Activation,
) -> Encoded<T> {
    let (k, q, h) = (parameters.sizes.relation, parameters.sizes.class, parameters.sizes.hidden);
    let mut vectors = parameters.relations.clone();
    F.forward(&mut vectors);
    let mut type_vectors = parameters.types.clone();
    F.forward(&mut type_vectors);
    let weights = match attention {
        true => parameters.type_attention.iter().map(|theta| theta.exp()).collect(),
        false => Vec::new(),
    };
    let means = mean::forward(types, &[], &type_vectors, &weights, q);
    let mut representations = vec![T::ZERO; parameters.sizes.relations * h];
    times_transposed(&mut representations, &vectors, &parameters.relation, k, h);
    let mut products = vec![T::ZERO; representations.len()];
    times_transposed(&mut products, &means.contexts, &parameters.relation_types, q, h);
    representations.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    activation.forward(&mut representations);
    Encoded { representations, vectors, types: type_vectors, weights, means }
}

/// Adds what the gradients of the representations say about W^R, W^T, W₄, W₅ and θ.
pub fn backward<T: Real>(
    types: &Gather<T>,
    parameters: &Parameters<T>,
    activation: Activation,
    encoded: &Encoded<T>,
    mut gradient: Vec<T>,
    gradients: &mut Parameters<T>,
) {
    let (k, q, h) = (parameters.sizes.relation, parameters.sizes.class, parameters.sizes.hidden);
    activation.backward(&encoded.representations, &mut gradient);
    add_transposed_times(&mut gradients.relation, &gradient, &encoded.vectors, h, k);
    let mut to_vectors = vec![T::ZERO; encoded.vectors.len()];
    add_times(&mut to_vectors, &gradient, &parameters.relation, h, k);
    F.backward(&encoded.vectors, &mut to_vectors);
    gradients.relations.iter_mut().zip(to_vectors).for_each(|(sum, gradient)| *sum += gradient);

    add_transposed_times(&mut gradients.relation_types, &gradient, &encoded.means.contexts, h, q);
    let mut to_contexts = vec![T::ZERO; parameters.sizes.relations * q];
    add_times(&mut to_contexts, &gradient, &parameters.relation_types, h, q);
    let mut back =
        mean::backward(types, &[], &encoded.types, &encoded.weights, &encoded.means, &to_contexts, q);
    F.backward(&encoded.types, &mut back.components);
    gradients.types.iter_mut().zip(back.components).for_each(|(sum, gradient)| *sum += gradient);
    gradients.type_attention.iter_mut().zip(back.attention).for_each(|(sum, gradient)| *sum += gradient);
}
