//! How is a row of parameters moved?

use super::level::kernel;

/// The numbers of a step.
#[derive(Debug, Clone, Copy)]
pub struct Step<T> {
    /// How slowly the mean of the gradients changes.
    pub beta1: T,
    /// How slowly the mean of their squares changes.
    pub beta2: T,
    /// rate / (1 − β₁ᵗ)
    pub rate: T,
    /// 1 / (1 − β₂ᵗ)
    pub correction: T,
    /// Keeps steps finite.
    pub epsilon: T,
    /// How strongly numbers are drawn to zero.
    pub decay: T,
}

/// Smaller is zero: what has decayed for long would otherwise be computed with many times slower (as a number that is
/// too small to be normal).
const LEAST: f64 = 1e-30;

kernel! {
    /// One step of Adam on one row.
    pub fn adam(row: &mut [T], means: &mut [T], squares: &mut [T], gradient: &[T], step: Step<T>) {
        let state = means.iter_mut().zip(squares.iter_mut());
        for ((p, (m, v)), &g) in row.iter_mut().zip(state).zip(gradient) {
            let g = g + step.decay * *p;
            let mean = step.beta1 * *m + (T::ONE - step.beta1) * g;
            let square = step.beta2 * *v + (T::ONE - step.beta2) * g * g;
            *m = if mean.abs() < T::of(LEAST) { T::ZERO } else { mean };
            *v = if square < T::of(LEAST) { T::ZERO } else { square };
            *p -= step.rate * *m / ((*v * step.correction).sqrt() + step.epsilon);
        }
    }
}

kernel! {
    /// One step of Adagrad on one row.
    pub fn adagrad(row: &mut [T], squares: &mut [T], gradient: &[T], step: Step<T>) {
        for ((p, v), &g) in row.iter_mut().zip(squares.iter_mut()).zip(gradient) {
            let g = g + step.decay * *p;
            *v += g * g;
            *p -= step.rate * g / (v.sqrt() + step.epsilon);
        }
    }
}
