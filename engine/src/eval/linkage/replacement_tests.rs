//! Are similarities those of Algorithm 2? Step by step as the paper has it, one pair at a time.

use super::*;
use crate::config::Share;
use crate::eval::linkage::Model;
use crate::eval::linkage::test_models::{EXACT, WHOLE, linked_graphs, parameters};
use crate::graph::EntityId;
use crate::joint::Joint;
use crate::model::entity::{Batch, Contexts, Encoder, LeftOut, Surroundings};
use crate::model::relation;
use rand::RngExt;

/// Algorithm 2.
struct Naive<'a> {
    model: Model<'a>,
    encoder: Encoder<f32>,
    relations: Vec<f32>,
}

impl<'a> Naive<'a> {
    fn new(model: Model<'a>) -> Self {
        let relations = relation::forward(&model.joint.relation_types, model.parameters, model.contexts);
        Self { model, encoder: Encoder::default(), relations: relations.representations }
    }

    /// z of an entity in a fact with another, both numbered among all.
    fn z(&mut self, entity: u32, other: u32) -> Vec<f32> {
        let mut batch = Batch { entities: vec![entity], ..Default::default() };
        let is_near = self.model.joint.neighbours(entity).contains(other);
        if self.model.leave_partner_out && self.model.contexts.neighbourhood.is_some() && is_near {
            batch.left_out.push(LeftOut { entity: 0, without: other });
        }
        self.encoder.forward(&batch, self.model.joint, self.model.parameters, self.model.contexts);
        let h = self.model.parameters.sizes.hidden;
        self.encoder.representations[(batch.len() - 1) * h..batch.len() * h].to_vec()
    }

    /// Eq. 10 of a fact: subject, relation and object, numbered among all.
    fn g(&mut self, [subject, relation, object]: [u32; 3], measure: Measure) -> f64 {
        let h = self.model.parameters.sizes.hidden;
        let z_r = self.relations[relation as usize * h..(relation as usize + 1) * h].to_vec();
        let ends = self.z(subject, object).into_iter().zip(self.z(object, subject));
        let score: f64 = ends.zip(z_r).map(|((a, b), c)| f64::from(a) * f64::from(b) * f64::from(c)).sum();
        match measure {
            Measure::Sigmoid => 1.0 / (1.0 + (-score).exp()),
            Measure::Plain => score,
        }
    }

    /// All facts that involve an entity, once for each end that it is.
    fn facts_of(&self, graph: usize, entity: u32) -> Vec<([u32; 3], usize)> {
        let joint = self.model.joint;
        let first = joint.graphs[graph].first;
        let mut found = Vec::new();
        for fact in joint.graphs[graph].facts[0].iter() {
            let ids =
                [first + fact.subject.0, joint.relations.of(graph, fact.relation.0), first + fact.object.0];
            found.extend([0, 2].into_iter().filter(|&end| ids[end] == first + entity).map(|end| (ids, end)));
        }
        found
    }

    fn similarity(&mut self, graphs: [usize; 2], pair: [u32; 2], measure: Measure) -> f64 {
        let mut differences = Vec::new();
        for side in 0..2 {
            let other = self.model.joint.graphs[graphs[1 - side]].first + pair[1 - side];
            for (fact, end) in self.facts_of(graphs[side], pair[side]) {
                let mut replaced = fact;
                replaced[end] = other;
                differences.push((self.g(fact, measure) - self.g(replaced, measure)).abs());
            }
        }
        let q = differences.iter().sum::<f64>() / differences.len() as f64;
        match (differences.is_empty(), measure) {
            (true, _) => 0.0,
            (_, Measure::Sigmoid) => 1.0 - q,
            (_, Measure::Plain) => 1.0 / (1.0 + q),
        }
    }
}

fn all_pairs(representations: &Representations<'_>) -> Vec<Link> {
    let [firsts, seconds] = [0, 1].map(|side| representations.count(side) as u32);
    let with = |first| move |second| Link { first: EntityId(first), second: EntityId(second) };
    (0..firsts).flat_map(|first| (0..seconds).map(with(first))).collect()
}

#[test]
fn similarities_are_those_of_the_algorithm() {
    let (mut compared, mut without, mut half, mut different) = (0, 0, 0, 0);
    for seed in 0..6 {
        let prepared = linked_graphs(seed);
        let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
        for (contexts, leave_partner_out) in
            [(WHOLE, true), (WHOLE, false), (EXACT, true), (Contexts { neighbourhood: None, ..WHOLE }, true)]
        {
            let parameters = parameters(&joint, contexts, seed, |dice| dice.random_range(-1.5..1.5));
            let model = Model { joint: &joint, parameters: &parameters, contexts, leave_partner_out };
            let graphs = if seed % 2 == 0 { [0, 1] } else { [1, 0] };
            let representations = Representations::new(model, graphs);
            let pairs = all_pairs(&representations);
            let firsts: Vec<u32> = (0..representations.count(0) as u32).collect();
            for measure in [Measure::Sigmoid, Measure::Plain] {
                let replacement = Replacement::new(&representations, measure, 0);
                let (found, all) = (replacement.pairs(&pairs), replacement.against_all(&firsts));
                assert_eq!((found.len(), all.len()), (pairs.len(), pairs.len()));
                let mut naive = Naive::new(model);
                for ((pair, &found), &in_tiles) in pairs.iter().zip(&found).zip(&all) {
                    let expected = naive.similarity(graphs, ends(pair), measure);
                    let close = |found: f64| (found - expected).abs() < 1e-5;
                    assert!(close(found) && close(in_tiles), "{pair:?} {found} {in_tiles} {expected}");
                    assert!((0.0..=1.0).contains(&found), "{found}");
                    let facts = [0, 1].map(|side| naive.facts_of(graphs[side], ends(pair)[side]).len());
                    compared += 1;
                    without += usize::from(facts == [0, 0]);
                    half += usize::from(facts.iter().sum::<usize>() > 0 && facts.contains(&0));
                    different += usize::from((0.01..0.99).contains(&expected));
                }
            }
        }
    }
    assert!(
        compared > 1000 && without > 0 && half > 50 && different > 500,
        "{compared} {without} {half} {different}"
    );
}

/// Two graphs of one fact each: s -r-> o.
#[test]
fn a_pair_worked_by_hand() {
    use crate::eval::linkage::test_models::OWN;
    use crate::graph::{GraphBuilder, Part};
    let graph = |name: &str| {
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Train, "s", "r", "o");
        builder.typing("alone", "t");
        builder.finish(name)
    };
    let prepared = crate::joint::small_graphs::prepared(vec![graph("a"), graph("b")], vec![], 0);
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let mut parameters = parameters(&joint, OWN, 0, |_| 0.0);
    let id = |graph: usize, name: &str| prepared.data.graphs[graph].entities.find(name).unwrap();
    // z = (x, 0, 0) and z_r = (1, 0, 0): the score of a fact is the product of its x.
    (parameters.own[0], parameters.relation[0]) = (1.0, 1.0);
    parameters.relations.iter_mut().for_each(|x| *x = 1.0);
    parameters.relation[1] = 0.0;
    for (graph, name, x) in [(0, "s", 2.0), (0, "o", 1.0), (1, "s", 1.0), (1, "o", 3.0)] {
        parameters.entities[(joint.graphs[graph].first + id(graph, name)) as usize * 3] = x;
    }
    let model = Model { joint: &joint, parameters: &parameters, contexts: OWN, leave_partner_out: true };
    let representations = Representations::new(model, [0, 1]);
    let pair =
        |first: &str, second: &str| Link { first: EntityId(id(0, first)), second: EntityId(id(1, second)) };
    let pairs = [pair("s", "s"), pair("o", "o"), pair("s", "alone"), pair("alone", "alone")];
    // s: 2·1 becomes 1·1, and 1·3 becomes 2·3; o: 2·1 becomes 2·3, and 1·3 becomes 1·1; s and nobody: 2 becomes 0.
    let plain = Replacement::new(&representations, Measure::Plain, 0).pairs(&pairs);
    assert_eq!(plain, [1.0 / (1.0 + 2.0), 1.0 / (1.0 + 3.0), 1.0 / 3.0, 0.0]);
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let found = Replacement::new(&representations, Measure::Sigmoid, 0).pairs(&pairs);
    let expected = 1.0 - (sigmoid(2.0) - sigmoid(1.0) + sigmoid(6.0) - sigmoid(3.0)) / 2.0;
    assert!((found[0] - expected).abs() < 1e-6, "{found:?} {expected}");
    assert_eq!(found[3], 0.0);
}

#[test]
fn the_bits_do_not_depend_on_threads_or_company() {
    let prepared = linked_graphs(3);
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let parameters = parameters(&joint, WHOLE, 3, |dice| dice.random_range(-1.5..1.5));
    let model = Model { joint: &joint, parameters: &parameters, contexts: WHOLE, leave_partner_out: true };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let representations = Representations::new(model, [0, 1]);
            let replacement = Replacement::new(&representations, Measure::Sigmoid, 0);
            let pairs = all_pairs(&representations);
            let mut turned = pairs.clone();
            turned.reverse();
            let (found, mut back) = (replacement.pairs(&pairs), replacement.pairs(&turned));
            back.reverse();
            assert!(found.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-7));
            let all = replacement.against_all(&[0, 2, 1]);
            found.into_iter().chain(all).map(f64::to_bits).collect::<Vec<_>>()
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn no_more_facts_are_compared_than_asked_for() {
    let joint = crate::joint::small_graphs::random_parts(2, 12, 300);
    let whole = Incident::new(&joint, 0, 0);
    assert_eq!(whole.others.len(), 2 * joint.graphs[0].facts[0].len());
    for most in [1, 2, 7, 1000] {
        let some = Incident::new(&joint, 0, most);
        for entity in 0..12 {
            assert_eq!(some.count(entity), whole.count(entity).min(most));
            let facts = |of: &Incident| {
                let own = of.of(entity);
                of.others[own.clone()].iter().copied().zip(of.relations[own].to_vec()).collect::<Vec<_>>()
            };
            // In their order, and all of them there.
            let (some, whole) = (facts(&some), facts(&whole));
            let mut rest = whole.iter();
            assert!(some.iter().all(|fact| rest.any(|other| other == fact)));
        }
    }
}

/// More facts of an entity, or more candidates, than are in one tile.
#[test]
fn tiles_do_not_matter() {
    for (entities, facts) in [(40, 6000), (CANDIDATES as u32 + 88, 700)] {
        let joint = crate::joint::small_graphs::random_parts(4, entities, facts);
        let parameters = parameters(&joint, WHOLE, 4, |dice| dice.random_range(-1.5..1.5));
        let model =
            Model { joint: &joint, parameters: &parameters, contexts: WHOLE, leave_partner_out: false };
        let representations = Representations::new(model, [0, 0]);
        let score = |[subject, relation, object]: [u32; 3]| {
            let relation = &representations.relations[relation as usize * 3..(relation as usize + 1) * 3];
            let ends = representations.entity(0, subject).iter().zip(representations.entity(0, object));
            let sum: f64 = ends.zip(relation).map(|((a, b), c)| f64::from(*a) * f64::from(b * c)).sum();
            1.0 / (1.0 + (-sum).exp())
        };
        let naive = Naive::new(model);
        let facts: Vec<_> = (0..entities).map(|entity| naive.facts_of(0, entity)).collect();
        let most = facts.iter().map(Vec::len).max().unwrap();
        assert!(entities as usize > CANDIDATES || most > FACTS, "{most}");
        let firsts = [3, 0, 17];
        let all = Replacement::new(&representations, Measure::Sigmoid, 0).against_all(&firsts);
        let pairs: Vec<Link> = all_pairs(&representations)
            .into_iter()
            .filter(|pair| firsts.contains(&pair.first.0) || pair.second.0 == 5)
            .collect();
        let found = Replacement::new(&representations, Measure::Sigmoid, 0).pairs(&pairs);
        for (pair, found) in pairs.iter().zip(found) {
            let mut sum = 0.0;
            let [first, second] = ends(pair);
            for (own, other) in [(first, second), (second, first)] {
                for &(fact, end) in &facts[own as usize] {
                    let mut replaced = fact;
                    replaced[end] = other;
                    sum += (score(fact) - score(replaced)).abs();
                }
            }
            let count = facts[first as usize].len() + facts[second as usize].len();
            let expected = if count == 0 { 0.0 } else { 1.0 - sum / count as f64 };
            assert!((found - expected).abs() < 1e-5, "{pair:?} {found} {expected}");
            if let Some(row) = firsts.iter().position(|&other| other == first) {
                let in_tiles = all[row * entities as usize + second as usize];
                assert!((in_tiles - expected).abs() < 1e-5, "{pair:?} {in_tiles} {expected}");
            }
        }
    }
}
