//! Ranks against the definition: all scores of all candidates.

use super::*;
use crate::config::Share;
use crate::graph::{EntityId, Part};
use crate::joint::small_graphs::{Labelled, random_data};
use crate::model::finite_differences::numbers;
use crate::model::measure::Measure;
use crate::model::parameters::Sizes;
use crate::progress::Silent;

const KINDS: [Kind; 9] = [
    Kind::Rescal,
    Kind::DistMult,
    Kind::ComplEx,
    Kind::TransE(Measure::L1),
    Kind::TransE(Measure::L2),
    Kind::RotatE,
    Kind::STransE(Measure::L1),
    Kind::STransE(Measure::L2),
    Kind::Gake,
];
const D: usize = 4;

fn random_parameters(kind: Kind, joint: &Joint, both: usize, seed: u64) -> Parameters<f32> {
    let sizes = Sizes {
        entities: joint.entities(),
        relations: both * joint.relations.len(),
        types: 0,
        keys: 0,
        features: 0,
        entity: kind.entity_width(D),
        relation: kind.relation_width(D),
        class: 0,
        attribute: 0,
        hidden: D,
    };
    let mut parameters = Parameters::vectors(sizes);
    for (at, (_, table)) in parameters.tables_mut().into_iter().enumerate() {
        let drawn = numbers(table.len(), seed + at as u64);
        table.iter_mut().zip(drawn).for_each(|(x, drawn)| *x = drawn as f32);
    }
    parameters
}

/// The score of a fact, by query and answer.
fn score(ranker: &VectorRanker<'_>, kind: Kind, graph: usize, fact: &Fact, side: RankSide) -> f32 {
    let (fixed, answer) = side.ends(fact);
    let Sizes { relations, relation: v, .. } = ranker.parameters.sizes;
    let (all, own) =
        (ranker.joint.relations.len(), ranker.joint.relations.of(graph, fact.relation.0) as usize);
    // Those for asking backwards are behind the others.
    let (at, direction) = match side {
        RankSide::Tail => (own, Direction::Forth),
        RankSide::Head if relations == 2 * all => (all + own, Direction::Forth),
        RankSide::Head => (own, Direction::Back),
    };
    let relation = &ranker.parameters.relations[at * v..(at + 1) * v];
    let w = kind.entity_width(D);
    let row = |entity: u32| &ranker.entities(graph)[entity as usize * w..(entity as usize + 1) * w];
    let (mut query, mut moved) = (vec![0.0; w], vec![0.0; w]);
    kind.query(direction, row(fixed), relation, &mut query);
    kind.moved(direction, row(answer), relation, &mut moved);
    kind.measure().of(&query, &moved)
}

#[test]
fn places_are_those_of_the_sorted_scores() {
    let mut asked_about = 0;
    for seed in 0..30 {
        let prepared = random_data(seed, 2, Labelled::Not);
        let joint = Joint::new(&prepared.data, Share::Nothing, 8).unwrap();
        for kind in KINDS {
            let parameters = random_parameters(kind, &joint, 1 + seed as usize % 2, seed);
            let mut ranker = VectorRanker::new(&joint, &parameters, kind);
            for graph in 0..2 {
                let facts: Vec<Fact> = joint.graphs[graph].facts[Part::Train as usize].iter().collect();
                for side in [RankSide::Tail, RankSide::Head] {
                    let found = ranker.standings(graph, &facts, side, &Silent);
                    for (fact, found) in facts.iter().zip(found) {
                        asked_about += 1;
                        check(&ranker, kind, graph, fact, side, found);
                    }
                }
            }
        }
    }
    assert!(asked_about > 3000, "{asked_about}");
}

/// Scores of blocks and of single pairs are summed in another order: what is nearly equal may stand on either side.
fn check(ranker: &VectorRanker<'_>, kind: Kind, graph: usize, fact: &Fact, side: RankSide, found: Standing) {
    const NEAR: f32 = 1e-4;
    let joined = &ranker.joint.graphs[graph];
    let own = score(ranker, kind, graph, fact, side);
    let with = |entity: u32| match side {
        RankSide::Tail => Fact { object: EntityId(entity), ..*fact },
        RankSide::Head => Fact { subject: EntityId(entity), ..*fact },
    };
    let is_known = |fact: &Fact| joined.facts.iter().any(|part| part.iter().any(|known| known == *fact));
    let (mut raw, mut filtered) = ([0, 0], [0, 0]);
    for other in (0..joined.entities).map(with).filter(|other| other != fact) {
        let its = score(ranker, kind, graph, &other, side);
        let ahead = [u32::from(its > own + NEAR), u32::from(its > own - NEAR)];
        (0..2).for_each(|at| raw[at] += ahead[at]);
        if !is_known(&other) {
            (0..2).for_each(|at| filtered[at] += ahead[at]);
        }
    }
    for (found, [least, most]) in [(found.raw, raw), (found.filtered, filtered)] {
        assert!(
            least <= found.better && found.better + found.equal <= most,
            "{kind:?} {found:?} {least} {most}"
        );
    }
}
