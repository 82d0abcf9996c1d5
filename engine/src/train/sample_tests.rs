//! Is a sample what was asked, written down? Every answer is decoded again and compared with a naive account.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::draw::End;
use super::super::{Learner, initial};
use super::*;
use crate::config::{Aggregation, Corrupt, KnownFacts, LeaveOut, Share};
use crate::graph::EntityId;
use crate::joint::small_graphs::{Labelled, random_config, random_data, random_parts};

/// A question and one of its answers, with numbers of entities, and whom each of the two leaves out.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    fixed: u32,
    fixed_without: Option<u32>,
    answer: u32,
    answer_without: Option<u32>,
}

/// A question as it can be read from a sample.
struct Read {
    relation: u32,
    right: Pair,
    /// Answers with a score of their own.
    own: Vec<Pair>,
    /// Answers from a pool, and the pool.
    pooled: Vec<Pair>,
    pool: Option<usize>,
}

/// The entity of a row, and whom it leaves out.
fn entity_of(sample: &Sample, row: u32) -> (u32, Option<u32>) {
    let entities = &sample.batch.entities;
    match entities.get(row as usize) {
        Some(&entity) => (entity, None),
        None => {
            let out = sample.batch.left_out[row as usize - entities.len()];
            (entities[out.entity as usize], Some(out.without))
        }
    }
}

fn pair(sample: &Sample, query: usize, answer: u32) -> Pair {
    let (fixed, fixed_without) = entity_of(sample, sample.questions.fixed[query]);
    let (answer, answer_without) = entity_of(sample, answer);
    Pair { fixed, fixed_without, answer, answer_without }
}

fn read(sample: &Sample) -> Vec<Read> {
    let questions = &sample.questions;
    let pool_of =
        |question: usize| questions.pools.iter().position(|pool| pool.questions.contains(&question));
    let read = |number: usize| {
        let ends = questions.starts[number] as usize..questions.starts[number + 1] as usize;
        let query_of = |at: usize| questions.query_starts.partition_point(|&start| start as usize <= at) - 1;
        let mut own: Vec<Pair> =
            ends.clone().map(|at| pair(sample, query_of(at), questions.answers[at])).collect();
        let right_query = query_of(ends.start);
        assert_eq!(sample.right_queries[number] as usize, right_query);
        let relation = questions.relations[right_query];
        assert!(ends.clone().all(|at| questions.relations[query_of(at)] == relation));
        let pool = pool_of(number);
        let pooled = pool.map_or(Vec::new(), |pool| {
            let pool = &questions.pools[pool];
            let within = number - pool.questions.start;
            let query = pool.queries[within] as usize;
            assert_eq!(questions.relations[query], relation);
            let is_masked = |at: usize| pool.masked.contains(&(within as u32, at as u32));
            let counts = (0..pool.candidates.len()).filter(|&at| !is_masked(at));
            counts.map(|at| pair(sample, query, pool.candidates[at])).collect()
        });
        Read { relation, right: own.remove(0), own, pooled, pool }
    };
    (0..questions.len()).map(read).collect()
}

/// What is asked in a step, one fact at a time: the questions, the wrong answers of each, and how many are relational.
struct Expected {
    questions: Vec<(Question, Vec<u32>)>,
    relational: usize,
    pairs: Vec<(u32, u32)>,
    groups: Vec<Range<usize>>,
}

fn expect(sampler: &Sampler<'_>, step: u64) -> Expected {
    let (facts, groups) = sampler.facts_of(step);
    let (mut questions, mut linkage, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for fact in facts {
        let mut portion = Portion::default();
        portion.ask(sampler.joint, sampler.config, fact, &mut sampler.dice.of(fact.stream));
        let with_wrong = |question: &Question| {
            let wrong = portion.wrong[question.wrong.clone()].to_vec();
            (question.clone(), wrong)
        };
        questions.extend(portion.relational.iter().map(with_wrong));
        linkage.extend(portion.linkage.iter().map(with_wrong));
        pairs.extend(&portion.pairs);
    }
    if sampler.config.linkage.negatives == LinkageNegatives::Shared {
        linkage.sort_by_key(|(question, _)| question.answers_from);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let relational = questions.len();
    questions.extend(linkage);
    Expected { questions, relational, pairs, groups }
}

/// Whether an entity of the pool's graph counts as a wrong answer.
fn is_wrong(joint: &Joint, config: &Config, question: &Question, entity: u32) -> bool {
    let graph = &joint.graphs[question.answers_from as usize];
    let is_known = |entity: u32| {
        let (entity, fixed) = (entity - graph.first, question.fixed - graph.first);
        let (subject, object) = if question.asked == End::Head { (entity, fixed) } else { (fixed, entity) };
        let fact = (subject, question.relation, object);
        graph.facts[0].iter().any(|known| (known.subject.0, known.relation.0, known.object.0) == fact)
    };
    let is_of_one_graph = question.graph == question.answers_from;
    let may_be = entity != question.fixed || config.negatives.itself;
    let is_left_out = is_of_one_graph && config.negatives.known == KnownFacts::LeftOut;
    entity != question.right && may_be && !(is_left_out && is_known(entity))
}

fn check(joint: &Joint, config: &Config, step: u64) {
    let mut sampler = Sampler::new(joint, config);
    let sample = sampler.sample(step);
    let expected = expect(&sampler, step);
    let questions = read(&sample);
    assert_eq!((sample.relational, questions.len()), (expected.relational, expected.questions.len()));
    for (number, (found, (question, wrong))) in questions.iter().zip(&expected.questions).enumerate() {
        assert_eq!(found.relation, joint.relations.of(question.graph as usize, question.relation));
        assert_eq!((found.right.fixed, found.right.answer), (question.fixed, question.right));
        let mut answers: Vec<u32> = found.own.iter().chain(&found.pooled).map(|pair| pair.answer).collect();
        answers.sort_unstable();
        let mut wrong = wrong.clone();
        if let Some(pool) = found.pool {
            assert!(wrong.is_empty());
            let candidates = sample.questions.pools[pool].candidates.iter();
            let candidates = candidates.map(|&row| entity_of(&sample, row).0);
            wrong.extend(candidates.filter(|&entity| is_wrong(joint, config, question, entity)));
        }
        wrong.sort_unstable();
        assert_eq!(answers, wrong, "of {question:?}");
        let weight = if number < sample.relational { 0.6 } else { 0.4 };
        assert_eq!(sample.questions.weights[number], weight as f32);
    }
    check_left_out(joint, config, &sample, &questions);
    check_pools(joint, config, &sample, &expected);
    let pairs: Vec<(u32, u32)> =
        sample.pairs.iter().map(|&(a, b)| (entity_of(&sample, a).0, entity_of(&sample, b).0)).collect();
    assert_eq!(pairs, expected.pairs);
}

/// The two entities of a pair leave each other out if they are neighbours, and nobody else leaves anyone out.
fn check_left_out(joint: &Joint, config: &Config, sample: &Sample, questions: &[Read]) {
    let batch = &sample.batch;
    assert!(batch.entities.is_sorted_by(|a, b| a < b));
    assert!(batch.left_out.is_sorted_by(|a, b| a < b));
    let leave_out = match config.contexts.neighbourhood {
        Aggregation::Off => LeaveOut::Never,
        _ => config.contexts.leave_partner_out,
    };
    let without = |entity: u32, other: u32, is_right: bool| {
        let leaves_out = leave_out == LeaveOut::Always || is_right && leave_out == LeaveOut::Right;
        let place = batch.entities.binary_search(&entity).unwrap();
        let is_near = batch.neighbours(place, joint).iter().any(|id| id == other);
        (leaves_out && is_near).then_some(other)
    };
    let mut used = vec![false; batch.left_out.len()];
    let mut mark = |entity: u32, without: Option<u32>| {
        if let Some(without) = without {
            let entity = batch.entities.binary_search(&entity).unwrap() as u32;
            used[batch.left_out.binary_search(&LeftOut { entity, without }).unwrap()] = true;
        }
    };
    for question in questions {
        let pairs = std::iter::once(&question.right).chain(&question.own).chain(&question.pooled);
        for (at, pair) in pairs.enumerate() {
            let is_right = at == 0;
            assert_eq!(pair.fixed, question.right.fixed);
            assert_eq!(pair.fixed_without, without(pair.fixed, pair.answer, is_right), "{pair:?}");
            assert_eq!(pair.answer_without, without(pair.answer, pair.fixed, is_right), "{pair:?}");
            mark(pair.fixed, pair.fixed_without);
            mark(pair.answer, pair.answer_without);
        }
    }
    assert!(used.iter().all(|&used| used), "nobody is encoded in vain");
}

/// Pools have entities of one graph, each once, and as many as were asked for, and each question is in one pool.
fn check_pools(joint: &Joint, config: &Config, sample: &Sample, expected: &Expected) {
    let pools = &sample.questions.pools;
    let mut in_pools = vec![0; expected.questions.len()];
    for pool in pools {
        assert!(!pool.candidates.is_empty() && !pool.questions.is_empty());
        pool.questions.clone().for_each(|question| in_pools[question] += 1);
        let own = &expected.questions[pool.questions.clone()];
        let number = own[0].0.answers_from;
        assert!(own.iter().all(|(question, _)| question.answers_from == number));
        let graph = &joint.graphs[number as usize];
        let candidates: Vec<u32> = pool.candidates.iter().map(|&row| entity_of(sample, row).0).collect();
        assert!(candidates.is_sorted_by(|a, b| a < b));
        assert!(pool.candidates.iter().all(|&row| (row as usize) < sample.batch.entities.len()));
        assert!(candidates.iter().all(|id| (graph.first..graph.first + graph.entities).contains(id)));
        assert!(pool.masked.is_sorted_by(|a, b| a < b));
        let is_relational = pool.questions.start < sample.relational;
        let count = if is_relational { config.negatives.count } else { config.linkage.count };
        let entities = graph.entities as usize;
        match config.negatives.kind {
            NegativeKind::All => assert_eq!(candidates.len(), entities),
            _ if count >= entities => assert_eq!(candidates.len(), entities),
            _ => assert!(candidates.len() <= count),
        }
        if config.negatives.by_type == 1.0 && is_relational && count < entities {
            check_types(graph, own, &candidates);
        }
    }
    let is_pooled = |number: usize| match number < sample.relational {
        true => config.negatives.kind != NegativeKind::Independent,
        false => config.linkage.negatives == LinkageNegatives::Shared,
    };
    assert!(in_pools.iter().enumerate().all(|(number, &pools)| pools == usize::from(is_pooled(number))));
    // Facts that share a pool are those of a group.
    if config.negatives.kind != NegativeKind::Independent {
        let each = if config.negatives.corrupt == Corrupt::Both { 2 } else { 1 };
        let groups = expected.groups.iter().map(|group| group.start * each..group.end * each);
        assert!(groups.eq(pools.iter().map(|p| p.questions.clone()).take(expected.groups.len())));
        let longest = expected.groups.iter().map(Range::len).max().unwrap();
        assert!(config.negatives.chunk == 0 || longest <= config.negatives.chunk);
    }
}

/// Every candidate is of a type that some right answer of the pool has, unless one of them has none.
fn check_types(graph: &crate::joint::JointGraph, own: &[(Question, Vec<u32>)], candidates: &[u32]) {
    let types = |entity: u32| graph.types_of(EntityId(entity - graph.first));
    if own.iter().any(|(question, _)| types(question.right).is_empty()) {
        return;
    }
    let is_wanted = |class: &u32| own.iter().any(|(question, _)| types(question.right).contains(class));
    assert!(candidates.iter().all(|&id| types(id).iter().any(is_wanted)));
}

/// Some joined graphs, and a config for each.
fn for_all(mut test: impl FnMut(&Joint, &Config)) {
    for seed in 0..12 {
        let graphs = 2 + seed as usize % 2;
        let labelled = if seed % 4 == 3 { Labelled::OnlyNegatives } else { Labelled::Both };
        let prepared = random_data(1000 + seed, graphs, labelled);
        for choice in 0..16 {
            let config = random_config(1000 * seed + choice);
            test(&Joint::new(&prepared.data, config.model.share, 8).unwrap(), &config);
        }
    }
    for seed in 0..80 {
        let joint = random_parts(seed, 2 + seed as u32 % 20, 30);
        test(&joint, &random_config(50_000 + seed));
    }
}

#[test]
fn every_answer_is_written_down_as_it_was_asked() {
    for_all(|joint, config| {
        let steps = Sampler::new(joint, config).steps_per_epoch();
        for step in [0, 1, steps, 3 * steps + 1] {
            check(joint, config, step);
        }
    });
}

#[test]
fn an_epoch_asks_about_every_fact_once() {
    for_all(|joint, config| {
        asks_about_every_fact_once(joint, config, Vec::new());
        for graph in joint.graphs.iter().filter(|graph| !graph.facts[0].is_empty()) {
            asks_about_every_fact_once(joint, config, vec![graph.name.clone()]);
        }
    });
}

/// Every fact of these graphs, or of all where none is named.
fn asks_about_every_fact_once(joint: &Joint, config: &Config, graphs: Vec<String>) {
    let mut config = config.clone();
    config.negatives.corrupt = Corrupt::Both;
    config.training.graphs = graphs;
    let learned = |name: &String| config.training.graphs.is_empty() || config.training.graphs.contains(name);
    let mut sampler = Sampler::new(joint, &config);
    let steps = sampler.steps_per_epoch();
    let mut expected: BTreeMap<(u32, u32, u32), usize> = BTreeMap::new();
    for (number, graph) in joint.graphs.iter().enumerate().filter(|(_, graph)| learned(&graph.name)) {
        for fact in graph.facts[0].iter() {
            let relation = joint.relations.of(number, fact.relation.0);
            let (subject, object) = (graph.first + fact.subject.0, graph.first + fact.object.0);
            *expected.entry((subject, relation, object)).or_default() += 1;
        }
    }
    let facts: usize = expected.values().sum();
    assert_eq!(steps, (facts as u64).div_ceil(config.training.batch as u64));
    for epoch in 0..2 {
        let mut heads: BTreeMap<(u32, u32, u32), usize> = BTreeMap::new();
        let mut tails = heads.clone();
        for step in epoch * steps..(epoch + 1) * steps {
            let sample = sampler.sample(step);
            assert!(sample.facts <= config.training.batch);
            assert_eq!(sample.relational, 2 * sample.facts);
            for (number, question) in read(&sample)[..sample.relational].iter().enumerate() {
                let Pair { fixed, answer, .. } = question.right;
                match number % 2 {
                    0 => *heads.entry((answer, question.relation, fixed)).or_default() += 1,
                    _ => *tails.entry((fixed, question.relation, answer)).or_default() += 1,
                }
            }
        }
        assert_eq!((&heads, &tails), (&expected, &expected));
    }
}

#[test]
fn drawn_neighbours_are_some_of_all() {
    let mut fewer = 0;
    for_all(|joint, config| {
        let mut config = config.clone();
        config.contexts.neighbours = config.contexts.neighbours.max(1);
        let sample = Sampler::new(joint, &config).sample(2);
        let drawn = sample.batch.drawn.as_ref().unwrap();
        assert_eq!(drawn.starts.len(), sample.batch.entities.len() + 1);
        for (place, &entity) in sample.batch.entities.iter().enumerate() {
            let own: Vec<u32> = sample.batch.neighbours(place, joint).iter().collect();
            let all: Vec<u32> = joint.neighbours(entity).iter().collect();
            assert_eq!(own.len(), all.len().min(config.contexts.neighbours));
            assert!(own.is_sorted_by(|a, b| a < b));
            assert!(own.iter().all(|id| all.contains(id)));
            fewer += usize::from(own.len() < all.len());
        }
    });
    assert!(fewer > 100, "{fewer}");
}

#[test]
fn a_neighbour_is_drawn_as_often_as_another() {
    let mut joint = random_parts(1, 30, 40);
    let lists = (0..30).map(|own| (0..30).filter(|&id| id != own).take(8).collect());
    joint.graphs[0].neighbourhoods = crate::dataset::Lists::from_lists(lists);
    let mut config = random_config(1);
    (config.contexts.neighbours, config.training.batch) = (3, 40);
    let mut sampler = Sampler::new(&joint, &config);
    let mut counts = [0u32; 9];
    let mut lists = 0;
    for step in 0..200 {
        let sample = sampler.sample(step);
        let far = sample.batch.entities.iter().positions_of(|&entity| entity >= 8);
        for place in far {
            lists += 1;
            sample.batch.neighbours(place, &joint).iter().for_each(|id| counts[id as usize] += 1);
        }
    }
    // Each of eight is among three with a chance of 3/8; so many lists stay within a tenth of that.
    let expected = f64::from(lists) * 3.0 / 8.0;
    assert!(counts[..8].iter().all(|&count| (f64::from(count) / expected - 1.0).abs() < 0.1), "{counts:?}");
    assert_eq!(counts[8], 0);
}

/// The places where something holds.
trait PositionsOf: Iterator + Sized {
    fn positions_of(self, holds: impl Fn(Self::Item) -> bool) -> impl Iterator<Item = usize> {
        self.enumerate().filter_map(move |(place, item)| holds(item).then_some(place))
    }
}

impl<I: Iterator> PositionsOf for I {}

#[test]
fn a_pool_has_as_many_as_asked_for_where_there_are_plenty() {
    let joint = random_parts(5, 400, 200);
    let mut config = random_config(5);
    config.negatives.kind = NegativeKind::Shared;
    config.negatives.by_type = 0.0;
    config.linkage.on = false;
    for count in [1, 10, 100, 200] {
        config.negatives.count = count;
        let sample = Sampler::new(&joint, &config).sample(0);
        assert!(!sample.questions.pools.is_empty());
        let counts: Vec<usize> = sample.questions.pools.iter().map(|pool| pool.candidates.len()).collect();
        assert!(counts.iter().all(|&found| found == count), "{count}: {counts:?}");
    }
}

#[test]
fn any_number_of_threads_makes_the_same_sample() {
    let on = |threads: usize, joint: &Joint, config: &Config| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| format!("{:?}", Sampler::new(joint, config).sample(1)))
    };
    for seed in 0..30 {
        let (joint, config) = (random_parts(seed, 150, 400), random_config(90_000 + seed));
        let one = on(1, &joint, &config);
        assert_eq!(on(2, &joint, &config), one);
        assert_eq!(on(7, &joint, &config), one);
    }
}

/// What follows from the step alone can be drawn again, in any order.
#[test]
fn a_step_can_be_repeated() {
    let (joint, config) = (random_parts(3, 20, 60), random_config(17));
    let mut sampler = Sampler::new(&joint, &config);
    let first: Vec<String> = (0..4).map(|step| format!("{:?}", sampler.sample(step))).collect();
    assert_ne!(first[0], first[1]);
    for step in [2, 0, 3, 1] {
        assert_eq!(format!("{:?}", sampler.sample(step)), first[step as usize]);
    }
}

/// The parameters before and after a step in which there is nothing to learn, because a pool of nobody gives no wrong
/// answers; only what keeps parameters small can move them.
fn after_nothing(l2: f64, relation_l2: f64) -> [crate::model::parameters::Parameters<f32>; 2] {
    let prepared = random_data(1003, 2, Labelled::Both);
    let mut config = Config::preset("paper").unwrap();
    config.negatives.kind = NegativeKind::Shared;
    config.linkage.negatives = LinkageNegatives::Shared;
    config.linkage.count = 0;
    config.loss.relational = 0.0;
    config.regularization.l2 = l2;
    config.regularization.relation_l2 = relation_l2;
    config.model.features = 8;
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let sample = Sampler::new(&joint, &config).sample(0);
    assert!(sample.questions.len() > sample.relational);
    let (sizes, contexts) = (super::super::sizes(&joint, &config), super::super::contexts(&config));
    let parameters = initial::random(sizes, &contexts, &config);
    let mut learner = Learner::new(&joint, &config, parameters.clone());
    let losses = learner.step(&joint, &sample, 0.1, 0).unwrap();
    assert_eq!(losses.total(), 0.0);
    [parameters, learner.parameters().clone()]
}

#[test]
fn questions_without_wrong_answers_move_nothing() {
    let [before, after] = after_nothing(0.0, 0.0);
    assert!(before == after, "something moved");
}

#[test]
fn relations_are_kept_small_by_themselves() {
    let [before, after] = after_nothing(0.01, 0.0);
    assert!(before.relations == after.relations && before.entities != after.entities);
    let [before, after] = after_nothing(0.0, 0.01);
    assert!(before.relations != after.relations && before.entities == after.entities);
}
