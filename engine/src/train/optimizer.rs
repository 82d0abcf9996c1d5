//! How do parameters move?
//!
//! Along their gradients, by Adam or Adagrad. Of a large table only the rows that a batch touched move: the state of a
//! row waits until the row is met again, and a step costs what was touched, not what there is.
//!
//! ```text
//! Adam       m ← β₁ m + (1 − β₁) g        v ← β₂ v + (1 − β₂) g²
//!            p ← p − rate · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)         t: steps of the table
//! Adagrad    v ← v + g²                   p ← p − rate · g / (√v + ε)
//! ```

use rayon::prelude::*;

use crate::compute::Real;
use crate::compute::memory::zeros;
use crate::compute::update::{Step, adagrad, adam};

/// How gradients become steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// The paper's.
    Adam {
        /// How slowly the mean of the gradients changes.
        beta1: f64,
        /// How slowly the mean of their squares changes.
        beta2: f64,
        /// Keeps steps finite.
        epsilon: f64,
    },
    /// Steps shrink as gradients add up.
    Adagrad {
        /// Keeps steps finite.
        epsilon: f64,
    },
}

impl Method {
    /// Adam as it was published.
    pub const ADAM: Self = Self::Adam { beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
    /// Adagrad as it is used for knowledge graphs.
    pub const ADAGRAD: Self = Self::Adagrad { epsilon: 1e-10 };
}

/// The optimizer of one table, and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimizer<T> {
    method: Method,
    /// Steps so far.
    pub steps: u64,
    /// m of Adam; Adagrad has none.
    pub means: Vec<T>,
    /// v.
    pub squares: Vec<T>,
}

/// So many numbers of a small table are one thread's to move.
const NUMBERS: usize = 1 << 14;

impl<T: Real> Optimizer<T> {
    /// The optimizer of a table of so many numbers, before its first step.
    pub fn new(method: Method, numbers: usize) -> Self {
        let means = if matches!(method, Method::Adam { .. }) { numbers } else { 0 };
        Self { method, steps: 0, means: zeros(means), squares: zeros(numbers) }
    }

    /// Moves every number.
    pub fn step_all(&mut self, table: &mut [T], gradient: &[T], rate: f64, decay: f64) {
        assert_eq!(gradient.len(), table.len(), "one gradient for each number");
        let pieces = self.cut(table, 1, &[], 0, rate, decay);
        let whole = pieces.into_iter().flat_map(|piece| piece.split(NUMBERS)).collect::<Vec<_>>();
        whole.into_par_iter().zip(gradient.par_chunks(NUMBERS)).for_each(|(mut piece, gradient)| {
            piece.step_from(0, gradient);
        });
    }

    /// Begins a step, and cuts the table into pieces that have `every` of the sorted rows each. Rows are of `width`
    /// numbers. Without rows there is one piece, the whole table.
    ///
    /// `decay` is how strongly numbers are drawn to zero: λ of λ‖p‖².
    pub fn cut<'a>(
        &'a mut self,
        table: &'a mut [T],
        width: usize,
        rows: &[u32],
        every: usize,
        rate: f64,
        decay: f64,
    ) -> Vec<Piece<'a, T>> {
        assert_eq!(table.len(), self.squares.len(), "the state is of another table");
        self.steps += 1;
        let step = Step { decay: T::of(2.0 * decay), ..self.constants(rate) };
        let is_adam = matches!(self.method, Method::Adam { .. });
        let mut rest = Piece {
            width,
            first: 0,
            table,
            means: &mut self.means,
            squares: &mut self.squares,
            is_adam,
            step,
        };
        if rows.is_empty() {
            return vec![rest];
        }
        let mut pieces = Vec::new();
        for rows in rows.chunks(every) {
            let end = rows[rows.len() - 1] + 1;
            let numbers = (end - rest.first) as usize * width;
            let (own, others) = rest.split_at(numbers);
            pieces.push(own);
            rest = Piece { first: end, ..others };
        }
        pieces
    }

    fn constants(&self, rate: f64) -> Step<T> {
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let (beta1, beta2, epsilon) = match self.method {
            Method::Adam { beta1, beta2, epsilon } => (beta1, beta2, epsilon),
            Method::Adagrad { epsilon } => (0.0, 0.0, epsilon),
        };
        Step {
            beta1: T::of(beta1),
            beta2: T::of(beta2),
            rate: T::of(rate / (1.0 - beta1.powi(steps))),
            correction: T::of(1.0 / (1.0 - beta2.powi(steps))),
            epsilon: T::of(epsilon),
            decay: T::ZERO,
        }
    }
}

/// Some rows of a table, for one thread to move.
#[derive(Debug)]
pub struct Piece<'a, T> {
    width: usize,
    first: u32,
    table: &'a mut [T],
    means: &'a mut [T],
    squares: &'a mut [T],
    is_adam: bool,
    step: Step<T>,
}

impl<'a, T: Real> Piece<'a, T> {
    /// A row.
    pub fn row(&self, row: u32) -> &[T] {
        let begin = (row - self.first) as usize * self.width;
        &self.table[begin..begin + self.width]
    }

    /// Moves a row.
    pub fn step(&mut self, row: u32, gradient: &[T]) {
        self.step_from((row - self.first) as usize * self.width, gradient);
    }

    fn step_from(&mut self, begin: usize, gradient: &[T]) {
        let own = begin..begin + gradient.len();
        let (table, squares) = (&mut self.table[own.clone()], &mut self.squares[own.clone()]);
        match self.is_adam {
            true => adam(table, &mut self.means[own], squares, gradient, self.step),
            false => adagrad(table, squares, gradient, self.step),
        }
    }

    fn split_at(self, numbers: usize) -> (Self, Self) {
        let (table, other_table) = self.table.split_at_mut(numbers);
        let (means, other_means) = self.means.split_at_mut(if self.is_adam { numbers } else { 0 });
        let (squares, other_squares) = self.squares.split_at_mut(numbers);
        let Self { width, first, is_adam, step, .. } = self;
        let own = Self { width, first, table, means, squares, is_adam, step };
        (
            own,
            Self {
                width,
                first,
                table: other_table,
                means: other_means,
                squares: other_squares,
                is_adam,
                step,
            },
        )
    }

    /// Pieces of so many numbers.
    fn split(self, numbers: usize) -> Vec<Self> {
        let (mut pieces, mut rest) = (Vec::new(), self);
        while rest.table.len() > numbers {
            let (own, others) = rest.split_at(numbers);
            pieces.push(own);
            rest = others;
        }
        pieces.push(rest);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_steps_worked_by_hand() {
        // Adam's first step is the rate, whatever the size of the gradient; Adagrad's too.
        for method in [Method::ADAM, Method::ADAGRAD] {
            let mut table = [1.0f64, 1.0];
            Optimizer::new(method, 2).step_all(&mut table, &[5.0, -0.01], 0.1, 0.0);
            assert!((table[0] - 0.9).abs() < 1e-6 && (table[1] - 1.1).abs() < 1e-6, "{method:?} {table:?}");
        }
        // Adagrad, second step with the same gradient: 1/√2 of the rate.
        let mut optimizer = Optimizer::new(Method::ADAGRAD, 1);
        let mut table = [0.0f64];
        optimizer.step_all(&mut table, &[3.0], 0.1, 0.0);
        optimizer.step_all(&mut table, &[3.0], 0.1, 0.0);
        assert!((table[0] + 0.1 + 0.1 / 2f64.sqrt()).abs() < 1e-9);
    }

    /// A row that is not touched must be as if it were not there.
    fn naive(
        method: Method,
        table: &mut [f64],
        width: usize,
        batches: &[Vec<u32>],
        gradient: impl Fn(usize, usize) -> f64,
    ) {
        let (mut m, mut v) = (vec![0.0; table.len()], vec![0.0; table.len()]);
        for (step, rows) in batches.iter().enumerate() {
            let t = step as i32 + 1;
            for (at, &row) in rows.iter().enumerate() {
                for lane in 0..width {
                    let (i, g) = (row as usize * width + lane, gradient(step, at * width + lane));
                    match method {
                        Method::Adam { beta1, beta2, epsilon } => {
                            m[i] = beta1 * m[i] + (1.0 - beta1) * g;
                            v[i] = beta2 * v[i] + (1.0 - beta2) * g * g;
                            let (m, v) = (m[i] / (1.0 - beta1.powi(t)), v[i] / (1.0 - beta2.powi(t)));
                            table[i] -= 0.1 * m / (v.sqrt() + epsilon);
                        }
                        Method::Adagrad { epsilon } => {
                            v[i] += g * g;
                            table[i] -= 0.1 * g / (v[i].sqrt() + epsilon);
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn steps_are_those_of_the_formulas(
            sets in prop::collection::vec(prop::collection::btree_set(0..1500u32, 0..20), 1..4), width in 1..5usize
        ) {
            let batches: Vec<Vec<u32>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            let gradient = |step: usize, at: usize| ((step * 31 + at * 17) % 13) as f64 - 6.0;
            for method in [Method::ADAM, Method::ADAGRAD] {
                let mut expected = vec![0.5; 1500 * width];
                naive(method, &mut expected, width, &batches, gradient);
                let mut found = vec![0.5; 1500 * width];
                let mut optimizer = Optimizer::new(method, found.len());
                for (step, rows) in batches.iter().enumerate() {
                    let gradient: Vec<f64> = (0..rows.len() * width).map(|at| gradient(step, at)).collect();
                    for (piece, rows) in optimizer.cut(&mut found, width, rows, 7, 0.1, 0.0).iter_mut().zip(rows.chunks(7)) {
                        for row in rows {
                            let at = batches[step].binary_search(row).unwrap();
                            piece.step(*row, &gradient[at * width..(at + 1) * width]);
                        }
                    }
                }
                prop_assert!(found.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-12), "{:?}", method);
            }
        }
    }
}
