//! What is an attribute's vector? (Eq. 3)
//!
//! ```text
//! a = f( W^key a_key + W^val a_val )
//! ```
//!
//! with a_key one-hot and a_val the features of the value: a few of many, with weights. Each distinct attribute of a batch
//! is computed once, however many entities have it.

use super::activation::Activation;
use super::parameters::Parameters;
use crate::compute::Real;
use crate::compute::rows::Gather;

/// The distinct attributes of a batch.
#[derive(Debug, Clone, Default)]
pub struct Attributes<T> {
    /// The key of each.
    pub keys: Vec<u32>,
    /// The features of each one's value, with their weights.
    pub features: Gather<T>,
}

const F: Activation = Activation::Relu;

/// The vectors, y-wide.
pub fn forward<T: Real>(attributes: &Attributes<T>, parameters: &Parameters<T>) -> Vec<T> {
    let y = parameters.sizes.attribute;
    let key = |&key: &u32| parameters.keys[key as usize * y..(key as usize + 1) * y].iter().copied();
    let mut vectors: Vec<T> = attributes.keys.iter().flat_map(key).collect();
    attributes.features.add(&mut vectors, &parameters.features, y);
    F.forward(&mut vectors);
    vectors
}

/// Adds what the gradients of the vectors say about W^key and W^val.
pub fn backward<T: Real>(
    attributes: &Attributes<T>,
    vectors: &[T],
    mut gradient: Vec<T>,
    gradients: &mut Parameters<T>,
) {
    let y = gradients.sizes.attribute;
    F.backward(vectors, &mut gradient);
    for (&key, gradient) in attributes.keys.iter().zip(gradient.chunks_exact(y)) {
        let row = &mut gradients.keys[key as usize * y..(key as usize + 1) * y];
        row.iter_mut().zip(gradient).for_each(|(row, &gradient)| *row += gradient);
    }
    attributes.features.transposed(gradients.sizes.features).add(&mut gradients.features, &gradient, y);
}
