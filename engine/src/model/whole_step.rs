//! Is the whole step right? Everything from the parameters to the loss, on a case of two small graphs: against an
//! implementation straight from the equations, and the gradients of every parameter against finite differences.

use super::activation::Activation;
use super::aggregate::mean::LeftOut;
use super::attribute::Attributes;
use super::entity::{self, AttributeAggregator, Contexts, Entities};
use super::finite_differences::{agrees, numbers};
use super::loss::Loss;
use super::parameters::{Parameters, Sizes};
use super::{relation, score};
use crate::compute::rows::Gather;

/// Entities 0–3 are of one graph, 4–6 of the other; 2 and 5 are linked.
const SIZES: Sizes = Sizes {
    entities: 7,
    relations: 3,
    types: 3,
    keys: 2,
    features: 4,
    entity: 3,
    relation: 2,
    class: 2,
    attribute: 2,
    hidden: 3,
};

const NEIGHBOURS: [&[u32]; 7] = [&[1, 2], &[0, 2, 3], &[0, 1], &[1], &[5, 6], &[4], &[4]];
/// Key and features of each attribute, and which attributes each entity has.
const ATTRIBUTES: [(u32, &[(u32, f64)]); 4] =
    [(0, &[(0, 1.0), (2, 0.5)]), (1, &[(1, 1.0)]), (1, &[(3, -0.5)]), (0, &[])];
const HAS: [&[u32]; 7] = [&[0, 1], &[2], &[], &[1, 2, 3], &[0], &[1], &[2, 3]];
const RELATION_TYPES: [&[u32]; 3] = [&[0, 1], &[2], &[]];

/// (fixed entity, relation, right answer, wrong answers): a corrupted tail, a corrupted head, a linked entity in place
/// of the original, and an unlinked one that stays as it is.
const QUESTIONS: [(u32, u32, u32, &[u32]); 4] =
    [(0, 0, 1, &[2, 3]), (1, 1, 0, &[2, 3]), (1, 0, 5, &[4, 6]), (4, 2, 6, &[0, 1, 3])];

fn lists(lists: &[&[u32]]) -> Gather<f64> {
    let mut gather = Gather { starts: vec![0], ..Default::default() };
    for list in lists {
        gather.rows.extend_from_slice(list);
        gather.starts.push(gather.rows.len() as u32);
    }
    gather
}

fn attributes() -> Attributes<f64> {
    let mut features = Gather { starts: vec![0], ..Default::default() };
    for (_, list) in ATTRIBUTES {
        features.rows.extend(list.iter().map(|(row, _)| *row));
        features.weights.extend(list.iter().map(|(_, weight)| *weight));
        features.starts.push(features.rows.len() as u32);
    }
    Attributes { keys: ATTRIBUTES.map(|(key, _)| key).to_vec(), features }
}

/// The representation of an entity in a fact with another: without that one, if they are neighbours.
fn place(entity: u32, other: u32, left_out: &mut Vec<LeftOut>) -> u32 {
    if !NEIGHBOURS[entity as usize].contains(&other) {
        return entity;
    }
    let out = LeftOut { context: entity, without: other };
    let at = left_out.iter().position(|o| *o == out).unwrap_or_else(|| {
        left_out.push(out);
        left_out.len() - 1
    });
    SIZES.entities as u32 + at as u32
}

/// The batch, and for each answer of each question the rows of its query and of the answer.
fn batch() -> (Entities<f64>, Vec<(u32, u32)>, Gather<f64>) {
    let (mut left_out, mut queries) = (Vec::new(), Vec::new());
    let mut candidates = Gather { starts: vec![0], ..Default::default() };
    for (fixed, relation, right, wrong) in QUESTIONS {
        for &answer in std::iter::once(&right).chain(wrong) {
            queries.push((relation, place(fixed, answer, &mut left_out)));
            candidates.rows.push(place(answer, fixed, &mut left_out));
            candidates.starts.push(candidates.rows.len() as u32);
        }
    }
    let all: Vec<u32> = (0..SIZES.entities as u32).collect();
    let entities = Entities {
        rows: all.clone(),
        places: all,
        neighbours: lists(&NEIGHBOURS),
        left_out,
        attributes: attributes(),
        attribute_lists: lists(&HAS),
    };
    (entities, queries, candidates)
}

/// The loss, and if asked its gradient.
fn step(
    parameters: &Parameters<f64>,
    contexts: Contexts,
    loss: Loss,
    score_by: Activation,
) -> (f64, Parameters<f64>) {
    let h = SIZES.hidden;
    let (entities, queries, candidates) = batch();
    let types = lists(&RELATION_TYPES);
    let encoded = entity::forward(&entities, parameters, contexts);
    let relations = relation::forward(&types, parameters, contexts.attention, contexts.activation);
    let (z, z_r) = (&encoded.representations, &relations.representations);
    let query_rows = score::queries(z_r, z, &queries, h);
    let mut scores = score::scores(&candidates, &query_rows, z, h);
    score_by.forward(&mut scores);
    let mut to_scores = vec![0.0; scores.len()];
    let (mut total, mut at) = (0.0, 0);
    for (_, _, _, wrong) in QUESTIONS {
        let to = &mut to_scores[at..at + 1 + wrong.len()];
        let (to_right, to_wrong) = to.split_at_mut(1);
        total += loss.of(scores[at], &scores[at + 1..at + 1 + wrong.len()], &mut to_right[0], to_wrong);
        at += 1 + wrong.len();
    }
    score_by.backward(&scores, &mut to_scores);
    let mut gradients = Parameters::zero(SIZES);
    let (mut to_z, mut to_z_r) = (vec![0.0; z.len()], vec![0.0; z_r.len()]);
    let to_queries = score::scores_backward(&candidates, &query_rows, (z, &mut to_z), to_scores, h);
    score::queries_backward((z_r, &mut to_z_r), (z, &mut to_z), &queries, &to_queries, h);
    relation::backward(&types, parameters, contexts.activation, &relations, to_z_r, &mut gradients);
    let rows = entity::backward(&entities, parameters, contexts, &encoded, to_z, &mut gradients);
    gradients.entities = rows.vectors;
    if !rows.attention.is_empty() {
        gradients.entity_attention = rows.attention;
    }
    (total, gradients)
}

/// The same loss straight from the equations, one number at a time.
fn naive(p: &Parameters<f64>, contexts: Contexts, loss: Loss, score_by: Activation) -> f64 {
    let relu = |x: f64| x.max(0.0);
    let row = |table: &[f64], row: u32, width: usize| -> Vec<f64> {
        table[row as usize * width..(row as usize + 1) * width].to_vec()
    };
    let times = |matrix: &[f64], vector: &[f64]| -> Vec<f64> {
        matrix.chunks(vector.len()).map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
    };
    let attention = |theta: &[f64], id: u32| if contexts.attention { theta[id as usize].exp() } else { 1.0 };
    let mean = |items: Vec<(f64, Vec<f64>)>, width: usize| -> Vec<f64> {
        let total: f64 = items.iter().map(|(w, _)| w).sum();
        let sum = |at: usize| items.iter().map(|(w, v)| w * v[at]).sum::<f64>();
        (0..width).map(|at| if items.is_empty() { 0.0 } else { sum(at) / total }).collect()
    };
    let v = |e: u32| -> Vec<f64> { row(&p.entities, e, SIZES.entity).into_iter().map(relu).collect() };
    let a = |at: u32| -> Vec<f64> {
        let (key, features) = ATTRIBUTES[at as usize];
        let mut sum = row(&p.keys, key, SIZES.attribute);
        for (feature, weight) in features {
            let feature = row(&p.features, *feature, SIZES.attribute);
            sum.iter_mut().zip(feature).for_each(|(s, f)| *s += weight * f);
        }
        sum.into_iter().map(relu).collect()
    };
    let z = |e: u32, other: u32| -> Vec<f64> {
        let mut sum = vec![0.0; SIZES.hidden];
        let mut add = |part: Vec<f64>| sum.iter_mut().zip(part).for_each(|(s, x)| *s += x);
        if contexts.own {
            add(times(&p.own, &v(e)));
        }
        if contexts.neighbourhood {
            let near = NEIGHBOURS[e as usize].iter().filter(|n| **n != other);
            let near = near.map(|&n| (attention(&p.entity_attention, n), v(n))).collect();
            add(times(&p.neighbourhood, &mean(near, SIZES.entity)));
        }
        let has = HAS[e as usize];
        match contexts.attributes {
            Some(AttributeAggregator::Max) => {
                let largest = |at: usize| has.iter().map(|&i| a(i)[at]).fold(f64::NEG_INFINITY, f64::max);
                let context = (0..SIZES.attribute).map(|at| if has.is_empty() { 0.0 } else { largest(at) });
                add(times(&p.attributes, &context.collect::<Vec<_>>()));
            }
            Some(AttributeAggregator::Mean) => {
                let weight = |i: u32| attention(&p.key_attention, ATTRIBUTES[i as usize].0);
                let context = mean(has.iter().map(|&i| (weight(i), a(i))).collect(), SIZES.attribute);
                add(times(&p.attributes, &context));
            }
            None => {}
        }
        sum.into_iter().map(|x| contexts.activation.of(x)).collect()
    };
    let z_r = |r: u32| -> Vec<f64> {
        let own: Vec<f64> = row(&p.relations, r, SIZES.relation).into_iter().map(relu).collect();
        let t = |t: u32| row(&p.types, t, SIZES.class).into_iter().map(relu).collect();
        let types = RELATION_TYPES[r as usize].iter().map(|&id| (attention(&p.type_attention, id), t(id)));
        let context = mean(types.collect(), SIZES.class);
        let sum = times(&p.relation, &own).into_iter().zip(times(&p.relation_types, &context));
        sum.map(|(a, b)| contexts.activation.of(a + b)).collect()
    };
    let g = |s: u32, r: u32, o: u32| {
        let product = z_r(r).into_iter().zip(z(s, o)).zip(z(o, s)).map(|((a, b), c)| a * b * c);
        score_by.of(product.sum::<f64>())
    };
    let question = |(fixed, r, right, wrong): (u32, u32, u32, &[u32])| {
        let wrong: Vec<f64> = wrong.iter().map(|&c| g(fixed, r, c)).collect();
        loss.of(g(fixed, r, right), &wrong, &mut 0.0, &mut vec![0.0; wrong.len()])
    };
    QUESTIONS.into_iter().map(question).sum()
}

/// The seven variants of Table 2, and means of attributes.
fn variants() -> Vec<Contexts> {
    let contexts = |own, neighbourhood, attributes, attention| Contexts {
        own,
        neighbourhood,
        attributes,
        attention,
        activation: Activation::Tanh,
    };
    let (max, mean) = (Some(AttributeAggregator::Max), Some(AttributeAggregator::Mean));
    vec![
        contexts(true, false, None, false),
        contexts(false, false, max, false),
        contexts(false, true, None, false),
        contexts(true, false, max, false),
        contexts(true, true, None, false),
        contexts(true, true, max, false),
        contexts(true, true, max, true),
        contexts(true, true, mean, true),
        contexts(false, false, mean, false),
    ]
}

fn parameters(seed: u64) -> Parameters<f64> {
    let mut parameters = Parameters::zero(SIZES);
    for (at, (_, table)) in parameters.tables_mut().into_iter().enumerate() {
        *table = numbers(table.len(), seed * 100 + at as u64);
    }
    parameters
}

#[test]
fn the_loss_is_that_of_the_equations() {
    for (seed, contexts) in variants().into_iter().enumerate() {
        let parameters = parameters(seed as u64);
        for loss in [Loss::Margin(1.0), Loss::Softmax, Loss::Logistic] {
            for score_by in [Activation::Sigmoid, Activation::Identity] {
                let fast = step(&parameters, contexts, loss, score_by).0;
                let slow = naive(&parameters, contexts, loss, score_by);
                assert!((fast - slow).abs() < 1e-12, "{contexts:?} {loss:?}: {fast} {slow}");
            }
        }
    }
}

#[test]
fn every_gradient_agrees_with_finite_differences() {
    for (seed, contexts) in variants().into_iter().enumerate() {
        let parameters = parameters(40 + seed as u64);
        for (loss, score_by) in
            [(Loss::Margin(1.0), Activation::Sigmoid), (Loss::Softmax, Activation::Identity)]
        {
            let gradients = step(&parameters, contexts, loss, score_by).1;
            let names = parameters.tables().map(|(name, _)| name);
            for (table, name) in names.into_iter().enumerate() {
                let at = parameters.tables()[table].1.clone();
                let gradient = gradients.tables()[table].1;
                let value = |numbers: &[f64]| {
                    let mut moved = parameters.clone();
                    *moved.tables_mut()[table].1 = numbers.to_vec();
                    step(&moved, contexts, loss, score_by).0
                };
                assert!(agrees(&at, gradient, value), "{name} of {contexts:?} with {loss:?}");
            }
        }
    }
}
