//! Are links found, told with reasons, and the same whatever the order of rows and the number of threads?

mod workbench;

use std::collections::HashSet;
use std::fs;

use serde_json::Value;
use workbench::Workbench;

/// Rows of a table of links: the two entities, the probability, and the rest.
fn rows(bench: &Workbench, file: &str) -> Vec<(String, String, f64, String)> {
    let text = fs::read_to_string(bench.path(file)).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("graph_a\tentity_a\tgraph_b\tentity_b\tprobability"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!((cells[0], cells[2]), ("screen", "reel"));
        let rest = cells.get(5).copied().unwrap_or_default().to_owned();
        (cells[1].to_owned(), cells[3].to_owned(), cells[4].parse().unwrap(), rest)
    };
    lines.map(row).collect()
}

/// All true links of the world.
fn truth(bench: &Workbench) -> HashSet<(String, String)> {
    let text = fs::read_to_string(bench.path("world/links.tsv")).unwrap();
    let pair = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), cells[1].to_owned())
    };
    text.lines().map(pair).collect()
}

#[test]
fn links_of_the_film_world_are_found() {
    let bench = Workbench::new();
    bench.films();
    let said = bench.run(&["link", "data", "--out", "links.tsv", "--json", "--quiet"]).succeeded();
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let about = &said["links"]["screen-reel"];
    let found = rows(&bench, "links.tsv");
    assert_eq!(about["links"].as_u64().unwrap() as usize, found.len());
    let known = found.iter().filter(|row| row.2 == 1.0).count();
    assert!(about["known"].as_u64().unwrap() as usize <= known);
    let truth = truth(&bench);
    let right = found.iter().filter(|row| truth.contains(&(row.0.clone(), row.1.clone()))).count();
    assert!(right * 10 >= found.len() * 9, "{right} of {} are right", found.len());
    assert!(right * 10 >= truth.len() * 8, "{right} of {} are found", truth.len());
    let distinct: HashSet<&String> = found.iter().map(|row| &row.0).collect();
    assert_eq!(distinct.len(), found.len(), "nobody has two partners");

    bench.run(&["link", "data", "--out", "new.tsv", "--only-new", "--quiet"]).succeeded();
    let new = rows(&bench, "new.tsv");
    assert_eq!(new.len() as u64, about["new"].as_u64().unwrap());
    bench.run(&["link", "data", "--out", "sure.tsv", "--min-probability", "0.95", "--quiet"]).succeeded();
    let any = ["link", "data", "--out", "any.tsv", "--only-new", "--min-probability", "0", "--quiet"];
    bench.run(&any).succeeded();
    let linked: HashSet<&String> =
        found.iter().filter(|row| row.2 == 1.0).flat_map(|row| [&row.0, &row.1]).collect();
    let any = rows(&bench, "any.tsv");
    assert!(any.len() > new.len());
    let sure_of = |row: &&(String, String, f64, String)| row.2 < 1.0;
    assert!(any.iter().filter(sure_of).all(|row| !linked.contains(&row.0) && !linked.contains(&row.1)));
    let sure = rows(&bench, "sure.tsv");
    assert!(sure.iter().all(|row| row.2 >= 0.95) && sure.len() <= found.len());

    for out in ["links.sssom.tsv", "links.nt", "links.parquet"] {
        bench.run(&["link", "data", "--out", out, "--quiet"]).succeeded();
    }
    bench.run(&["merge", "data", "--links", "links.tsv", "--out", "merged.nq", "--quiet"]).succeeded();
}

#[test]
fn reasons_add_up_to_the_probability() {
    let bench = Workbench::new();
    bench.films();
    bench.run(&["link", "data", "--out", "links.tsv", "--explain", "--only-new", "--quiet"]).succeeded();
    let found = rows(&bench, "links.tsv");
    assert!(!found.is_empty());
    for (.., probability, evidence) in found {
        let evidence: Value = serde_json::from_str(&evidence).unwrap();
        let number = |key: &str| evidence[key].as_f64().unwrap();
        let parts: f64 = evidence["nats"].as_object().unwrap().values().map(|x| x.as_f64().unwrap()).sum();
        let odds = number("slope") * (parts + number("against") + number("rivals")) + number("shift");
        let expected = 1.0 / (1.0 + (-odds).exp());
        assert!((expected - probability).abs() < 0.01, "{expected} {probability} {evidence}");
    }
}

#[test]
fn neither_threads_nor_the_order_of_rows_matter() {
    let bench = Workbench::new();
    bench.films();
    let link = |data: &str, threads: &str| {
        let out = format!("{data}-{threads}.tsv");
        bench.run(&["link", data, "--out", &out, "--threads", threads, "--explain", "--quiet"]).succeeded();
        fs::read(bench.path(&out)).unwrap()
    };
    let one = link("data", "1");
    assert_eq!(one, link("data", "3"));
    for file in [
        "screen/triples.tsv",
        "screen/attributes.tsv",
        "screen/names.tsv",
        "screen/types.tsv",
        "reel.nt",
        "links.tsv",
    ] {
        let path = bench.path(&format!("world/{file}"));
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        let middle = lines.len() / 3;
        lines.rotate_left(middle);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let graphs =
        ["--graph", "screen=world/screen", "--graph", "reel=world/reel.nt", "--links", "world/links.tsv"];
    let rest = ["--split", "0.6,0.1,0.3", "--quiet", "--out", "shuffled"];
    bench.run(&[&["import"], &graphs[..], &rest[..]].concat()).succeeded();
    assert_eq!(String::from_utf8(one).unwrap(), String::from_utf8(link("shuffled", "2")).unwrap());
}

#[test]
fn links_of_a_folder_are_judged_without_a_model() {
    let bench = Workbench::new();
    bench.films();
    let said =
        bench.run(&["eval", "data", "--on", "test", "--json", "--quiet", "--out", "report"]).succeeded();
    let said: Value = serde_json::from_str(&said.stdout).unwrap();
    let about = &said["links"]["screen-reel"];
    for key in ["auprc", "hits@1", "hits@10", "mrr", "precision", "recall", "f1"] {
        let number = about[key].as_f64().unwrap();
        assert!((0.5..=1.0).contains(&number), "{key} is {number}");
    }
    let proposed = &about["proposed"];
    assert!(proposed["pairs"].as_u64().unwrap() > 100);
    // Who is found was a candidate, and so was nearly everybody.
    assert!(proposed["recall"].as_f64().unwrap() >= about["recall"].as_f64().unwrap().max(0.9));
    let report = fs::read_to_string(bench.path("report/report.html")).unwrap();
    assert!(report.contains(" pairs were compared, "));
    let less = ["eval", "data", "--evidence", "structure", "--json", "--quiet", "--out", "less"];
    let less: Value = serde_json::from_str(&bench.run(&less).succeeded().stdout).unwrap();
    let key = |of: &Value| of["links"]["screen-reel"]["hits@1"].as_f64().unwrap();
    assert!(key(&less) < key(&said), "names tell films apart");
}

#[test]
fn a_trained_model_is_a_witness() {
    let bench = Workbench::new();
    bench.films();
    bench.train("run", &["--set", "training.epochs=1"]).succeeded();
    let link = ["link", "run", "--out", "links.tsv", "--explain", "--only-new", "--quiet"];
    bench.run(&link).succeeded();
    let found = rows(&bench, "links.tsv");
    let told = |part: &str| found.iter().filter(|row| row.3.contains(part)).count();
    assert!(told("model: likeness") > found.len() / 2, "{} of {}", told("model: likeness"), found.len());
    assert!(told("model: replacement") > 0);
    bench.run(&["link", "data", "--out", "without.tsv", "--explain", "--only-new", "--quiet"]).succeeded();
    assert!(rows(&bench, "without.tsv").iter().all(|row| !row.3.contains("model:")));

    let eval = ["eval", "run", "--task", "links", "--evidence", "names,model", "--json", "--quiet"];
    let said: Value = serde_json::from_str(&bench.run(&eval).succeeded().stdout).unwrap();
    assert!(said["links"]["screen-reel"]["hits@1"].as_f64().unwrap() > 0.5, "{said}");
    let report = fs::read_to_string(bench.path("run/report/report.html")).unwrap();
    assert!(report.contains("compared by names, model, learning"));
    for verb in [&["link", "data", "--out", "no.tsv"][..], &["eval", "data"]] {
        let asked = [verb, &["--evidence", "model"]].concat();
        bench.run(&asked).said(2, "data is a prepared folder; a model's evidence needs a run");
        let asked = [verb, &["--evidence", "graphs"]].concat();
        bench
            .run(&asked)
            .said(2, "links by way of other graphs need a third one: expected another kind of evidence");
    }
}

#[test]
fn links_by_way_of_a_third_graph_are_found() {
    let bench = Workbench::new();
    // Three graphs of sixty entities with nothing in common but that all of a, and all of b, are linked with c.
    for graph in ["a", "b", "c"] {
        let fact = |at: usize| format!("{graph}{at}\tnext to\t{graph}{}\n", (at * 7 + 1) % 60);
        bench.put(&format!("{graph}.tsv"), (0..60).map(fact).collect::<String>());
    }
    for (file, [first, second]) in [("ac.tsv", ["a", "c"]), ("bc.tsv", ["b", "c"])] {
        let link = |at: usize| format!("{first}{at}\t{second}{at}\n");
        bench.put(file, (0..60).map(link).collect::<String>());
    }
    let graphs = ["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--graph", "c=c.tsv"];
    let links =
        ["--links", "a-c=ac.tsv", "--links", "b-c=bc.tsv", "--split", "1,0,0", "--quiet", "--out", "data"];
    bench.run(&[&["import"], &graphs[..], &links[..]].concat()).succeeded();
    let link = |out: &str, evidence: &str| {
        bench
            .run(&["link", "data", "--out", out, "--evidence", evidence, "--explain", "--quiet"])
            .succeeded();
        let text = fs::read_to_string(bench.path(out)).unwrap();
        let between = text.lines().filter(|line| line.starts_with("a\t") && line.contains("\tb\t"));
        between.map(str::to_owned).collect::<Vec<String>>()
    };
    let found = link("links.tsv", "names,graphs");
    assert_eq!(found.len(), 60);
    for line in &found {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells[1][1..], cells[3][1..], "{line}");
        assert!(line.contains("graphs: agree"), "{line}");
    }
    assert!(link("apart.tsv", "names").is_empty());
}

/// A bench with data of two graphs, of names and phone numbers only.
fn named(first: &[(&str, &str)], second: &[(&str, &str)], links: &str) -> Workbench {
    let bench = Workbench::new();
    for (file, entities) in [("a.nt", first), ("b.nt", second)] {
        let line = |(id, text): &(&str, &str)| {
            let key =
                if text.starts_with('+') { "u:phone" } else { "http://www.w3.org/2000/01/rdf-schema#label" };
            format!("<u:{id}> <{key}> \"{text}\" .\n<u:{id}> <u:near> <u:{}> .\n", entities[0].0)
        };
        bench.put(file, entities.iter().map(line).collect::<String>());
    }
    bench.put("links.tsv", links);
    let graphs = ["import", "--graph", "a=a.nt", "--graph", "b=b.nt", "--links", "links.tsv"];
    bench.run(&[&graphs[..], &["--split", "1,0,0", "--quiet", "--out", "data"]].concat()).succeeded();
    bench
}

/// The pairs of a table of links, sorted.
fn pairs(bench: &Workbench, args: &[&str]) -> Vec<String> {
    bench.run(&[&["link", "data", "--out", "found.tsv", "--force", "--quiet"], args].concat()).succeeded();
    let text = fs::read_to_string(bench.path("found.tsv")).unwrap();
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let pair = |cells: Vec<String>| format!("{} {}", cells[1], cells[3]);
    let mut found: Vec<String> = text.lines().skip(1).map(cells).map(pair).collect();
    found.sort();
    found
}

const NAMED: [(&str, &str); 4] =
    [("1", "Quiet Harbour"), ("2", "Long Winter"), ("3", "Copper Lantern"), ("4", "Night Ferry")];

#[test]
fn who_is_known_to_be_another_is_not_linked() {
    let ids = ["x1", "x2", "x3", "x4"];
    let others: Vec<(&str, &str)> = ids.into_iter().zip(NAMED).map(|(id, (_, name))| (id, name)).collect();
    let bench = named(&NAMED, &others, "u:2\tu:x2\t0\nu:1\tu:x1\n");
    assert_eq!(pairs(&bench, &[]), ["u:1 u:x1", "u:3 u:x3", "u:4 u:x4"]);
    // What is not known does not count.
    assert_eq!(pairs(&bench, &["--known", "none"]).len(), 4);
}

#[test]
fn duplicates_share_a_partner_where_they_may() {
    let others = [("x1", "Quiet Harbour"), ("x2", "Long Winter"), ("x3", "Glass Orchard")];
    let doubled = [&NAMED[..], &[("5", "Quiet Harbour")]].concat();
    let bench = named(&doubled, &others, "u:2\tu:x2\n");
    let found = pairs(&bench, &["--evidence", "names", "--many-to-one"]);
    assert_eq!(found, ["u:1 u:x1", "u:2 u:x2", "u:5 u:x1"]);
    assert_eq!(pairs(&bench, &["--evidence", "names"]), ["u:2 u:x2"], "neither of the two is likelier");
}

#[test]
fn evidence_that_is_not_asked_for_is_not_looked_at() {
    let phones = [("1", "+49 30 1234"), ("2", "+33 1 9876"), ("3", "+44 20 5555")];
    let others = [("x1", "+49 30 1234"), ("x2", "+33 1 9876"), ("x3", "+44 20 5555")];
    let bench = named(&phones, &others, "u:1\tu:x1\n");
    assert_eq!(pairs(&bench, &["--known", "none", "--evidence", "names,structure"]), [] as [&str; 0]);
}

#[test]
fn mistakes_are_told() {
    let bench = Workbench::new();
    bench.films();
    let link = |args: &[&str]| bench.run(&[&["link", "data", "--out", "links.tsv"], args].concat());
    link(&["--min-probability", "1.5"])
        .said(2, "--min-probability: found 1.5, expected a number from 0 to 1");
    link(&["--precision", "-1"]).failed_at_length(2, "");
    link(&["--evidence", "smell"]).failed_at_length(2, "invalid value 'smell'");
    bench.put("there.tsv", "x");
    bench
        .run(&["link", "data", "--out", "there.tsv"])
        .said(2, "there.tsv exists already; --force replaces it");
    bench.run(&["link", "nowhere", "--out", "links.tsv"]).failed(1, "nowhere");
    bench.run(&["link", "data", "--out", "none/links.tsv"]).said(1, "none: no such file or folder");
    bench
        .run(&["eval", "data", "--task", "triples"])
        .failed(2, "data is a prepared folder; facts are completed by a run");
    bench.run(&["import", "--quiet", "--graph", "one=world/screen", "--out", "alone"]).succeeded();
    bench.run(&["link", "alone", "--out", "links.tsv"]).failed(1, "alone").saying("holds one graph");
}
