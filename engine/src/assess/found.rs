//! Which links are shown of those that were found, and why were they?
//!
//! A handful of right ones from the surest to the least sure, the surest mistakes, and some that nobody found; each with
//! what moved its probability.

use std::collections::{HashMap, HashSet};

use super::describe::Describer;
use crate::dataset::{Dataset, PreparedLinks};
use crate::graph::{EntityId, Link, Part};
use crate::link::{Found, USUAL_LEAST};
use crate::report::{LinkExample, Outcome, Reasons, Standing};

/// So many links are shown that are right.
const RIGHT: usize = 8;
/// So many that are mistakes.
const MISTAKEN: usize = 6;
/// And so many that were not found.
const MISSED: usize = 6;

/// What is said of a link that nobody looked at.
const NO_CANDIDATE: &str =
    "Nobody proposed this pair: what is written about the two, and where they stand, is too unlike.";

/// Links of a part that are right, and those that went wrong.
pub(super) fn examples(
    data: &Dataset,
    links: &PreparedLinks,
    found: &Found,
    part: Part,
) -> (Vec<LinkExample>, Vec<LinkExample>) {
    let Outcomes { right, mistaken, missed } = Outcomes::of(found, &links.positives[part as usize]);
    let neighbourhoods = [links.first, links.second].map(|graph| &data.graphs[graph].neighbourhoods);
    let teller = Teller {
        found,
        describer: Describer::new(data, links, neighbourhoods),
        partners: links.positives[part as usize].iter().map(|link| (link.first.0, link.second.0)).collect(),
    };
    let show = |of: Vec<(Link, f32)>, outcome: Outcome| -> Vec<LinkExample> {
        of.into_iter().map(|(link, probability)| teller.example(link, probability, outcome)).collect()
    };
    let mut wrong = show(mistaken.into_iter().take(MISTAKEN).collect(), Outcome::Mistaken);
    wrong.extend(show(evenly(missed, MISSED), Outcome::Missed));
    (show(evenly(right, RIGHT), Outcome::Found), wrong)
}

/// So many of a list at most, from its first to its last.
fn evenly<T>(all: Vec<T>, most: usize) -> Vec<T> {
    let step = all.len().div_ceil(most).max(1);
    all.into_iter().step_by(step).collect()
}

/// What became of the links of a part, each with its probability, the likeliest first.
struct Outcomes {
    right: Vec<(Link, f32)>,
    mistaken: Vec<(Link, f32)>,
    missed: Vec<(Link, f32)>,
}

impl Outcomes {
    fn of(found: &Found, gold: &[Link]) -> Self {
        let is_right: HashSet<(u32, u32)> = gold.iter().map(|link| (link.first.0, link.second.0)).collect();
        let firsts: HashSet<u32> = gold.iter().map(|link| link.first.0).collect();
        let seconds: HashSet<u32> = gold.iter().map(|link| link.second.0).collect();
        let (mut right, mut mistaken, mut linked) = (Vec::new(), Vec::new(), HashSet::new());
        for pair in found.links(USUAL_LEAST) {
            let link = Link { first: EntityId(pair.first), second: EntityId(pair.second) };
            linked.insert(pair.first);
            if is_right.contains(&(pair.first, pair.second)) {
                right.push((link, pair.score));
            } else if firsts.contains(&pair.first) || seconds.contains(&pair.second) {
                mistaken.push((link, pair.score));
            }
        }
        let probability =
            |link: &Link| found.place(link.first.0, link.second.0).map_or(0.0, |at| found.probabilities[at]);
        let missed = gold.iter().filter(|link| !linked.contains(&link.first.0));
        let mut missed: Vec<(Link, f32)> = missed.map(|link| (*link, probability(link))).collect();
        for list in [&mut right, &mut mistaken, &mut missed] {
            list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        Self { right, mistaken, missed }
    }
}

/// Tells what became of pairs, and why.
struct Teller<'a> {
    found: &'a Found,
    describer: Describer<'a>,
    /// The true partners of those that may be taken for others'.
    partners: HashMap<u32, u32>,
}

impl Teller<'_> {
    fn example(&self, link: Link, probability: f32, outcome: Outcome) -> LinkExample {
        let place = self.found.place(link.first.0, link.second.0);
        let partner = match outcome {
            Outcome::Mistaken => self.partners.get(&link.first.0).copied(),
            Outcome::Found | Outcome::Missed => Some(link.second.0),
        };
        LinkExample {
            why: if place.is_none() { NO_CANDIDATE.to_owned() } else { String::new() },
            reasons: place.map(|at| told(&self.found.reasons(at))),
            standing: partner.map(|partner| self.standing(link.first.0, partner)),
            ..self.describer.example(link, f64::from(probability), outcome)
        }
    }

    fn standing(&self, first: u32, partner: u32) -> Standing {
        let place = place_of(self.found, first, partner);
        let start = self.found.candidates.starts[first as usize];
        let rivals = self.found.candidates.of_entity(first).iter().zip(&self.found.margins[start..]);
        let leader = rivals.max_by(|a, b| a.1.total_cmp(b.1)).map(|(&second, _)| second);
        let before = leader.filter(|&leader| leader != partner && place.is_none_or(|place| place > 1.0));
        Standing {
            partner: self.describer.second_name(partner),
            place,
            before: before.map(|leader| self.describer.second_name(leader)),
        }
    }
}

/// The place of a candidate among all candidates of an entity, a tie in the middle of its places: those who are no
/// candidates all stand behind.
fn place_of(found: &Found, first: u32, second: u32) -> Option<f64> {
    let own = found.margins[found.place(first, second)?];
    let range = found.candidates.starts[first as usize]..found.candidates.starts[first as usize + 1];
    let (mut better, mut equal) = (0, 0);
    for &margin in &found.margins[range] {
        better += usize::from(margin > own);
        equal += usize::from(margin == own);
    }
    Some(1.0 + better as f64 + (equal - 1) as f64 / 2.0)
}

/// The reasons of a pair as a report tells them, the largest first.
fn told(reasons: &crate::link::Reasons) -> Reasons {
    let part = |&(name, nats): &(&str, f32)| (name.to_owned(), f64::from(nats));
    let mut parts: Vec<(String, f64)> = reasons.parts.iter().map(part).collect();
    parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
    Reasons {
        against: reasons.against.into(),
        parts,
        rivals: reasons.rivals.into(),
        slope: reasons.slope.into(),
        shift: reasons.shift.into(),
    }
}

#[cfg(test)]
#[path = "found_tests.rs"]
mod tests;
