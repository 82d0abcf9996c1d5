//! What is the strongest that the components of a context say? (Eq. 4 with Max)
//!
//! The largest value in each place: c(z)_i = max_{c ∈ C(z)} (a_c v_c)_i, zero for an empty context; a_c is 1 without
//! attention. The gradient of a place goes to the component that was largest there; of equals, to the first in the list.

use rayon::prelude::*;

use super::attention::Weighted;
use super::pieces::{CONTEXTS, cut, pieces};
use crate::compute::Real;
use crate::compute::rows::{Gather, add_owned_rows, largest_rows};
use crate::compute::turned::Turned;

/// The contexts, and where each place came from.
#[derive(Debug, Clone)]
pub struct Maxima<T> {
    /// One for each list.
    pub contexts: Vec<T>,
    /// The row that was largest in each place; `NOBODY` for an empty context.
    pub(super) largest: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

/// Takes the largest of the weighted components.
pub(super) fn weighted<T: Real>(inputs: &Weighted<'_, T>) -> Maxima<T> {
    let (lists, width) = (inputs.lists, inputs.width);
    let mut contexts = vec![T::ZERO; lists.len() * width];
    let mut largest = vec![NOBODY; lists.len() * width];
    let (values, winners) =
        (contexts.par_chunks_mut(CONTEXTS * width), largest.par_chunks_mut(CONTEXTS * width));
    values.zip(winners).zip(pieces(&lists.starts)).for_each(|((values, winners), starts)| {
        if inputs.counts.is_empty() {
            return largest_rows(values, winners, width, starts, &lists.rows, inputs.components);
        }
        let places = values.chunks_exact_mut(width).zip(winners.chunks_exact_mut(width));
        for ((values, winners), ends) in places.zip(starts.windows(2)) {
            for reference in ends[0] as usize..ends[1] as usize {
                let count = inputs.count(reference);
                let places = values.iter_mut().zip(&mut *winners);
                for ((value, winner), &place) in places.zip(inputs.component(reference)) {
                    let candidate = count * place;
                    if *winner == NOBODY || candidate > *value {
                        (*value, *winner) = (candidate, lists.rows[reference]);
                    }
                }
            }
        }
    });
    Maxima { contexts, largest }
}

/// Sends gradients of the contexts back to the components, where nothing is weighted.
pub(super) fn to_components<T: Real>(inputs: &Weighted<'_, T>, largest: &[u32], gradient: &[T]) -> Vec<T> {
    const ROWS: usize = 256;
    let (lists, width) = (inputs.lists, inputs.width);
    let mut to = vec![T::ZERO; inputs.components.len()];
    let list =
        |at: usize| lists.rows[lists.starts[at] as usize..lists.starts[at + 1] as usize].iter().copied();
    let turned = Turned::new(lists.len(), to.len() / width, list);
    to.par_chunks_mut(ROWS * width).enumerate().for_each(|(chunk, to)| {
        let first = chunk * ROWS;
        let starts = &turned.starts[first..=first + to.len() / width];
        add_owned_rows(to, width, first as u32, starts, &turned.lists, largest, gradient);
    });
    to
}

/// Sends gradients of the contexts back to the weighted components: one row for each reference.
pub(super) fn to_references<T: Real>(
    lists: &Gather<T>,
    largest: &[u32],
    gradient: &[T],
    width: usize,
) -> Vec<T> {
    let mut to_references = vec![T::ZERO; lists.rows.len() * width];
    let pieces = pieces(&lists.starts);
    let parts = cut(&mut to_references, &pieces, width);
    let asked = largest.par_chunks(CONTEXTS * width).zip(gradient.par_chunks(CONTEXTS * width));
    parts.into_par_iter().zip(&pieces).zip(asked).for_each(|((part, starts), (largest, gradient))| {
        for (place, (&winner, &gradient)) in largest.iter().zip(gradient).enumerate() {
            let (begin, end) = (starts[place / width] as usize, starts[place / width + 1] as usize);
            // A row that is twice in a list won with its first entry.
            if let Some(at) = lists.rows[begin..end].iter().position(|&row| row == winner) {
                part[(begin + at - starts[0] as usize) * width + place % width] = gradient;
            }
        }
    });
    to_references
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    fn lists() -> Gather<f64> {
        Gather { starts: vec![0, 2, 2, 5], rows: vec![0, 1, 1, 2, 3], weights: Vec::new() }
    }

    fn inputs<'a>(lists: &'a Gather<f64>, components: &'a [f64], width: usize) -> Weighted<'a, f64> {
        Weighted { lists, components, counts: &[], width }
    }

    #[test]
    fn a_maximum_worked_by_hand() {
        let components = [1.0, -5.0, 0.5, -2.0, -1.0, 7.0, 0.0, 0.0];
        let lists = lists();
        let inputs = inputs(&lists, &components, 2);
        let out = weighted(&inputs);
        assert_eq!(out.contexts, [1.0, -2.0, 0.0, 0.0, 0.5, 7.0]);
        let back = to_components(&inputs, &out.largest, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(back, [1.0, 0.0, 5.0, 2.0, 0.0, 6.0, 0.0, 0.0]);
    }

    #[test]
    fn a_weighted_maximum_worked_by_hand() {
        let components = [1.0, -5.0, 0.5, -2.0, -1.0, 7.0, 0.0, 0.0];
        // In the first context the second component counts three times the first, in the last it counts nothing.
        let counts = [0.5, 1.5, 0.0, 2.0, 1.0];
        let lists = lists();
        let inputs = Weighted { lists: &lists, components: &components, counts: &counts, width: 2 };
        let out = weighted(&inputs);
        // 0.5 · 1 < 1.5 · 0.5, and 0.5 · −5 > 1.5 · −2; in the last, 0 is in the first and in the third.
        assert_eq!(out.contexts, [0.75, -2.5, 0.0, 0.0, 0.0, 14.0]);
        let back = to_references(&lists, &out.largest, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2);
        assert_eq!(back, [0.0, 2.0, 1.0, 0.0, 5.0, 0.0, 0.0, 6.0, 0.0, 0.0]);
    }

    #[test]
    fn of_equal_entries_the_first_has_the_gradient() {
        let lists = Gather { starts: vec![0, 3], rows: vec![1, 0, 1], weights: Vec::new() };
        let inputs = inputs(&lists, &[2.0, 2.0], 1);
        let out = weighted(&inputs);
        assert_eq!(to_references(&lists, &out.largest, &[3.0], 1), [3.0, 0.0, 0.0]);
        assert_eq!(to_components(&inputs, &out.largest, &[3.0]), [0.0, 3.0]);
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, width in 1..4usize) {
            let components = numbers(4 * width, seed);
            let factors = numbers(3 * width, seed + 1);
            let lists = lists();
            let value = |components: &[f64]| -> f64 {
                weighted(&inputs(&lists, components, width)).contexts.iter().zip(&factors).map(|(c, f)| c * f).sum()
            };
            let own = inputs(&lists, &components, width);
            let back = to_components(&own, &weighted(&own).largest, &factors);
            prop_assert!(agrees(&components, &back, value));
        }
    }
}
