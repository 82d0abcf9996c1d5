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
            training["seconds"] = Value::Null;
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
    let ran = reproduce(&bench, &["--rows", "gake,attr-only", "--json"]).succeeded();
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found, tables(&bench));
    for (result, training, run) in [(0, 0, "gake-seed0"), (1, 1, "attr-only-unsupervised-seed0")] {
        let training = &found["results"][result]["trainings"][training];
        assert_eq!(training["learning"], "unsupervised");
        assert_eq!(training["run"], format!("runs/{run}"));
        let folder = format!("tables/runs/{run}");
        let asked = ["eval", &folder, "--quiet", "--json", "--task", "links", "--judge", "second-stage"];
        let eval: Value = serde_json::from_str(&bench.run(&asked).succeeded().stdout).unwrap();
        for (pair, auprc) in training["outcome"]["judged"]["auprc"].as_object().unwrap() {
            assert_eq!(*auprc, eval["links"][pair]["auprc"]);
        }
    }
    let settings = &found["results"][0]["trainings"][0]["settings"];
    assert_eq!([&settings["model.kind"], &settings["model.share"]], ["\"gake\"", "\"nothing\""]);
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
    fs::remove_dir_all(bench.path("tables/runs/complex-seed0")).unwrap();
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
    let more = ["--rows", "distmult", "--set", "training.batch=2", "--set", "validation.every=0"];
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
    while !bench.path("tables/runs/distmult-seed0/trace.jsonl").exists() {
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
    whole.run(&[&args[..], &["--quiet"]].concat()).succeeded();
    assert_eq!(timeless(tables(&bench)), timeless(tables(&whole)));
}

#[test]
fn seeds_and_tries_are_learned_and_summarised() {
    let bench = films();
    reproduce(&bench, &["--rows", "distmult", "--seeds", "2", "--tuning", "2", "--on", "valid"]).succeeded();
    let tables = tables(&bench);
    let [first, second] = [0, 1].map(|at| &tables["results"][at]);
    let tried = first["tried"].as_array().unwrap();
    let validation = |at: usize| tried[at]["validation"].as_f64().unwrap();
    let chosen = if validation(1) > validation(0) { 2 } else { 1 };
    assert_eq!([&first["chosen"], &second["chosen"]], [&Value::from(chosen); 2]);
    assert_eq!(first["trainings"][0]["run"], format!("runs/distmult-seed0-try{chosen}"));
    assert_eq!(second["trainings"][0]["run"], "runs/distmult-seed1");

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
    assert!(text.contains(" ±0.") && text.contains(&format!("(try {chosen} of 2)")), "{text}");
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
}
