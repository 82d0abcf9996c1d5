//! How is a product of small matrices computed at full speed?
//!
//! The products of a step have few rows at a time and a right side that stays in the cache, where a general GEMM spends
//! a fifth of its time on packing. Here six rows times sixty-four columns are summed in registers, straight from where
//! the numbers lie, or from strips where a right side is used again and again. For AVX-512 and `f32`; everything else
//! goes the general way. Where two numbers of half the size share the room of one (`half`), the same tiles take
//! both at a time, or a unit for matrices does (`amx`).

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512, __m512bh, _mm512_add_ps, _mm512_dpbf16_ps, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps,
};

#[cfg(target_arch = "x86_64")]
use super::amx;
use super::level::{Level, level};
use super::real::{Onto, Strided};

/// Rows of a tile. Who calls does well to come with a multiple of it.
#[cfg(target_arch = "x86_64")]
const ROWS: usize = 6;
/// Vectors of a row of a tile, and numbers of a vector: 24 sums and 4 factors fill the 32 registers.
const VECTORS: usize = 4;
const LANES: usize = 16;
/// Columns of a tile.
pub(super) const COLUMNS: usize = VECTORS * LANES;
/// So many steps of the inner sum share a packed strip of the right side, which then fits into the cache next to the
/// processor.
#[cfg(target_arch = "x86_64")]
const DEPTH: usize = 512;

/// `c = a · b`, or added to what is in `c`, if this way can be taken: the right side lies row after row, and is wide
/// enough. The caller made sure that all indices of the shape lie within the three matrices.
#[allow(unsafe_code)]
pub(super) fn multiply(
    shape: [usize; 3],
    a: Strided<'_, f32>,
    b: Strided<'_, f32>,
    c: &mut [f32],
    onto: Onto,
) -> bool {
    let [m, k, n] = shape;
    let fits = b.column_step == 1 && n >= COLUMNS / 2 && k >= 1;
    assert!(a.covers(m, k) && b.covers(k, n) && c.len() >= m * n, "a matrix is too small");
    #[cfg(target_arch = "x86_64")]
    if fits && level() == Level::Avx512 {
        for first in (0..k).step_by(DEPTH) {
            let depth = DEPTH.min(k - first);
            let a = Strided { data: &a.data[first * a.column_step..], ..a };
            let b = Strided { data: &b.data[first * b.row_step..], ..b };
            let onto = if first > 0 { Onto::Sum } else { onto };
            // SAFETY: the level says that the processor has these instructions, and the assertion above that every
            // index lies within its slice; so do those of a part of the inner sum.
            unsafe { by_tiles([m, depth, n], a, b, c, onto) };
        }
        return true;
    }
    let _ = (fits, onto);
    false
}

/// Whether a right side is worth laying out in strips: what [`multiply_strips`] asks for.
pub(super) fn has_strips() -> bool {
    cfg!(target_arch = "x86_64") && level() == Level::Avx512
}

/// Whether tiles take pairs of half the size: what [`multiply_pairs`] asks for.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_pairs() -> bool {
    has_strips() && is_x86_feature_detected!("avx512bf16")
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn has_pairs() -> bool {
    false
}

/// `c = a · b`, where the right side lies in strips of [`COLUMNS`] columns, each row after row; the last is filled up.
#[allow(unsafe_code)]
pub(super) fn multiply_strips(shape: [usize; 3], a: Strided<'_, f32>, strips: &[f32], c: &mut [f32]) {
    assert!(has_strips(), "this processor has no tiles");
    #[cfg(target_arch = "x86_64")]
    each_strip(shape, a, strips, c, |strip, column, c| {
        // SAFETY: the assertion says that the processor has these instructions, and `each_strip` that all indices of the
        // shape lie within the three matrices.
        unsafe { strip_by_tiles(shape, &a, strip, column, c, Onto::Nothing) };
    });
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (shape, a, strips, c);
}

/// How rows of pairs must be filled up: by how many pairs are summed at a time, and how many rows are taken at a time.
pub(super) fn fill_of_pairs() -> [usize; 2] {
    #[cfg(target_arch = "x86_64")]
    if amx::has_unit() {
        return [amx::PAIRS, amx::BLOCK];
    }
    [1, 1]
}

/// The same of pairs: each number of `a` and of the strips is the bits of two, whose products are added. Both are filled up
/// as [`fill_of_pairs`] says; `a` lies row after row.
#[allow(unsafe_code)]
pub(super) fn multiply_pairs(shape: [usize; 3], a: &[f32], strips: &[f32], c: &mut [f32]) {
    assert!(has_pairs(), "this processor has no tiles of pairs");
    #[cfg(target_arch = "x86_64")]
    if amx::has_unit() {
        return amx::multiply(shape, a, strips, c);
    }
    #[cfg(target_arch = "x86_64")]
    let a = super::matrix::plain(a, shape[1]);
    #[cfg(target_arch = "x86_64")]
    each_strip(shape, a, strips, c, |strip, column, c| {
        // SAFETY: likewise.
        unsafe { strip_by_tiles_of_pairs(shape, &a, strip, column, c, Onto::Nothing) };
    });
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (shape, a, strips, c);
}

/// Calls something for each strip, with its first column; all its indices lie within the three matrices.
#[cfg(target_arch = "x86_64")]
fn each_strip(
    [m, k, n]: [usize; 3],
    a: Strided<'_, f32>,
    strips: &[f32],
    c: &mut [f32],
    call: impl Fn(Strip, usize, &mut [f32]),
) {
    let fits = a.covers(m, k) && strips.len() >= n.div_ceil(COLUMNS) * k * COLUMNS && c.len() >= m * n;
    assert!(fits, "a matrix is too small");
    for column in (0..n).step_by(COLUMNS) {
        let data = strips[column * k..(column + COLUMNS) * k].as_ptr();
        call(Strip { data, step: COLUMNS, width: COLUMNS.min(n - column) }, column, c);
    }
}

/// # Safety
///
/// The processor has AVX-512, all indices of the shape lie within the three matrices, `b` lies row after row, and `k` is
/// at most DEPTH.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[allow(unsafe_code)]
unsafe fn by_tiles(
    [m, k, n]: [usize; 3],
    a: Strided<'_, f32>,
    b: Strided<'_, f32>,
    c: &mut [f32],
    onto: Onto,
) {
    let mut packed = Packed([MaybeUninit::uninit(); DEPTH * COLUMNS]);
    // Rows that lie far apart fall on the same places of the cache.
    let is_far = b.row_step > COLUMNS && m > 4 * ROWS;
    for column in (0..n).step_by(COLUMNS) {
        let width = COLUMNS.min(n - column);
        let mut strip = Strip { data: b.data[column..].as_ptr(), step: b.row_step, width };
        if is_far || width < COLUMNS {
            let to = packed.0.as_mut_ptr().cast::<f32>();
            for row in 0..k {
                let from = &b.data[row * b.row_step + column..][..width];
                // SAFETY: k is at most DEPTH, so that the row lies within `packed`, which nothing else points to.
                unsafe {
                    to.add(row * COLUMNS).copy_from_nonoverlapping(from.as_ptr(), width);
                    to.add(row * COLUMNS + width).write_bytes(0, COLUMNS - width);
                }
            }
            strip = Strip { data: to, step: COLUMNS, width };
        }
        // SAFETY: the strip is what it says, and the rest is the contract of this function.
        unsafe { strip_by_tiles([m, k, n], &a, strip, column, c, onto) };
    }
}

/// Room for a strip that has to be copied, at the start of a line of the cache.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct Packed([MaybeUninit<f32>; DEPTH * COLUMNS]);

/// COLUMNS columns of the right side, of which the first `width` count.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Strip {
    data: *const f32,
    step: usize,
    width: usize,
}

/// Tiles for what a processor can do with two vectors and a sum.
#[cfg(target_arch = "x86_64")]
macro_rules! tiles {
    ($strip_by_tiles:ident, $tile:ident, $features:literal, $add:ident) => {
        /// All rows of the left side times one strip, written from a column on.
        ///
        /// # Safety
        ///
        /// The processor has these instructions, m rows of `a` and k rows of the strip are there, and in `c` the columns
        /// of the strip.
        #[target_feature(enable = $features)]
        #[allow(unsafe_code)]
        unsafe fn $strip_by_tiles(
            [m, k, n]: [usize; 3],
            a: &Strided<'_, f32>,
            strip: Strip,
            column: usize,
            c: &mut [f32],
            onto: Onto,
        ) {
            let whole = m / ROWS * ROWS;
            for row in (0..whole).step_by(ROWS) {
                // SAFETY: by the contract, ROWS rows from `row` on are there, and in `c` the columns of the strip.
                unsafe { $tile::<ROWS>(k, a, row, strip, c.as_mut_ptr().add(row * n + column), n, onto) };
            }
            // SAFETY: likewise, the rows that are left.
            unsafe {
                let c = c.as_mut_ptr().add(whole * n + column);
                match m - whole {
                    1 => $tile::<1>(k, a, whole, strip, c, n, onto),
                    2 => $tile::<2>(k, a, whole, strip, c, n, onto),
                    3 => $tile::<3>(k, a, whole, strip, c, n, onto),
                    4 => $tile::<4>(k, a, whole, strip, c, n, onto),
                    5 => $tile::<5>(k, a, whole, strip, c, n, onto),
                    _ => {}
                }
            }
        }

        /// # Safety
        ///
        /// The processor has these instructions; R rows of `a` from `row` on, k rows of the strip, and R rows of `c`, as
        /// wide as the strip, are there.
        #[inline]
        #[target_feature(enable = $features)]
        #[allow(unsafe_code)]
        unsafe fn $tile<const R: usize>(
            k: usize,
            a: &Strided<'_, f32>,
            row: usize,
            b: Strip,
            c: *mut f32,
            c_step: usize,
            onto: Onto,
        ) {
            let mut sums: [[__m512; VECTORS]; R] = [[_mm512_setzero_ps(); VECTORS]; R];
            // SAFETY: the contract covers every row and column that is read or written.
            unsafe {
                let first = a.data.as_ptr().add(row * a.row_step);
                for l in 0..k {
                    let right = b.data.add(l * b.step);
                    let mut factors = [_mm512_setzero_ps(); VECTORS];
                    for (vector, factor) in factors.iter_mut().enumerate() {
                        *factor = _mm512_loadu_ps(right.add(vector * LANES));
                    }
                    for (at, sums) in sums.iter_mut().enumerate() {
                        let left = _mm512_set1_ps(*first.add(at * a.row_step + l * a.column_step));
                        for (sum, &factor) in sums.iter_mut().zip(&factors) {
                            *sum = $add(left, factor, *sum);
                        }
                    }
                }
                for (at, sums) in sums.iter().enumerate() {
                    for (vector, &sum) in sums.iter().enumerate() {
                        // Past the end where the mask is empty, and then not touched.
                        let to = c.wrapping_add(at * c_step + vector * LANES);
                        let left = b.width.saturating_sub(vector * LANES);
                        let mask = if left >= LANES { u16::MAX } else { (1 << left) - 1 };
                        let before = match onto {
                            Onto::Sum => _mm512_maskz_loadu_ps(mask, to),
                            Onto::Nothing => _mm512_setzero_ps(),
                        };
                        _mm512_mask_storeu_ps(to, mask, _mm512_add_ps(before, sum));
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
tiles!(strip_by_tiles, tile, "avx512f", add_products);
#[cfg(target_arch = "x86_64")]
tiles!(strip_by_tiles_of_pairs, tile_of_pairs, "avx512f,avx512bf16", add_products_of_pairs);

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn add_products(left: __m512, right: __m512, sum: __m512) -> __m512 {
    _mm512_fmadd_ps(left, right, sum)
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
#[allow(unsafe_code)]
fn add_products_of_pairs(left: __m512, right: __m512, sum: __m512) -> __m512 {
    // SAFETY: both are 512 bits without meaning of their own; what they hold are pairs.
    let (left, right) = unsafe {
        (std::mem::transmute::<__m512, __m512bh>(left), std::mem::transmute::<__m512, __m512bh>(right))
    };
    _mm512_dpbf16_ps(sum, left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::matrix::{plain, transposed};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn tiles_equal_the_definition(
            m in 1..70usize, k in 1..1200usize, n in COLUMNS / 2..300usize, turned in any::<bool>(), sum in any::<bool>(),
        ) {
            let numbers = |count: usize, seed: usize| -> Vec<f32> {
                (0..count).map(|i| ((i * 7919 + seed) % 1000) as f32 / 500.0 - 1.0).collect()
            };
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            let strided = if turned { transposed(&a, m) } else { plain(&a, k) };
            let onto = if sum { Onto::Sum } else { Onto::Nothing };
            let mut c = vec![0.5; m * n];
            if !multiply([m, k, n], strided, plain(&b, n), &mut c, onto) {
                // Without AVX-512 there is nothing to compare.
                return Ok(());
            }
            for i in 0..m {
                for j in 0..n {
                    let left = |l: usize| if turned { a[l * m + i] } else { a[i * k + l] };
                    let exact: f64 = (0..k).map(|l| f64::from(left(l)) * f64::from(b[l * n + j])).sum();
                    let exact = exact + if sum { 0.5 } else { 0.0 };
                    prop_assert!((f64::from(c[i * n + j]) - exact).abs() < 1e-4 * (1.0 + k as f64).sqrt());
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let (a, b) = (vec![1.0; 6 * 8], vec![1.0; 8 * COLUMNS]);
        let mut c = vec![0.0; 6 * COLUMNS];
        assert!(!multiply([6, 8, COLUMNS / 4], plain(&a, 8), plain(&b, COLUMNS / 4), &mut c, Onto::Nothing));
        assert!(!multiply([6, 8, COLUMNS], plain(&a, 8), transposed(&b, 8), &mut c, Onto::Nothing));
        assert!(c.iter().all(|&x| x == 0.0));
    }
}
