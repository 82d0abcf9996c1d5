//! How well does the model tell which entities are the same?
//!
//! Pairs of a part are scored by one of several ways ([`Scorer`]) and judged by the area under their precision-recall curve
//! (the paper's figure), by the place of the true partner among all entities, and by the links that one would write
//! down: for each entity with a partner its best candidate, if its score reaches a threshold. The threshold is the one
//! with the best F1 on the pairs of another part, never on those that are judged.

mod curve;
mod features;
mod incident;
mod labelled;
mod partners;
mod replacement;
mod representations;
mod second_stage;
mod similarity;
mod standard;
#[cfg(test)]
mod test_models;

use serde::{Deserialize, Serialize};

use crate::dataset::PreparedLinks;
use crate::graph::{Link, Part};
pub use curve::{Curve, Point};
pub use features::{Compared, Features, Table};
pub use labelled::LabelledPairs;
use labelled::positives;
pub use partners::Ranks;
pub use replacement::{Measure, Replacement};
pub use representations::{Model, Representations};
pub use second_stage::{Classifier, ClassifierConfig};
pub use similarity::Cosine;

/// What scores pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scorer {
    /// Algorithm 2, for models that learned from labels.
    Replacement(Measure),
    /// The cosine of representations.
    Cosine,
    /// A network trained on the training labels, for baselines and models that learned without them.
    SecondStage(ClassifierConfig),
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkOptions {
    /// [`Scorer::Replacement`] compares at most so many facts of an entity, evenly chosen; 0 for all. All facts of an
    /// entity times all entities of the other graph is what the place of one partner costs.
    pub facts: usize,
    /// So many true partners are ranked, evenly chosen; 0 for all.
    pub ranked: usize,
}

/// How well pairs of a part were told apart.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinkFigures {
    /// Pairs that are the same.
    pub count: usize,
    /// All pairs that were judged.
    pub candidates: usize,
    /// The area under the precision-recall curve: average precision.
    pub auprc: f64,
    /// The curve, thinned.
    pub curve: Vec<Point>,
    /// The places of true partners among all entities of the second graph.
    pub among_all: Ranks,
    /// The same among those that are somebody's partner in this part.
    pub among_labelled: Ranks,
    /// The score from which on a best candidate is a link; nothing where there were no labels to choose it by, and then
    /// every best candidate is one.
    pub threshold: Option<f64>,
    /// The share of links that is right.
    pub precision: f64,
    /// The share of partners that is found.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
}

/// Judges how well the entities of two graphs are told apart.
#[derive(Debug)]
pub struct Linkage<'a> {
    representations: &'a Representations<'a>,
    links: &'a PreparedLinks,
    scored: Scored<'a>,
    options: LinkOptions,
}

#[derive(Debug)]
enum Scored<'a> {
    Replacement(Replacement<'a>),
    Cosine(Cosine),
    SecondStage(Classifier<f32>),
}

/// So many points of a curve are kept.
const POINTS: usize = 200;

impl<'a> Linkage<'a> {
    /// Makes ready to score pairs of two graphs; trains the network of the second stage. Without training labels that
    /// network says the same of every pair.
    ///
    /// # Panics
    /// If the representations are not those of the two graphs that are linked.
    pub fn new(
        representations: &'a Representations<'a>,
        links: &'a PreparedLinks,
        scorer: Scorer,
        options: LinkOptions,
    ) -> Self {
        assert_eq!(representations.graphs, [links.first, links.second], "the graphs that are linked");
        let scored = match scorer {
            Scorer::Replacement(measure) => {
                Scored::Replacement(Replacement::new(representations, measure, options.facts))
            }
            Scorer::Cosine => Scored::Cosine(Cosine::new(representations)),
            Scorer::SecondStage(config) => {
                let LabelledPairs { pairs, labels } = LabelledPairs::new(links, Part::Train);
                let features = Compared { representations, pairs: &pairs };
                Scored::SecondStage(Classifier::train_on(&features, &labels, config))
            }
        };
        Self { representations, links, scored, options }
    }

    /// The score of each pair; a higher one is more alike.
    pub fn scores(&self, pairs: &[Link]) -> Vec<f64> {
        match &self.scored {
            Scored::Replacement(replacement) => replacement.pairs(pairs),
            Scored::Cosine(cosine) => cosine.pairs(pairs),
            Scored::SecondStage(classifier) => {
                let features = Compared { representations: self.representations, pairs };
                classifier.probability_of(&features).into_iter().map(f64::from).collect()
            }
        }
    }

    /// The scores of each of some entities of the first graph with every entity of the second: a row for each.
    pub fn scores_against_all(&self, firsts: &[u32]) -> Vec<f64> {
        match &self.scored {
            Scored::Replacement(replacement) => replacement.against_all(firsts),
            Scored::Cosine(cosine) => cosine.against_all(firsts),
            Scored::SecondStage(classifier) => {
                let of = |&first: &u32| {
                    let features = features::OneWithAll { representations: self.representations, first };
                    classifier.probability_of(&features).into_iter().map(f64::from)
                };
                firsts.iter().flat_map(of).collect()
            }
        }
    }

    /// The figures of a part.
    pub fn figures(&self, part: Part) -> LinkFigures {
        let LabelledPairs { pairs, labels } = LabelledPairs::new(self.links, part);
        let partners = positives(self.links, part);
        let scores = self.scores(&pairs);
        let curve = Curve::new(&scores, &labels);
        let threshold = self.threshold_for(part);
        let links = written_down(&pairs, &labels, &scores, threshold);
        let score = |firsts: &[u32]| self.scores_against_all(firsts);
        let (among_all, among_labelled) =
            partners::ranks(partners, self.representations.count(1), self.options.ranked, score);
        LinkFigures {
            count: partners.len(),
            candidates: pairs.len(),
            auprc: curve.average_precision(),
            curve: curve.thinned(POINTS),
            among_all,
            among_labelled,
            threshold,
            precision: links.precision,
            recall: links.recall,
            f1: links.f1(),
        }
    }

    /// The threshold with the best F1 on another part: on validation pairs for the test, else on training pairs. (What
    /// was learned from scores higher than what was not, so that validation pairs are the better judges.)
    fn threshold_for(&self, part: Part) -> Option<f64> {
        let others: &[Part] = match part {
            Part::Test => &[Part::Valid, Part::Train],
            Part::Valid => &[Part::Train],
            Part::Train | Part::Undivided => &[Part::Valid],
        };
        let chosen = others.iter().find(|&&other| !positives(self.links, other).is_empty())?;
        let LabelledPairs { pairs, labels } = LabelledPairs::new(self.links, *chosen);
        Some(Curve::new(&self.scores(&pairs), &labels).best_f1()?.threshold)
    }
}

/// Precision and recall of the links that one would write down. Where a true partner is no better than another
/// candidate, it is not found: the order of pairs must not decide.
fn written_down(pairs: &[Link], labels: &[bool], scores: &[f64], threshold: Option<f64>) -> Point {
    let threshold = threshold.unwrap_or(f64::NEG_INFINITY);
    let (mut written, mut right, mut same, mut first) = (0, 0, 0, 0);
    for candidates in pairs.chunk_by(|a, b| a.first == b.first) {
        let own = first..first + candidates.len();
        first = own.end;
        let Some(true_one) = own.clone().find(|&at| labels[at]) else { continue };
        same += 1;
        let best = scores[own.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if best >= threshold {
            written += 1;
            let is_best = |at: usize| at == true_one || scores[at] < scores[true_one] || scores[at].is_nan();
            right += usize::from(!scores[true_one].is_nan() && own.clone().all(is_best));
        }
    }
    Point::of(threshold, written, right, same)
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
