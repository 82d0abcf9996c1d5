//! How near are a query and an answer?
//!
//! ```text
//! product    q · c
//! l1         −Σ |qᵢ − cᵢ|
//! l2         −√ Σ (qᵢ − cᵢ)²
//! moduli     −Σ |qᵢ − cᵢ|, numbers being complex: the first half of a vector real parts, the second imaginary ones
//! ```
//!
//! Between many queries and many answers, `product` and `l2` are products of matrices; the others go through all pairs.
//! Differences have the same gradient for the answer as for the query, with the other sign.

use crate::compute::across::Across;
use crate::compute::matrix::{plain, turned};
use crate::compute::real::Strided;
use crate::compute::rows::add_scaled;
use crate::compute::{Onto, Real, kernel};

/// What makes a score of two vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Their product.
    Product,
    /// How little they differ, as a sum.
    L1,
    /// How little they differ, as a length.
    L2,
    /// How little their complex numbers differ, as a sum.
    Moduli,
}

/// How exactly products of many queries and answers are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// As numbers are.
    Single,
    /// Of numbers that are rounded to half their size first, where the processor gains by it; sums have all bits. Lengths
    /// are differences of large products, and stay exact.
    Half,
}

/// Answers, laid out once so that any number of queries can be compared with all of them.
#[derive(Debug)]
pub struct Laid<T> {
    measure: Measure,
    width: usize,
    layout: Layout<T>,
}

#[derive(Debug)]
enum Layout<T> {
    /// For products, with the squares of answers where lengths are asked for.
    Products(Across<T>, Vec<T>),
    /// The answers as columns, and their number.
    Columns(Vec<T>, usize),
}

impl<T: Real> Laid<T> {
    /// The scores of some queries and all answers.
    pub fn scores(&self, queries: &[T], out: &mut [T]) {
        match &self.layout {
            Layout::Columns(across, count) => self.measure.between(self.width, queries, across, *count, out),
            Layout::Products(across, squares) => {
                across.times(queries, out);
                if self.measure == Measure::L2 {
                    let each =
                        out.chunks_exact_mut(across.len().max(1)).zip(queries.chunks_exact(self.width));
                    each.for_each(|(out, query)| lengths(out, sum_of_products(query, query), squares));
                }
            }
        }
    }
}

/// Squares of lengths come out of products with an error of this part of what was multiplied; nothing is nearer.
const NEAREST: f64 = 1e-6;
/// Keeps what is divided by a length finite.
const SHORTEST: f64 = 1e-12;

impl Measure {
    /// The score of one query and one answer.
    pub fn of<T: Real>(self, query: &[T], answer: &[T]) -> T {
        match self {
            Self::Product => sum_of_products(query, answer),
            Self::L1 => -sum_of_differences(query, answer),
            Self::L2 => -sum_of_squares(query, answer).sqrt(),
            Self::Moduli => {
                let half = query.len() / 2;
                -sum_of_moduli(&query[..half], &query[half..], &answer[..half], &answer[half..])
            }
        }
    }

    /// `out += factor · ∂score/∂query`, where the score is known. For the answer of a difference, it is the negative.
    pub fn pull<T: Real>(self, out: &mut [T], query: &[T], answer: &[T], score: T, factor: T) {
        match self {
            Self::Product => add_scaled(out, answer, factor),
            Self::L1 => pull_signs(out, query, answer, factor),
            Self::L2 => {
                let length = (-score).larger(T::of(SHORTEST));
                pull_differences(out, query, answer, factor / length);
            }
            Self::Moduli => {
                let half = query.len() / 2;
                let (out_re, out_im) = out.split_at_mut(half);
                let (query, answer) = (query.split_at(half), answer.split_at(half));
                pull_moduli(out_re, out_im, query.0, query.1, answer.0, answer.1, factor);
            }
        }
    }

    /// Lays answers out, for products of a precision.
    pub fn lay_out<T: Real>(self, answers: &[T], width: usize, precision: Precision) -> Laid<T> {
        let square = |answer: &[T]| sum_of_products(answer, answer);
        let layout = match self {
            Self::Product if precision == Precision::Half => {
                Layout::Products(Across::of_halves(answers, width), Vec::new())
            }
            Self::Product => Layout::Products(Across::of(answers, width), Vec::new()),
            Self::L2 => {
                let squares = answers.chunks_exact(width).map(square).collect();
                Layout::Products(Across::of(answers, width), squares)
            }
            Self::L1 | Self::Moduli => Layout::Columns(turned(answers, width), answers.len() / width),
        };
        Laid { measure: self, width, layout }
    }

    /// The scores of some queries and all answers; `across` has the answers as columns, `count` of them.
    pub fn between<T: Real>(self, width: usize, queries: &[T], across: &[T], count: usize, out: &mut [T]) {
        let rows = queries.len() / width;
        match self {
            Self::Product => {
                T::multiply(
                    [rows, width, count],
                    plain(queries, width),
                    plain(across, count),
                    out,
                    Onto::Nothing,
                );
            }
            Self::L2 => {
                T::multiply(
                    [rows, width, count],
                    plain(queries, width),
                    plain(across, count),
                    out,
                    Onto::Nothing,
                );
                let mut squares = vec![T::ZERO; count];
                across.chunks_exact(count).for_each(|row| add_squares(&mut squares, row));
                for (out, query) in out.chunks_exact_mut(count).zip(queries.chunks_exact(width)) {
                    lengths(out, sum_of_products(query, query), &squares);
                }
            }
            Self::L1 => {
                for (out, query) in out.chunks_exact_mut(count).zip(queries.chunks_exact(width)) {
                    out.fill(T::ZERO);
                    for (&q, column) in query.iter().zip(across.chunks_exact(count)) {
                        take_differences(out, q, column);
                    }
                }
            }
            Self::Moduli => {
                let half = width / 2;
                let (real, imaginary) = across.split_at(half * count);
                for (out, query) in out.chunks_exact_mut(count).zip(queries.chunks_exact(width)) {
                    out.fill(T::ZERO);
                    let columns = real.chunks_exact(count).zip(imaginary.chunks_exact(count));
                    for (at, (real, imaginary)) in columns.enumerate() {
                        take_moduli(out, query[at], query[half + at], real, imaginary);
                    }
                }
            }
        }
    }

    /// `to += Σ ∂score/∂query` for some queries against all answers. `scores` are what they were, if lengths; `dense`
    /// has what flows back to them, and for lengths is divided by them, as [`back_to_answers`](Self::back_to_answers)
    /// expects it.
    pub fn back_to_queries<T: Real>(
        self,
        width: usize,
        queries: &[T],
        answers: &[T],
        scores: &[T],
        dense: &mut [T],
        to: &mut [T],
    ) {
        let (rows, count) = (queries.len() / width, answers.len() / width);
        match self {
            Self::Product => {
                T::multiply([rows, count, width], plain(dense, count), plain(answers, width), to, Onto::Sum);
            }
            // Σ g (c − q) / ‖c − q‖: a product, less a multiple of each query.
            Self::L2 => {
                divide_by_lengths(dense, scores);
                T::multiply([rows, count, width], plain(dense, count), plain(answers, width), to, Onto::Sum);
                let each = dense.chunks_exact(count).zip(queries.chunks_exact(width));
                for (to, (dense, query)) in to.chunks_exact_mut(width).zip(each) {
                    add_scaled(to, query, -sum_of(dense));
                }
            }
            Self::L1 | Self::Moduli => {
                let each = dense.chunks_exact(count).zip(queries.chunks_exact(width));
                for (to, (dense, query)) in to.chunks_exact_mut(width).zip(each) {
                    for (&factor, answer) in dense.iter().zip(answers.chunks_exact(width)) {
                        self.pull(to, query, answer, T::ZERO, factor);
                    }
                }
            }
        }
    }

    /// `to += Σ ∂score/∂answer` for all queries against some answers, from `first` on.
    pub fn back_to_answers<T: Real>(
        self,
        width: usize,
        queries: &[T],
        answers: &[T],
        dense: &[T],
        first: usize,
        to: &mut [T],
    ) {
        let (rows, count, own) = (queries.len() / width, answers.len() / width, to.len() / width);
        let columns = Strided { data: &dense[first..], row_step: 1, column_step: count };
        match self {
            Self::Product => T::multiply([own, rows, width], columns, plain(queries, width), to, Onto::Sum),
            Self::L2 => {
                T::multiply([own, rows, width], columns, plain(queries, width), to, Onto::Sum);
                let mut sums = vec![T::ZERO; own];
                for dense in dense.chunks_exact(count) {
                    add_scaled(&mut sums, &dense[first..first + own], T::ONE);
                }
                let own_answers = answers[first * width..].chunks_exact(width);
                for ((to, answer), sum) in to.chunks_exact_mut(width).zip(own_answers).zip(sums) {
                    add_scaled(to, answer, -sum);
                }
            }
            Self::L1 | Self::Moduli => {
                for (at, to) in to.chunks_exact_mut(width).enumerate() {
                    let answer = &answers[(first + at) * width..(first + at + 1) * width];
                    for (query, dense) in queries.chunks_exact(width).zip(dense.chunks_exact(count)) {
                        self.pull(to, query, answer, T::ZERO, -dense[first + at]);
                    }
                }
            }
        }
    }
}

/// Sums in so many lanes are vector instructions; their order is fixed.
const LANES: usize = 16;

/// The loops of a sum over two vectors.
macro_rules! sum_in_lanes {
    ($a:ident, $b:ident, |$x:ident, $y:ident| $term:expr) => {{
        let mut sums = [T::ZERO; LANES];
        let (whole_a, rest_a) = $a.as_chunks::<LANES>();
        let (whole_b, rest_b) = $b.as_chunks::<LANES>();
        for (a, b) in whole_a.iter().zip(whole_b) {
            for ((sum, &$x), &$y) in sums.iter_mut().zip(a).zip(b) {
                *sum += $term;
            }
        }
        for ((sum, &$x), &$y) in sums.iter_mut().zip(rest_a).zip(rest_b) {
            *sum += $term;
        }
        let mut sum = T::ZERO;
        for lane in sums {
            sum += lane;
        }
        sum
    }};
}

kernel! {
    /// Σ a b.
    pub fn sum_of_products(a: &[T], b: &[T]) -> T {
        sum_in_lanes!(a, b, |x, y| x * y)
    }
}

kernel! {
    /// Σ |a − b|.
    pub fn sum_of_differences(a: &[T], b: &[T]) -> T {
        sum_in_lanes!(a, b, |x, y| (x - y).abs())
    }
}

kernel! {
    /// Σ (a − b)².
    pub fn sum_of_squares(a: &[T], b: &[T]) -> T {
        sum_in_lanes!(a, b, |x, y| (x - y) * (x - y))
    }
}

kernel! {
    /// Σ |a − b| of complex numbers.
    pub fn sum_of_moduli(a_re: &[T], a_im: &[T], b_re: &[T], b_im: &[T]) -> T {
        let mut sums = [T::ZERO; LANES];
        let reals = a_re.chunks(LANES).zip(b_re.chunks(LANES));
        for ((a_re, b_re), (a_im, b_im)) in reals.zip(a_im.chunks(LANES).zip(b_im.chunks(LANES))) {
            for (at, sum) in sums.iter_mut().enumerate().take(a_re.len()) {
                let (re, im) = (a_re[at] - b_re[at], a_im[at] - b_im[at]);
                *sum += (re * re + im * im).sqrt();
            }
        }
        let mut sum = T::ZERO;
        for lane in sums {
            sum += lane;
        }
        sum
    }
}

kernel! {
    /// `out += factor · sign(b − a)`.
    pub fn pull_signs(out: &mut [T], a: &[T], b: &[T], factor: T) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            let up = if b > a { factor } else { T::ZERO };
            let down = if b < a { factor } else { T::ZERO };
            *out += up - down;
        }
    }
}

kernel! {
    /// `out += factor · (b − a)`.
    pub fn pull_differences(out: &mut [T], a: &[T], b: &[T], factor: T) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out += factor * (b - a);
        }
    }
}

kernel! {
    /// `out += factor · (b − a) / |b − a|` of complex numbers.
    pub fn pull_moduli(
        out_re: &mut [T], out_im: &mut [T], a_re: &[T], a_im: &[T], b_re: &[T], b_im: &[T], factor: T,
    ) {
        let places = out_re.iter_mut().zip(out_im.iter_mut()).zip(a_re).zip(a_im).zip(b_re).zip(b_im);
        for (((((out_re, out_im), &a_re), &a_im), &b_re), &b_im) in places {
            let (re, im) = (b_re - a_re, b_im - a_im);
            let length = (re * re + im * im).sqrt().larger(T::of(SHORTEST));
            *out_re += factor * re / length;
            *out_im += factor * im / length;
        }
    }
}

kernel! {
    /// `sums += row²`.
    pub fn add_squares(sums: &mut [T], row: &[T]) {
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum += x * x;
        }
    }
}

kernel! {
    /// Products of one query become lengths of differences, negative; squares of all vectors are known.
    pub fn lengths(products: &mut [T], own: T, others: &[T]) {
        for (product, &other) in products.iter_mut().zip(others) {
            let both = own + other;
            let square = (both - *product - *product).larger(T::of(NEAREST) * both);
            *product = -square.sqrt();
        }
    }
}

kernel! {
    /// Divides by lengths, which are given as scores: negative.
    pub fn divide_by_lengths(numbers: &mut [T], scores: &[T]) {
        for (x, &score) in numbers.iter_mut().zip(scores) {
            *x = *x / (-score).larger(T::of(SHORTEST));
        }
    }
}

kernel! {
    /// The sum of all numbers, in lanes.
    pub fn sum_of(numbers: &[T]) -> T {
        let mut sums = [T::ZERO; LANES];
        for numbers in numbers.chunks(LANES) {
            for (sum, &x) in sums.iter_mut().zip(numbers) {
                *sum += x;
            }
        }
        let mut sum = T::ZERO;
        for lane in sums {
            sum += lane;
        }
        sum
    }
}

kernel! {
    /// `out −= |number − row|`.
    pub fn take_differences(out: &mut [T], number: T, row: &[T]) {
        for (out, &x) in out.iter_mut().zip(row) {
            *out -= (number - x).abs();
        }
    }
}

kernel! {
    /// `out −= |number − row|` of complex numbers.
    pub fn take_moduli(out: &mut [T], number_re: T, number_im: T, row_re: &[T], row_im: &[T]) {
        for ((out, &x), &y) in out.iter_mut().zip(row_re).zip(row_im) {
            let (re, im) = (number_re - x, number_im - y);
            *out -= (re * re + im * im).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::matrix::turned;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    const ALL: [Measure; 4] = [Measure::Product, Measure::L1, Measure::L2, Measure::Moduli];

    #[test]
    fn scores_worked_by_hand() {
        let (query, answer) = ([1.0, 2.0, 0.0, -1.0], [4.0, 2.0, 4.0, 0.0f64]);
        assert_eq!(Measure::Product.of(&query, &answer), 8.0);
        assert_eq!(Measure::L1.of(&query, &answer), -8.0);
        assert_eq!(Measure::L2.of(&query, &answer), -26f64.sqrt());
        // 1 + 0i and 4 + 4i are 5 apart, 2 − i and 2 + 0i are 1 apart.
        assert_eq!(Measure::Moduli.of(&query, &answer), -6.0);
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, half in 1..30usize) {
            let both = numbers(4 * half, seed);
            let (query, answer) = both.split_at(2 * half);
            // Where two numbers meet, the size of their difference has no gradient.
            prop_assume!(query.iter().zip(answer).all(|(q, a)| (q - a).abs() > 1e-3));
            for measure in ALL {
                let mut gradient = vec![0.0; 2 * half];
                measure.pull(&mut gradient, query, answer, measure.of(query, answer), 1.5);
                prop_assert!(agrees(query, &gradient, |query| 1.5 * measure.of(query, answer)), "{measure:?}");
                if measure != Measure::Product {
                    gradient.iter_mut().for_each(|x| *x = -*x);
                    prop_assert!(agrees(answer, &gradient, |answer| 1.5 * measure.of(query, answer)));
                }
            }
        }

        #[test]
        fn many_are_scored_as_one(seed in 0..100u64, half in 1..20usize, queries in 1..5usize, answers in 1..40usize) {
            let width = 2 * half;
            let all = numbers((queries + answers) * width, seed);
            let (asked, given) = all.split_at(queries * width);
            for measure in ALL {
                let mut out = vec![0.0; queries * answers];
                measure.between(width, asked, &turned(given, width), answers, &mut out);
                for (at, found) in out.iter().enumerate() {
                    let (query, answer) = (at / answers, at % answers);
                    let one = measure.of(
                        &asked[query * width..(query + 1) * width], &given[answer * width..(answer + 1) * width],
                    );
                    prop_assert!((one - found).abs() < 1e-9, "{measure:?}: {one} {found}");
                }
                let mut laid = vec![0.0; queries * answers];
                measure.lay_out(given, width, Precision::Single).scores(asked, &mut laid);
                prop_assert!(laid.iter().zip(&out).all(|(laid, out)| (laid - out).abs() < 1e-9), "{measure:?}");
            }
        }

        #[test]
        fn halves_round_products_and_nothing_else(seed in 0..100u64, half in 1..20usize, answers in 1..40usize) {
            let width = 2 * half;
            let all: Vec<f32> = numbers((3 + answers) * width, seed).into_iter().map(|x| x as f32).collect();
            let (asked, given) = all.split_at(3 * width);
            let scores = |measure: Measure, precision| {
                let mut out = vec![0.0; 3 * answers];
                measure.lay_out(given, width, precision).scores(asked, &mut out);
                out
            };
            for measure in ALL {
                let [single, half] = [Precision::Single, Precision::Half].map(|precision| scores(measure, precision));
                let is_rounded = measure == Measure::Product && f32::has_pairs();
                prop_assert_eq!(single != half, is_rounded, "{:?}", measure);
                // Each of two factors is off by a 256th at most, and none is above 1.
                let most = width as f32 / 127.0;
                prop_assert!(single.iter().zip(&half).all(|(single, half)| (single - half).abs() <= most));
            }
        }
    }
}
