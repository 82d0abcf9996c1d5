//! Is the whole step right? Everything from the parameters to the loss, on a case of two small graphs: against an
//! implementation straight from the equations, and the gradients of every parameter against finite differences.

use super::activation::Activation;
use super::aggregate::Aggregator;
use super::entity::{Batch, Contexts, Encoder, Ids, LeftOut, RowPiece, RowTable, Surroundings};
use super::finite_differences::{agrees, numbers};
use super::loss::Loss;
use super::masks::Unmasked;
use super::measure::Precision;
use super::parameters::{Parameters, Sizes};
use super::relation;
use super::score::{Average, Desk, Objective, Pool, Questions};
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

/// With longer vectors of entities the products of rows are averaged, not the rows themselves.
const PROJECTED: Sizes = Sizes { entity: 5, ..SIZES };

const NEIGHBOURS: [&[u32]; 7] = [&[1, 2], &[0, 2, 3], &[0, 1], &[1], &[5, 6], &[4], &[4]];
/// Key and features of each attribute, and which attributes each entity has.
const ATTRIBUTES: [(u32, &[u32], &[f32]); 4] =
    [(0, &[0, 2], &[1.0, 0.5]), (1, &[1], &[1.0]), (1, &[3], &[-0.5]), (0, &[], &[])];
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

struct Small;

impl Surroundings for Small {
    fn neighbours(&self, entity: u32) -> Ids<'_> {
        Ids { first: 0, ids: NEIGHBOURS[entity as usize] }
    }
    fn attributes(&self, entity: u32) -> &[u32] {
        HAS[entity as usize]
    }
    fn attribute_count(&self) -> usize {
        ATTRIBUTES.len()
    }
    fn attribute(&self, attribute: u32) -> (u32, &[u32], &[f32]) {
        ATTRIBUTES[attribute as usize]
    }
}

/// Keeps W^E, and the gradients it is given.
struct Kept<'a> {
    width: usize,
    table: &'a [f64],
    gradient: Vec<f64>,
    attention: Vec<f64>,
}

struct KeptPiece<'a> {
    width: usize,
    table: &'a [f64],
    first: u32,
    gradient: &'a mut [f64],
    attention: &'a mut [f64],
}

impl RowTable<f64> for Kept<'_> {
    type Piece<'a>
        = KeptPiece<'a>
    where
        Self: 'a;

    fn cut(&mut self, touched: &[u32], every: usize) -> Vec<KeptPiece<'_>> {
        let (mut gradient, mut attention, mut first) = (&mut self.gradient[..], &mut self.attention[..], 0);
        let ends = touched.chunks(every).map(|rows| rows[rows.len() - 1] + 1);
        ends.map(|end| {
            let rows = (end - first) as usize;
            let (own, rest) = std::mem::take(&mut gradient).split_at_mut(rows * self.width);
            let (own_theta, rest_theta) = std::mem::take(&mut attention).split_at_mut(rows);
            let piece = KeptPiece {
                width: self.width,
                table: self.table,
                first,
                gradient: own,
                attention: own_theta,
            };
            (gradient, attention, first) = (rest, rest_theta, end);
            piece
        })
        .collect()
    }
}

impl RowPiece<f64> for KeptPiece<'_> {
    fn row(&self, row: u32) -> &[f64] {
        &self.table[row as usize * self.width..(row as usize + 1) * self.width]
    }
    fn take(&mut self, row: u32, gradient: &[f64], attention: f64) {
        let at = (row - self.first) as usize;
        self.gradient[at * self.width..(at + 1) * self.width].copy_from_slice(gradient);
        self.attention[at] = attention;
    }
}

/// The representation of an entity in a fact with another: without that one, if they are neighbours.
fn place(entity: u32, other: u32, left_out: &mut Vec<LeftOut>) -> u32 {
    if !NEIGHBOURS[entity as usize].contains(&other) {
        return entity;
    }
    let out = LeftOut { entity, without: other };
    let at = left_out.iter().position(|o| *o == out).unwrap_or_else(|| {
        left_out.push(out);
        left_out.sort();
        left_out.iter().position(|o| *o == out).unwrap()
    });
    SIZES.entities as u32 + at as u32
}

/// The batch and what is asked: every answer with a query of its own, or wrong answers in one pool for all.
fn batch(pooled: bool) -> (Batch, Questions) {
    let mut left_out = Vec::new();
    // Twice: the first time to know who leaves whom out, and so the final rows.
    let mut questions = Questions::default();
    for _ in 0..2 {
        questions = Questions { query_starts: vec![0], starts: vec![0], ..Default::default() };
        let mut pool = Pool { candidates: (0..SIZES.entities as u32).collect(), ..Default::default() };
        for (fixed, relation, right, wrong) in QUESTIONS {
            let mut ask = |answer: u32, questions: &mut Questions| {
                questions.relations.push(relation);
                questions.fixed.push(place(fixed, answer, &mut left_out));
                questions.answers.push(place(answer, fixed, &mut left_out));
                questions.query_starts.push(questions.answers.len() as u32);
            };
            ask(right, &mut questions);
            let number = pool.queries.len() as u32;
            for &answer in wrong {
                let near = NEIGHBOURS[fixed as usize].contains(&answer)
                    || NEIGHBOURS[answer as usize].contains(&fixed);
                if !pooled || near {
                    ask(answer, &mut questions);
                }
            }
            let in_pool = |answer: u32| {
                let near = NEIGHBOURS[fixed as usize].contains(&answer)
                    || NEIGHBOURS[answer as usize].contains(&fixed);
                wrong.contains(&answer) && !near
            };
            let others = (0..SIZES.entities as u32).filter(|&answer| !in_pool(answer));
            pool.masked.extend(others.map(|answer| (number, answer)));
            // A query without answers of its own: the entity with all its neighbours.
            questions.relations.push(relation);
            questions.fixed.push(fixed);
            questions.query_starts.push(questions.answers.len() as u32);
            pool.queries.push(questions.queries() as u32 - 1);
            questions.starts.push(questions.answers.len() as u32);
            questions.weights.push(1.0);
        }
        pool.questions = 0..QUESTIONS.len();
        if pooled {
            questions.pools.push(pool);
        }
    }
    (Batch { entities: (0..SIZES.entities as u32).collect(), left_out, drawn: None }, questions)
}

/// The loss and its gradient.
fn step(
    parameters: &Parameters<f64>,
    contexts: Contexts,
    objective: Objective,
    pooled: bool,
) -> (f64, Parameters<f64>) {
    let h = SIZES.hidden;
    let (batch, questions) = batch(pooled);
    let types = lists(&RELATION_TYPES);
    let mut encoder = Encoder::default();
    encoder.forward(&batch, &Small, parameters, contexts);
    let relations = relation::forward(&types, parameters, contexts);
    let mut back = questions.ask(
        objective,
        &encoder.representations,
        &relations.representations,
        h,
        &Unmasked,
        &mut Desk::default(),
    );
    let mut gradients = Parameters::zero_but_entities(parameters.sizes, &contexts);
    relation::backward(&types, parameters, contexts, &relations, &mut back.relations, &mut gradients);
    let mut kept = Kept {
        width: parameters.sizes.entity,
        table: &parameters.entities,
        gradient: vec![0.0; parameters.entities.len()],
        attention: vec![0.0; SIZES.entities],
    };
    encoder.backward(&batch, &Small, parameters, contexts, &mut back.entities, &mut gradients, &mut kept);
    gradients.entities = kept.gradient;
    if !gradients.entity_attention.is_empty() {
        gradients.entity_attention = kept.attention;
    }
    (back.losses.iter().sum(), gradients)
}

/// The same loss straight from the equations, one number at a time.
fn naive(p: &Parameters<f64>, contexts: Contexts, objective: Objective) -> f64 {
    let f = |x: f64| if contexts.rectified { x.max(0.0) } else { x };
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
    let v = |e: u32| -> Vec<f64> { row(&p.entities, e, p.sizes.entity).into_iter().map(f).collect() };
    let a = |at: u32| -> Vec<f64> {
        let (key, features, weights) = ATTRIBUTES[at as usize];
        let mut sum = row(&p.keys, key, SIZES.attribute);
        for (&feature, &weight) in features.iter().zip(weights) {
            let feature = row(&p.features, feature, SIZES.attribute);
            sum.iter_mut().zip(feature).for_each(|(s, f)| *s += f64::from(weight) * f);
        }
        sum.into_iter().map(f).collect()
    };
    let z = |e: u32, other: u32| -> Vec<f64> {
        let mut sum = vec![0.0; SIZES.hidden];
        let mut add = |part: Vec<f64>| sum.iter_mut().zip(part).for_each(|(s, x)| *s += x);
        if contexts.own {
            add(times(&p.own, &v(e)));
        }
        if contexts.neighbourhood.is_some() {
            let near = NEIGHBOURS[e as usize].iter().filter(|n| **n != other);
            let near = near.map(|&n| (attention(&p.entity_attention, n), v(n))).collect();
            add(times(&p.neighbourhood, &mean(near, p.sizes.entity)));
        }
        let has = HAS[e as usize];
        match contexts.attributes {
            Some(Aggregator::Max) => {
                let largest = |at: usize| has.iter().map(|&i| a(i)[at]).fold(f64::NEG_INFINITY, f64::max);
                let context = (0..SIZES.attribute).map(|at| if has.is_empty() { 0.0 } else { largest(at) });
                add(times(&p.attributes, &context.collect::<Vec<_>>()));
            }
            Some(Aggregator::Mean) => {
                let weight = |i: u32| attention(&p.key_attention, ATTRIBUTES[i as usize].0);
                let context = mean(has.iter().map(|&i| (weight(i), a(i))).collect(), SIZES.attribute);
                add(times(&p.attributes, &context));
            }
            _ => {}
        }
        sum.into_iter().map(|x| contexts.activation.of(x)).collect()
    };
    let z_r = |r: u32| -> Vec<f64> {
        let own: Vec<f64> = row(&p.relations, r, SIZES.relation).into_iter().map(f).collect();
        let t = |t: u32| row(&p.types, t, SIZES.class).into_iter().map(f).collect();
        let types = RELATION_TYPES[r as usize].iter().map(|&id| (attention(&p.type_attention, id), t(id)));
        let context = mean(types.collect(), SIZES.class);
        let sum = times(&p.relation, &own).into_iter().zip(times(&p.relation_types, &context));
        sum.map(|(a, b)| contexts.activation.of(a + b)).collect()
    };
    let g = |s: u32, r: u32, o: u32| {
        let product = z_r(r).into_iter().zip(z(s, o)).zip(z(o, s)).map(|((a, b), c)| a * b * c);
        objective.score.of(product.sum::<f64>())
    };
    let question = |(fixed, r, right, wrong): (u32, u32, u32, &[u32])| {
        let mut wrong: Vec<f64> = wrong.iter().map(|&c| g(fixed, r, c)).collect();
        let count = wrong.len() as f64;
        let loss = objective.loss.of(&mut g(fixed, r, right), &mut [&mut wrong]);
        match (objective.average, objective.loss) {
            (Average::Mean, Loss::Margin(_) | Loss::Logistic) => loss / count,
            _ => loss,
        }
    };
    QUESTIONS.into_iter().map(question).sum()
}

/// The seven variants of Table 2, means of attributes, and vectors that are not bent.
fn variants() -> Vec<Contexts> {
    let contexts = |own, neighbourhood: bool, attributes, attention| Contexts {
        own,
        neighbourhood: neighbourhood.then_some(Aggregator::Mean),
        attributes,
        types: Some(Aggregator::Mean),
        attention,
        rectified: true,
        activation: Activation::Tanh,
    };
    let (max, mean) = (Some(Aggregator::Max), Some(Aggregator::Mean));
    vec![
        contexts(true, false, None, false),
        contexts(false, false, max, false),
        contexts(false, true, None, false),
        contexts(true, false, max, false),
        contexts(true, true, None, false),
        contexts(true, true, max, false),
        contexts(true, true, mean, true),
        contexts(true, true, mean, false),
        contexts(false, false, mean, false),
        Contexts { rectified: false, ..contexts(true, true, max, false) },
        Contexts { rectified: false, ..contexts(true, true, mean, true) },
    ]
}

/// Other aggregators; what they compute is tested where they are.
fn other_aggregators() -> Vec<Contexts> {
    let contexts = |aggregator, attention| Contexts {
        own: true,
        neighbourhood: Some(aggregator),
        attributes: Some(aggregator),
        types: Some(aggregator),
        attention,
        rectified: true,
        activation: Activation::Tanh,
    };
    let all = [Aggregator::Max, Aggregator::Pooling, Aggregator::Lstm];
    let plain = |contexts| Contexts { rectified: false, ..contexts };
    let each = |aggregator| {
        [contexts(aggregator, false), contexts(aggregator, true), plain(contexts(aggregator, false))]
    };
    all.into_iter().flat_map(each).collect()
}

fn parameters(seed: u64, contexts: &Contexts, sizes: Sizes) -> Parameters<f64> {
    let mut parameters = Parameters::zero(sizes, contexts);
    for (at, (_, table)) in parameters.tables_mut().into_iter().enumerate() {
        *table = numbers(table.len(), seed * 100 + at as u64);
    }
    parameters
}

fn objectives() -> Vec<Objective> {
    let objective =
        |loss, score, average| Objective { loss, score, average, thin: 0.0, precision: Precision::Single };
    vec![
        objective(Loss::Margin(1.0), Activation::Sigmoid, Average::Sum),
        objective(Loss::Margin(1.0), Activation::Identity, Average::Mean),
        objective(Loss::Softmax(0.0), Activation::Identity, Average::Sum),
        objective(Loss::Logistic, Activation::Identity, Average::Mean),
    ]
}

#[test]
fn the_loss_is_that_of_the_equations() {
    let cases = variants().into_iter().flat_map(|contexts| [(contexts, SIZES), (contexts, PROJECTED)]);
    for (seed, (contexts, sizes)) in cases.enumerate() {
        let parameters = parameters(seed as u64, &contexts, sizes);
        for objective in objectives() {
            let slow = naive(&parameters, contexts, objective);
            for pooled in [false, true] {
                let fast = step(&parameters, contexts, objective, pooled).0;
                assert!((fast - slow).abs() < 1e-12, "{contexts:?} {objective:?} {pooled}: {fast} {slow}");
            }
        }
    }
}

#[test]
fn every_gradient_agrees_with_finite_differences() {
    let cases = variants().into_iter().chain(other_aggregators());
    let cases = cases.flat_map(|contexts| [(contexts, SIZES), (contexts, PROJECTED)]);
    for (seed, (contexts, sizes)) in cases.enumerate() {
        let parameters = parameters(40 + seed as u64, &contexts, sizes);
        for (at, objective) in objectives().into_iter().enumerate() {
            let pooled = (seed + at) % 2 == 0;
            let gradients = step(&parameters, contexts, objective, pooled).1;
            let names = parameters.tables().map(|(name, _)| name);
            for (table, name) in names.into_iter().enumerate() {
                let at = parameters.tables()[table].1.clone();
                let gradient = gradients.tables()[table].1;
                let value = |numbers: &[f64]| {
                    let mut moved = parameters.clone();
                    *moved.tables_mut()[table].1 = numbers.to_vec();
                    step(&moved, contexts, objective, pooled).0
                };
                assert!(agrees(&at, gradient, value), "{name} of {contexts:?} with {objective:?} {pooled}");
            }
        }
    }
}

/// Three entities with one number each; only the first has neighbours, and they are the two answers.
struct ByHand;

impl Surroundings for ByHand {
    fn neighbours(&self, entity: u32) -> Ids<'_> {
        Ids { first: 0, ids: if entity == 0 { &[1, 2] } else { &[] } }
    }
    fn attributes(&self, _: u32) -> &[u32] {
        &[]
    }
    fn attribute_count(&self) -> usize {
        0
    }
    fn attribute(&self, _: u32) -> (u32, &[u32], &[f32]) {
        unreachable!("nobody has attributes")
    }
}

#[test]
fn a_step_worked_by_hand() {
    let contexts = Contexts {
        own: true,
        neighbourhood: Some(Aggregator::Mean),
        attributes: None,
        types: None,
        attention: false,
        rectified: true,
        activation: Activation::Identity,
    };
    let sizes = Sizes { entities: 3, relations: 1, entity: 1, relation: 1, hidden: 1, ..SIZES };
    let mut parameters = Parameters::zero(sizes, &contexts);
    parameters.entities = vec![2.0, 3.0, 2.6];
    (parameters.own, parameters.neighbourhood) = (vec![0.5], vec![1.0]);
    (parameters.relations, parameters.relation) = (vec![1.0], vec![2.0]);
    // z_r = 2·1. Without 1, entity 0 is .5·2 + 2.6 = 3.6; without 2 it is .5·2 + 3 = 4. The answers are 1.5 and 1.3.
    // g⁺ = 2·3.6·1.5 = 10.8 and g = 2·4·1.3 = 10.4, so that the loss is 1 − 10.8 + 10.4 = .6.
    let left_out = vec![LeftOut { entity: 0, without: 1 }, LeftOut { entity: 0, without: 2 }];
    let batch = Batch { entities: vec![0, 1, 2], left_out, drawn: None };
    let questions = Questions {
        relations: vec![0, 0],
        fixed: vec![3, 4],
        query_starts: vec![0, 1, 2],
        answers: vec![1, 2],
        starts: vec![0, 2],
        weights: vec![1.0],
        pools: Vec::new(),
    };
    let objective = Objective {
        loss: Loss::Margin(1.0),
        score: Activation::Identity,
        average: Average::Sum,
        thin: 0.0,
        precision: Precision::Single,
    };
    let mut encoder = Encoder::default();
    encoder.forward(&batch, &ByHand, &parameters, contexts);
    let types = Gather { starts: vec![0, 0], ..Default::default() };
    let relations = relation::forward(&types, &parameters, contexts);
    let mut back = questions.ask(
        objective,
        &encoder.representations,
        &relations.representations,
        1,
        &Unmasked,
        &mut Desk::default(),
    );
    let near = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12)
    };
    assert!(near(&back.losses, &[0.6]), "{:?}", back.losses);
    // z_1: −2·3.6; z_2: 2·4; z_0 without 1: −2·1.5; without 2: 2·1.3; z_r: −3.6·1.5 + 4·1.3.
    assert!(near(&back.entities, &[0.0, -7.2, 8.0, -3.0, 2.6]), "{:?}", back.entities);
    assert!(near(&back.relations, &[-0.2]), "{:?}", back.relations);
    let mut gradients = Parameters::zero_but_entities(sizes, &contexts);
    relation::backward(&types, &parameters, contexts, &relations, &mut back.relations, &mut gradients);
    let table = &parameters.entities;
    let mut kept = Kept { width: 1, table, gradient: vec![0.0; 3], attention: vec![0.0; 3] };
    encoder.backward(&batch, &ByHand, &parameters, contexts, &mut back.entities, &mut gradients, &mut kept);
    // W₁: −7.2·3 + 8·2.6 − .4·2; W₂: −3·2.6 + 2.6·3; W₄: −.2·1; W^R: −.2·2.
    assert!(near(&gradients.own, &[-1.6]) && near(&gradients.neighbourhood, &[0.0]));
    assert!(near(&gradients.relation, &[-0.2]) && near(&gradients.relations, &[-0.4]));
    // Entity 0: .5·(−3 + 2.6); 1: .5·(−7.2) + 2.6; 2: .5·8 − 3.
    assert!(near(&kept.gradient, &[-0.2, -1.0, 1.0]), "{:?}", kept.gradient);
}
