//! What is the strongest that the components of a context say? (Eq. 4 with Max)
//!
//! The largest value in each place: c(z)_i = max_{c ∈ C(z)} (w_c v_c)_i, zero for an empty context. The gradient of a
//! place goes to the component that was largest there; of equals, to the first in the list.

use crate::compute::Real;
use crate::compute::rows::Gather;

/// The contexts, and where each place came from.
#[derive(Debug, Clone)]
pub struct Maxima<T> {
    /// One for each list.
    pub contexts: Vec<T>,
    /// The row that was largest in each place; `NOBODY` for an empty context.
    largest: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

/// Takes the largest. `lists` names the rows of `components` that each context is made of.
pub fn forward<T: Real>(lists: &Gather<T>, components: &[T], width: usize) -> Maxima<T> {
    let mut contexts = vec![T::ZERO; lists.len() * width];
    let mut largest = vec![NOBODY; lists.len() * width];
    for (context, ends) in lists.starts.windows(2).enumerate() {
        let places = context * width..(context + 1) * width;
        let (values, largest) = (&mut contexts[places.clone()], &mut largest[places]);
        for &row in &lists.rows[ends[0] as usize..ends[1] as usize] {
            let component = &components[row as usize * width..(row as usize + 1) * width];
            for ((value, largest), &candidate) in values.iter_mut().zip(&mut *largest).zip(component) {
                if *largest == NOBODY || candidate > *value {
                    (*value, *largest) = (candidate, row);
                }
            }
        }
    }
    Maxima { contexts, largest }
}

/// Sends gradients of the contexts back: added to `components`.
pub fn backward<T: Real>(forward: &Maxima<T>, gradient: &[T], components: &mut [T], width: usize) {
    for (place, (&row, &gradient)) in forward.largest.iter().zip(gradient).enumerate() {
        if row != NOBODY {
            components[row as usize * width + place % width] += gradient;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    fn lists() -> Gather<f64> {
        Gather { starts: vec![0, 2, 2, 5], rows: vec![0, 1, 1, 2, 3], weights: Vec::new() }
    }

    #[test]
    fn a_maximum_worked_by_hand() {
        let components = [1.0, -5.0, 0.5, -2.0, -1.0, 7.0, 0.0, 0.0];
        let out = forward(&lists(), &components, 2);
        assert_eq!(out.contexts, [1.0, -2.0, 0.0, 0.0, 0.5, 7.0]);
        let mut back = [0.0; 8];
        backward(&out, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut back, 2);
        assert_eq!(back, [1.0, 0.0, 5.0, 2.0, 0.0, 6.0, 0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, width in 1..4usize) {
            let components = numbers(4 * width, seed);
            let factors = numbers(3 * width, seed + 1);
            let value = |components: &[f64]| -> f64 {
                forward(&lists(), components, width).contexts.iter().zip(&factors).map(|(c, f)| c * f).sum()
            };
            let mut back = vec![0.0; 4 * width];
            backward(&forward(&lists(), &components, width), &factors, &mut back, width);
            prop_assert!(agrees(&components, &back, value));
        }
    }
}
