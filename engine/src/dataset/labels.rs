//! Which entities are known to be the same, and which are not?
//!
//! Appendix B.1: any entity has at most one positive label, and each entity has 20 negative ones: 10 entities of the
//! other graph of the same type, and 10 of another, never one that is known to be the same.

use std::collections::{HashMap, HashSet};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::columns::Lists;
use super::random::Dice;
use super::relation_types::typing_starts;
use super::type_alignment::TypeAlignment;
use crate::graph::{EntityId, Graph, Link, Links, Part, TypeId, Typing};
use crate::progress::Progress;

/// How many negative labels an entity gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NegativeConfig {
    /// Entities of the same type.
    pub same_type: usize,
    /// Entities of another type.
    pub other_type: usize,
}

impl Default for NegativeConfig {
    fn default() -> Self {
        Self { same_type: 10, other_type: 10 }
    }
}

/// Removes repeated links, and links that give an entity a second partner: the first stays, in the order train,
/// valid, test, undivided and then by id, which nothing about the input decides. Returns what was removed.
pub(super) fn one_partner_each(links: &mut Links) -> Conflicts {
    let mut conflicts = Conflicts::default();
    let (mut firsts, mut seconds, mut kept) = (HashSet::new(), HashSet::new(), HashSet::new());
    for part in Part::ALL {
        links.positives.part_mut(part).sort_unstable();
        links.positives.part_mut(part).retain(|link| {
            if kept.contains(link) {
                conflicts.repeated += 1;
                return false;
            }
            if firsts.contains(&link.first) || seconds.contains(&link.second) {
                conflicts.second_partner.push(*link);
                return false;
            }
            firsts.insert(link.first);
            seconds.insert(link.second);
            kept.insert(*link)
        });
    }
    for part in Part::ALL {
        links.negatives.part_mut(part).retain(|link| {
            let denied = kept.contains(link);
            conflicts.denied += u64::from(denied);
            !denied
        });
        links.negatives.part_mut(part).sort_unstable();
        links.negatives.part_mut(part).dedup();
    }
    conflicts
}

/// Links that were removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Conflicts {
    /// The same link again.
    pub(super) repeated: u64,
    /// Links that would have given an entity a second partner.
    pub(super) second_partner: Vec<Link>,
    /// Negative labels of pairs that are also positive.
    pub(super) denied: u64,
}

/// Drawn negative labels: for each entity of one graph, entities of the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Negatives {
    pub(super) same_type: Lists,
    pub(super) other_type: Lists,
}

/// One graph's entities by type, for drawing.
struct Members<'a> {
    graph: &'a Graph,
    starts: Vec<usize>,
    by_type: Vec<Vec<EntityId>>,
}

impl<'a> Members<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut by_type = vec![Vec::new(); graph.types.len()];
        graph.typings.iter().for_each(|typing| by_type[typing.class.row()].push(typing.entity));
        Self { graph, starts: typing_starts(graph), by_type }
    }

    fn types_of(&self, entity: EntityId) -> &[Typing] {
        &self.graph.typings[self.starts[entity.row()]..self.starts[entity.row() + 1]]
    }
}

/// Draws the negative labels of both graphs of a pair.
pub(super) fn draw_negatives(
    graphs: [&Graph; 2],
    links: &Links,
    config: NegativeConfig,
    seed: u64,
    progress: &dyn Progress,
) -> [Negatives; 2] {
    let alignments = TypeAlignment::both_ways(graphs[0], graphs[1], links.positives.part(Part::Train));
    let members = graphs.map(Members::new);
    let forth: HashMap<EntityId, EntityId> = links.positives.iter().map(|l| (l.first, l.second)).collect();
    let back: HashMap<EntityId, EntityId> = links.positives.iter().map(|l| (l.second, l.first)).collect();
    let partners = [forth, back];
    [0, 1].map(|side| {
        let (own, other) = (&members[side], &members[1 - side]);
        let dice = Dice::new(seed, "negative labels", &format!("{}-{}", own.graph.name, other.graph.name));
        let draw = |entity: usize, kind: Wanted| {
            let entity = EntityId(entity as u32);
            let draw = Draw {
                other,
                types: alignments[side].of(own.types_of(entity)),
                partner: partners[side].get(&entity).copied(),
            };
            // Two draws from one stream each: the lists do not depend on each other.
            draw.of_kind(kind, config, &mut dice.of(2 * u64::from(entity.0) + kind as u64))
        };
        let entities = own.graph.entities.len();
        Negatives {
            same_type: Lists::build(entities, progress, |entity| draw(entity, Wanted::SameType)),
            other_type: Lists::build(entities, progress, |entity| draw(entity, Wanted::OtherType)),
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    SameType = 0,
    OtherType = 1,
}

/// What is needed to draw for one entity.
struct Draw<'a> {
    other: &'a Members<'a>,
    /// The types of the other graph that correspond to the entity's own.
    types: Vec<TypeId>,
    partner: Option<EntityId>,
}

impl Draw<'_> {
    fn of_kind(&self, kind: Wanted, config: NegativeConfig, generator: &mut ChaCha8Rng) -> Vec<u32> {
        // Without a type on either side there is no same and other; all are drawn alike.
        type Candidate<'d> = fn(&Draw<'d>, &mut ChaCha8Rng) -> Option<EntityId>;
        let (count, candidate): (usize, Candidate<'_>) = match (kind, self.types.is_empty()) {
            (Wanted::SameType, true) => return Vec::new(),
            (Wanted::OtherType, true) => (config.same_type + config.other_type, Self::any),
            (Wanted::SameType, false) => (config.same_type, Self::of_same_type),
            (Wanted::OtherType, false) => (config.other_type, Self::of_other_type),
        };
        let mut drawn: Vec<u32> = Vec::with_capacity(count);
        // A small pool may hold fewer than asked; this many tries find nearly all of it.
        for _ in 0..20 * count {
            if drawn.len() == count {
                break;
            }
            let found = candidate(self, generator).filter(|entity| Some(*entity) != self.partner);
            if let Some(EntityId(entity)) = found
                && !drawn.contains(&entity)
            {
                drawn.push(entity);
            }
        }
        drawn.sort_unstable();
        drawn
    }

    fn any(&self, generator: &mut ChaCha8Rng) -> Option<EntityId> {
        let entities = self.other.graph.entities.len() as u32;
        (entities > 0).then(|| EntityId(generator.random_range(0..entities)))
    }

    fn of_same_type(&self, generator: &mut ChaCha8Rng) -> Option<EntityId> {
        let pools = || self.types.iter().map(|class| &self.other.by_type[class.row()]);
        let total: usize = pools().map(Vec::len).sum();
        if total == 0 {
            return None;
        }
        let mut at = generator.random_range(0..total);
        for pool in pools() {
            match pool.get(at) {
                Some(&entity) => return Some(entity),
                None => at -= pool.len(),
            }
        }
        None
    }

    /// Of a known type that does not correspond to any of the entity's own.
    fn of_other_type(&self, generator: &mut ChaCha8Rng) -> Option<EntityId> {
        let entity = self.any(generator)?;
        let types = self.other.types_of(entity);
        let same = types.iter().any(|typing| self.types.binary_search(&typing.class).is_ok());
        (!types.is_empty() && !same).then_some(entity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{ByPart, GraphBuilder};
    use crate::progress::Silent;
    use proptest::prelude::*;

    fn graph(name: &str, typed: &[u8]) -> Graph {
        let mut builder = GraphBuilder::default();
        for (i, class) in typed.iter().enumerate() {
            let entity = format!("{name}{i}");
            if *class < 3 {
                builder.typing(&entity, &format!("{name}/t{class}"))
            } else {
                _ = builder.entity(&entity)
            }
        }
        builder.finish(name)
    }

    fn links(pairs: &[(u32, u32, u8)]) -> Links {
        let mut positives = ByPart::default();
        for &(first, second, part) in pairs {
            let link = Link { first: EntityId(first), second: EntityId(second) };
            positives.part_mut(Part::ALL[part as usize % 4]).push(link);
        }
        Links { first: 0, second: 1, positives, negatives: ByPart::default() }
    }

    proptest! {
        #[test]
        fn an_entity_has_at_most_one_partner(pairs in prop::collection::vec((0..8u32, 0..8u32, 0..4u8), 0..40)) {
            let mut links = links(&pairs);
            let conflicts = one_partner_each(&mut links);
            let (mut firsts, mut seconds) = (HashSet::new(), HashSet::new());
            for link in links.positives.iter() {
                prop_assert!(firsts.insert(link.first) && seconds.insert(link.second));
            }
            let removed = conflicts.repeated as usize + conflicts.second_partner.len();
            prop_assert_eq!(links.positives.len() + removed, pairs.len());
        }

        #[test]
        fn negative_labels_respect_their_rules(
            a in prop::collection::vec(0..4u8, 1..40), b in prop::collection::vec(0..4u8, 1..40), seed: u64
        ) {
            let (first, second) = (graph("a", &a), graph("b", &b));
            let n = a.len().min(b.len()) as u32;
            let mut links = links(&(0..n / 2).map(|i| (i, i, 0)).collect::<Vec<_>>());
            one_partner_each(&mut links);
            let config = NegativeConfig::default();
            let negatives = draw_negatives([&first, &second], &links, config, seed, &Silent);
            let [forth, _] = TypeAlignment::both_ways(&first, &second, links.positives.part(Part::Train));
            let (own, other) = (Members::new(&first), Members::new(&second));
            for row in 0..a.len() {
                let types = forth.of(own.types_of(EntityId(row as u32)));
                let shares = |e: u32| other.types_of(EntityId(e)).iter().any(|t| types.contains(&t.class));
                let (same, different) = (negatives[0].same_type.get(row), negatives[0].other_type.get(row));
                prop_assert!(same.iter().all(|&e| shares(e)));
                prop_assert!(different.iter().all(|&e| !shares(e)));
                prop_assert!(same.len() <= 10 && same.len() + different.len() <= 20);
                let partner = links.positives.iter().find(|l| l.first.row() == row).map(|l| l.second.0);
                prop_assert!(same.iter().chain(different).all(|&e| Some(e) != partner));
            }
        }
    }
}
