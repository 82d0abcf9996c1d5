//! At which place does the true partner stand?
//!
//! Every entity of the second graph is scored as the partner of an entity of the first, and the true one has a rank
//! among all of them, and one among those that are somebody's partner in the same part. Nobody is left out: an entity
//! has one partner at most, but whose partner the others are is what is to be found. Of equal scores the true partner
//! takes the middle. A few entities' scores are in memory at a time, never those of all.

use serde::{Deserialize, Serialize};

use crate::eval::Metrics;
use crate::graph::Link;

/// How high true partners stand.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Ranks {
    /// How many were ranked.
    pub count: usize,
    /// The share that comes first.
    pub hits1: f64,
    /// The share among the first ten.
    pub hits10: f64,
    /// The mean of 1/rank.
    pub mrr: f64,
}

impl Ranks {
    fn of(ranks: &[f64]) -> Self {
        let Metrics { count, mrr, hits: [hits1, _, hits10], .. } = Metrics::of(ranks);
        Self { count, hits1, hits10, mrr }
    }
}

/// So many scores are in memory at a time.
const SCORES: usize = 1 << 22;
/// So many entities are scored at a time, where there is room.
const ENTITIES: usize = 256;

/// The ranks of at most `most` of the links (0 for all) among `seconds` entities, and among all links' partners.
/// `score` gives each of some entities a row of scores.
pub(super) fn ranks(
    links: &[Link],
    seconds: usize,
    most: usize,
    score: impl Fn(&[u32]) -> Vec<f64>,
) -> (Ranks, Ranks) {
    let labelled: Vec<usize> = links.iter().map(|link| link.second.row()).collect();
    let most = if most == 0 { links.len() } else { most.min(links.len()) };
    let chosen: Vec<Link> = (0..most).map(|at| links[at * links.len() / most]).collect();
    let (mut among_all, mut among_labelled) = (Vec::new(), Vec::new());
    for portion in chosen.chunks((SCORES / seconds.max(1)).clamp(1, ENTITIES)) {
        let firsts: Vec<u32> = portion.iter().map(|link| link.first.0).collect();
        let rows = score(&firsts);
        for (scores, link) in rows.chunks_exact(seconds).zip(portion) {
            let own = scores[link.second.row()];
            among_all.push(rank(own, scores.iter().copied()));
            among_labelled.push(rank(own, labelled.iter().map(|&second| scores[second])));
        }
    }
    (Ranks::of(&among_all), Ranks::of(&among_labelled))
}

/// One more than how many are better, and half of how many others are equal. Not a number is worse than all.
fn rank(own: f64, scores: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = scores.len();
    if own.is_nan() {
        return count as f64;
    }
    let (mut better, mut equal) = (0usize, 0usize);
    for score in scores {
        better += usize::from(score > own);
        equal += usize::from(score == own);
    }
    1.0 + better as f64 + equal.saturating_sub(1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EntityId;

    fn link(first: u32, second: u32) -> Link {
        Link { first: EntityId(first), second: EntityId(second) }
    }

    #[test]
    fn ranks_worked_by_hand() {
        let links = [link(0, 1), link(2, 3), link(1, 4)];
        let rows = [[0.1, 0.5, 0.9, 0.5, 0.2], [0.0; 5], [0.3, 0.8, 0.1, 0.7, f64::NAN]];
        let score = |firsts: &[u32]| firsts.iter().flat_map(|&first| rows[first as usize]).collect();
        // 0: behind .9 and beside .5, so 2½; among 1, 3 and 4 beside .5, so 1½.
        // 2: behind .8, so 2; among the labelled likewise. 1: in the middle of five, and of three.
        let (all, labelled) = ranks(&links, 5, 0, score);
        let third = |sum: f64| sum / 3.0;
        assert_eq!(all, Ranks { count: 3, hits1: 0.0, hits10: 1.0, mrr: third(1.0 / 2.5 + 0.5 + 1.0 / 3.0) });
        assert_eq!(labelled.mrr, third(1.0 / 1.5 + 0.5 + 0.5));
        // Of three, the first alone.
        assert_eq!(ranks(&links, 5, 1, score).0, Ranks { count: 1, hits1: 0.0, hits10: 1.0, mrr: 0.4 });
        assert_eq!(ranks(&[], 5, 0, score), Default::default());
        assert_eq!(ranks(&[link(2, 4)], 5, 0, score).0.mrr, 0.2);
    }

    /// More entities than are scored at a time; scores as a formula, places by sorting.
    #[test]
    fn portions_do_not_matter() {
        let links: Vec<Link> = (0..600).map(|at| link(at, (at * 7) % 601)).collect();
        let of = |first: u32, second: u32| f64::from((first * 31 + second * 17) % 601);
        let score = |firsts: &[u32]| {
            assert!(firsts.len() <= ENTITIES);
            firsts.iter().flat_map(|&first| (0..601).map(move |second| of(first, second))).collect()
        };
        let place = |link: &Link| {
            let mut scores: Vec<f64> = (0..601).map(|second| of(link.first.0, second)).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            let own = of(link.first.0, link.second.0);
            1.0 + scores.iter().position(|&score| score == own).unwrap() as f64
        };
        let expected = Ranks::of(&links.iter().map(place).collect::<Vec<_>>());
        let found = ranks(&links, 601, 0, score).0;
        assert_eq!((found, found.count), (expected, 600));
    }
}
