//! Does the same input give the same bytes?
//!
//! Whatever the number of threads and whatever the order of the lines: a prepared folder depends on what its sources
//! say and on the seed. Only the checksums of the sources in the manifest tell one order of lines from another.

mod workbench;

use std::collections::BTreeMap;

use serde_json::Value;
use workbench::{WORLD, Workbench};

type Files = BTreeMap<String, Vec<u8>>;

/// The names of the files that differ, so that a failure can be read.
fn differing(one: &Files, other: &Files) -> Vec<String> {
    let names = one.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

fn imported(bench: &Workbench, args: &[&str]) -> Files {
    bench.import(&[&WORLD[..], &["--force"], args].concat()).succeeded();
    bench.files("data")
}

/// The manifest without what tells one source from another of the same content.
fn without_source_checksums(files: &mut Files) -> Value {
    let mut manifest: Value = serde_json::from_slice(&files.remove("manifest.json").unwrap()).unwrap();
    for source in manifest["sources"].as_array_mut().unwrap() {
        assert!(source["xxh3"].take().is_string());
    }
    manifest
}

/// The lines in another order, always the same one.
fn shuffled(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut state = 7u64;
    for last in (1..lines.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        lines.swap(last, ((state >> 33) % (last as u64 + 1)) as usize);
    }
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn threads_do_not_matter(scale: &str) {
    let bench = Workbench::new();
    bench.generate(scale);
    let one = imported(&bench, &["--threads", "1"]);
    assert!(one.len() > 20 && one.contains_key("manifest.json"));
    for threads in ["2", "4"] {
        let more = imported(&bench, &["--threads", threads]);
        assert_eq!(differing(&one, &more), [""; 0], "{threads} threads");
    }
}

fn the_order_of_lines_does_not_matter(scale: &str) {
    let bench = Workbench::new();
    bench.generate(scale);
    let mut in_order = imported(&bench, &[]);
    for (name, content) in bench.files("world") {
        let text = String::from_utf8(content).unwrap();
        let other = shuffled(&text);
        assert_ne!(text, other, "{name}");
        bench.put(&format!("world/{name}"), other);
    }
    let mut out_of_order = imported(&bench, &[]);
    assert_ne!(in_order["manifest.json"], out_of_order["manifest.json"]);
    assert_eq!(without_source_checksums(&mut in_order), without_source_checksums(&mut out_of_order));
    assert_eq!(differing(&in_order, &out_of_order), [""; 0]);
}

#[test]
fn any_number_of_threads_imports_the_tiny_world_to_the_same_bytes() {
    threads_do_not_matter("tiny");
}

#[test]
fn any_number_of_threads_imports_the_small_world_to_the_same_bytes() {
    threads_do_not_matter("small");
}

#[test]
fn any_order_of_lines_imports_the_tiny_world_to_the_same_bytes() {
    the_order_of_lines_does_not_matter("tiny");
}

#[test]
fn any_order_of_lines_imports_the_small_world_to_the_same_bytes() {
    the_order_of_lines_does_not_matter("small");
}

#[test]
fn another_seed_draws_otherwise() {
    let bench = Workbench::new();
    bench.generate("tiny");
    let zero = imported(&bench, &["--seed", "0"]);
    assert_eq!(differing(&zero, &imported(&bench, &[])), [""; 0]);
    let one = differing(&zero, &imported(&bench, &["--seed", "1"]));
    for drawn in ["graphs/reel/facts/train.arrow", "graphs/screen/neighbourhoods.arrow", "manifest.json"] {
        assert!(one.iter().any(|name| name == drawn), "{drawn} is not among {one:?}");
    }
    for said in ["graphs/reel/entities.arrow", "graphs/screen/attributes.arrow"] {
        assert!(!one.iter().any(|name| name == said), "{said} is not drawn");
    }
}

#[test]
fn the_world_is_the_same_on_any_number_of_threads_and_another_for_another_seed() {
    let bench = Workbench::new();
    let generated = |args: &[&str]| {
        bench.run(&[&["generate", "--quiet", "--force", "--out", "world"], args].concat()).succeeded();
        bench.files("world")
    };
    for scale in ["tiny", "small"] {
        let one = generated(&["--scale", scale, "--threads", "1"]);
        assert_eq!(differing(&one, &generated(&["--scale", scale, "--threads", "2"])), [""; 0]);
        let other = differing(&one, &generated(&["--scale", scale, "--seed", "1"]));
        assert!(other.iter().any(|name| name == "reel.nt") && other.iter().any(|name| name == "links.tsv"));
    }
}

#[test]
fn what_is_listed_as_skipped_is_the_same_on_any_number_of_threads() {
    let bench = Workbench::new();
    let line = |n: u32| {
        if n % 97 == 13 {
            format!("broken {n}\n")
        } else {
            format!("<http://e/{n}> <http://e/p> <http://e/{}> .\n", n / 2)
        }
    };
    bench.put("g.nt", (0..120_000).map(line).collect::<String>());
    let import = |threads: &str| {
        bench.import(&["--graph", "g=g.nt", "--lenient", "--force", "--threads", threads]).succeeded();
        bench.files("data")
    };
    let one = import("1");
    assert_eq!(differing(&one, &import("4")), [""; 0]);
    let strictly = |threads: &str| {
        bench.run(&["import", "-q", "--graph", "g=g.nt", "--out", "strict", "--threads", threads])
    };
    for threads in ["1", "2", "4"] {
        strictly(threads).failed(1, "g.nt:14:");
    }
}
