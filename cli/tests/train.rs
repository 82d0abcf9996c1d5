//! Does a training give the same bits, however it is run?
//!
//! On any number of threads, and whether it is killed, interrupted and continued or not. Checkpoints are compared byte
//! for byte: parameters, what the optimizers remember, and the state of the trainer.

mod workbench;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use workbench::{LINKNBED, SMALL, Workbench};

fn set<'a>(values: &[&'a str]) -> Vec<&'a str> {
    values.iter().flat_map(|value| ["--set", value]).collect()
}

/// A rate that does not fall in the end, so that more epochs go on where fewer ended.
const CONSTANT: &str = "optimizer.cooldown=0";

/// Everything that a run came to: its last checkpoint and its best.
fn learned(bench: &Workbench, run: &str) -> [Vec<u8>; 2] {
    let best = std::fs::read(bench.path(run).join("checkpoints/best.safetensors"));
    [bench.last_checkpoint(run).1, best.unwrap_or_default()]
}

#[track_caller]
fn threads_do_not_matter(args: &[&str]) {
    let bench = Workbench::new();
    bench.films();
    let with = |threads: &str| {
        bench.train("run", &[args, &["--force", "--threads", threads]].concat()).succeeded();
        learned(&bench, "run")
    };
    let one = with("1");
    for threads in ["2", "4"] {
        assert!(one == with(threads), "{threads} threads learn something else");
    }
    assert!(
        one != {
            bench.train("run", &[args, &["--force", "--seed", "1"]].concat()).succeeded();
            learned(&bench, "run")
        }
    );
}

#[test]
fn threads_do_not_matter_by_default() {
    threads_do_not_matter(&[]);
}

#[test]
fn threads_do_not_matter_with_the_papers_choices() {
    threads_do_not_matter(&["--preset", "paper"]);
}

#[test]
fn threads_do_not_matter_for_any_negatives() {
    threads_do_not_matter(&set(&["negatives.kind=independent"]));
    threads_do_not_matter(&set(&["negatives.kind=all"]));
    threads_do_not_matter(&set(&["negatives.kind=all", "loss.precision=half", "loss.thin=0.01"]));
    threads_do_not_matter(&set(&["negatives.chunk=50", "negatives.by_type=0.5", "linkage.negatives=shared"]));
}

#[test]
fn threads_do_not_matter_for_attention_drawn_neighbours_and_dropout() {
    threads_do_not_matter(&set(&["contexts.attention=true", "contexts.neighbours=3"]));
    threads_do_not_matter(&set(&[
        "regularization.dropout=0.2",
        "regularization.n3=0.01",
        "linkage.alignment=0.1",
    ]));
}

#[test]
fn threads_do_not_matter_for_learned_aggregators() {
    let aggregators = ["contexts.neighbourhood=pooling", "contexts.attributes=lstm", "contexts.types=max"];
    threads_do_not_matter(&set(&aggregators));
}

/// The same training with plain loops, as on a machine without wide instructions. Its bits may be others.
#[test]
fn plain_instructions_learn_as_well() {
    let bench = Workbench::new();
    bench.films();
    bench.train("wide", &[]).succeeded();
    let plain = |run: &str, threads: &str| {
        let mut command = assert_cmd::Command::new(LINKNBED);
        let command = command.current_dir(bench.path(".")).env("LINKNBED_SIMD", "plain");
        let args = ["train", "data", "--quiet", "--out", run, "--threads", threads];
        command.args(args).args(SMALL).assert().success();
        learned(&bench, run)
    };
    assert!(plain("plain", "1") == plain("plain-again", "2"));
    let loss = |run: &str| {
        let lines = bench.trace(run);
        lines.iter().filter_map(|line| line["loss"]["total"].as_f64()).next_back().unwrap()
    };
    let (wide, plain) = (loss("wide"), loss("plain"));
    assert!((wide - plain).abs() < 1e-3 * wide, "{wide} and {plain}");
}

/// Many short steps, each with a checkpoint.
const MANY_STEPS: [&str; 6] =
    ["--set", "training.batch=20", "--set", "validation.every=0.3", "--set", "checkpoint.every_minutes=1e-9"];

fn begun(bench: &Workbench, args: &[&str]) -> Child {
    let begun = Command::new(LINKNBED)
        .current_dir(bench.path("."))
        .args(["train", "data", "--quiet", "--out", "run"])
        .args(SMALL)
        .args(MANY_STEPS)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    begun.unwrap()
}

/// The step of the newest checkpoint.
fn steps_kept(bench: &Workbench) -> u64 {
    let Ok(entries) = std::fs::read_dir(bench.path("run/checkpoints")) else { return 0 };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let step = |name: String| name.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok();
    names.filter_map(step).max().unwrap_or(0)
}

/// Waits for a checkpoint of so many steps; false if the training ended before.
fn reaches(bench: &Workbench, training: &mut Child, step: u64) -> bool {
    while steps_kept(bench) < step {
        if training.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Lines about steps, and lines about judgements: of each kind one for a step at most, in order.
#[track_caller]
fn check_trace(lines: &[Value]) {
    for kind in ["loss", "validation"] {
        let steps: Vec<u64> = lines
            .iter()
            .filter(|line| line.get(kind).is_some())
            .map(|line| line["step"].as_u64().unwrap())
            .collect();
        assert!(steps.len() > 2 && steps.is_sorted_by(|one, next| one < next), "{kind}: {steps:?}");
    }
    for line in lines {
        let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        match line.get("loss") {
            Some(loss) => {
                assert_eq!(keys, ["epoch", "facts", "facts_per_second", "loss", "rate", "seconds", "step"]);
                let parts =
                    ["relational", "linkage", "alignment", "n3"].map(|part| loss[part].as_f64().unwrap());
                assert!((parts.iter().sum::<f64>() - loss["total"].as_f64().unwrap()).abs() < 1e-9);
            }
            None => {
                assert_eq!(keys, ["best", "ended", "step", "validation", "value"]);
                assert!(line["validation"]["screen"]["hits@10"].as_f64().unwrap() <= 1.0);
            }
        }
    }
}

#[test]
fn a_training_that_is_killed_ten_times_goes_on_to_the_same_bits() {
    let bench = Workbench::new();
    bench.films();
    bench.train("whole", &MANY_STEPS).succeeded();
    let total = bench.last_checkpoint("whole").0;
    assert!(total > 30, "{total} steps are too few for this test");
    check_trace(&bench.trace("whole"));
    let (mut killed, mut chance) = (0, 7u64);
    for moment in 0..10 {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut training = begun(&bench, &["--resume"]);
        // The first ones are killed while they begin, the others ever further on.
        if moment < 3 || reaches(&bench, &mut training, total * (moment - 2) / 9) {
            std::thread::sleep(Duration::from_micros(chance >> 50));
        }
        training.kill().unwrap();
        killed += u32::from(!training.wait().unwrap().success());
    }
    assert!(killed >= 8, "{killed} of 10 were killed before their end");
    bench.train("run", &[&MANY_STEPS[..], &["--resume"]].concat()).succeeded();
    assert_eq!(bench.last_checkpoint("run").0, total);
    assert!(learned(&bench, "run") == learned(&bench, "whole"), "another model than without the kills");
    check_trace(&bench.trace("run"));
    let judged = |run: &str| -> Vec<Value> {
        bench.trace(run).into_iter().filter(|line| line.get("validation").is_some()).collect()
    };
    assert_eq!(judged("run"), judged("whole"));
    let partial = bench.files("run").into_keys().find(|name| name.contains("partial"));
    assert_eq!(partial, None);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_a_checkpoint_from_which_it_goes_on() {
    let bench = Workbench::new();
    bench.films();
    let mut training = begun(&bench, &set(&["training.epochs=1000000", CONSTANT]));
    assert!(reaches(&bench, &mut training, 3));
    // A second Ctrl-C ends the program at once, so there is only one.
    let pid = training.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = training.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let (step, _) = bench.last_checkpoint("run");
    let first = said.lines().next().unwrap();
    let total = first.strip_prefix(&format!("stopped after {step} of ")).unwrap_or_else(|| panic!("{first}"));
    let (total, rest) = total.split_once(' ').unwrap();
    assert_eq!(rest, "steps; `linknbed train data --out run --resume` goes on");
    let steps_an_epoch = total.replace(',', "").parse::<u64>().unwrap() / 1_000_000;
    let epochs = format!("training.epochs={}", step / steps_an_epoch + 1);
    let resumed = ["train", "data", "--out", "run", "--resume", "--quiet", "--set", &epochs];
    bench.run(&resumed).succeeded();
    bench.train("whole", &[&MANY_STEPS[..], &set(&[&epochs, CONSTANT])].concat()).succeeded();
    assert!(learned(&bench, "run") == learned(&bench, "whole"));
}

#[test]
fn a_run_goes_on_for_more_epochs_but_not_with_other_settings() {
    let bench = Workbench::new();
    bench.films();
    bench.train("whole", &set(&["training.epochs=5", CONSTANT])).succeeded();
    bench.train("run", &set(&["training.epochs=2", CONSTANT])).succeeded();
    let (begun, _) = bench.last_checkpoint("run");
    let resume =
        |args: &[&str]| bench.run(&[&["train", "data", "--out", "run", "--resume", "-q"], args].concat());
    let only = "only training.epochs, validation and checkpoint may change\n";
    let refused = |args: &[&str], what: &str| {
        let ran = resume(args).failed(2, &format!("run was begun with other settings: {what}; {only}"));
        assert!(ran.stderr.ends_with(only));
    };
    refused(&set(&["loss.margin=3"]), "loss.margin = 1.0 became margin = 3.0");
    refused(&set(&["negatives.kind=all"]), "negatives.kind = \"shared\" became kind = \"all\"");
    refused(&["--seed", "4"], "seed = 0 became seed = 4");
    resume(&set(&["training.epochs=1"]))
        .said(2, "training.epochs: found 1, but run has seen 2.0 epochs already");
    // What is done is done: nothing happens.
    let again = resume(&[]).succeeded();
    assert_eq!(again.stdout.lines().next(), Some(format!("{begun} steps done").as_str()));
    resume(&set(&["training.epochs=5"])).succeeded();
    assert!(bench.last_checkpoint("run").0 > begun);
    assert!(learned(&bench, "run") == learned(&bench, "whole"));
}

#[test]
fn a_training_ends_when_it_does_not_become_better() {
    let bench = Workbench::new();
    bench.films();
    // With such a rate no rank changes.
    let idle = set(&["optimizer.rate=1e-20", "validation.patience=2", "training.epochs=50"]);
    let ran = bench.train("run", &idle).succeeded();
    let (step, _) = bench.last_checkpoint("run");
    let judged: Vec<Value> =
        bench.trace("run").into_iter().filter(|line| line.get("validation").is_some()).collect();
    let told = |key: &str| judged.iter().map(|line| line[key].as_bool().unwrap()).collect::<Vec<_>>();
    assert_eq!(told("best"), [true, false, false]);
    assert_eq!(told("ended"), [false, false, true]);
    assert_eq!(judged[2]["step"].as_u64(), Some(step));
    let first = ran.stdout.lines().next().unwrap();
    assert_eq!(first, format!("ended after {step} steps, as it did not become better any more"));
    let last = ran.stdout.lines().next_back().unwrap();
    let best = judged[0]["value"].as_f64().unwrap();
    assert_eq!(last, format!("best: {best:.4} after {} steps", judged[0]["step"]));
    let json = bench.train("json", &[&idle[..], &["--json"]].concat()).succeeded().stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["ended"], json["steps"].as_u64()), (&"patience".into(), Some(step)));
    assert_eq!(json["best"]["value"].as_f64(), Some(best));
}
