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
    layout: Layout,
}

/// How the numbers lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// As the rows of the turned matrix.
    Rows,
    /// In strips.
    Strips,
    /// In strips of pairs of half the size.
    Pairs,
}

impl<T: Real> Across<T> {
    /// Vectors of so many numbers.
    pub fn of(vectors: &[T], width: usize) -> Self {
        let count = vectors.len() / width.max(1);
        let (layout, numbers) = match T::has_strips() {
            true => (Layout::Strips, in_strips(vectors, width, count)),
            false => (Layout::Rows, turned(vectors, width)),
        };
        Self { numbers, width, count, layout }
    }

    /// The same, rounded to half the size, where the processor multiplies such numbers faster; whole elsewhere.
    pub fn of_halves(vectors: &[T], width: usize) -> Self {
        if !T::has_pairs() {
            return Self::of(vectors, width);
        }
        let (count, half) = (vectors.len() / width.max(1), pairs_of::<T>(width));
        let mut pairs = vec![T::ZERO; count * half];
        let each = pairs.par_chunks_mut(half.max(1)).zip(vectors.par_chunks(width.max(1)));
        each.with_min_len(256).for_each(|(pairs, vector)| T::to_pairs(vector, pairs));
        Self { numbers: in_strips(&pairs, half, count), width, count, layout: Layout::Pairs }
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
        let count = rows.len() / self.width.max(1);
        let shape = [count, self.width, self.count];
        match self.layout {
            Layout::Rows => {
                let across = plain(&self.numbers, self.count);
                T::multiply(shape, plain(rows, self.width), across, products, Onto::Nothing);
            }
            Layout::Strips => T::multiply_strips(shape, plain(rows, self.width), &self.numbers, products),
            Layout::Pairs => {
                let (half, [_, rows_at_once]) = (pairs_of::<T>(self.width), T::fill_of_pairs());
                let mut pairs = vec![T::ZERO; count.next_multiple_of(rows_at_once) * half];
                let each = pairs.chunks_exact_mut(half.max(1)).zip(rows.chunks_exact(self.width.max(1)));
                each.for_each(|(pairs, row)| T::to_pairs(row, pairs));
                T::multiply_pairs([count, half, self.count], &pairs, &self.numbers, products);
            }
        }
    }
}

/// How many pairs a vector of so many numbers becomes; those after the last are zero.
fn pairs_of<T: Real>(width: usize) -> usize {
    width.div_ceil(2).next_multiple_of(T::fill_of_pairs()[0])
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
    use crate::compute::half;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn halves_are_rounded_to_eight_bits_and_no_more(rows in 0..80usize, width in 1..150usize, count in 0..200usize) {
            let number = |at: usize| ((at * 7919 + 3) % 1000) as f32 / 500.0 - 1.0;
            let vectors: Vec<f32> = (0..count * width).map(number).collect();
            let asked: Vec<f32> = (0..rows * width).map(|at| number(at + 17)).collect();
            let mut products = vec![9.0; rows * count];
            Across::of_halves(&vectors, width).times(&asked, &mut products);
            let rounded = |x: f32| match f32::has_pairs() {
                true => f64::from(half::widened(half::rounded(x))),
                false => f64::from(x),
            };
            for (at, &found) in products.iter().enumerate() {
                let (row, vector) = (at / count, at % count);
                let pairs = asked[row * width..].iter().zip(&vectors[vector * width..]).take(width);
                let exact: f64 = pairs.map(|(&a, &b)| rounded(a) * rounded(b)).sum();
                prop_assert!((f64::from(found) - exact).abs() < 1e-3, "{found} {exact}");
            }
        }

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
