//! Is there anything to learn from data that is not as in the paper?
//!
//! Several graphs or one, without links, attributes or types, and so small that hardly a wrong answer is left.

mod workbench;

use serde_json::Value;
use workbench::Workbench;

/// Trains with both presets; all losses must be numbers, and the model must be there. Gives the two traces.
#[track_caller]
fn trains(bench: &Workbench, args: &[&str]) -> [Vec<Value>; 2] {
    ["default", "paper"].map(|preset| {
        bench.train(preset, &[&["--preset", preset], args].concat()).succeeded();
        let lines = bench.trace(preset);
        let losses = lines.iter().filter_map(|line| line.get("loss"));
        let totals: Vec<f64> = losses.map(|loss| loss["total"].as_f64().expect("a number")).collect();
        assert!(!totals.is_empty() && totals.iter().all(|loss| *loss >= 0.0), "{preset}: {totals:?}");
        let inspected = bench.run(&["inspect", preset, "--json", "--verify"]).succeeded().stdout;
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        assert_eq!(inspected["ended"], "epochs", "{preset}");
        assert!(inspected["parameters"].as_u64().unwrap() > 0);
        lines
    })
}

/// The linkage loss of the last traced steps.
fn linkage(lines: &[Value]) -> f64 {
    lines.iter().filter_map(|line| line["loss"]["linkage"].as_f64()).next_back().unwrap()
}

fn judged_graphs(lines: &[Value]) -> Vec<&str> {
    let judged = lines.iter().find_map(|line| line.get("validation")?.as_object()).unwrap();
    judged.keys().map(String::as_str).collect()
}

/// Facts of a graph whose entities begin with a letter: a ring, and some across it.
fn ring(letter: &str, count: usize) -> String {
    let fact = |from: usize, relation: &str, to: usize| {
        format!("{letter}{from}\t{relation}\t{letter}{}\n", to % count)
    };
    (0..count).map(|n| fact(n, "next", n + 1) + &fact(n, "across", n + count / 2)).collect()
}

fn links(one: &str, other: &str, count: usize, label: &str) -> String {
    (0..count).map(|n| format!("{one}{n}\t{other}{n}{label}\n")).collect()
}

#[test]
fn three_graphs() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 12)).put("b.tsv", ring("b", 10)).put("c.tsv", ring("c", 14));
    bench.put("ab.tsv", links("a", "b", 8, "")).put("bc.tsv", links("b", "c", 6, ""));
    let graphs = ["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--graph", "c=c.tsv"];
    let between = ["--links", "a-b=ab.tsv", "b-c=bc.tsv"];
    bench.import(&[&graphs[..], &between, &["--split", "0.7,0.2,0.1"]].concat()).succeeded();
    for graphs in ["linkage.graphs=one", "linkage.graphs=all"] {
        for lines in trains(&bench, &["--force", "--set", graphs]) {
            assert!(linkage(&lines) > 0.0);
            assert_eq!(judged_graphs(&lines), ["a", "b", "c"]);
        }
    }
    for lines in trains(&bench, &["--force", "--set", "validation.graphs=[\"b\"]"]) {
        assert_eq!(judged_graphs(&lines), ["b"]);
    }
    for lines in trains(&bench, &["--force", "--set", "training.graphs=[\"c\", \"a\"]"]) {
        assert_eq!(judged_graphs(&lines), ["a", "c"]);
    }
}

#[test]
fn no_links_at_all() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 12)).put("b.tsv", ring("b", 10));
    bench.import(&["--graph", "a=a.tsv", "--graph", "b=b.tsv"]).succeeded();
    // In the paper an entity without a positive label stands for itself, against the negative labels drawn for it.
    let [default, paper] = trains(&bench, &[]);
    assert_eq!(linkage(&default), 0.0);
    assert!(linkage(&paper) > 0.0);
}

#[test]
fn one_graph_without_attributes_and_types() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 9));
    let counts = bench.imported(&["--graph", "a=a.tsv"]);
    assert_eq!(
        (&counts["graphs"]["a"]["attributes"], &counts["graphs"]["a"]["types"]),
        (&0.into(), &0.into())
    );
    trains(&bench, &[]);
}

#[test]
fn only_negative_labels() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 12)).put("b.tsv", ring("b", 10)).put("not.tsv", links("a", "b", 9, "\t0"));
    let counts = bench
        .imported(&["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--links", "not.tsv", "--split", "1,0,0"]);
    assert_eq!(counts["links"]["a-b"]["negatives"]["train"], 9);
    // Those without a positive label are skipped by default, and stand for themselves in the paper.
    let [default, paper] = trains(&bench, &[]);
    assert_eq!(linkage(&default), 0.0);
    assert!(linkage(&paper) > 0.0);
}

#[test]
fn a_graph_of_one_entity_beside_another() {
    let bench = Workbench::new();
    bench.put("one/attributes.tsv", "x\tname\tXavier\n").put("b.tsv", ring("b", 10));
    bench.put("links.tsv", "x\tb3\n");
    let graphs = ["--graph", "one=one", "--graph", "b=b.tsv", "--links", "links.tsv", "--split", "1,0,0"];
    let counts = bench.imported(&graphs);
    assert_eq!(
        (&counts["graphs"]["one"]["entities"], &counts["graphs"]["one"]["triples"]),
        (&1.into(), &0.into())
    );
    trains(&bench, &[]);
    trains(&bench, &["--force", "--set", "negatives.kind=all", "--set", "negatives.by_type=0"]);
}

#[test]
fn a_fact_of_one_entity_alone_has_no_wrong_answers() {
    let bench = Workbench::new();
    bench.put("a.tsv", "x\tknows\tx\n");
    bench.import(&["--graph", "a=a.tsv", "--self-loops", "keep", "--split", "1,0,0"]).succeeded();
    for kind in ["negatives.kind=shared", "negatives.kind=independent", "negatives.kind=all"] {
        trains(&bench, &["--force", "--set", kind]);
    }
}

#[test]
fn a_relation_that_is_seen_once() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 8) + "a0\tonce\ta5\n");
    bench.import(&["--graph", "a=a.tsv", "--split", "1,0,0"]).succeeded();
    trains(&bench, &[]);
    trains(&bench, &["--force", "--set", "training.batch=1", "--set", "training.epochs=1"]);
}

#[test]
fn a_validation_graph_without_validation_facts_is_never_judged() {
    let bench = Workbench::new();
    bench.put("a.tsv", ring("a", 8));
    bench.import(&["--graph", "a=a.tsv", "--split", "1,0,0"]).succeeded();
    for lines in trains(&bench, &["--set", "validation.graphs=[\"a\"]"]) {
        assert!(lines.iter().all(|line| line.get("validation").is_none()));
    }
    assert!(!bench.path("default/checkpoints/best.safetensors").exists());
}
