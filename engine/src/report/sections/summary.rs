//! What was learned from, and with which settings?

use super::super::contents::{DataSummary, Parts, RunSummary};
use super::super::markup::Html;
use super::super::numbers;
use super::super::tables::{Cell, Row, Table};
use super::{section, terms};

/// The size of graphs and links.
pub(in crate::report) fn write_data(html: &mut Html, data: &DataSummary) {
    section(html, "data", "Data", |html| {
        if !data.graphs.is_empty() {
            graphs(data).write(html);
            facts_by_part(data).write(html);
        }
        if !data.links.is_empty() {
            by_part("Known links, by part", "pair", data.links.iter().map(|(name, parts)| (name, *parts)))
                .write(html);
        }
    });
}

fn graphs(data: &DataSummary) -> Table {
    let rows = data.graphs.iter().map(|(name, graph)| {
        let counts = [
            graph.entities,
            graph.relations,
            graph.attributes,
            graph.attribute_keys,
            graph.types,
            graph.typed_entities,
        ];
        Row::Cells(name.clone(), counts.map(Cell::Count).into())
    });
    Table {
        caption: "What each graph holds".to_owned(),
        columns: vec!["graph", "entities", "relations", "attributes", "keys", "types", "typed entities"],
        rows: rows.collect(),
    }
}

fn facts_by_part(data: &DataSummary) -> Table {
    let mut table =
        by_part("Facts, by part", "graph", data.graphs.iter().map(|(name, graph)| (name, graph.splits)));
    table.columns.push("all");
    for (row, (_, graph)) in table.rows.iter_mut().zip(&data.graphs) {
        if let Row::Cells(_, cells) = row {
            cells.push(Cell::Count(graph.triples));
        }
    }
    table
}

fn by_part<'a>(caption: &str, of: &'static str, rows: impl Iterator<Item = (&'a String, Parts)>) -> Table {
    let rows = rows.map(|(name, parts)| {
        Row::Cells(name.clone(), [parts.train, parts.valid, parts.test].map(Cell::Count).into())
    });
    Table { caption: caption.to_owned(), columns: vec![of, "train", "valid", "test"], rows: rows.collect() }
}

/// How it was learned.
pub(in crate::report) fn write_run(html: &mut Html, run: &RunSummary) {
    section(html, "settings", "Settings", |html| {
        let mut about = vec![
            ("preset", run.preset.clone()),
            ("seed", run.seed.to_string()),
            ("epochs", numbers::tick(run.epochs)),
            ("steps", numbers::count(run.steps)),
            ("parameters", numbers::count(run.parameters)),
        ];
        about.extend(run.seconds.map(|seconds| ("time", numbers::duration(seconds))));
        about.push(("version", run.program.clone()));
        about.retain(|(_, value)| !value.is_empty());
        terms(html, &about);
        if !run.settings.is_empty() {
            let settings: Vec<(&str, String)> =
                run.settings.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
            html.leaf("h3", &[], "Keys that were chosen");
            terms(html, &settings);
        }
    });
}
