//! Which entities are known to be the same, and which are not?
//!
//! Appendix B.1: any entity has at most one positive label, and each entity has 20 negative ones: 10 entities of the
//! other graph of the same type, and 10 of another, never one that is known to be the same.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

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
    conflicting: &[Link],
    config: NegativeConfig,
    seed: u64,
    progress: &dyn Progress,
) -> [Negatives; 2] {
    let alignments = TypeAlignment::both_ways(graphs[0], graphs[1], links.positives.part(Part::Train));
    let members = graphs.map(Members::new);
    // A link that lost against another one is still no negative.
    let known: HashSet<Link> = links.positives.iter().chain(conflicting).copied().collect();
    [0, 1].map(|side| {
        let (own, other) = (&members[side], &members[1 - side]);
        let dice = Dice::new(seed, "negative labels", &format!("{}-{}", own.graph.name, other.graph.name));
        let others = Others { members: other, by_types: Mutex::default() };
        let draw = |entity: usize, kind: Wanted| {
            let entity = EntityId(entity as u32);
            let is_known = |other: EntityId| {
                let [first, second] = if side == 0 { [entity, other] } else { [other, entity] };
                known.contains(&Link { first, second })
            };
            let draw = Draw {
                others: &others,
                types: alignments[side].of(own.types_of(entity)),
                is_known: &is_known,
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

/// The other graph, and for rare sets of types the few entities that have none of them.
struct Others<'a> {
    members: &'a Members<'a>,
    by_types: Mutex<HashMap<Vec<TypeId>, Arc<Vec<EntityId>>>>,
}

impl Others<'_> {
    /// Whether an entity is of a known type, and of none of these.
    fn is_without(&self, types: &[TypeId], entity: EntityId) -> bool {
        let own = self.members.types_of(entity);
        !own.is_empty() && !own.iter().any(|typing| types.binary_search(&typing.class).is_ok())
    }

    fn all_without(&self, types: &[TypeId]) -> Arc<Vec<EntityId>> {
        let mut known = self.by_types.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let find = || {
            let all = (0..self.members.graph.entities.len() as u32).map(EntityId);
            Arc::new(all.filter(|&entity| self.is_without(types, entity)).collect())
        };
        known.entry(types.to_vec()).or_insert_with(find).clone()
    }
}

/// What is needed to draw for one entity.
struct Draw<'a> {
    others: &'a Others<'a>,
    /// The types of the other graph that correspond to the entity's own.
    types: Vec<TypeId>,
    /// Whether an entity of the other graph is known to be the same.
    is_known: &'a dyn Fn(EntityId) -> bool,
}

/// A rejected candidate costs a try; beyond so many for each label the candidates are listed instead.
const TRIES: usize = 20;

impl Draw<'_> {
    fn of_kind(&self, kind: Wanted, config: NegativeConfig, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let mut drawn = match (kind, self.types.is_empty()) {
            // Without a type that corresponds there is no same and other; all are drawn alike.
            (Wanted::SameType, true) => Vec::new(),
            (Wanted::OtherType, true) => {
                let everyone = self.others.members.graph.entities.len();
                let draw = |g: &mut ChaCha8Rng| EntityId(g.random_range(0..everyone as u32));
                self.distinct(config.same_type + config.other_type, generator, draw, || {
                    (0..everyone as u32).map(EntityId).collect()
                })
            }
            (Wanted::SameType, false) => {
                let pools: Vec<&[EntityId]> = self
                    .types
                    .iter()
                    .map(|class| &self.others.members.by_type[class.row()][..])
                    .filter(|pool| !pool.is_empty())
                    .collect();
                if pools.is_empty() {
                    return Vec::new();
                }
                // A type first, then one of its entities: a large type does not drown a small one.
                let draw = |g: &mut ChaCha8Rng| {
                    let pool = pools[g.random_range(0..pools.len())];
                    pool[g.random_range(0..pool.len())]
                };
                self.distinct(config.same_type, generator, draw, || pools.concat())
            }
            (Wanted::OtherType, false) => self.of_other_type(config.other_type, generator),
        };
        drawn.sort_unstable();
        drawn
    }

    fn of_other_type(&self, count: usize, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let everyone = self.others.members.graph.entities.len() as u32;
        let mut drawn = Vec::with_capacity(count);
        for _ in 0..TRIES * count {
            let entity = EntityId(generator.random_range(0..everyone));
            if drawn.len() == count {
                return drawn;
            }
            if self.others.is_without(&self.types, entity)
                && !(self.is_known)(entity)
                && !drawn.contains(&entity.0)
            {
                drawn.push(entity.0);
            }
        }
        let rare = self.others.all_without(&self.types);
        self.fill(&mut drawn, count, generator, rare.to_vec());
        drawn
    }

    /// So many different entities, drawn until tries run out and then from the list of all candidates.
    fn distinct(
        &self,
        count: usize,
        generator: &mut ChaCha8Rng,
        draw: impl Fn(&mut ChaCha8Rng) -> EntityId,
        all: impl FnOnce() -> Vec<EntityId>,
    ) -> Vec<u32> {
        let mut drawn: Vec<u32> = Vec::with_capacity(count);
        for _ in 0..TRIES * count {
            if drawn.len() == count {
                return drawn;
            }
            let entity = draw(generator);
            if !(self.is_known)(entity) && !drawn.contains(&entity.0) {
                drawn.push(entity.0);
            }
        }
        self.fill(&mut drawn, count, generator, all());
        drawn
    }

    /// Completes a draw from a short list of candidates, as far as it goes.
    fn fill(&self, drawn: &mut Vec<u32>, count: usize, generator: &mut ChaCha8Rng, mut all: Vec<EntityId>) {
        all.sort_unstable();
        all.dedup();
        all.retain(|entity| !(self.is_known)(*entity) && !drawn.contains(&entity.0));
        while drawn.len() < count && !all.is_empty() {
            let at = generator.random_range(0..all.len());
            drawn.push(all.swap_remove(at).0);
        }
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
            let lost = [Link { first: EntityId(0), second: EntityId(n / 2) }];
            let lost = if n > 1 { &lost[..] } else { &[] };
            let negatives = draw_negatives([&first, &second], &links, lost, config, seed, &Silent);
            let [forth, _] = TypeAlignment::both_ways(&first, &second, links.positives.part(Part::Train));
            let (own, other) = (Members::new(&first), Members::new(&second));
            for row in 0..a.len() {
                let types = forth.of(own.types_of(EntityId(row as u32)));
                let shares = |e: u32| other.types_of(EntityId(e)).iter().any(|t| types.contains(&t.class));
                let (same, different) = (negatives[0].same_type.get(row), negatives[0].other_type.get(row));
                prop_assert!(same.iter().all(|&e| shares(e)));
                prop_assert!(different.iter().all(|&e| !shares(e)));
                let partner = links.positives.iter().find(|l| l.first.row() == row).map(|l| l.second.0);
                let lost = lost.iter().find(|l| l.first.row() == row).map(|l| l.second.0);
                let allowed = |e: &u32| Some(*e) != partner && Some(*e) != lost;
                prop_assert!(same.iter().chain(different).all(allowed));
                // As many as asked for, or all there are.
                let everyone = || (0..b.len() as u32).filter(allowed);
                let typed = |e: &u32| !other.types_of(EntityId(*e)).is_empty();
                let most = |count: usize, pool: usize| count.min(pool);
                if types.is_empty() {
                    prop_assert_eq!((same.len(), different.len()), (0, most(20, everyone().count())));
                } else {
                    prop_assert_eq!(same.len(), most(10, everyone().filter(|&e| shares(e)).count()));
                    prop_assert_eq!(different.len(), most(10, everyone().filter(|e| typed(e) && !shares(*e)).count()));
                }
            }
        }
    }
}
