//! What moved the probability of a link?
//!
//! Evidence adds up, in nats: what speaks against any pair, what each kind of evidence added, and what rivals took away.
//! Calibration stretches and shifts the sum, and what comes out is the logarithm of the odds:
//!
//! ```text
//! (against + Σ parts + rivals) · slope + shift = ln( p / (1 − p) )
//! ```

use serde::Serialize;

use super::contents::as_map;

/// What moved a probability, in nats.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reasons {
    /// What speaks against any pair.
    pub against: f64,
    /// What each kind of evidence added.
    #[serde(rename = "nats", serialize_with = "as_map")]
    pub parts: Vec<(String, f64)>,
    /// What rivals took away.
    pub rivals: f64,
    /// What the sum is multiplied by.
    pub slope: f64,
    /// What is added then.
    pub shift: f64,
}

/// Where the true partner of an entity stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Standing {
    /// Its name.
    pub partner: String,
    /// Its place among all entities of the second graph, a tie in the middle of its places; none if it was no candidate.
    pub place: Option<f64>,
    /// The name of who stands first, if that is somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// One step on the way to the logarithm of the odds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// What it is called.
    pub(super) name: String,
    /// How far it goes, in nats.
    pub(super) nats: f64,
}

impl Reasons {
    /// The logarithm of the odds.
    pub fn log_odds(&self) -> f64 {
        self.sum() * self.slope + self.shift
    }

    /// What all evidence says, before it is calibrated.
    fn sum(&self) -> f64 {
        self.against + self.parts.iter().map(|part| part.1).sum::<f64>() + self.rivals
    }

    /// The way from nothing to the logarithm of the odds: the largest parts first, and only so many of them; what the
    /// others add is one step.
    pub(super) fn steps(&self, most: usize) -> Vec<Step> {
        let mut parts = self.parts.clone();
        parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        // One step for a single other part would hide its name for nothing.
        let kept = if parts.len() > most { most.saturating_sub(1) } else { parts.len() };
        let others = parts.split_off(kept);
        let step = |name: &str, nats: f64| Step { name: name.to_owned(), nats };
        let mut steps = vec![step("against any pair", self.against)];
        steps.extend(parts.iter().map(|(name, nats)| step(name, *nats)));
        if !others.is_empty() {
            let name = format!("{} smaller parts", others.len());
            steps.push(step(&name, others.iter().map(|part| part.1).sum()));
        }
        steps.push(step("rivals", self.rivals));
        steps.push(step("calibration", self.log_odds() - self.sum()));
        steps
    }
}

/// Where each step begins and ends, in hundredths of a nat: places are rounded and not steps, so that what is shown adds up
/// to the last digit. None if something is no number.
pub(super) fn hundredths(steps: &[Step]) -> Option<Vec<(i64, i64)>> {
    /// Beyond this a hundredth is lost in rounding.
    const MOST: f64 = 1e12;
    let (mut sum, mut places) = (0.0, Vec::with_capacity(steps.len()));
    let rounded = |sum: f64| (sum * 100.0).round() as i64;
    for step in steps {
        let before = rounded(sum);
        sum += step.nats;
        if !sum.is_finite() || sum.abs() > MOST {
            return None;
        }
        places.push((before, rounded(sum)));
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reasons(parts: &[(&str, f64)]) -> Reasons {
        let parts = parts.iter().map(|&(name, nats)| (name.to_owned(), nats)).collect();
        Reasons { against: -4.0, parts, rivals: -0.5, slope: 0.5, shift: 1.0 }
    }

    #[test]
    fn steps_lead_from_nothing_to_the_odds() {
        let reasons = reasons(&[("small", 0.5), ("large", 6.0), ("against it", -1.0)]);
        assert!((reasons.log_odds() - 1.5).abs() < 1e-12);
        let expected = [
            ("against any pair", -4.0),
            ("large", 6.0),
            ("against it", -1.0),
            ("small", 0.5),
            ("rivals", -0.5),
            ("calibration", 0.5),
        ]
        .map(|(name, nats)| Step { name: name.to_owned(), nats });
        assert_eq!(reasons.steps(3), expected);
    }

    #[test]
    fn many_small_parts_are_one_step() {
        let reasons = reasons(&[("a", 0.25), ("b", 2.0), ("c", -0.5), ("d", 1.0)]);
        let steps = reasons.steps(3);
        let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names, ["against any pair", "b", "d", "2 smaller parts", "rivals", "calibration"]);
        assert_eq!(steps[3].nats, -0.25);
    }

    #[test]
    fn what_is_no_number_has_no_places() {
        for odd in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(hundredths(&reasons(&[("odd", odd)]).steps(9)), None);
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_adds_up_to_the_last_digit(
            nats in prop::collection::vec(-30.0..30.0f64, 0..20), against in -9.0..0.0f64, slope in 0.05..3.0f64,
        ) {
            let parts = nats.iter().enumerate().map(|(at, &nats)| (at.to_string(), nats)).collect();
            let reasons = Reasons { against, parts, rivals: -0.125, slope, shift: 0.3 };
            for most in [1, 4, 30] {
                let steps = reasons.steps(most);
                let places = hundredths(&steps).unwrap();
                prop_assert_eq!(places[0].0, 0);
                prop_assert!(places.windows(2).all(|pair| pair[0].1 == pair[1].0));
                let end = places.last().unwrap().1 as f64 / 100.0;
                prop_assert!((end - reasons.log_odds()).abs() < 0.0051, "{} {}", end, reasons.log_odds());
                for (step, (from, to)) in steps.iter().zip(&places) {
                    prop_assert!((step.nats - (to - from) as f64 / 100.0).abs() < 0.0101);
                }
            }
        }
    }
}
