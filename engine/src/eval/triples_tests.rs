//! Are figures those that one counts by hand?

use std::sync::Mutex;

use super::*;
use crate::config::Share;
use crate::dataset::FactColumns;
use crate::eval::Ranker;
use crate::graph::{EntityId, RelationId};
use crate::joint::small_graphs::{Labelled, dice, random_data};
use crate::joint::{Joint, Parts};
use crate::model::activation::Activation;
use crate::model::aggregate::Aggregator;
use crate::model::entity::Contexts;
use crate::model::parameters::{Parameters, Sizes};
use crate::progress::Silent;
use rand::RngExt;

fn fact([subject, relation, object]: [u32; 3]) -> Fact {
    Fact { subject: EntityId(subject), relation: RelationId(relation), object: EntityId(object) }
}

fn standing(raw: u32, filtered: u32) -> Standing {
    let rank = |place: u32| Rank { better: place - 1, equal: 0 };
    Standing { raw: rank(raw), filtered: rank(filtered) }
}

/// One graph of so many entities with these training facts.
fn graph(entities: usize, facts: Vec<[u32; 3]>) -> Joint {
    Joint::of_parts(Parts {
        counts: [4, 0, 0],
        facts,
        neighbourhoods: vec![Vec::new(); entities],
        relation_types: vec![Vec::new(); 4],
        attributes: vec![Vec::new(); entities],
        attribute_values: Vec::new(),
        partners: vec![(None, Vec::new()); entities],
    })
}

#[test]
fn figures_worked_by_hand() {
    // Relation 0 is 1-1, 1 is 1-N, 3 has no training facts. 6 and 7 are in no training fact.
    let joint = graph(8, vec![[0, 0, 1], [2, 0, 3], [0, 1, 4], [0, 1, 5]]);
    let facts = [[0, 0, 3], [6, 0, 7], [0, 1, 6], [1, 3, 2]].map(fact);
    let tail = [standing(4, 1), standing(8, 8), standing(2, 2), standing(5, 3)];
    let head = [standing(2, 2), standing(8, 7), standing(1, 1), standing(4, 4)];
    let figures = TripleFigures::of(&joint.graphs[0], &facts, &tail, &head);
    assert_eq!(figures.filtered.tail, Metrics::of(&[1.0, 8.0, 2.0, 3.0]));
    assert_eq!(figures.filtered.head, Metrics::of(&[2.0, 7.0, 1.0, 4.0]));
    assert_eq!((figures.filtered.both.count, figures.filtered.both.mr), (8, 28.0 / 8.0));
    assert_eq!(figures.raw.tail, Metrics::of(&[4.0, 8.0, 2.0, 5.0]));
    assert_eq!(figures.raw.head, Metrics::of(&[2.0, 8.0, 1.0, 4.0]));
    // 1 1 | 2 2 3 | 4 7 | 8
    assert_eq!(figures.histogram, [2, 3, 2, 1]);
    assert_eq!(figures.unseen, Unseen { entities: 2, facts: 2 });

    let relation = |relation, category, places: &[f64]| RelationFigures {
        relation,
        category,
        facts: places.len() / 2,
        metrics: Metrics::of(places),
    };
    let expected = [
        relation(0, Some(Category::OneToOne), &[1.0, 8.0, 2.0, 7.0]),
        relation(1, Some(Category::OneToMany), &[2.0, 1.0]),
        relation(3, None, &[3.0, 4.0]),
    ];
    assert_eq!(figures.relations, expected);
    let [one, many, none @ ..] = figures.categories.as_slice() else { panic!("four categories") };
    assert_eq!(
        (one.category, one.relations, one.sides.tail),
        (Category::OneToOne, 1, Metrics::of(&[1.0, 8.0]))
    );
    assert_eq!((one.sides.head, one.sides.both.count), (Metrics::of(&[2.0, 7.0]), 4));
    assert_eq!((many.category, many.sides.both), (Category::OneToMany, Metrics::of(&[2.0, 1.0])));
    assert_eq!(
        none.iter().map(|of| (of.category, of.relations)).collect::<Vec<_>>(),
        [(Category::ManyToOne, 0), (Category::ManyToMany, 0)]
    );
    assert!(none.iter().all(|of| of.sides == Sides::default()));
}

#[test]
fn equals_on_either_way_of_counting() {
    let joint = graph(4, vec![[0, 0, 1]]);
    let tied = Standing { raw: Rank { better: 0, equal: 3 }, filtered: Rank { better: 0, equal: 2 } };
    let figures = TripleFigures::of(&joint.graphs[0], &[fact([0, 0, 2])], &[tied], &[tied]);
    let both = figures.filtered.both;
    assert_eq!([both.best.mr, both.mr, both.worst.mr], [1.0, 2.0, 3.0]);
    let raw = figures.raw.both;
    assert_eq!([raw.best.mr, raw.mr, raw.worst.mr], [1.0, 2.5, 4.0]);
}

/// Keeps what it is told.
#[derive(Default)]
struct Told(Mutex<Vec<(String, u64, u64)>>);

impl Progress for Told {
    fn begin(&self, stage: &str, total: Option<u64>, _: Unit) {
        self.0.lock().unwrap().push((stage.to_owned(), total.unwrap(), 0));
    }
    fn advance(&self, amount: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2 += amount;
    }
    fn end(&self) {}
}

const CONTEXTS: Contexts = Contexts {
    own: true,
    neighbourhood: Some(Aggregator::Mean),
    attributes: None,
    types: None,
    attention: false,
    rectified: true,
    activation: Activation::Tanh,
};

fn parameters(joint: &Joint, seed: u64) -> Parameters<f32> {
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
    let mut parameters = Parameters::zero(sizes, &CONTEXTS);
    let dice = &mut dice(seed);
    let tables = parameters.tables_mut().into_iter();
    tables.for_each(|(_, table)| table.iter_mut().for_each(|x| *x = dice.random_range(-1.0..1.0)));
    parameters
}

#[test]
fn a_part_is_ranked_from_both_sides() {
    let (mut ranked, mut empty) = (0, 0);
    for seed in 0..24 {
        let prepared = random_data(seed, 2, Labelled::Both);
        let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
        let parameters = parameters(&joint, seed);
        let mut ranker = Ranker::new(&joint, &parameters, CONTEXTS, true);
        for (graph, part) in [(0, Part::Valid), (1, Part::Test), (0, Part::Train), (0, Part::Undivided)] {
            let told = Told::default();
            let figures = TripleFigures::rank(&mut ranker, graph, part, &told);
            let joined = &joint.graphs[graph];
            let none: Option<&FactColumns> = None;
            let columns = if part == Part::Undivided { none } else { Some(&joined.facts[part as usize]) };
            let facts: Vec<Fact> = columns.map_or(Vec::new(), |columns| columns.iter().collect());
            let stage = format!("ranking {} facts of {}", part.name(), joined.name);
            let total = 2 * facts.len() as u64;
            assert_eq!(*told.0.lock().unwrap(), [(stage, total, total)]);
            let [tail, head] = [RankSide::Tail, RankSide::Head].map(|side| {
                let standings = ranker.standings(graph, &facts, side, &Silent);
                let means = standings.iter().map(|found| found.filtered.mean()).collect::<Vec<_>>();
                assert_eq!(ranker.rank(graph, &facts, side), means);
                standings
            });
            assert_eq!(figures, TripleFigures::of(joined, &facts, &tail, &head));
            assert_eq!(figures.filtered.tail.count, facts.len());
            assert_eq!(figures.histogram.iter().sum::<u64>(), total);
            ranked += facts.len();
            empty += usize::from(facts.is_empty());
        }
    }
    assert!(ranked > 100 && empty > 24, "{ranked} {empty}");
}
