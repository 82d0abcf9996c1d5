//! Are the paper's tables made, and made only once?

mod workbench;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use workbench::{LINKNBED, Ran, SMALL, Workbench};

fn films() -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench
}

/// `reproduce data --out tables` of small models for one epoch.
fn reproduce(bench: &Workbench, args: &[&str]) -> Ran {
    let common = ["reproduce", "data", "--quiet", "--out", "tables"];
    bench.run(&[&common[..], &SMALL[..], &["--epochs", "1"], args].concat())
}

#[track_caller]
fn tables(bench: &Workbench) -> Value {
    let text = fs::read_to_string(bench.path("tables/tables.json")).expect("the tables");
    serde_json::from_str(&text).expect("JSON")
}

/// The states of the first column of a table, by row.
fn states(tables: &Value, table: usize) -> BTreeMap<String, String> {
    let rows = tables["tables"][table]["rows"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.map(|row| (text(&row["row"]), text(&row["cells"][0]["state"]))).collect()
}

/// The results without what the clock says.
fn timeless(mut tables: Value) -> Value {
    for result in tables["results"].as_array_mut().unwrap() {
        for training in result["trainings"].as_array_mut().unwrap() {
            training["runs"].as_array_mut().unwrap().iter_mut().for_each(|run| run["seconds"] = Value::Null);
        }
    }
    tables
}

#[test]
fn tables_are_written_in_every_form() {
    let bench = films();
    let ran = reproduce(&bench, &["--rows", "distmult,Embed Only"]).succeeded();
    let text = fs::read_to_string(bench.path("tables/tables.txt")).unwrap();
    assert!(ran.stdout.starts_with(&text), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("\nthe same: tables/tables.txt, tables/tables.json, tables/tables.html\n"));
    for part in
        ["Table 2: link prediction, test facts", "Table 3: entity linkage, AUPRC of test links", "seed0"]
    {
        assert!(text.contains(part), "{part} is not in {text}");
    }

    let tables = tables(&bench);
    assert_eq!(tables["ending"], "done");
    assert_eq!(tables["begun"]["settings"]["training.epochs"], "1");
    let facts = states(&tables, 0);
    assert_eq!(facts.len(), 12);
    let done: Vec<&str> =
        facts.iter().filter(|(_, state)| *state == "figure").map(|(row, _)| row.as_str()).collect();
    assert_eq!(done, ["distmult", "embed-only"]);
    assert!(facts.values().filter(|state| *state == "not_yet").count() == 10);
    // Baselines have no supervised figure, done or not.
    let links = states(&tables, 2);
    assert_eq!([&links["distmult"], &links["rescal"], &links["embed-only"]], ["none", "none", "figure"]);

    // The figures are those of `eval` of the same run.
    let eval = bench.run(&["eval", "tables/runs/embed-only-seed0", "--quiet", "--json"]).succeeded();
    let eval: Value = serde_json::from_str(&eval.stdout).unwrap();
    let training = &tables["results"][1]["trainings"][0];
    assert_eq!(training["learning"], "supervised");
    let figures = &training["outcome"]["judged"];
    for graph in ["screen", "reel"] {
        for figure in ["mrr", "hits@10"] {
            assert_eq!(figures["facts"][graph]["tail"][figure], eval["triples"][graph]["tail"][figure]);
            assert_eq!(figures["facts"][graph]["both"][figure], eval["triples"][graph][figure]);
        }
    }
    let pair = eval["links"].as_object().unwrap().keys().next().unwrap();
    assert_eq!(figures["auprc"][pair], eval["links"][pair]["auprc"]);
    let column = &tables["tables"][0]["columns"][0];
    assert_eq!([&column["of"], &column["figure"]], [&tables["graphs"][0], &Value::from("hits@10")]);

    let page = fs::read_to_string(bench.path("tables/tables.html")).unwrap();
    assert!(page.contains("LinkNBed Embed All + Attention") && page.contains("the best of its column"));
    assert!(!page.contains("http:") && !page.contains("https:"));
}

#[test]
fn unsupervised_figures_are_those_of_the_second_stage() {
    let bench = films();
    let ran = reproduce(&bench, &["--rows", "attr-only", "--json"]).succeeded();
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found, tables(&bench));
    let training = &found["results"][0]["trainings"][1];
    assert_eq!(training["learning"], "unsupervised");
    assert_eq!(training["runs"][0]["run"], "runs/attr-only-unsupervised-seed0");
    assert_eq!(training["runs"][0]["graph"], Value::Null);
    let folder = "tables/runs/attr-only-unsupervised-seed0";
    let asked = ["eval", folder, "--quiet", "--json", "--task", "links", "--judge", "second-stage"];
    let eval: Value = serde_json::from_str(&bench.run(&asked).succeeded().stdout).unwrap();
    for (pair, auprc) in training["outcome"]["judged"]["auprc"].as_object().unwrap() {
        assert_eq!(*auprc, eval["links"][pair]["auprc"]);
    }
}

#[test]
fn baselines_learn_each_graph_alone() {
    let bench = films();
    let sets = ["--set", "validation.graphs=[\"reel\"]", "--set", "model.reciprocal=true"];
    reproduce(&bench, &[&["--rows", "complex,embed-only", "--seed", "7"], &sets[..]].concat()).succeeded();
    let found = tables(&bench);
    assert_eq!(found["seeds"], serde_json::json!([7]));
    let [complex, embed_only] = [0, 1].map(|at| &found["results"][at]["trainings"][0]);
    let figures = &complex["outcome"]["judged"];
    for (at, graph) in ["screen", "reel"].into_iter().enumerate() {
        let run = &complex["runs"][at];
        assert_eq!(run["graph"], graph);
        assert_eq!(run["run"], format!("runs/complex-{graph}-seed7"));
        assert_eq!(
            [&run["settings"]["model.kind"], &run["settings"]["model.share"]],
            ["\"complex\"", "\"nothing\""]
        );
        assert_eq!(run["settings"].get("model.reciprocal"), None, "all rows have it");
        let folder = format!("tables/runs/complex-{graph}-seed7");
        let config = fs::read_to_string(bench.path(&format!("{folder}/config.toml"))).unwrap();
        assert!(config.contains(&format!("\ngraphs = [\"{graph}\"]\n")), "{config}");
        let eval = bench.run(&["eval", &folder, "--quiet", "--json", "--task", "triples"]).succeeded();
        let eval: Value = serde_json::from_str(&eval.stdout).unwrap();
        assert_eq!(figures["facts"][graph]["tail"]["mrr"], eval["triples"][graph]["tail"]["mrr"]);
        // It was judged by its own facts, whatever all rows are judged by.
        let trace = fs::read_to_string(bench.path(&format!("{folder}/trace.jsonl"))).unwrap();
        let judged = trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let judged: Vec<Value> = judged.filter(|line| line["validation"].is_object()).collect();
        assert!(!judged.is_empty());
        for line in judged {
            assert_eq!(line["validation"].as_object().unwrap().keys().collect::<Vec<_>>(), [graph]);
        }
    }
    // LinkNBed has no vectors of its own for asking backwards, which the others were given.
    assert_eq!(embed_only["runs"][0]["settings"]["model.reciprocal"], "false");
    assert_eq!(found["settings"]["model.reciprocal"], "true");
    assert_eq!(found["settings"]["model.entity"], "16");
}

#[test]
fn what_is_done_is_not_done_again_and_what_is_missing_is() {
    let bench = films();
    let rows = ["--rows", "distmult,complex"];
    reproduce(&bench, &rows).succeeded();
    let first = tables(&bench);
    let written = |name: &str| fs::metadata(bench.path(name)).unwrap().modified().unwrap();
    let kept = written("tables/rows/distmult-seed0.json");

    fs::remove_file(bench.path("tables/rows/complex-seed0.json")).unwrap();
    // A run that has just been begun: it starts anew.
    fs::remove_dir_all(bench.path("tables/runs/complex-reel-seed0")).unwrap();
    reproduce(&bench, &rows).succeeded();
    assert_eq!(written("tables/rows/distmult-seed0.json"), kept);
    assert_eq!(timeless(tables(&bench)), timeless(first));

    // More rows join those that are there.
    reproduce(&bench, &["--rows", "rescal"]).succeeded();
    let facts = states(&tables(&bench), 0);
    assert_eq!([&facts["rescal"], &facts["complex"], &facts["distmult"]], ["figure"; 3]);
}

#[test]
fn an_interrupted_row_goes_on_to_the_same_figures() {
    let bench = films();
    let more =
        ["--rows", "distmult", "--set", "training.batch=2", "--set", "validation.every=0", "--jobs", "2"];
    let args =
        [&["reproduce", "data", "--out", "tables"], &SMALL[..], &["--epochs", "40"], &more[..]].concat();
    let child = Command::new(LINKNBED)
        .args(&args)
        .current_dir(bench.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !bench.path("tables/runs/distmult-screen-seed0/trace.jsonl").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.ends_with("stopped before every row was done; the same command goes on from here\n"),
        "{stdout}"
    );
    assert_eq!(tables(&bench)["ending"], "unfinished");
    assert_eq!(states(&tables(&bench), 0)["distmult"], "not_yet");

    bench.run(&[&args[..], &["--quiet"]].concat()).succeeded();
    let whole = films();
    let alone = &args[..args.len() - 2];
    whole.run(&[alone, &["--quiet"]].concat()).succeeded();
    assert_eq!(timeless(tables(&bench)), timeless(tables(&whole)));
}

#[test]
fn seeds_and_tries_are_learned_and_summarised() {
    let bench = films();
    reproduce(&bench, &["--rows", "distmult", "--seeds", "2", "--tuning", "2", "--on", "valid"]).succeeded();
    let tables = tables(&bench);
    let [first, second] = [0, 1].map(|at| &tables["results"][at]);
    for (at, graph) in ["screen", "reel"].into_iter().enumerate() {
        let [first, second] = [first, second].map(|result| &result["trainings"][0]["runs"][at]);
        let tried = first["tried"].as_array().unwrap();
        assert_eq!(tried[0]["settings"], serde_json::json!({}));
        assert_eq!(tried[1]["settings"], serde_json::json!({ "optimizer.rate": "0.015" }));
        let validation = |at: usize| tried[at]["validation"].as_f64().unwrap();
        let chosen = if validation(1) > validation(0) { 2 } else { 1 };
        assert_eq!([&first["chosen"], &second["chosen"]], [&Value::from(chosen); 2]);
        assert_eq!(second["tried"], serde_json::json!([]));
        assert_eq!(first["run"], format!("runs/distmult-{graph}-seed0-try{chosen}"));
        assert_eq!(second["run"], format!("runs/distmult-{graph}-seed1"));
        let text = fs::read_to_string(bench.path("tables/tables.txt")).unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("DistMult, {graph}: "))).unwrap();
        assert!(line.ends_with(&format!("(try {chosen} of 2)")), "{line}");
    }

    let mrr = |result: &Value| {
        result["trainings"][0]["outcome"]["judged"]["facts"]["reel"]["tail"]["mrr"].as_f64().unwrap()
    };
    let columns = tables["tables"][0]["columns"].as_array().unwrap();
    let at = columns.iter().position(|column| column["of"] == "reel" && column["figure"] == "mrr").unwrap();
    let cell = &tables["tables"][0]["rows"][1]["cells"][at];
    let (a, b) = (mrr(first), mrr(second));
    assert!(a != b, "seeds make a difference");
    assert!((cell["mean"].as_f64().unwrap() - (a + b) / 2.0).abs() < 1e-12);
    assert!((cell["spread"].as_f64().unwrap() - (a - b).abs() / 2.0f64.sqrt()).abs() < 1e-12);
    let text = fs::read_to_string(bench.path("tables/tables.txt")).unwrap();
    assert!(text.contains(" ±0."), "{text}");
}

#[test]
fn the_two_ways_to_learn_have_one_choice_of_settings() {
    let bench = films();
    reproduce(&bench, &["--rows", "embed-only", "--seeds", "2", "--tuning", "2"]).succeeded();
    let tables = tables(&bench);
    let runs = |result: usize| {
        let trainings = tables["results"][result]["trainings"].as_array().unwrap();
        trainings.iter().map(|training| training["runs"][0].clone()).collect::<Vec<Value>>()
    };
    let (first, second) = (runs(0), runs(1));
    let chosen = first[0]["chosen"].as_u64().unwrap();
    for run in first.iter().chain(&second) {
        assert_eq!(run["chosen"], chosen);
        let rate = run["settings"].get("optimizer.rate").map(|rate| rate.as_str().unwrap());
        assert_eq!(rate, if chosen == 2 { Some("0.015") } else { None });
    }
    let names = |runs: &[Value]| runs.iter().map(|run| run["run"].clone()).collect::<Vec<Value>>();
    let tried = format!("runs/embed-only-seed0-try{chosen}");
    assert_eq!(names(&first), [tried.as_str(), "runs/embed-only-unsupervised-seed0"]);
    assert_eq!(names(&second), ["runs/embed-only-seed1", "runs/embed-only-unsupervised-seed1"]);
}

#[test]
fn jobs_beside_each_other_give_the_same_tables() {
    let rows = ["--rows", "distmult,embed-only", "--seeds", "2", "--tuning", "2"];
    let [one, three] = ["1", "3"].map(|jobs| {
        let bench = films();
        let own = ["--threads", "2", "--jobs", jobs];
        reproduce(&bench, &[&rows[..], &own].concat()).succeeded();
        tables(&bench)
    });
    assert_eq!(timeless(three), timeless(one));
}

#[test]
fn one_job_does_one_thing_after_the_other_in_the_order_of_the_tables() {
    let bench = films();
    let args = ["reproduce", "data", "--out", "tables", "--epochs", "1", "--seeds", "2", "--tuning", "2"];
    let ran = bench.run(&[&args[..], &SMALL, &["--rows", "embed-only,distmult"]].concat()).succeeded();
    let begun: Vec<&str> =
        ran.stderr.lines().filter_map(|line| line.split_once(": joining")).map(|it| it.0).collect();
    let expected = [
        "DistMult, screen, seed 0, try 1",
        "DistMult, screen, seed 0, try 2",
        "DistMult, reel, seed 0, try 1",
        "DistMult, reel, seed 0, try 2",
        "DistMult, screen, seed 1",
        "DistMult, reel, seed 1",
        "LinkNBed Embed Only, supervised, seed 0, try 1",
        "LinkNBed Embed Only, supervised, seed 0, try 2",
        "LinkNBed Embed Only, unsupervised, seed 0",
        "LinkNBed Embed Only, supervised, seed 1",
        "LinkNBed Embed Only, unsupervised, seed 1",
    ];
    assert_eq!(begun, expected);
}

#[test]
fn what_fails_stops_what_is_beside_it_and_loses_nothing() {
    let bench = films();
    let rows = ["--rows", "distmult,complex,rescal", "--set", "validation.every=0"];
    reproduce(&bench, &rows).succeeded();
    let first = tables(&bench);
    // All but one row is to be made again, and one of the runs cannot be.
    for name in ["rows/complex-seed0.json", "rows/rescal-seed0.json"] {
        fs::remove_file(bench.path(&format!("tables/{name}"))).unwrap();
    }
    let foreign = "tables/runs/complex-screen-seed0";
    fs::remove_dir_all(bench.path(foreign)).unwrap();
    bench.put(&format!("{foreign}/notes.txt"), "mine");
    let jobs = [&rows[..], &["--jobs", "2"]].concat();
    reproduce(&bench, &jobs).said(2, &format!("{foreign} exists already, and is no run"));
    assert_eq!(fs::read_to_string(bench.path(&format!("{foreign}/notes.txt"))).unwrap(), "mine");
    assert!(!bench.path("tables/rows/complex-seed0.json").exists());

    fs::remove_dir_all(bench.path(foreign)).unwrap();
    reproduce(&bench, &jobs).succeeded();
    assert_eq!(timeless(tables(&bench)), timeless(first));
}

#[test]
fn jobs_that_need_more_memory_together_than_there_is_are_refused() {
    let Ok(text) = fs::read_to_string("/proc/meminfo") else { return };
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
    let bytes = 1024.0 * total.trim().trim_end_matches(" kB").parse::<f64>().unwrap();
    let bench = films();
    let data = bench.inspected("data");
    let graphs = data["graphs"].as_object().unwrap().values();
    let relations: f64 = graphs.map(|graph| graph["relations"].as_f64().unwrap()).sum();
    // Nearly all numbers of RESCAL are the squares of its relations, three times with Adam: two thirds of the memory, so that
    // one model would do.
    let size = format!("model.entity={}", (bytes * 2.0 / 3.0 / (12.0 * relations)).sqrt() as u64);
    let args = ["--rows", "rescal", "--threads", "2", "--jobs", "2", "--set", &size];
    reproduce(&bench, &args).failed(2, "the tables of 2 such models and what the optimizer remembers are ");
}

#[test]
fn what_diverges_is_said_and_leaves_its_places_empty() {
    let bench = films();
    reproduce(&bench, &["--rows", "distmult", "--set", "optimizer.rate=1e30"]).succeeded();
    let tables = tables(&bench);
    assert_eq!(states(&tables, 0)["distmult"], "diverged");
    let text = fs::read_to_string(bench.path("tables/tables.txt")).unwrap();
    assert!(text.contains("\nDistMult, seed 0, diverged: "), "{text}");
}

#[test]
fn a_last_step_that_diverges_is_said_too() {
    let bench = films();
    // One step in all, which no other follows that would notice.
    let one_step =
        ["training.batch=100000", "training.epochs=1", "validation.every=0", "optimizer.rate=1e39"];
    let mut args = vec!["--rows", "distmult"];
    one_step.iter().for_each(|set| args.extend(["--set", set]));
    reproduce(&bench, &args).succeeded();
    let text = fs::read_to_string(bench.path("tables/tables.txt")).unwrap();
    assert!(
        text.contains("\nDistMult, seed 0, diverged: its last step led to numbers that are none, in "),
        "{text}"
    );
    assert_eq!(states(&tables(&bench), 0)["distmult"], "diverged");
}

#[test]
fn one_graph_alone_has_table_2() {
    let bench = Workbench::new();
    bench.generate("tiny");
    bench.import(&["--graph", "screen=world/screen", "--split", "0.6,0.1,0.3"]).succeeded();
    reproduce(&bench, &["--rows", "embed-attr"]).succeeded();
    let tables = tables(&bench);
    assert_eq!(tables["tables"].as_array().unwrap().len(), 1);
    assert_eq!(tables["results"][0]["trainings"].as_array().unwrap().len(), 1);
}

#[test]
fn other_settings_are_refused() {
    let bench = films();
    reproduce(&bench, &["--rows", "distmult"]).succeeded();
    let end = "give the same again, or another folder";
    let refused = |args: &[&str], difference: &str| {
        let message = format!("tables was begun with other settings: {difference}; {end}");
        reproduce(&bench, args).said(2, &message);
    };
    refused(&["--seeds", "2"], "--seeds was 1, and now is 2");
    refused(&["--tuning", "2"], "--tuning was 1, and now is 2");
    refused(&["--on", "valid"], "--on was test, and now is valid");
    refused(&["--set", "optimizer.rate=0.1"], "optimizer.rate was the preset's, and now is 0.1");
    refused(&["--set", "model.entity=8"], "model.entity was 16, and now is 8");
    bench.import(&["--graph", "screen=world/screen", "--force", "--split", "0.6,0.1,0.3"]).succeeded();
    refused(&[], "the data is another");
}

#[test]
fn what_cannot_be_done_is_said_before_anything_is_written() {
    let bench = films();
    let refused = |args: &[&str], message: &str| {
        reproduce(&bench, args).said(2, message);
        assert!(!bench.path("tables").exists());
    };
    refused(&["--rows", "rescal,distmul"], "\"distmul\" is no row of the tables; did you mean distmult?");
    refused(
        &["--set", "contexts.attention=true"],
        "contexts.attention: the rows of the tables choose it, so that it cannot be set for all of them",
    );
    refused(
        &["--preset", "transe-wn18rr"],
        "--preset: found transe-wn18rr, expected default or paper; the rows choose the model",
    );
    refused(
        &["--set", "model.entity=15"],
        "row complex: model.entity: found 15, but half of the numbers are imaginary parts; expected an even number",
    );
    refused(
        &["--tuning", "2", "--set", "validation.every=0"],
        "--tuning: settings are chosen by validation, which validation.every = 0 turns off",
    );
    refused(
        &["--tuning", "2", "--set", "validation.every=2"],
        "--tuning: settings are chosen by validation, which comes every 2 epochs, but there are 1",
    );
    refused(
        &["--set", "training.graphs=[\"reel\"]"],
        "training.graphs: the rows of the tables choose it, so that it cannot be set for all of them",
    );
    // Baselines do not look at either, but the rows after them would.
    let unknown = "validation.graphs names rel; the graphs are screen, reel";
    refused(&["--set", "validation.graphs=[\"rel\"]"], unknown);
    refused(&["--tuning", "2", "--set", "validation.graphs=[\"rel\"]"], unknown);
    let initial = ["--set", "initial.from=run", "--set", "initial.path=absent"];
    refused(&initial, "initial.path names absent, which is not there");
    bench.put("mine/notes.txt", "mine");
    bench
        .run(&["reproduce", "data", "--out", "mine"])
        .said(2, "mine exists already, and holds no tables that could go on");
    bench.train("run", &[]).succeeded();
    bench.run(&["reproduce", "run", "--out", "tables"]).said(1, "run: is a run; expected a prepared folder");

    let bench = Workbench::new();
    bench.generate("tiny");
    bench.import(&["--graph", "screen=world/screen", "--split", "0.7,0,0.3"]).succeeded();
    reproduce(&bench, &["--on", "valid"]).said(1, "data: has nothing to judge in its valid part");
    reproduce(&bench, &["--tuning", "3"])
        .said(2, "--tuning: settings are chosen by validation facts, and the data has none");

    bench.put("untaught/test.tsv", "a\tr\tb\nb\tr\tc\n");
    bench.import(&["--graph", "untaught=untaught", "--force"]).succeeded();
    for row in ["distmult", "embed-only"] {
        reproduce(&bench, &["--rows", row]).said(1, "data: has no training facts to learn from");
        assert!(!bench.path("tables").exists());
    }
}
