//! Do the compared models learn, and to the same bits whatever the number of threads?

use super::*;
use crate::config::{Corrupt, KnownFacts, ModelKind, NegativeKind};
use crate::eval::{Metrics, RankSide};
use crate::graph::Fact;
use crate::joint::Parts;
use crate::joint::small_graphs::{Labelled, random_config, random_data};
use crate::train::{Learner, Sampler, initial, ranker, sizes};

const KINDS: [ModelKind; 7] = [
    ModelKind::Rescal,
    ModelKind::DistMult,
    ModelKind::ComplEx,
    ModelKind::TransE,
    ModelKind::RotatE,
    ModelKind::STransE,
    ModelKind::Gake,
];

/// Random choices for a kind of model.
fn config_of(kind: ModelKind, seed: u64) -> Config {
    let mut config = random_config(seed);
    config.model.kind = kind;
    config.model.entity = 6;
    config.model.reciprocal = kind == ModelKind::Gake || seed.is_multiple_of(2);
    if config.model.reciprocal && matches!(config.negatives.corrupt, Corrupt::Head | Corrupt::Tail) {
        config.negatives.corrupt = Corrupt::Either;
    }
    config.model.score = crate::config::Score::Identity;
    config.loss.kind = crate::config::LossKind::Softmax;
    config.negatives.known = if seed.is_multiple_of(3) { KnownFacts::Kept } else { KnownFacts::LeftOut };
    if kind == ModelKind::STransE {
        config.negatives.kind = NegativeKind::Independent;
    }
    let has_members = kind != ModelKind::Gake;
    let relation_has_members = has_members && kind != ModelKind::RotatE;
    config.regularization.dropout = if has_members && seed.is_multiple_of(2) { 0.2 } else { 0.0 };
    config.regularization.relation_dropout = if relation_has_members && seed % 4 < 2 { 0.3 } else { 0.0 };
    config.regularization.n3 = if relation_has_members && seed % 3 == 1 { 0.01 } else { 0.0 };
    config.check().unwrap();
    config.linkage.on = false;
    config.training.batch = 7;
    config.optimizer.rate = 0.05;
    config.check().unwrap();
    config
}

/// The losses of so many steps, and the parameters after them.
fn learned(joint: &Joint, config: &Config, steps: u64) -> (Vec<f64>, Parameters<f32>) {
    let kind = crate::train::baseline(config).unwrap();
    let parameters = initial::random_vectors(kind, sizes(joint, config), config);
    let mut learner = Learner::new(joint, config, parameters);
    let mut sampler = Sampler::new(joint, config);
    let losses = (0..steps).map(|step| {
        let sample = sampler.sample(step);
        let losses = learner.step(joint, &sample, config.optimizer.rate, step).unwrap();
        losses.total() / sample.questions.len().max(1) as f64
    });
    (losses.collect(), learner.parameters().clone())
}

#[test]
fn all_kinds_have_the_same_bits_with_any_number_of_threads() {
    for kind in KINDS {
        for seed in 0..4 {
            let prepared = random_data(seed, 2, Labelled::Both);
            let config = config_of(kind, seed);
            let joint = Joint::new(&prepared.data, config.model.share, 8).unwrap();
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| learned(&joint, &config, 6))
            };
            let one = with(1);
            assert!(one == with(2) && one == with(4), "{kind:?} {seed}");
        }
    }
}

#[test]
fn relations_are_kept_small_by_themselves() {
    for kind in KINDS {
        let prepared = random_data(5, 2, Labelled::Not);
        let mut config = config_of(kind, 5);
        let joint = Joint::new(&prepared.data, config.model.share, 8).unwrap();
        let mut after = |l2: f64, relation_l2: f64| {
            config.regularization.l2 = l2;
            config.regularization.relation_l2 = relation_l2;
            learned(&joint, &config, 1).1
        };
        let [neither, entities, relations] = [after(0.0, 0.0), after(0.1, 0.0), after(0.0, 0.1)];
        assert!(entities.relations == neither.relations && entities.entities != neither.entities, "{kind:?}");
        assert!(
            relations.entities == neither.entities && relations.relations != neither.relations,
            "{kind:?}"
        );
    }
}

#[test]
fn all_kinds_learn_a_small_graph_by_heart() {
    for kind in KINDS {
        let prepared = random_data(11, 2, Labelled::Not);
        let mut config = config_of(kind, 11);
        config.regularization.n3 = 0.0;
        config.regularization.dropout = 0.0;
        config.regularization.relation_dropout = 0.0;
        let joint = Joint::new(&prepared.data, config.model.share, 8).unwrap();
        let (losses, _) = learned(&joint, &config, 300);
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        let (before, after) = (mean(&losses[..20]), mean(&losses[280..]));
        assert!(after < 0.6 * before, "{kind:?}: {before} {after}");
    }
}

/// Everybody but the last has one who is next: a relation with a direction. With vectors of its own for asking backwards it is learned
/// both ways, and asked by what was learned. (DistMult cannot tell the next from the one before.)
#[test]
fn what_was_learned_by_heart_is_answered_both_ways() {
    const COUNT: u32 = 9;
    let joint = Joint::of_parts(Parts {
        counts: [1, 0, 0],
        facts: (1..COUNT).map(|entity| [entity - 1, 0, entity]).collect(),
        neighbourhoods: vec![Vec::new(); COUNT as usize],
        relation_types: vec![Vec::new()],
        attributes: vec![Vec::new(); COUNT as usize],
        attribute_values: Vec::new(),
        partners: vec![(None, Vec::new()); COUNT as usize],
    });
    let facts: Vec<Fact> = joint.graphs[0].facts[0].iter().collect();
    for kind in KINDS.into_iter().filter(|&kind| kind != ModelKind::DistMult) {
        let mut config = config_of(kind, 3);
        config.model.reciprocal = true;
        config.model.entity = 16;
        config.negatives.count = 8;
        config.negatives.corrupt = Corrupt::Both;
        config.training.batch = COUNT as usize;
        config.regularization = Config::preset("paper").unwrap().regularization;
        let (_, parameters) = learned(&joint, &config, 400);
        let mut ranker = ranker(&joint, &parameters, &config);
        for side in [RankSide::Tail, RankSide::Head] {
            let mrr = Metrics::of(&ranker.rank(0, &facts, side)).mrr;
            assert!(mrr > 0.95, "{kind:?} {side:?}: {mrr}");
        }
    }
}

#[test]
fn cubes_have_the_gradient_of_their_sum() {
    let numbers = [0.5, -1.0, 2.0, 0.3, 0.7, -0.2];
    for is_complex in [false, true] {
        let mut gradient = [0.0; 6];
        add_cubes(&numbers, 0.5, is_complex, &mut gradient);
        for at in 0..6 {
            let moved = |by: f32| {
                let mut numbers = numbers;
                numbers[at] += by;
                add_cubes(&numbers, 0.5, is_complex, &mut [0.0; 6])
            };
            let expected = (moved(1e-2) - moved(-1e-2)) / 2e-2;
            assert!((f64::from(gradient[at]) - expected).abs() < 2e-3, "{at}: {} {expected}", gradient[at]);
        }
    }
    // |3 + 4i|³ = 125, and real numbers alone 27 + 64.
    assert!((add_cubes(&[3.0, 4.0], 1.0, true, &mut [0.0; 2]) - 125.0).abs() < 1e-4);
    assert!((add_cubes(&[3.0, 4.0], 1.0, false, &mut [0.0; 2]) - 91.0).abs() < 1e-4);
}
