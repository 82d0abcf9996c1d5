//! What spoke for an answer?
//!
//! Each part of the two representations is left out in turn, and the score is computed again: how much it falls is how
//! much that part spoke for the fact. Nothing is estimated; but parts can stand in for one another, so that the numbers
//! need not add up to the score.

use super::answers::{Answer, Predictor, Query, times};
use crate::eval::RankSide;
use crate::model::entity::{Batch, Contexts, Drawn, Encoder, Ids, Surroundings};
use crate::model::relation;

/// Whose part it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// The subject's.
    Subject,
    /// The object's.
    Object,
    /// The relation's.
    Relation,
}

/// A part of a representation. Entities, keys and values have the numbers of all graphs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What was learned about the entity itself.
    Own,
    /// All of its neighbourhood.
    Neighbourhood,
    /// All of its attributes.
    Attributes,
    /// The types that take part in the relation.
    Types,
    /// One neighbour.
    Neighbour(u32),
    /// One attribute.
    Attribute(u32),
}

/// How much a part spoke for a fact: the score with it, less the score without it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explanation {
    /// Whose part.
    pub whose: Whose,
    /// Which part.
    pub part: Part,
    /// How much the score falls without it.
    pub moved: f32,
}

/// An entity with some of its attributes.
struct Trimmed<'a, S> {
    whole: &'a S,
    attributes: &'a [u32],
}

impl<S: Surroundings> Surroundings for Trimmed<'_, S> {
    fn neighbours(&self, entity: u32) -> Ids<'_> {
        self.whole.neighbours(entity)
    }

    fn attributes(&self, _: u32) -> &[u32] {
        self.attributes
    }

    fn attribute_count(&self) -> usize {
        self.whole.attribute_count()
    }

    fn attribute(&self, attribute: u32) -> (u32, &[u32], &[f32]) {
        self.whole.attribute(attribute)
    }
}

impl Predictor<'_> {
    /// What spoke for an answer: whole contexts first, then single neighbours and attributes, the strongest first.
    pub fn explain(&self, query: Query, answer: Answer) -> Vec<Explanation> {
        let first = self.joint.graphs[query.graph].first;
        let (fixed, other) = (first + query.fixed, first + answer.entity);
        let (subject, object) = match query.asked {
            RankSide::Tail => (fixed, other),
            RankSide::Head => (other, fixed),
        };
        let mut encoder = Encoder::default();
        let z_subject = self.alone(&mut encoder, subject, object, self.contexts, &[None]);
        let z_object = self.alone(&mut encoder, object, subject, self.contexts, &[None]);
        let z_relation = self.relation(query);
        let whole = self.score(&z_subject, z_relation, &z_object);
        let mut contexts = Vec::new();
        let mut single = Vec::new();
        let sides =
            [(Whose::Subject, subject, object, &z_object), (Whose::Object, object, subject, &z_subject)];
        for (whose, own, partner, z_partner) in sides {
            let asked = times(z_partner, z_relation);
            let moved = |z: &[f32]| whole - self.bent(z, &asked);
            for (part, without) in self.without() {
                let z = self.alone(&mut encoder, own, partner, without, &[None]);
                contexts.push(Explanation { whose, part, moved: moved(&z) });
            }
            for (part, z) in self.one_by_one(&mut encoder, own, partner) {
                single.push(Explanation { whose, part, moved: moved(&z) });
            }
        }
        if self.contexts.types.is_some() {
            let without = Contexts { types: None, ..self.contexts };
            let h = self.parameters.sizes.hidden;
            let number = self.joint.relations.of(query.graph, query.relation) as usize;
            let all = relation::forward(&self.joint.relation_types, self.parameters, without).representations;
            let moved = whole - self.score(&z_subject, &all[number * h..(number + 1) * h], &z_object);
            contexts.push(Explanation { whose: Whose::Relation, part: Part::Types, moved });
        }
        single.sort_by(|a, b| b.moved.total_cmp(&a.moved).then((a.whose, a.part).cmp(&(b.whose, b.part))));
        contexts.into_iter().chain(single).collect()
    }

    /// Each context that takes part, and all others without it.
    fn without(&self) -> impl Iterator<Item = (Part, Contexts)> {
        let all = self.contexts;
        let own = all.own.then_some((Part::Own, Contexts { own: false, ..all }));
        let near = all.neighbourhood.map(|_| (Part::Neighbourhood, Contexts { neighbourhood: None, ..all }));
        let attributes = all.attributes.map(|_| (Part::Attributes, Contexts { attributes: None, ..all }));
        own.into_iter().chain(near).chain(attributes)
    }

    /// The entity without each neighbour and each attribute in turn.
    fn one_by_one(&self, encoder: &mut Encoder<f32>, entity: u32, partner: u32) -> Vec<(Part, Vec<f32>)> {
        let h = self.parameters.sizes.hidden;
        let mut found = Vec::new();
        if self.contexts.neighbourhood.is_some() {
            let near: Vec<Option<u32>> = self.near(entity, partner).map(Some).collect();
            let all = self.alone(encoder, entity, partner, self.contexts, &near);
            found.extend(
                near.iter()
                    .flatten()
                    .zip(all.chunks_exact(h))
                    .map(|(&id, z)| (Part::Neighbour(id), z.to_vec())),
            );
        }
        if self.contexts.attributes.is_some() {
            let own = self.joint.attributes(entity);
            for &attribute in own {
                let attributes: Vec<u32> = own.iter().copied().filter(|&at| at != attribute).collect();
                let trimmed = Trimmed { whole: self.joint, attributes: &attributes };
                let batch = self.batch(entity, partner, &[None]);
                encoder.forward(&batch, &trimmed, self.parameters, self.contexts);
                found.push((Part::Attribute(attribute), encoder.representations.clone()));
            }
        }
        found
    }

    /// z of an entity without its partner; for each of `without` once more without that neighbour.
    fn alone(
        &self,
        encoder: &mut Encoder<f32>,
        entity: u32,
        partner: u32,
        contexts: Contexts,
        without: &[Option<u32>],
    ) -> Vec<f32> {
        encoder.forward(&self.batch(entity, partner, without), self.joint, self.parameters, contexts);
        encoder.representations.clone()
    }

    /// The entity several times, each with neighbours of its own. (The way forward does not mind that it is one entity.)
    fn batch(&self, entity: u32, partner: u32, without: &[Option<u32>]) -> Batch {
        let mut drawn = Drawn { starts: vec![0], ids: Vec::new() };
        for &other in without {
            drawn.ids.extend(self.near(entity, partner).filter(|&id| Some(id) != other));
            drawn.starts.push(drawn.ids.len() as u32);
        }
        Batch { entities: vec![entity; without.len()], drawn: Some(drawn), ..Default::default() }
    }

    fn near(&self, entity: u32, partner: u32) -> impl Iterator<Item = u32> {
        let leaves_out = self.leaves_out;
        self.joint.neighbours(entity).iter().filter(move |&id| !leaves_out || id != partner)
    }

    fn score(&self, subject: &[f32], relation: &[f32], object: &[f32]) -> f32 {
        self.bent(object, &times(subject, relation))
    }

    fn bent(&self, z: &[f32], asked: &[f32]) -> f32 {
        let mut score = [z.iter().zip(asked).map(|(a, b)| a * b).sum()];
        self.bend.forward(&mut score);
        score[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::joint::Joint;
    use crate::joint::small_graphs::{Labelled, random_data};
    use crate::train::{contexts, initial, sizes};

    /// The score that is taken apart is the score of the answer, and each part is named once.
    #[test]
    fn the_parts_are_those_of_the_answer() {
        let mut explained = 0;
        for seed in 0..20 {
            let prepared = random_data(seed, 2, Labelled::Both);
            let config = Config::resolve(Some("default"), None, &[]).unwrap();
            let joint = Joint::new(&prepared.data, config.model.share, config.model.features as u32).unwrap();
            let parameters = initial::random(sizes(&joint, &config), &contexts(&config), &config);
            let mut predictor = Predictor::new(&joint, &parameters, &config);
            let fact = joint.graphs[0].facts[0].get(0);
            let (relation, fixed) = (fact.relation.0, fact.subject.0);
            let query = Query { graph: 0, relation, fixed, asked: RankSide::Tail };
            for answer in predictor.top(query, 3) {
                let parts = predictor.explain(query, answer);
                let (subject, object) = (query.fixed, answer.entity);
                let count = |of: &dyn Fn(u32) -> usize| of(subject) + of(object);
                let near =
                    |id: u32, partner: u32| joint.neighbours(id).iter().filter(|&n| n != partner).count();
                let neighbours = near(subject, object) + near(object, subject);
                let attributes = count(&|id| joint.attributes(id).len());
                assert_eq!(parts.len(), 2 * 3 + 1 + neighbours + attributes, "seed {seed}");
                let mut names: Vec<_> = parts.iter().map(|part| (part.whose, part.part)).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), parts.len());
                // With the whole neighbourhood of one entity gone, one single neighbour being all of it says the same.
                for whose in [Whose::Subject, Whose::Object] {
                    let of = |wanted: &dyn Fn(Part) -> bool| -> Vec<f32> {
                        parts.iter().filter(|p| p.whose == whose && wanted(p.part)).map(|p| p.moved).collect()
                    };
                    let single = of(&|part| matches!(part, Part::Neighbour(_)));
                    if single.len() == 1 {
                        let whole = of(&|part| part == Part::Neighbourhood);
                        assert!((single[0] - whole[0]).abs() < 1e-6, "seed {seed}");
                        explained += 1;
                    }
                }
            }
        }
        assert!(explained > 3, "{explained}");
    }
}
