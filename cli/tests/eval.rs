//! Does `eval` say how good a run is, in numbers, in words and as a page?

mod workbench;

use std::fs;

use serde_json::Value;
use workbench::Workbench;

/// A run on the small film world.
fn trained(args: &[&str]) -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench.train("run", args).succeeded();
    bench
}

fn evaluated(bench: &Workbench, args: &[&str]) -> Value {
    let text = bench.run(&[&["eval", "run", "--quiet", "--json"], args].concat()).succeeded().stdout;
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_keys_are_those_that_scripts_rely_on() {
    let bench = trained(&[]);
    let found = evaluated(&bench, &[]);
    assert_eq!(found["on"], "test");
    for graph in ["screen", "reel"] {
        let figures = &found["triples"][graph];
        for side in [figures, &figures["tail"], &figures["head"]] {
            for key in ["count", "mrr", "mr", "hits@1", "hits@3", "hits@10"] {
                assert!(side[key].is_number(), "{graph} {key}: {figures}");
            }
        }
        let count = |side: &Value| side["count"].as_u64().unwrap();
        assert_eq!(count(figures), 2 * count(&figures["tail"]));
        let mean =
            (figures["tail"]["mrr"].as_f64().unwrap() + figures["head"]["mrr"].as_f64().unwrap()) / 2.0;
        assert!((figures["mrr"].as_f64().unwrap() - mean).abs() < 1e-12);
    }
    let links = &found["links"]["screen-reel"];
    for key in ["count", "candidates", "auprc", "hits@1", "hits@10", "mrr", "precision", "recall", "f1"] {
        assert!(links[key].is_number(), "{key}: {links}");
    }
    assert_eq!(links["mrr"], links["all"]["mrr"]);
    let labelled = evaluated(&bench, &["--candidates", "labelled"]);
    let labelled = &labelled["links"]["screen-reel"];
    assert_eq!(labelled["mrr"], labelled["labelled"]["mrr"]);
    assert_eq!(labelled["candidates"], labelled["count"]);
}

#[test]
fn the_report_holds_the_same_figures() {
    let bench = trained(&[]);
    let found = evaluated(&bench, &["--on", "valid"]);
    let report: Value = serde_json::from_slice(&bench.files("run/report")["report.json"]).unwrap();
    assert_eq!(report["on"], "valid");
    for graph in ["screen", "reel"] {
        assert_eq!(report["triples"][graph]["tail"]["mrr"], found["triples"][graph]["tail"]["mrr"]);
    }
    assert_eq!(report["links"]["screen-reel"]["auprc"], found["links"]["screen-reel"]["auprc"]);
    let page = fs::read_to_string(bench.path("run/report/report.html")).unwrap();
    let mrr = found["triples"]["reel"]["tail"]["mrr"].as_f64().unwrap();
    assert!(page.contains(&format!("{mrr:.3}")), "{mrr}");
    assert!(!page.contains("<script") && !page.contains("<link"), "the page needs something from elsewhere");
}

#[test]
fn figures_are_those_of_validation_while_training() {
    let bench = trained(&["--set", "validation.facts=0", "--set", "validation.side=tail"]);
    let last = bench.trace("run").into_iter().rev().find(|line| line["best"] == true).unwrap();
    let found = evaluated(&bench, &["--on", "valid", "--task", "triples"]);
    assert!(found["links"].as_object().unwrap().is_empty());
    for graph in ["screen", "reel"] {
        for key in ["count", "mrr", "hits@1", "hits@10"] {
            let (trained, judged) = (&last["validation"][graph][key], &found["triples"][graph]["tail"][key]);
            let apart = (trained.as_f64().unwrap() - judged.as_f64().unwrap()).abs();
            assert!(apart < 1e-9, "{graph} {key}: {trained} and {judged}");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let bench = trained(&[]);
    let one = evaluated(&bench, &["--threads", "1"]);
    let first = bench.files("run/report");
    assert_eq!(one, evaluated(&bench, &["--threads", "3"]));
    assert_eq!(first, bench.files("run/report"));
}

#[test]
fn every_judge_judges() {
    let bench = trained(&["--set", "linkage.on=false"]);
    let auprc = |judge: &str| {
        let found = evaluated(&bench, &["--task", "links", "--judge", judge]);
        found["links"]["screen-reel"]["auprc"].as_f64().unwrap()
    };
    // A model that did not learn from links is judged by the second stage, as in the paper.
    assert_eq!(auprc("paper"), auprc("second-stage"));
    for judge in ["replacement", "cosine"] {
        let found = auprc(judge);
        assert!(found > 0.0 && found <= 1.0, "{judge}: {found}");
    }
}

#[test]
fn people_get_tables_and_the_way_to_the_report() {
    let bench = trained(&[]);
    let text = bench.run(&["eval", "run", "--quiet", "--out", "page"]).succeeded().stdout;
    for part in [
        "test facts:",
        "screen object",
        "reel both",
        "test links:",
        "screen-reel",
        "the report: page/report.html",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    assert!(bench.path("page/report.html").exists() && !bench.path("run/report").exists());
}

#[test]
fn what_cannot_be_judged_is_named() {
    let bench = trained(&[]);
    bench.run(&["eval", "nowhere"]).said(1, "nowhere: no such file or folder");
    bench.put("file", "mine");
    for (out, is) in [
        ("file", "is a file; expected a folder for the report"),
        ("run", "is a run; expected a folder for the report alone"),
        ("data", "is a prepared folder; expected a folder for the report alone"),
    ] {
        bench.run(&["eval", "run", "--quiet", "--out", out]).said(2, &format!("{out} {is}"));
    }
    bench
        .run(&["eval", "data", "--task", "links", "--data", "data"])
        .said(2, "data is a prepared folder; --data is for runs");
    bench.put("a/train.tsv", "x\tlikes\ty\ny\tlikes\tz\n").put("a/valid.tsv", "x\tlikes\tz\n");
    bench.run(&["import", "--quiet", "--graph", "a=a", "--out", "small"]).succeeded();
    bench.run(&["eval", "run", "--data", "small"]).said(1, "small: is not the data that run was trained on");
    // How a model judges says nothing where it does not judge.
    bench
        .run(&["eval", "data", "--judge", "cosine"])
        .said(2, "--judge is about links that a model alone judges; data is a prepared folder");
    bench
        .run(&["eval", "run", "--evidence", "names", "--ranked", "5"])
        .said(2, "--ranked is about links that a model alone judges; with --evidence all evidence does");
    let arguments = ["--out", "other", "--quiet", "--set", "training.epochs=1"];
    bench.run(&[&["train", "small"], &arguments[..]].concat()).succeeded();
    bench.run(&["eval", "other", "--quiet"]).saying("has nothing to judge in its test part");
    bench.run(&["eval", "other", "--quiet", "--on", "valid"]).succeeded();
    let (_, checkpoint) = bench.last_checkpoint("run");
    for name in bench.files("run/checkpoints").keys() {
        bench.put(&format!("run/checkpoints/{name}"), &checkpoint[..checkpoint.len() / 2]);
    }
    bench.run(&["eval", "run", "--quiet"]).failed(1, "run/checkpoints/");
    fs::remove_dir_all(bench.path("run/checkpoints")).unwrap();
    bench
        .run(&["eval", "run", "--quiet"])
        .said(1, "run: has no checkpoint yet; `train --resume` continues a run");
}

#[test]
fn links_of_a_prepared_folder_are_shown_with_what_moved_them() {
    let bench = Workbench::new();
    bench.films();
    let eval = ["eval", "data", "--task", "links", "--quiet", "--out", "page"];
    bench.run(&eval).succeeded();
    let files = bench.files("page");
    let report: Value = serde_json::from_slice(&files["report.json"]).unwrap();
    let links = &report["links"]["screen-reel"];
    let right = links["right"].as_array().unwrap();
    assert!(!right.is_empty() && right.len() <= 8, "{right:?}");
    let place = |example: &Value| example["standing"]["place"].as_f64().unwrap();
    assert!(right.iter().all(|example| example["outcome"] == "found" && place(example) >= 1.0), "{right:?}");
    let page = String::from_utf8(files["report.html"].clone()).unwrap();
    let mut drawn = 0;
    for example in right.iter().chain(links["wrong"].as_array().unwrap()) {
        assert!(example["first"]["name"].is_string() && example["second"]["attributes"].is_array());
        let reasons = &example["reasons"];
        if reasons.is_null() {
            assert_eq!(example["outcome"], "missed");
            continue;
        }
        let number = |key: &str| reasons[key].as_f64().unwrap();
        let parts: f64 = reasons["nats"].as_object().unwrap().values().map(|x| x.as_f64().unwrap()).sum();
        let odds = number("slope") * (parts + number("against") + number("rivals")) + number("shift");
        let expected = 1.0 / (1.0 + (-odds).exp());
        let probability = example["probability"].as_f64().unwrap();
        assert!((expected - probability).abs() < 1e-4, "{expected} {example}");
        // The page rounds the same sum.
        assert!(
            page.contains(&format!("{:.2}, a probability of {probability:.3}.", odds.abs())),
            "{example}"
        );
        drawn += 1;
    }
    assert_eq!(page.matches(">log-odds</text>").count(), drawn);
    assert!(!page.contains("<script"), "the page needs nothing to be run");
    bench.run(&[&eval[..], &["--threads", "1"]].concat()).succeeded();
    assert_eq!(files, bench.files("page"));
}
