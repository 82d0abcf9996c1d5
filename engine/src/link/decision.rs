//! What does all evidence say together?
//!
//! The weighted sum of the signals ([`weigh`](super::weigh)), and, where it was found to decide better about links that were
//! held out, the second-stage network over the same signals:
//!
//! ```text
//! score = sum + (logit of the network(signals, sum) − sum)
//! ```
//!
//! The network sees what a sum cannot, such as a name that says little where neighbours disagree. What it adds to the sum is
//! one part of the explanation, "together". Evidence from outside the two graphs is not shown to it: it has not been learned
//! from, and adds to the score as before.

use super::Kind;
use super::weigh::{Signals, Weights};
use crate::eval::linkage::{Classifier, ClassifierConfig, Features};

/// What evidence is worth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decision {
    pub(super) weights: Weights,
    pub(super) network: Option<Classifier<f32>>,
}

/// By what each round decides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Decisions {
    /// Before the last round, where neighbours are not all linked yet.
    pub(super) early: Decision,
    /// In the last.
    pub(super) last: Decision,
}

impl Decisions {
    /// By what was learned from links that were held out, as it was in the end.
    ///
    /// On the way a sum that counts on neighbours would hold their silence against a pair, and pairs that bear each other
    /// out would never begin; so nothing is held against a pair more than it is in general. (A network has seen no other
    /// weights than its own, and keeps them.)
    pub(super) fn learned(kinds: &[Kind], last: Decision) -> Self {
        let early = match &last.network {
            Some(_) => last.clone(),
            None => Decision::by_sum(last.weights.no_harder_than(&Weights::general(kinds))),
        };
        Self { early, last }
    }

    /// By general weights.
    pub(super) fn general(kinds: &[Kind]) -> Self {
        let decision = Decision::by_sum(Weights::general(kinds));
        Self { early: decision.clone(), last: decision }
    }
}

/// What the network adds to a score is called so among its parts.
pub const TOGETHER: &str = "together";
/// The network is sure of nothing beyond this, in nats.
const SUREST: f32 = 15.0;

impl Decision {
    /// By general weights.
    pub(super) fn by_sum(weights: Weights) -> Self {
        Self { weights, network: None }
    }

    /// By a network that learns from labelled candidates, beside weights.
    pub(super) fn by_network(
        weights: Weights,
        signals: &Signals,
        labelled: &[(usize, bool)],
        seed: u64,
    ) -> Self {
        let config = ClassifierConfig { hidden: 32, epochs: 30, decay: 1e-3, seed, ..Default::default() };
        let places: Vec<usize> = labelled.iter().map(|label| label.0).collect();
        let labels: Vec<bool> = labelled.iter().map(|label| label.1).collect();
        let inputs = Inputs { signals, weights: &weights, places: Places::Some(&places) };
        let network = Classifier::train_on(&inputs, &labels, config);
        Self { weights, network: Some(network) }
    }

    /// The score of each candidate.
    pub(super) fn scores(&self, signals: &Signals) -> Vec<f32> {
        let mut scores = signals.scores(&self.weights);
        if let Some(network) = &self.network {
            let inputs = Inputs { signals, weights: &self.weights, places: Places::All };
            let added = network.logits_of(&inputs);
            for (at, (score, logit)) in scores.iter_mut().zip(added).enumerate() {
                *score += together(logit, inputs.sum(at));
            }
        }
        scores
    }

    /// What each part added to the score of a candidate: its name and the nats.
    pub(super) fn parts(&self, signals: &Signals, at: usize) -> Vec<(&'static str, f32)> {
        let mut parts = signals.parts(&self.weights, at);
        if let Some(network) = &self.network {
            let places = [at];
            let inputs = Inputs { signals, weights: &self.weights, places: Places::Some(&places) };
            parts.push((TOGETHER, together(network.logits_of(&inputs)[0], inputs.sum(at))));
        }
        parts
    }
}

fn together(logit: f32, sum: f32) -> f32 {
    logit.clamp(-SUREST, SUREST) - sum
}

/// What the network sees: the signals of the two graphs themselves, and their weighted sum.
struct Inputs<'a> {
    signals: &'a Signals,
    weights: &'a Weights,
    places: Places<'a>,
}

enum Places<'a> {
    All,
    Some(&'a [usize]),
}

impl Inputs<'_> {
    fn sum(&self, at: usize) -> f32 {
        self.weights.score(&self.signals.inside(at))
    }
}

impl Features<f32> for Inputs<'_> {
    fn len(&self) -> usize {
        match self.places {
            Places::All => self.signals.len(),
            Places::Some(places) => places.len(),
        }
    }

    fn width(&self) -> usize {
        Signals::WIDTH + 1
    }

    fn fill(&self, pair: usize, numbers: &mut [f32]) {
        let at = match self.places {
            Places::All => pair,
            Places::Some(places) => places[pair],
        };
        let row = self.signals.inside(at);
        numbers[..row.len()].copy_from_slice(&row);
        numbers[row.len()] = self.weights.score(&row).clamp(-SUREST, SUREST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Candidates, Column};

    /// Same where exactly one of two signals is there: no sum can tell. A third comes from outside.
    fn signals() -> (Signals, Vec<(usize, bool)>) {
        let count = 400;
        let candidates = Candidates::of(count, (0..count as u32).map(|at| (at, 0)).collect());
        let column = |name: &str, of: &dyn Fn(usize) -> f32| Column {
            name: name.to_owned(),
            values: (0..count).map(of).collect(),
        };
        let columns = [
            column("values: agree", &|at| (at % 2) as f32 * 4.0),
            column("neighbours: agree", &|at| (at / 2 % 2) as f32 * 4.0),
            column("graphs: agree", &|at| if at == 0 { 3.0 } else { 0.0 }),
        ];
        let labelled = (0..count).map(|at| (at, (at % 2) != (at / 2 % 2))).collect();
        (Signals::new(&candidates, &columns), labelled)
    }

    #[test]
    fn a_network_sees_what_a_sum_cannot() {
        let (signals, labelled) = signals();
        let right = |decision: &Decision| {
            let scores = decision.scores(&signals);
            labelled.iter().filter(|&&(at, is_same)| at > 0 && (scores[at] > 0.0) == is_same).count()
        };
        let weights = Weights::default().learned(&signals, &labelled);
        let network = Decision::by_network(weights.clone(), &signals, &labelled, 1);
        assert_eq!(right(&network), 399);
        assert!(right(&Decision::by_sum(weights)) < 320);
    }

    #[test]
    fn parts_add_up_to_the_score() {
        let (signals, labelled) = signals();
        let network = Decision::by_network(Weights::default(), &signals, &labelled, 1);
        let scores = network.scores(&signals);
        for at in [0, 1, 2, 3] {
            let sum: f32 = network.parts(&signals, at).iter().map(|part| part.1).sum();
            assert!((network.weights.against + sum - scores[at]).abs() < 1e-4, "{at}");
        }
        // 0 and 4 are alike but for what comes from outside, of weight 2: the network does not see it.
        assert!((scores[0] - scores[4] - 6.0).abs() < 1e-4, "{} {}", scores[0], scores[4]);
    }
}
