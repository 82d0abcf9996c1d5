//! How is a right side laid out that many products share?
//!
//! All queries of a step are compared with the same vectors. These are turned once, and where there are tiles
//! (`tile`) cut into strips of as many columns as a tile has, so that no product has to copy them into
//! the cache in pieces.

use rayon::prelude::*;

use super::matrix::{plain, turned};
use super::real::{Onto, Real};
use super::tile::COLUMNS;

/// Vectors, as the columns of a right side.
#[derive(Debug)]
pub struct Across<T> {
    numbers: Vec<T>,
    width: usize,
    count: usize,
    is_in_strips: bool,
}

impl<T: Real> Across<T> {
    /// Vectors of so many numbers.
    pub fn of(vectors: &[T], width: usize) -> Self {
        let count = vectors.len() / width.max(1);
        let is_in_strips = T::has_strips();
        let numbers = if is_in_strips { in_strips(vectors, width, count) } else { turned(vectors, width) };
        Self { numbers, width, count, is_in_strips }
    }

    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The products of each of some rows with all vectors.
    pub fn times(&self, rows: &[T], products: &mut [T]) {
        let shape = [rows.len() / self.width.max(1), self.width, self.count];
        let rows = plain(rows, self.width);
        if self.is_in_strips {
            T::multiply_strips(shape, rows, &self.numbers, products);
        } else {
            T::multiply(shape, rows, plain(&self.numbers, self.count), products, Onto::Nothing);
        }
    }
}

fn in_strips<T: Real>(vectors: &[T], width: usize, count: usize) -> Vec<T> {
    let mut strips = vec![T::ZERO; count.div_ceil(COLUMNS) * COLUMNS * width];
    let each =
        strips.par_chunks_mut((COLUMNS * width).max(1)).zip(vectors.par_chunks((COLUMNS * width).max(1)));
    each.for_each(|(strip, vectors)| {
        for (column, vector) in vectors.chunks_exact(width).enumerate() {
            for (to, &x) in strip[column..].iter_mut().step_by(COLUMNS).zip(vector) {
                *to = x;
            }
        }
    });
    strips
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn products_equal_the_definition(rows in 0..20usize, width in 1..150usize, count in 0..200usize) {
            let number = |at: usize| ((at * 7919 + 3) % 1000) as f32 / 500.0 - 1.0;
            let vectors: Vec<f32> = (0..count * width).map(number).collect();
            let asked: Vec<f32> = (0..rows * width).map(|at| number(at + 17)).collect();
            let across = Across::of(&vectors, width);
            prop_assert_eq!((across.len(), across.is_empty()), (count, count == 0));
            let mut products = vec![9.0; rows * count];
            across.times(&asked, &mut products);
            for (at, &found) in products.iter().enumerate() {
                let (row, vector) = (at / count, at % count);
                let pairs = asked[row * width..].iter().zip(&vectors[vector * width..]).take(width);
                let exact: f64 = pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
                prop_assert!((f64::from(found) - exact).abs() < 1e-3, "{found} {exact}");
            }
        }
    }
}
