//! What needs repair before a graph can be learned from?
//!
//! Appendix B.1 of the paper, and what real dumps need beyond it. Every step can be switched off, and every step
//! reports how much it changed, with samples: nothing is dropped silently.

mod compounds;
mod duplicates;
mod occurrence;
mod types;
mod values;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::graph::{EntityId, Fact, Graph};

/// What is cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanConfig {
    /// Remove control characters, replacement characters and remnants of markup from values.
    pub garbage_characters: bool,
    /// Replace compound-value nodes by the facts they stand for.
    pub compound_values: bool,
    /// Types whose entities are compound values, as patterns, beside those that the graph declares itself.
    pub compound_types: Vec<String>,
    /// Types that say nothing, as patterns.
    pub dropped_types: Vec<String>,
    /// What to do with facts from an entity to itself.
    pub self_loops: SelfLoops,
    /// Remove all but the first of equal facts, attributes and types.
    pub duplicates: bool,
    /// Keep only facts whose two entities both appear in more than so many facts; 0 keeps all.
    pub min_occurrence: u64,
}

/// What to do with facts from an entity to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfLoops {
    /// Remove them, as the paper does, unless the graph comes with its own train/valid/test parts: those were
    /// published as they are, and figures on them compare only when they stay so.
    Auto,
    /// Remove them.
    Drop,
    /// Keep them.
    Keep,
}

impl Default for CleanConfig {
    fn default() -> Self {
        Self {
            garbage_characters: true,
            compound_values: true,
            compound_types: Vec::new(),
            dropped_types: types::UNINFORMATIVE.map(str::to_owned).to_vec(),
            self_loops: SelfLoops::Auto,
            duplicates: true,
            min_occurrence: 0,
        }
    }
}

/// What one step did to one graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The graph.
    pub graph: String,
    /// What was done, as in `inspect --json`.
    pub step: String,
    /// To how many.
    pub count: u64,
    /// Some of them.
    pub samples: Vec<String>,
}

/// Everything that was done to a graph, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// The steps.
    pub steps: Vec<Step>,
}

/// A cleaned graph, and what became of the entities it had.
#[derive(Debug)]
pub struct Cleaned {
    /// What is left.
    pub graph: Graph,
    /// The new id of every old entity, if it was kept.
    pub entities: Vec<Option<EntityId>>,
}

/// So many samples are shown of what a step removed.
const SAMPLES: usize = 5;

/// Counts what a step removes, and keeps the first few as samples.
struct Tally {
    count: u64,
    samples: Vec<String>,
}

impl Tally {
    fn new() -> Self {
        Self { count: 0, samples: Vec::new() }
    }

    fn add(&mut self, sample: impl FnOnce() -> String) {
        self.count += 1;
        if self.samples.len() < SAMPLES {
            self.samples.push(sample());
        }
    }
}

fn show_fact(graph: &Graph, fact: &Fact) -> String {
    let [subject, object] = [fact.subject, fact.object].map(|entity| graph.entities.get(entity.0));
    format!("{subject} {} {object}", graph.relations.get(fact.relation.0))
}

/// Cleans a graph.
pub fn clean(mut graph: Graph, config: &CleanConfig) -> Result<(Cleaned, CleanReport)> {
    let mut report = CleanReport::default();
    let name = graph.name.clone();
    let mut note = |step: &str, tally: Tally| {
        report.steps.push(Step {
            graph: name.clone(),
            step: step.to_owned(),
            count: tally.count,
            samples: tally.samples,
        });
    };
    if config.garbage_characters {
        note("garbage_characters", values::remove_garbage(&mut graph));
    }
    note("empty_values", values::remove_empty(&mut graph));
    let mut keep = vec![true; graph.entities.len()];
    if config.compound_values {
        let outcome = compounds::collapse(&mut graph, &config.compound_types, &mut keep)?;
        note("compound_values", outcome.collapsed);
        note("compound_values_kept", outcome.kept);
    }
    note("types", types::drop_uninformative(&mut graph, &config.dropped_types)?);
    let drop_loops = match config.self_loops {
        SelfLoops::Auto => !graph.facts.is_divided(),
        SelfLoops::Drop => true,
        SelfLoops::Keep => false,
    };
    let loops = duplicates::self_loops(&mut graph, drop_loops);
    note(if drop_loops { "self_loops" } else { "self_loops_kept" }, loops);
    if config.duplicates {
        note("duplicates", duplicates::remove_duplicates(&mut graph));
    }
    if config.min_occurrence > 0 {
        note("rare_entities", occurrence::mark_rare(&graph, config.min_occurrence, &mut keep));
    }
    let entities = graph.retain_entities(&keep);
    graph.drop_unused_names();
    report.steps.retain(|step| step.count > 0);
    Ok((Cleaned { graph, entities }, report))
}
