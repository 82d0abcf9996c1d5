//! In which units are the numbers of two keys?
//!
//! One graph may write metres where another writes centimetres, without saying so. On pairs that are the same, the ratio of the two
//! numbers is then always about the same, and one of a few that units have.

use std::collections::BTreeMap;

use super::Written;
use super::evidence::Witness;

const SCALES: [f64; 11] = [1.0, 10.0, 100.0, 1000.0, 1e6, 60.0, 3600.0, 2.54, 3.280_84, 2.204_62, 1.609_344];
/// How far a ratio may be from a scale: numbers are rounded.
const TOLERANCE: f64 = 0.02;
/// Fewer agreeing ratios than this may be an accident.
const FEWEST: usize = 8;
/// So may be a smaller share of them: numbers that have nothing to do with each other, but are within a factor of three or so, agree
/// at one of the scales in a few of a hundred. Not more than a tenth, because an entity may have several numbers of a key.
const LEAST_SHARE: f64 = 0.1;

/// Numbers of the first key times this are numbers of the second. Keys whose numbers need no scale are not named.
pub(super) type Scales = BTreeMap<(u32, u32), f64>;

/// The scales of all keys that need one.
pub(super) fn scales(written: &[Written; 2], witnesses: &[Witness]) -> Scales {
    let mut ratios: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for same in witnesses.chunk_by(|a, b| (a.first, a.second) == (b.first, b.second)) {
        let second = numbers(&written[1], same[0].second);
        for (a, x) in numbers(&written[0], same[0].first) {
            second.iter().for_each(|&(b, y)| ratios.entry((a, b)).or_default().push(y / x));
        }
    }
    ratios.iter().map(|(keys, ratios)| (*keys, scale_of(ratios))).filter(|(_, scale)| *scale != 1.0).collect()
}

/// The numbers of an entity that have a ratio, with their keys.
fn numbers(written: &Written, entity: u32) -> Vec<(u32, f64)> {
    let number = |&(key, value): &(u32, u32)| Some((key, written.readings[value as usize].number?));
    written.attributes(entity).iter().filter_map(number).filter(|(_, number)| *number != 0.0).collect()
}

/// The scale that most ratios agree with, where enough do and more than without any; else 1.
fn scale_of(ratios: &[f64]) -> f64 {
    let agreeing =
        |scale: f64| ratios.iter().filter(|&&ratio| (ratio / scale - 1.0).abs() < TOLERANCE).count();
    let enough = FEWEST.max((LEAST_SHARE * ratios.len() as f64).ceil() as usize);
    let (mut most, mut best) = (agreeing(1.0).max(enough - 1), 1.0);
    for scale in SCALES[1..].iter().flat_map(|&scale| [scale, 1.0 / scale]) {
        let count = agreeing(scale);
        if count > most {
            (most, best) = (count, scale);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratios(parts: &[(usize, f64)]) -> Vec<f64> {
        parts.iter().flat_map(|&(count, ratio)| vec![ratio; count]).collect()
    }

    #[test]
    fn a_scale_needs_enough_pairs() {
        assert_eq!(scale_of(&ratios(&[(7, 60.0)])), 1.0);
        assert_eq!(scale_of(&ratios(&[(8, 60.5)])), 60.0);
        assert_eq!(scale_of(&ratios(&[(8, 0.001)])), 0.001);
        // Two hundredths above the scale is too far.
        assert_eq!(scale_of(&ratios(&[(8, 61.3)])), 1.0);
    }

    #[test]
    fn a_scale_needs_a_share_of_the_pairs_and_more_than_none_has() {
        assert_eq!(scale_of(&ratios(&[(9, 60.0), (91, 7.0)])), 1.0);
        assert_eq!(scale_of(&ratios(&[(10, 60.0), (90, 7.0)])), 60.0);
        assert_eq!(scale_of(&ratios(&[(10, 60.0), (10, 1.0)])), 1.0);
        assert_eq!(scale_of(&ratios(&[(11, 60.0), (10, 1.0)])), 60.0);
        assert_eq!(scale_of(&ratios(&[(10, 60.0), (12, 100.0)])), 100.0);
        assert_eq!(scale_of(&[]), 1.0);
    }
}
