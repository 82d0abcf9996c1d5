//! How are dense matrices multiplied?
//!
//! Matrices are row after row. Work is cut into blocks of rows that do not depend on the number of threads, and each
//! block is one call of a tuned GEMM, so that the bits do not depend on threads either.

use rayon::prelude::*;

use super::real::{Onto, Real, Strided};

/// Rows of one block: large enough to fill the caches, small enough to share among cores.
const BLOCK: usize = 256;

/// A matrix as it lies: row after row.
pub fn plain<T>(data: &[T], columns: usize) -> Strided<'_, T> {
    Strided { data, row_step: columns, column_step: 1 }
}

/// A matrix that lies row after row, turned.
pub fn transposed<T>(data: &[T], columns: usize) -> Strided<'_, T> {
    Strided { data, row_step: 1, column_step: columns }
}

/// A matrix of so many columns, turned and written out: for a right side that is used again and again.
pub fn turned<T: Real>(data: &[T], columns: usize) -> Vec<T> {
    // What is read and what is written stays in the cache next to the processor.
    const COLUMNS: usize = 16;
    const ROWS: usize = 64;
    let rows = data.len() / columns.max(1);
    let mut turned = vec![T::ZERO; rows * columns];
    turned.par_chunks_mut((COLUMNS * rows).max(1)).enumerate().for_each(|(block, turned)| {
        let first = block * COLUMNS;
        for start in (0..rows).step_by(ROWS) {
            for row in start..rows.min(start + ROWS) {
                let numbers = &data[row * columns + first..row * columns + columns.min(first + COLUMNS)];
                for (turned, &x) in turned.chunks_exact_mut(rows).zip(numbers) {
                    turned[row] = x;
                }
            }
        }
    });
    turned
}

/// `c (m×n) = a (m×k) · bᵀ`, with `b` given as n×k: rows of `a` against rows of `b`.
pub fn times_transposed<T: Real>(c: &mut [T], a: &[T], b: &[T], k: usize, n: usize) {
    c.par_chunks_mut(BLOCK * n).zip(a.par_chunks(BLOCK * k)).for_each(|(c, a)| {
        T::multiply([a.len() / k, k, n], plain(a, k), transposed(b, k), c, Onto::Nothing);
    });
}

/// `c (m×n) += a (m×k) · b (k×n)`.
pub fn add_times<T: Real>(c: &mut [T], a: &[T], b: &[T], k: usize, n: usize) {
    c.par_chunks_mut(BLOCK * n).zip(a.par_chunks(BLOCK * k)).for_each(|(c, a)| {
        T::multiply([a.len() / k, k, n], plain(a, k), plain(b, n), c, Onto::Sum);
    });
}

/// `c (m×n) += aᵀ · b`, with `a` given as r×m and `b` as r×n: what many rows say about a small matrix.
///
/// Rows are summed in blocks, and the blocks in a fixed order.
pub fn add_transposed_times<T: Real>(c: &mut [T], a: &[T], b: &[T], m: usize, n: usize) {
    const ROWS: usize = 4096;
    let parts: Vec<Vec<T>> = a
        .par_chunks(ROWS * m)
        .zip(b.par_chunks(ROWS * n))
        .map(|(a, b)| {
            let mut part = vec![T::ZERO; m * n];
            T::multiply([m, a.len() / m, n], transposed(a, m), plain(b, n), &mut part, Onto::Nothing);
            part
        })
        .collect();
    for part in parts {
        c.iter_mut().zip(part).for_each(|(c, part)| *c += part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(
        m: usize,
        k: usize,
        n: usize,
        a: impl Fn(usize, usize) -> f64,
        b: impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let cell = |i: usize, j: usize| (0..k).map(|l| a(i, l) * b(l, j)).sum();
        (0..m * n).map(|at| cell(at / n, at % n)).collect()
    }

    fn close(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-9)
    }

    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        (0..count as u64).map(|i| ((i * 7919 + seed * 104_729) % 1000) as f64 / 500.0 - 1.0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn products_equal_the_definition(m in 1..600usize, k in 1..9usize, n in 1..9usize, seed in 0..100u64) {
            let (a, b) = (numbers(m * k, seed), numbers(n * k, seed + 1));
            let mut c = vec![5.0; m * n];
            times_transposed(&mut c, &a, &b, k, n);
            prop_assert!(close(&c, &naive(m, k, n, |i, l| a[i * k + l], |l, j| b[j * k + l])));

            let b = numbers(k * n, seed + 2);
            let mut c = vec![0.0; m * n];
            add_times(&mut c, &a, &b, k, n);
            prop_assert!(close(&c, &naive(m, k, n, |i, l| a[i * k + l], |l, j| b[l * n + j])));

            let b = numbers(m * n, seed + 3);
            let mut c = vec![0.0; k * n];
            add_transposed_times(&mut c, &a, &b, k, n);
            prop_assert!(close(&c, &naive(k, m, n, |i, l| a[l * k + i], |l, j| b[l * n + j])));
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        let (a, b): (Vec<f32>, Vec<f32>) = (
            numbers(10_000 * 7, 1).iter().map(|&x| x as f32).collect(),
            numbers(10_000 * 5, 2).iter().map(|&x| x as f32).collect(),
        );
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut c = vec![0f32; 35];
            pool.install(|| add_transposed_times(&mut c, &a, &b, 7, 5));
            c.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(3));
    }
}
