//! How well do scores tell pairs that are the same from those that are not?
//!
//! The precision-recall curve, and average precision, the area under it (AUPRC in the paper):
//!
//! ```text
//! AP = Σₙ (Rₙ − Rₙ₋₁) Pₙ
//! ```
//!
//! over all thresholds from the highest to the lowest. Equal scores are one threshold, so that the order in which they
//! are given does not matter. This is the average precision of scikit-learn, number by number; where nothing is the same,
//! it is 0.

use serde::{Deserialize, Serialize};

/// What is found by a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Pairs with this score or a higher one count as the same.
    pub threshold: f64,
    /// The share of them that is the same.
    pub precision: f64,
    /// The share of those that are the same that is among them.
    pub recall: f64,
}

impl Point {
    /// The harmonic mean of precision and recall.
    pub fn f1(&self) -> f64 {
        match self.precision + self.recall {
            sum if sum > 0.0 => 2.0 * self.precision * self.recall / sum,
            _ => 0.0,
        }
    }

    /// The point of a threshold: `found` pairs are above it, `right` of them are the same, of `same` in all. Where
    /// nothing is found nothing is wrong, but the precision is given as 0, since it speaks for nothing.
    pub(super) fn of(threshold: f64, found: usize, right: usize, same: usize) -> Self {
        let share = |of: usize| if of == 0 { 0.0 } else { right as f64 / of as f64 };
        Self { threshold, precision: share(found), recall: share(same) }
    }
}

/// The precision-recall curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// A point for each distinct score, the highest first.
    pub points: Vec<Point>,
}

impl Curve {
    /// The curve of some pairs, with whether each is the same. A score that is not a number is below all others.
    ///
    /// # Panics
    /// If there are not as many scores as labels.
    pub fn new(scores: &[f64], labels: &[bool]) -> Self {
        assert_eq!(scores.len(), labels.len(), "one label for each score");
        let score = |at: u32| match scores[at as usize] {
            score if score.is_nan() => f64::NEG_INFINITY,
            // Both zeros are one threshold.
            score => score + 0.0,
        };
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        let same = labels.iter().filter(|&&label| label).count();
        let (mut points, mut right) = (Vec::new(), 0);
        for (at, &pair) in order.iter().enumerate() {
            right += usize::from(labels[pair as usize]);
            let is_last = order.get(at + 1).is_none_or(|&next| score(next) != score(pair));
            if is_last {
                points.push(Point::of(score(pair), at + 1, right, same));
            }
        }
        Self { points }
    }

    /// The area under the curve, by steps.
    pub fn average_precision(&self) -> f64 {
        let mut before = 0.0;
        let area = |point: &Point| {
            let step = (point.recall - before) * point.precision;
            before = point.recall;
            step
        };
        self.points.iter().map(area).sum()
    }

    /// The point with the highest F1; of equals the one that finds fewest. Nothing where nothing is ever right.
    pub fn best_f1(&self) -> Option<Point> {
        let better = |best: Option<Point>, &point: &Point| match best {
            Some(best) if best.f1() >= point.f1() => Some(best),
            _ if point.f1() > 0.0 => Some(point),
            best => best,
        };
        self.points.iter().fold(None, better)
    }

    /// The point of a threshold: that of the lowest score which is not below it.
    pub fn at(&self, threshold: f64) -> Point {
        let above = self.points.partition_point(|point| point.threshold >= threshold);
        let found = above.checked_sub(1).map(|last| self.points[last]);
        Point { threshold, ..found.unwrap_or(Point::of(threshold, 0, 0, 0)) }
    }

    /// At most so many points, evenly spaced by recall as far as there are any, with the first and the last: enough to
    /// draw it.
    pub fn thinned(&self, most: usize) -> Vec<Point> {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else { return Vec::new() };
        if self.points.len() <= most {
            return self.points.clone();
        }
        let (mut kept, mut next) = (vec![*first], 1);
        let steps = most.saturating_sub(1);
        for step in 1..steps {
            let recall = first.recall + (last.recall - first.recall) * step as f64 / steps as f64;
            let place = self.points.partition_point(|point| point.recall < recall);
            if place >= next && place + 1 < self.points.len() {
                kept.push(self.points[place]);
                next = place + 1;
            }
        }
        if steps > 0 {
            kept.push(*last);
        }
        kept.truncate(most);
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    /// What scikit-learn says; `scripts/fixtures/average_precision.py` asks it.
    #[derive(Deserialize)]
    struct Case {
        name: String,
        scores: Vec<f64>,
        labels: Vec<bool>,
        average_precision: f64,
        precision: Vec<f64>,
        recall: Vec<f64>,
        thresholds: Vec<f64>,
    }

    #[test]
    fn curves_are_those_of_scikit_learn() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("fixtures/average_precision.json")).unwrap();
        assert!(cases.len() >= 10);
        for case in cases {
            let curve = Curve::new(&case.scores, &case.labels);
            let found = curve.average_precision();
            assert!((found - case.average_precision).abs() < 1e-9, "{}: {found}", case.name);
            // There the lowest threshold comes first, and a last point has none.
            assert_eq!(curve.points.len(), case.thresholds.len(), "{}", case.name);
            let theirs = case.thresholds.iter().zip(&case.precision).zip(&case.recall).rev();
            for (own, ((&threshold, precision), recall)) in curve.points.iter().zip(theirs) {
                assert_eq!(own.threshold, threshold, "{}", case.name);
                assert!((own.precision - precision).abs() < 1e-9, "{}: {own:?}", case.name);
                // Where nothing is the same, they say that all of it was found.
                let has_same = case.labels.contains(&true);
                assert!(!has_same || (own.recall - recall).abs() < 1e-9, "{}: {own:?}", case.name);
            }
        }
    }

    #[test]
    fn a_curve_worked_by_hand() {
        // .9 same, .8 not, .7 same and not, .1 same: P = 1/1, 1/2, 2/4, 3/5 and R = 1/3, 1/3, 2/3, 1.
        let curve = Curve::new(&[0.7, 0.9, 0.1, 0.8, 0.7], &[true, true, true, false, false]);
        let point = |threshold, precision, recall| Point { threshold, precision, recall };
        let third = 1.0 / 3.0;
        let expected = [
            point(0.9, 1.0, third),
            point(0.8, 0.5, third),
            point(0.7, 0.5, 2.0 / 3.0),
            point(0.1, 0.6, 1.0),
        ];
        assert_eq!(curve.points, expected);
        assert!((curve.average_precision() - (third + 0.5 * third + 0.6 * third)).abs() < 1e-12);
        // F1: 1/2, 2/5, 4/7, 3/4.
        assert_eq!(curve.best_f1(), Some(expected[3]));
        assert!((expected[2].f1() - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(curve.at(0.75), point(0.75, 0.5, third));
        assert_eq!(curve.at(0.7), point(0.7, 0.5, 2.0 / 3.0));
        assert_eq!(curve.at(0.95), point(0.95, 0.0, 0.0));
        assert_eq!(curve.at(-1.0), point(-1.0, 0.6, 1.0));
    }

    #[test]
    fn of_equal_f1_the_highest_threshold_is_best() {
        // One of two and nothing wrong, or both and two wrong: F1 is 2/3.
        let curve = Curve::new(&[0.9, 0.5, 0.4, 0.2], &[true, false, false, true]);
        assert_eq!(curve.points[0].f1(), curve.points[3].f1());
        assert_eq!(curve.best_f1().unwrap().threshold, 0.9);
    }

    #[test]
    fn nothing_to_judge_is_nothing() {
        for curve in [Curve::new(&[], &[]), Curve::new(&[0.5, 0.1], &[false, false])] {
            assert_eq!(curve.average_precision(), 0.0);
            assert_eq!(curve.best_f1(), None);
        }
        assert!(Curve::new(&[], &[]).thinned(200).is_empty());
        // Not a number is below all others, and zero is zero.
        let curve = Curve::new(&[f64::NAN, -5.0, 0.0, -0.0], &[true, false, true, true]);
        assert_eq!(curve.points.len(), 3);
        assert_eq!(curve.points[0], Point { threshold: 0.0, precision: 1.0, recall: 2.0 / 3.0 });
    }

    proptest! {
        /// Every point from its definition, the area from its, and no use of sorting.
        #[test]
        fn points_follow_from_the_definition(pairs in prop::collection::vec((0..12u8, any::<bool>()), 0..60)) {
            let scores: Vec<f64> = pairs.iter().map(|pair| f64::from(pair.0) / 4.0 - 1.0).collect();
            let labels: Vec<bool> = pairs.iter().map(|pair| pair.1).collect();
            let curve = Curve::new(&scores, &labels);
            let same = labels.iter().filter(|&&label| label).count() as f64;
            let mut area = 0.0;
            let mut before = 0.0;
            for point in &curve.points {
                let found: Vec<bool> =
                    scores.iter().zip(&labels).filter(|pair| *pair.0 >= point.threshold).map(|pair| *pair.1).collect();
                let right = found.iter().filter(|&&label| label).count() as f64;
                prop_assert!((point.precision - right / found.len() as f64).abs() < 1e-12);
                prop_assert!(same == 0.0 || (point.recall - right / same).abs() < 1e-12);
                prop_assert_eq!(curve.at(point.threshold), *point);
                area += (point.recall - before) * point.precision;
                before = point.recall;
            }
            prop_assert!((curve.average_precision() - area).abs() < 1e-12);
            let best = curve.points.iter().map(Point::f1).fold(0.0, f64::max);
            prop_assert_eq!(curve.best_f1().map_or(0.0, |point| point.f1()), best);
        }

        #[test]
        fn a_thin_curve_is_part_of_the_whole(count in 1..900usize, most in 0..300usize, seed in 0..50u64) {
            let scores: Vec<f64> = (0..count as u64).map(|at| ((at * 7919 + seed * 31) % 1009) as f64).collect();
            let labels: Vec<bool> = (0..count as u64).map(|at| (at * 31 + seed) % 3 == 0).collect();
            let curve = Curve::new(&scores, &labels);
            let thin = curve.thinned(most);
            prop_assert!(thin.len() <= most);
            prop_assert!(thin.iter().all(|point| curve.points.contains(point)));
            prop_assert!(thin.windows(2).all(|pair| pair[0].threshold > pair[1].threshold));
            if most >= 2 {
                prop_assert_eq!(thin.first(), curve.points.first());
                prop_assert_eq!(thin.last(), curve.points.last());
            }
        }
    }
}
