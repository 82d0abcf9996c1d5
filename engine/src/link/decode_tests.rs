use super::*;
use proptest::prelude::*;

const EASY: Sinkhorn = Sinkhorn { temperature: 0.5, unmatched: f32::NEG_INFINITY, turns: 5 };

fn scored(pairs: &[(u32, u32, f32)]) -> Vec<Scored> {
    pairs.iter().map(|&(first, second, score)| Scored { first, second, score }).collect()
}

/// Pairs of some 6 × 8 entities, each once, in any order.
fn some_pairs() -> impl Strategy<Value = Vec<Scored>> {
    let pairs = prop::collection::btree_map((0..6u32, 0..8u32), -4..=4i8, 0..30);
    pairs
        .prop_map(|pairs| {
            pairs
                .into_iter()
                .map(|((first, second), score)| Scored { first, second, score: f32::from(score) / 4.0 })
                .collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// By the equations, over all pairs; those that are not listed have K = 0.
fn dense_shares(config: Sinkhorn, pairs: &[Scored]) -> Vec<f64> {
    let temperature = f64::from(config.temperature);
    let mut k = [[0.0; 8]; 6];
    pairs
        .iter()
        .for_each(|p| k[p.first as usize][p.second as usize] = (f64::from(p.score) / temperature).exp());
    let beta = (f64::from(config.unmatched) / 2.0 / temperature).exp();
    let (mut u, mut v) = ([1.0; 6], [1.0; 8]);
    let inverse = |sum: f64| if sum > 0.0 { 1.0 / sum } else { 0.0 };
    for _ in 0..config.turns {
        for i in 0..6 {
            u[i] = inverse((0..8).map(|j| k[i][j] * v[j]).sum::<f64>() + beta);
        }
        for j in 0..8 {
            v[j] = inverse((0..6).map(|i| k[i][j] * u[i]).sum::<f64>() + beta);
        }
    }
    let share =
        |p: &Scored| u[p.first as usize] * k[p.first as usize][p.second as usize] * v[p.second as usize];
    pairs.iter().map(share).collect()
}

proptest! {
    #[test]
    fn shares_are_those_of_the_equations(pairs in some_pairs(), unmatched in prop::option::of(-4..4i8)) {
        let unmatched = unmatched.map_or(f32::NEG_INFINITY, |score| f32::from(score) / 4.0);
        let config = Sinkhorn { unmatched, ..EASY };
        let found = config.shares([6, 8], &pairs);
        prop_assert_eq!(found.len(), pairs.len());
        for (found, expected) in found.iter().zip(dense_shares(config, &pairs)) {
            prop_assert!((f64::from(*found) - expected).abs() < 1e-6, "{} {}", found, expected);
        }
    }

    #[test]
    fn one_to_one_links_share_no_entity_and_leave_no_free_pair(pairs in some_pairs(), least in -4..4i8) {
        let least = f32::from(least) / 4.0;
        let links = one_to_one([6, 8], &pairs, least);
        let firsts: std::collections::BTreeSet<u32> = links.iter().map(|link| link.first).collect();
        let seconds: std::collections::BTreeSet<u32> = links.iter().map(|link| link.second).collect();
        prop_assert_eq!((firsts.len(), seconds.len()), (links.len(), links.len()));
        prop_assert!(links.iter().all(|link| link.score >= least && pairs.contains(link)));
        prop_assert!(links.is_sorted_by_key(|link| link.first));
        for pair in pairs.iter().filter(|pair| pair.score >= least) {
            // Whoever was passed over lost to a pair that is at least as good.
            let won = links.iter().any(|link| {
                (link.first == pair.first || link.second == pair.second) && link.score >= pair.score
            });
            prop_assert!(won, "{:?} is free", pair);
        }
    }

    #[test]
    fn many_to_one_links_are_the_best_of_each(pairs in some_pairs(), least in -4..4i8) {
        let least = f32::from(least) / 4.0;
        let links = many_to_one(&pairs, least);
        for first in 0..6 {
            let scores = pairs.iter().filter(|pair| pair.first == first && pair.score >= least).map(|pair| pair.score);
            let found: Vec<f32> = links.iter().filter(|link| link.first == first).map(|link| link.score).collect();
            prop_assert_eq!(found, scores.reduce(f32::max).into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn links_do_not_depend_on_the_order_of_pairs(pairs in some_pairs()) {
        let mut turned = pairs.clone();
        turned.reverse();
        prop_assert_eq!(one_to_one([6, 8], &pairs, -9.0), one_to_one([6, 8], &turned, -9.0));
        prop_assert_eq!(many_to_one(&pairs, -9.0), many_to_one(&turned, -9.0));
    }
}

#[test]
fn who_has_a_second_choice_gives_way() {
    // The first likes 0 a little more than 1; the second can only have 0.
    let pairs = scored(&[(0, 0, 0.55), (0, 1, 0.5), (1, 0, 0.5)]);
    let shares = Sinkhorn { temperature: 0.05, turns: 200, ..EASY }.shares([2, 2], &pairs);
    assert!(shares[1] > 0.9 && shares[2] > 0.9 && shares[0] < 0.1, "{shares:?}");
    // Without competition the greedy choice is another one.
    assert_eq!(one_to_one([2, 2], &pairs, 0.0), scored(&[(0, 0, 0.55)]));
    assert_eq!(many_to_one(&pairs, 0.0), scored(&[(0, 0, 0.55), (1, 0, 0.5)]));
}

#[test]
fn a_lone_pair_at_the_limit_is_about_as_likely_as_none() {
    let config = Sinkhorn { temperature: 0.1, unmatched: 0.3, turns: 100 };
    let share = |score: f32| config.shares([1, 1], &scored(&[(0, 0, score)]))[0];
    assert!((share(0.3) - (3.0 - 5f32.sqrt()) / 2.0).abs() < 1e-4);
    assert!(share(1.0) > 0.95 && share(-0.4) < 0.05);
}

#[test]
fn far_scores_are_no_trouble_and_what_is_no_number_is_no_link() {
    let pairs = scored(&[(0, 0, 1e9), (0, 1, -1e9), (1, 1, 0.0)]);
    let shares = EASY.shares([3, 3], &pairs);
    assert!(shares.iter().all(|share| share.is_finite()) && shares[0] > 0.99, "{shares:?}");
    assert!(EASY.shares([0, 0], &[]).is_empty());
    assert!(one_to_one([1, 1], &scored(&[(0, 0, f32::NAN)]), f32::NEG_INFINITY).is_empty());
}

#[test]
fn shares_have_the_same_bits_on_any_number_of_threads() {
    let pairs: Vec<Scored> = (0..20_000u32)
        .map(|at| Scored { first: at % 997, second: at * 7 % 1009, score: (at % 83) as f32 / 83.0 })
        .collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Sinkhorn { unmatched: 0.2, ..EASY }.shares([997, 1009], &pairs))
    };
    assert_eq!(run(1), run(2));
    assert_eq!(run(1), run(4));
}
