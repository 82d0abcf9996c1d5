//! Parquet: a good file with some of its bytes changed, or anything at all. The first byte chooses.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use linknbed::graph::{GraphBuilder, Part, Value};
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::io::write::write_folder;
use linknbed_fuzz::{allow_guarded_panics, edited, folder, read_both_ways};

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut builder = GraphBuilder::default();
    for n in 0..20 {
        builder.fact(Part::Undivided, &format!("e{n}"), "likes", &format!("e{}", n * n % 7));
        builder.attribute(&format!("e{n}"), "name", Value::plain("someone"));
    }
    let folder = folder().join("good");
    write_folder(&builder.finish("g"), Format::Parquet, &folder, Replace::Existing).expect("a folder");
    std::fs::read(folder.join("triples.parquet")).expect("a Parquet file")
});

fuzz_target!(|bytes: &[u8]| {
    allow_guarded_panics();
    let Some((choice, bytes)) = bytes.split_first() else { return };
    match choice % 4 {
        0 => read_both_ways("triples.parquet", bytes, &Default::default()),
        1 => {
            let framed = [b"PAR1", bytes, &(bytes.len() as u32).to_le_bytes(), b"PAR1"].concat();
            read_both_ways("triples.parquet", &framed, &Default::default());
        }
        _ => read_both_ways("triples.parquet", &edited(&GOOD, bytes), &Default::default()),
    }
});
