//! Which entities are near an entity?
//!
//! The paper's neighbourhood N(e): the distinct entities met on k random walks of length l from e, over training
//! facts in either direction. The entity itself is left out here; the partner in a fact is left out when it is known.

use rand::RngExt;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::columns::Lists;
use super::random::Dice;
use crate::graph::{Adjacency, EntityId};
use crate::progress::Progress;

/// How long and how often to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkConfig {
    /// Walks from each entity.
    pub count: usize,
    /// Steps of each walk.
    pub length: usize,
}

impl Default for WalkConfig {
    /// Appendix B.2.
    fn default() -> Self {
        Self { count: 50, length: 3 }
    }
}

/// The neighbourhood of every entity, sorted.
pub(super) fn neighbourhoods(
    adjacency: &Adjacency,
    config: WalkConfig,
    dice: &Dice,
    progress: &dyn Progress,
) -> Lists {
    Lists::build(adjacency.entities(), progress, |entity| {
        let start = EntityId(entity as u32);
        if adjacency.of(start).is_empty() {
            return Vec::new();
        }
        let mut generator = dice.of(entity as u64);
        let mut met = Vec::with_capacity(config.count * config.length);
        for _ in 0..config.count {
            let mut at = start;
            for _ in 0..config.length {
                // Every step goes along a fact, so there is always a way on: the one that led here.
                let next = adjacency.of(at);
                at = next[generator.random_range(0..next.len())];
                met.push(at.0);
            }
        }
        met.sort_unstable();
        met.dedup();
        met.retain(|&other| other != start.0);
        met
    })
}

impl Lists {
    /// Builds a list for each row, in parallel; a list may depend on its row only.
    pub(super) fn build(
        rows: usize,
        progress: &dyn Progress,
        list: impl Fn(usize) -> Vec<u32> + Sync,
    ) -> Self {
        const CHUNK: usize = 1024;
        let chunks: Vec<(Vec<u32>, Vec<u32>)> = (0..rows.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut lengths, mut items) = (Vec::new(), Vec::new());
                for row in chunk * CHUNK..rows.min((chunk + 1) * CHUNK) {
                    let list = list(row);
                    lengths.push(list.len() as u32);
                    items.extend(list);
                }
                progress.advance(lengths.len() as u64);
                (lengths, items)
            })
            .collect();
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0i64);
        let total = chunks.iter().map(|(_, items)| items.len()).sum();
        let mut all = Vec::with_capacity(total);
        let mut end = 0;
        for (lengths, items) in chunks {
            for length in lengths {
                end += i64::from(length);
                starts.push(end);
            }
            all.extend(items);
        }
        Self::new(starts, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Fact, RelationId};
    use crate::progress::Silent;
    use proptest::prelude::*;

    fn facts(pairs: &[(u32, u32)]) -> Vec<Fact> {
        let fact = |&(s, o): &(u32, u32)| Fact {
            subject: EntityId(s),
            relation: RelationId(0),
            object: EntityId(o),
        };
        pairs.iter().map(fact).collect()
    }

    proptest! {
        #[test]
        fn walks_stay_within_reach(pairs in prop::collection::vec((0..15u32, 0..15u32), 0..30), length in 1..4usize) {
            let adjacency = Adjacency::undirected(15, &facts(&pairs));
            let config = WalkConfig { count: 20, length };
            let lists = neighbourhoods(&adjacency, config, &Dice::new(1, "walks", "g"), &Silent);
            for entity in 0..15u32 {
                let mut reach = vec![entity];
                for _ in 0..length {
                    let next: Vec<u32> = reach.iter().flat_map(|&e| adjacency.of(EntityId(e)).iter().map(|e| e.0)).collect();
                    reach.extend(next);
                }
                let met = lists.get(entity as usize);
                prop_assert!(met.iter().all(|other| reach.contains(other) && *other != entity));
                prop_assert!(met.windows(2).all(|w| w[0] < w[1]));
                prop_assert_eq!(met.is_empty(), adjacency.of(EntityId(entity)).is_empty());
            }
        }
    }

    #[test]
    fn many_walks_meet_everything_near() {
        let adjacency = Adjacency::undirected(5, &facts(&[(0, 1), (1, 2), (2, 3), (3, 4)]));
        let dice = Dice::new(7, "walks", "g");
        let lists = neighbourhoods(&adjacency, WalkConfig { count: 200, length: 3 }, &dice, &Silent);
        assert_eq!(lists.get(0), [1, 2, 3]);
        assert_eq!(lists.get(2), [0, 1, 3, 4]);
    }
}
