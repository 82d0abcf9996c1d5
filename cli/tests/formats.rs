//! Do graphs and links come in as their files say, whatever form the files have?
//!
//! End to end, for the forms that no test of a single reader covers: several files, folders, standard input, links
//! in every form, and the flags that change what is read and kept.

mod workbench;

use serde_json::{Value, json};
use workbench::Workbench;

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";

/// `a b c` on each line as N-Triples under `http://e/`.
fn triples(prefix: &str, facts: &[[&str; 3]]) -> String {
    let iri = |name: &str| {
        if name.contains(':') { format!("<{name}>") } else { format!("<http://{prefix}/{name}>") }
    };
    facts.iter().map(|[s, p, o]| format!("{} {} {} .\n", iri(s), iri(p), iri(o))).collect()
}

/// Some counts of a graph, in the order they are asked for.
#[track_caller]
fn counts<const N: usize>(inspected: &Value, graph: &str, keys: [&str; N]) -> [u64; N] {
    let graph = &inspected["graphs"][graph];
    keys.map(|key| graph[key].as_u64().unwrap_or_else(|| panic!("no {key} in {graph}")))
}

/// The links of a pair by part: train, valid, test.
#[track_caller]
fn parts(inspected: &Value, pair: &str) -> [u64; 3] {
    let pair = &inspected["links"][pair];
    ["train", "valid", "test"]
        .map(|part| pair[part].as_u64().unwrap_or_else(|| panic!("no {part} in {pair}")))
}

fn negatives(inspected: &Value, pair: &str) -> u64 {
    let parts = &inspected["links"][pair]["negatives"];
    ["train", "valid", "test"].iter().map(|part| parts[part].as_u64().unwrap()).sum()
}

const ENTITIES_AND_FACTS: [&str; 2] = ["entities", "triples"];

// Where a graph comes from

#[test]
fn blank_nodes_of_two_files_stay_two_entities() {
    let bench = Workbench::new();
    let line = "_:x <http://e/likes> <http://e/a> .\n";
    bench.put("dump/1.nt", line).put("dump/2.nt", line).put("dump/3.txt", "not of this graph");
    let inspected = bench.imported(&["--graph", "g=dump/*.nt"]);
    assert_eq!(counts(&inspected, "g", ENTITIES_AND_FACTS), [3, 2]);
    let sources = std::fs::read_to_string(bench.path("data/manifest.json")).unwrap();
    assert!(sources.contains("dump/1.nt") && sources.contains("dump/2.nt"), "{sources}");
    // A folder of RDF is read as the glob is; one file alone has one such entity.
    assert_eq!(counts(&bench.imported(&["--graph", "g=dump", "--force"]), "g", ENTITIES_AND_FACTS), [3, 2]);
    assert_eq!(
        counts(&bench.imported(&["--graph", "g=dump/1.nt", "--force"]), "g", ENTITIES_AND_FACTS),
        [2, 1]
    );
}

#[test]
fn standard_input_is_read_in_the_format_that_is_said() {
    let bench = Workbench::new();
    let import = |args: &[&str], input: &str| {
        let args = [&["import", "--quiet", "--out", "data", "--force", "--graph", "g=-"], args].concat();
        bench.run_with_input(&args, input).succeeded();
        counts(&bench.inspected("data"), "g", ENTITIES_AND_FACTS)
    };
    let nt = triples("e", &[["a", "likes", "b"], ["b", "likes", "c"]]);
    assert_eq!(import(&[], &nt), [3, 2]);
    assert_eq!(import(&["--stdin-format", "ttl"], "@prefix : <http://e/> . :a :likes :b, :c, :d ."), [4, 3]);
    assert_eq!(import(&["--stdin-format", "tsv"], "a\tlikes\tb\n"), [2, 1]);
    assert_eq!(import(&["--stdin-format", ".csv"], "a,likes,\"b, c\"\n"), [2, 1]);
    let args = ["import", "--quiet", "--out", "none", "--graph", "g=-"];
    bench.run_with_input(&args, "").failed(1, "-: the file is empty");
    bench.run_with_input(&args, "what?\n").failed(1, "-:1:");
    bench
        .run_with_input(&[&args[..], &["--graph", "h=-"]].concat(), &nt)
        .failed(2, "only one graph can come from");
}

/// Two graphs with attributes, all links, and one division of them.
fn open_ea() -> Workbench {
    let bench = Workbench::new();
    let facts =
        |side: &str| -> String { (0..5).map(|n| format!("{side}{n}\tr\t{side}{}\n", n + 1)).collect() };
    let links = |numbers: &[u32]| {
        numbers.iter().map(|n| format!("http://en/{n}\thttp://de/{n}\n")).collect::<String>()
    };
    bench.put("pair/rel_triples_1", facts("http://en/")).put("pair/rel_triples_2", facts("http://de/"));
    let attributes = "http://en/0\tname\t\"Zero\"@en\nhttp://en/1\tborn\t\"1994\"^^<http://www.w3.org/2001/XMLSchema#gYear>\n";
    bench.put("pair/attr_triples_1", attributes).put("pair/attr_triples_2", "http://de/0\tname\tNull\n");
    bench.put("pair/ent_links", links(&[0, 1, 2, 3, 4]));
    bench.put("pair/721_5fold/1/train_links", links(&[0]));
    bench.put("pair/721_5fold/1/valid_links", links(&[1]));
    bench.put("pair/721_5fold/1/test_links", links(&[2, 3, 4]));
    bench
}

#[test]
fn an_open_ea_folder_named_once_is_two_graphs() {
    let inspected = open_ea().imported(&["--graph", "d=pair"]);
    let keys = ["entities", "triples", "attributes", "attribute_keys", "named_entities"];
    assert_eq!(counts(&inspected, "d_1", keys), [6, 5, 2, 2, 1]);
    assert_eq!(counts(&inspected, "d_2", keys), [6, 5, 1, 1, 1]);
    // The layout has no test facts of its own: all of them are there to learn from.
    assert_eq!(inspected["graphs"]["d_1"]["splits"], json!({"train": 5, "valid": 0, "test": 0}));
}

#[test]
fn an_open_ea_folder_named_twice_is_one_graph_each_time() {
    let bench = open_ea();
    let args =
        ["--graph", "en=pair", "--graph", "de=pair", "--links", "pair/ent_links", "--split", "0.2,0.2,0.6"];
    let inspected = bench.imported(&args);
    assert_eq!(counts(&inspected, "en", ENTITIES_AND_FACTS), [6, 5]);
    assert_eq!(counts(&inspected, "de", ["attributes"]), [1]);
    assert_eq!(parts(&inspected, "en-de"), [1, 1, 3]);
}

#[test]
fn a_division_of_open_ea_links_is_kept() {
    let bench = open_ea();
    let inspected = bench.imported(&["--graph", "d=pair", "--links", "pair/721_5fold/1"]);
    assert_eq!(parts(&inspected, "d_1-d_2"), [1, 1, 3]);
    // The folder itself holds all links as well; the graphs beside them are no links.
    let inspected = bench.imported(&["--force", "--graph", "d=pair", "--links", "pair/ent_links"]);
    assert_eq!(parts(&inspected, "d_1-d_2").iter().sum::<u64>(), 5);
}

#[test]
fn a_windows_1252_file_is_read_in_its_encoding() {
    let bench = Workbench::new();
    let head = "<?xml version=\"1.0\" encoding=\"windows-1252\"?>\n<rdf:RDF \
        xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e/\">\n\
        <rdf:Description rdf:about=\"http://e/a\"><e:likes rdf:resource=\"http://e/b\"/><e:name>";
    let bytes = [head.as_bytes(), b"Caf\xe9 \x80 5", b"</e:name></rdf:Description>\n</rdf:RDF>\n"].concat();
    bench.put("g.rdf", bytes);
    let inspected = bench.imported(&["--graph", "g=g.rdf"]);
    assert_eq!(counts(&inspected, "g", ["entities", "triples", "attributes"]), [2, 1, 1]);
    let values = bench.files("data").remove("graphs/g/values.arrow").unwrap();
    let name = "Café € 5".as_bytes();
    assert!(values.windows(name.len()).any(|window| window == name), "the value is not there as UTF-8");
}

#[test]
fn given_parts_are_kept() {
    let bench = Workbench::new();
    bench
        .put("g/train.tsv", "a\tr\tb\nb\tr\tc\nc\tr\td\n")
        .put("g/valid.tsv", "a\tr\tc\n")
        .put("g/test.tsv", "a\tr\td\nb\tr\td\n");
    bench
        .put("g/types.tsv", "a\tperson\nb\tperson\n")
        .put("g/names.tsv", "a\tAnn\n")
        .put("g/attributes.tsv", "a\tborn\t1994\n");
    let inspected = bench.imported(&["--graph", "g=g"]);
    assert_eq!(inspected["graphs"]["g"]["splits"], json!({"train": 3, "valid": 1, "test": 2}));
    let keys =
        ["entities", "relations", "triples", "attributes", "attribute_keys", "types", "typed_entities"];
    assert_eq!(counts(&inspected, "g", keys), [4, 1, 6, 2, 2, 1, 2]);
}

#[test]
fn undivided_facts_are_drawn_by_the_asked_shares() {
    let bench = Workbench::new();
    bench.put("g.tsv", (0..100).map(|n| format!("e{n}\tr\te{}\n", n + 1)).collect::<String>());
    let inspected = bench.imported(&["--graph", "g=g.tsv"]);
    assert_eq!(inspected["graphs"]["g"]["splits"], json!({"train": 60, "valid": 0, "test": 40}));
    let inspected = bench.imported(&["--graph", "g=g.tsv", "--split", "0.8,0.1,0.1", "--force"]);
    assert_eq!(inspected["graphs"]["g"]["splits"], json!({"train": 80, "valid": 10, "test": 10}));
}

// Tables

#[test]
fn a_csv_with_a_header_is_mapped_by_columns() {
    let bench = Workbench::new();
    let rows = "when,\"to whom\",who,how\n1999,b,a,likes\n2000,\"c, the third\",a,likes\n2001,b,c,\"says \"\"no\"\" to\"\n";
    bench.put("g.csv", rows);
    let columns = "subject=who,relation=how,object=to whom";
    let inspected = bench.imported(&["--graph", "g=g.csv", "--columns", columns]);
    assert_eq!(counts(&inspected, "g", ["entities", "relations", "triples"]), [4, 2, 3]);
    // The usual words are known without a mapping.
    bench.put("h.csv", "head,relation,tail\na,likes,b\n");
    let inspected = bench.imported(&["--graph", "g=h.csv", "--force"]);
    assert_eq!(counts(&inspected, "g", ENTITIES_AND_FACTS), [2, 1]);
}

#[test]
fn a_wide_csv_has_one_entity_a_row() {
    let bench = Workbench::new();
    bench.put(
        "shop.csv",
        "sku,title,price,kind\ns1,Lamp,12.50,light\ns2,Chair,,seat\ns3,\"Stool, low\",9,seat\n",
    );
    let keys =
        ["entities", "triples", "attributes", "attribute_keys", "types", "typed_entities", "named_entities"];
    let inspected = bench.imported(&["--graph", "shop=shop.csv", "--columns", "entity=sku,type=kind"]);
    assert_eq!(counts(&inspected, "shop", keys), [3, 0, 5, 2, 2, 3, 3]);
    let inspected = bench.imported(&["--graph", "shop=shop.csv", "--columns", "entity=sku", "--force"]);
    assert_eq!(counts(&inspected, "shop", keys), [3, 0, 8, 3, 0, 0, 3]);
}

// Links

/// Graphs `a` with `http://a/0…` and `b` with `http://b/0…`.
fn two_graphs(bench: &Workbench) {
    for name in ["a", "b"] {
        let facts: String =
            (0..6).map(|n| triples(name, &[[&n.to_string(), "likes", &(n + 1).to_string()]])).collect();
        bench.put(&format!("{name}.nt"), facts);
    }
}

const TWO_GRAPHS: [&str; 6] = ["--graph", "a=a.nt", "--graph", "b=b.nt", "--split", "1,0,0"];

#[test]
fn sssom_mappings_are_links() {
    let bench = Workbench::new();
    two_graphs(&bench);
    bench.put(
        "map.sssom.tsv",
        "#mapping_set_id: http://e/set\n#curie_map:\n#  A: http://a/\n#  B: \"http://b/\"\n\
        subject_id\tpredicate_modifier\tpredicate_id\tobject_id\tmapping_justification\n\
        A:0\t\tskos:exactMatch\tB:0\tx\nA:1\tNot\tskos:exactMatch\tB:2\tx\nA:3\t\tskos:broadMatch\tB:3\tx\n\
        http://a/4\t\towl:sameAs\thttp://b/4\tx\n",
    );
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "map.sssom.tsv"]].concat());
    assert_eq!((parts(&inspected, "a-b"), negatives(&inspected, "a-b")), ([2, 0, 0], 1));
    bench.put("bad.sssom.tsv", "subject_id\tobject_id\nhttp://a/0\thttp://b/0\nhttp://a/1\n");
    let args = [&TWO_GRAPHS[..], &["--links", "bad.sssom.tsv", "--force"]].concat();
    bench.import(&args).failed(1, "bad.sssom.tsv:3: expected 2 columns");
}

#[test]
fn a_pair_is_named_in_the_order_of_its_graphs_whichever_way_links_point() {
    // Two statements, so that neither direction is always the first to be met.
    let statements = [["http://a/0", SAME_AS, "http://b/0"], ["http://b/1", SAME_AS, "http://a/1"]];
    for count in 1..=2 {
        for statements in [&statements[..count], &statements[2 - count..]] {
            let bench = Workbench::new();
            two_graphs(&bench);
            bench.put("same.nt", triples("e", statements));
            let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "same.nt"]].concat());
            assert_eq!(parts(&inspected, "a-b"), [count as u64, 0, 0], "{statements:?}");
        }
    }
}

#[test]
fn same_as_in_a_file_of_its_own_is_a_link() {
    let bench = Workbench::new();
    two_graphs(&bench);
    bench.put(
        "same.nt",
        triples("e", &[["http://a/0", SAME_AS, "http://b/0"], ["http://a/1", SAME_AS, "http://b/1"]]),
    );
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "same.nt"]].concat());
    assert_eq!(parts(&inspected, "a-b"), [2, 0, 0]);
    bench.put("other.nt", triples("e", &[["http://a/0", "http://e/knows", "http://b/0"]]));
    let args = [&TWO_GRAPHS[..], &["--links", "other.nt", "--force"]].concat();
    bench.import(&args).failed(1, "other.nt: no owl:sameAs statement");
    bench.put("far.nt", triples("e", &[["http://a/0", SAME_AS, "http://elsewhere/0"]]));
    let args = [&TWO_GRAPHS[..], &["--links", "far.nt", "--force"]].concat();
    bench.import(&args).failed(1, "far.nt").saying("http://elsewhere/0");
}

#[test]
fn same_as_inside_a_graph_is_a_link_and_no_fact() {
    let bench = Workbench::new();
    two_graphs(&bench);
    let a = std::fs::read_to_string(bench.path("a.nt")).unwrap();
    let same =
        [["0", SAME_AS, "http://b/0"], ["1", SAME_AS, "http://b/1"], ["2", SAME_AS, "http://elsewhere/2"]];
    bench.put("a.nt", a + &triples("a", &same));
    let inspected = bench.imported(&TWO_GRAPHS);
    assert_eq!(parts(&inspected, "a-b"), [2, 0, 0]);
    assert_eq!(counts(&inspected, "a", ["entities", "relations", "triples"]), [7, 1, 6]);
    assert_eq!(inspected["cleaning"]["unknown_same_as"], 1);
    // Said again in a file, a link is still one.
    bench.put("links.tsv", "http://a/0\thttp://b/0\n");
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "links.tsv", "--force"]].concat());
    assert_eq!(parts(&inspected, "a-b").iter().sum::<u64>(), 2);
    assert_eq!(inspected["cleaning"]["repeated_links"], 1);
}

#[test]
fn a_third_column_of_0_is_a_known_difference() {
    let bench = Workbench::new();
    two_graphs(&bench);
    bench.put("links.tsv", "http://a/0\thttp://b/0\t1\nhttp://a/1\thttp://b/1\nhttp://a/2\thttp://b/3\t0\n");
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat());
    assert_eq!((parts(&inspected, "a-b"), negatives(&inspected, "a-b")), ([2, 0, 0], 1));
    bench.put("links.csv", "first,second,same\n\"http://a/0\",http://b/0,1\nhttp://a/2,http://b/3,0\n");
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "links.csv", "--force"]].concat());
    assert_eq!((parts(&inspected, "a-b"), negatives(&inspected, "a-b")), ([1, 0, 0], 1));
}

#[test]
fn links_between_three_graphs_are_told_apart_by_their_files() {
    let bench = Workbench::new();
    for name in ["a", "b", "c"] {
        bench.put(&format!("{name}.tsv"), (0..6).map(|n| format!("{n}\tr\t{}\n", n + 1)).collect::<String>());
    }
    // The entities are called alike in all three, so that only the names of the files tell.
    let pairs = |numbers: std::ops::Range<u32>| numbers.map(|n| format!("{n}\t{n}\n")).collect::<String>();
    bench.put("links/a-b.train.tsv", pairs(0..1)).put("links/a-b.test.tsv", pairs(1..3));
    bench.put("links/b-c.train.tsv", pairs(0..3)).put("links/a-c.valid.tsv", pairs(0..1));
    let graphs = ["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--graph", "c=c.tsv"];
    let inspected = bench.imported(&[&graphs[..], &["--links", "links"]].concat());
    let all = ["a-b", "b-c", "a-c"].map(|pair| parts(&inspected, pair));
    assert_eq!(all, [[1, 0, 2], [3, 0, 0], [0, 1, 0]]);
    // The pair can be said on the command line as well.
    bench.put("x.tsv", pairs(0..4));
    let args = [&graphs[..], &["--links", "b-c=x.tsv", "--split", "1,0,0", "--force"]].concat();
    let inspected = bench.imported(&args);
    assert_eq!(["a-b", "b-c", "a-c"].map(|pair| parts(&inspected, pair)[0]), [0, 4, 0]);
}

#[test]
fn a_folder_of_links_keeps_its_parts() {
    let bench = Workbench::new();
    two_graphs(&bench);
    let pairs = |numbers: std::ops::Range<u32>| {
        numbers.map(|n| format!("http://a/{n}\thttp://b/{n}\n")).collect::<String>()
    };
    bench
        .put("links/train.tsv", pairs(0..3))
        .put("links/valid.tsv", pairs(3..4))
        .put("links/test.tsv", pairs(4..6));
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "links"]].concat());
    assert_eq!(parts(&inspected, "a-b"), [3, 1, 2]);
}

// What is kept

#[test]
fn rare_entities_go_until_none_is_left() {
    let bench = Workbench::new();
    // A triangle with a tail: the tail goes one by one, the triangle stays.
    bench.put("g.tsv", "a\tr\tb\nb\tr\tc\nc\tr\ta\nc\tr\td\nd\tr\te\n").put("h.tsv", "x\tr\ty\n");
    let graphs = ["--graph", "g=g.tsv", "--graph", "h=h.tsv"];
    let inspected = bench.imported(&[&graphs[..], &["--min-occurrence", "g=1"]].concat());
    assert_eq!(counts(&inspected, "g", ENTITIES_AND_FACTS), [3, 3]);
    assert_eq!(counts(&inspected, "h", ENTITIES_AND_FACTS), [2, 1]);
    assert_eq!(inspected["cleaning"]["rare_entities"], 2);
    let inspected = bench.imported(&["--graph", "g=g.tsv", "--min-occurrence", "1", "--force"]);
    assert_eq!(counts(&inspected, "g", ENTITIES_AND_FACTS), [3, 3]);
}

#[test]
fn links_of_removed_entities_go_with_them_and_are_counted() {
    let bench = Workbench::new();
    bench.put("g.tsv", "a\tr\tb\nb\tr\tc\nc\tr\ta\nc\tr\td\nd\tr\te\n").put("h.tsv", "x\tr\ty\n");
    bench.put("links.tsv", "a\tx\ne\ty\n");
    let args =
        ["--graph", "g=g.tsv", "--graph", "h=h.tsv", "--links", "links.tsv", "--min-occurrence", "g=1"];
    let inspected = bench.imported(&[&args[..], &["--split", "1,0,0"]].concat());
    assert_eq!(parts(&inspected, "g-h"), [1, 0, 0]);
    assert_eq!(inspected["cleaning"]["links_of_removed_entities"], 1);
}

/// A film whose cast is told through a compound node.
fn compound(bench: &Workbench) {
    let facts = [
        ["film", "starring", "n"],
        ["n", "actor", "ann"],
        ["n", "character", "queen"],
        ["film", "next", "film2"],
    ];
    bench.put(
        "g.nt",
        triples("e", &facts) + &triples("e", &[["n", TYPE, "performance"], ["film", TYPE, "film"]]),
    );
}

#[test]
fn a_type_can_be_said_to_be_a_compound_value() {
    let bench = Workbench::new();
    compound(&bench);
    let keys = ["entities", "relations", "triples", "types"];
    assert_eq!(counts(&bench.imported(&["--graph", "g=g.nt"]), "g", keys), [5, 4, 4, 2]);
    for pattern in ["performance", "perf*", "http://e/performance"] {
        let inspected = bench.imported(&["--graph", "g=g.nt", "--compound-type", pattern, "--force"]);
        assert_eq!(counts(&inspected, "g", keys), [4, 3, 3, 1], "{pattern}");
        assert_eq!(inspected["cleaning"]["compound_values"], 1);
    }
    let args = ["--graph", "g=g.nt", "--compound-type", "performance", "--keep-compounds", "--force"];
    assert_eq!(counts(&bench.imported(&args), "g", keys), [5, 4, 4, 2]);
}

#[test]
fn a_collapsed_compound_value_is_not_counted_as_rare() {
    let bench = Workbench::new();
    compound(&bench);
    let more = triples("e", &[["film2", "next", "film"]]);
    bench.put("g.nt", std::fs::read_to_string(bench.path("g.nt")).unwrap() + &more);
    let args = ["--graph", "g=g.nt", "--compound-type", "performance", "--min-occurrence", "1"];
    let inspected = bench.imported(&args);
    assert_eq!(counts(&inspected, "g", ENTITIES_AND_FACTS), [2, 2]);
    assert_eq!(inspected["cleaning"]["compound_values"], 1);
    // Ann and the queen.
    assert_eq!(inspected["cleaning"]["rare_entities"], 2);
}

#[test]
fn self_loops_go_unless_they_were_published_so_or_are_wanted() {
    let bench = Workbench::new();
    bench.put("g.tsv", "a\tr\tb\na\tr\ta\nb\tr\tb\n").put("g/train.tsv", "a\tr\tb\na\tr\ta\nb\tr\tb\n");
    let facts = |graph: &str, args: &[&str]| {
        let inspected = bench.imported(&[&["--graph", graph, "--force"], args].concat());
        let cleaning = &inspected["cleaning"];
        let counted = ["self_loops", "self_loops_kept"].map(|step| cleaning[step].as_u64().unwrap_or(0));
        (counts(&inspected, "g", ["triples"]), counted)
    };
    assert_eq!(facts("g=g.tsv", &[]), ([1], [2, 0]));
    assert_eq!(facts("g=g.tsv", &["--self-loops", "keep"]), ([3], [0, 2]));
    assert_eq!(facts("g=g", &[]), ([3], [0, 2]));
    assert_eq!(facts("g=g", &["--self-loops", "drop"]), ([1], [2, 0]));
}

#[test]
fn types_that_say_nothing_go_unless_they_are_wanted() {
    let bench = Workbench::new();
    bench
        .put("g/triples.tsv", "a\tr\tb\n")
        .put("g/types.tsv", "a\tbase.tagit.concept\na\tfilm\nb\tcommon/topic\nb\tThing\n");
    let types = |args: &[&str]| {
        counts(
            &bench.imported(&[&["--graph", "g=g", "--force"], args].concat()),
            "g",
            ["types", "typed_entities"],
        )
    };
    assert_eq!(types(&[]), [1, 1]);
    assert_eq!(types(&["--keep-types"]), [4, 2]);
    assert_eq!(types(&["--drop-type", "fil*"]), [3, 2]);
    let both = ["--graph", "g=g", "--force", "--keep-types", "--drop-type", "film"];
    bench.import(&both).failed_at_length(2, "the argument '--keep-types' cannot be used with");
}

#[test]
fn equal_rows_go_unless_they_are_wanted() {
    let bench = Workbench::new();
    bench.put("g/triples.tsv", "a\tr\tb\na\tr\tb\n").put("g/names.tsv", "a\tAnn\na\tAnn\nb\t B&amp;b \n");
    let kept = |args: &[&str]| {
        counts(
            &bench.imported(&[&["--graph", "g=g", "--force"], args].concat()),
            "g",
            ["triples", "attributes"],
        )
    };
    assert_eq!(kept(&[]), [1, 2]);
    assert_eq!(kept(&["--keep-duplicates"]), [2, 3]);
    assert_eq!(kept(&["--keep-garbage"]), [1, 2]);
}

#[test]
fn open_ea_values_lose_their_quotes_and_keep_their_language() {
    let bench = open_ea();
    bench.put(
        "pair/attr_triples_1",
        "http://a/0\thttp://a/label\t\"Zero\"@en\nhttp://a/1\thttp://a/label\t\"One\"@en-GB\n",
    );
    bench.imported(&["--graph", "p=pair"]);
    let values = std::fs::read(bench.path("data/graphs/p_1/values.arrow")).unwrap();
    let values = String::from_utf8_lossy(&values);
    assert!(values.contains("@en-gb") && !values.contains('"'), "{values}");
}

#[test]
fn same_as_is_read_either_way_round_and_within_a_graph_it_is_no_link() {
    let bench = Workbench::new();
    let same = |s: &str, o: &str| format!("<{s}> <{SAME_AS}> <{o}> .\n");
    let a = triples("a", &[["0", "likes", "1"]])
        + &same("http://b/1", "http://a/0")
        + &same("http://a/0", "http://a/1");
    bench.put("a.nt", a).put("b.nt", triples("b", &[["0", "likes", "1"]]));
    let inspected = bench.imported(&["--graph", "a=a.nt", "--graph", "b=b.nt", "--split", "1,0,0"]);
    assert_eq!(parts(&inspected, "a-b"), [1, 0, 0]);
    assert_eq!(counts(&inspected, "a", ENTITIES_AND_FACTS), [2, 1]);
    assert_eq!(inspected["cleaning"]["same_as_within_a_graph"], 1);
}

#[test]
fn links_that_fit_more_than_one_pair_of_graphs_are_not_guessed() {
    let bench = Workbench::new();
    for name in ["a", "b", "c"] {
        bench.put(&format!("{name}.tsv"), "x\tlikes\ty\n");
    }
    bench.put("links.tsv", "x\ty\n");
    let graphs = ["--graph", "a=a.tsv", "--graph", "b=b.tsv", "--graph", "c=c.tsv"];
    let ran = bench.import(&[&graphs[..], &["--links", "links.tsv"]].concat());
    ran.failed(1, "links.tsv:1: entities of these names are in more than one pair");
    let inspected =
        bench.imported(&[&graphs[..], &["--links", "b-c=links.tsv", "--split", "1,0,0"]].concat());
    assert_eq!(parts(&inspected, "b-c"), [1, 0, 0]);
}

#[test]
fn a_mapping_can_be_for_one_graph() {
    let bench = Workbench::new();
    bench.put("a.csv", "sku,title\n1,Lamp\n").put("b.csv", "asin,label\nX,Lamp\nY,Chair\n");
    let graphs = [
        "--graph",
        "a=a.csv",
        "--columns",
        "a:entity=sku",
        "--graph",
        "b=b.csv",
        "--columns",
        "b:entity=asin",
    ];
    let inspected = bench.imported(&graphs);
    assert_eq!(counts(&inspected, "a", ["entities", "attributes"]), [1, 1]);
    assert_eq!(counts(&inspected, "b", ["entities", "attributes", "named_entities"]), [2, 2, 2]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_turtle_file() {
    let bench = Workbench::new();
    bench.put("g.ttl", "\u{FEFF}@prefix : <http://e/> .\n:a :likes :b .\n");
    assert_eq!(counts(&bench.imported(&["--graph", "g=g.ttl"]), "g", ENTITIES_AND_FACTS), [2, 1]);
}

#[test]
fn other_mappings_of_sssom_are_counted() {
    let bench = Workbench::new();
    two_graphs(&bench);
    let rows = "subject_id\tpredicate_id\tobject_id\nhttp://a/0\tskos:exactMatch\thttp://b/0\nhttp://a/1\tskos:closeMatch\thttp://b/1\n";
    bench.put("map.tsv", rows);
    let inspected = bench.imported(&[&TWO_GRAPHS[..], &["--links", "map.tsv"]].concat());
    assert_eq!(inspected["cleaning"]["other_mappings"], 1);
}
