//! How much does each piece of evidence speak for a pair?
//!
//! Every column is bent into a few signals, and the score of a pair is their weighted sum, in nats:
//!
//! ```text
//! score = w₀ + Σ wᵢ · signalᵢ
//! ```
//!
//! What says nothing adds nothing. The weights are what is generally known about such evidence; where links are known, they
//! move towards what these say (logistic regression that is drawn to the general weights, so that a few labels change
//! little and many change much). A sum has the merit that it can be told to people: what each part added is exact.

use rayon::prelude::*;

use super::{Candidates, Column, Kind};
use crate::model::activation::Activation;

/// One signal: which column it reads, how that is bent, and what it is generally worth.
#[derive(Debug, Clone, Copy)]
struct Signal {
    column: &'static str,
    bend: Bend,
    weight: f32,
}

/// How a column is bent; what is not a number is 0 after it.
#[derive(Debug, Clone, Copy)]
enum Bend {
    /// Within bounds, less something that makes nothing of what is usual.
    Within(f32, f32, f32),
    /// The logarithm of the odds of a share, within bounds.
    Odds(f32),
}

impl Bend {
    /// Whether it is never above 0.
    fn speaks_against(self) -> bool {
        matches!(self, Self::Within(_, most, usual) if most <= usual)
    }

    fn of(self, x: f32) -> f32 {
        if x.is_nan() {
            return 0.0;
        }
        match self {
            Self::Within(least, most, usual) => x.clamp(least, most) - usual,
            Self::Odds(most) => {
                let share = x.clamp(1e-6, 1.0 - 1e-6);
                (share / (1.0 - share)).ln().clamp(-most, most)
            }
        }
    }
}

const SIGNALS: [Signal; 18] = {
    const fn signal(column: &'static str, bend: Bend, weight: f32) -> Signal {
        Signal { column, bend, weight }
    }
    [
        // Two names that have nothing to do with each other share some letters.
        signal("name: likeness", Bend::Within(0.0, 1.0, 0.5), 4.0),
        signal("name: letters", Bend::Within(0.0, 1.0, 0.5), 4.0),
        signal("name: the same", Bend::Within(0.0, 1.0, 0.0), 2.0),
        signal("name: rarity", Bend::Within(-4.0, 0.0, 0.0), 0.5),
        signal("name: words", Bend::Within(0.0, 1.0, 0.5), 0.0),
        signal("values: agree", Bend::Within(0.0, 10.0, 0.0), 0.7),
        signal("values: disagree", Bend::Within(-8.0, 0.0, 0.0), 0.7),
        signal("types", Bend::Within(-4.0, 3.0, 0.0), 1.0),
        signal("neighbours: agree", Bend::Within(0.0, 6.0, 0.0), 1.0),
        signal("neighbours: rare agree", Bend::Within(0.0, 6.0, 0.0), 1.0),
        signal("neighbours: share", Bend::Within(0.0, 1.0, 0.0), 2.0),
        signal("neighbours: linked apart", Bend::Within(-10.0, 0.0, 0.0), 0.3),
        signal("structure share", Bend::Odds(4.0), 0.5),
        signal("structure similarity", Bend::Within(-0.5, 0.5, 0.0), 2.0),
        signal("structure margin", Bend::Within(-0.3, 0.3, 0.0), 1.0),
        signal("model: likeness", Bend::Within(-0.5, 0.5, 0.0), 2.0),
        signal("model: replacement", Bend::Within(-3.0, 3.0, 0.0), 0.2),
        signal("graphs: agree", Bend::Within(0.0, 7.0, 0.0), 2.0),
    ]
};
/// So many signals, the last ones, come from outside the two graphs.
const OUTSIDE: usize = 3;
/// What speaks against any pair: where names are compared, most candidates share no more than letters.
const AGAINST: f32 = -4.0;
/// The same where they are not.
const AGAINST_WITHOUT_NAMES: f32 = -1.0;

/// Weights of all signals.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// w₀.
    pub against: f32,
    /// One for each signal.
    signals: [f32; SIGNALS.len()],
}

impl Default for Weights {
    fn default() -> Self {
        Self { against: AGAINST, signals: SIGNALS.map(|signal| signal.weight) }
    }
}

impl Weights {
    /// What is generally known, if this kind of evidence is looked at.
    pub fn general(kinds: &[Kind]) -> Self {
        let against = if kinds.contains(&Kind::Names) { AGAINST } else { AGAINST_WITHOUT_NAMES };
        // Alone, structure's own competition is all there is.
        let has = |kind: Kind| kinds.contains(&kind);
        let is_alone = !has(Kind::Names) && !has(Kind::Attributes) && !has(Kind::Types);
        let weight = |signal: Signal| match signal.column {
            "structure share" if is_alone => 1.0,
            _ => signal.weight,
        };
        Self { against, signals: SIGNALS.map(weight) }
    }

    /// The milder of each: the larger where a signal can speak for a pair, the smaller where it only speaks against.
    pub(super) fn no_harder_than(&self, other: &Self) -> Self {
        let mut milder = self.clone();
        milder.against = self.against.max(other.against);
        for ((own, &weight), signal) in milder.signals.iter_mut().zip(&other.signals).zip(SIGNALS) {
            *own = if signal.bend.speaks_against() { own.min(weight) } else { own.max(weight) };
        }
        milder
    }

    /// Those of some columns, and no other.
    #[cfg(test)]
    pub(super) fn of_columns(against: f32, weights: &[(&str, f32)]) -> Self {
        let of = |signal: Signal| weights.iter().find(|(column, _)| *column == signal.column);
        Self { against, signals: SIGNALS.map(|signal| of(signal).map_or(0.0, |found| found.1)) }
    }
}

/// Signals of all candidates, a row each.
#[derive(Debug)]
pub struct Signals {
    rows: Vec<[f32; SIGNALS.len()]>,
}

impl Signals {
    /// Nothing is said about any candidate.
    pub(super) fn none(candidates: &Candidates) -> Self {
        Self { rows: vec![[0.0; SIGNALS.len()]; candidates.len()] }
    }

    /// Bends columns, which are about the same candidates in the same order.
    pub fn new(candidates: &Candidates, columns: &[Column]) -> Self {
        let mut own = Self::none(candidates);
        own.put(columns);
        own
    }

    /// Other candidates: who was among the old ones keeps what was said, and nothing is said about the others. Rows move within
    /// the table, which may be most of the memory there is.
    pub(super) fn move_to(&mut self, old: &Candidates, candidates: &Candidates) {
        let mut kept = 0;
        for (at, (first, second)) in old.pairs().enumerate() {
            if candidates.of_entity(first).binary_search(&second).is_ok() {
                self.rows[kept] = self.rows[at];
                kept += 1;
            }
        }
        self.rows.truncate(kept);
        self.rows.resize(candidates.len(), [0.0; SIGNALS.len()]);
        // From the end, so that no row is written over before it has moved.
        for first in (0..candidates.starts.len().saturating_sub(1)).rev() {
            let before = old.of_entity(first as u32);
            for at in (candidates.starts[first]..candidates.starts[first + 1]).rev() {
                self.rows[at] = match before.binary_search(&candidates.seconds[at]) {
                    Ok(_) => {
                        kept -= 1;
                        self.rows[kept]
                    }
                    Err(_) => [0.0; SIGNALS.len()],
                };
            }
        }
    }

    /// Bends columns that are about some of the candidates.
    pub(super) fn put_of(&mut self, candidates: &Candidates, some: &Candidates, columns: &[Column]) {
        let bent: Vec<(usize, Bend, &[f32])> = bent(columns).collect();
        candidates.each_list(&mut self.rows, |first, rows| {
            let mut rest = rows.iter_mut().zip(candidates.of_entity(first));
            for (at, second) in (some.starts[first as usize]..).zip(some.of_entity(first)) {
                let (row, _) = rest.find(|(_, own)| *own == second).expect("some are of the candidates");
                bent.iter().for_each(|(signal, bend, values)| row[*signal] = bend.of(values[at]));
            }
        });
    }

    /// Bends columns in the place of those of the same names.
    pub fn put(&mut self, columns: &[Column]) {
        for (at, bend, values) in bent(columns) {
            let rows = self.rows.par_iter_mut().zip(values).with_min_len(1 << 12);
            rows.for_each(|(row, &value)| row[at] = bend.of(value));
        }
    }

    /// How many signals a candidate has.
    pub(super) const WIDTH: usize = SIGNALS.len();

    /// How many candidates there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The signals of a candidate that come from the two graphs themselves; nothing for the others.
    pub(super) fn inside(&self, at: usize) -> [f32; SIGNALS.len()] {
        let mut row = self.rows[at];
        row[SIGNALS.len() - OUTSIDE..].fill(0.0);
        row
    }

    /// The score of each candidate.
    pub fn scores(&self, weights: &Weights) -> Vec<f32> {
        self.rows.par_iter().map(|row| weights.score(row)).collect()
    }

    /// What each column added to the score of a candidate: the name of the column and the nats.
    pub fn parts(&self, weights: &Weights, at: usize) -> Vec<(&'static str, f32)> {
        let parts = SIGNALS.iter().zip(&weights.signals).zip(&self.rows[at]);
        parts.map(|((signal, weight), x)| (signal.column, weight * x)).collect()
    }
}

/// Which signal each column becomes, and how.
fn bent(columns: &[Column]) -> impl Iterator<Item = (usize, Bend, &[f32])> {
    SIGNALS.iter().enumerate().filter_map(|(at, signal)| {
        let column = columns.iter().find(|column| column.name == signal.column)?;
        Some((at, signal.bend, &column.values[..]))
    })
}

/// A labelled candidate counts so much against the pull of the general weights.
const PULL: f64 = 4.0;
const TURNS: usize = 30;

impl Weights {
    pub(super) fn score(&self, row: &[f32; SIGNALS.len()]) -> f32 {
        self.against + row.iter().zip(&self.signals).map(|(x, weight)| x * weight).sum::<f32>()
    }

    /// Moves towards what labelled candidates say, by Newton's method.
    ///
    /// Minimises Σ ln(1 + exp(∓score)) + PULL/2 · Σ ((w − general) / size)², where `size` is how far a weight may
    /// reasonably be from the general one.
    pub fn learned(&self, signals: &Signals, labelled: &[(usize, bool)]) -> Self {
        let positives = labelled.iter().filter(|(_, same)| *same).count() as f64;
        let negatives = labelled.len() as f64 - positives;
        if positives < 10.0 || negatives < 10.0 {
            return self.clone();
        }
        let general = self.as_array();
        let mut weights = general;
        for _ in 0..TURNS {
            let (mut gradient, mut hessian) = slopes(signals, labelled, &weights);
            for i in 0..N {
                let size = general[i].abs().max(1.0);
                gradient[i] += PULL * (weights[i] - general[i]) / (size * size);
                hessian[i][i] += PULL / (size * size);
            }
            let step = solved(hessian, gradient);
            let longest = step.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            // Far from the minimum a whole step can overshoot.
            let part = if longest > 1.0 { 1.0 / longest } else { 1.0 };
            weights.iter_mut().zip(step).for_each(|(weight, step)| *weight -= part * step);
            if longest < 1e-6 {
                break;
            }
        }
        let mut learned = Self { against: weights[0] as f32, signals: [0.0; SIGNALS.len()] };
        learned.signals.iter_mut().zip(&weights[1..]).for_each(|(own, &weight)| *own = weight as f32);
        learned
    }

    fn as_array(&self) -> [f64; SIGNALS.len() + 1] {
        let mut array = [f64::from(self.against); SIGNALS.len() + 1];
        array[1..].iter_mut().zip(&self.signals).for_each(|(out, &weight)| *out = f64::from(weight));
        array
    }
}

/// w₀ and one weight for each signal.
const N: usize = SIGNALS.len() + 1;
/// So many labelled candidates are one thread's at a time.
const PIECE: usize = 1 << 12;

/// The first derivatives of Σ ln(1 + exp(∓score)), and the second ones below the diagonal. Sums are taken in pieces of a fixed
/// size and added in their order.
fn slopes(signals: &Signals, labelled: &[(usize, bool)], weights: &[f64; N]) -> ([f64; N], Vec<[f64; N]>) {
    let of_piece = |labelled: &[(usize, bool)]| {
        let mut gradient = [0.0; N];
        let mut hessian = vec![[0.0; N]; N];
        for &(at, is_same) in labelled {
            let mut x = [1.0; N];
            x[1..].iter_mut().zip(&signals.rows[at]).for_each(|(x, &signal)| *x = f64::from(signal));
            let score: f64 = weights.iter().zip(&x).map(|(weight, x)| weight * x).sum();
            let p = Activation::Sigmoid.of(score);
            let error = p - f64::from(u8::from(is_same));
            let curve = (p * (1.0 - p)).max(1e-6);
            for i in 0..N {
                gradient[i] += error * x[i];
                for (cell, other) in hessian[i].iter_mut().zip(&x).take(i + 1) {
                    *cell += curve * x[i] * other;
                }
            }
        }
        (gradient, hessian)
    };
    let pieces: Vec<_> = labelled.par_chunks(PIECE).map(of_piece).collect();
    let mut sums = ([0.0; N], vec![[0.0; N]; N]);
    for (gradient, hessian) in pieces {
        sums.0.iter_mut().zip(gradient).for_each(|(sum, x)| *sum += x);
        let rows = sums.1.iter_mut().zip(hessian);
        rows.for_each(|(sums, row)| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
    }
    sums
}

/// Solves a system whose matrix is symmetric and positive, by Cholesky's method; only the part below the diagonal is
/// looked at.
fn solved<const N: usize>(mut matrix: Vec<[f64; N]>, mut right: [f64; N]) -> [f64; N] {
    for i in 0..N {
        for j in 0..=i {
            let sum = (0..j).fold(matrix[i][j], |sum, k| sum - matrix[i][k] * matrix[j][k]);
            matrix[i][j] = if i == j { sum.max(1e-12).sqrt() } else { sum / matrix[j][j] };
        }
        right[i] = (0..i).fold(right[i], |sum, k| sum - matrix[i][k] * right[k]) / matrix[i][i];
    }
    for i in (0..N).rev() {
        right[i] = (i + 1..N).fold(right[i], |sum, k| sum - matrix[k][i] * right[k]) / matrix[i][i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(values: &[f32]) -> (Candidates, Vec<Column>) {
        let candidates = Candidates::of(values.len(), (0..values.len() as u32).map(|at| (at, 0)).collect());
        (candidates, vec![Column { name: "values: agree".to_owned(), values: values.to_vec() }])
    }

    #[test]
    fn scores_are_sums_of_what_parts_add() {
        let (candidates, columns) = columns(&[2.0, f32::NAN, 99.0]);
        let signals = Signals::new(&candidates, &columns);
        let weights = Weights::default();
        let scores = signals.scores(&weights);
        assert!((scores[0] - (AGAINST + 1.4)).abs() < 1e-6);
        assert_eq!(scores[1], AGAINST);
        assert!((scores[2] - (AGAINST + 7.0)).abs() < 1e-6);
        for (at, score) in scores.iter().enumerate() {
            let sum: f32 = signals.parts(&weights, at).iter().map(|part| part.1).sum();
            assert!((weights.against + sum - score).abs() < 1e-5);
        }
    }

    #[test]
    fn the_milder_weights_hold_less_against_a_pair() {
        let one = Weights::of_columns(-7.0, &[("values: agree", 0.2), ("values: disagree", 0.1)]);
        let other =
            Weights::of_columns(-4.0, &[("values: agree", 0.7), ("values: disagree", 0.7), ("types", 1.0)]);
        let expected = [("values: agree", 0.7), ("values: disagree", 0.1), ("types", 1.0)];
        assert_eq!(one.no_harder_than(&other), Weights::of_columns(-4.0, &expected));
        assert_eq!(other.no_harder_than(&one), Weights::of_columns(-4.0, &expected));
    }

    #[test]
    fn many_labels_move_weights_and_few_do_not() {
        let values: Vec<f32> = (0..400).map(|at| (at % 10) as f32).collect();
        let (candidates, columns) = columns(&values);
        let signals = Signals::new(&candidates, &columns);
        let labelled: Vec<(usize, bool)> = (0..400).map(|at| (at, values[at] > 4.5)).collect();
        let learned = Weights::default().learned(&signals, &labelled);
        let scores = signals.scores(&learned);
        assert!(labelled.iter().all(|&(at, is_same)| (scores[at] > 0.0) == is_same), "{learned:?}");
        assert_eq!(Weights::default().learned(&signals, &labelled[..15]), Weights::default());
    }

    #[test]
    fn what_was_said_moves_with_its_pair() {
        let lists = [
            vec![(0, 1), (0, 4), (2, 0), (2, 3), (2, 5), (5, 5)],
            vec![(0, 0), (0, 4), (0, 6), (1, 2), (2, 3), (5, 1), (5, 5), (5, 6)],
            vec![(3, 3)],
            vec![],
        ]
        .map(|pairs| Candidates::of(6, pairs));
        // A number that tells who it is about.
        let about = |list: &Candidates| {
            let values = list.map(|_, (first, second)| (first * 7 + second) as f32 / 7.0);
            vec![Column { name: "values: agree".to_owned(), values }]
        };
        for (old, new) in lists.iter().flat_map(|old| lists.iter().map(move |new| (old, new))) {
            let mut signals = Signals::new(old, &about(old));
            signals.move_to(old, new);
            let fresh = new.without(old);
            let is_said = |row: &[f32; SIGNALS.len()]| *row != [0.0; SIGNALS.len()];
            let of_old: Vec<bool> = signals.rows.iter().map(is_said).collect();
            let expected = new.map(|_, (a, b)| (a, b) != (0, 0) && old.place(a, b).is_some());
            assert_eq!(of_old, expected, "{old:?} {new:?}");
            for part in fresh.in_parts(2) {
                signals.put_of(new, &part, &about(&part));
            }
            assert_eq!(signals.rows, Signals::new(new, &about(new)).rows, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_system_is_solved() {
        let found = solved(vec![[4.0, 2.0], [2.0, 3.0]], [10.0, 9.0]);
        assert!((found[0] - 1.5).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12);
    }
}
