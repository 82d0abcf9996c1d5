//! What do the tests of linkage try things out on? Small linked graphs, and models that were never trained.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::graph::{ByPart, EntityId, Graph, GraphBuilder, Link, Links, Part, Value};
use crate::joint::Joint;
use crate::joint::small_graphs::{Prepared, dice, pick, prepared};
use crate::model::activation::Activation;
use crate::model::aggregate::Aggregator;
use crate::model::entity::Contexts;
use crate::model::parameters::{Parameters, Sizes};

/// With whole numbers as parameters every sum is exact.
pub(crate) const EXACT: Contexts = Contexts {
    own: true,
    neighbourhood: Some(Aggregator::Max),
    attributes: None,
    types: Some(Aggregator::Max),
    attention: false,
    rectified: true,
    activation: Activation::Identity,
};

/// Everything the paper has.
pub(crate) const WHOLE: Contexts = Contexts {
    own: true,
    neighbourhood: Some(Aggregator::Mean),
    attributes: Some(Aggregator::Max),
    types: Some(Aggregator::Mean),
    attention: true,
    rectified: true,
    activation: Activation::Tanh,
};

/// The entity's own vector alone.
pub(crate) const OWN: Contexts =
    Contexts { neighbourhood: None, types: None, activation: Activation::Identity, ..EXACT };

pub(crate) fn parameters(
    joint: &Joint,
    contexts: Contexts,
    seed: u64,
    number: impl Fn(&mut ChaCha8Rng) -> f32,
) -> Parameters<f32> {
    let sizes = Sizes {
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
    };
    let mut parameters = Parameters::zero(sizes, &contexts);
    let dice = &mut dice(seed);
    for (_, table) in parameters.tables_mut() {
        table.iter_mut().for_each(|x| *x = number(dice));
    }
    parameters
}

/// Two graphs with partners in every part. The last entities of each have no facts; some facts join one with itself.
pub(crate) fn linked_graphs(seed: u64) -> Prepared {
    let dice = &mut dice(seed);
    let graphs = ["a", "b"].map(|name| random_graph(dice, name)).into();
    let mut links = Links { first: 0, second: 1, positives: ByPart::default(), negatives: ByPart::default() };
    for at in 0..6 {
        // Numbers follow no order of names, so that any of them will do.
        let link = Link { first: EntityId(at), second: EntityId(7 - at) };
        links.positives.part_mut(Part::ASSIGNED[at as usize % 3]).push(link);
    }
    links.negatives.part_mut(Part::Test).push(Link { first: EntityId(7), second: EntityId(0) });
    prepared(graphs, vec![links], 2)
}

fn random_graph(dice: &mut ChaCha8Rng, name: &str) -> Graph {
    let mut builder = GraphBuilder::default();
    let entity = |dice: &mut ChaCha8Rng| format!("e{}", dice.random_range(0..6));
    for _ in 0..12 {
        let relation = format!("r{}", dice.random_range(0..3));
        builder.fact(Part::Train, &entity(dice), &relation, &entity(dice));
    }
    for at in 0..8 {
        builder.typing(&format!("e{at}"), pick(dice, &["t0", "t1"]));
        builder.attribute(&format!("e{at}"), "name", Value::plain(pick(dice, &["one", "two", "three four"])));
    }
    builder.finish(name)
}
