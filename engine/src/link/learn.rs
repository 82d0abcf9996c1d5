//! What do known links say about evidence, and about margins?
//!
//! Where enough links are known, everything is done first without a quarter of them: these say what evidence is worth and
//! how far probabilities can be trusted. What comes from outside the two graphs is left out here, since it may have seen
//! the links that are held out: a trained model has, and links by way of other graphs often come with them.

use super::calibrate::{Calibration, Decided};
use super::compete::{IMPOSSIBLE, margins};
use super::decision::{Decision, Decisions};
use super::decode::{Places, Scored};
use super::find::{Effort, LinkConfig};
use super::judge::{Judged, Known, Material};
use super::outside::Outside;
use super::structure::{self, Fold};
use super::weigh::Weights;
use super::{Candidates, Pair};
use crate::error::Result;
use crate::progress::{Progress, Unit};

/// So many known links are needed to learn from some of them.
const ENOUGH: usize = 60;
/// One of so many known links is held out to learn from.
const HELD_OUT: usize = 4;
/// The network has to find so many more of the links that were held out: it can be explained less well.
const LEAST_GAIN: f64 = 0.005;

/// What evidence is worth, and how margins become probabilities.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lesson {
    pub(super) decisions: Decisions,
    pub(super) calibration: Calibration,
}

impl Lesson {
    /// Learns from some of the known links, if there are enough of them.
    pub(super) fn of_known(
        material: &Material,
        pair: &Pair<'_>,
        config: &LinkConfig,
        places: &Places,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let general = Weights::general(&config.kinds);
        if pair.known.len() < ENOUGH {
            let decisions = Decisions::general(&config.kinds);
            return Ok(Self { decisions, calibration: Calibration::default() });
        }
        progress.begin("learning what evidence is worth", None, Unit::Items);
        let fold = structure::folds(pair, HELD_OUT, config.seed).swap_remove(0);
        let shorter = LinkConfig { rounds: config.rounds.min(2), structure: Effort::Less, ..config.clone() };
        let judged =
            material.judge(&fold.pair, &shorter, &Decisions::general(&config.kinds), &Outside::default())?;
        let (last, calibration) = learn(&judged, &fold, &general, places, config.seed);
        let lesson = Self { decisions: Decisions::learned(&config.kinds, last), calibration };
        progress.end();
        Ok(lesson)
    }

    /// How likely a pair is that was found. It is never as sure as what is known: of links that contradict each other it is
    /// cut first.
    pub(super) fn probability(&self, margin: f32) -> f32 {
        self.calibration.probability(margin).min(1.0f32.next_down())
    }
}

/// What held-out links say: a decision from all of them, and the calibration of each half by a decision from the other.
/// There are two kinds of decisions; the one that finds more links of the other half is chosen.
fn learn(
    judged: &Judged,
    fold: &Fold<'_>,
    general: &Weights,
    places: &Places,
    seed: u64,
) -> (Decision, Calibration) {
    let held_out = Known::new(&fold.held_out, places.partners);
    let known = Known::of_pair(&fold.pair, places.partners);
    let labelled: Vec<(usize, u32, bool)> = judged
        .candidates
        .pairs()
        .enumerate()
        .filter(|(_, (first, second))| held_out.is_taken(*first, *second))
        .map(|(at, (first, second))| (at, first, held_out.has(first, second)))
        .collect();
    // Halves by the first entity, whose number says nothing.
    let half = |first: u32| (first % 2) as usize;
    let of = |keeps: &dyn Fn(u32) -> bool| -> Vec<(usize, bool)> {
        let kept = labelled.iter().filter(|(_, first, _)| keeps(*first));
        kept.map(|&(at, _, is_same)| (at, is_same)).collect()
    };
    let made = |labels: &[(usize, bool)], weights: &Weights, way: Way| match way {
        Way::Sum => Decision::by_sum(weights.clone()),
        Way::Network => Decision::by_network(weights.clone(), &judged.signals, labels, seed),
    };
    let mut tried = [(Way::Sum, Decided::default()), (Way::Network, Decided::default())];
    for own in [0, 1] {
        let labels = of(&|first| half(first) != own);
        let weights = general.learned(&judged.signals, &labels);
        for (way, decided) in &mut tried {
            let decision = made(&labels, &weights, *way);
            let scores = known.without(&judged.candidates, decision.scores(&judged.signals));
            for link in decided_by(&judged.candidates, &scores, places) {
                match held_out.is_taken(link.first, link.second) {
                    false => decided.others.push(link.score),
                    true if half(link.first) == own && held_out.has(link.first, link.second) => {
                        decided.right.push(link.score);
                    }
                    true => {}
                }
            }
        }
    }
    let found = tried.each_ref().map(|(_, decided)| decided.right.len());
    let (way, decided) = &tried[usize::from(is_network_better(found, fold.held_out.len()))];
    let labels = of(&|_| true);
    let weights = general.learned(&judged.signals, &labels);
    (made(&labels, &weights, *way), Calibration::of_decided(decided))
}

/// Whether the network is chosen, given how many of the links that were held out the sum and the network found.
fn is_network_better([sum, network]: [usize; 2], held_out: usize) -> bool {
    // A network that could not be trained is as good as the sum where there is nothing to find.
    network > sum && network as f64 >= sum as f64 + LEAST_GAIN * held_out as f64
}

/// How evidence becomes a score.
#[derive(Debug, Clone, Copy)]
enum Way {
    Sum,
    Network,
}

/// The links that scores decide on, with their margins.
fn decided_by(candidates: &Candidates, scores: &[f32], places: &Places) -> Vec<Scored> {
    let margins = margins(candidates, scores, places);
    places.links(candidates, &margins, IMPOSSIBLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_network_has_to_earn_its_place() {
        // Half a percent of what was held out, and at least one link.
        assert!(is_network_better([900, 905], 1000));
        assert!(!is_network_better([900, 904], 1000));
        assert!(is_network_better([3, 4], 20));
        assert!(!is_network_better([3, 3], 20));
        assert!(!is_network_better([0, 0], 0));
    }

    #[test]
    fn what_is_found_is_never_as_sure_as_what_is_known() {
        let decisions = Decisions::general(&[]);
        let lesson = Lesson { decisions, calibration: Calibration::default() };
        assert_eq!(Calibration::default().probability(60.0), 1.0);
        assert!(lesson.probability(60.0) < 1.0 && lesson.probability(60.0) > 0.999_999);
        assert_eq!(lesson.probability(0.3), Calibration::default().probability(0.3));
    }
}
