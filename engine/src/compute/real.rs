//! What is a number?
//!
//! `f32` when training, `f64` when gradients are compared with finite differences: every kernel and every layer is
//! written once for both.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

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

    /// `c = alpha · a · b + beta · c` for matrices with any strides.
    fn multiply(
        shape: [usize; 3],
        alpha: Self,
        a: Strided<'_, Self>,
        b: Strided<'_, Self>,
        beta: Self,
        c: &mut [Self],
    );

    /// The larger of two numbers; a `NaN` on the right is passed on.
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
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
    fn covers(&self, rows: usize, columns: usize) -> bool {
        let last = rows.checked_sub(1).zip(columns.checked_sub(1));
        last.is_none_or(|(row, column)| row * self.row_step + column * self.column_step < self.data.len())
    }
}

macro_rules! real {
    ($kind:ident, $gemm:path) => {
        impl Real for $kind {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;

            fn of(value: f64) -> Self {
                value as $kind
            }
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            fn exp(self) -> Self {
                self.exp()
            }
            fn ln(self) -> Self {
                self.ln()
            }
            fn sqrt(self) -> Self {
                self.sqrt()
            }
            fn abs(self) -> Self {
                self.abs()
            }
            fn is_finite(self) -> bool {
                self.is_finite()
            }

            #[allow(unsafe_code)]
            fn multiply(
                [m, k, n]: [usize; 3],
                alpha: Self,
                a: Strided<'_, Self>,
                b: Strided<'_, Self>,
                beta: Self,
                c: &mut [Self],
            ) {
                assert!(a.covers(m, k) && b.covers(k, n) && c.len() >= m * n, "a matrix is too small");
                if m == 0 || n == 0 {
                    return;
                }
                let (a_row, a_column) = (a.row_step as isize, a.column_step as isize);
                let (b_row, b_column) = (b.row_step as isize, b.column_step as isize);
                // SAFETY: the assertion above says that every index of the three matrices lies within its slice, and
                // `c` is borrowed for writing, so that it overlaps with neither of the others.
                unsafe {
                    $gemm(
                        m,
                        k,
                        n,
                        alpha,
                        a.data.as_ptr(),
                        a_row,
                        a_column,
                        b.data.as_ptr(),
                        b_row,
                        b_column,
                        beta,
                        c.as_mut_ptr(),
                        n as isize,
                        1,
                    );
                }
            }
        }
    };
}

real!(f32, matrixmultiply::sgemm);
real!(f64, matrixmultiply::dgemm);
