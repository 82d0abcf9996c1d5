//! How good are the links that were found?
//!
//! As for a model ([`eval::linkage`](crate::eval::linkage)), but by the candidates that were looked at: who is no candidate
//! stands behind all candidates, in the middle of all others that are none.

use std::collections::HashSet;

use super::Found;
use crate::dataset::PreparedLinks;
use crate::eval::Metrics;
use crate::eval::linkage::{Curve, LabelledPairs, LinkFigures, Ranks};
use crate::graph::{Link, Part};

/// From this probability on, pairs are links.
pub const USUAL_LEAST: f32 = 0.5;
/// So many points of a curve are kept.
const POINTS: usize = 200;

impl Found {
    /// The figures of a part, which was not learned from; `seconds` are the entities of the second graph.
    pub fn figures(&self, links: &PreparedLinks, part: Part, seconds: usize) -> LinkFigures {
        let LabelledPairs { pairs, labels } = LabelledPairs::new(links, part);
        let score = |link: &Link| {
            let place = self.place(link.first.0, link.second.0);
            place.map_or(f64::NEG_INFINITY, |at| f64::from(self.margins[at]))
        };
        let scores: Vec<f64> = pairs.iter().map(score).collect();
        let curve = Curve::new(&scores, &labels);
        let gold = &links.positives[part as usize];
        let partners: HashSet<u32> = gold.iter().map(|link| link.second.0).collect();
        let among_all: Vec<f64> = gold.iter().map(|link| self.rank(link, |_| true, seconds)).collect();
        let among = |second: u32| partners.contains(&second);
        let among_labelled: Vec<f64> =
            gold.iter().map(|link| self.rank(link, among, partners.len())).collect();
        let (precision, recall, f1) = self.decoded(gold);
        LinkFigures {
            count: gold.len(),
            candidates: pairs.len(),
            auprc: curve.average_precision(),
            curve: curve.thinned(POINTS),
            among_all: ranks(&among_all),
            among_labelled: ranks(&among_labelled),
            threshold: Some(f64::from(USUAL_LEAST)),
            precision,
            recall,
            f1,
        }
    }

    /// The place of the true partner among those that count, `count` of them.
    fn rank(&self, link: &Link, counts: impl Fn(u32) -> bool, count: usize) -> f64 {
        let first = link.first.0;
        let start = self.candidates.starts[first as usize];
        let others =
            self.candidates.of_entity(first).iter().enumerate().filter(|(_, second)| counts(**second));
        let scores = others.map(|(at, &second)| (second, self.margins[start + at]));
        match self.place(first, link.second.0).map(|at| self.margins[at]) {
            Some(own) => {
                let (mut better, mut equal) = (0, 0);
                for (second, score) in scores.filter(|(second, _)| *second != link.second.0) {
                    better += usize::from(score > own);
                    equal += usize::from(score == own);
                    debug_assert_ne!(second, link.second.0);
                }
                1.0 + better as f64 + equal as f64 / 2.0
            }
            None => {
                let before = scores.count();
                1.0 + before as f64 + (count - before).saturating_sub(1) as f64 / 2.0
            }
        }
    }

    /// Precision, recall and F1 of the links that are about an entity of the part.
    fn decoded(&self, gold: &[Link]) -> (f64, f64, f64) {
        let right: HashSet<(u32, u32)> = gold.iter().map(|link| (link.first.0, link.second.0)).collect();
        let firsts: HashSet<u32> = right.iter().map(|link| link.0).collect();
        let seconds: HashSet<u32> = right.iter().map(|link| link.1).collect();
        let links = self.links(USUAL_LEAST);
        let about =
            links.iter().filter(|link| firsts.contains(&link.first) || seconds.contains(&link.second));
        let (mut written, mut hit) = (0.0, 0.0);
        for link in about {
            written += 1.0;
            hit += f64::from(u8::from(right.contains(&(link.first, link.second))));
        }
        let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        (of(hit, written), of(hit, gold.len() as f64), of(2.0 * hit, written + gold.len() as f64))
    }

    /// The share of links that were looked at as candidates, of links that were not known; 1 where there are none.
    pub fn candidate_recall(&self, gold: &[Link]) -> f64 {
        let found = gold.iter().filter(|link| self.place(link.first.0, link.second.0).is_some()).count();
        if gold.is_empty() { 1.0 } else { found as f64 / gold.len() as f64 }
    }

    /// How far probabilities are from what labels say: by tenths of probability, the mean difference of the mean probability
    /// and the share that is right, over the links that are about an entity of the part.
    pub fn calibration_error(&self, gold: &[Link]) -> f64 {
        let right: HashSet<(u32, u32)> = gold.iter().map(|link| (link.first.0, link.second.0)).collect();
        let firsts: HashSet<u32> = right.iter().map(|link| link.0).collect();
        let mut bins = [(0.0, 0.0, 0.0); 10];
        for link in self.links(0.0).iter().filter(|link| firsts.contains(&link.first)) {
            let bin = &mut bins[((link.score * 10.0) as usize).min(9)];
            bin.0 += 1.0;
            bin.1 += f64::from(link.score);
            bin.2 += f64::from(u8::from(right.contains(&(link.first, link.second))));
        }
        let all: f64 = bins.iter().map(|bin| bin.0).sum();
        bins.iter().map(|(_, sum, hit)| (sum - hit).abs()).sum::<f64>() / all.max(1.0)
    }
}

fn ranks(ranks: &[f64]) -> Ranks {
    let Metrics { count, mrr, hits: [hits1, _, hits10], .. } = Metrics::of(ranks);
    Ranks { count, hits1, hits10, mrr }
}
