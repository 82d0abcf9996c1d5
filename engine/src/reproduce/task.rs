//! What is one run of the tables about, what is it called, and with which settings does it learn?

use super::rows::{Learning, Row};
use super::tuning::tried;
use crate::config::Config;
use crate::error::Result;

/// What one run is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Task<'a> {
    pub(super) row: Row,
    pub(super) learning: Learning,
    /// The graph that is learned; none for all together.
    pub(super) graph: Option<&'a str>,
    pub(super) seed: u64,
    /// Which settings of the list it learns with, counted from 0.
    pub(super) number: usize,
    /// Whether that is still to be judged, beside others.
    pub(super) is_try: bool,
}

impl Task<'_> {
    /// What it is about, before what is being done.
    pub(super) fn title(&self) -> String {
        let of = self.graph.unwrap_or(self.learning.name());
        let number = if self.is_try { format!(", try {}", self.number + 1) } else { String::new() };
        format!("{}, {of}, seed {}{number}", self.row.name(), self.seed)
    }

    /// The name of its run.
    pub(super) fn name(&self) -> String {
        let graph = self.graph.map(|graph| format!("-{graph}")).unwrap_or_default();
        let unsupervised = match self.row.is_baseline() || self.learning == Learning::Supervised {
            true => "",
            false => "-unsupervised",
        };
        let number = if self.is_try { format!("-try{}", self.number + 1) } else { String::new() };
        format!("{}{graph}{unsupervised}-seed{}{number}", self.row.key(), self.seed)
    }

    /// The settings of its run, from those that all rows share.
    pub(super) fn config(&self, shared: &Config) -> Result<Config> {
        let mut config = tried(&self.row.config(shared, self.learning)?, self.number);
        config.seed = self.seed;
        if let Some(graph) = self.graph {
            config.training.graphs = vec![graph.to_owned()];
            // It is judged by what it learns.
            config.validation.graphs.clear();
        }
        Ok(config)
    }
}
