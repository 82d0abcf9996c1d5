//! How do vectors of many numbers become points of a plane?
//!
//! By the plane in which they differ most: the first two principal components, found by orthogonal iteration from a
//! fixed beginning, so that the same vectors always give the same points.

/// More turns than any picture needs; those that are not settled by then are almost as good.
const MOST_TURNS: usize = 500;
/// The plane is settled when a turn moves it less than this.
const SETTLED: f64 = 1e-12;

/// A point for each row of `vectors`, which are `width` wide. A row with a number that is none has such a point, and is
/// not asked about the plane.
pub fn plane(vectors: &[f32], width: usize) -> Vec<(f32, f32)> {
    if width == 0 {
        return Vec::new();
    }
    let whole: Vec<bool> =
        vectors.chunks_exact(width).map(|row| row.iter().all(|value| value.is_finite())).collect();
    let rows = centred(vectors, width, &whole);
    let axes = axes(&rows, width);
    let mut points =
        rows.chunks_exact(width).map(|row| (dot(row, &axes[0]) as f32, dot(row, &axes[1]) as f32));
    let none = (f32::NAN, f32::NAN);
    whole.iter().map(|&whole| if whole { points.next().unwrap_or(none) } else { none }).collect()
}

/// The whole rows, moved so that their mean is 0, and scaled so that no square overflows.
fn centred(vectors: &[f32], width: usize, whole: &[bool]) -> Vec<f64> {
    let kept = vectors.chunks_exact(width).zip(whole).filter(|(_, whole)| **whole).map(|(row, _)| row);
    let mut rows: Vec<f64> = kept.flatten().map(|&value| f64::from(value)).collect();
    let count = (rows.len() / width).max(1) as f64;
    for column in 0..width {
        let mean = rows.iter().skip(column).step_by(width).sum::<f64>() / count;
        rows.iter_mut().skip(column).step_by(width).for_each(|value| *value -= mean);
    }
    rows
}

/// Two directions at right angles; the rows differ most along the first.
fn axes(rows: &[f64], width: usize) -> [Vec<f64>; 2] {
    let mut axes = [beginning(width, 1), beginning(width, 2)];
    make_orthonormal(&mut axes);
    for _ in 0..MOST_TURNS {
        let mut next = axes.each_ref().map(|axis| spread(rows, width, axis));
        make_orthonormal(&mut next);
        // What of the new axes lies outside the old plane.
        let outside = next.iter().map(|axis| 1.0 - dot(axis, &axes[0]).powi(2) - dot(axis, &axes[1]).powi(2));
        let moved = outside.fold(0.0, f64::max);
        axes = next;
        if moved < SETTLED {
            break;
        }
    }
    turn_to_principal(rows, width, &mut axes);
    axes.iter_mut().for_each(|axis| point_forward(axis));
    axes
}

/// Numbers without a pattern, the same each time.
fn beginning(width: usize, which: u64) -> Vec<f64> {
    let mut state = which.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (0..width)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 31) - 0.5
        })
        .collect()
}

/// XᵀX times an axis.
fn spread(rows: &[f64], width: usize, axis: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        let along = dot(row, axis);
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += along * value);
    }
    sum
}

/// Gram and Schmidt, twice for the second axis. An axis of which nothing is left becomes 0.
fn make_orthonormal([first, second]: &mut [Vec<f64>; 2]) {
    normalise(first);
    normalise(second);
    for _ in 0..2 {
        let along = dot(first, second);
        second.iter_mut().zip(first.iter()).for_each(|(value, other)| *value -= along * other);
    }
    // What rounding leaves of a vector along the first axis is no direction.
    if dot(second, second) < 1e-20 {
        second.fill(0.0);
    }
    normalise(second);
}

fn normalise(axis: &mut [f64]) {
    let length = dot(axis, axis).sqrt();
    if length > 0.0 && length.is_finite() {
        axis.iter_mut().for_each(|value| *value /= length);
    }
}

/// Turns the axes within their plane so that coordinates along them are uncorrelated, the larger variance first.
fn turn_to_principal(rows: &[f64], width: usize, [first, second]: &mut [Vec<f64>; 2]) {
    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    for row in rows.chunks_exact(width) {
        let (x, y) = (dot(row, first), dot(row, second));
        a += x * x;
        b += x * y;
        c += y * y;
    }
    let (sine, cosine) = (0.5 * (2.0 * b).atan2(a - c)).sin_cos();
    for (x, y) in first.iter_mut().zip(second.iter_mut()) {
        (*x, *y) = (cosine * *x + sine * *y, cosine * *y - sine * *x);
    }
}

/// An axis and its opposite are equally good: the largest number is to be positive.
fn point_forward(axis: &mut [f64]) {
    let largest = axis
        .iter()
        .copied()
        .fold(0.0, |most: f64, value| if value.abs() > most.abs() { value } else { most });
    if largest < 0.0 {
        axis.iter_mut().for_each(|value| *value = -*value);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points of a plane in seven dimensions, with two directions at right angles and a little noise beside it.
    fn known_plane(noise: f64) -> (Vec<f32>, Vec<(f64, f64)>) {
        let u = [0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0];
        let v = [0.0, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0];
        let flat: Vec<(f64, f64)> =
            (0..60).map(|i| (f64::from(i % 12) * 3.0 - 16.5, f64::from(i / 12) * 2.0 - 4.0)).collect();
        let rows = flat.iter().enumerate().flat_map(|(i, &(x, y))| {
            (0..7).map(move |at| {
                let aside = if at == 6 { noise * f64::from((i % 3) as u32) } else { 0.0 };
                (x * u[at] + y * v[at] + 10.0 + aside) as f32
            })
        });
        (rows.collect(), flat)
    }

    #[test]
    fn a_known_plane_is_found() {
        for noise in [0.0, 0.1] {
            let (vectors, flat) = known_plane(noise);
            let found = plane(&vectors, 7);
            assert_eq!(found.len(), flat.len());
            for (found, flat) in found.iter().zip(&flat) {
                assert!((f64::from(found.0) - flat.0).abs() < 0.02, "{found:?} {flat:?}");
                assert!((f64::from(found.1) - flat.1).abs() < 0.02, "{found:?} {flat:?}");
            }
        }
    }

    #[test]
    fn the_same_vectors_give_the_same_bits() {
        let (vectors, _) = known_plane(0.3);
        assert_eq!(plane(&vectors, 7), plane(&vectors, 7));
    }

    #[test]
    fn narrow_few_and_equal_vectors_have_a_place() {
        assert_eq!(plane(&[], 3), []);
        assert_eq!(plane(&[1.0, 2.0], 0), []);
        assert_eq!(plane(&[5.0, 6.0, 7.0], 3), [(0.0, 0.0)]);
        assert_eq!(plane(&[4.0; 12], 3), [(0.0, 0.0); 4]);
        assert_eq!(plane(&[1.0, 3.0], 1), [(-1.0, 0.0), (1.0, 0.0)]);
    }

    #[test]
    fn a_row_with_no_number_is_left_aside() {
        let (mut vectors, _) = known_plane(0.0);
        let without = plane(&vectors, 7);
        vectors.splice(7..7, [f32::NAN, 1.0, 1.0, 1.0, 1.0, 1.0, f32::INFINITY]);
        let mut with = plane(&vectors, 7);
        let left_aside = with.remove(1);
        assert!(left_aside.0.is_nan() && left_aside.1.is_nan());
        assert_eq!(with, without);
    }

    proptest! {
        /// Coordinates do not correlate, the first varies most, and no other plane of coordinates varies more.
        #[test]
        fn the_plane_is_the_widest(vectors in prop::collection::vec(-9.0f32..9.0, 5 * 4..5 * 30)) {
            let rows = vectors.len() / 5;
            let points = plane(&vectors[..rows * 5], 5);
            let sum = |of: &dyn Fn(&(f32, f32)) -> f64| points.iter().map(of).sum::<f64>();
            let xx = sum(&|p| f64::from(p.0).powi(2));
            let yy = sum(&|p| f64::from(p.1).powi(2));
            let xy = sum(&|p| f64::from(p.0) * f64::from(p.1));
            prop_assert!(xy.abs() <= 1e-3 * (xx + yy), "{xy}");
            prop_assert!(xx >= yy * 0.999);
            let variance = |column: usize| {
                let values = || vectors[..rows * 5].iter().skip(column).step_by(5).map(|&v| f64::from(v));
                let mean = values().sum::<f64>() / rows as f64;
                values().map(|value| (value - mean).powi(2)).sum::<f64>()
            };
            let mut variances: Vec<f64> = (0..5).map(variance).collect();
            variances.sort_by(|a, b| b.total_cmp(a));
            prop_assert!(xx + yy >= (variances[0] + variances[1]) * 0.99, "{} {variances:?}", xx + yy);
        }
    }
}
