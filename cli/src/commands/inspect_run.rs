//! `inspect` of a run: how far is it, what does it judge itself, and what does it take?

use std::path::Path;

use linknbed::config::{Config, ModelKind};
use linknbed::run::{History, Memory, Run};
use linknbed::train::{End, Judgement};
use serde_json::{Map, Value, json};

use crate::output::{bytes, grouped, one_line, table};

/// What is known of a run.
pub(crate) struct Inspected {
    run: Run,
    history: History,
    /// Nothing before the first checkpoint.
    memory: Option<Memory>,
}

impl Inspected {
    /// Reads it; `verify` reads every checkpoint, not only those that are shown.
    pub(crate) fn new(path: &Path, verify: bool) -> linknbed::Result<Self> {
        let run = Run::open(path)?;
        if verify {
            run.verify()?;
        }
        let history = run.history()?;
        let memory = run.checkpoint().is_ok().then(|| run.memory()).transpose()?;
        Ok(Self { run, history, memory })
    }

    /// For scripts.
    pub(crate) fn json(&self) -> Value {
        let Self { run, history, memory } = self;
        let judged = |found: &Option<(u64, Judgement)>| {
            found.as_ref().map(|(step, judgement)| {
                json!({"step": step, "value": judgement.value, "graphs": metrics(judgement)})
            })
        };
        json!({
            "kind": "run",
            "program": run.card.program,
            "data": run.card.data,
            "data_xxh3": run.card.data_xxh3,
            "steps": history.state.as_ref().map_or(0, |state| state.step),
            "epoch": history.epoch,
            "seconds": history.seconds,
            "ended": history.state.as_ref().and_then(|state| state.ended),
            "best": judged(&history.best),
            "last": judged(&history.last),
            "config": run.config,
            "tables": memory.as_ref().map(|memory| &memory.tables),
            "parameters": memory.as_ref().map(|memory| memory.parameters),
            "bytes": memory.as_ref().map(|memory| memory.bytes),
            "bytes_with_optimizer": memory.as_ref().map(|memory| memory.bytes_with_optimizer),
            "parameters_by_the_papers_formula": memory.as_ref().map(|memory| memory.by_formula),
        })
    }

    /// The same for people.
    pub(crate) fn text(&self) -> String {
        let card = &self.run.card;
        let data = one_line(&card.data.display().to_string());
        let mut text = format!("a run of linknbed {} on {data}\n\n", one_line(&card.program));
        let config = &self.run.config;
        let mut rows = vec![("steps", self.far()), ("model", model(config)), ("settings", settings(config))];
        if is_linknbed(config) {
            rows.extend([("contexts", contexts(config)), ("sizes", sizes(config))]);
        }
        for (name, words) in rows {
            text += &format!("{name:<9} {words}\n");
        }
        if let Some((step, judgement)) = &self.history.best {
            let title = format!("best validation, after {} steps", grouped(*step));
            text += &format!("\n{}", judgement_table(&title, judgement));
        }
        match &self.memory {
            Some(memory) => text += &format!("\n{}", memory_text(memory, config)),
            None => text += "\nno checkpoint yet\n",
        }
        text
    }

    fn far(&self) -> String {
        let Some(state) = &self.history.state else {
            return "0; `linknbed train --resume` goes on".to_owned();
        };
        let epoch = self.history.epoch.map_or(String::new(), |epoch| {
            format!(", {epoch:.1} of {} epochs", grouped(self.run.config.training.epochs as u64))
        });
        let end = match state.ended {
            Some(End::Epochs) => "done",
            Some(End::Patience) => "ended, as it did not become better any more",
            None => "not done; `linknbed train --resume` goes on",
        };
        format!("{}{epoch}; {end}", grouped(state.step))
    }
}

fn metrics(judgement: &Judgement) -> Map<String, Value> {
    let of = |metrics: &linknbed::eval::Metrics| {
        json!({
            "count": metrics.count, "mrr": metrics.mrr, "mr": metrics.mr,
            "hits@1": metrics.hits[0], "hits@3": metrics.hits[1], "hits@10": metrics.hits[2],
        })
    };
    judgement.graphs.iter().map(|(name, metrics)| (name.clone(), of(metrics))).collect()
}

/// A row for each graph.
pub(crate) fn judgement_table(title: &str, judgement: &Judgement) -> String {
    let mut rows = vec![[title, "facts", "MRR", "HITS@1", "HITS@3", "HITS@10"].map(str::to_owned).to_vec()];
    for (graph, metrics) in &judgement.graphs {
        let mut row = vec![graph.clone(), grouped(metrics.count as u64), format!("{:.4}", metrics.mrr)];
        row.extend(metrics.hits.iter().map(|hits| format!("{hits:.4}")));
        rows.push(row);
    }
    table(&rows)
}

/// The words that a config file has for its choices.
struct Words(Value);

impl Words {
    fn of(config: &Config) -> Self {
        Self(serde_json::to_value(config).unwrap_or_default())
    }

    fn get(&self, table: &str, key: &str) -> &str {
        self.0[table][key].as_str().unwrap_or_default()
    }
}

fn is_linknbed(config: &Config) -> bool {
    config.model.kind == ModelKind::LinkNBed
}

fn model(config: &Config) -> String {
    let kind = Words::of(config).get("model", "kind").to_owned();
    match is_linknbed(config) {
        true => kind,
        false => format!(
            "{kind} with {} numbers{}",
            config.model.entity,
            if config.model.reciprocal { ", reciprocal relations" } else { "" }
        ),
    }
}

fn settings(config: &Config) -> String {
    let words = Words::of(config);
    format!(
        "seed {}, loss {}, negatives {}, {} with rate {}, batch {}",
        config.seed,
        words.get("loss", "kind"),
        words.get("negatives", "kind"),
        words.get("optimizer", "method"),
        config.optimizer.rate,
        grouped(config.training.batch as u64)
    )
}

fn contexts(config: &Config) -> String {
    let chosen = &config.contexts;
    let own = if chosen.own { "own" } else { "own off" };
    let attention = if chosen.attention { ", with attention" } else { "" };
    let words = Words::of(config);
    let [near, has, types] = ["neighbourhood", "attributes", "types"].map(|key| words.get("contexts", key));
    format!("{own}, neighbourhood {near}, attributes {has}, types {types}{attention}")
}

fn sizes(config: &Config) -> String {
    let model = &config.model;
    format!(
        "entity {}, relation {}, type {}, attribute {}, hidden {}",
        model.entity, model.relation, model.class, model.attribute, model.hidden
    )
}

fn memory_text(memory: &Memory, config: &Config) -> String {
    let mut rows = vec![["table", "shape", "parameters"].map(str::to_owned).to_vec()];
    for (name, shape) in &memory.tables {
        let sides: Vec<String> = shape.iter().map(|&side| grouped(side as u64)).collect();
        let count = shape.iter().map(|&side| side as u64).product();
        rows.push(vec![one_line(name), sides.join(" × "), grouped(count)]);
    }
    rows.push(vec!["all".to_owned(), String::new(), grouped(memory.parameters)]);
    let mut text = format!(
        "{}\nmemory    {}, or {} with what the optimizer remembers\n",
        table(&rows),
        bytes(memory.bytes),
        bytes(memory.bytes_with_optimizer),
    );
    if is_linknbed(config) {
        text += &format!(
            "paper     {} parameters by the formula of its Sec. 4.1, H_a (H_b + 1): it gives every vector weights of its\n          \
             own to the hidden units, and every entity two vectors; here W1 to W5 are shared, and one serves both roles\n",
            grouped(memory.by_formula)
        );
    }
    text
}
