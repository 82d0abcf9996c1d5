//! `demo`: what linknbed does, on the built-in world.

use std::path::{Path, PathBuf};
use std::time::Instant;

use linknbed::clean::CleanConfig;
use linknbed::dataset::{Dataset, ImportConfig, PrepareConfig, PreparedGraph, import};
use linknbed::graph::{EntityId, is_name_key};
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::world::{WorldConfig, generate};
use serde_json::json;

use super::{generate as generate_command, inspect, may_replace};
use crate::args::{Common, DemoArgs};
use crate::bars::Bars;
use crate::output::print;

pub(crate) fn run(args: &DemoArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let begun = Instant::now();
    let (world, data) = (args.out.join("world"), args.out.join("data"));
    let config = WorldConfig { scale: args.scale.into(), seed: args.seed };
    let replace = may_replace(&world, true, "cases.tsv")?;
    may_replace(&data, true, "manifest.json")?;
    let report = generate(&world, &config, replace, bars)?;
    let imported = import(&import_config(&world, data.clone(), args.seed), bars)?;
    let dataset = Dataset::open(&data)?;
    if common.json {
        let result = json!({"world": report, "data": inspect::json(&imported.manifest)});
        return print(&format!("{result:#}\n"));
    }
    let mut text = String::from("1. Two catalogues of one invented film world, as they would be found:\n\n");
    text.push_str(&generate_command::text(&report));
    text.push_str("\n2. Read, cleaned and divided; neighbourhoods walked, labels drawn:\n\n");
    text.push_str(&inspect::text(&imported.manifest));
    text.push_str("\n3. Three of the links that will have to be found, as each catalogue tells them:\n");
    text.push_str(&examples(&dataset));
    text.push_str(&format!(
        "\nAll of this took {:.1} s and is in {}.\nLearning from it and finding the links are not built yet.\n",
        begun.elapsed().as_secs_f64(),
        args.out.display()
    ));
    print(&text)
}

fn import_config(world: &Path, out: PathBuf, seed: u64) -> ImportConfig {
    ImportConfig {
        graphs: vec![("screen".to_owned(), world.join("screen")), ("reel".to_owned(), world.join("reel.nt"))],
        links: vec![world.join("links.tsv").to_string_lossy().into_owned()],
        stdin: Format::NTriples,
        strictness: Default::default(),
        columns: Vec::new(),
        clean: CleanConfig::default(),
        min_occurrence: Default::default(),
        prepare: PrepareConfig { seed, ..Default::default() },
        out,
        replace: Replace::Existing,
    }
}

/// Three test links whose names differ, or as many as there are.
fn examples(dataset: &Dataset) -> String {
    let Some(links) = dataset.links.first() else { return String::new() };
    let (first, second) = (&dataset.graphs[links.first], &dataset.graphs[links.second]);
    let differ = links.positives[2].iter().filter(|link| {
        let (a, b) = (name_of(first, link.first), name_of(second, link.second));
        a.is_some() && b.is_some() && a != b
    });
    let mut text = String::new();
    for link in differ.take(3) {
        text.push('\n');
        for (graph, entity) in [(first, link.first), (second, link.second)] {
            text.push_str(&format!("  {:<7} {}\n", graph.name, described(graph, entity)));
        }
    }
    text
}

fn name_of(graph: &PreparedGraph, entity: EntityId) -> Option<&str> {
    graph
        .attributes_of(entity)
        .find(|attribute| is_name_key(graph.keys.get(attribute.key.0)))
        .map(|attribute| graph.values.get(attribute.value.0).text)
}

/// An entity's name and a few of its attributes.
fn described(graph: &PreparedGraph, entity: EntityId) -> String {
    let local = |key: &str| key.rsplit(['/', '#', '.']).next().unwrap_or(key).to_owned();
    let others = graph
        .attributes_of(entity)
        .map(|attribute| (graph.keys.get(attribute.key.0), graph.values.get(attribute.value.0).text))
        .filter(|(key, value)| !is_name_key(key) && value.chars().count() < 24);
    let others: Vec<String> = others.take(3).map(|(key, value)| format!("{} {value}", local(key))).collect();
    format!("{:<32} {}", name_of(graph, entity).unwrap_or("?"), others.join(", "))
}
