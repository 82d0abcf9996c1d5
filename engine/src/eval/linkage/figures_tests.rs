//! Are the figures of a part what its pairs say?

use super::test_models::{EXACT, OWN, WHOLE, linked_graphs, parameters};
use super::*;
use crate::config::Share;
use crate::graph::EntityId;
use crate::joint::Joint;
use crate::model::entity::Contexts;
use rand::RngExt;

const QUICK: ClassifierConfig =
    ClassifierConfig { hidden: 8, epochs: 30, batch: 8, rate: 0.01, decay: 0.0, seed: 1 };
const SCORERS: [Scorer; 4] = [
    Scorer::Replacement(Measure::Sigmoid),
    Scorer::Replacement(Measure::Plain),
    Scorer::Cosine,
    Scorer::SecondStage(QUICK),
];

fn link(first: u32, second: u32) -> Link {
    Link { first: EntityId(first), second: EntityId(second) }
}

/// Does something with a random model of linked graphs.
fn with_model(seed: u64, contexts: Contexts, then: impl Fn(&Representations<'_>, &PreparedLinks)) {
    let prepared = linked_graphs(seed);
    let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
    let parameters = parameters(&joint, contexts, seed, |dice| dice.random_range(-1.5..1.5));
    let model = Model { joint: &joint, parameters: &parameters, contexts, leave_partner_out: true };
    let links = &prepared.data.links[0];
    then(&Representations::new(model, [links.first, links.second]), links);
}

#[test]
fn links_worked_by_hand() {
    let pairs =
        [link(0, 0), link(0, 1), link(1, 0), link(1, 2), link(2, 1), link(2, 3), link(3, 3), link(4, 0)];
    let labels = [true, false, false, true, true, false, true, false];
    let scores = [0.9, 0.3, 0.8, 0.6, 0.5, 0.5, 0.4, 1.0];
    // 0 finds its partner, 1 takes another, 2 cannot decide, 3 finds its partner; 4 has none and is not asked.
    let found = written_down(&pairs, &labels, &scores, None);
    assert_eq!((found.precision, found.recall), (0.5, 0.5));
    // From .45 on 3 writes nothing down.
    let found = written_down(&pairs, &labels, &scores, Some(0.45));
    assert_eq!((found.precision, found.recall), (1.0 / 3.0, 0.25));
    assert!((found.f1() - 2.0 / 7.0).abs() < 1e-12);
    let none = written_down(&pairs, &labels, &scores, Some(2.0));
    assert_eq!((none.precision, none.recall, none.f1()), (0.0, 0.0, 0.0));
    assert_eq!(written_down(&[], &[], &[], None).recall, 0.0);
    let broken = written_down(&pairs[..2], &labels[..2], &[f64::NAN, 0.5], None);
    assert_eq!((broken.precision, broken.recall), (0.0, 0.0));
}

#[test]
fn figures_follow_from_scores() {
    for scorer in SCORERS {
        with_model(1, WHOLE, |representations, links| {
            let linkage = Linkage::new(representations, links, scorer, LinkOptions::default());
            for part in Part::ASSIGNED {
                let figures = linkage.figures(part);
                let LabelledPairs { pairs, labels } = LabelledPairs::new(links, part);
                let scores = linkage.scores(&pairs);
                assert_eq!(figures.count, links.positives[part as usize].len());
                assert_eq!(figures.candidates, pairs.len());
                assert!(scores.iter().all(|score| (-1.0..=1.0 + 1e-6).contains(score)), "{scores:?}");
                let curve = Curve::new(&scores, &labels);
                assert_eq!(figures.auprc, curve.average_precision());
                assert_eq!(figures.curve, curve.points);
                let chosen_on = if part == Part::Valid { Part::Train } else { Part::Valid };
                let other = LabelledPairs::new(links, chosen_on);
                let best = Curve::new(&linkage.scores(&other.pairs), &other.labels).best_f1();
                assert_eq!(figures.threshold, best.map(|point| point.threshold));
                // One pair at a time says what all at once do.
                for link in &links.positives[part as usize] {
                    let row = linkage.scores_against_all(&[link.first.0]);
                    assert_eq!(row.len(), representations.count(1));
                    assert!((row[link.second.row()] - linkage.scores(&[*link])[0]).abs() < 1e-6);
                }
                assert_eq!(
                    (figures.among_all.count, figures.among_labelled.count),
                    (figures.count, figures.count)
                );
                assert!(figures.among_labelled.mrr >= figures.among_all.mrr);
                let f1 = Point { threshold: 0.0, precision: figures.precision, recall: figures.recall }.f1();
                assert_eq!(figures.f1, f1);
            }
        });
    }
}

/// Entities that are the same have the same vector, and no others do.
#[test]
fn equal_representations_are_found() {
    for seed in 0..3 {
        let prepared = linked_graphs(seed);
        let links = &prepared.data.links[0];
        let joint = Joint::new(&prepared.data, Share::Names, 8).unwrap();
        let mut parameters = parameters(&joint, OWN, seed, |dice| dice.random_range(0.1..1.0));
        for link in links.positives.iter().flatten() {
            let row = |graph: usize, id: EntityId| (joint.graphs[graph].first + id.0) as usize * 3;
            let from = row(links.first, link.first);
            parameters.entities.copy_within(from..from + 3, row(links.second, link.second));
        }
        let model = Model { joint: &joint, parameters: &parameters, contexts: OWN, leave_partner_out: true };
        let representations = Representations::new(model, [links.first, links.second]);
        let linkage = Linkage::new(&representations, links, Scorer::Cosine, LinkOptions::default());
        let figures = linkage.figures(Part::Test);
        assert!((figures.auprc - 1.0).abs() < 1e-12, "{figures:?}");
        assert_eq!((figures.among_all.hits1, figures.among_all.mrr), (1.0, 1.0));
        // Those without facts have nothing to be found by.
        let replacement = Replacement::new(&representations, Measure::Sigmoid, 0);
        let scores = replacement.pairs(&links.positives[Part::Test as usize]);
        assert!(scores.iter().all(|&score| score == 0.0 || score > 1.0 - 1e-6), "{scores:?}");
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let run = |threads: usize, scorer: Scorer| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = std::sync::Mutex::new(String::new());
        with_model(2, EXACT, |representations, links| {
            let options = LinkOptions { facts: 3, ranked: 1 };
            let figures =
                pool.install(|| Linkage::new(representations, links, scorer, options).figures(Part::Test));
            assert_eq!(figures.among_all.count, 1);
            *found.lock().unwrap() = serde_json::to_string(&figures).unwrap();
        });
        found.into_inner().unwrap()
    };
    for scorer in SCORERS {
        assert_eq!(run(1, scorer), run(3, scorer), "{scorer:?}");
    }
}

#[test]
fn without_labels_there_is_nothing_to_say() {
    let mut data = linked_graphs(1).data;
    (data.links[0].positives, data.links[0].negatives) = Default::default();
    let links = &data.links[0];
    let joint = Joint::new(&data, Share::Names, 8).unwrap();
    let parameters = parameters(&joint, WHOLE, 1, |dice| dice.random_range(-1.0..1.0));
    let model = Model { joint: &joint, parameters: &parameters, contexts: WHOLE, leave_partner_out: true };
    let representations = Representations::new(model, [links.first, links.second]);
    for scorer in SCORERS {
        let linkage = Linkage::new(&representations, links, scorer, LinkOptions::default());
        assert_eq!(linkage.figures(Part::Test), LinkFigures::default());
    }
}
