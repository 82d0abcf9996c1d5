//! Who stands next to whom, in which relation, and how much does that tell?

use rayon::prelude::*;

use crate::dataset::{Lists, PreparedGraph};

/// The facts of a graph seen from both ends. A relation r has the number 2r, and read backwards 2r + 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    starts: Vec<usize>,
    /// Neighbour and relation, sorted, each once.
    steps: Vec<(u32, u32)>,
    /// How many entities have the same step.
    sharing: Vec<u32>,
    /// The relations of each entity: sorted, each once. Far fewer than its steps where it is a hub.
    relations_of: Lists,
    /// For each relation, how far its object alone tells its subject: fun⁻¹.
    inverse_functionality: Vec<f32>,
}

impl Surroundings {
    /// Those of a graph: the facts of all its parts, since links have parts of their own.
    pub fn of_graph(graph: &PreparedGraph) -> Self {
        let facts = graph.facts.iter().flat_map(|part| part.iter());
        let facts = facts.map(|fact| (fact.subject.0, fact.relation.0, fact.object.0));
        Self::new(graph.entities.len(), graph.relations.len(), facts)
    }

    /// Those of facts: subject, relation and object.
    pub fn new(entities: usize, relations: usize, facts: impl Iterator<Item = (u32, u32, u32)>) -> Self {
        let mut rows: Vec<(u32, u32, u32)> =
            facts.flat_map(|(s, r, o)| [(s, o, 2 * r), (o, s, 2 * r + 1)]).collect();
        rows.par_sort_unstable();
        rows.dedup();
        let mut starts = vec![0; entities + 1];
        rows.iter().for_each(|row| starts[row.0 as usize + 1] += 1);
        (0..entities).for_each(|at| starts[at + 1] += starts[at]);
        let steps: Vec<(u32, u32)> = rows.into_iter().map(|(_, end, relation)| (end, relation)).collect();
        let counted: Vec<Vec<(u32, u32)>> =
            starts.par_windows(2).with_min_len(256).map(|ends| counted(&steps[ends[0]..ends[1]])).collect();
        // Who leads to an entity by a relation is whom it leads to by the inverse.
        let sharing = steps.par_iter().map(|&(end, relation)| {
            let there = &counted[end as usize];
            let at = there.partition_point(|(own, _)| *own < (relation ^ 1));
            there[at].1
        });
        let sharing = sharing.collect();
        let (mut facts, mut objects) = (vec![0u32; 2 * relations], vec![0u32; 2 * relations]);
        for &(relation, count) in counted.iter().flatten() {
            facts[(relation ^ 1) as usize] += count;
            objects[(relation ^ 1) as usize] += 1;
        }
        let share = |(&objects, &facts): (&u32, &u32)| objects as f32 / facts.max(1) as f32;
        let inverse_functionality = objects.iter().zip(&facts).map(share).collect();
        let distinct = |counted: Vec<(u32, u32)>| counted.into_iter().map(|(relation, _)| relation).collect();
        let relations_of = Lists::from_lists(counted.into_iter().map(distinct));
        Self { starts, steps, sharing, relations_of, inverse_functionality }
    }

    /// The neighbours of an entity, with the relation that leads there; sorted.
    pub fn of(&self, entity: u32) -> &[(u32, u32)] {
        &self.steps[self.starts[entity as usize]..self.starts[entity as usize + 1]]
    }

    /// The relations that lead from one entity to another.
    pub fn between(&self, from: u32, to: u32) -> &[(u32, u32)] {
        let all = self.of(from);
        &all[all.partition_point(|step| step.0 < to)..all.partition_point(|step| step.0 <= to)]
    }

    /// Whether a relation leads from an entity to anybody.
    pub fn has(&self, entity: u32, relation: u32) -> bool {
        self.relations_of.get(entity as usize).binary_search(&relation).is_ok()
    }

    /// How far an object of a relation alone tells its subject, 0 to 1.
    pub fn inverse_functionality(&self, relation: u32) -> f32 {
        self.inverse_functionality[relation as usize]
    }

    /// How many entities there are.
    pub fn entities(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many relations there are, both ways counted.
    pub fn relations(&self) -> usize {
        self.inverse_functionality.len()
    }

    /// For each step of [`Surroundings::of`], how many entities have it: how many stand in that relation to that neighbour.
    pub fn sharing(&self, entity: u32) -> &[u32] {
        &self.sharing[self.starts[entity as usize]..self.starts[entity as usize + 1]]
    }
}

/// How many steps there are of each relation, by relation.
fn counted(steps: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut relations: Vec<u32> = steps.iter().map(|step| step.1).collect();
    relations.sort_unstable();
    relations.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_seen_from_both_ends() {
        let around = Surroundings::new(4, 1, [(0, 0, 2), (1, 0, 2), (0, 0, 3), (0, 0, 2)].into_iter());
        assert_eq!(around.of(0), [(2, 0), (3, 0)]);
        assert_eq!(around.of(2), [(0, 1), (1, 1)]);
        assert_eq!(around.between(0, 3), [(3, 0)]);
        // Three facts with two objects and two subjects.
        assert_eq!([0, 1].map(|r| around.inverse_functionality(r)), [2.0 / 3.0; 2]);
        // Two entities lead to 2, and one to 3.
        assert_eq!(around.sharing(0), [2, 1]);
        assert_eq!(
            [(0, 0), (0, 1), (2, 0), (2, 1)].map(|(e, r)| around.has(e, r)),
            [true, false, false, true]
        );
    }

    #[test]
    fn sharing_is_what_counting_gives() {
        let mut random = crate::joint::small_graphs::dice(4);
        let mut one = |most: u32| rand::RngExt::random_range(&mut random, 0..most);
        let facts: Vec<(u32, u32, u32)> = (0..300).map(|_| (one(12), one(3), one(12))).collect();
        let around = Surroundings::new(12, 3, facts.iter().copied());
        let steps = |entity: u32| around.of(entity).iter().copied().zip(around.sharing(entity));
        let all: Vec<(u32, u32)> = (0..12).flat_map(|entity| around.of(entity).to_vec()).collect();
        for entity in 0..12 {
            for (step, &sharing) in steps(entity) {
                assert_eq!(sharing as usize, all.iter().filter(|other| **other == step).count(), "{step:?}");
            }
        }
        for relation in 0..6 {
            let mut ends: Vec<u32> =
                all.iter().filter(|step| step.1 == relation).map(|step| step.0).collect();
            let count = ends.len() as f32;
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(around.inverse_functionality(relation), ends.len() as f32 / count);
        }
    }
}
