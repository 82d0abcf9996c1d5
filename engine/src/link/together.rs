//! How do several graphs help each other?
//!
//! If a is the same as c of a third graph, and c as b, then a is the same as b:
//!
//! ```text
//! P(a = b by way of C) = max over c of P(a = c) · P(c = b)        several C:  1 − Π (1 − P)
//! ```
//!
//! The pairs of graphs are linked one after the other, twice. The first time, known links go by way of other graphs; the
//! second time, links that were found the first time do too. A pair never hears of its own links by way of others.

use std::collections::HashMap;

use super::find::{Found, LinkConfig, find_by};
use super::learned::Learned;
use super::outside::Outside;
use super::{Kind, Pair};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Links that were found go by way of other graphs if they are at least so likely.
const LEAST: f32 = 0.1;

/// A model's view of a pair of graphs, if there is a model.
pub type LearnedOf<'a, 'm> = &'a dyn Fn(&Pair<'_>) -> Option<Learned<'m>>;

/// Finds the links of all pairs; `learned` is asked for each.
pub fn find_all(
    pairs: &[Pair<'_>],
    config: &LinkConfig,
    learned: LearnedOf<'_, '_>,
    progress: &dyn Progress,
) -> Result<Vec<Found>> {
    if pairs.len() == 1 && config.kinds == [Kind::Graphs] {
        let message = "links by way of other graphs need a third one: expected another kind of evidence";
        return Err(Error::Usage(message.to_owned()));
    }
    let has_others = pairs.len() > 1 && config.kinds.contains(&Kind::Graphs);
    let graphs: Vec<[usize; 2]> = pairs.iter().map(|pair| [pair.first, pair.second]).collect();
    let known: Vec<Vec<Sure>> = pairs.iter().map(known_of).collect();
    let mut found = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let through = if has_others { through(&graphs, &known, at) } else { Vec::new() };
        let learned = learned(pair);
        let outside = Outside { learned: learned.as_ref(), through };
        found.push(find_by(pair, config, &outside, None, progress)?);
    }
    if !has_others {
        return Ok(found);
    }
    let links: Vec<Vec<Sure>> = found.iter().zip(&known).map(|(found, known)| likely(found, known)).collect();
    for (at, pair) in pairs.iter().enumerate() {
        let learned = learned(pair);
        let outside = Outside { learned: learned.as_ref(), through: through(&graphs, &links, at) };
        let lesson = found[at].lesson.clone();
        found[at] = find_by(pair, config, &outside, Some(&lesson), progress)?;
    }
    Ok(found)
}

/// Two entities, and how likely they are the same.
type Sure = (u32, u32, f32);

fn known_of(pair: &Pair<'_>) -> Vec<Sure> {
    pair.known.iter().map(|link| (link.first.0, link.second.0, 1.0)).collect()
}

fn likely(found: &Found, known: &[Sure]) -> Vec<Sure> {
    let new = found.links(LEAST).into_iter().map(|link| (link.first, link.second, link.score));
    known.iter().copied().chain(new).collect()
}

/// What links of other pairs say about a pair, by way of a third graph each; sorted, each pair once.
fn through(pairs: &[[usize; 2]], links: &[Vec<Sure>], asked: usize) -> Vec<Sure> {
    let [first, second] = pairs[asked];
    let mut doubts: HashMap<(u32, u32), f32> = HashMap::new();
    let graphs = pairs.iter().flatten().max().map_or(0, |last| last + 1);
    for third in (0..graphs).filter(|&third| third != first && third != second) {
        let to = between(pairs, links, first, third);
        let mut from: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
        for (c, b, p) in between(pairs, links, third, second) {
            from.entry(c).or_default().push((b, p));
        }
        let mut best: HashMap<(u32, u32), f32> = HashMap::new();
        for (a, c, p) in to {
            for &(b, q) in from.get(&c).into_iter().flatten() {
                let own = best.entry((a, b)).or_default();
                *own = own.max(p * q);
            }
        }
        for (pair, p) in best {
            *doubts.entry(pair).or_insert(1.0) *= 1.0 - p;
        }
    }
    let mut all: Vec<Sure> = doubts.into_iter().map(|((a, b), doubt)| (a, b, 1.0 - doubt)).collect();
    all.sort_unstable_by_key(|link| (link.0, link.1));
    all
}

/// The links of two graphs, from one to the other.
fn between(pairs: &[[usize; 2]], links: &[Vec<Sure>], from: usize, to: usize) -> Vec<Sure> {
    let mut found = Vec::new();
    for (pair, links) in pairs.iter().zip(links) {
        if *pair == [from, to] {
            found.extend_from_slice(links);
        } else if *pair == [to, from] {
            found.extend(links.iter().map(|&(a, b, p)| (b, a, p)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_go_by_way_of_third_graphs() {
        // Graphs 0, 1 and 2, and 3; the pair 0-1 is asked about, and 2 is linked in both directions.
        let pairs = [[0, 1], [2, 0], [2, 1], [0, 3], [1, 3]];
        let links = vec![
            // What it says itself is not heard.
            vec![(9, 9, 1.0)],
            vec![(5, 1, 0.8), (6, 1, 0.5), (7, 4, 1.0)],
            vec![(5, 2, 0.5), (6, 2, 0.6), (8, 8, 1.0)],
            vec![(1, 3, 0.5), (3, 4, 1.0)],
            vec![(2, 3, 1.0), (6, 4, 1.0)],
        ];
        let found = through(&pairs, &links, 0);
        // 1 = 2 by way of 5 (.4) rather than 6 (.3), and by way of 3 (.5): 1 − .6 · .5. And 3 = 6 by way of 4.
        assert_eq!(found.iter().map(|link| (link.0, link.1)).collect::<Vec<_>>(), [(1, 2), (3, 6)]);
        assert!((found[0].2 - 0.7).abs() < 1e-6 && (found[1].2 - 1.0).abs() < 1e-6, "{found:?}");
        assert!(through(&[[0, 1]], &[vec![(1, 1, 1.0)]], 0).is_empty());
    }
}
