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
}

kernel! {
    /// One step of Adam on one row.
    pub fn adam(row: &mut [T], means: &mut [T], squares: &mut [T], gradient: &[T], step: Step<T>) {
        let state = means.iter_mut().zip(squares.iter_mut());
        for ((p, (m, v)), &g) in row.iter_mut().zip(state).zip(gradient) {
            *m = step.beta1 * *m + (T::ONE - step.beta1) * g;
            *v = step.beta2 * *v + (T::ONE - step.beta2) * g * g;
            *p -= step.rate * *m / ((*v * step.correction).sqrt() + step.epsilon);
        }
    }
}

kernel! {
    /// One step of Adagrad on one row.
    pub fn adagrad(row: &mut [T], squares: &mut [T], gradient: &[T], step: Step<T>) {
        for ((p, v), &g) in row.iter_mut().zip(squares.iter_mut()).zip(gradient) {
            *v += g * g;
            *p -= step.rate * g / (v.sqrt() + step.epsilon);
        }
    }
}
