//! What do tests try things out on? Small random graphs, prepared as files would be, and random choices.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use super::{Joint, Parts};
use crate::clean::CleanConfig;
use crate::config::{
    Aggregation, Config, Corrupt, KnownFacts, LeaveOut, LinkageEnds, LinkageGraphs, LinkageNegatives,
    MissingLabel, NegativeKind, Share,
};
use crate::dataset::{Dataset, Material, NegativeConfig, PrepareConfig, Skipped, WalkConfig, prepare};
use crate::graph::{ByPart, EntityId, Graph, GraphBuilder, Link, Links, Part, Value};
use crate::io::staging::{Replace, Staging};
use crate::progress::Silent;

/// Which labels there are between graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Labelled {
    /// None.
    Not,
    /// Given negatives alone.
    OnlyNegatives,
    /// Given ones of both kinds, and drawn negatives.
    Both,
}

/// A prepared folder that goes when this does.
pub(crate) struct Prepared {
    pub(crate) data: Dataset,
    _home: TempDir,
}

pub(crate) fn dice(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// One of some choices.
pub(crate) fn pick<T: Copy>(dice: &mut ChaCha8Rng, choices: &[T]) -> T {
    choices[dice.random_range(0..choices.len())]
}

/// Prepares graphs as they are: nothing is cleaned or divided.
pub(crate) fn prepared(graphs: Vec<Graph>, links: Vec<Links>, negatives: usize) -> Prepared {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data");
    let config = PrepareConfig {
        walks: WalkConfig { count: 3, length: 2 },
        negatives: NegativeConfig { same_type: negatives, other_type: negatives },
        ..Default::default()
    };
    let material = Material {
        graphs,
        links,
        clean: CleanConfig::default(),
        cleaning: Vec::new(),
        sources: Vec::new(),
        skipped: Skipped::default(),
    };
    prepare(material, &config, Staging::begin(&path, Replace::Never).unwrap(), &Silent).unwrap();
    Prepared { data: Dataset::open(&path).unwrap(), _home: home }
}

/// So many random graphs, and labels between them.
pub(crate) fn random_data(seed: u64, graphs: usize, labelled: Labelled) -> Prepared {
    let dice = &mut dice(seed);
    let graphs: Vec<Graph> = (0..graphs).map(|number| random_graph(dice, number)).collect();
    let mut links = Vec::new();
    for second in 0..graphs.len() {
        for first in 0..second {
            // Some pairs are given the other way round, and some not at all.
            let (first, second) = if dice.random() { (first, second) } else { (second, first) };
            if labelled != Labelled::Not && dice.random_range(0..5) > 0 {
                links.push(random_links(dice, &graphs, first, second, labelled));
            }
        }
    }
    prepared(graphs, links, if labelled == Labelled::Both { 2 } else { 0 })
}

fn random_part(dice: &mut ChaCha8Rng) -> Part {
    pick(dice, &[Part::Train, Part::Train, Part::Train, Part::Valid, Part::Test])
}

/// A few entities with a few facts; some are their own neighbours, some have no type, no name or no fact.
fn random_graph(dice: &mut ChaCha8Rng, number: usize) -> Graph {
    let mut builder = GraphBuilder::default();
    let entities = pick(dice, &[1, 2, 3, 5, 8, 12]);
    // Names are partly those of other graphs.
    let relations: Vec<String> = (0..3).map(|at| format!("r{}", at + number)).collect();
    let mut facts = std::collections::BTreeSet::new();
    for _ in 0..dice.random_range(1..=3 * entities) {
        let fact = [dice.random_range(0..entities), dice.random_range(0..3), dice.random_range(0..entities)];
        if facts.insert(fact) {
            let [subject, relation, object] = fact;
            let part = if facts.len() == 1 { Part::Train } else { random_part(dice) };
            builder.fact(part, &format!("e{subject}"), &relations[relation], &format!("e{object}"));
        }
    }
    for entity in 0..entities {
        for class in 0..dice.random_range(0..3) {
            builder.typing(&format!("e{entity}"), &format!("t{}", class + number));
        }
        for value in 0..dice.random_range(0..3) {
            let key = pick(dice, &["name", "year", "about"]);
            builder.attribute(&format!("e{entity}"), key, Value::plain(&format!("{value} of {entity}")));
        }
    }
    builder.finish(&format!("graph{number}"))
}

fn random_links(
    dice: &mut ChaCha8Rng,
    graphs: &[Graph],
    first: usize,
    second: usize,
    labelled: Labelled,
) -> Links {
    let counts = [first, second].map(|number| graphs[number].entities.len() as u32);
    let mut links = Links { first, second, positives: ByPart::default(), negatives: ByPart::default() };
    for _ in 0..dice.random_range(1..=8) {
        let [first, second] = counts.map(|count| EntityId(dice.random_range(0..count)));
        let is_positive = labelled == Labelled::Both && dice.random();
        let labels = if is_positive { &mut links.positives } else { &mut links.negatives };
        labels.part_mut(random_part(dice)).push(Link { first, second });
    }
    links
}

/// One random graph that was never in a file, linked with itself.
pub(crate) fn random_parts(seed: u64, entities: u32, facts: usize) -> Joint {
    let dice = &mut dice(seed);
    let mut some = |most: usize| {
        let mut ids: Vec<u32> =
            (0..dice.random_range(0..=most)).map(|_| dice.random_range(0..entities)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let mut neighbourhoods: Vec<Vec<u32>> = (0..entities).map(|_| some(4)).collect();
    neighbourhoods.iter_mut().enumerate().for_each(|(own, ids)| ids.retain(|&id| id != own as u32));
    let negatives: Vec<Vec<u32>> = (0..entities).map(|_| some(4)).collect();
    let entity = |dice: &mut ChaCha8Rng| dice.random_range(0..entities);
    Joint::of_parts(Parts {
        counts: [3, 2, 2],
        facts: (0..facts).map(|_| [entity(dice), dice.random_range(0..3), entity(dice)]).collect(),
        neighbourhoods,
        relation_types: vec![vec![0, 1], vec![1], vec![]],
        attributes: (0..entities).map(|_| (0..dice.random_range(0..3)).collect()).collect(),
        attribute_values: vec![(0, vec![(0, 1.0), (2, -1.0)]), (1, vec![(1, 2.0)])],
        partners: negatives
            .into_iter()
            .map(|ids| (dice.random::<bool>().then(|| entity(dice)), ids))
            .collect(),
    })
}

/// Random choices about what a step looks at; they go together.
pub(crate) fn random_config(seed: u64) -> Config {
    let dice = &mut dice(seed);
    let mut config = Config::preset("paper").unwrap();
    config.seed = seed;
    config.model.share = pick(dice, &[Share::Names, Share::Nothing]);
    config.contexts.neighbourhood = pick(dice, &[Aggregation::Mean, Aggregation::Max, Aggregation::Off]);
    config.contexts.leave_partner_out =
        [LeaveOut::Always, LeaveOut::Always, LeaveOut::Right, LeaveOut::Never][dice.random_range(0..4)];
    config.contexts.neighbours = pick(dice, &[0, 0, 1, 2]);
    let negatives = &mut config.negatives;
    negatives.kind = pick(dice, &[NegativeKind::Independent, NegativeKind::Shared, NegativeKind::All]);
    negatives.count = dice.random_range(1..=6);
    negatives.corrupt = pick(dice, &[Corrupt::Either, Corrupt::Head, Corrupt::Tail, Corrupt::Both]);
    negatives.by_type = if negatives.kind == NegativeKind::All { 0.0 } else { pick(dice, &[0.0, 0.5, 1.0]) };
    negatives.chunk = pick(dice, &[0, 1, 3]);
    negatives.known = pick(dice, &[KnownFacts::LeftOut, KnownFacts::Kept]);
    negatives.itself = dice.random();
    let linkage = &mut config.linkage;
    linkage.on = dice.random_range(0..5) > 0;
    linkage.ends = pick(dice, &[LinkageEnds::Both, LinkageEnds::Head, LinkageEnds::Tail]);
    linkage.graphs = pick(dice, &[LinkageGraphs::All, LinkageGraphs::One]);
    linkage.missing = pick(dice, &[MissingLabel::Original, MissingLabel::Skip]);
    linkage.negatives = match config.negatives.kind {
        NegativeKind::Shared => pick(dice, &[LinkageNegatives::Labels, LinkageNegatives::Shared]),
        NegativeKind::Independent | NegativeKind::All => LinkageNegatives::Labels,
    };
    linkage.count = pick(dice, &[1, 3, 20]);
    linkage.alignment = pick(dice, &[0.0, 1.0]);
    config.training.batch = pick(dice, &[1, 3, 7, 40, 100]);
    config.check().unwrap();
    config
}
