//! Are the answers of `predict` those of the model, and what does it say when it cannot answer?

mod workbench;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use linknbed::io::vectors::{TensorView, Tensors, write_tensors};
use serde_json::Value;
use workbench::Workbench;

/// A run of the film world.
fn films(args: &[&str]) -> Workbench {
    let bench = Workbench::new();
    bench.films();
    bench.train("run", args).succeeded();
    bench
}

/// A run of one small graph with names, of which two are equal, and relations with equal endings.
fn people() -> Workbench {
    let bench = Workbench::new();
    let fact = |s: &str, r: &str, o: &str| format!("<http://p/{s}> <http://p/{r}> <http://p/{o}> .\n");
    let name = |e: &str, name: &str| {
        format!("<http://p/{e}> <http://www.w3.org/2000/01/rdf-schema#label> \"{name}\" .\n")
    };
    let facts = [
        fact("a", "v#knows", "b"),
        fact("a", "v#knows", "a"),
        fact("a", "v#knows", "c"),
        fact("b", "v#likes", "c"),
        fact("b", "w#likes", "a"),
        name("a", "Ada"),
        name("b", "Ben"),
        name("c", "Ben"),
    ];
    bench.put("people.nt", facts.concat());
    let args = ["--graph", "people=people.nt", "--split", "1,0,0", "--self-loops", "keep"];
    bench.import(&args).succeeded();
    bench.train("run", &[]).succeeded();
    bench
}

#[track_caller]
fn predicted(bench: &Workbench, args: &[&str]) -> String {
    bench.run(&[&["predict", "run", "--quiet"], args].concat()).succeeded().stdout
}

#[track_caller]
fn as_json(bench: &Workbench, args: &[&str]) -> Vec<Value> {
    let text = predicted(bench, &[args, &["--json"]].concat());
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["queries"].as_array_mut().map(std::mem::take).unwrap()
}

fn ids(answered: &Value) -> Vec<&str> {
    answered["answers"].as_array().unwrap().iter().map(|answer| answer["entity"].as_str().unwrap()).collect()
}

/// Both questions that each fact answers, asked of all entities, against the files the graph was read from.
#[test]
fn all_that_is_not_known_is_an_answer() {
    let bench = films(&[]);
    let read = |file: &str| fs::read_to_string(bench.path(file)).unwrap();
    let triples = read("world/screen/triples.tsv");
    let facts: BTreeSet<[&str; 3]> = triples
        .lines()
        .map(|line| <[&str; 3]>::try_from(line.split('\t').collect::<Vec<_>>()).unwrap())
        .filter(|[subject, _, object]| subject != object)
        .collect();
    let entities: BTreeSet<&str> = facts.iter().flat_map(|[s, _, o]| [*s, *o]).collect();
    let mut expected = Vec::new();
    let mut lines = String::from("# some of all\n\n");
    for [subject, relation, object] in facts.iter().step_by(97) {
        lines += &format!("{subject}\t{relation}\t?\nscreen\t?\t{relation}\t{object}\n");
        let objects: BTreeSet<&str> =
            facts.iter().filter(|[s, r, _]| s == subject && r == relation).map(|fact| fact[2]).collect();
        let subjects: BTreeSet<&str> =
            facts.iter().filter(|[_, r, o]| r == relation && o == object).map(|fact| fact[0]).collect();
        expected.push(("subject", subject, relation, "object", objects));
        expected.push(("object", object, relation, "subject", subjects));
    }
    assert!(expected.len() > 20);
    bench.put("queries.tsv", &lines);
    let args = ["--queries", "queries.tsv", "--graph", "screen", "--top"];
    let all = as_json(&bench, &[&args[..], &["1000"]].concat());
    let few = as_json(&bench, &[&args[..], &["3"]].concat());
    assert_eq!(all.len(), expected.len());
    for ((answered, few), (given, entity, relation, asked, known)) in all.iter().zip(&few).zip(expected) {
        assert_eq!(answered["graph"], "screen");
        assert_eq!((&answered[given], &answered["relation"]), (&Value::from(*entity), &(*relation).into()));
        assert_eq!((&answered["asked"], &answered["known"]), (&asked.into(), &known.len().into()));
        assert!(answered.get(asked).is_none());
        let found: BTreeSet<&str> = ids(answered).into_iter().collect();
        assert_eq!(found.len(), ids(answered).len(), "an answer comes twice");
        assert_eq!(found, entities.difference(&known).copied().collect(), "{entity} {relation}");
        let answers = answered["answers"].as_array().unwrap();
        let scores: Vec<f64> = answers.iter().map(|answer| answer["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
        assert!(answers.iter().enumerate().all(|(at, answer)| answer["place"] == at + 1));
        assert!(answers.iter().all(|answer| answer.get("explanation").is_none()));
        assert_eq!(few["answers"].as_array().unwrap()[..], answers[..3]);
    }
}

#[test]
fn a_query_can_be_written_in_many_ways() {
    let bench = films(&[]);
    let names = fs::read_to_string(bench.path("world/screen/names.tsv")).unwrap();
    let (id, name) =
        names.lines().find(|line| line.ends_with("Tarungate")).unwrap().split_once('\t').unwrap();
    let by_id = predicted(&bench, &["--graph", "screen", "--subject", id, "--relation", "basedIn"]);
    let heading = format!("screen: \"{name}\" ({id}) basedIn which object? (");
    assert!(by_id.starts_with(&heading), "{by_id}");
    assert!(by_id.lines().nth(1).unwrap().starts_with("place    score  entity     name"), "{by_id}");
    assert_eq!(by_id.lines().count(), 2 + 10);
    let by_name = ["--graph", "screen", "--subject", "tarungate", "--relation", "basedIn"];
    assert_eq!(predicted(&bench, &by_name), by_id);
    assert_eq!(predicted(&bench, &[&by_name[..], &["--threads", "1"]].concat()), by_id);
    let piped = ["predict", "run", "-q", "--queries", "-"];
    let line = format!("\u{feff}screen\t{id}\tbasedIn\t?\r\n");
    assert_eq!(bench.run_with_input(&piped, &line).succeeded().stdout, by_id);

    let whole = "http://reel.example/ns/film.film.directed_by";
    let subjects = |relation: &str| {
        let args = ["--graph", "reel", "--object", "Luis Gutando", "--relation", relation, "--top", "2"];
        predicted(&bench, &args)
    };
    let by_iri = subjects(whole);
    assert!(by_iri.starts_with(&format!("reel: which subject {whole} \"Luis Gutando\" (")), "{by_iri}");
    assert_eq!(subjects("film.film.directed_by"), by_iri);

    // Data that has moved is the same data.
    fs::rename(bench.path("data"), bench.path("moved")).unwrap();
    assert_eq!(predicted(&bench, &[&by_name[..], &["--data", "moved"]].concat()), by_id);
}

#[test]
fn text_says_what_json_says() {
    let bench = films(&[]);
    bench.put("queries.tsv", "screen\tTarungate\tnear\t?\nreel\t?\tfilm.film.directed_by\tLuis Gutando\n");
    let args = ["--queries", "queries.tsv", "--top", "4"];
    let text = predicted(&bench, &args);
    let parts: Vec<&str> = text.split("\n\n").collect();
    let json = as_json(&bench, &args);
    assert_eq!((parts.len(), json.len()), (2, 2));
    for (part, answered) in parts.iter().zip(&json) {
        let rows: Vec<Vec<&str>> = part.lines().skip(2).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows.len(), 4, "{part}");
        for (row, answer) in rows.iter().zip(answered["answers"].as_array().unwrap()) {
            assert_eq!(row[0], answer["place"].to_string());
            assert_eq!(row[1], format!("{:.4}", answer["score"].as_f64().unwrap()));
            assert_eq!(row[2], answer["entity"]);
            assert_eq!(row[3..].join(" "), answer["name"].as_str().unwrap_or_default());
        }
    }
}

/// With nothing but its own vector, an entity without it is zero, and so is every score.
#[test]
fn what_a_score_is_made_of_moves_all_of_it() {
    let off = ["contexts.neighbourhood=off", "contexts.attributes=off", "contexts.types=off"];
    let sets: Vec<&str> = off.iter().flat_map(|value| ["--set", value]).collect();
    let bench = films(&[&sets[..], &["--set", "model.score=identity"]].concat());
    let args = ["--graph", "screen", "--subject", "Tarungate", "--relation", "near", "--explain"];
    let answered = &as_json(&bench, &args)[0];
    for answer in answered["answers"].as_array().unwrap() {
        let told = answer["explanation"].as_array().unwrap();
        assert_eq!(told.len(), 2);
        for (told, whose) in told.iter().zip(["subject", "object"]) {
            assert_eq!((&told["whose"], &told["part"]), (&whose.into(), &"own".into()));
            let (moved, score) = (told["moved"].as_f64().unwrap(), answer["score"].as_f64().unwrap());
            assert!((moved - score).abs() < 1e-5 * score.abs().max(1.0), "{moved} of {score}");
        }
    }
}

#[test]
fn explanations_name_what_is_in_the_data() {
    let bench = films(&[]);
    let entity = "Lantern and the Captain, The";
    let args =
        ["--graph", "screen", "--subject", entity, "--relation", "castMember", "--explain", "--top", "2"];
    let answered = &as_json(&bench, &args)[0];
    let pairs = |file: &str| -> BTreeMap<(String, String), String> {
        let text = fs::read_to_string(bench.path(file)).unwrap();
        let rows = text.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
        rows.filter(|row| row.len() == 3)
            .map(|row| ((row[0].clone(), row[1].clone()), row[2].clone()))
            .collect()
    };
    let attributes = pairs("world/screen/attributes.tsv");
    let expected = ["own", "neighbourhood", "attributes", "own", "neighbourhood", "attributes", "types"];
    let mut met = BTreeSet::new();
    for answer in answered["answers"].as_array().unwrap() {
        let told = answer["explanation"].as_array().unwrap();
        let parts: Vec<&str> = told.iter().map(|told| told["part"].as_str().unwrap()).collect();
        assert_eq!(parts[..7], expected);
        assert_eq!(told[6]["whose"], "relation");
        let moved: Vec<f64> = told[7..].iter().map(|told| told["moved"].as_f64().unwrap()).collect();
        assert!(moved.is_sorted_by(|a, b| a >= b), "{moved:?}");
        for told in &told[7..] {
            met.insert(told["part"].as_str().unwrap());
            let whose = if told["whose"] == "subject" { &answered["subject"] } else { &answer["entity"] };
            if told["part"] == "neighbour" {
                assert_ne!(told["neighbour"], *whose);
                assert!(told["name"].is_string(), "{told}");
            } else if told["key"] == "year" {
                let key = (whose.as_str().unwrap().to_owned(), "year".to_owned());
                assert_eq!(told["value"], attributes[&key]);
                met.insert("year");
            }
        }
    }
    assert_eq!(met, BTreeSet::from(["attribute", "neighbour", "year"]));
    as_text(&predicted(&bench, &args), answered);
}

/// As text there are the contexts, and the strongest few of the others that matter.
#[track_caller]
fn as_text(text: &str, answered: &Value) {
    let mut lines = text.lines().skip(2);
    for answer in answered["answers"].as_array().unwrap() {
        assert!(lines.next().unwrap().contains(answer["entity"].as_str().unwrap()), "{text}");
        let told = answer["explanation"].as_array().unwrap();
        let least = answer["score"].as_f64().unwrap().abs() / 100.0;
        let notable = told[7..].iter().filter(|told| told["moved"].as_f64().unwrap().abs() >= least);
        for told in told[..7].iter().chain(notable.take(3)) {
            let line = lines.next().unwrap();
            let (words, number) = line.trim().rsplit_once("  ").unwrap();
            assert_eq!(number.trim(), format!("{:+.4}", told["moved"].as_f64().unwrap()), "{text}");
            let whose = told["whose"].as_str().unwrap();
            let expected = match told["part"].as_str().unwrap() {
                "own" => format!("{whose} itself"),
                "neighbour" => {
                    let [name, id] = ["name", "neighbour"].map(|key| told[key].as_str().unwrap());
                    format!("neighbour \"{name}\" ({id}) of the {whose}")
                }
                "attribute" => {
                    let [key, value] = ["key", "value"].map(|key| told[key].as_str().unwrap());
                    format!("{key} = {value} of the {whose}")
                }
                context => format!("{whose}'s {context}"),
            };
            assert_eq!(words.trim(), expected, "{text}");
        }
    }
    assert_eq!(lines.next(), None, "{text}");
}

#[test]
fn one_graph_need_not_be_named() {
    let bench = people();
    let none = predicted(&bench, &["--subject", "Ada", "--relation", "knows"]);
    let heading = "people: \"Ada\" (http://p/a) http://p/v#knows which object?";
    assert_eq!(none, format!("{heading} (3 are known, and no other is left)\n"));
    let some = predicted(&bench, &["--object", "http://p/c", "--relation", "knows"]);
    assert!(some.starts_with("people: which subject http://p/v#knows \"Ben\" (http://p/c)? (1 is known)\n"));
    assert_eq!(some.lines().count(), 2 + 2, "{some}");
    let first = predicted(&bench, &["--subject", "http://p/c", "--relation", "knows", "--top", "1"]);
    assert!(
        first.starts_with("people: \"Ben\" (http://p/c) http://p/v#knows which object? (none is known)\n")
    );
    assert_eq!(first.lines().count(), 2 + 1, "{first}");
}

#[test]
fn words_that_mean_nothing_or_too_much() {
    let bench = people();
    let asked = |args: &[&str]| bench.run(&[&["predict", "run", "--quiet"], args].concat());
    let subject = |entity: &str| asked(&["--subject", entity, "--relation", "knows"]);
    subject("Adda").said(2, "people has no entity \"Adda\"; did you mean \"Ada\" (http://p/a)?");
    subject("http://q/x").failed(2, "people has no entity \"http://q/x\"; did you mean http://p/");
    subject("Somebody Else").said(2, "people has no entity \"Somebody Else\"");
    let several = subject("ben").failed(2, "2 entities of people are called \"ben\": http://p/");
    several.saying("; name one by its id");
    let relation = |name: &str| asked(&["--subject", "Ada", "--relation", name]);
    relation("knos").said(2, "people has no relation \"knos\"; did you mean http://p/v#knows?");
    relation("marriedTo").said(2, "people has no relation \"marriedTo\"");
    relation("likes")
        .failed(2, "2 relations of people end with \"likes\": http://p/")
        .saying("; write one out");
    asked(&["--graph", "moon", "--subject", "Ada", "--relation", "knows"])
        .said(2, "there is no graph \"moon\"; the graphs are people");
    relation("a\nb").said(2, "people has no relation \"a\\nb\"");
}

#[test]
fn options_that_do_not_go_together() {
    let bench = Workbench::new();
    let asked = |args: &[&str]| bench.run(&[&["predict", "run"], args].concat());
    let missing = "the following required arguments were not provided:\n";
    asked(&["--relation", "r"])
        .failed_at_length(2, missing)
        .saying("<--subject <ENTITY>|--object <ENTITY>|--queries <FILE>>");
    asked(&["--subject", "s"]).failed_at_length(2, missing).saying("  --relation <NAME>");
    asked(&["--subject", "s", "--object", "o", "--relation", "r"])
        .failed_at_length(2, "the argument '--subject <ENTITY>' cannot be used with '--object <ENTITY>'");
    asked(&["--queries", "q", "--relation", "r"])
        .failed_at_length(2, "the argument '--queries <FILE>' cannot be used with '--relation <NAME>'");
    asked(&["--subject", "s", "--relation", "r", "--top", "0"])
        .failed_at_length(2, "invalid value '0' for '--top <K>': 0 is not in 1..");
    asked(&["--subject", "s", "--relation", "r"]).said(1, "run: no such file or folder");
}

#[test]
fn a_bad_line_of_a_file_is_named() {
    let bench = films(&[]);
    let asked = |content: &str| {
        bench.put("queries.tsv", format!("# first\nscreen\tTarungate\tnear\t?\n{content}\n"));
        bench.run(&["predict", "run", "-q", "--queries", "queries.tsv"])
    };
    let columns = "expected 3 columns (subject, relation, object), or 4 with the graph before them";
    asked("Tarungate near ?").said(1, &format!("queries.tsv:3: {columns}; found 1"));
    asked("screen\t?\tnear\t?").said(1, "queries.tsv:3: subject and object are both ?; one must be given");
    asked("Tarungate\tnear\t?")
        .said(1, "queries.tsv:3: there are several graphs: screen, reel; --graph chooses one");
    asked("\nscreen\tTarungat\tnear\t?")
        .said(1, "queries.tsv:4: screen has no entity \"Tarungat\"; did you mean \"Tarungate\" (pl5168655)?");
    let piped = ["predict", "run", "-q", "--queries", "-"];
    bench.run_with_input(&piped, "").said(1, "-: holds no query");
    bench.run_with_input(&piped, "a\tr\n").said(1, &format!("-:1: {columns}; found 2"));
    bench
        .run(&["predict", "run", "-q", "--queries", "nowhere.tsv"])
        .said(1, "nowhere.tsv: no such file or folder");
    bench
        .run(&["predict", "run", "-q", "--subject", "Tarungate", "--relation", "near"])
        .said(2, "there are several graphs: screen, reel; --graph chooses one");
}

/// Writes one number of the best checkpoint anew, with a checksum that is right.
fn spoil(bench: &Workbench, table: &str, number: f32) {
    let path = bench.path("run/checkpoints/best.safetensors");
    let tensors = Tensors::open(&path).unwrap();
    let mut tables = Vec::new();
    for name in tensors.names() {
        let shape = tensors.shape(name).unwrap().to_vec();
        let mut data = vec![0.0; shape.iter().product()];
        tensors.read_into(name, &shape, &mut data).unwrap();
        if name == table {
            *data.last_mut().unwrap() = number;
        }
        tables.push((name.to_owned(), shape, data));
    }
    let views: Vec<TensorView<'_>> = tables
        .iter()
        .map(|(name, shape, data)| TensorView { name: name.clone(), shape: shape.clone(), data })
        .collect();
    write_tensors(&path, &views, tensors.metadata()).unwrap();
}

#[test]
fn a_run_that_cannot_answer() {
    let bench = films(&[]);
    let ask = || {
        let args = ["--graph", "screen", "--subject", "Tarungate", "--relation", "near", "--explain"];
        bench.run(&[&["predict", "run", "--quiet"], &args[..]].concat())
    };
    spoil(&bench, "W^E", 0.5);
    ask().succeeded();
    for number in [f32::NAN, f32::INFINITY] {
        spoil(&bench, "W^E", number);
        let message =
            "the parameters are not all numbers: W^E holds others; `train --force` begins the run anew";
        ask().said(1, &format!("run: {message}"));
        bench.run(&["eval", "run", "--quiet"]).said(1, &format!("run: {message}"));
    }
    fs::remove_dir_all(bench.path("run/checkpoints")).unwrap();
    ask().said(1, "run: has no checkpoint yet; `train --resume` continues a run");
    bench
        .run(&["predict", "data", "-q", "--subject", "x", "--relation", "r"])
        .said(1, "data: is no run: it has no run.json; `train` writes runs");
}

/// Names may hold anything; an answer is one line.
#[test]
fn names_that_would_break_lines() {
    let bench = Workbench::new();
    let label = "<http://www.w3.org/2000/01/rdf-schema#label>";
    bench.put(
        "odd.nt",
        format!(
            "<http://p/a> <http://p/r> <http://p/b> .\n<http://p/b> <http://p/r> <http://p/c> .\n\
             <http://p/c> {label} \"new\\nline \\u001B[31m\" .\n<http://p/c> <http://p/says> \"{}\" .\n",
            "long ".repeat(40)
        ),
    );
    bench.import(&["--graph", "odd=odd.nt", "--split", "1,0,0", "--keep-garbage"]).succeeded();
    bench.train("run", &[]).succeeded();
    let text = predicted(&bench, &["--subject", "http://p/a", "--relation", "r", "--explain"]);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    assert!(text.contains("new\\nline \\u{1b}[31m\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 120), "{text}");
    let found = as_json(&bench, &["--subject", "http://p/a", "--relation", "r"]);
    let names: Vec<&Value> =
        found[0]["answers"].as_array().unwrap().iter().map(|answer| &answer["name"]).collect();
    assert_eq!(names.iter().filter(|name| name.is_null()).count(), 1);
    assert!(names.contains(&&Value::from("new\nline \u{1b}[31m")), "{names:?}");
}
