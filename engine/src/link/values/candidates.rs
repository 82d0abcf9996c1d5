//! Who may be the same, by what is written?
//!
//! Whoever shares a rare text, and the most alike by name and by other texts, looked for from both graphs.

use rayon::prelude::*;

use super::index::{Vectors, nearest};
use super::{Texts, ValueConfig, Written};
use crate::link::Pair;

/// Pairs of entities that may be the same: sorted, each once.
pub fn proposals(pair: &Pair<'_>, config: &ValueConfig) -> Vec<(u32, u32)> {
    let written = pair.graphs().map(|graph| Written::new(graph, config));
    let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
    proposals_of(&written, &vectors, config)
}

/// The same, from graphs that are already read; `names` are the vectors of the names of both.
pub fn proposals_of(written: &[Written; 2], names: &[Vectors; 2], config: &ValueConfig) -> Vec<(u32, u32)> {
    let mut found = alike([&written[0].names, &written[1].names], names, config);
    let texts = [&written[0].texts, &written[1].texts];
    let vectors = Vectors::of_both(texts.map(|texts| &texts.texts[..]));
    found.extend(alike(texts, &vectors, config));
    found.par_sort_unstable();
    found.dedup();
    found
}

/// The share of links that are among the proposals: 1 where there are no links.
pub fn recall(proposals: &[(u32, u32)], links: &[(u32, u32)]) -> f64 {
    let found = links.iter().filter(|link| proposals.binary_search(link).is_ok()).count();
    if links.is_empty() { 1.0 } else { found as f64 / links.len() as f64 }
}

fn alike(texts: [&Texts; 2], vectors: &[Vectors; 2], config: &ValueConfig) -> Vec<(u32, u32)> {
    let [a, b] = texts;
    let mut found = Vec::new();
    let mut propose = |one: u32, two: u32| {
        let (firsts, seconds) = (a.owners.get(one as usize), b.owners.get(two as usize));
        if firsts.len() <= config.owners && seconds.len() <= config.owners {
            found.extend(firsts.iter().flat_map(|&first| seconds.iter().map(move |&second| (first, second))));
        }
    };
    for (one, two) in a.shared(b) {
        propose(one, two);
    }
    for (one, others) in (0..).zip(nearest(&vectors[0], &vectors[1], config.per_entity, config.limits)) {
        others.iter().for_each(|(two, _)| propose(one, *two));
    }
    for (two, others) in (0..).zip(nearest(&vectors[1], &vectors[0], config.per_entity, config.limits)) {
        others.iter().for_each(|(one, _)| propose(*one, two));
    }
    found
}
