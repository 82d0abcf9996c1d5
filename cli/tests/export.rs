//! Do others get what was learned?
//!
//! `export` writes the same vectors in every format, with the right names, and they are what the equations say;
//! `inspect` of a run counts what its checkpoints hold.

mod workbench;

use std::collections::BTreeMap;
use std::fs;

use linknbed::io::vectors::{Tensors, WordVectors};
use serde_json::Value;
use workbench::Workbench;

fn set<'a>(values: &[&'a str]) -> Vec<&'a str> {
    values.iter().flat_map(|value| ["--set", value]).collect()
}

/// A table of a file of tensors, with its shape.
fn tensor(bench: &Workbench, file: &str, name: &str) -> (Vec<usize>, Vec<f32>) {
    let tensors = Tensors::open(&bench.path(file)).unwrap();
    let shape = tensors.shape(name).unwrap_or_else(|| panic!("{name} is not in {file}")).to_vec();
    let mut numbers = vec![0.0; shape.iter().product()];
    tensors.read_into(name, &shape, &mut numbers).unwrap();
    (shape, numbers)
}

/// Exports as `x.FORMAT`, over what is there.
#[track_caller]
fn export(bench: &Workbench, what: &str, format: &str, args: &[&str]) -> String {
    let out = format!("x.{format}");
    let base = ["export", "run", "--what", what, "--format", format, "--out", &out, "--quiet", "--force"];
    bench.run(&[&base[..], args].concat()).succeeded().stdout
}

/// The exported vectors by graph and name.
#[track_caller]
fn exported(bench: &Workbench, what: &str, args: &[&str]) -> (usize, BTreeMap<(String, String), Vec<f32>>) {
    export(bench, what, "safetensors", args);
    let (shape, numbers) = tensor(bench, "x.safetensors", "vectors");
    let names = fs::read_to_string(bench.path("x.names.tsv")).unwrap();
    let names: Vec<_> = names.lines().map(|line| line.split_once('\t').unwrap()).collect();
    assert_eq!(names.len(), shape[0]);
    let rows = names.into_iter().zip(numbers.chunks(shape[1]));
    let rows: BTreeMap<_, _> =
        rows.map(|((graph, name), row)| ((graph.to_owned(), name.to_owned()), row.to_vec())).collect();
    assert_eq!(rows.len(), shape[0], "a name comes twice");
    (shape[1], rows)
}

fn films(args: &[&str]) -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench.train("run", args).succeeded();
    bench
}

#[test]
fn every_format_holds_the_same() {
    let bench = films(&[]);
    let counts = bench.inspected("data");
    let entities: u64 =
        ["screen", "reel"].iter().map(|graph| counts["graphs"][graph]["entities"].as_u64().unwrap()).sum();
    for (what, vectors, width) in [
        ("entities", "representation", 8),
        ("entities", "own", 16),
        ("relations", "representation", 8),
        ("relations", "own", 8),
    ] {
        let args = ["--vectors", vectors];
        let (found, rows) = exported(&bench, what, &args);
        assert_eq!(found, width);
        if what == "entities" {
            assert_eq!(rows.len() as u64, entities);
        }
        let (shape, numbers) = tensor(&bench, "x.safetensors", "vectors");
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();

        let said = export(&bench, what, "npy", &args);
        let npy = fs::read(bench.path("x.npy")).unwrap();
        assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(&bytes));
        let header = String::from_utf8_lossy(&npy[..npy.len() - bytes.len()]).into_owned();
        assert!(header.contains(&format!("({}, {})", shape[0], shape[1])), "{header}");
        let end = format!("{width} numbers, after {} steps: x.npy, x.names.tsv\n", best_step(&bench));
        assert!(said.ends_with(&end), "{said}");

        export(&bench, what, "word2vec", &args);
        let words = WordVectors::read(&bench.path("x.word2vec")).unwrap();
        assert_eq!((words.width(), words.count()), (width, rows.len()));
        for ((graph, name), row) in &rows {
            let word = format!("{graph}:{}", name.replace(' ', "_"));
            assert_eq!(words.get(&word), Some(&row[..]), "{word}");
        }

        export(&bench, what, "parquet", &args);
        let parquet = fs::read(bench.path("x.parquet")).unwrap();
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    }
}

fn best_step(bench: &Workbench) -> u64 {
    let inspected = bench.run(&["inspect", "run", "--json"]).succeeded().stdout;
    serde_json::from_str::<Value>(&inspected).unwrap()["best"]["step"].as_u64().unwrap()
}

/// z = tanh(W max(least, v)) for the rows of a table, from the tensors of the checkpoint.
fn represented(bench: &Workbench, rows: &str, matrix: &str, least: f32) -> Vec<f32> {
    let file = "run/checkpoints/best.safetensors";
    let ((shape, rows), (_, matrix)) = (tensor(bench, file, rows), tensor(bench, file, matrix));
    let product = |row: &[f32], weights: &[f32]| -> f64 {
        row.iter().zip(weights).map(|(x, w)| f64::from(x.max(least)) * f64::from(*w)).sum()
    };
    let width = shape[1];
    let z = |row: &[f32]| -> Vec<f32> {
        matrix.chunks(width).map(|weights| product(row, weights).tanh() as f32).collect()
    };
    rows.chunks(width).flat_map(z).collect()
}

#[test]
fn representations_are_what_the_equations_say() {
    for (vectors, least) in [("model.vectors=relu", 0.0), ("model.vectors=identity", f32::NEG_INFINITY)] {
        let off = [vectors, "contexts.neighbourhood=off", "contexts.attributes=off", "contexts.types=off"];
        let bench = films(&set(&off));
        for (what, rows, matrix) in [("entities", "W^E", "W1"), ("relations", "W^R", "W4")] {
            let expected = represented(&bench, rows, matrix, least);
            export(&bench, what, "safetensors", &[]);
            let (_, found) = tensor(&bench, "x.safetensors", "vectors");
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-5, "{vectors}, {what}: {found} instead of {expected}");
            }
            export(&bench, what, "safetensors", &["--vectors", "own"]);
            let own = tensor(&bench, "x.safetensors", "vectors");
            assert_eq!(own, tensor(&bench, "run/checkpoints/best.safetensors", rows));
        }
    }
}

#[test]
fn relations_that_graphs_share_are_listed_once() {
    let bench = Workbench::new();
    bench.put("a.tsv", "x\tknows\ty\ny\tlikes\tx\nx\tmet\ty\n").put("b.tsv", "u\tknows\tv\nv\tsaw\tu\n");
    bench.import(&["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--split", "1,0,0"]).succeeded();
    let listed = |args: &[&str]| {
        bench.train("run", &[args, &["--force"]].concat()).succeeded();
        let (_, rows) = exported(&bench, "relations", &[]);
        rows.into_keys().map(|(graph, name)| format!("{graph}:{name}")).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["a:knows", "a:likes", "a:met", "b:saw"]);
    let apart = listed(&set(&["model.share=nothing"]));
    assert_eq!(apart, ["a:knows", "a:likes", "a:met", "b:knows", "b:saw"]);
    let (_, entities) = exported(&bench, "entities", &[]);
    let entities: Vec<_> = entities.into_keys().map(|(graph, name)| format!("{graph}:{name}")).collect();
    assert_eq!(entities, ["a:x", "a:y", "b:u", "b:v"]);
}

#[test]
fn one_graph_needs_no_name_in_word2vec() {
    let bench = Workbench::new();
    bench.put("a.tsv", "x\tknows well\ty\ny\tknows well\tz\n");
    bench.import(&["--graph", "a=a.tsv", "--split", "1,0,0"]).succeeded();
    bench.train("run", &[]).succeeded();
    export(&bench, "relations", "word2vec", &[]);
    let text = fs::read_to_string(bench.path("x.word2vec")).unwrap();
    assert!(text.starts_with("1 8\nknows_well "), "{text}");
}

#[test]
fn nothing_is_replaced_unasked() {
    let bench = films(&[]);
    let base = ["export", "run", "--what", "entities", "--quiet"];
    let run = |args: &[&str]| bench.run(&[&base[..], args].concat());
    bench.put("mine.npy", "mine").put("other.names.tsv", "mine");
    run(&["--format", "npy", "--out", "mine.npy"]).said(2, "mine.npy exists already; --force replaces it");
    let names = "other.names.tsv exists already; --force replaces it";
    run(&["--format", "npy", "--out", "other.npy"]).said(2, names);
    run(&["--format", "npy", "--out", "data", "--force"])
        .said(2, "data is a folder; expected the name of a file");
    run(&["--format", "npy", "--out", "nowhere/x.npy"]).said(2, "nowhere/x.npy: there is no folder nowhere");
    assert_eq!(bench.files(".")["mine.npy"], b"mine");
    run(&["--format", "parquet", "--out", "other.parquet"]).succeeded();
    run(&["--format", "npy", "--out", "mine.npy", "--force"]).succeeded();
    run(&["--format", "csv", "--out", "x"])
        .failed_at_length(2, "invalid value 'csv' for '--format <FORMAT>'");
    run(&["--format", "csv", "--out", "x"]).saying("[possible values: npy, parquet, word2vec, safetensors]");
}

#[test]
fn a_run_without_a_checkpoint_has_nothing_to_export() {
    let bench = films(&[]);
    fs::remove_dir_all(bench.path("run/checkpoints")).unwrap();
    bench
        .run(&["export", "run", "--what", "entities", "--format", "npy", "--out", "x.npy", "-q"])
        .said(1, "run: has no checkpoint yet; `train --resume` continues a run");
    let inspected = bench.run(&["inspect", "run"]).succeeded().stdout;
    assert!(inspected.contains("steps     0; `linknbed train --resume` goes on\n"), "{inspected}");
    assert!(inspected.ends_with("no checkpoint yet\n"), "{inspected}");
    let json = bench.run(&["inspect", "run", "--json"]).succeeded().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["steps"], &json["parameters"], &json["ended"]),
        (&0.into(), &Value::Null, &Value::Null)
    );
}

#[test]
fn entities_without_vectors_of_their_own() {
    let bench = films(&set(&["contexts.own=false", "contexts.neighbourhood=off"]));
    let own = [
        "export",
        "run",
        "--what",
        "entities",
        "--format",
        "npy",
        "--out",
        "x.npy",
        "-q",
        "--vectors",
        "own",
    ];
    bench.run(&own).said(
        2,
        "entities have no vectors of their own in this run, as contexts.own is false and contexts.neighbourhood \
         is \"off\"; their representations can be exported",
    );
    assert_eq!(exported(&bench, "entities", &[]).0, 8);
}

#[test]
fn a_run_that_was_never_judged_is_exported_as_it_is_last() {
    let bench = films(&set(&["validation.every=0"]));
    let (step, _) = bench.last_checkpoint("run");
    let said = export(&bench, "entities", "npy", &["--json"]);
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap()["step"], step);
    let file = format!("run/checkpoints/step-{step:08}.safetensors");
    export(&bench, "entities", "safetensors", &["--vectors", "own"]);
    assert_eq!(tensor(&bench, "x.safetensors", "vectors"), tensor(&bench, &file, "W^E"));
}

#[test]
fn inspect_counts_what_a_run_holds() {
    for method in ["adam", "adagrad"] {
        let bench = films(&set(&[&format!("optimizer.method={method}"), "contexts.attention=true"]));
        let json = bench.run(&["inspect", "run", "--json", "--verify"]).succeeded().stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        let (step, _) = bench.last_checkpoint("run");
        assert_eq!(
            (&json["steps"], &json["ended"], &json["kind"]),
            (&step.into(), &"epochs".into(), &"run".into())
        );
        assert!((json["epoch"].as_f64().unwrap() - 3.0).abs() < 1e-9);
        assert_eq!(json["config"]["optimizer"]["method"], method);

        let tensors =
            Tensors::open(&bench.path(&format!("run/checkpoints/step-{step:08}.safetensors"))).unwrap();
        let numbers = |name: &str| tensors.shape(name).unwrap().iter().product::<usize>() as u64;
        let all: u64 = tensors.names().map(numbers).sum();
        let own = |name: &&str| !name.contains(" / ");
        let parameters: u64 = tensors.names().filter(own).map(numbers).sum();
        assert_eq!(json["parameters"], parameters);
        assert_eq!(json["bytes"], 4 * parameters);
        assert_eq!(json["bytes_with_optimizer"], 4 * all);
        let vectors: u64 = ["W^E", "W^E", "W^R", "W^T", "W^key", "W^val"].map(numbers).iter().sum();
        assert_eq!(json["parameters_by_the_papers_formula"], vectors * 9);

        let judged: Vec<Value> =
            bench.trace("run").into_iter().filter(|line| line.get("validation").is_some()).collect();
        let best = judged.iter().rfind(|line| line["best"] == true).unwrap();
        assert_eq!((&json["best"]["step"], &json["best"]["value"]), (&best["step"], &best["value"]));
        assert_eq!(json["best"]["graphs"], best["validation"]);
        assert_eq!(json["last"]["step"], judged.last().unwrap()["step"]);
    }
}

#[test]
fn inspect_says_that_it_verified() {
    let bench = films(&[]);
    for (what, known) in [
        ("data", "every file has its checksum, and every number names something"),
        ("run", "every checkpoint can be read"),
    ] {
        let inspect = |args: &[&str]| bench.run(&[&["inspect", what], args].concat()).succeeded().stdout;
        assert_eq!(inspect(&["--verify"]), inspect(&[]) + &format!("\nverified: {known}\n"));
        assert!(inspect(&["--verify", "--json"]).contains("\"verified\": true"));
        assert!(!inspect(&["--json"]).contains("verified"));
    }
}

#[test]
fn inspect_tells_people_the_same() {
    let bench = films(&[]);
    let text = bench.run(&["inspect", "run"]).succeeded().stdout;
    let (step, _) = bench.last_checkpoint("run");
    let rate = linknbed::config::Config::preset("default").unwrap().optimizer.rate;
    let data = fs::canonicalize(bench.path("data")).unwrap();
    for line in [
        format!("a run of linknbed {} on {}", env!("CARGO_PKG_VERSION"), data.display()),
        format!("steps     {step}, 3.0 of 3 epochs; done"),
        "model     linknbed".to_owned(),
        format!("settings  seed 0, loss softmax, negatives shared, adam with rate {rate}, batch 200"),
        "contexts  own, neighbourhood mean, attributes max, types mean".to_owned(),
        "sizes     entity 16, relation 8, type 4, attribute 4, hidden 8".to_owned(),
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in:\n{text}");
    }
    assert!(
        text.lines().any(|line| line.starts_with("W1 ") && line.ends_with("8 × 16         128")),
        "{text}"
    );
}
