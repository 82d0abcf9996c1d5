//! How does learning go on, and when does it end?
//!
//! Step after step through all facts, as many epochs as asked for. Now and then the model is judged on facts it has not
//! seen; when it has not become better for long, the rate falls, or learning ends. All that decides how it goes on is in
//! [`State`] and the learner, so that a run continues from a checkpoint to the same bits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ahead::Ahead;
use super::learner::{Learner, Losses, ranker};
use super::sample::{Sample, Sampler};
use crate::config::{Config, Metric, RankedSide};
use crate::error::{Error, Result};
use crate::eval::{Metrics, RankSide};
use crate::graph::{Fact, Part};
use crate::joint::Joint;

/// How far learning is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps so far.
    pub step: u64,
    /// What the rate has fallen to on plateaus, as a factor.
    pub rate_factor: f64,
    /// The best that the model was judged, and after which step.
    pub best: Option<(f64, u64)>,
    /// Judgements since then.
    pub since_best: usize,
    /// Judgements since then, or since the rate fell last.
    pub since_plateau: usize,
    /// Why learning ended, if it did.
    pub ended: Option<End>,
}

/// Why learning ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// All epochs were seen.
    Epochs,
    /// The model did not become better any more.
    Patience,
}

/// What a judgement found.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// By graph.
    pub graphs: BTreeMap<String, Metrics>,
    /// The chosen metric, over all graphs.
    pub value: f64,
    /// Whether it is the best so far.
    pub is_best: bool,
}

/// Learns.
#[derive(Debug)]
pub struct Trainer<'a> {
    joint: &'a Joint,
    config: &'a Config,
    samples: Ahead<'a>,
    /// The model.
    pub learner: Learner,
    /// How far it is.
    pub state: State,
}

impl<'a> Trainer<'a> {
    /// Begins, or goes on from a state.
    pub fn new(joint: &'a Joint, config: &'a Config, learner: Learner, state: Option<State>) -> Self {
        let start =
            State { step: 0, rate_factor: 1.0, best: None, since_best: 0, since_plateau: 0, ended: None };
        let mut state = state.unwrap_or(start);
        let samples = Ahead::new(Sampler::new(joint, config));
        // How long it goes on may have changed since it ended, or was interrupted.
        let is_patient = config.validation.patience == 0 || state.since_best < config.validation.patience;
        let total = samples.steps_per_epoch() * config.training.epochs as u64;
        state.ended = match state.ended {
            Some(End::Patience) if !is_patient => Some(End::Patience),
            _ => (state.step >= total).then_some(End::Epochs),
        };
        Self { joint, config, samples, learner, state }
    }

    /// How many steps an epoch has.
    pub fn steps_per_epoch(&self) -> u64 {
        self.samples.steps_per_epoch()
    }

    /// How many steps there are in all.
    pub fn total_steps(&self) -> u64 {
        self.steps_per_epoch() * self.config.training.epochs as u64
    }

    /// The rate of the next step.
    pub fn rate(&self) -> f64 {
        let optimizer = &self.config.optimizer;
        let epoch = self.state.step / self.steps_per_epoch().max(1);
        let rate = optimizer.rate * optimizer.decay.powi(epoch.min(1 << 20) as i32) * self.state.rate_factor;
        let (step, warmup) = (self.state.step as f64, optimizer.warmup as f64);
        let left = self.total_steps().saturating_sub(self.state.step) as f64;
        let epochs = optimizer.cooldown.min(self.config.training.epochs as f64);
        let cooldown = epochs * self.steps_per_epoch() as f64;
        let rise = if step < warmup { (step + 1.0) / warmup } else { 1.0 };
        let fall = if left < cooldown { left / cooldown } else { 1.0 };
        rate * rise * fall
    }

    /// Learns from the next batch; returns how many facts it had, and their losses.
    pub fn step(&mut self) -> Result<(usize, Losses)> {
        let (step, rate) = (self.state.step, self.rate());
        let is_last = step + 1 >= self.total_steps();
        let (joint, learner) = (self.joint, &mut self.learner);
        let learn = |sample: &Sample| (sample.facts, learner.step(joint, sample, rate, step));
        let (facts, losses) = self.samples.learn(step, is_last, learn);
        let diverged = |layer: &str| Error::Diverged { step: step + 1, layer: layer.to_owned() };
        let losses = losses.map_err(diverged)?;
        self.state.step += 1;
        if is_last {
            self.state.ended = Some(End::Epochs);
        }
        Ok((facts, losses))
    }

    /// Whether the model is to be judged now.
    pub fn is_judged_now(&self) -> bool {
        let every = self.config.validation.every * self.steps_per_epoch() as f64;
        let periods = |step: u64| (step as f64 / every).floor();
        let has_facts = self.judged_graphs().next().is_some();
        every > 0.0 && has_facts && periods(self.state.step) > periods(self.state.step.saturating_sub(1))
    }

    fn judged_graphs(&self) -> impl Iterator<Item = usize> {
        let names = match &self.config.validation.graphs {
            names if names.is_empty() => &self.config.training.graphs,
            names => names,
        };
        let graphs = self.joint.graphs.iter().enumerate();
        let asked = graphs.filter(move |(_, graph)| names.is_empty() || names.contains(&graph.name));
        asked.filter(|(_, graph)| !graph.facts[Part::Valid as usize].is_empty()).map(|(number, _)| number)
    }

    /// Judges the model, and decides how to go on.
    pub fn judge(&mut self) -> Judgement {
        let graphs = self.ranks();
        let all: usize = graphs.values().map(|metrics| metrics.count).sum();
        let mean = |of: &dyn Fn(&Metrics) -> f64| {
            graphs.values().map(|metrics| of(metrics) * metrics.count as f64).sum::<f64>() / all.max(1) as f64
        };
        let value = match self.config.validation.metric {
            Metric::Mrr => mean(&|metrics| metrics.mrr),
            Metric::HitsAt1 => mean(&|metrics| metrics.hits[0]),
            Metric::HitsAt3 => mean(&|metrics| metrics.hits[1]),
            Metric::HitsAt10 => mean(&|metrics| metrics.hits[2]),
        };
        let is_best = self.state.best.is_none_or(|(best, _)| value > best);
        if is_best {
            self.state.best = Some((value, self.state.step));
            (self.state.since_best, self.state.since_plateau) = (0, 0);
        } else {
            self.state.since_best += 1;
            self.state.since_plateau += 1;
        }
        let optimizer = &self.config.optimizer;
        if optimizer.patience > 0 && self.state.since_plateau >= optimizer.patience {
            self.state.rate_factor *= optimizer.plateau_factor;
            self.state.since_plateau = 0;
        }
        let patience = self.config.validation.patience;
        if patience > 0 && self.state.since_best >= patience && self.state.ended.is_none() {
            self.state.ended = Some(End::Patience);
        }
        Judgement { graphs, value, is_best }
    }

    fn ranks(&self) -> BTreeMap<String, Metrics> {
        let mut ranker = ranker(self.joint, self.learner.parameters(), self.config);
        let mut found = BTreeMap::new();
        for graph in self.judged_graphs() {
            let columns = &self.joint.graphs[graph].facts[Part::Valid as usize];
            // Facts are sorted by numbers that mean nothing, so that every so-manieth is a fair choice.
            let most = match self.config.validation.facts {
                0 => columns.len(),
                most => most.min(columns.len()),
            };
            let chosen: Vec<Fact> = (0..most).map(|at| columns.get(at * columns.len() / most)).collect();
            let mut ranks = ranker.rank(graph, &chosen, RankSide::Tail);
            if self.config.validation.side == RankedSide::Both {
                ranks.extend(ranker.rank(graph, &chosen, RankSide::Head));
            }
            found.insert(self.joint.graphs[graph].name.clone(), Metrics::of(&ranks));
        }
        found
    }
}

#[cfg(test)]
#[path = "trainer_tests.rs"]
mod tests;
