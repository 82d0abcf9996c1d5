//! Does the demo show what it says?

mod workbench;

use serde_json::Value;
use workbench::Workbench;

#[test]
fn it_goes_from_files_to_a_model_and_can_be_run_again() {
    let bench = Workbench::new();
    let demo = ["demo", "--quiet", "--scale", "tiny", "--out", "my-demo"];
    let text = bench.run(&demo).succeeded().stdout;
    for part in [
        "1. Two catalogues",
        "2. Read, cleaned",
        "3. Three of the links",
        "4. A small model",
        " steps done\n",
        "5. Judged on the facts and links",
        "screen-reel by all evidence",
        "6. Links found by all evidence",
        "are in my-demo/links.tsv, ",
        "What became of the three above",
        "The report: my-demo/report/report.html",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let three: Vec<&str> = text.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(three.len(), 3, "{text}");
    assert!(three.iter().all(|line| line.contains("  found   ") || line.contains("  missed  ")), "{three:?}");
    // A hundred entities of each catalogue: H(102) / 102.
    assert!(text.contains("Guessing would have an MRR of about 0.0510."), "{text}");
    let inspect =
        text.lines().find_map(|line| line.split_once("See the model with: linknbed inspect ")).unwrap().1;
    let run = bench.run(&["inspect", inspect, "--json"]).succeeded().stdout;
    let run: Value = serde_json::from_str(&run).unwrap();
    assert_eq!(run["ended"], "epochs");
    let again = bench.run(&[&demo[..], &["--json"]].concat()).succeeded().stdout;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert!(again["eval"]["links"]["screen-reel"]["auprc"].is_number());
    assert!(bench.path("my-demo/report/report.json").exists());
    let links = &again["links"];
    let written = std::fs::read_to_string(bench.path("my-demo/links.tsv")).unwrap();
    let rows = links["known"].as_u64().unwrap() + links["new"].as_u64().unwrap();
    assert_eq!(written.lines().count() as u64, rows + 1);
    let found = &again["eval"]["links"]["screen-reel by all evidence"];
    for key in ["precision", "recall", "f1"] {
        assert!(links[key].as_f64().unwrap() > 0.5, "{links}");
        assert_eq!(links[key], found[key]);
    }
    assert_eq!(again["run"]["steps"], run["steps"]);
    assert_eq!(again["run"]["best"]["value"], run["best"]["value"]);
}

#[test]
fn its_links_are_those_of_the_verb() {
    let bench = Workbench::new();
    bench.run(&["demo", "--quiet", "--scale", "tiny", "--out", "my-demo"]).succeeded();
    bench.run(&["link", "my-demo/data", "--quiet", "--out", "links.tsv"]).succeeded();
    let read = |name: &str| std::fs::read_to_string(bench.path(name)).unwrap();
    assert_eq!(read("my-demo/links.tsv"), read("links.tsv"));
}

#[test]
fn it_removes_nothing_that_it_did_not_write() {
    let bench = Workbench::new();
    bench.films();
    let before = bench.files(".");
    let demo = bench.run(&["demo", "--quiet", "--scale", "tiny", "--out", "."]);
    demo.said(2, ". is there already, and is no demo; --out names another folder");
    assert_eq!(bench.files("."), before);
    // Nor in the folder of a demo, where there is no run but something else.
    bench.put("my-demo/demo.txt", "");
    bench.put("my-demo/run/notes.txt", "mine");
    let demo = bench.run(&["demo", "--quiet", "--scale", "tiny", "--out", "my-demo"]);
    demo.said(2, "my-demo/run exists already, and is no run");
    assert_eq!(bench.files("my-demo/run")["notes.txt"], b"mine");
}
