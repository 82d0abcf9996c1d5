//! What came of one row with one seed?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::rows::{Learning, Row};
use super::tuning::Tried;
use crate::eval::Metrics;

/// A row that is done for a seed: a file of `rows/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// The row.
    pub row: Row,
    /// What everything random was drawn from.
    pub seed: u64,
    /// What was trained; the first gives the figures of facts.
    pub trainings: Vec<Training>,
}

/// One way of learning and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// Whether it learned from links.
    pub learning: Learning,
    /// One run of all graphs together, or one of each graph alone.
    pub runs: Vec<Learned>,
    /// What came out.
    pub outcome: Outcome,
}

/// A run, and how its settings were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The folder of the run, within that of the tables.
    pub run: String,
    /// The graph that it is about; none for all together.
    pub graph: Option<String>,
    /// Every setting that differs from those of all rows.
    pub settings: BTreeMap<String, String>,
    /// What was tried, with the first seed only; nothing where there was no choice.
    pub tried: Vec<Tried>,
    /// Which of the tries was taken, counted from 1.
    pub chosen: usize,
    /// Steps until it ended.
    pub steps: u64,
    /// How often every fact was seen until then.
    pub epochs: f64,
    /// Seconds of learning.
    pub seconds: f64,
}

/// What came out of a training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Figures.
    Judged(Figures),
    /// Learning led to numbers that are none; why.
    Diverged(String),
}

/// The figures of a training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// How well facts are completed, for each graph.
    pub facts: BTreeMap<String, Sides>,
    /// AUPRC, for each pair of graphs, named `A-B`; none where it is no number.
    pub auprc: BTreeMap<String, Option<f64>>,
}

/// Filtered figures by what was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// The object: the paper's.
    pub tail: Ranked,
    /// The subject.
    pub head: Ranked,
    /// All questions.
    pub both: Ranked,
}

/// Figures of places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// Questions.
    pub count: u64,
    /// The mean of 1/rank.
    pub mrr: f64,
    /// The share of ranks up to 1.
    #[serde(rename = "hits@1")]
    pub hits_1: f64,
    /// The share of ranks up to 3.
    #[serde(rename = "hits@3")]
    pub hits_3: f64,
    /// The share of ranks up to 10.
    #[serde(rename = "hits@10")]
    pub hits_10: f64,
}

impl Ranked {
    pub(super) fn of(metrics: &Metrics) -> Self {
        let [hits_1, hits_3, hits_10] = metrics.hits;
        Self { count: metrics.count as u64, mrr: metrics.mrr, hits_1, hits_3, hits_10 }
    }
}

impl RowResult {
    /// The training that learned so, if there was one.
    pub fn training(&self, learning: Learning) -> Option<&Training> {
        self.trainings.iter().find(|training| training.learning == learning)
    }

    /// All runs, each with the way of learning that it is part of.
    pub fn runs(&self) -> impl Iterator<Item = (&Training, &Learned)> {
        self.trainings.iter().flat_map(|training| training.runs.iter().map(move |run| (training, run)))
    }

    /// Why it has no figures, if that is so.
    pub fn problem(&self) -> Option<&str> {
        self.trainings.iter().find_map(|training| match &training.outcome {
            Outcome::Judged(_) => None,
            Outcome::Diverged(why) => Some(why.as_str()),
        })
    }
}

impl Training {
    /// The figures, unless it diverged.
    pub fn figures(&self) -> Option<&Figures> {
        match &self.outcome {
            Outcome::Judged(figures) => Some(figures),
            Outcome::Diverged(_) => None,
        }
    }
}
