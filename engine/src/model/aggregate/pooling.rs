//! What is the strongest that the components say once they are translated? (Eq. 4 with Pooling, after GraphSAGE)
//!
//! ```text
//! c(z) = max_{c ∈ C(z)} f( W a_c v_c + b )  =  f( b + max_{c ∈ C(z)} a_c (W v_c) )        f = relu
//! ```
//!
//! place by place, zero for an empty context. The right side holds because f never falls and b is the same for all: W v
//! is computed once for each component, however many contexts it is part of, and the rest is [`super::max`].

use super::attention::Weighted;
use super::max::{self, Maxima};
use super::mean::Gradients;
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::model::activation::Activation;

const F: Activation = Activation::Relu;

/// What the way back needs.
#[derive(Debug, Clone)]
pub(super) struct Pooled<T> {
    /// W v of each component.
    products: Vec<T>,
    /// The component that was largest in each place.
    largest: Vec<u32>,
}

/// The contexts. `parameters` is W, then b.
pub(super) fn forward<T: Real>(inputs: &Weighted<'_, T>, parameters: &[T]) -> (Vec<T>, Pooled<T>) {
    let width = inputs.width;
    let (matrix, bias) = parameters.split_at(width * width);
    let mut products = vec![T::ZERO; inputs.components.len()];
    times_transposed(&mut products, inputs.components, matrix, width, width);
    let Maxima { mut contexts, largest } = max::weighted(&Weighted { components: &products, ..*inputs });
    for (context, ends) in contexts.chunks_exact_mut(width).zip(inputs.lists.starts.windows(2)) {
        if ends[1] > ends[0] {
            context.iter_mut().zip(bias).for_each(|(place, &bias)| *place = F.of(*place + bias));
        }
    }
    (contexts, Pooled { products, largest })
}

/// Sends gradients of the contexts back; those of W and b are added to `to_parameters`.
pub(super) fn backward<T: Real>(
    inputs: &Weighted<'_, T>,
    parameters: &[T],
    contexts: &[T],
    pooled: &Pooled<T>,
    gradient: &[T],
    to_parameters: &mut [T],
) -> Gradients<T> {
    let width = inputs.width;
    let mut gradient = gradient.to_vec();
    // An empty context is zero, and there f has no slope: nothing flows to b.
    F.backward(contexts, &mut gradient);
    let (to_matrix, to_bias) = to_parameters.split_at_mut(width * width);
    for row in gradient.chunks_exact(width) {
        to_bias.iter_mut().zip(row).for_each(|(bias, &row)| *bias += row);
    }
    let to_references = max::to_references(inputs.lists, &pooled.largest, &gradient, width);
    let products = Weighted { components: &pooled.products, ..*inputs };
    let Gradients { components: to_products, attention } = products.to_components(to_references);
    add_transposed_times(to_matrix, &to_products, inputs.components, width, width);
    let mut components = vec![T::ZERO; inputs.components.len()];
    add_times(&mut components, &to_products, &parameters[..width * width], width, width);
    Gradients { components, attention }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::rows::Gather;

    #[test]
    fn pooling_worked_by_hand() {
        let lists = Gather { starts: vec![0, 2, 2, 3], rows: vec![0, 1, 1], weights: Vec::new() };
        let components = [1.0, 2.0, 3.0, -1.0];
        let parameters = [1.0, 1.0, 0.0, 2.0, 0.5, 1.0];
        let inputs = Weighted { lists: &lists, components: &components, counts: &[], width: 2 };
        let (contexts, pooled) = forward(&inputs, &parameters);
        // W v: (3, 4) and (2, −2). Largest (3, 4), plus b; nobody, and there is no b; (2, −2) plus b, cut at 0.
        assert_eq!(contexts, [3.5, 5.0, 0.0, 0.0, 2.5, 0.0]);
        let mut to_parameters = [0.0; 6];
        let gradient = [1.0, 10.0, 100.0, 100.0, 1000.0, 7.0];
        let back = backward(&inputs, &parameters, &contexts, &pooled, &gradient, &mut to_parameters);
        // To W v: (1, 10) and (1000, 0). To v: Wᵀ of these. To W: (1, 10) ⊗ (1, 2) + (1000, 0) ⊗ (3, −1).
        assert_eq!(back.components, [1.0, 21.0, 1000.0, 1000.0]);
        assert_eq!(to_parameters, [3001.0, -998.0, 10.0, 20.0, 1001.0, 10.0]);
        assert!(back.attention.is_empty());
    }
}
