//! Are ranks those that sorting finds? Against the equations, one pair at a time.

use super::*;
use crate::config::Share;
use crate::joint::small_graphs::{Labelled, dice, random_data, random_parts};
use crate::model::activation::Activation;
use crate::model::aggregate::Aggregator;
use crate::model::entity::Surroundings;
use crate::model::parameters::Sizes;
use rand::RngExt;

/// Whole numbers, so that every sum is exact and equal scores are equal.
const EXACT: Contexts = Contexts {
    own: true,
    neighbourhood: Some(Aggregator::Max),
    attributes: None,
    types: Some(Aggregator::Max),
    attention: false,
    rectified: true,
    activation: Activation::Identity,
};

/// Everything the paper has.
const WHOLE: Contexts = Contexts {
    own: true,
    neighbourhood: Some(Aggregator::Mean),
    attributes: Some(Aggregator::Max),
    types: Some(Aggregator::Mean),
    attention: true,
    rectified: true,
    activation: Activation::Tanh,
};

fn sizes(joint: &Joint) -> Sizes {
    Sizes {
        entities: joint.entities(),
        relations: joint.relations.len(),
        types: joint.types.len(),
        keys: joint.keys.len(),
        features: 8,
        entity: 3,
        relation: 2,
        class: 2,
        attribute: 2,
        hidden: 3,
    }
}

fn parameters(
    joint: &Joint,
    contexts: Contexts,
    seed: u64,
    number: impl Fn(&mut rand_chacha::ChaCha8Rng) -> f32,
) -> Parameters<f32> {
    let mut parameters = Parameters::zero(sizes(joint), &contexts);
    let dice = &mut dice(seed);
    for (_, table) in parameters.tables_mut() {
        table.iter_mut().for_each(|x| *x = number(dice));
    }
    parameters
}

/// A matrix times a vector, as a column of f64.
fn times(matrix: &[f32], vector: &[f64]) -> Vec<f64> {
    let product = |row: &[f32]| row.iter().zip(vector).map(|(&a, b)| f64::from(a) * b).sum();
    matrix.chunks(vector.len()).map(product).collect()
}

/// ReLU of a row.
fn row(table: &[f32], row: u32, width: usize) -> Vec<f64> {
    table[row as usize * width..(row as usize + 1) * width].iter().map(|&x| f64::from(x.max(0.0))).collect()
}

/// The largest number in each place; nothing is 0.
fn largest(rows: Vec<Vec<f64>>, width: usize) -> Vec<f64> {
    let at = |place: usize| rows.iter().map(|row| row[place]).fold(f64::NEG_INFINITY, f64::max);
    (0..width).map(|place| if rows.is_empty() { 0.0 } else { at(place) }).collect()
}

/// Scores of one fact, with what each of its entities leaves out.
trait Scores {
    fn score(&mut self, fixed: u32, relation: u32, answer: u32) -> f64;
}

/// Straight from the equations, for [`EXACT`].
struct Equations<'a> {
    joint: &'a Joint,
    parameters: &'a Parameters<f32>,
    leave_partner_out: bool,
}

impl Equations<'_> {
    fn z(&self, entity: u32, other: u32) -> Vec<f64> {
        let (p, d) = (self.parameters, self.parameters.sizes.entity);
        let near = self.joint.neighbours(entity).iter().filter(|&id| !self.leave_partner_out || id != other);
        let context = largest(near.map(|id| row(&p.entities, id, d)).collect(), d);
        let own = times(&p.own, &row(&p.entities, entity, d));
        own.into_iter().zip(times(&p.neighbourhood, &context)).map(|(a, b)| a + b).collect()
    }

    fn z_relation(&self, relation: u32) -> Vec<f64> {
        let (p, k, q) = (self.parameters, self.parameters.sizes.relation, self.parameters.sizes.class);
        let types = &self.joint.relation_types;
        let ends = &types.starts[relation as usize..relation as usize + 2];
        let types = types.rows[ends[0] as usize..ends[1] as usize].iter();
        let context = largest(types.map(|&class| row(&p.types, class, q)).collect(), q);
        let own = times(&p.relation, &row(&p.relations, relation, k));
        own.into_iter().zip(times(&p.relation_types, &context)).map(|(a, b)| a + b).collect()
    }
}

impl Scores for Equations<'_> {
    fn score(&mut self, fixed: u32, relation: u32, answer: u32) -> f64 {
        let pairs = self.z(fixed, answer).into_iter().zip(self.z(answer, fixed));
        pairs.zip(self.z_relation(relation)).map(|((a, b), c)| a * b * c).sum()
    }
}

/// By encoding two entities alone.
struct Alone<'a> {
    joint: &'a Joint,
    parameters: &'a Parameters<f32>,
    contexts: Contexts,
    leave_partner_out: bool,
    encoder: Encoder<f32>,
    relations: Vec<f32>,
}

impl<'a> Alone<'a> {
    fn new(
        joint: &'a Joint,
        parameters: &'a Parameters<f32>,
        contexts: Contexts,
        leave_partner_out: bool,
    ) -> Self {
        let relations = relation::forward(&joint.relation_types, parameters, contexts).representations;
        Self { joint, parameters, contexts, leave_partner_out, encoder: Encoder::default(), relations }
    }

    fn z(&mut self, entity: u32, other: u32) -> Vec<f32> {
        let mut batch = Batch { entities: vec![entity], ..Default::default() };
        if self.leave_partner_out && self.joint.neighbours(entity).contains(other) {
            batch.left_out.push(LeftOut { entity: 0, without: other });
        }
        self.encoder.forward(&batch, self.joint, self.parameters, self.contexts);
        let h = self.parameters.sizes.hidden;
        self.encoder.representations[(batch.len() - 1) * h..].to_vec()
    }
}

impl Scores for Alone<'_> {
    fn score(&mut self, fixed: u32, relation: u32, answer: u32) -> f64 {
        let h = self.parameters.sizes.hidden;
        let z_r = self.relations[relation as usize * h..(relation as usize + 1) * h].to_vec();
        let pairs = self.z(fixed, answer).into_iter().zip(self.z(answer, fixed));
        pairs.zip(z_r).map(|((a, b), c)| f64::from(a) * f64::from(b) * f64::from(c)).sum()
    }
}

/// The best and the worst place of the right answer, if scores may be wrong by `error`, and whether some are equal.
fn places(
    joint: &Joint,
    number: usize,
    fact: Fact,
    side: RankSide,
    scores: &mut impl Scores,
    error: f64,
) -> [f64; 2] {
    let graph = &joint.graphs[number];
    let relation = joint.relations.of(number, fact.relation.0);
    let answered = |answer: u32| match side {
        RankSide::Tail => Fact { object: crate::graph::EntityId(answer), ..fact },
        RankSide::Head => Fact { subject: crate::graph::EntityId(answer), ..fact },
    };
    let (fixed, right) = match side {
        RankSide::Tail => (fact.subject.0, fact.object.0),
        RankSide::Head => (fact.object.0, fact.subject.0),
    };
    let is_known = |answer: u32| graph.facts.iter().any(|part| part.iter().any(|f| f == answered(answer)));
    let own = scores.score(graph.first + fixed, relation, graph.first + right);
    let mut others: Vec<f64> = (0..graph.entities)
        .filter(|&answer| answer != right && !is_known(answer))
        .map(|answer| scores.score(graph.first + fixed, relation, graph.first + answer))
        .collect();
    others.sort_by(|a, b| b.total_cmp(a));
    let better = others.partition_point(|&score| score > own + error);
    let as_good = others.partition_point(|&score| score >= own - error);
    [1.0 + better as f64, 1.0 + as_good as f64]
}

/// All facts of a graph, of any part.
fn all_facts(joint: &Joint, graph: usize) -> Vec<Fact> {
    joint.graphs[graph].facts.iter().flat_map(|part| part.iter()).collect()
}

/// Compares the ranks of all facts; returns how many there were, and how many had equals.
fn check_exact(joint: &Joint, seed: u64) -> (usize, usize) {
    let parameters = parameters(joint, EXACT, seed, |dice| dice.random_range(-1i8..=2).into());
    let (mut count, mut with_equals) = (0, 0);
    for leave_partner_out in [true, false] {
        let mut ranker = Ranker::new(joint, &parameters, EXACT, leave_partner_out);
        let mut equations = Equations { joint, parameters: &parameters, leave_partner_out };
        for graph in 0..joint.graphs.len() {
            let facts = all_facts(joint, graph);
            for side in [RankSide::Tail, RankSide::Head] {
                let ranks = ranker.rank(graph, &facts, side);
                assert_eq!(ranks.len(), facts.len());
                for (&fact, rank) in facts.iter().zip(ranks) {
                    let [best, worst] = places(joint, graph, fact, side, &mut equations, 0.0);
                    assert_eq!(rank, (best + worst) / 2.0, "{fact:?} {side:?} {leave_partner_out}");
                    count += 1;
                    with_equals += usize::from(best < worst);
                }
            }
        }
    }
    (count, with_equals)
}

#[test]
fn ranks_are_those_of_the_equations() {
    let (mut count, mut with_equals, mut lonely) = (0, 0, 0);
    for seed in 0..16 {
        let prepared = random_data(seed, 1 + seed as usize % 3, Labelled::Both);
        lonely += prepared.data.graphs.iter().filter(|graph| graph.entities.len() == 1).count();
        let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
        let found = check_exact(&joint, seed);
        (count, with_equals) = (count + found.0, with_equals + found.1);
    }
    assert!(count > 800 && with_equals > 100 && lonely > 0, "{count} {with_equals} {lonely}");
}

/// More facts than are ranked at a time.
#[test]
fn portions_do_not_matter() {
    let joint = random_parts(3, 25, 2500);
    assert!(joint.graphs[0].facts[0].len() > PORTION);
    assert!(check_exact(&joint, 3).0 > 4 * PORTION);
}

/// Encoding is kept from one call to the next: of the right graph.
#[test]
fn graphs_may_be_ranked_in_any_order() {
    let prepared = random_data(8, 3, Labelled::Both);
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let parameters = parameters(&joint, WHOLE, 8, |dice| dice.random_range(-1.0..1.0));
    let mut kept = Ranker::new(&joint, &parameters, WHOLE, true);
    for graph in [0, 1, 1, 0, 2, 1] {
        for side in [RankSide::Tail, RankSide::Head] {
            let facts = all_facts(&joint, graph);
            let anew = Ranker::new(&joint, &parameters, WHOLE, true).standings(graph, &facts, side, &Silent);
            assert_eq!(kept.standings(graph, &facts, side, &Silent), anew);
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let joint = random_parts(5, 700, 1500);
    let parameters = parameters(&joint, WHOLE, 5, |dice| dice.random_range(-1.0..1.0));
    let facts = all_facts(&joint, 0);
    let rank = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut ranker = Ranker::new(&joint, &parameters, WHOLE, true);
            [RankSide::Tail, RankSide::Head].map(|side| ranker.standings(0, &facts, side, &Silent))
        })
    };
    let alone = rank(1);
    assert!(alone[0].iter().any(|standing| standing.raw != standing.filtered));
    assert!(alone == rank(2) && alone == rank(4));
}

#[test]
fn every_context_counts() {
    for seed in 0..10 {
        let prepared = random_data(100 + seed, 2, Labelled::Both);
        let joint = Joint::new(&prepared.data, Share::Nothing, 8).unwrap();
        for contexts in [WHOLE, Contexts { attention: false, neighbourhood: None, ..WHOLE }] {
            let parameters = parameters(&joint, contexts, seed, |dice| dice.random_range(-1.0..1.0));
            for leave_partner_out in [true, false] {
                let mut ranker = Ranker::new(&joint, &parameters, contexts, leave_partner_out);
                let mut alone = Alone::new(&joint, &parameters, contexts, leave_partner_out);
                for graph in 0..joint.graphs.len() {
                    let facts = all_facts(&joint, graph);
                    for side in [RankSide::Tail, RankSide::Head] {
                        for (&fact, rank) in facts.iter().zip(ranker.rank(graph, &facts, side)) {
                            let [best, worst] = places(&joint, graph, fact, side, &mut alone, 1e-6);
                            assert!((best..=worst).contains(&rank), "{fact:?}: {rank} in {best}–{worst}");
                        }
                    }
                }
            }
        }
    }
}
