//! Reading what was written gives the same graph, in every format.

use std::fs::File;
use std::path::Path;

use linknbed::graph::{Graph, GraphBuilder, Part, Value};
use linknbed::io::source::{Format, find_graphs};
use linknbed::io::staging::Replace;
use linknbed::io::write::{write_folder, write_rdf};
use linknbed::io::{ReadOptions, read_graph};
use linknbed::progress::Silent;
use proptest::prelude::*;

/// A row: an entity, a property, another entity, a text, and which kind of row it is.
type Row = (u8, u8, u8, String, u8);

fn entity(number: u8) -> String {
    match number % 4 {
        0 => format!("http://example.org/entity/{number}"),
        1 => format!("tt{number:07}"),
        2 => format!("http://example.org/é/{number}#x"),
        _ => format!("a plain id: 50% of {number} <&>"),
    }
}

fn property(number: u8) -> String {
    if number.is_multiple_of(2) { format!("http://example.org/p{number}") } else { format!("plain {number}") }
}

fn build(rows: &[Row], part: impl Fn(u8) -> Part) -> Graph {
    let mut builder = GraphBuilder::default();
    // One row that is always there, so that no graph is empty.
    builder.fact(part(0), &entity(0), &property(0), &entity(1));
    for (a, p, b, text, kind) in rows {
        let (a, p) = (entity(*a), property(*p));
        match kind % 5 {
            0 | 1 => builder.fact(part(*kind), &a, &p, &entity(*b)),
            2 => builder.attribute(&a, &p, Value { text, qualifier: ["", "@en", "@de"][*b as usize % 3] }),
            3 => builder.attribute(&a, &p, Value { text, qualifier: "^^http://example.org/metre" }),
            _ => builder.typing(&a, &p),
        }
    }
    builder.finish("g")
}

fn read(path: &Path) -> Graph {
    let sources = find_graphs(&[("g".to_owned(), path.to_path_buf())], Format::NTriples).unwrap();
    read_graph(&sources[0], &ReadOptions::default(), &Silent).unwrap().0
}

fn rows(text: &'static str) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0..12u8, 0..6u8, 0..12u8, text, 0..10u8), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn rdf(rows in rows("[a-z \"\\\\<>&é\u{1F600}\n\t]{0,8}")) {
        let mut graph = build(&rows, |_| Part::Undivided);
        let home = tempfile::tempdir().unwrap();
        // RDF is a set of statements.
        graph.facts.part_mut(Part::Undivided).dedup();
        graph.attributes.dedup();
        graph.typings.dedup();
        for (extension, format) in [
            ("nt", Format::NTriples),
            ("nq", Format::NQuads),
            ("ttl", Format::Turtle),
            ("trig", Format::TriG),
            ("rdf", Format::RdfXml),
            ("jsonld", Format::JsonLd),
        ] {
            let path = home.path().join(format!("g.{extension}"));
            write_rdf(&graph, format, File::create(&path).unwrap(), &path).unwrap();
            let mut back = read(&path);
            back.facts.part_mut(Part::Undivided).dedup();
            back.attributes.dedup();
            back.typings.dedup();
            prop_assert!(back == graph, "{extension}: {}", std::fs::read_to_string(&path).unwrap());
        }
    }

    #[test]
    fn csv_and_parquet(rows in rows("[a-z ,\"é\n\t]{1,8}")) {
        let graph = build(&rows, |kind| Part::ASSIGNED[kind as usize % 3]);
        let home = tempfile::tempdir().unwrap();
        for format in [Format::Csv, Format::Parquet] {
            let folder = home.path().join(format!("{format:?}"));
            write_folder(&graph, format, &folder, Replace::Never).unwrap();
            prop_assert!(read(&folder) == graph, "{format:?}");
        }
    }

    #[test]
    fn tsv(rows in rows("[a-z ,\"'\\\\é]{1,8}"), undivided in any::<bool>()) {
        let graph = build(&rows, |kind| {
            if undivided { Part::Undivided } else { Part::ASSIGNED[kind as usize % 3] }
        });
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("g");
        write_folder(&graph, Format::Tsv, &folder, Replace::Never).unwrap();
        prop_assert!(read(&folder) == graph);
    }
}

#[test]
fn blank_nodes_and_same_as_survive_n_triples() {
    let mut builder = GraphBuilder::default();
    builder.fact(Part::Undivided, "_:b0", "http://e/likes", "_:b1");
    builder.fact(Part::Undivided, "_:b1", "http://e/likes", "http://e/a");
    builder.attribute("_:b0", "http://e/name", Value { text: "nobody", qualifier: "@en" });
    builder.typing("_:b1", "http://e/Thing");
    builder.same_as("http://e/a", "http://elsewhere/a");
    builder.same_as("http://elsewhere/b", "_:b0");
    let graph = builder.finish("g");
    let home = tempfile::tempdir().unwrap();
    for (extension, format) in [("nt", Format::NTriples), ("nq", Format::NQuads)] {
        let path = home.path().join(format!("g.{extension}"));
        write_rdf(&graph, format, File::create(&path).unwrap(), &path).unwrap();
        assert!(read(&path) == graph, "{extension}");
    }
}

#[test]
fn every_compression_is_read() {
    use std::io::Write;
    let graph = build(&[(1, 2, 3, String::new(), 0), (4, 1, 5, "x".into(), 2)], |_| Part::Undivided);
    let home = tempfile::tempdir().unwrap();
    let plain = home.path().join("g.nt");
    write_rdf(&graph, Format::NTriples, File::create(&plain).unwrap(), &plain).unwrap();
    let bytes = std::fs::read(&plain).unwrap();
    let save = |name: &str, bytes: Vec<u8>| {
        let path = home.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let gz = |bytes: &[u8]| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    };
    let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz.write_all(&bytes).unwrap();
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    xz.write_all(&bytes).unwrap();
    let half = bytes.len() / 2;
    for path in [
        save("a.nt.gz", gz(&bytes)),
        // Some dumps are many gzip files put together.
        save("b.nt.gz", [gz(&bytes[..half]), gz(&bytes[half..])].concat()),
        save("c.nt.bz2", bz.finish().unwrap()),
        save("d.nt.zst", zstd::encode_all(&bytes[..], 1).unwrap()),
        save("e.nt.xz", xz.finish().unwrap()),
    ] {
        assert!(read(&path) == graph, "{}", path.display());
    }
}
