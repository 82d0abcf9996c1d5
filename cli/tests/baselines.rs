//! Do the compared models go all the way: train, go on, judge, answer, export?

mod workbench;

use workbench::Workbench;

const KINDS: [&str; 7] = ["rescal", "distmult", "complex", "transe", "rotate", "stranse", "gake"];

fn prepared() -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench
}

/// The arguments of a short training.
fn training<'a>(kind: &'a str, out: &'a str) -> Vec<String> {
    let mut sets = vec![
        format!("model.kind={kind}"),
        "model.entity=8".to_owned(),
        "training.batch=400".to_owned(),
        "training.epochs=2".to_owned(),
        "regularization.dropout=0.0".to_owned(),
        "regularization.relation_dropout=0.0".to_owned(),
    ];
    match kind {
        "stranse" => sets.extend(["negatives.kind=independent".to_owned(), "negatives.count=5".to_owned()]),
        "gake" => sets.push("model.reciprocal=true".to_owned()),
        _ => {}
    }
    let mut args: Vec<String> = ["train", "data", "--out", out, "--quiet"].map(str::to_owned).into();
    args.extend(sets.into_iter().flat_map(|set| ["--set".to_owned(), set]));
    args
}

#[test]
fn every_kind_is_trained_judged_asked_and_exported() {
    let bench = prepared();
    for kind in KINDS {
        let args = training(kind, kind);
        bench.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).succeeded();
        let judged = bench.run(&["eval", kind, "--on", "test", "--json", "--quiet"]).succeeded();
        let judged: serde_json::Value = serde_json::from_str(&judged.stdout).unwrap();
        for graph in ["screen", "reel"] {
            let mrr = judged["triples"][graph]["mrr"].as_f64().unwrap();
            assert!(mrr > 0.0 && mrr < 1.0, "{kind} {graph}: {mrr}");
        }
        assert!(judged["links"]["screen-reel"]["auprc"].as_f64().unwrap() > 0.0, "{kind}");
        let out = format!("{kind}.npy");
        bench.run(&["export", kind, "--what", "relations", "--format", "npy", "--out", &out]).succeeded();
        let text = bench.run(&["inspect", kind]).succeeded().stdout;
        let own = if kind == "gake" { ", reciprocal relations" } else { "" };
        assert!(text.contains(&format!("\nmodel     {kind} with 8 numbers{own}\n")), "{text}");
        assert!(!["contexts", "hidden", "paper"].iter().any(|word| text.contains(word)), "{text}");
        let facts = std::fs::read_to_string(bench.path("world/screen/triples.tsv")).unwrap();
        let fact: Vec<&str> = facts.lines().next().unwrap().split('\t').collect();
        let asked =
            ["predict", kind, "--graph", "screen", "--subject", fact[0], "--relation", fact[1], "--top", "3"];
        let answers = bench.run(&[&asked[..], &["--json", "--quiet"]].concat()).succeeded().stdout;
        assert!(answers.contains("\"place\""), "{kind}: {answers}");
        let refused = bench.run(&[&asked[..], &["--explain", "--quiet"]].concat());
        refused.failed(2, "--explain takes LinkNBed's representations apart");
    }
}

#[test]
fn a_training_goes_on_to_the_same_bits() {
    let bench = prepared();
    for kind in ["complex", "gake"] {
        let (whole, parts) = (format!("{kind}-whole"), format!("{kind}-parts"));
        let run =
            |args: Vec<String>| bench.run(&args.iter().map(String::as_str).collect::<Vec<_>>()).succeeded();
        // Without a rate that falls in the last epochs, more of them go on where fewer ended.
        let training = |out: &str| {
            let mut args = training(kind, out);
            args.extend(["--set", "optimizer.cooldown=0"].map(str::to_owned));
            args
        };
        run(training(&whole));
        let mut first = training(&parts);
        first.extend(["--set", "training.epochs=1"].map(str::to_owned));
        run(first);
        run(["train", "data", "--out", &parts, "--resume", "--quiet", "--set", "training.epochs=2"]
            .map(str::to_owned)
            .into());
        for out in [&whole, &parts] {
            let to = format!("{out}.npy");
            bench.run(&["export", out, "--what", "entities", "--format", "npy", "--out", &to]).succeeded();
        }
        let bytes = |name: &str| std::fs::read(bench.path(&format!("{name}.npy"))).unwrap();
        assert_eq!(bytes(&whole), bytes(&parts), "{kind}");
    }
}

#[test]
fn what_the_guide_says_a_kind_needs_is_enough() {
    let bench = Workbench::new();
    let none: &[&str] = &[];
    let kinds = [
        ("rescal", none),
        ("distmult", none),
        ("complex", none),
        ("transe", none),
        ("rotate", &["regularization.relation_dropout=0"]),
        ("stranse", &["negatives.kind=independent"]),
        ("gake", &["model.reciprocal=true", "regularization.dropout=0", "regularization.relation_dropout=0"]),
    ];
    for (kind, needs) in kinds {
        let chosen = format!("model.kind={kind}");
        let all = [&[chosen.as_str()][..], needs].concat();
        let config = |sets: &[&str]| {
            let mut args = vec!["config"];
            sets.iter().for_each(|set| args.extend(["--set", set]));
            bench.run(&args)
        };
        config(&all).succeeded();
        for left_out in 1..all.len() {
            let others: Vec<&str> =
                all.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, set)| *set).collect();
            config(&others).failed(2, "");
        }
    }
}

#[test]
fn what_a_kind_cannot_do_is_told() {
    let bench = prepared();
    let refused = |sets: &[&str], message: &str| {
        let mut args = vec!["train", "data", "--out", "run"];
        sets.iter().for_each(|set| args.extend(["--set", set]));
        bench.run(&args).failed(2, "").saying(message);
    };
    refused(&["model.kind=stranse"], "so that none can be shared; expected \"independent\"");
    refused(&["model.kind=complex", "model.entity=7"], "expected an even number");
    refused(&["model.reciprocal=true"], "is the same in both directions (Eq. 10); expected false");
    refused(&["model.kind=gake", "regularization.dropout=0.1"], "expected true");
    let gake = ["model.kind=gake", "model.reciprocal=true", "regularization.dropout=0"];
    refused(
        &gake[..2],
        "regularization.dropout: found 0.3, but \"gake\" has weights among its numbers; expected 0",
    );
    refused(&gake, "regularization.relation_dropout: found 0.3, but \"gake\" has weights among its numbers");
    let gake = [&gake[..], &["regularization.relation_dropout=0", "regularization.n3=0.1"]].concat();
    refused(&gake, "regularization.n3: found 0.1, but \"gake\" has weights among its numbers");
    refused(&["model.kind=rotate", "model.entity=7"], "expected an even number");
    let angles = "but the numbers of a relation of \"rotate\" are angles; expected 0";
    refused(&["model.kind=rotate"], &format!("regularization.relation_dropout: found 0.3, {angles}"));
    refused(
        &["model.kind=rotate", "regularization.relation_dropout=0", "regularization.n3=0.1"],
        &format!("regularization.n3: found 0.1, {angles}"),
    );
    for end in ["head", "tail"] {
        let end = format!("negatives.corrupt={end}");
        let message = "which would learn nothing; expected \"either\" or \"both\"";
        refused(&["model.kind=distmult", "model.reciprocal=true", &end], message);
    }
    refused(
        &["model.kind=distmult", "loss.relational=0"],
        "loss.relational: found 0, but a model that knows no links leaves nothing else to learn from",
    );
    refused(&["model.kind=distmult", "initial.from=run", "initial.path=x"], "expected \"random\"");
    refused(
        &["initial.scale=1e39"],
        "initial.scale: found 1000000000000000000000000000000000000000, expected a number from",
    );
    refused(&["model.kind=distmul"], "expected linknbed, rescal, distmult");
}
