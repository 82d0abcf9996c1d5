//! Every link has one outcome, its reasons add up, and its place is the one that figures count.

use super::*;
use crate::joint::small_graphs::{Labelled, random_data};
use crate::link::{LinkConfig, Pair, find};
use crate::progress::Silent;

/// Calls `look` with random data whose training links are not learned from.
fn each(mut look: impl FnMut(&Dataset, &PreparedLinks, &Found)) {
    for seed in 0..30 {
        let prepared = random_data(seed, 2, Labelled::Both);
        for links in prepared.data.links.iter().filter(|links| !links.positives[0].is_empty()) {
            let pair = Pair::new(&prepared.data, [links.first, links.second], Vec::new());
            look(&prepared.data, links, &find(&pair, &LinkConfig::default(), &Silent).unwrap());
        }
    }
}

#[test]
fn every_link_of_the_part_has_one_outcome() {
    let mut counts = [0; 3];
    each(|_, links, found| {
        let Outcomes { right, mistaken, missed } = Outcomes::of(found, &links.positives[0]);
        let lists = [right, mistaken, missed];
        for list in &lists {
            assert!(list.windows(2).all(|pair| pair[0].1 >= pair[1].1), "the likeliest come first");
        }
        let has = |list: usize, first| lists[list].iter().any(|(link, _)| link.first == first);
        for link in &links.positives[0] {
            let is_linked = has(0, link.first) || has(1, link.first);
            assert_ne!(is_linked, has(2, link.first), "{link:?}");
        }
        lists.iter().zip(&mut counts).for_each(|(list, count)| *count += list.len());
    });
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

#[test]
fn reasons_add_up_to_the_probability() {
    let (mut told, mut silent) = (0, 0);
    each(|data, links, found| {
        let (right, wrong) = examples(data, links, found, Part::Train);
        for example in right.iter().chain(&wrong) {
            match &example.reasons {
                Some(reasons) => {
                    let probability = 1.0 / (1.0 + (-reasons.log_odds()).exp());
                    assert!((probability - example.probability).abs() < 1e-4, "{example:?}");
                    assert!(reasons.parts.windows(2).all(|pair| pair[0].1.abs() >= pair[1].1.abs()));
                    assert!(reasons.parts.iter().all(|part| part.1 != 0.0));
                    told += 1;
                }
                None => {
                    let place = example.standing.as_ref().and_then(|standing| standing.place);
                    assert_eq!((example.outcome, example.probability, place), (Outcome::Missed, 0.0, None));
                    assert_eq!(example.why, NO_CANDIDATE);
                    silent += 1;
                }
            }
        }
    });
    assert!(told > 10 && silent > 0, "{told} {silent}");
}

#[test]
fn places_are_those_that_figures_count() {
    let mut compared = 0;
    each(|data, links, found| {
        let places = links.positives[0].iter().map(|link| place_of(found, link.first.0, link.second.0));
        let Some(places) = places.collect::<Option<Vec<f64>>>() else { return };
        let seconds = data.graphs[links.second].entities.len();
        let expected = found.figures(links, Part::Train, seconds).among_all;
        let mrr = places.iter().map(|place| 1.0 / place).sum::<f64>() / places.len() as f64;
        assert!((mrr - expected.mrr).abs() < 1e-12, "{places:?} {expected:?}");
        compared += 1;
    });
    assert!(compared > 0, "no link has only candidates");
}

#[test]
fn a_few_are_chosen_evenly() {
    assert_eq!(evenly((0..10).collect(), 3), [0, 4, 8]);
    assert_eq!(evenly(vec![1, 2], 3), [1, 2]);
    assert_eq!(evenly(Vec::<u8>::new(), 3), [] as [u8; 0]);
    assert!((0..60).all(|count| evenly((0..count).collect(), 7).len() <= 7));
}
