//! Are these two the same? A small network answers.
//!
//! For baselines and for models that learned without labels, the paper trains a second network on the labels, with the
//! representations of a pair as its input. It says "multilayer" and no more; here it is one hidden layer, as wide as
//! the paper's other layers:
//!
//! ```text
//! p = sigmoid( w₂ · ReLU(W₁ x + b₁) + b₂ )          loss = mean of −y ln p − (1 − y) ln(1 − p)
//! ```
//!
//! with x the features of a pair, each brought to mean 0 and deviation 1 over the training pairs ([`standard`]). It learns
//! with Adam, at a rate that falls to zero, from batches in an order that follows from the seed. A batch is cut into
//! pieces of a fixed size, and their gradients are added in order, so that the bits do not depend on threads.
//!
//! [`standard`]: super::standard

use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::features::{Features, Table};
use super::standard::Standard;
use crate::compute::matrix::{plain, transposed};
use crate::compute::real::{Onto, Real};
use crate::compute::update::{Step, adam};
use crate::dataset::Dice;
use crate::model::activation::Activation;

/// How a classifier learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassifierConfig {
    /// Hidden units.
    pub hidden: usize,
    /// How often every pair is seen.
    pub epochs: usize,
    /// Pairs of a step.
    pub batch: usize,
    /// How large the first steps are.
    pub rate: f64,
    /// How strongly weights are drawn to zero.
    pub decay: f64,
    /// What the first weights and the order of pairs follow from.
    pub seed: u64,
}

impl Default for ClassifierConfig {
    fn default() -> Self {
        Self { hidden: 64, epochs: 20, batch: 256, rate: 0.003, decay: 1e-4, seed: 0 }
    }
}

/// A network that says how likely a pair is the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier<T> {
    network: Network<T>,
    standard: Standard<T>,
}

/// The weights, or a gradient of them.
#[derive(Debug, Clone, PartialEq)]
struct Network<T> {
    width: usize,
    hidden: usize,
    /// W₁ (hidden × width), b₁, w₂ and b₂, one after the other.
    weights: Vec<T>,
}

/// So many pairs are one thread's at a time.
const PIECE: usize = 64;

/// What one thread works with.
#[derive(Default)]
struct Piece<T> {
    /// The features, to scale.
    inputs: Vec<T>,
    hidden: Vec<T>,
    logits: Vec<T>,
}

impl<T: Real> Classifier<T> {
    /// Learns from a table of features, so many of each pair, and whether each is the same.
    ///
    /// # Panics
    /// If there are not as many labels as rows.
    pub fn train(features: &[T], width: usize, labels: &[bool], config: ClassifierConfig) -> Self {
        Self::train_on(&Table { numbers: features, width }, labels, config)
    }

    /// How likely each row of a table is a pair that is the same.
    pub fn probability(&self, features: &[T]) -> Vec<T> {
        self.probability_of(&Table { numbers: features, width: self.network.width })
    }

    /// Learns from features that are made when they are needed.
    ///
    /// # Panics
    /// If there are not as many labels as pairs.
    pub fn train_on(features: &impl Features<T>, labels: &[bool], config: ClassifierConfig) -> Self {
        assert_eq!(features.len(), labels.len(), "one label for each pair");
        let dice = Dice::new(config.seed, "second stage", "");
        let mut network = Network::first(features.width(), config.hidden, &dice);
        let standard = Standard::new(features);
        let batch = config.batch.max(1);
        let total = config.epochs * labels.len().div_ceil(batch);
        let (mut means, mut squares) =
            (vec![T::ZERO; network.weights.len()], vec![T::ZERO; network.weights.len()]);
        let (mut order, mut done) = ((0..labels.len()).collect::<Vec<usize>>(), 0usize);
        for epoch in 0..config.epochs as u64 {
            order.shuffle(&mut dice.of(1 + epoch));
            for pairs in order.chunks(batch) {
                let gradient = network.gradient(features, &standard, pairs, labels);
                let rate = config.rate * (1.0 - done as f64 / total as f64);
                done += 1;
                let step = adam_step(rate, config.decay, done);
                adam(&mut network.weights, &mut means, &mut squares, &gradient, step);
            }
        }
        Self { network, standard }
    }

    /// How likely each of some pairs is the same.
    pub fn probability_of(&self, features: &impl Features<T>) -> Vec<T> {
        let mut found = self.logits_of(features);
        found.par_chunks_mut(1 << 14).for_each(|found| Activation::Sigmoid.forward(found));
        found
    }

    /// The logarithm of the odds that each of some pairs is the same.
    pub fn logits_of(&self, features: &impl Features<T>) -> Vec<T> {
        let mut found = vec![T::ZERO; features.len()];
        found.par_chunks_mut(PIECE).enumerate().for_each_init(Piece::default, |piece, (chunk, found)| {
            let pairs = chunk * PIECE..chunk * PIECE + found.len();
            piece.fill(features, &self.standard, pairs);
            self.network.forward(piece);
            found.copy_from_slice(&piece.logits);
        });
        found
    }
}

fn adam_step<T: Real>(rate: f64, decay: f64, step: usize) -> Step<T> {
    let step = i32::try_from(step).unwrap_or(i32::MAX);
    let (beta1, beta2) = (0.9f64, 0.999f64);
    Step {
        beta1: T::of(beta1),
        beta2: T::of(beta2),
        rate: T::of(rate / (1.0 - beta1.powi(step))),
        correction: T::of(1.0 / (1.0 - beta2.powi(step))),
        epsilon: T::of(1e-8),
        decay: T::of(decay),
    }
}

impl<T: Real> Piece<T> {
    /// Reads the features of some pairs.
    fn fill(
        &mut self,
        features: &impl Features<T>,
        standard: &Standard<T>,
        pairs: impl ExactSizeIterator<Item = usize>,
    ) {
        let width = features.width();
        self.logits.resize(pairs.len(), T::ZERO);
        self.inputs.resize(pairs.len() * width, T::ZERO);
        for (at, pair) in pairs.enumerate() {
            let row = &mut self.inputs[at * width..(at + 1) * width];
            features.fill(pair, row);
            standard.apply(row);
        }
    }
}

impl<T: Real> Network<T> {
    /// Random weights, of a size that keeps signals as large as they are.
    fn first(width: usize, hidden: usize, dice: &Dice) -> Self {
        let mut dice = dice.of(0);
        let mut weights = vec![T::ZERO; hidden * (width + 2) + 1];
        let (into, rest) = weights.split_at_mut(hidden * width);
        let mut draw = |numbers: &mut [T], inputs: usize| {
            let scale = (6.0 / inputs.max(1) as f64).sqrt();
            numbers.iter_mut().for_each(|x| *x = T::of(dice.random_range(-1.0..1.0) * scale));
        };
        draw(into, width);
        draw(&mut rest[hidden..2 * hidden], hidden);
        Self { width, hidden, weights }
    }

    /// W₁, b₁, w₂ and b₂.
    fn parts(&self) -> (&[T], &[T], &[T], T) {
        let (into, rest) = self.weights.split_at(self.hidden * self.width);
        (into, &rest[..self.hidden], &rest[self.hidden..2 * self.hidden], rest[2 * self.hidden])
    }

    /// The hidden units and the logits of a piece.
    fn forward(&self, piece: &mut Piece<T>) {
        let (into, bias, out, out_bias) = self.parts();
        let rows = piece.logits.len();
        piece.hidden.resize(rows * self.hidden, T::ZERO);
        if self.hidden > 0 {
            piece.hidden.chunks_exact_mut(self.hidden).for_each(|row| row.copy_from_slice(bias));
        }
        let shape = [rows, self.width, self.hidden];
        let (inputs, weights) = (plain(&piece.inputs, self.width), transposed(into, self.width));
        T::multiply(shape, inputs, weights, &mut piece.hidden, Onto::Sum);
        Activation::Relu.forward(&mut piece.hidden);
        for (at, logit) in piece.logits.iter_mut().enumerate() {
            let row = &piece.hidden[at * self.hidden..(at + 1) * self.hidden];
            *logit = row.iter().zip(out).map(|(&x, &w)| x * w).sum::<T>() + out_bias;
        }
    }

    /// The gradient of the mean loss of some pairs.
    fn gradient(
        &self,
        features: &impl Features<T>,
        standard: &Standard<T>,
        pairs: &[usize],
        labels: &[bool],
    ) -> Vec<T> {
        let share = T::ONE / T::of(pairs.len() as f64);
        let parts: Vec<Vec<T>> = pairs
            .par_chunks(PIECE)
            .map_init(Piece::default, |piece, pairs| {
                piece.fill(features, standard, pairs.iter().copied());
                self.forward(piece);
                // The slope of the loss by a logit is p − y.
                Activation::Sigmoid.forward(&mut piece.logits);
                for (to, &pair) in piece.logits.iter_mut().zip(pairs) {
                    *to = (*to - if labels[pair] { T::ONE } else { T::ZERO }) * share;
                }
                self.backward(piece)
            })
            .collect();
        let mut parts = parts.into_iter();
        let mut sum = parts.next().unwrap_or_else(|| vec![T::ZERO; self.weights.len()]);
        parts.for_each(|part| sum.iter_mut().zip(part).for_each(|(sum, x)| *sum += x));
        sum
    }

    /// The gradient of the weights; the logits of the piece have become their gradients.
    fn backward(&self, piece: &mut Piece<T>) -> Vec<T> {
        let (_, _, out, _) = self.parts();
        let (rows, hidden) = (piece.logits.len(), self.hidden);
        let mut gradient = vec![T::ZERO; self.weights.len()];
        let (to_into, rest) = gradient.split_at_mut(hidden * self.width);
        let (to_bias, to_out) = rest.split_at_mut(hidden);
        for (at, &to) in piece.logits.iter().enumerate() {
            let row = &mut piece.hidden[at * hidden..(at + 1) * hidden];
            for (unit, x) in row.iter_mut().enumerate() {
                to_out[unit] += to * *x;
                *x = out[unit] * to * Activation::Relu.slope(*x);
                to_bias[unit] += *x;
            }
            to_out[hidden] += to;
        }
        let (units, inputs) = (transposed(&piece.hidden, hidden), plain(&piece.inputs, self.width));
        T::multiply([hidden, rows, self.width], units, inputs, to_into, Onto::Nothing);
        gradient
    }
}

#[cfg(test)]
#[path = "second_stage_tests.rs"]
mod tests;
