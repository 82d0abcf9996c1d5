//! What is e to some power, many times over?
//!
//! The system's function is exact to the last bit and works on one number at a time. This one is written so that a loop
//! over it becomes vector instructions, and is within 2 units in the last place.

/// e to the power of x; zero where the result would be too small to matter, and never infinite.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // x = n ln 2 + r with |r| ≤ ln 2 / 2, and e^x = 2^n e^r. Adding and taking away 1.5 · 2²³ rounds to the nearest n.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 in two parts: n times the first is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    // Below, a result is smaller than any normal number; above, larger than any.
    let clamped = if x < -87.0 { -87.0 } else { x };
    let clamped = if clamped > 88.0 { 88.0 } else { clamped };
    let rounded = clamped * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (clamped - n * LN_2[0]) - n * LN_2[1];
    // The minimax polynomial of the Cephes library.
    let mut p = 1.987_569_1e-4;
    p = p * r + 1.398_199_9e-3;
    p = p * r + 8.333_452e-3;
    p = p * r + 4.166_579_6e-2;
    p = p * r + 1.666_666_5e-1;
    p = p * r + 0.5;
    let e_to_r = p * r * r + r + 1.0;
    // The last bits of the rounded number are n: as an exponent, they are 2^n.
    let two_to_n = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    if x < -87.0 { 0.0 } else { e_to_r * two_to_n }
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn it_is_within_two_units_of_the_last_place() {
        let mut x = -86.9f32;
        while x < 87.9 {
            let (found, expected) = (exp(x), f64::from(x).exp());
            assert!(
                (f64::from(found) - expected).abs() <= 2.0 * f64::from(f32::EPSILON) * expected,
                "{x}: {found}"
            );
            x += 0.001_37;
        }
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn the_ends_are_finite_and_what_is_no_number_stays_none() {
        assert_eq!(exp(-200.0), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::INFINITY) > 1e38);
        assert!(exp(200.0).is_finite() && exp(200.0) > 1e38);
        assert!(exp(f32::NAN).is_nan());
    }
}
