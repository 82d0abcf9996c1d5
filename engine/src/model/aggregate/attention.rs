//! How much does each component of a context count? (Eq. 5 and 6)
//!
//! ```text
//! a_c = |C| · w_c / Σ_{k ∈ C} w_k        w = exp(θ)
//! ```
//!
//! and an aggregator works on a_c v_c. Equal θ count 1 each, as without attention, and the mean of the a_c v_c is the
//! weighted mean. A reference is one entry of a list: a component in one of its contexts.

use rayon::prelude::*;

use super::mean::Gradients;
use super::pieces::{cut, pieces};
use crate::compute::Real;
use crate::compute::rows::Gather;

/// What an aggregator reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighted<'a, T> {
    /// The rows of the components that each context is made of.
    pub(super) lists: &'a Gather<T>,
    pub(super) components: &'a [T],
    /// a_c of each reference; empty without attention.
    pub(super) counts: &'a [T],
    pub(super) width: usize,
}

/// a_c of each reference; empty without attention. Where all weights of a context have underflowed, nobody counts.
pub(super) fn counts<T: Real>(lists: &Gather<T>, weights: &[T]) -> Vec<T> {
    if weights.is_empty() {
        return Vec::new();
    }
    let mut counts = Vec::with_capacity(lists.rows.len());
    for ends in lists.starts.windows(2) {
        let rows = &lists.rows[ends[0] as usize..ends[1] as usize];
        let total: T = rows.iter().map(|&row| weights[row as usize]).sum();
        let scale = if total == T::ZERO { T::ZERO } else { T::of(rows.len() as f64) / total };
        counts.extend(rows.iter().map(|&row| scale * weights[row as usize]));
    }
    counts
}

impl<T: Real> Weighted<'_, T> {
    /// The row that a reference names.
    pub(super) fn component(&self, reference: usize) -> &[T] {
        let row = self.lists.rows[reference] as usize;
        &self.components[row * self.width..(row + 1) * self.width]
    }

    /// How much a reference counts.
    pub(super) fn count(&self, reference: usize) -> T {
        self.counts.get(reference).copied().unwrap_or(T::ONE)
    }

    /// Sends gradients of the a_c v_c, one row for each reference, back to the components and to their θ.
    ///
    /// With u_c = a_c v_c: dv_c = a_c du_c, da_c = du_c · v_c, and dθ_c = a_c (da_c − Σ_k a_k da_k / |C|).
    pub(super) fn to_components(self, mut to_references: Vec<T>) -> Gradients<T> {
        let inputs = self.components.len() / self.width;
        let references = self.lists.rows.len();
        let mut to_thetas = vec![T::ZERO; self.counts.len()];
        if !self.counts.is_empty() {
            let pieces = pieces(&self.lists.starts);
            let rows = cut(&mut to_references, &pieces, self.width);
            let thetas = cut(&mut to_thetas, &pieces, 1);
            pieces.par_iter().zip(rows).zip(thetas).for_each(|((starts, rows), thetas)| {
                for ends in starts.windows(2) {
                    let list = (ends[0] - starts[0]) as usize..(ends[1] - starts[0]) as usize;
                    let rows = &mut rows[list.start * self.width..list.end * self.width];
                    self.through_counts(ends[0] as usize, rows, &mut thetas[list]);
                }
            });
        }
        let one_each = Gather {
            starts: (0..=references as u32).collect(),
            rows: self.lists.rows.clone(),
            weights: Vec::new(),
        };
        let back = one_each.transposed(inputs);
        let mut result =
            Gradients { components: vec![T::ZERO; self.components.len()], attention: Vec::new() };
        back.add(&mut result.components, &to_references, self.width);
        if !self.counts.is_empty() {
            result.attention = vec![T::ZERO; inputs];
            back.add(&mut result.attention, &to_thetas, 1);
        }
        result
    }

    /// Turns du of one context into dv, and says dθ. `first` is its first reference.
    fn through_counts(&self, first: usize, rows: &mut [T], thetas: &mut [T]) {
        let mut mean = T::ZERO;
        for (at, (row, theta)) in rows.chunks_exact_mut(self.width).zip(&mut *thetas).enumerate() {
            let count = self.count(first + at);
            let to_count: T = row.iter().zip(self.component(first + at)).map(|(&u, &v)| u * v).sum();
            *theta = count * to_count;
            mean += *theta;
            row.iter_mut().for_each(|u| *u *= count);
        }
        mean = mean / T::of(thetas.len().max(1) as f64);
        thetas.iter_mut().enumerate().for_each(|(at, theta)| *theta -= self.count(first + at) * mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists() -> Gather<f64> {
        Gather { starts: vec![0, 2, 2, 5], rows: vec![0, 1, 1, 2, 1], weights: Vec::new() }
    }

    #[test]
    fn counts_worked_by_hand() {
        // 2·1/4 and 2·3/4; nobody; 3·3/8, 3·2/8 and 3·3/8.
        assert_eq!(counts(&lists(), &[1.0, 3.0, 2.0]), [0.5, 1.5, 1.125, 0.75, 1.125]);
        assert_eq!(counts(&lists(), &[0.25; 3]), [1.0; 5]);
        assert!(counts(&lists(), &[]).is_empty());
    }

    #[test]
    fn weights_that_have_underflowed_count_nothing() {
        assert_eq!(counts(&lists(), &[0.0, 0.0, 2.0]), [0.0, 0.0, 0.0, 3.0, 0.0]);
    }

    #[test]
    fn a_way_back_worked_by_hand() {
        let (lists, components) = (lists(), [10.0, 20.0, 30.0]);
        let counts = counts(&lists, &[1.0, 3.0, 2.0]);
        let weighted = Weighted { lists: &lists, components: &components, counts: &counts, width: 1 };
        // Only the first context is asked, and only for its second component: u = 1.5 · 20.
        let back = weighted.to_components(vec![0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(back.components, [0.0, 1.5, 0.0]);
        // u = 2 · 20 · s with s = 3/4 the softmax: du/dθ is 40 s (1 − s) and −40 s (1 − s).
        assert_eq!(back.attention, [-7.5, 7.5, 0.0]);
    }

    #[test]
    fn without_attention_the_way_back_is_a_sum() {
        let (lists, components) = (lists(), [10.0, 20.0, 30.0]);
        let weighted = Weighted { lists: &lists, components: &components, counts: &[], width: 1 };
        let back = weighted.to_components(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(back.components, [1.0, 10.0, 4.0]);
        assert!(back.attention.is_empty());
    }
}
