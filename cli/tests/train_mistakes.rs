//! What does `train` say when it cannot do what it is asked for?
//!
//! One line that names what is wrong, an exit code, and nothing lost.

mod workbench;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use workbench::{LINKNBED, SMALL, Workbench};

fn films() -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench
}

/// A run that is done.
fn trained() -> Workbench {
    let bench = films();
    bench.train("run", &[]).succeeded();
    bench
}

#[test]
fn data_that_is_not_there_or_is_something_else() {
    let bench = trained();
    let train = |data: &str| bench.run(&["train", data, "--out", "new", "--quiet"]);
    train("nowhere").said(1, "nowhere: no such file or folder");
    train("run").said(1, "run: is a run; expected a prepared folder");
    train("world").said(1, "world: not a prepared folder: it has no manifest.json");
    assert!(!bench.path("new").exists());
    bench
        .run(&["inspect", "world"])
        .said(1, "world: is neither a prepared folder nor a run: it has no manifest.json and no run.json");
    bench
        .run(&["export", "data", "--what", "entities", "--format", "npy", "--out", "x"])
        .said(1, "data: is no run: it has no run.json; `train` writes runs");
    bench
        .run(&["export", "nowhere", "--what", "entities", "--format", "npy", "--out", "x"])
        .said(1, "nowhere: no such file or folder");
}

#[test]
fn a_model_that_the_machine_cannot_hold() {
    let bench = films();
    bench
        .train("run", &["--set", "model.features=4294967295", "--set", "model.attribute=65536"])
        .failed(2, "the tables of this model and what the optimizer remembers are 3377")
        .saying("; smaller sizes (model.entity, model.features) need less");
    assert!(!bench.path("run/run.json").exists());
}

#[test]
fn data_without_validation_facts_is_told() {
    let bench = films();
    let import = ["--graph", "screen=world/screen", "--force"];
    let train = ["train", "data", "--out", "run", "--force", "--set", "training.epochs=1"];
    let told = "no validation facts are kept back: all epochs are learned, and the last model is kept; \
                `import --split 0.6,0.1,0.3` would keep some\n";
    bench.import(&import).succeeded();
    bench.run(&train).succeeded().saying(told);
    let silent = |args: &[&str]| assert!(!bench.run(args).succeeded().stderr.contains("validation facts"));
    silent(&[&train[..], &["--set", "validation.every=0"]].concat());
    bench.import(&[&import[..], &["--split", "0.6,0.1,0.3"]].concat()).succeeded();
    silent(&train);
}

#[test]
fn data_without_training_facts() {
    let bench = Workbench::new();
    bench.put("a/attributes.tsv", "x\tname\tXavier\n");
    bench.import(&["--graph", "a=a"]).succeeded();
    bench.train("run", &[]).said(1, "data: has no training facts to learn from");
}

#[test]
fn a_run_that_is_there_is_not_lost() {
    let bench = trained();
    let before = bench.files("run");
    bench.train("run", &[]).said(2, "run is a run already; --resume continues it, --force begins it anew");
    bench.train("world", &["--force"]).said(2, "world exists already, and is no run");
    bench.train("world", &["--resume"]).said(2, "world exists already, and is no run");
    bench
        .train("run", &["--force", "--resume"])
        .failed_at_length(2, "the argument '--force' cannot be used with");
    assert!(bench.files("run") == before);
    bench.train("run", &["--force", "--set", "training.epochs=1"]).succeeded();
    assert!(bench.last_checkpoint("run").1 != before["checkpoints/best.safetensors"]);
}

#[test]
fn an_output_that_cannot_be_written() {
    let bench = films();
    bench.put("file", "");
    bench.train("file/run", &[]).failed(1, "file/run: Not a directory");
    bench.train("file", &[]).said(2, "file exists already, and is no run");
}

#[test]
fn settings_that_are_wrong_are_named_before_anything_is_written() {
    let bench = films();
    let refused = |args: &[&str], message: &str| {
        bench.train("run", args).said(2, message);
        assert!(!bench.path("run").exists());
    };
    bench
        .train("run", &["--preset", "best"])
        .failed(2, "preset: found \"best\", expected paper or default, or a");
    refused(&["--set", "model.entitty=4"], "model.entitty: no such key; did you mean model.entity?");
    refused(&["--set", "optimizer.rate=fast"], "optimizer.rate: found fast, expected a number");
}

#[test]
fn a_graph_to_validate_on_that_is_not_there() {
    let bench = films();
    let args = ["--set", "validation.graphs=[\"moon\"]"];
    bench.train("run", &args).said(2, "validation.graphs names moon; the graphs are screen, reel");
    let args = ["--set", "training.graphs=[\"reel\", \"moon\"]"];
    bench.train("run", &args).said(2, "training.graphs names moon; the graphs are screen, reel");
}

#[test]
fn a_training_that_diverges_says_where() {
    let bench = films();
    let ran = bench.train("run", &["--set", "optimizer.rate=1e30"]);
    let message = ran.stderr.clone();
    ran.failed(1, "at step 2 ");
    let advice = "is no longer finite; a smaller optimizer.rate, or a longer optimizer.warmup, may help\n";
    assert!(message.ends_with(advice), "{message}");
    bench.run(&["inspect", "run"]).succeeded();
}

/// Puts another content into the newest checkpoint; both going on and exporting must refuse it.
#[track_caller]
fn damaged(damage: impl FnOnce(&mut Vec<u8>), message: &str) {
    let bench = trained();
    let (step, mut bytes) = bench.last_checkpoint("run");
    damage(&mut bytes);
    let name = format!("run/checkpoints/step-{step:08}.safetensors");
    bench.put(&name, bytes);
    fs::remove_file(bench.path("run/checkpoints/best.safetensors")).unwrap();
    let expected = format!("{name}: {message}");
    bench.run(&["train", "data", "--out", "run", "--resume", "-q"]).failed(1, &expected);
    bench
        .run(&["export", "run", "--what", "entities", "--format", "npy", "--out", "x.npy", "-q"])
        .failed(1, &expected);
    bench.run(&["inspect", "run"]).failed(1, &expected);
    assert!(!bench.path("x.npy").exists());
}

#[test]
fn a_checkpoint_that_is_damaged_or_truncated() {
    damaged(|bytes| *bytes.last_mut().unwrap() ^= 1, "the file is damaged: its checksum is ");
    damaged(|bytes| bytes.truncate(bytes.len() - 4), "the file is truncated: expected ");
    damaged(|bytes| bytes.truncate(100), "this is not a safetensors file, or it is truncated: ");
    damaged(Vec::clear, "this is not a safetensors file: it is too short");
}

#[test]
fn a_checkpoint_of_another_model() {
    let bench = trained();
    bench.train("wide", &["--set", "model.hidden=9"]).succeeded();
    let (step, bytes) = bench.last_checkpoint("wide");
    let name = format!("run/checkpoints/step-{step:08}.safetensors");
    bench.put(&name, bytes);
    let message = format!("{name}: the tensor \"W1\" has the shape [9, 16], expected [8, 16]");
    bench.run(&["train", "data", "--out", "run", "--resume", "-q"]).said(1, &message);
}

#[test]
fn a_checkpoint_of_another_tool() {
    let bench = trained();
    let (step, _) = bench.last_checkpoint("run");
    let name = format!("run/checkpoints/step-{step:08}.safetensors");
    bench.put(&name, [&2u64.to_le_bytes()[..], b"{}"].concat());
    let resumed = bench.run(&["train", "data", "--out", "run", "--resume", "-q"]);
    resumed.said(1, &format!("{name}: has no checksum, so that it was not written by `train`"));
}

#[test]
fn a_run_whose_own_files_are_damaged() {
    let bench = trained();
    let refused = |file: &str, content: &str, beginning: &str| {
        let before = fs::read(bench.path(file)).unwrap();
        bench.put(file, content);
        bench.run(&["inspect", "run"]).failed(1, beginning);
        bench.run(&["train", "data", "--out", "run", "--resume", "-q"]).failed(1, beginning);
        bench.put(file, before);
    };
    refused("run/run.json", "{", "run/run.json: is not what a run has: ");
    let newer =
        r#"{"format": "linknbed-run", "version": 2, "program": "9", "data": "data", "data_xxh3": ""}"#;
    refused(
        "run/run.json",
        newer,
        "run/run.json: is of another kind: linknbed-run 2, expected linknbed-run 1",
    );
    refused("run/config.toml", "seed = 'x'\n", "run/config.toml:1: seed: found ");
    let config = fs::read_to_string(bench.path("run/config.toml")).unwrap();
    let without: Vec<&str> = config.lines().filter(|line| !line.starts_with("vectors = ")).collect();
    refused("run/config.toml", &without.join("\n"), "run/config.toml: model.vectors: is missing; ");
    let trace = fs::read_to_string(bench.path("run/trace.jsonl")).unwrap();
    bench.put("run/trace.jsonl", format!("nonsense\n{trace}"));
    bench.run(&["inspect", "run"]).failed(1, "run/trace.jsonl:1: is no line of a trace: ");
}

#[test]
fn other_data_than_the_run_was_begun_with() {
    let bench = trained();
    let import = ["import", "--graph", "screen=world/screen", "--out", "other", "--quiet"];
    bench.run(&import).succeeded();
    bench
        .run(&["train", "other", "--out", "run", "--resume", "-q"])
        .said(1, "other: is not the data that run was begun with");
    let export = ["export", "run", "--what", "relations", "--format", "npy", "--out", "x.npy", "-q"];
    bench
        .run(&[&export[..], &["--data", "other"]].concat())
        .said(1, "other: is not the data that run was trained on");
    // Data that has moved is the same data.
    fs::rename(bench.path("data"), bench.path("moved")).unwrap();
    let missing = bench.run(&export);
    let told = "data: is not there any more, and run was trained on it; --data says where it is now\n";
    assert!(missing.stderr.ends_with(told), "{}", missing.stderr);
    missing.failed(1, "");
    bench.run(&[&export[..], &["--data", "moved"]].concat()).succeeded();
    bench.run(&["train", "moved", "--out", "run", "--resume", "-q"]).succeeded();
}

#[test]
fn two_trainings_of_one_run() {
    let bench = films();
    let mut first = Command::new(LINKNBED)
        .current_dir(bench.path("."))
        .args(["train", "data", "--out", "run", "--quiet"])
        .args(SMALL)
        .args(["--set", "training.epochs=1000000"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !bench.path("run/trace.jsonl").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the first training ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    bench
        .run(&["train", "data", "--out", "run", "--resume", "-q"])
        .said(2, "another process is training run right now");
    bench.train("run", &["--force"]).said(2, "another process is training run right now");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// What cannot begin leaves no run behind that would stand in the way of the next try.
#[test]
fn first_vectors_that_cannot_be_read() {
    let bench = films();
    bench.put("noise", "\u{1}\u{2} no vectors\n");
    let noise = ["--set", "initial.from=words", "--set", "initial.path=noise"];
    bench.train("run", &noise).failed(1, "noise:");
    assert!(!bench.path("run/run.json").exists());
    bench.train("run", &[]).succeeded();
}
