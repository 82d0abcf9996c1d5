//! Are counts those of one comparison after the other?

use super::*;
use crate::joint::small_graphs::{dice, pick};
use crate::model::measure::Measure;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Questions that own what they are made of.
#[derive(Debug, Default)]
struct Owned {
    width: usize,
    queries: Vec<f32>,
    candidates: Vec<f32>,
    right: Vec<u32>,
    known: Vec<Vec<u32>>,
    corrections: Vec<Vec<Correction>>,
}

impl Owned {
    fn standings(&self) -> Vec<Standing> {
        standings(&Questions {
            width: self.width,
            measure: Measure::Product,
            queries: &self.queries,
            candidates: &self.candidates,
            right: &self.right,
            known: &self.known.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            corrections: &self.corrections.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        })
    }

    /// By the definition.
    fn naively(&self) -> Vec<Standing> {
        let row = |table: &[f32], at: usize| table[at * self.width..(at + 1) * self.width].to_vec();
        let naive = |at: usize| {
            let query = row(&self.queries, at);
            let product = |candidate: u32| -> f32 {
                let vector = row(&self.candidates, candidate as usize);
                query.iter().zip(vector).map(|(a, b)| a * b).sum()
            };
            let corrected = |candidate: u32| self.corrections[at].iter().find(|c| c.candidate == candidate);
            let score = |candidate: u32| corrected(candidate).map_or_else(|| product(candidate), |c| c.score);
            let own = score(self.right[at]);
            let mut standing = Standing::default();
            for candidate in 0..(self.candidates.len() / self.width) as u32 {
                let score = score(candidate);
                let counts =
                    Rank { better: u32::from(own.is_nan() || score > own), equal: u32::from(score == own) };
                if candidate != self.right[at] {
                    standing.raw.add(counts);
                    if !self.known[at].contains(&candidate) {
                        standing.filtered.add(counts);
                    }
                }
            }
            standing
        };
        (0..self.right.len()).map(naive).collect()
    }

    /// Whole numbers, so that sums are exact in any order and many scores are equal; some vectors are not numbers.
    fn random(dice: &mut ChaCha8Rng, count: usize, candidates: usize, width: usize) -> Self {
        let vector = |dice: &mut ChaCha8Rng| -> Vec<f32> {
            let spoiled = dice.random_range(0..20 * width);
            let number = |at: usize, x: i8| if at == spoiled { f32::NAN } else { f32::from(x) };
            (0..width).map(|at| number(at, dice.random_range(-2..=2))).collect()
        };
        let some = |dice: &mut ChaCha8Rng| {
            let most = pick(dice, &[0, 0, 1, 5, 40]);
            let mut ids: Vec<u32> = (0..most).map(|_| dice.random_range(0..candidates as u32)).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let mut owned = Self {
            width,
            queries: (0..count).flat_map(|_| vector(dice)).collect(),
            candidates: (0..candidates).flat_map(|_| vector(dice)).collect(),
            right: (0..count).map(|_| dice.random_range(0..candidates as u32)).collect(),
            ..Default::default()
        };
        for at in 0..count {
            let mut known = some(dice);
            let mut corrected = some(dice);
            for list in [&mut known, &mut corrected] {
                if dice.random() {
                    list.push(owned.right[at]);
                    list.sort_unstable();
                    list.dedup();
                }
            }
            owned.known.push(known);
            let scores = [-3.0, 0.0, 1.0, 4.0, f32::NAN, f32::INFINITY];
            let correction = |candidate| Correction { candidate, score: pick(dice, &scores) };
            owned.corrections.push(corrected.into_iter().map(correction).collect());
        }
        owned
    }
}

#[test]
fn counts_equal_the_definition() {
    let dice = &mut dice(1);
    let (mut ties, mut filtered, mut behind) = (0, 0, 0);
    for _ in 0..120 {
        let count = dice.random_range(0..40);
        let candidates = pick(dice, &[1, 2, 9, 63, 64, 65, 130, 511, 512, 513, 1100]);
        let width = dice.random_range(1..9);
        let owned = Owned::random(dice, count, candidates, width);
        let found = owned.standings();
        assert_eq!(found, owned.naively(), "{count} {candidates} {width}");
        ties += found.iter().filter(|standing| standing.filtered.equal > 0).count();
        filtered += found.iter().filter(|standing| standing.filtered != standing.raw).count();
        behind += found.iter().filter(|standing| standing.raw.better as usize == candidates - 1).count();
    }
    assert!(ties > 500 && filtered > 300 && behind > 50, "{ties} {filtered} {behind}");
}

#[test]
fn blocks_and_groups_of_any_size() {
    for count in [0, 1, 5, 6, 7, 64, 65, 95, 96, 97, 100, 193, 959, 960, 961, 1500] {
        let owned = Owned::random(&mut dice(count as u64), count, 70, 3);
        assert_eq!(owned.standings(), owned.naively(), "{count}");
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut owned = Owned::random(&mut dice(3), 1100, 1300, 5);
    let dice = &mut dice(4);
    owned.candidates.iter_mut().chain(&mut owned.queries).for_each(|x| *x *= dice.random_range(0.5..1.5));
    let count = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| owned.standings())
    };
    let alone = count(1);
    assert!(alone == count(2) && alone == count(4));
}

/// The same vector in several places has the same score, to the last bit, by whatever way products are computed.
#[test]
fn equal_vectors_are_equal_wherever_they_stand() {
    for (width, candidates, count) in [(37, 700, 150), (600, 130, 20), (5, 65, 7), (64, 1, 3)] {
        let dice = &mut dice(width as u64);
        let mut vector = || -> Vec<f32> { (0..width).map(|_| dice.random_range(-1.0..1.0)).collect() };
        let distinct: Vec<Vec<f32>> = (0..5).map(|_| vector()).collect();
        let queries: Vec<Vec<f32>> = (0..count).map(|_| vector()).collect();
        let kinds: Vec<usize> = (0..candidates).map(|_| dice.random_range(0..5)).collect();
        let owned = Owned {
            width,
            queries: queries.concat(),
            candidates: kinds.iter().flat_map(|&kind| distinct[kind].clone()).collect(),
            right: (0..count).map(|_| dice.random_range(0..candidates as u32)).collect(),
            known: vec![Vec::new(); count],
            corrections: vec![Vec::new(); count],
        };
        for ((found, query), &right) in owned.standings().into_iter().zip(&queries).zip(&owned.right) {
            let product = |kind: usize| -> f64 {
                query.iter().zip(&distinct[kind]).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
            };
            let own = kinds[right as usize];
            let better = kinds.iter().filter(|&&kind| kind != own && product(kind) > product(own)).count();
            let equal = kinds.iter().filter(|&&kind| kind == own).count() - 1;
            assert_eq!(found.raw, Rank { better: better as u32, equal: equal as u32 }, "{width}");
            assert_eq!(found.raw, found.filtered);
        }
    }
}

/// One question whose candidates have these scores.
fn one(scores: &[f32], right: u32, known: &[u32]) -> Standing {
    let owned = Owned {
        width: 1,
        queries: vec![1.0],
        candidates: scores.to_vec(),
        right: vec![right],
        known: vec![known.to_vec()],
        corrections: vec![Vec::new()],
    };
    owned.standings()[0]
}

#[test]
fn ranks_worked_by_hand() {
    // Better than .5: .9 and .8, of which .8 is a known answer; equal: another .5.
    let scores = [0.5, 0.9, 0.1, 0.8, 0.5];
    let rank = |better, equal| Rank { better, equal };
    assert_eq!(one(&scores, 0, &[0, 3]), Standing { raw: rank(2, 1), filtered: rank(1, 1) });
    assert_eq!(one(&scores, 0, &[0, 3]).filtered.mean(), 2.5);
    assert_eq!(one(&scores, 1, &[1]).filtered, rank(0, 0));
    assert_eq!(one(&[0.0; 4], 2, &[2]).filtered, rank(0, 3));
    // Zero has no sign here.
    assert_eq!(one(&[0.0, -0.0], 0, &[]).raw, rank(0, 1));
    // What is asked need not be known itself.
    assert_eq!(one(&scores, 0, &[3]).filtered, rank(1, 1));
    // Not a number: behind all, even behind others that are none.
    let none = f32::NAN;
    assert_eq!(one(&[none, 1.0, 2.0, none], 0, &[0, 1]), Standing { raw: rank(3, 0), filtered: rank(2, 0) });
    assert_eq!(one(&[none, 1.0, 2.0], 0, &[]).filtered, rank(2, 0));
    assert_eq!(one(&[1.0, none, 2.0], 0, &[0]).filtered, rank(1, 0));
    assert_eq!(one(&[7.0], 0, &[0]), Standing::default());
}

#[test]
fn a_correction_replaces_the_product() {
    let score = |candidate, score| Correction { candidate, score };
    let mut owned = Owned {
        width: 1,
        queries: vec![1.0],
        candidates: vec![1.0, 2.0, 3.0, 4.0],
        right: vec![1],
        known: vec![vec![3]],
        corrections: vec![vec![score(2, 0.0), score(3, 2.0)]],
    };
    assert_eq!(owned.standings()[0].raw, Rank { better: 0, equal: 1 });
    assert_eq!(owned.standings()[0].filtered, Rank::default());
    owned.corrections = vec![vec![score(1, 0.5)]];
    assert_eq!(owned.standings()[0].raw, Rank { better: 3, equal: 0 });
}

/// A question that is right, but for what a test spoils.
fn spoiled(spoil: impl Fn(&mut Owned)) -> Vec<Standing> {
    let mut owned = Owned::random(&mut dice(5), 2, 10, 3);
    spoil(&mut owned);
    owned.standings()
}

#[test]
#[should_panic(expected = "the right answer is a candidate")]
fn a_right_answer_that_is_not_there_is_refused() {
    spoiled(|owned| owned.right[1] = 10);
}

#[test]
#[should_panic(expected = "known answers are sorted, and candidates")]
fn known_answers_out_of_order_are_refused() {
    spoiled(|owned| owned.known[0] = vec![3, 2]);
}

#[test]
#[should_panic(expected = "corrections are sorted, and of candidates")]
fn corrections_of_nobody_are_refused() {
    spoiled(|owned| owned.corrections[1] = vec![Correction { candidate: 10, score: 0.0 }]);
}

#[test]
#[should_panic(expected = "one list for each question")]
fn missing_lists_are_refused() {
    spoiled(|owned| owned.known.truncate(1));
}

#[test]
#[should_panic(expected = "one query for each question")]
fn missing_queries_are_refused() {
    spoiled(|owned| owned.queries.truncate(4));
}
