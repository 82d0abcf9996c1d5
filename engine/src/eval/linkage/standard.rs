//! How are features brought to one scale?
//!
//! Each to mean 0 and deviation 1 over the training pairs. One that never changes says nothing: it becomes 0.

use rayon::prelude::*;

use super::features::Features;
use crate::compute::Real;

/// What is taken from each feature, and what it is then multiplied by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standard<T> {
    means: Vec<T>,
    factors: Vec<T>,
}

/// So many pairs are summed by one thread; the sums are added in order.
const BLOCK: usize = 4096;

impl<T: Real> Standard<T> {
    /// The scale of some features.
    pub(super) fn new(features: &impl Features<T>) -> Self {
        let count = features.len().max(1) as f64;
        let mean = |sum: Vec<f64>| sum.into_iter().map(|sum| sum / count).collect::<Vec<f64>>();
        let means = mean(sum_of(features, |_, x| x));
        // In a second pass, since the difference of two large sums would lose what matters.
        let variances = mean(sum_of(features, |at, x| (x - means[at]) * (x - means[at])));
        let factor = |(variance, mean): (&f64, &f64)| {
            // What is left of rounding is no change.
            let is_constant = variance.sqrt() <= 1e-6 * mean.abs() || *variance < 1e-30;
            T::of(if is_constant || !variance.is_finite() { 0.0 } else { 1.0 / variance.sqrt() })
        };
        let factors = variances.iter().zip(&means).map(factor).collect();
        Self { means: means.into_iter().map(T::of).collect(), factors }
    }

    /// Brings the features of one pair to scale.
    pub(super) fn apply(&self, numbers: &mut [T]) {
        for ((x, &mean), &factor) in numbers.iter_mut().zip(&self.means).zip(&self.factors) {
            *x = (*x - mean) * factor;
        }
    }
}

fn sum_of<T: Real>(features: &impl Features<T>, of: impl Fn(usize, f64) -> f64 + Sync) -> Vec<f64> {
    let (count, width) = (features.len(), features.width());
    let blocks: Vec<Vec<f64>> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let (mut sums, mut row) = (vec![0.0; width], vec![T::ZERO; width]);
            for pair in block * BLOCK..count.min((block + 1) * BLOCK) {
                features.fill(pair, &mut row);
                sums.iter_mut().zip(&row).enumerate().for_each(|(at, (sum, x))| *sum += of(at, x.to_f64()));
            }
            sums
        })
        .collect();
    let mut sums = vec![0.0; width];
    blocks.iter().for_each(|block| sums.iter_mut().zip(block).for_each(|(sum, x)| *sum += x));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::linkage::features::Table;

    #[test]
    fn a_scale_worked_by_hand() {
        // 1, 3, 8: mean 4, variance 26/3. A constant becomes 0, wherever it lies.
        let numbers = [1.0, 7.1, 3.0, 7.1, 8.0, 7.1f64];
        let standard = Standard::new(&Table { numbers: &numbers, width: 2 });
        let mut row = [8.0, 7.1];
        standard.apply(&mut row);
        assert!((row[0] - 4.0 / (26.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(row[1], 0.0);
        let mut far = [4.0, 1000.0];
        standard.apply(&mut far);
        assert_eq!(far, [0.0, 0.0]);
        // Of nothing there is no scale.
        let mut row = [5.0f64];
        Standard::new(&Table { numbers: &[], width: 1 }).apply(&mut row);
        assert_eq!(row, [0.0]);
    }

    #[test]
    fn blocks_do_not_matter() {
        let numbers: Vec<f64> = (0..3 * BLOCK + 5).map(|at| (at % 10) as f64).collect();
        let standard = Standard::new(&Table { numbers: &numbers, width: 1 });
        let count = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / count;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let mut row = [9.0];
        standard.apply(&mut row);
        assert!((row[0] - (9.0 - mean) / variance.sqrt()).abs() < 1e-9);
    }
}
