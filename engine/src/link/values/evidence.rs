//! Which pairs are sure enough to learn from?
//!
//! The known links; and where there are few, pairs that share a text which nobody else in either graph has. Such a
//! pair remembers what it was found by, because it cannot testify to that.

use super::Written;
use crate::link::Pair;

/// How many folds the witnesses are divided into.
pub const FOLDS: usize = 5;

/// The fold of a pair: that of its entity of the first graph. Whoever judges an entity that has a known link uses what was
/// learned from the other folds, for all of its candidates alike, so that no link testifies to itself.
pub fn fold_of(first: u32) -> usize {
    first as usize % FOLDS
}

/// What a pair was found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// It was given.
    Known,
    /// By a name.
    Name,
    /// By the value of a key of the first graph and of one of the second.
    Keys(u32, u32),
}

/// A pair that is taken to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Witness {
    /// The entity of the first graph.
    pub first: u32,
    /// The entity of the second graph.
    pub second: u32,
    /// What it was found by.
    pub source: Source,
}

/// Pairs to learn from, sorted; nobody has two partners.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The pairs. One that was found in several ways is there several times.
    pub witnesses: Vec<Witness>,
    /// Whether each entity of the first graph has a known link.
    judged: Vec<bool>,
}

/// With so many known links nothing else is needed: what is learned are rates.
const ENOUGH: usize = 100;

impl Evidence {
    /// Gathers what there is.
    pub fn gather(pair: &Pair<'_>, written: &[Written; 2]) -> Self {
        let plain = |links: &[crate::graph::Link]| -> Vec<(u32, u32)> {
            links.iter().map(|link| (link.first.0, link.second.0)).collect()
        };
        Self::of(&plain(&pair.known), &plain(&pair.denied), written)
    }

    /// The known links alone.
    pub fn of_known(pair: &Pair<'_>) -> Self {
        let mut judged = vec![false; pair.graphs()[0].entities.len()];
        pair.known.iter().for_each(|link| judged[link.first.row()] = true);
        let witness = |link: &crate::graph::Link| Witness {
            first: link.first.0,
            second: link.second.0,
            source: Source::Known,
        };
        Self { witnesses: pair.known.iter().map(witness).collect(), judged }
    }

    /// `denied` is sorted.
    pub(super) fn of(known: &[(u32, u32)], denied: &[(u32, u32)], written: &[Written; 2]) -> Self {
        let mut judged = vec![false; written[0].entities()];
        let mut witnesses = Vec::new();
        for &(first, second) in known {
            judged[first as usize] = true;
            witnesses.push(Witness { first, second, source: Source::Known });
        }
        if known.len() < ENOUGH {
            let found = by_unique_texts(written);
            let taken = |known: &[(u32, u32)], w: &Witness| {
                known.iter().any(|&(a, b)| (a == w.first) != (b == w.second))
            };
            let is_denied = |w: &Witness| denied.binary_search(&(w.first, w.second)).is_ok();
            witnesses.extend(found.into_iter().filter(|w| !taken(known, w) && !is_denied(w)));
        }
        witnesses.sort_unstable();
        witnesses.dedup();
        Self { witnesses: without_rivals(witnesses), judged }
    }

    /// The fold whose witnesses must not speak about an entity of the first graph, if there is one.
    pub fn left_out(&self, first: u32) -> Option<usize> {
        self.judged[first as usize].then(|| fold_of(first))
    }

    /// The pairs, each once.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let mut pairs: Vec<(u32, u32)> = self.witnesses.iter().map(|w| (w.first, w.second)).collect();
        pairs.dedup();
        pairs
    }
}

fn by_unique_texts(written: &[Written; 2]) -> Vec<Witness> {
    let mut found = Vec::new();
    let [a, b] = written;
    for (i, j) in a.names.shared(&b.names) {
        if let (&[first], &[second]) = (a.names.owners.get(i as usize), b.names.owners.get(j as usize)) {
            found.push(Witness { first, second, source: Source::Name });
        }
    }
    for (i, j) in a.texts.shared(&b.texts) {
        if let (&[first], &[second]) = (a.texts.owners.get(i as usize), b.texts.owners.get(j as usize)) {
            let text = &a.texts.texts[i as usize];
            let keys = |side: &Written, entity| {
                let having = side.attributes(entity).iter();
                having
                    .filter(|(_, value)| side.readings[*value as usize].folded == *text)
                    .map(|(key, _)| *key)
                    .collect()
            };
            let keys: [Vec<u32>; 2] = [keys(a, first), keys(b, second)];
            for &one in &keys[0] {
                found.extend(keys[1].iter().map(|&two| Witness {
                    first,
                    second,
                    source: Source::Keys(one, two),
                }));
            }
        }
    }
    found
}

/// Leaves out whoever has two partners: at least one of them is wrong, and nothing says which.
fn without_rivals(witnesses: Vec<Witness>) -> Vec<Witness> {
    let rivals = |end: fn(&Witness) -> u32, other: fn(&Witness) -> u32| {
        let mut ends: Vec<(u32, u32)> = witnesses.iter().map(|w| (end(w), other(w))).collect();
        ends.sort_unstable();
        ends.dedup();
        let twice = ends.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        twice.map(|pair| pair[0].0).collect::<std::collections::HashSet<u32>>()
    };
    let (firsts, seconds) = (rivals(|w| w.first, |w| w.second), rivals(|w| w.second, |w| w.first));
    let alone = |w: &Witness| !firsts.contains(&w.first) && !seconds.contains(&w.second);
    witnesses.into_iter().filter(|w| w.source == Source::Known || alone(w)).collect()
}
