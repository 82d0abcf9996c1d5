//! What are the best answers to a query?

use rayon::prelude::*;

use crate::compute::matrix::{plain, transposed};
use crate::compute::real::{Onto, Real};
use crate::config::{Config, LeaveOut, Score};
use crate::eval::{RankSide, VectorRanker};
use crate::graph::Part;
use crate::joint::Joint;
use crate::model::activation::Activation;
use crate::model::baseline::Kind;
use crate::model::entity::{Batch, Contexts, Encoder, LeftOut, Surroundings};
use crate::model::parameters::Parameters;
use crate::model::relation;
use crate::train::{baseline, contexts};

/// What is asked, with the graph's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// The graph.
    pub graph: usize,
    /// The relation.
    pub relation: u32,
    /// The entity that is given.
    pub fixed: u32,
    /// Which entity of the fact is asked for.
    pub asked: RankSide,
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The entity, with the graph's own number.
    pub entity: u32,
    /// g of the fact that it makes (Eq. 10).
    pub score: f32,
    /// At which place it stands among all entities of the graph that make no known fact, from 1.
    pub place: usize,
}

/// Answers queries with a model.
#[derive(Debug)]
pub struct Predictor<'a> {
    pub(super) joint: &'a Joint,
    pub(super) parameters: &'a Parameters<f32>,
    pub(super) contexts: Contexts,
    pub(super) leaves_out: bool,
    pub(super) bend: Activation,
    /// The model, if it is not LinkNBed.
    kind: Option<Kind>,
    /// Of all relations.
    pub(super) relations: Vec<f32>,
    /// Of the entities of each graph, once they were needed.
    entities: Vec<Option<Vec<f32>>>,
    encoder: Encoder<f32>,
}

impl<'a> Predictor<'a> {
    /// Answers with the given parameters, which were learned as the config says.
    pub fn new(joint: &'a Joint, parameters: &'a Parameters<f32>, config: &Config) -> Self {
        let (contexts, kind) = (contexts(config), baseline(config));
        let leaves_out = config.contexts.leave_partner_out != LeaveOut::Never;
        Self {
            kind,
            joint,
            parameters,
            contexts,
            leaves_out: leaves_out && contexts.neighbourhood.is_some(),
            bend: match config.model.score {
                Score::Sigmoid => Activation::Sigmoid,
                Score::Identity => Activation::Identity,
            },
            relations: match kind {
                Some(_) => Vec::new(),
                None => relation::forward(&joint.relation_types, parameters, contexts).representations,
            },
            entities: joint.graphs.iter().map(|_| None).collect(),
            encoder: Encoder::default(),
        }
    }

    /// The best answers, best first: of equals, the one with the lower number. Known facts are no answers.
    pub fn top(&mut self, query: Query, count: usize) -> Vec<Answer> {
        let scores = self.scores(query);
        let known = self.known(query);
        let mut order: Vec<u32> =
            (0..scores.len() as u32).filter(|entity| known.binary_search(entity).is_err()).collect();
        let better = |a: &u32, b: &u32| {
            let (a, b) = (*a, *b);
            scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b))
        };
        if count < order.len() {
            order.select_nth_unstable_by(count, better);
            order.truncate(count);
        }
        order.sort_unstable_by(better);
        let answers = order.into_iter().enumerate();
        answers.map(|(at, entity)| Answer { entity, score: scores[entity as usize], place: at + 1 }).collect()
    }

    /// Whether answers can be explained: only LinkNBed's are made of parts.
    pub fn can_explain(&self) -> bool {
        self.kind.is_none()
    }

    /// The score of every entity of the graph as an answer.
    pub fn scores(&mut self, query: Query) -> Vec<f32> {
        if let Some(kind) = self.kind {
            return self.scores_of_vectors(kind, query);
        }
        let h = self.parameters.sizes.hidden;
        let first = self.joint.graphs[query.graph].first;
        self.encode(query.graph);
        let entities = self.entities[query.graph].as_deref().unwrap_or_default();
        let own = query.fixed as usize * h..(query.fixed as usize + 1) * h;
        let asked = times(&entities[own], self.relation(query));
        let count = entities.len() / h;
        let mut scores = vec![0.0; count];
        scores.par_chunks_mut(1024).zip(entities.par_chunks(1024 * h)).for_each(|(scores, entities)| {
            let shape = [1, h, scores.len()];
            f32::multiply(shape, plain(&asked, h), transposed(entities, h), scores, Onto::Nothing);
        });
        if self.leaves_out {
            for (entity, score) in self.scores_apart(query) {
                scores[(entity - first) as usize] = score;
            }
        }
        self.bend.forward(&mut scores);
        scores
    }

    /// The same of a model that has one vector for each entity.
    fn scores_of_vectors(&self, kind: Kind, query: Query) -> Vec<f32> {
        let w = self.parameters.sizes.entity;
        let vectors = VectorRanker::new(self.joint, self.parameters, kind);
        let mut asked = vec![0.0; w];
        vectors.query(query.graph, query.fixed, query.relation, query.asked, &mut asked);
        let candidates = vectors.candidates(query.graph, query.relation, query.asked);
        candidates.par_chunks(w).map(|candidate| kind.measure().of(&asked, candidate)).collect()
    }

    /// Candidates that are neighbours of the fixed entity, or have it as one: both are encoded without each other.
    fn scores_apart(&mut self, query: Query) -> Vec<(u32, f32)> {
        let h = self.parameters.sizes.hidden;
        let graph = &self.joint.graphs[query.graph];
        let fixed = graph.first + query.fixed;
        let all = graph.first..graph.first + graph.entities;
        let near = self.joint.neighbours(fixed);
        let mut batch = Batch {
            entities: all
                .into_par_iter()
                .filter(|&id| id == fixed || near.contains(id) || self.joint.neighbours(id).contains(fixed))
                .collect(),
            ..Default::default()
        };
        let place = |id: u32| batch.entities.binary_search(&id).expect("it was just put there") as u32;
        let mut left_out: Vec<LeftOut> =
            near.iter().map(|without| LeftOut { entity: place(fixed), without }).collect();
        for (at, &id) in batch.entities.iter().enumerate() {
            if self.joint.neighbours(id).contains(fixed) {
                left_out.push(LeftOut { entity: at as u32, without: fixed });
            }
        }
        left_out.sort_unstable();
        left_out.dedup();
        batch.left_out = left_out;
        self.encoder.forward(&batch, self.joint, self.parameters, self.contexts);
        let z = &self.encoder.representations;
        let row = |entity: u32, without: u32| {
            let at = batch.left_out.binary_search(&LeftOut { entity, without });
            let row = at.map_or(entity as usize, |at| batch.entities.len() + at);
            &z[row * h..(row + 1) * h]
        };
        let own = batch.entities.binary_search(&fixed).expect("it was put there") as u32;
        let relation = self.relation(query);
        let score = |(at, &id): (usize, &u32)| {
            let asked = times(row(own, id), relation);
            (id, asked.iter().zip(row(at as u32, fixed)).map(|(a, b)| a * b).sum())
        };
        batch.entities.iter().enumerate().map(score).collect()
    }

    /// The answers that are known, in any part of the data; sorted.
    pub fn known(&self, query: Query) -> Vec<u32> {
        let mut known = Vec::new();
        for part in Part::ASSIGNED {
            let facts = &self.joint.graphs[query.graph].facts[part as usize];
            let (fixed, others) = match query.asked {
                RankSide::Tail => (&facts.subjects, &facts.objects),
                RankSide::Head => (&facts.objects, &facts.subjects),
            };
            let rows = (0..facts.len()).into_par_iter();
            known.par_extend(
                rows.filter(|&row| fixed[row] == query.fixed && facts.relations[row] == query.relation)
                    .map(|row| others[row]),
            );
        }
        known.sort_unstable();
        known.dedup();
        known
    }

    /// z of the query's relation.
    pub(super) fn relation(&self, query: Query) -> &[f32] {
        let h = self.parameters.sizes.hidden;
        let number = self.joint.relations.of(query.graph, query.relation) as usize;
        &self.relations[number * h..(number + 1) * h]
    }

    /// Encodes the entities of a graph, unless that was done.
    fn encode(&mut self, graph: usize) {
        if self.entities[graph].is_none() {
            let own = &self.joint.graphs[graph];
            let entities = (own.first..own.first + own.entities).collect();
            let batch = Batch { entities, ..Default::default() };
            self.encoder.forward(&batch, self.joint, self.parameters, self.contexts);
            self.entities[graph] = Some(self.encoder.representations.clone());
        }
    }
}

pub(super) fn times(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Ranker, Ranks};
    use crate::graph::{EntityId, Fact, RelationId};
    use crate::joint::small_graphs::{Labelled, random_data};
    use crate::train::{initial, sizes};

    /// The place of a right answer among the answers is the rank that evaluation gives it.
    #[test]
    fn places_are_the_ranks_of_evaluation() {
        let mut compared = 0;
        for seed in 0..40 {
            let prepared = random_data(seed, 2, Labelled::Both);
            let sets = ["model.entity=8", "model.hidden=8", "initial.scale=1.0"].map(str::to_owned);
            let config = Config::resolve(Some("default"), None, &sets).unwrap();
            let joint = Joint::new(&prepared.data, config.model.share, 16).unwrap();
            let mut model = config.clone();
            model.model.features = 16;
            let parameters = initial::random(sizes(&joint, &model), &contexts(&model), &model);
            let mut predictor = Predictor::new(&joint, &parameters, &model);
            let mut ranker = Ranker::new(&joint, &parameters, contexts(&model), true);
            for graph in 0..joint.graphs.len() {
                for fact in joint.graphs[graph].facts[1].iter() {
                    for asked in [RankSide::Tail, RankSide::Head] {
                        let rank = ranker.rank(graph, &[fact], asked)[0];
                        let (fixed, right) = ends(&fact, asked);
                        let query = Query { graph, relation: fact.relation.0, fixed, asked };
                        let scores = predictor.scores(query);
                        let known = predictor.known(query);
                        assert!(known.contains(&right));
                        let others = (0..scores.len() as u32).filter(|id| !known.contains(id));
                        let better =
                            others.clone().filter(|&id| scores[id as usize] > scores[right as usize]);
                        let equal = others.filter(|&id| scores[id as usize] == scores[right as usize]);
                        let place = 1.0 + better.count() as f64 + equal.count() as f64 / 2.0;
                        assert_eq!(place, rank, "seed {seed}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 50, "{compared}");
    }

    fn ends(fact: &Fact, asked: RankSide) -> (u32, u32) {
        let Fact { subject: EntityId(s), relation: RelationId(_), object: EntityId(o) } = *fact;
        if asked == RankSide::Tail { (s, o) } else { (o, s) }
    }

    #[test]
    fn answers_are_ordered_and_none_is_known() {
        let prepared = random_data(3, 1, Labelled::Not);
        let config = Config::resolve(Some("default"), None, &[]).unwrap();
        let joint = Joint::new(&prepared.data, config.model.share, config.model.features as u32).unwrap();
        let parameters = initial::random(sizes(&joint, &config), &contexts(&config), &config);
        let mut predictor = Predictor::new(&joint, &parameters, &config);
        let fact = joint.graphs[0].facts[0].get(0);
        let query =
            Query { graph: 0, relation: fact.relation.0, fixed: fact.subject.0, asked: RankSide::Tail };
        let all = predictor.top(query, usize::MAX);
        assert!(all.windows(2).all(|pair| pair[0].score >= pair[1].score));
        assert!(all.iter().all(|answer| answer.entity != fact.object.0));
        assert_eq!(all.len() + predictor.known(query).len(), joint.entities());
        let few = predictor.top(query, 2);
        assert_eq!(few, all[..2.min(all.len())]);
    }
}
