//! What is a number of half the size?
//!
//! The first sixteen bits of an `f32` (bfloat16), rounded to the nearest, and of two as near ones to the even one: the same
//! range, and eight significant bits. Two of them share the room of one number, the first in the lower bits.

/// The nearest number of half the size.
#[inline(always)]
pub(super) fn rounded(number: f32) -> u16 {
    let bits = number.to_bits();
    let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    // What is no number stays so: rounded, its bits would be those of infinity, or of zero.
    if number.is_nan() { 0x7fc0 } else { nearest as u16 }
}

/// A number of half the size as one of the whole size.
#[cfg(test)]
pub(super) fn widened(half: u16) -> f32 {
    f32::from_bits(u32::from(half) << 16)
}

/// Rounds numbers, and packs two into the room of one; an odd one is followed by zero.
pub(super) fn to_pairs(numbers: &[f32], pairs: &mut [f32]) {
    let (whole, rest) = numbers.as_chunks::<2>();
    for (pair, [first, second]) in pairs.iter_mut().zip(whole) {
        *pair = f32::from_bits(u32::from(rounded(*first)) | u32::from(rounded(*second)) << 16);
    }
    if let ([last], Some(pair)) = (rest, pairs.get_mut(whole.len())) {
        *pair = f32::from_bits(u32::from(rounded(*last)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_round_to_the_nearest_and_then_to_the_even_one() {
        for (number, expected) in [
            (0.0, 0.0),
            (-1.5, -1.5),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0),
            (1.0 + 1.1 / 256.0, 1.0 + 2.0 / 256.0),
            (f32::MAX, f32::INFINITY),
            (f32::NEG_INFINITY, f32::NEG_INFINITY),
        ] {
            assert_eq!(widened(rounded(number)), expected, "{number}");
        }
        assert!(widened(rounded(f32::NAN)).is_nan());
        for bits in [0x7fff_ffff, 0x7f80_0001, 0xffff_ffff] {
            assert!(widened(rounded(f32::from_bits(bits))).is_nan(), "{bits:x}");
        }
    }

    proptest! {
        #[test]
        fn no_number_moves_by_more_than_a_256th(number in -1e30f32..1e30) {
            prop_assert!((widened(rounded(number)) - number).abs() <= number.abs() / 256.0);
        }
    }

    #[test]
    fn an_odd_number_has_a_pair_of_its_own() {
        let mut pairs = [9.0; 2];
        to_pairs(&[1.0, -2.0, 3.0], &mut pairs);
        assert_eq!(pairs.map(f32::to_bits), [0xc000_3f80, 0x0000_4040]);
    }
}
