//! Does learning go on, slow down and end when it should? Rates and decisions worked out by hand.

use super::super::{contexts, initial, sizes};
use super::*;
use crate::config::Aggregation;
use crate::dataset::FactColumns;
use crate::joint::Parts;

/// Five facts to learn from, and one to be judged on: (0, 0, 1) among four entities.
fn joint() -> Joint {
    let mut joint = Joint::of_parts(Parts {
        counts: [1, 0, 0],
        facts: vec![[0, 0, 2], [1, 0, 0], [1, 0, 2], [2, 0, 3], [3, 0, 1]],
        neighbourhoods: vec![Vec::new(); 4],
        relation_types: vec![Vec::new()],
        attributes: vec![Vec::new(); 4],
        attribute_values: Vec::new(),
        partners: vec![(None, Vec::new()); 4],
    });
    joint.graphs[0].facts[Part::Valid as usize] =
        FactColumns { subjects: vec![0].into(), relations: vec![0].into(), objects: vec![1].into() };
    joint
}

/// Two facts a step make three steps an epoch. A representation is one number, the entity's own.
fn config() -> Config {
    let mut config = Config::preset("paper").unwrap();
    config.training.batch = 2;
    config.training.epochs = 4;
    config.model.entity = 1;
    config.model.relation = 1;
    config.model.hidden = 1;
    config.model.activation = crate::config::Activation::Identity;
    config.contexts.neighbourhood = Aggregation::Off;
    config.contexts.attributes = Aggregation::Off;
    config.contexts.types = Aggregation::Off;
    config.linkage.on = false;
    config.optimizer.rate = 0.8;
    config.optimizer.decay = 0.5;
    config
}

fn trainer<'a>(joint: &'a Joint, config: &'a Config, state: Option<State>) -> Trainer<'a> {
    let parameters = initial::random(sizes(joint, config), &contexts(config), config);
    Trainer::new(joint, config, Learner::new(joint, config, parameters), state)
}

fn state(step: u64) -> State {
    State { step, rate_factor: 1.0, best: None, since_best: 0, since_plateau: 0, ended: None }
}

/// Judges a model that puts the right answer at a rank, 2 to 4: of the two others that count, 0 and 3, and of itself
/// as the fixed entity. 2 is a known answer.
fn judge_at(trainer: &mut Trainer<'_>, rank: u8) -> Judgement {
    let parameters = trainer.learner.state_mut().0;
    parameters.relations = vec![1.0];
    parameters.relation = vec![1.0];
    parameters.own = vec![1.0];
    // The fixed entity 0 has 1; so scores are the numbers themselves.
    parameters.entities = match rank {
        1 => vec![1.0, 4.0, 9.0, 2.0],
        2 => vec![1.0, 4.0, 9.0, 5.0],
        3 => vec![1.0, 0.5, 9.0, 5.0],
        _ => panic!("there are three answers that count"),
    };
    trainer.judge()
}

#[test]
fn the_rate_falls_after_every_epoch() {
    let (joint, config) = (joint(), config());
    let mut trainer = trainer(&joint, &config, None);
    assert_eq!((trainer.steps_per_epoch(), trainer.total_steps()), (3, 12));
    for (step, rate) in [(0, 0.8), (2, 0.8), (3, 0.4), (5, 0.4), (6, 0.2), (11, 0.1), (12, 0.05)] {
        trainer.state.step = step;
        assert_eq!(trainer.rate(), rate, "{step}");
    }
    trainer.state.rate_factor = 0.25;
    trainer.state.step = 4;
    assert_eq!(trainer.rate(), 0.1);
    trainer.state.step = u64::MAX;
    assert_eq!(trainer.rate(), 0.0);
}

#[test]
fn the_rate_rises_in_the_first_steps() {
    let (joint, mut config) = (joint(), config());
    config.optimizer.warmup = 4;
    let mut trainer = trainer(&joint, &config, None);
    // Quarters of 0.8, the last of them in the second epoch, where the whole is 0.4.
    let rates = [0.2, 0.4, 0.8 * 3.0 / 4.0, 0.4, 0.4, 0.4, 0.2];
    for (step, rate) in rates.into_iter().enumerate() {
        trainer.state.step = step as u64;
        assert!((trainer.rate() - rate).abs() < 1e-15, "{step}: {}", trainer.rate());
    }
}

#[test]
fn the_rate_falls_in_the_last_epochs() {
    let (joint, mut config) = (joint(), config());
    config.optimizer.decay = 1.0;
    config.optimizer.cooldown = 4.0 / 3.0;
    let mut trainer = trainer(&joint, &config, None);
    // Four steps of twelve are four thirds of an epoch of three: the last of them has a quarter.
    for (step, rate) in [(0, 0.8), (7, 0.8), (8, 0.8), (9, 0.6), (10, 0.4), (11, 0.2), (12, 0.0), (13, 0.0)] {
        trainer.state.step = step;
        assert!((trainer.rate() - rate).abs() < 1e-15, "{step}: {}", trainer.rate());
    }
}

#[test]
fn a_short_training_falls_all_the_way_and_begins_with_the_whole_rate() {
    let (joint, mut config) = (joint(), config());
    config.optimizer.decay = 1.0;
    config.optimizer.cooldown = 100.0;
    let mut trainer = trainer(&joint, &config, None);
    for (step, rate) in [(0, 0.8), (3, 0.6), (6, 0.4), (12, 0.0)] {
        trainer.state.step = step;
        assert!((trainer.rate() - rate).abs() < 1e-15, "{step}: {}", trainer.rate());
    }
}

#[test]
fn a_judgement_is_what_the_ranks_say() {
    let (joint, config) = (joint(), config());
    let mut trainer = trainer(&joint, &config, None);
    for (rank, value) in [(3, 1.0 / 3.0), (2, 0.5), (1, 1.0)] {
        let judgement = judge_at(&mut trainer, rank);
        assert_eq!((judgement.value, judgement.is_best), (value, true));
        assert_eq!(judgement.graphs["parts"].mr, f64::from(rank));
        assert_eq!(judgement.graphs["parts"].count, 1);
    }
    assert!(!judge_at(&mut trainer, 1).is_best, "as good is not better");
    let mut hits = config.clone();
    hits.validation.metric = Metric::HitsAt1;
    let mut trainer = self::trainer(&joint, &hits, None);
    assert_eq!([3, 2, 1].map(|rank| judge_at(&mut trainer, rank).value), [0.0, 0.0, 1.0]);
    hits.validation.metric = Metric::HitsAt3;
    let mut trainer = self::trainer(&joint, &hits, None);
    assert_eq!([3, 2, 1].map(|rank| judge_at(&mut trainer, rank).value), [1.0, 1.0, 1.0]);
    // The subject too: asked for 0 among those that are not known to lead to 1, which 3 is.
    hits.validation.side = RankedSide::Both;
    hits.validation.metric = Metric::Mrr;
    let mut trainer = self::trainer(&joint, &hits, None);
    // Scores with 1 fixed: its number times the others'. 0 has 1, 1 has 4, 2 has 9: the third.
    assert_eq!(judge_at(&mut trainer, 1).value, (1.0 + 1.0 / 3.0) / 2.0);
    assert_eq!(trainer.judge().graphs["parts"].count, 2);
}

#[test]
fn the_rate_falls_on_a_plateau_and_again_after_as_long() {
    let (joint, mut config) = (joint(), config());
    config.optimizer.patience = 2;
    config.optimizer.plateau_factor = 0.5;
    let mut trainer = trainer(&joint, &config, None);
    // Ranks, and the factor, the judgements since the best, and those since the rate fell.
    let course = [
        (2, 1.0, 0, 0),
        (3, 1.0, 1, 1),
        (2, 0.5, 2, 0),
        (2, 0.5, 3, 1),
        (1, 0.5, 0, 0),
        (1, 0.5, 1, 1),
        (3, 0.25, 2, 0),
        (3, 0.25, 3, 1),
        (3, 0.125, 4, 0),
    ];
    for (at, (rank, factor, since_best, since_plateau)) in course.into_iter().enumerate() {
        trainer.state.step = at as u64 + 1;
        judge_at(&mut trainer, rank);
        let state = &trainer.state;
        assert_eq!(state.rate_factor, factor, "{at}");
        assert_eq!((state.since_best, state.since_plateau), (since_best, since_plateau), "{at}");
    }
    assert_eq!(trainer.state.best, Some((1.0, 5)));
    assert_eq!(trainer.state.ended, None);
}

#[test]
fn learning_ends_when_it_does_not_become_better() {
    let (joint, mut config) = (joint(), config());
    config.validation.patience = 2;
    let mut trainer = trainer(&joint, &config, None);
    for (rank, ended) in [(3, None), (3, None), (2, None), (2, None), (3, Some(End::Patience))] {
        judge_at(&mut trainer, rank);
        assert_eq!(trainer.state.ended, ended);
    }
    assert_eq!(trainer.state.rate_factor, 1.0, "optimizer.patience is 0");
    config.validation.patience = 0;
    let mut trainer = self::trainer(&joint, &config, None);
    (0..20).for_each(|_| drop(judge_at(&mut trainer, 3)));
    assert_eq!((trainer.state.ended, trainer.state.since_best), (None, 19));
}

#[test]
fn learning_ends_with_the_last_step() {
    let (joint, config) = (joint(), config());
    let mut trainer = trainer(&joint, &config, None);
    let mut facts = 0;
    for step in 1..=12 {
        assert_eq!(trainer.state.ended, None);
        facts += trainer.step().unwrap().0;
        assert_eq!(trainer.state.step, step);
    }
    assert_eq!((trainer.state.ended, facts), (Some(End::Epochs), 20));
}

#[test]
fn the_model_is_judged_as_often_as_asked_for() {
    let (joint, mut config) = (joint(), config());
    let judged = |config: &Config, joint: &Joint| {
        let mut trainer = trainer(joint, config, None);
        let is_judged = |step: &u64| {
            trainer.state.step = *step;
            trainer.is_judged_now()
        };
        (0..=12).filter(is_judged).collect::<Vec<u64>>()
    };
    for (every, expected) in [
        (1.0, vec![3, 6, 9, 12]),
        (2.0, vec![6, 12]),
        (0.5, vec![2, 3, 5, 6, 8, 9, 11, 12]),
        (0.0, vec![]),
        (0.1, (1..=12).collect()),
    ] {
        config.validation.every = every;
        assert_eq!(judged(&config, &joint), expected, "{every}");
    }
    let mut nothing = self::joint();
    nothing.graphs[0].facts[Part::Valid as usize] = nothing.graphs[0].facts[Part::Test as usize].clone();
    assert_eq!(judged(&config, &nothing), [0; 0]);
}

#[test]
fn some_of_the_facts_are_judged() {
    let (mut joint, mut config) = (joint(), config());
    joint.graphs[0].facts[Part::Valid as usize] = FactColumns {
        subjects: vec![0, 0, 1, 2, 3].into(),
        relations: vec![0; 5].into(),
        objects: vec![1, 3, 3, 1, 0].into(),
    };
    for (most, count) in [(0, 5), (2, 2), (5, 5), (9, 5)] {
        config.validation.facts = most;
        assert_eq!(trainer(&joint, &config, None).judge().graphs["parts"].count, count);
    }
}

#[test]
fn a_run_that_ended_goes_on_if_there_is_more_to_do() {
    let (joint, mut config) = (joint(), config());
    let ended = |config: &Config, step, end, since_best| {
        let state = State { ended: end, since_best, ..state(step) };
        trainer(&joint, config, Some(state)).state.ended
    };
    assert_eq!(ended(&config, 12, Some(End::Epochs), 0), Some(End::Epochs));
    assert_eq!(ended(&config, 9, Some(End::Epochs), 0), None);
    // Fewer epochs than were seen already: there is no step left.
    assert_eq!(ended(&config, 12, None, 0), Some(End::Epochs));
    assert_eq!(ended(&config, 15, None, 0), Some(End::Epochs));
    assert_eq!(ended(&config, 11, None, 0), None);
    config.validation.patience = 3;
    assert_eq!(ended(&config, 9, Some(End::Patience), 3), Some(End::Patience));
    // With more patience than it had, or without an end to it, it goes on.
    config.validation.patience = 4;
    assert_eq!(ended(&config, 9, Some(End::Patience), 3), None);
    config.validation.patience = 0;
    assert_eq!(ended(&config, 9, Some(End::Patience), 3), None);
    assert_eq!(ended(&config, 12, Some(End::Patience), 3), Some(End::Epochs));
}
