//! Tables of links that were found: TSV and CSV behind a header of theirs, and Parquet, a good file with bytes changed or
//! anything at all. The first byte chooses.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linknbed::io::links::{FoundLink, LinkFormat, write_links};
use linknbed_fuzz::links::read_links_both_ways;
use linknbed_fuzz::{allow_guarded_panics, edited, folder};

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let link = |graph_a, entity_a, graph_b, entity_b| FoundLink {
        graph_a,
        entity_a,
        graph_b,
        entity_b,
        probability: 0.5,
        evidence: Some(serde_json::json!({"nats": {"types": 1.0}})),
    };
    let path = folder().join("good-links.parquet");
    let links = [link("a", "a", "b", "b"), link("a", "http://e/a", "b", "2")];
    write_links(&path, LinkFormat::Parquet, &links).expect("a file of links");
    std::fs::read(path).expect("a Parquet file")
});

fuzz_target!(|bytes: &[u8]| {
    allow_guarded_panics();
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let with = |header: &[u8]| [header, bytes].concat();
    match choice % 7 {
        0 => read_links_both_ways("l.tsv", &with(b"graph_a\tentity_a\tgraph_b\tentity_b\tprobability\n")),
        1 => read_links_both_ways("l.tsv", &with(b"entity_b\tprobability\tentity_a\tevidence\n")),
        2 => read_links_both_ways("l.csv", &with(b"graph_a,entity_a,graph_b,entity_b,probability\n")),
        3 => read_links_both_ways("l.tsv", &with(b"graph_a\t")),
        4 => read_links_both_ways("l.parquet", bytes),
        _ => read_links_both_ways("l.parquet", &edited(&GOOD, bytes)),
    }
});
