//! Does the network compute what it says, and does it learn?

use super::*;
use crate::joint::small_graphs::dice;

/// Numbers between -1 and 1 that follow from the seed.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let dice = &mut dice(seed);
    (0..count).map(|_| dice.random_range(-1.0..1.0)).collect()
}

/// The mean loss of all rows, from its definition.
fn loss(weights: &[f64], rows: &[f64], width: usize, hidden: usize, labels: &[bool]) -> f64 {
    let probability = |row: &[f64]| {
        let mut logit = weights[hidden * (width + 2)];
        for unit in 0..hidden {
            let own = &weights[unit * width..(unit + 1) * width];
            let sum: f64 =
                own.iter().zip(row).map(|(w, x)| w * x).sum::<f64>() + weights[hidden * width + unit];
            logit += sum.max(0.0) * weights[hidden * (width + 1) + unit];
        }
        1.0 / (1.0 + (-logit).exp())
    };
    let each = rows.chunks(width).zip(labels).map(|(row, &label)| match label {
        true => -probability(row).ln(),
        false => -(1.0 - probability(row)).ln(),
    });
    each.sum::<f64>() / labels.len() as f64
}

#[test]
fn gradients_agree_with_finite_differences() {
    // More pairs than one piece.
    for (width, hidden, count) in [(3, 4, 2 * PIECE + 5), (1, 1, 1), (5, 2, PIECE)] {
        let rows = numbers(count * width, 7);
        let labels: Vec<bool> = numbers(count, 8).iter().map(|x| *x > 0.3).collect();
        let table = Table { numbers: &rows, width };
        let standard = Standard::new(&table);
        let mut scaled = rows.clone();
        scaled.chunks_mut(width).for_each(|row| standard.apply(row));
        let network = Network { width, hidden, weights: numbers(hidden * (width + 2) + 1, 9) };
        let pairs: Vec<usize> = (0..count).collect();
        let gradient = network.gradient(&table, &standard, &pairs, &labels);
        const STEP: f64 = 1e-5;
        for (at, &found) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut weights = network.weights.clone();
                weights[at] += by;
                loss(&weights, &scaled, width, hidden, &labels)
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            assert!((found - expected).abs() < 1e-5 * expected.abs().max(0.01), "{at}: {found} {expected}");
        }
    }
}

#[test]
fn first_weights_follow_from_the_seed() {
    let first = |seed: u64| Network::<f64>::first(3, 4, &Dice::new(seed, "second stage", "")).weights;
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
    // b₁ and b₂ are 0, all else is not.
    let is_zero: Vec<usize> = (0..21).filter(|&at| first(1)[at] == 0.0).collect();
    assert_eq!(is_zero, [12, 13, 14, 15, 20]);
}

/// Same sign or not: no single feature says anything, and no line divides them. The third feature is far off scale.
fn signs(count: usize, seed: u64) -> (Vec<f64>, Vec<bool>) {
    let places = numbers(2 * count, seed);
    let rows = places.chunks(2).flat_map(|at| [1000.0 + 50.0 * at[0], 0.01 * at[1], 3.0]).collect();
    (rows, places.chunks(2).map(|at| at[0] * at[1] > 0.0).collect())
}

#[test]
fn it_learns_what_no_line_divides() {
    let config =
        ClassifierConfig { hidden: 16, epochs: 60, batch: 32, rate: 0.02, seed: 3, ..Default::default() };
    let (rows, labels) = signs(600, 1);
    let classifier = Classifier::train(&rows, 3, &labels, config);
    let (rows, labels) = signs(300, 2);
    let found = classifier.probability(&rows);
    let right = found.iter().zip(&labels).filter(|(p, label)| (**p > 0.5) == **label).count();
    assert!(right > 280, "{right} of 300");
    assert!(found.iter().all(|p| (0.0..=1.0).contains(p)));
}

#[test]
fn the_bits_follow_from_the_seed_on_any_threads() {
    let (rows, labels) = signs(500, 4);
    let rows: Vec<f32> = rows.into_iter().map(|x| x as f32).collect();
    let run = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let config = ClassifierConfig { epochs: 3, seed, ..Default::default() };
        let found = pool.install(|| Classifier::train(&rows, 3, &labels, config).probability(&rows));
        found.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(run(1, 5), run(3, 5));
    assert_ne!(run(1, 5), run(1, 6));
}

#[test]
fn without_labels_it_does_not_know() {
    let classifier = Classifier::<f64>::train(&[], 2, &[], ClassifierConfig::default());
    assert_eq!(classifier.probability(&[1.0, -5.0, 3.0, 2.0]), [0.5, 0.5]);
    assert!(classifier.probability(&[]).is_empty());
}

#[test]
fn choices_that_make_no_sense_do_no_harm() {
    let (rows, labels) = signs(10, 4);
    let config = ClassifierConfig { hidden: 0, epochs: 1, batch: 0, ..Default::default() };
    let found = Classifier::train(&rows, 3, &labels, config).probability(&rows);
    assert!(found.iter().all(|p| p.is_finite()), "{found:?}");
}
