//! What represents a relation? (Eq. 2 and 9)
//!
//! ```text
//! v_r = f(W^R r)        v_t = f(W^T t)
//! z_r = σ( W₄ v_r + W₅ T_c(r) )
//! ```
//!
//! with T_c(r) the aggregate of the types of the entities that take part in r.

use super::aggregate::listed;
use super::entity::Contexts;
use super::parameters::Parameters;
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::compute::rows::Gather;

/// The representations of all relations, and what the way back needs.
#[derive(Debug)]
pub struct Encoded<T> {
    /// z, h-wide.
    pub representations: Vec<T>,
    vectors: Vec<T>,
    types: Vec<T>,
    weights: Vec<T>,
    contexts: Option<listed::Listed<T>>,
}

/// Encodes all relations; `types` lists the types that take part in each.
pub fn forward<T: Real>(types: &Gather<T>, parameters: &Parameters<T>, contexts: Contexts) -> Encoded<T> {
    let (k, q, h) = (parameters.sizes.relation, parameters.sizes.class, parameters.sizes.hidden);
    let mut vectors = parameters.relations.clone();
    contexts.f().forward(&mut vectors);
    let mut representations = vec![T::ZERO; parameters.sizes.relations * h];
    times_transposed(&mut representations, &vectors, &parameters.relation, k, h);
    let mut encoded =
        Encoded { representations, vectors, types: Vec::new(), weights: Vec::new(), contexts: None };
    if let Some(aggregator) = contexts.types {
        encoded.types = parameters.types.clone();
        contexts.f().forward(&mut encoded.types);
        // Empty without attention.
        encoded.weights = parameters.type_attention.iter().map(|theta| theta.exp()).collect();
        let learned = &parameters.type_aggregator;
        let aggregated = listed::forward(aggregator, types, &encoded.types, &encoded.weights, learned, q);
        let mut products = vec![T::ZERO; encoded.representations.len()];
        times_transposed(&mut products, &aggregated.contexts, &parameters.relation_types, q, h);
        encoded.representations.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        encoded.contexts = Some(aggregated);
    }
    contexts.activation.forward(&mut encoded.representations);
    encoded
}

/// Adds what the gradients of the representations say about W^R, W^T, W₄, W₅ and θ; `gradient` is used up.
pub fn backward<T: Real>(
    types: &Gather<T>,
    parameters: &Parameters<T>,
    contexts: Contexts,
    encoded: &Encoded<T>,
    gradient: &mut [T],
    gradients: &mut Parameters<T>,
) {
    let (k, q, h) = (parameters.sizes.relation, parameters.sizes.class, parameters.sizes.hidden);
    contexts.activation.backward(&encoded.representations, gradient);
    add_transposed_times(&mut gradients.relation, gradient, &encoded.vectors, h, k);
    let mut to_vectors = vec![T::ZERO; encoded.vectors.len()];
    add_times(&mut to_vectors, gradient, &parameters.relation, h, k);
    contexts.f().backward(&encoded.vectors, &mut to_vectors);
    gradients.relations.iter_mut().zip(to_vectors).for_each(|(sum, gradient)| *sum += gradient);

    let (Some(aggregator), Some(aggregated)) = (contexts.types, &encoded.contexts) else { return };
    add_transposed_times(&mut gradients.relation_types, gradient, &aggregated.contexts, h, q);
    let mut to_contexts = vec![T::ZERO; parameters.sizes.relations * q];
    add_times(&mut to_contexts, gradient, &parameters.relation_types, h, q);
    let mut back = listed::backward(
        aggregator,
        types,
        &encoded.types,
        &encoded.weights,
        &parameters.type_aggregator,
        aggregated,
        &to_contexts,
        &mut gradients.type_aggregator,
        q,
    );
    contexts.f().backward(&encoded.types, &mut back.components);
    gradients.types.iter_mut().zip(back.components).for_each(|(sum, gradient)| *sum += gradient);
    gradients.type_attention.iter_mut().zip(back.attention).for_each(|(sum, gradient)| *sum += gradient);
}
