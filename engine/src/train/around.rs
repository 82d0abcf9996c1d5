//! What is around an entity, for GAKE?
//!
//! Three contexts tell which entity is meant. Its neighbour: the other entity of a fact, and the relation. A path: those
//! two, and another fact on which the path comes to that entity. Its edges: some of the relations in which it takes
//! part. Relations count in the direction in which they lead to the entity; those against it are numbered after the
//! others.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::draw::{End, Question};
use crate::compute::turned::Turned;
use crate::config::Config;
use crate::dataset::Dice;
use crate::joint::Joint;

/// What is around the right answer of each question, with numbers of entities and relations among all graphs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Where the entities of each question begin; one more than there are questions.
    pub entity_starts: Vec<u32>,
    /// Entities; in a sample, rows of its batch.
    pub entities: Vec<u32>,
    /// Where the relations of each question begin.
    pub relation_starts: Vec<u32>,
    /// Relations.
    pub relations: Vec<u32>,
}

/// So many relations of an entity are drawn.
const EDGES: usize = 8;

/// Finds the facts of an entity, whichever end it is.
#[derive(Debug)]
pub(super) struct Incidence {
    /// By object, the rows of each graph's training facts.
    incoming: Vec<Turned>,
}

impl Incidence {
    pub(super) fn new(joint: &Joint) -> Self {
        let of = |graph: &crate::joint::JointGraph| {
            let facts = &graph.facts[0];
            Turned::new(facts.len(), graph.entities as usize, |row| std::iter::once(facts.objects[row]))
        };
        Self { incoming: joint.graphs.iter().map(of).collect() }
    }

    /// How many facts an entity of a graph takes part in.
    fn count(&self, joint: &Joint, number: usize, entity: u32) -> usize {
        joint.graphs[number].facts_of(entity).len() + self.incoming[number].of(entity as usize).len()
    }

    /// A fact of an entity of a graph, by its number: the entity at its other end, and the relation that leads from there.
    fn fact(&self, joint: &Joint, number: usize, entity: u32, at: usize) -> (u32, u32) {
        let graph = &joint.graphs[number];
        let facts = &graph.facts[0];
        let (out, incoming) = (graph.facts_of(entity), self.incoming[number].of(entity as usize));
        let relation = |row: usize| joint.relations.of(number, facts.relations[row]);
        match at.checked_sub(out.len()) {
            None => {
                let row = out.start + at;
                (facts.objects[row], relation(row) + joint.relations.len() as u32)
            }
            Some(at) => (facts.subjects[incoming[at] as usize], relation(incoming[at] as usize)),
        }
    }

    /// One of the facts of an entity, by lot.
    fn draw(&self, joint: &Joint, number: usize, entity: u32, dice: &mut ChaCha8Rng) -> Option<(u32, u32)> {
        let count = self.count(joint, number, entity);
        (count > 0).then(|| self.fact(joint, number, entity, dice.random_range(0..count)))
    }

    /// The same but for one, which is among them. None if there is no other.
    fn draw_another(
        &self,
        joint: &Joint,
        number: usize,
        entity: u32,
        known: (u32, u32),
        dice: &mut ChaCha8Rng,
    ) -> Option<(u32, u32)> {
        let others = self.count(joint, number, entity).checked_sub(1).filter(|&others| others > 0)?;
        // The last takes the place of the known one, so that all others are equally likely.
        let drawn = self.fact(joint, number, entity, dice.random_range(0..others));
        Some(if drawn == known { self.fact(joint, number, entity, others) } else { drawn })
    }

    /// Makes three questions of each: by the neighbour, by a path, by edges.
    pub(super) fn widen(
        &self,
        joint: &Joint,
        config: &Config,
        questions: Vec<Question>,
        dice: &Dice,
        step: u64,
    ) -> (Vec<Question>, Around) {
        let drawn: Vec<[Context; 3]> = questions
            .par_iter()
            .enumerate()
            .map(|(at, question)| self.contexts(joint, question, &mut dice.of(step << 32 | at as u64)))
            .collect();
        let weights = [1.0, config.loss.paths as f32, config.loss.edges as f32];
        let (mut wide, mut around) = (Vec::with_capacity(3 * questions.len()), Around::default());
        around.entity_starts.push(0);
        around.relation_starts.push(0);
        for (question, contexts) in questions.into_iter().zip(drawn) {
            for (context, weight) in contexts.into_iter().zip(weights) {
                wide.push(Question { weight, ..question.clone() });
                around.entities.extend(context.entities);
                around.entity_starts.push(around.entities.len() as u32);
                around.relations.extend(context.relations);
                around.relation_starts.push(around.relations.len() as u32);
            }
        }
        (wide, around)
    }

    fn contexts(&self, joint: &Joint, question: &Question, dice: &mut ChaCha8Rng) -> [Context; 3] {
        let number = question.graph as usize;
        let first = joint.graphs[number].first;
        let forwards = joint.relations.of(number, question.relation);
        let backwards = forwards + joint.relations.len() as u32;
        // What leads to the answer, and what leads from it to the entity that is asked about.
        let (relation, back) =
            if question.asked == End::Head { (backwards, forwards) } else { (forwards, backwards) };
        let neighbour = Context { entities: vec![question.fixed], relations: vec![relation] };
        let mut path = neighbour.clone();
        let asked = (question.right - first, back);
        if let Some((entity, relation)) =
            self.draw_another(joint, number, question.fixed - first, asked, dice)
        {
            path.entities.push(first + entity);
            path.relations.push(relation);
        }
        let mut edges = Context { entities: Vec::new(), relations: vec![relation] };
        for _ in 1..EDGES {
            let drawn = self.draw(joint, number, question.right - first, dice);
            edges.relations.extend(drawn.map(|(_, relation)| relation));
        }
        edges.relations.sort_unstable();
        edges.relations.dedup();
        [neighbour, path, edges]
    }
}

#[derive(Debug, Clone)]
struct Context {
    entities: Vec<u32>,
    relations: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::joint::small_graphs::{random_config, random_parts};

    #[test]
    fn contexts_lead_to_the_entity_by_known_facts() {
        let joint = random_parts(5, 9, 30);
        let (incidence, config) = (Incidence::new(&joint), random_config(1));
        let graph = &joint.graphs[0];
        let backwards = joint.relations.len() as u32;
        let is_known = |from: u32, relation: u32, to: u32| match relation.checked_sub(backwards) {
            None => graph.knows(from, relation, to),
            Some(relation) => graph.knows(to, relation, from),
        };
        let facts = (0..graph.facts[0].len()).map(|row| graph.facts[0].get(row));
        let ends = facts.clone().flat_map(|fact| [fact.subject.0, fact.object.0]);
        let ends: Vec<u32> = ends.collect();
        let degree = |entity: u32| ends.iter().filter(|&&end| end == entity).count();
        let asked: Vec<Question> = facts
            .flat_map(|fact| [(End::Tail, fact), (End::Head, fact)])
            .map(|(asked, fact)| {
                let ends = (fact.subject.0, fact.object.0);
                let (fixed, right) = if asked == End::Tail { ends } else { (ends.1, ends.0) };
                let relation = fact.relation.0;
                Question {
                    graph: 0,
                    answers_from: 0,
                    asked,
                    relation,
                    fixed,
                    right,
                    wrong: 0..0,
                    weight: 1.0,
                }
            })
            .collect();
        let (wide, around) = incidence.widen(&joint, &config, asked.clone(), &Dice::new(3, "around", ""), 4);
        assert_eq!((wide.len(), around.relation_starts.len()), (3 * asked.len(), 3 * asked.len() + 1));
        let mut longer = 0;
        for (at, question) in wide.iter().enumerate() {
            let entities =
                &around.entities[around.entity_starts[at] as usize..around.entity_starts[at + 1] as usize];
            let own = around.relation_starts[at] as usize..around.relation_starts[at + 1] as usize;
            let relations = &around.relations[own];
            match at % 3 {
                2 => {
                    assert!(entities.is_empty());
                    for &relation in relations {
                        assert!((0..9).any(|from| is_known(from, relation, question.right)));
                    }
                }
                context => {
                    assert_eq!(entities[0], question.fixed);
                    assert!(is_known(question.fixed, relations[0], question.right));
                    if context == 0 {
                        assert_eq!(entities.len(), 1);
                    } else if let Some(&entity) = entities.get(1) {
                        longer += 1;
                        assert!(is_known(entity, relations[1], question.fixed));
                        let back = (relations[0] + backwards) % (2 * backwards);
                        assert_ne!(
                            (entity, relations[1]),
                            (question.right, back),
                            "the path goes on to the answer"
                        );
                    } else {
                        assert_eq!(degree(question.fixed), 1);
                    }
                }
            }
        }
        assert!(longer > asked.len() / 2, "{longer}");
    }

    #[test]
    fn another_fact_is_any_of_the_others_alike() {
        let joint = random_parts(5, 9, 30);
        let incidence = Incidence::new(&joint);
        let entity = (0..9).max_by_key(|&entity| incidence.count(&joint, 0, entity)).unwrap();
        let all: Vec<(u32, u32)> =
            (0..incidence.count(&joint, 0, entity)).map(|at| incidence.fact(&joint, 0, entity, at)).collect();
        assert!(all.len() > 3);
        let dice = &mut Dice::new(1, "others", "").of(0);
        for &known in &all {
            let mut drawn: BTreeMap<(u32, u32), usize> = BTreeMap::new();
            for _ in 0..1000 * (all.len() - 1) {
                *drawn.entry(incidence.draw_another(&joint, 0, entity, known, dice).unwrap()).or_default() +=
                    1;
            }
            assert_eq!(drawn.len(), all.len() - 1);
            assert!(!drawn.contains_key(&known));
            assert!(drawn.values().all(|count| (850..1150).contains(count)), "{drawn:?}");
        }
    }
}
