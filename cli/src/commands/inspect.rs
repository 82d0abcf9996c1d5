//! `inspect`: what is in a prepared folder, or in a run?

use linknbed::dataset::{Dataset, Manifest, PartCounts};
use linknbed::run::Run;
use serde_json::{Map, Value, json};

use super::inspect_run::Inspected;
use crate::args::{Common, InspectArgs};
use crate::output::{counted, grouped, one_line, print, table};

pub(crate) fn run(args: &InspectArgs, common: &Common) -> anyhow::Result<()> {
    let path = &args.path;
    if Run::is_at(path) {
        let found = Inspected::new(path, args.verify)?;
        return print_found(found.json(), found.text(), "every checkpoint can be read", args, common);
    }
    if path.exists() && !path.join("manifest.json").exists() {
        let message = "is neither a prepared folder nor a run: it has no manifest.json and no run.json";
        return Err(linknbed::Error::folder(path, message).into());
    }
    let dataset = Dataset::open(path)?;
    if args.verify {
        dataset.verify()?;
        dataset.check_ids()?;
    }
    let (json, text) = (json(&dataset.manifest), text(&dataset.manifest));
    print_found(json, text, "every file has its checksum, and every number names something", args, common)
}

/// Prints one of the two, and what is known if it was verified.
fn print_found(
    mut json: Value,
    mut text: String,
    known: &str,
    args: &InspectArgs,
    common: &Common,
) -> anyhow::Result<()> {
    if args.verify {
        json["verified"] = true.into();
        text += &format!("\nverified: {known}\n");
    }
    print(&if common.json { format!("{json:#}\n") } else { text })
}

/// The keys that scripts rely on, and the reports.
pub(crate) fn json(manifest: &Manifest) -> Value {
    let parts =
        |counts: &PartCounts| json!({"train": counts.train, "valid": counts.valid, "test": counts.test});
    let mut graphs = Map::new();
    for graph in &manifest.graphs {
        let counts = json!({
            "entities": graph.entities,
            "relations": graph.relations,
            "triples": graph.triples,
            "splits": parts(&graph.splits),
            "attributes": graph.attributes,
            "attribute_keys": graph.attribute_keys,
            "types": graph.types,
            "typed_entities": graph.typed_entities,
            "named_entities": graph.named_entities,
            "untrained_entities": graph.untrained_entities,
            "neighbours": graph.neighbours,
        });
        graphs.insert(graph.name.clone(), counts);
    }
    let mut links = Map::new();
    for pair in &manifest.links {
        let mut counts = parts(&pair.positives);
        counts["negatives"] = parts(&pair.negatives);
        counts["drawn_negatives"] = pair.drawn_negatives.into();
        links.insert(format!("{}-{}", pair.first, pair.second), counts);
    }
    let mut cleaning: Map<String, Value> = Map::new();
    for step in &manifest.cleaning {
        let sum = cleaning.get(&step.step).and_then(Value::as_u64).unwrap_or(0) + step.count;
        cleaning.insert(step.step.clone(), sum.into());
    }
    let steps: Vec<Value> = manifest
        .cleaning
        .iter()
        .map(|s| json!({"graph": s.graph, "step": s.step, "count": s.count, "samples": s.samples}))
        .collect();
    let skipped: Vec<Value> = manifest
        .skipped
        .first
        .iter()
        .map(|(place, message)| json!({"place": place, "message": message}))
        .collect();
    json!({
        "graphs": graphs,
        "links": links,
        "cleaning": cleaning,
        "cleaning_steps": steps,
        "skipped": {"count": manifest.skipped.count, "first": skipped},
        "seed": manifest.prepare.seed,
    })
}

/// The same for people.
pub(crate) fn text(manifest: &Manifest) -> String {
    let titles =
        ["graph", "entities", "relations", "facts", "train", "valid", "test", "attributes", "keys", "types"];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for graph in &manifest.graphs {
        let counts = [
            graph.entities,
            graph.relations,
            graph.triples,
            graph.splits.train,
            graph.splits.valid,
            graph.splits.test,
            graph.attributes,
            graph.attribute_keys,
            graph.types,
        ];
        rows.push(std::iter::once(graph.name.clone()).chain(counts.map(grouped)).collect());
    }
    let mut text = table(&rows);
    if !manifest.links.is_empty() {
        let mut rows = vec![["links", "train", "valid", "test"].map(str::to_owned).to_vec()];
        for pair in &manifest.links {
            let counts = [pair.positives.train, pair.positives.valid, pair.positives.test];
            let name = format!("{}-{}", pair.first, pair.second);
            rows.push(std::iter::once(name).chain(counts.map(grouped)).collect());
        }
        text.push('\n');
        text.push_str(&table(&rows));
    }
    if !manifest.cleaning.is_empty() {
        text.push_str("\ncleaning\n");
        for step in &manifest.cleaning {
            let what = step.step.replace('_', " ");
            let of = if step.graph.is_empty() { String::new() } else { format!("  {}", step.graph) };
            text.push_str(&format!("{:>12}  {what}{of}\n", grouped(step.count)));
            for sample in step.samples.iter().take(2) {
                text.push_str(&format!("{:>14}{}\n", "", shortened(sample)));
            }
        }
    }
    if manifest.skipped.count > 0 {
        text.push_str(&format!("\n{} skipped\n", counted(manifest.skipped.count, "line")));
        for (place, message) in manifest.skipped.first.iter().take(5) {
            text.push_str(&format!("{:>14}{}\n", "", shortened(&format!("{place}: {message}"))));
        }
    }
    text
}

/// Long samples are cut so that a line stays a line.
fn shortened(text: &str) -> String {
    const MOST: usize = 96;
    let text = &one_line(text);
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(MOST).collect::<String>())
}
