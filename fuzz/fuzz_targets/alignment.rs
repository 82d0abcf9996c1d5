//! The table of relations and keys that mean the same, which `merge` reads, for two graphs and for three. The first byte
//! chooses.
#![no_main]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linknbed::clean::CleanConfig;
use linknbed::dataset::{Dataset, ImportConfig, import};
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::merge::{MergeConfig, merge};
use linknbed::progress::Silent;
use linknbed_fuzz::{file, folder};

static TWO_AND_THREE: LazyLock<[Dataset; 2]> = LazyLock::new(|| [prepared(2), prepared(3)]);

/// So many graphs that name one relation and one key differently.
fn prepared(graphs: usize) -> Dataset {
    let graph = |number: usize| {
        let name = ["a", "b", "c"][number];
        let text = format!("<x:1> <x:likes-{name}> <x:2> .\n<x:1> <x:says-{name}> \"One\" .\n<x:1> <x:also> <x:3> .\n");
        (name.to_owned(), file(&format!("{name}.nt"), text.as_bytes()))
    };
    let out = folder().join(format!("merged-{graphs}"));
    let config = ImportConfig {
        graphs: (0..graphs).map(graph).collect(),
        links: Vec::new(),
        stdin: Format::NTriples,
        strictness: Default::default(),
        columns: Vec::new(),
        clean: CleanConfig::default(),
        min_occurrence: BTreeMap::new(),
        prepare: Default::default(),
        out: out.clone(),
        replace: Replace::Existing,
    };
    import(&config, &Silent).expect("an import");
    Dataset::open(&out).expect("a prepared folder")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let path = file("alignment.tsv", bytes);
    let config = MergeConfig { relations: Some(path), ..Default::default() };
    let data = &TWO_AND_THREE[usize::from(choice % 2)];
    let alone = merge(data, &[], &MergeConfig::default(), &Silent).expect("a merge");
    match merge(data, &[], &config, &Silent) {
        // What is aligned becomes one; nothing else changes.
        Ok(merged) => assert!(merged.report.facts.after <= alone.report.facts.after),
        Err(error) => assert!(error.to_string().contains("alignment.tsv"), "{error}"),
    }
});
