//! What is a number?
//!
//! `f32` when training, `f64` when gradients are compared with finite differences: every kernel and every layer is
//! written once for both.

mod exponential;

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::level::{Level, level};
use super::{half, tile};

/// A floating-point number.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;

    /// The nearest number of this kind.
    fn of(value: f64) -> Self;
    /// This number with all the precision there is.
    fn to_f64(self) -> f64;
    /// e to its power.
    fn exp(self) -> Self;
    /// Its natural logarithm.
    fn ln(self) -> Self;
    /// Its square root.
    fn sqrt(self) -> Self;
    /// Its magnitude.
    fn abs(self) -> Self;
    /// Neither infinite nor not a number.
    fn is_finite(self) -> bool;

    /// `c = a · b`, or added to what is in `c`, for matrices with any strides.
    fn multiply(shape: [usize; 3], a: Strided<'_, Self>, b: Strided<'_, Self>, c: &mut [Self], onto: Onto);

    /// Whether [`multiply_strips`](Self::multiply_strips) can be taken.
    fn has_strips() -> bool {
        false
    }

    /// `c = a · b` where the right side lies in strips; see [`Across`](super::across::Across), which alone knows them.
    fn multiply_strips(_: [usize; 3], _: Strided<'_, Self>, _: &[Self], _: &mut [Self]) {
        unreachable!("numbers of this kind have no strips")
    }

    /// Whether [`multiply_pairs`](Self::multiply_pairs) can be taken.
    fn has_pairs() -> bool {
        false
    }

    /// How rows of pairs are filled up: to multiples of so many pairs, and of so many rows.
    fn fill_of_pairs() -> [usize; 2] {
        [1, 1]
    }

    /// Rounds numbers to half their size, and packs two into the room of one.
    fn to_pairs(_: &[Self], _: &mut [Self]) {
        unreachable!("numbers of this kind have no pairs")
    }

    /// `c = a · b` of pairs, where the left side lies row after row and the right side in strips; see
    /// [`Across`](super::across::Across).
    fn multiply_pairs(_: [usize; 3], _: &[Self], _: &[Self], _: &mut [Self]) {
        unreachable!("numbers of this kind have no pairs")
    }

    /// The larger of two numbers; a `NaN` on the right is passed on.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
}

/// What becomes of the numbers that a product is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onto {
    /// They are replaced.
    Nothing,
    /// They are added to.
    Sum,
}

/// A matrix as numbers with the steps from row to row and from column to column.
#[derive(Debug, Clone, Copy)]
pub struct Strided<'a, T> {
    /// The numbers.
    pub data: &'a [T],
    /// From one row to the next.
    pub row_step: usize,
    /// From one column to the next.
    pub column_step: usize,
}

impl<T> Strided<'_, T> {
    /// Whether all of `rows` × `columns` lies within the numbers.
    pub(super) fn covers(&self, rows: usize, columns: usize) -> bool {
        let last = rows.checked_sub(1).zip(columns.checked_sub(1));
        last.is_none_or(|(row, column)| row * self.row_step + column * self.column_step < self.data.len())
    }
}

/// By the definition: what the tuned product is compared with, and what runs where no instructions are assumed.
fn multiply_plainly<T: Real>(
    [m, k, n]: [usize; 3],
    a: Strided<'_, T>,
    b: Strided<'_, T>,
    c: &mut [T],
    onto: Onto,
) {
    for (i, c) in c.chunks_exact_mut(n).take(m).enumerate() {
        if onto == Onto::Nothing {
            c.fill(T::ZERO);
        }
        for l in 0..k {
            let a = a.data[i * a.row_step + l * a.column_step];
            let row = &b.data[l * b.row_step..];
            c.iter_mut().zip(row.iter().step_by(b.column_step)).for_each(|(c, &b)| *c += a * b);
        }
    }
}

macro_rules! real {
    ($kind:ident, $exp:path, $tiles:expr $(, $strips:item)*) => {
        impl Real for $kind {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $kind
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                $exp(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                self.ln()
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.is_finite()
            }

            $($strips)*

            #[allow(unsafe_code)]
            fn multiply(
                [m, k, n]: [usize; 3],
                a: Strided<'_, Self>,
                b: Strided<'_, Self>,
                c: &mut [Self],
                onto: Onto,
            ) {
                assert!(a.covers(m, k) && b.covers(k, n) && c.len() >= m * n, "a matrix is too small");
                if m == 0 || n == 0 {
                    return;
                }
                if level() == Level::Plain {
                    return multiply_plainly([m, k, n], a, b, c, onto);
                }
                if $tiles([m, k, n], a, b, &mut *c, onto) {
                    return;
                }
                // SAFETY: the assertion above says that every index of the three matrices lies within its slice, and
                // `c` is borrowed for writing, so that it overlaps with neither of the others.
                unsafe {
                    gemm::gemm(
                        m,
                        n,
                        k,
                        c.as_mut_ptr(),
                        1,
                        n as isize,
                        onto == Onto::Sum,
                        a.data.as_ptr(),
                        a.column_step as isize,
                        a.row_step as isize,
                        b.data.as_ptr(),
                        b.column_step as isize,
                        b.row_step as isize,
                        1.0,
                        1.0,
                        false,
                        false,
                        false,
                        // Blocks are shared among threads by who calls.
                        gemm::Parallelism::None,
                    );
                }
            }
        }
    };
}

real!(
    f32,
    exponential::exp,
    tile::multiply,
    fn has_strips() -> bool {
        tile::has_strips()
    },
    fn multiply_strips(shape: [usize; 3], a: Strided<'_, f32>, strips: &[f32], c: &mut [f32]) {
        tile::multiply_strips(shape, a, strips, c);
    },
    fn has_pairs() -> bool {
        tile::has_pairs()
    },
    fn to_pairs(numbers: &[f32], pairs: &mut [f32]) {
        half::to_pairs(numbers, pairs);
    },
    fn fill_of_pairs() -> [usize; 2] {
        tile::fill_of_pairs()
    },
    fn multiply_pairs(shape: [usize; 3], a: &[f32], strips: &[f32], c: &mut [f32]) {
        tile::multiply_pairs(shape, a, strips, c);
    }
);
real!(f64, f64::exp, |_, _, _, _: &mut [f64], _| false);
