//! Is the merged graph what both graphs say, once, with its sources; and can a link be taken back?

mod workbench;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use serde_json::Value;
use workbench::Workbench;

/// The lines of a file.
fn lines(bench: &Workbench, file: &str) -> Vec<String> {
    fs::read_to_string(bench.path(file)).unwrap().lines().map(str::to_owned).collect()
}

fn merge(bench: &Workbench, links: &str, out: &str) -> Value {
    let said = bench.run(&["merge", "data", "--links", links, "--out", out, "--json", "--quiet"]).succeeded();
    serde_json::from_str(&said.stdout).unwrap()
}

/// Facts between entities: those of `world/screen`, by the names that they have there.
fn facts_of_screen(bench: &Workbench) -> BTreeSet<[String; 3]> {
    let split = |line: String| -> [String; 3] {
        line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap()
    };
    // Import takes away what leads from an entity to itself, and what is said twice.
    let facts = lines(bench, "world/screen/triples.tsv").into_iter().map(split);
    facts.filter(|[subject, _, object]| subject != object).collect()
}

#[test]
fn every_fact_is_there_once_with_its_source() {
    let bench = Workbench::new();
    bench.films();
    let report = merge(&bench, "world/links.tsv", "merged.nq");
    let partner: HashMap<String, String> = lines(&bench, "world/links.tsv")
        .into_iter()
        .map(|line| {
            let (screen, reel) = line.split_once('\t').unwrap();
            (reel.to_owned(), screen.to_owned())
        })
        .collect();
    assert_eq!(report["links"]["used"].as_u64().unwrap() as usize, partner.len());
    let before = report["entities_before"].as_u64().unwrap();
    assert_eq!(report["entities"].as_u64().unwrap(), before - partner.len() as u64);

    let written = lines(&bench, "merged.nq");
    let distinct: BTreeSet<&String> = written.iter().collect();
    assert_eq!(distinct.len(), written.len(), "every statement is there once");
    let of_screen: Vec<&String> =
        written.iter().filter(|line| line.ends_with("<urn:linknbed:graph:screen> .")).collect();
    let facts = facts_of_screen(&bench);
    for [subject, relation, object] in &facts {
        let expected = format!(
            "<urn:linknbed:{subject}> <urn:linknbed:{relation}> <urn:linknbed:{object}> <urn:linknbed:graph:screen> ."
        );
        assert!(of_screen.contains(&&expected), "{expected} is missing");
    }
    // Linked entities of the other graph are called as in the first.
    let of_reel: Vec<&String> =
        written.iter().filter(|line| line.ends_with("<urn:linknbed:graph:reel> .")).collect();
    assert!(!of_reel.is_empty());
    for line in of_reel {
        let subject = line.split(' ').next().unwrap().trim_matches(['<', '>']);
        assert!(!partner.contains_key(subject), "{subject} is called as its partner: {line}");
    }
    bench.run(&["import", "--quiet", "--graph", "merged=merged.nq", "--out", "again"]).succeeded();
    let again = bench.inspected("again");
    assert_eq!(again["graphs"]["merged"]["entities"], report["entities"]);
    assert_eq!(again["graphs"]["merged"]["triples"], report["facts"]["after"]);
}

#[test]
fn a_link_that_is_taken_out_leaves_no_trace() {
    let bench = Workbench::new();
    bench.films();
    let links = lines(&bench, "world/links.tsv");
    let all = links.join("\n") + "\n";
    let without = links[..5].iter().chain(&links[6..]).cloned().collect::<Vec<_>>().join("\n") + "\n";
    bench.put("edited.tsv", &all);
    merge(&bench, "edited.tsv", "with.nq");
    // The same file, edited; and one that never had the link, in another order.
    bench.put("edited.tsv", &without);
    merge(&bench, "edited.tsv", "undone.nq");
    let mut never: Vec<&str> = without.lines().collect();
    never.reverse();
    bench.put("never.tsv", never.join("\n") + "\n");
    merge(&bench, "never.tsv", "never.nq");
    let bytes = |file: &str| fs::read(bench.path(file)).unwrap();
    assert_eq!(bytes("undone.nq"), bytes("never.nq"));
    assert_ne!(bytes("with.nq"), bytes("undone.nq"));
}

#[test]
fn a_folder_of_tables_is_the_same_graph() {
    let bench = Workbench::new();
    bench.films();
    let report = merge(&bench, "world/links.tsv", "merged");
    for file in ["triples.parquet", "attributes.parquet", "types.parquet", "report.json"] {
        assert!(bench.path("merged").join(file).is_file(), "{file}");
    }
    bench.run(&["import", "--quiet", "--graph", "merged=merged", "--out", "again"]).succeeded();
    let again = bench.inspected("again");
    assert_eq!(again["graphs"]["merged"]["entities"], report["entities"]);
    let threads = |count: &str, out: &str| {
        let args =
            ["merge", "data", "--links", "world/links.tsv", "--out", out, "--threads", count, "--quiet"];
        bench.run(&args).succeeded();
        let files: BTreeMap<String, Vec<u8>> = bench.files(out);
        files
    };
    assert!(threads("1", "one") == threads("3", "three"), "the same bytes on any number of threads");
}

#[test]
fn mistakes_are_told() {
    let bench = Workbench::new();
    bench.films();
    let head = "graph_a\tentity_a\tgraph_b\tentity_b\tprobability\n";
    let link = lines(&bench, "world/links.tsv").swap_remove(0);
    let (screen, reel) = link.split_once('\t').unwrap();
    bench.put("entity.tsv", format!("{head}screen\tnope\treel\t{reel}\t0.5\n"));
    bench.put("graph.tsv", format!("{head}scren\t{screen}\treel\t{reel}\t0.5\n"));
    bench.put("sure.tsv", format!("{head}screen\t{screen}\treel\t{reel}\t1.5\n"));
    bench.put("empty.tsv", "").put("there.nq", "x");
    let merge = |links: &str, rest: &[&str]| {
        bench.run(&[&["merge", "data", "--links", links, "--quiet"], rest].concat())
    };
    let to = ["--out", "merged.nq"];
    bench.train("run", &[]).succeeded();
    bench
        .run(&["merge", "run", "--links", "world/links.tsv", "--out", "merged.nq"])
        .said(1, "run: is a run; expected a prepared folder");
    merge("entity.tsv", &to).failed(1, "entity.tsv:2: there is no entity \"nope\" in the graph screen");
    merge("graph.tsv", &to).said(1, "graph.tsv:2: there is no graph \"scren\"; the graphs are screen, reel");
    merge("sure.tsv", &to)
        .said(1, "sure.tsv:2: the probability should be a number from 0 to 1, found \"1.5\"");
    merge("empty.tsv", &to).said(1, "empty.tsv: the file is empty");
    merge("none.tsv", &to).failed(1, "none.tsv: no such file or folder");
    let links = "world/links.tsv";
    merge(links, &["--out", "there.nq"]).said(2, "there.nq exists already; --force replaces it");
    merge(links, &["--out", "merged.txt"])
        .said(2, "merged.txt: .txt is not written; a merge is a file .nq, or a folder of Parquet tables");
    merge(links, &["--out", "merged.nq", "--prefer", "foo"])
        .said(2, "there is no graph \"foo\"; the graphs are screen, reel");
    merge(links, &["--out", "merged.nq", "--conflicts", "recent"])
        .failed(2, "no graph says when its entities");
    assert!(!bench.path("merged.nq").exists());
}
