//! What was learned from, and how?

use serde_json::Value;

use crate::config::Config;
use crate::dataset::{Dataset, Manifest, PartCounts};
use crate::error::Result;
use crate::report::{
    Curves, DataSummary, GraphSummary, LossPoint, Parts, RankFigures, RunSummary, ValidationPoint,
};
use crate::run::Run;

/// The graphs by their names.
pub(super) fn title(data: &Dataset) -> String {
    let names: Vec<&str> = data.graphs.iter().map(|graph| graph.name.as_str()).collect();
    names.join(" and ")
}

/// How large everything is.
pub(super) fn data(manifest: &Manifest) -> DataSummary {
    let graphs = manifest.graphs.iter().map(|counts| {
        let summary = GraphSummary {
            entities: counts.entities,
            relations: counts.relations,
            triples: counts.triples,
            splits: parts(&counts.splits),
            attributes: counts.attributes,
            attribute_keys: counts.attribute_keys,
            types: counts.types,
            typed_entities: counts.typed_entities,
        };
        (counts.name.clone(), summary)
    });
    let links =
        manifest.links.iter().map(|link| (format!("{}-{}", link.first, link.second), parts(&link.positives)));
    DataSummary { graphs: graphs.collect(), links: links.collect() }
}

fn parts(counts: &PartCounts) -> Parts {
    Parts { train: counts.train, valid: counts.valid, test: counts.test }
}

/// How the model was learned.
pub(super) fn run(run: &Run, step: u64) -> Result<RunSummary> {
    let history = run.history()?;
    let (preset, settings) = nearest_preset(&run.config)?;
    Ok(RunSummary {
        preset,
        seed: run.config.seed,
        epochs: history.epoch.unwrap_or_default(),
        steps: step,
        parameters: run.memory()?.parameters,
        seconds: Some(history.seconds),
        program: run.card.program.clone(),
        settings,
    })
}

/// The preset from which fewest settings differ, and those that do.
fn nearest_preset(config: &Config) -> Result<(String, Vec<(String, String)>)> {
    let mut nearest: Option<(String, Vec<(String, String)>)> = None;
    for name in ["default", "paper"] {
        let differing = differences(config, &Config::preset(name)?);
        if nearest.as_ref().is_none_or(|(_, fewest)| differing.len() < fewest.len()) {
            nearest = Some((name.to_owned(), differing));
        }
    }
    Ok(nearest.unwrap_or_default())
}

/// The settings that differ from a preset's.
pub(crate) fn differences(config: &Config, preset: &Config) -> Vec<(String, String)> {
    let (own, others) = (flat(config), flat(preset));
    own.into_iter().zip(others).filter(|(own, other)| own.1 != other.1).map(|(own, _)| own).collect()
}

/// Every key with its value, tables as `table.key`.
pub(crate) fn flat(config: &Config) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let value = serde_json::to_value(config).unwrap_or_default();
    for (table, keys) in value.as_object().into_iter().flatten() {
        match keys {
            Value::Object(keys) => {
                found.extend(keys.iter().map(|(key, value)| (format!("{table}.{key}"), value.to_string())));
            }
            value => found.push((table.clone(), value.to_string())),
        }
    }
    found
}

/// How learning went.
pub(super) fn curves(run: &Run) -> Result<Curves> {
    let mut curves = Curves::default();
    let mut epochs_a_step = 0.0;
    for line in run.trace()? {
        let Some(step) = line["step"].as_u64() else { continue };
        if let Some(epoch) = line["epoch"].as_f64() {
            epochs_a_step = epoch / step.max(1) as f64;
            let parts = line["loss"].as_object().into_iter().flatten();
            // A part that is not asked for is no curve.
            let loss = parts
                .filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)))
                .filter(|(_, value)| *value != 0.0);
            curves.steps.push(LossPoint { step, epoch, loss: loss.collect() });
        }
        if let Some(graphs) = line["validation"].as_object() {
            let graphs = graphs.iter().map(|(name, found)| (name.clone(), figures(found))).collect();
            let best = line["best"].as_bool().unwrap_or(false);
            curves.validations.push(ValidationPoint {
                step,
                epoch: step as f64 * epochs_a_step,
                graphs,
                best,
            });
        }
    }
    // Of those that were the best when they came, the last is the one that was kept.
    let kept = curves.validations.iter().rposition(|point| point.best);
    for (at, point) in curves.validations.iter_mut().enumerate() {
        point.best = Some(at) == kept;
    }
    Ok(curves)
}

fn figures(found: &Value) -> RankFigures {
    let number = |key: &str| found[key].as_f64().unwrap_or(f64::NAN);
    RankFigures {
        count: found["count"].as_u64().unwrap_or(0),
        mrr: number("mrr"),
        mr: number("mr"),
        hits_1: number("hits@1"),
        hits_3: number("hits@3"),
        hits_10: number("hits@10"),
        ties: None,
    }
}
