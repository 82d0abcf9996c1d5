//! A prepared folder that was damaged: bytes of a table changed, a table or the manifest replaced. The first byte
//! chooses how, the second which table. A damaged folder is refused, or it opens and can be walked over.
#![no_main]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linknbed::clean::CleanConfig;
use linknbed::dataset::{Dataset, ImportConfig, PreparedGraph, import};
use linknbed::graph::EntityId;
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::progress::Silent;
use linknbed_fuzz::{edited, file, folder};

/// A whole folder and the bytes of its files, which are put back after every run.
struct Whole {
    path: PathBuf,
    tables: Vec<(PathBuf, Vec<u8>)>,
    manifest: Vec<u8>,
}

static WHOLE: LazyLock<Whole> = LazyLock::new(|| {
    let facts =
        |name: &str| (0..6).map(|n| format!("{name}{n}\tlikes\t{name}{}\n", n * n % 5)).collect::<String>();
    let a = file("a.tsv", facts("a").as_bytes());
    let b = file("b.nt", b"<x:1> <x:likes> <x:2> .\n<x:1> <x:name> \"One\"@en .\n<x:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <x:T> .\n");
    let links = file("links.tsv", b"a1\tx:1\na2\tx:2\t0\n");
    let path = folder().join("data");
    let config = ImportConfig {
        graphs: vec![("a".to_owned(), a), ("b".to_owned(), b)],
        links: vec![links.display().to_string()],
        stdin: Format::NTriples,
        strictness: Default::default(),
        columns: Vec::new(),
        clean: CleanConfig::default(),
        min_occurrence: BTreeMap::new(),
        prepare: Default::default(),
        out: path.clone(),
        replace: Replace::Existing,
    };
    let report = import(&config, &Silent).expect("an import");
    let read = |path: &Path| std::fs::read(path).expect("a file of the folder");
    let tables = report.manifest.files.iter().map(|file| path.join(&file.path));
    let tables = tables.map(|path| (path.clone(), read(&path))).collect();
    Whole { tables, manifest: read(&path.join("manifest.json")), path }
});

fuzz_target!(|bytes: &[u8]| {
    let [choice, which, bytes @ ..] = bytes else { return };
    let (table, content) = &WHOLE.tables[usize::from(*which) % WHOLE.tables.len()];
    let manifest = WHOLE.path.join("manifest.json");
    match choice % 4 {
        0 => write(&manifest, bytes),
        1 => write(&manifest, &edited(&WHOLE.manifest, bytes)),
        2 => {
            write(table, bytes);
            // The manifest agrees, so that the table itself has to be looked at.
            let mut agreeing: serde_json::Value = serde_json::from_slice(&WHOLE.manifest).expect("JSON");
            for file in agreeing["files"].as_array_mut().expect("a list") {
                if table.ends_with(file["path"].as_str().expect("a path")) {
                    file["bytes"] = bytes.len().into();
                }
            }
            write(&manifest, agreeing.to_string().as_bytes());
        }
        _ => write(table, &edited(content, bytes)),
    }
    if let Ok(dataset) = Dataset::open(&WHOLE.path) {
        walk(&dataset);
        let _ = dataset.verify();
    }
    write(table, content);
    write(&manifest, &WHOLE.manifest);
});

fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).expect("a file");
}

/// Reads everything there is. Ids are compared with the tables before they are used, as nothing checks them at
/// opening; set `CHECK_IDS` to have one that points nowhere reported as a crash.
fn walk(dataset: &Dataset) {
    for graph in &dataset.graphs {
        walk_graph(graph);
    }
    for links in &dataset.links {
        let sizes = [links.first, links.second].map(|graph| dataset.graphs[graph].entities.len());
        for link in links.positives.iter().chain(&links.negatives).flatten() {
            is_row(link.first.0, sizes[0]);
            is_row(link.second.0, sizes[1]);
        }
        for (side, size) in [(0, sizes[1]), (1, sizes[0])] {
            for lists in [&links.same_type_negatives[side], &links.other_type_negatives[side]] {
                for row in 0..lists.len() {
                    lists.get(row).iter().for_each(|&id| _ = is_row(id, size));
                }
            }
        }
    }
}

fn walk_graph(graph: &PreparedGraph) {
    let entities = graph.entities.len();
    for table in [&graph.entities, &graph.relations, &graph.types, &graph.keys] {
        table.iter().for_each(|name| _ = table.find(name));
    }
    for fact in graph.facts.iter().flat_map(|facts| facts.iter()) {
        is_row(fact.subject.0, entities);
        is_row(fact.relation.0, graph.relations.len());
        is_row(fact.object.0, entities);
    }
    for entity in 0..entities as u32 {
        for attribute in graph.attributes_of(EntityId(entity)) {
            if is_row(attribute.value.0, graph.values.len()) {
                let _ = graph.values.get(attribute.value.0).kind();
            }
            is_row(attribute.key.0, graph.keys.len());
        }
        graph.types_of(EntityId(entity)).for_each(|class| _ = is_row(class.0, graph.types.len()));
    }
    for row in 0..graph.neighbourhoods.len() {
        graph.neighbourhoods.get(row).iter().for_each(|&id| _ = is_row(id, entities));
    }
    for (&relation, &class) in graph.typed_relations.iter().zip(&graph.relation_types) {
        is_row(relation, graph.relations.len());
        is_row(class, graph.types.len());
    }
}

fn is_row(id: u32, rows: usize) -> bool {
    static CHECK: LazyLock<bool> = LazyLock::new(|| std::env::var_os("CHECK_IDS").is_some());
    let is = (id as usize) < rows;
    assert!(is || !*CHECK, "the id {id} is no row of {rows}");
    is
}
