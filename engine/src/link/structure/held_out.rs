//! How is evidence about known links had as if they were unknown?

use std::collections::HashSet;

use rand::RngExt;

use crate::dataset::Dice;
use crate::graph::{EntityId, Link};
use crate::link::Pair;

/// A pair of graphs with some of its known links held out.
#[derive(Debug, Clone)]
pub struct Fold<'a> {
    /// The pair with the other known links.
    pub pair: Pair<'a>,
    /// The links that it does not know.
    pub held_out: Vec<Link>,
}

/// Cuts the known links into so many folds; each is held out once. [Align](super::align) each fold's pair, and take the
/// evidence of the held-out links, and of rivals of their entities, from there: it is what structure says about a link that
/// nobody told. It is a little weaker than that of unknown links when all known ones help, since there are fewer labels: with
/// five folds, a fifth fewer.
///
/// Links that share an entity stay together: one of them would tell about the other. What is known not to be the same as an
/// entity that is held out is not known there either: about most entities nobody has said such a thing.
pub fn folds<'a>(pair: &Pair<'a>, count: usize, seed: u64) -> Vec<Fold<'a>> {
    let names = pair.graphs().map(|graph| graph.name.as_str()).join("\u{0}");
    let dice = Dice::new(seed, "structure folds", &names);
    let groups = groups(&pair.known);
    let fold_of = |group: usize| dice.of(group as u64).random_range(0..count.max(1));
    let folds: Vec<usize> = groups.into_iter().map(fold_of).collect();
    let of = |fold: usize, is_held_out: bool| {
        let links = pair.known.iter().zip(&folds).filter(|(_, own)| (**own == fold) == is_held_out);
        links.map(|(link, _)| *link).collect::<Vec<Link>>()
    };
    let each = (0..count.max(1)).map(|fold| {
        let held_out = of(fold, true);
        let firsts: HashSet<EntityId> = held_out.iter().map(|link| link.first).collect();
        let seconds: HashSet<EntityId> = held_out.iter().map(|link| link.second).collect();
        let mut pair = Pair { known: of(fold, false), ..pair.clone() };
        pair.denied.retain(|link| !firsts.contains(&link.first) && !seconds.contains(&link.second));
        Fold { pair, held_out }
    });
    each.collect()
}

/// For each link the number of its group: the place of the first link that it is joined to by shared entities.
fn groups(links: &[Link]) -> Vec<usize> {
    let mut group: Vec<usize> = (0..links.len()).collect();
    let mut owners = [std::collections::HashMap::new(), std::collections::HashMap::new()];
    for (at, link) in links.iter().enumerate() {
        for (owners, end) in owners.iter_mut().zip([link.first, link.second]) {
            let other = *owners.entry(end).or_insert(at);
            let roots = [root(&mut group, at), root(&mut group, other)];
            group[roots[0].max(roots[1])] = roots[0].min(roots[1]);
        }
    }
    (0..links.len()).map(|at| root(&mut group, at)).collect()
}

fn root(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}
