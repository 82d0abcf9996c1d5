//! What happens to input that cannot be used?
//!
//! One clear line on standard error that names the file and, where there is one, the line; exit code 1 for what
//! failed and 2 for what was asked wrongly; and nothing at the output. Leniently, bad lines are skipped, counted and
//! listed.

mod workbench;

use std::io::Write;

use linknbed::graph::{GraphBuilder, Part};
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::io::write::write_folder;
use serde_json::{Value, json};
use workbench::Workbench;

const FACT_1: &str = "<http://e/1> <http://e/likes> <http://e/2> .\n";
const FACT_2: &str = "<http://e/2> <http://e/likes> <http://e/3> .\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A bench with one file.
fn with(name: &str, content: impl AsRef<[u8]>) -> Workbench {
    let bench = Workbench::new();
    bench.put(name, content);
    bench
}

/// Importing this one file as a graph fails with a message that begins so and goes on so.
#[track_caller]
fn is_refused(name: &str, content: impl AsRef<[u8]>, beginning: &str, part: &str) {
    let bench = with(name, content);
    let graph = format!("g={name}");
    bench.import(&["--graph", &graph]).failed(1, beginning).saying(part);
    bench.holds_no_output();
}

/// Leniently it is imported; gives what was kept of the graph, and the only line that was skipped.
#[track_caller]
fn is_skipped(name: &str, content: impl AsRef<[u8]>, place: &str, part: &str) -> Value {
    let bench = with(name, content);
    let graph = format!("g={name}");
    let inspected = bench.imported(&["--lenient", "--graph", &graph]);
    one_was_skipped(&inspected, place, part);
    inspected["graphs"]["g"].clone()
}

#[track_caller]
fn one_was_skipped(inspected: &Value, place: &str, part: &str) {
    let skipped = &inspected["skipped"];
    assert_eq!(skipped["count"], 1, "{skipped}");
    assert_eq!(skipped["first"].as_array().map(Vec::len), Some(1), "{skipped}");
    let (found, message) = (&skipped["first"][0]["place"], &skipped["first"][0]["message"]);
    assert!(found.as_str().unwrap().starts_with(place), "{skipped}");
    assert!(message.as_str().unwrap().contains(part), "{skipped}");
}

/// Two graphs to link.
fn two_graphs() -> Workbench {
    let bench = with("a.nt", [FACT_1, FACT_2].concat());
    bench.put("b.tsv", "b1\tlikes\tb2\nb2\tlikes\tb3\n");
    bench
}

const TWO_GRAPHS: [&str; 4] = ["--graph", "a=a.nt", "--graph", "b=b.tsv"];

/// A prepared folder `data` of two linked graphs.
fn prepared() -> Workbench {
    let bench = two_graphs();
    bench.put("links.tsv", "http://e/1\tb1\nhttp://e/2\tb2\n");
    bench.import(&[&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat()).succeeded();
    bench
}

// Files that are not there or hold nothing

#[test]
fn a_wrong_path_is_named() {
    let bench = Workbench::new();
    bench.import(&["--graph", "g=nowhere/films.nt"]).failed(1, "nowhere/films.nt: no such file or folder");
    bench.holds_no_output();
    let bench = two_graphs();
    bench
        .import(&[&TWO_GRAPHS[..], &["--links", "nowhere.tsv"]].concat())
        .failed(1, "nowhere.tsv: no such file");
    bench.holds_no_output();
    bench.run(&["inspect", "nowhere"]).failed(1, "nowhere: no such file or folder");
}

#[test]
fn a_glob_that_matches_nothing_is_named() {
    let bench = Workbench::new();
    bench.import(&["--graph", "g=dumps/*.nt"]).failed(2, "dumps/*.nt: no file matches");
    bench.holds_no_output();
}

#[test]
fn what_the_system_says_is_said_once() {
    let said = Workbench::new().import(&["--graph", "g=nowhere.nt"]).stderr;
    assert_eq!(said.matches("no such file or folder").count(), 1, "{said}");
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    for name in ["g.nt", "g.ttl", "g.rdf", "g.jsonld", "g.tsv", "g.csv", "g.nt.gz"] {
        is_refused(name, "", &format!("{name}: "), "empty");
    }
    let bench = two_graphs();
    bench.put("links.tsv", "");
    bench
        .import(&[&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat())
        .failed(1, "links.tsv: the file is empty");
    bench.holds_no_output();
}

#[test]
fn a_file_without_a_statement_is_refused() {
    is_refused("g.nt", "# nothing\n\n", "g.nt: ", "the graph g holds nothing");
    is_refused("g.ttl", "@prefix : <http://e/> .\n", "g.ttl: ", "the graph g holds nothing");
    let bench = with("g.nt", "what?\n");
    bench
        .import(&["--lenient", "--graph", "g=g.nt"])
        .failed(1, "g.nt: the graph g holds nothing")
        .saying("1 line");
    bench.holds_no_output();
}

#[test]
fn a_folder_without_a_graph_is_refused() {
    let bench = with("papers/README.txt", "nothing to see");
    bench.import(&["--graph", "g=papers"]).failed(1, "papers: no graph in this folder").saying("train.tsv");
    bench.holds_no_output();
}

#[test]
fn an_unknown_format_is_answered_with_the_known_ones() {
    is_refused("g.bin", FACT_1, "g.bin: unknown format", ".nt .nq .ttl");
    is_refused("g", FACT_1, "g: unknown format", ".parquet");
    is_refused("g.gz", gzip(FACT_1.as_bytes()), "g.gz: unknown format", ".nt");
}

// Compression

#[test]
fn a_truncated_gzip_file_is_said_to_be_truncated() {
    let rows =
        |n: u64| [format!("<http://e/{n}>"), "<http://e/likes>".to_owned(), format!("<http://e/{}>", n * n)];
    for (name, between, end) in [
        ("g.nt.gz", " ", " .\n"),
        ("g.ttl.gz", " ", " .\n"),
        ("g.tsv.gz", "\t", "\n"),
        ("g.csv.gz", ",", "\n"),
    ] {
        let lines: String = (0..2000).map(|n| rows(n).join(between) + end).collect();
        let whole = gzip(lines.as_bytes());
        let half = &whole[..whole.len() / 2];
        is_refused(name, half, &format!("{name}: the gzip data ends too early"), "truncated");
        let bench = with(name, half);
        let graph = format!("g={name}");
        // A part of a file that is cut off is not a bad line: leniency does not hide it.
        bench.import(&["--lenient", "--graph", &graph]).failed(1, &format!("{name}: ")).saying("truncated");
        bench.holds_no_output();
    }
}

#[test]
fn a_file_named_gz_that_is_not_gzip_is_said_to_be_so() {
    is_refused("g.nt.gz", FACT_1, "g.nt.gz: the file is named as gzip but does not hold gzip data", "");
}

// Encoding

#[test]
fn invalid_utf8_in_n_triples_has_its_line_and_column() {
    let bad =
        [FACT_1.as_bytes(), b"<http://e/1> <http://e/name> \"caf\xe9\" .\n", FACT_2.as_bytes()].concat();
    is_refused("g.nt", &bad, "g.nt:2:34: this is not valid UTF-8", "");
    let kept = is_skipped("g.nt", &bad, "g.nt:2:34", "not valid UTF-8");
    assert_eq!((&kept["triples"], &kept["attributes"]), (&json!(2), &json!(0)));
}

#[test]
fn invalid_utf8_in_tsv_has_its_line_and_column() {
    let bad = b"a\tlikes\tb\na\tlikes\tcaf\xe9\nb\tlikes\tc\n";
    is_refused("g.tsv", bad, "g.tsv:2:12: this is not valid UTF-8", "");
    assert_eq!(is_skipped("g.tsv", bad, "g.tsv:2:12", "not valid UTF-8")["triples"], 2);
}

#[test]
fn invalid_utf8_in_csv_has_its_line() {
    let bad = b"a,likes,b\n\"a\",likes,\"caf\xe9\"\nb,likes,c\n";
    is_refused("g.csv", bad, "g.csv:2: this is not valid UTF-8", "");
    assert_eq!(is_skipped("g.csv", bad, "g.csv:2", "not valid UTF-8")["triples"], 2);
}

#[test]
fn invalid_utf8_in_links_has_its_line() {
    let bench = two_graphs();
    bench.put("links.tsv", b"http://e/1\tb1\nhttp://e/2\tb\xff\nhttp://e/3\tb3\n");
    let args = [&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat();
    bench.import(&args).failed(1, "links.tsv:2: this is not valid UTF-8");
    bench.holds_no_output();
    let inspected = bench.imported(&[&args[..], &["--lenient"]].concat());
    one_was_skipped(&inspected, "links.tsv:2", "not valid UTF-8");
}

#[test]
fn an_unknown_xml_encoding_is_named() {
    is_refused("g.rdf", "<?xml version='1.0' encoding='klingon'?>\n<a/>", "g.rdf: ", "klingon");
}

// Columns

#[test]
fn a_row_with_too_few_columns_says_what_was_expected() {
    let expected = "expected 3 columns (subject, relation, object), found 2";
    let bad = "a\tlikes\tb\na\tlikes\nb\tlikes\tc\n";
    is_refused("g.tsv", bad, "g.tsv:2: ", expected);
    assert_eq!(is_skipped("g.tsv", bad, "g.tsv:2", expected)["triples"], 2);
    let bad = bad.replace('\t', ",");
    is_refused("g.csv", &bad, "g.csv:2: ", expected);
    assert_eq!(is_skipped("g.csv", &bad, "g.csv:2", expected)["triples"], 2);
}

#[test]
fn a_row_with_too_many_columns_says_what_was_expected() {
    let expected = "expected 3 columns (subject, relation, object), found 5";
    let bad = "a\tlikes\tb\nb\tlikes\tc\na\tlikes\tb\tc\td\n";
    is_refused("g.tsv", bad, "g.tsv:3: ", expected);
    assert_eq!(is_skipped("g.tsv", bad, "g.tsv:3", expected)["triples"], 2);
    let bad = bad.replace('\t', ",");
    is_refused("g.csv", &bad, "g.csv:3: ", expected);
    assert_eq!(is_skipped("g.csv", &bad, "g.csv:3", expected)["triples"], 2);
}

#[test]
fn an_empty_cell_says_which() {
    is_refused("g.tsv", "a\tlikes\tb\na\t\tb\n", "g.tsv:2: the relation is empty", "");
    assert_eq!(
        is_skipped("g.tsv", "a\tlikes\tb\na\t\tb\n", "g.tsv:2", "the relation is empty")["triples"],
        1
    );
}

#[test]
fn a_column_that_is_not_there_is_answered_with_those_that_are() {
    let bench = with("g.csv", "sku,title\n1,Alien\n");
    bench
        .import(&["--graph", "g=g.csv", "--columns", "entity=id"])
        .failed(1, "g.csv:1: no column \"id\"")
        .saying("sku, title");
    bench.holds_no_output();
}

#[test]
fn a_quote_that_is_never_closed_does_not_swallow_the_rest() {
    is_refused("g.csv", "a,likes,b\nb,likes,\"open\nc,likes,d\nd,likes,e\n", "g.csv:2", "");
}

// Syntax

#[test]
fn an_unterminated_literal_in_n_triples_has_its_line() {
    let bad = [FACT_1, "<http://e/1> <http://e/name> \"open .\n", FACT_2].concat();
    is_refused("g.nt", &bad, "g.nt:2:", "");
    let kept = is_skipped("g.nt", &bad, "g.nt:2:", "");
    assert_eq!((&kept["triples"], &kept["attributes"]), (&json!(2), &json!(0)));
}

#[test]
fn an_unterminated_literal_in_turtle_has_its_line() {
    let bad = "@prefix : <http://e/> .\n:a :likes :b .\n:a :name \"open .\n:b :likes :c .\n";
    is_refused("g.ttl", bad, "g.ttl:3:", "");
    let bench = with("g.ttl", bad);
    let inspected = bench.imported(&["--lenient", "--graph", "g=g.ttl"]);
    assert!(inspected["skipped"]["count"].as_u64() >= Some(1), "{}", inspected["skipped"]);
    assert!(inspected["graphs"]["g"]["triples"].as_u64() >= Some(1), "{}", inspected["graphs"]);
}

const BROKEN_XML: &str = "<?xml version=\"1.0\"?>\n\
    <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e/\">\n\
    <rdf:Description rdf:about=\"http://e/a\"><e:likes rdf:resource=\"http://e/b\"/></rdf:Description>\n\
    <rdf:Description rdf:about=\"http://e/b\"><e:name>x</e:title></rdf:Description>\n\
    </rdf:RDF>\n";

#[test]
fn broken_xml_is_refused_with_what_was_expected() {
    is_refused("g.rdf", BROKEN_XML, "g.rdf:", "expected `</e:name>`, but `</e:title>` was found");
    assert_eq!(is_skipped("g.rdf", BROKEN_XML, "g.rdf", "</e:title>")["triples"], 1);
}

#[test]
fn broken_xml_has_its_line() {
    is_refused("g.rdf", BROKEN_XML, "g.rdf:4:", "");
}

#[test]
fn xml_that_is_cut_off_is_refused() {
    let tag = BROKEN_XML.find("</rdf:Description>").unwrap() + 5;
    is_refused("g.rdf", &BROKEN_XML[..tag], "g.rdf:", "not closed");
    let between = BROKEN_XML.find("<rdf:Description rdf:about=\"http://e/b\">").unwrap();
    is_refused("g.rdf", &BROKEN_XML[..between], "g.rdf", "");
}

#[test]
fn broken_json_ld_has_its_line() {
    let bad = "{\"@context\": {\"likes\": \"http://e/likes\"},\n \"@id\": \"http://e/a\",\n \"likes\": {\"@id\": oops}\n}\n";
    is_refused("g.jsonld", bad, "g.jsonld:3:", "");
    is_refused("g.jsonld", &bad[..60], "g.jsonld:", "");
}

#[test]
fn random_bytes_are_no_parquet() {
    let mut state = 1u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let bytes: Vec<u8> = (0..4096).map(|_| byte()).collect();
    is_refused("g.parquet", &bytes, "g.parquet: this is not a Parquet file", "");
    let framed = [b"PAR1", &bytes[..], &[64, 0, 0, 0], b"PAR1"].concat();
    is_refused("g.parquet", &framed, "g.parquet: this is not a Parquet file", "");
}

#[test]
fn a_damaged_parquet_file_is_refused_or_read_but_never_ends_in_a_panic() {
    let mut builder = GraphBuilder::default();
    for n in 0..20 {
        builder.fact(Part::Undivided, &format!("e{n}"), "likes", &format!("e{}", n * n % 7));
    }
    let bench = Workbench::new();
    write_folder(&builder.finish("g"), Format::Parquet, &bench.path("g"), Replace::Never).unwrap();
    let whole = std::fs::read(bench.path("g/triples.parquet")).unwrap();
    // The second graph ends every run before anything is written, which is what takes time.
    bench.put("h.nt", "what?\n");
    let args = ["import", "--quiet", "--graph", "g=g", "--graph", "h=h.nt", "--out", "data"];
    never_panics(&bench, "g/triples.parquet", &whole, &args);
}

/// Runs the command once for each of many small damages to a file.
#[track_caller]
fn never_panics(bench: &Workbench, name: &str, whole: &[u8], args: &[&str]) {
    let mut damages = Vec::new();
    for (place, put) in (0..whole.len()).step_by(3).flat_map(|place| [(place, 0xff), (place, 0)]) {
        let mut bytes = whole.to_vec();
        bytes[place] = put;
        bench.put(name, bytes);
        let ran = bench.run(args);
        if !matches!(ran.code, Some(0 | 1)) || ran.stderr.contains("panicked") {
            damages.push(format!("{put:#x} at {place}: {}", ran.stderr.trim()));
        }
    }
    assert!(damages.is_empty(), "{} panics, such as {}", damages.len(), damages[0]);
}

// Links

#[test]
fn a_link_to_an_unknown_entity_names_it_and_the_graph() {
    let bench = two_graphs();
    bench.put("links.tsv", "http://e/1\tb1\nhttp://e/9\tb2\n");
    let args = [&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat();
    bench.import(&args).failed(1, "links.tsv:2: there is no entity \"http://e/9\" in the graph a");
    bench.holds_no_output();
    let inspected = bench.imported(&[&args[..], &["--lenient", "--split", "1,0,0"]].concat());
    one_was_skipped(&inspected, "links.tsv:2", "there is no entity \"http://e/9\"");
    assert_eq!(inspected["links"]["a-b"]["train"], 1);
}

#[test]
fn swapped_link_columns_are_recognised() {
    let bench = two_graphs();
    bench.put("links.tsv", "http://e/2\tb2\nb1\thttp://e/1\n");
    let args = [&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat();
    bench.import(&args).failed(1, "links.tsv:2: the columns are swapped").saying("b1 is in b");
    bench.holds_no_output();
    let inspected = bench.imported(&[&args[..], &["--lenient", "--split", "1,0,0"]].concat());
    one_was_skipped(&inspected, "links.tsv:2", "the columns are swapped");
    assert_eq!(inspected["links"]["a-b"]["train"], 1);
}

#[test]
fn a_third_link_column_other_than_1_or_0_is_refused() {
    let bench = two_graphs();
    bench.put("links.tsv", "http://e/1\tb1\t1\nhttp://e/2\tb2\tmaybe\n");
    let args = [&TWO_GRAPHS[..], &["--links", "links.tsv"]].concat();
    bench.import(&args).failed(1, "links.tsv:2: the third column should be 1 or 0").saying("maybe");
    bench.holds_no_output();
    one_was_skipped(&bench.imported(&[&args[..], &["--lenient"]].concat()), "links.tsv:2", "maybe");
}

#[test]
fn a_name_with_a_line_break_does_not_break_the_message() {
    let bench = two_graphs();
    bench.put("links.csv", "\"http://e/\n1\",b1\n");
    bench
        .import(&[&TWO_GRAPHS[..], &["--links", "links.csv"]].concat())
        .failed(1, "links.csv:1: there is no entity");
    bench.holds_no_output();
}

// Flags

#[test]
fn two_graphs_need_two_names() {
    let bench = two_graphs();
    bench.import(&["--graph", "a=a.nt", "--graph", "a=b.tsv"]).failed(2, "two graphs are called a");
    bench.holds_no_output();
}

#[test]
fn a_name_that_an_open_ea_folder_takes_is_not_free() {
    let bench = two_graphs();
    bench.put("pair/rel_triples_1", "x\tr\ty\n").put("pair/rel_triples_2", "x\tr\ty\n");
    bench.import(&["--graph", "a=pair", "--graph", "a_1=a.nt"]).failed(2, "two graphs are called a_1");
    bench.holds_no_output();
}

#[test]
fn an_open_ea_folder_cannot_be_three_graphs() {
    let bench = with("pair/rel_triples_1", "x\tr\ty\n");
    bench.put("pair/rel_triples_2", "x\tr\ty\n");
    bench.import(&["--graph", "a=pair", "--graph", "b=pair", "--graph", "c=pair"]).failed(2, "");
    bench.holds_no_output();
}

#[test]
fn names_whose_pairs_read_alike_do_not_damage_the_folder() {
    let bench = Workbench::new();
    // "a-b" with "c" and "a" with "b-c" are both the pair a-b-c.
    for (name, size) in [("a-b", 3), ("c", 5), ("a", 7), ("b-c", 9)] {
        let facts: String = (0..size).map(|n| format!("{name}{n}\tlikes\t{name}{}\n", n + 1)).collect();
        bench.put(&format!("{name}.tsv"), facts);
    }
    let graphs =
        ["--graph", "a-b=a-b.tsv", "--graph", "c=c.tsv", "--graph", "a=a.tsv", "--graph", "b-c=b-c.tsv"];
    let ran = bench.import(&graphs);
    if ran.code == Some(0) {
        let inspected = bench.inspected("data");
        assert_eq!(
            inspected["links"].as_object().map(serde_json::Map::len),
            Some(6),
            "{}",
            inspected["links"]
        );
    } else {
        ran.failed(2, "");
        bench.holds_no_output();
    }
}

#[test]
fn a_bad_graph_name_is_refused() {
    let bench = two_graphs();
    for name in ["../a", "a b", ".a", "a/b"] {
        let graph = format!("{name}=a.nt");
        bench.import(&["--graph", &graph]).failed(2, "").saying("cannot name a graph");
        bench.holds_no_output();
    }
}

#[test]
fn a_graph_needs_a_name_and_a_path() {
    let bench = two_graphs();
    for graph in ["a.nt", "=a.nt", "a="] {
        bench.import(&["--graph", graph]).failed_at_length(2, "invalid value").saying("expected NAME=PATH");
        bench.holds_no_output();
    }
    bench
        .run(&["import", "--out", "data"])
        .failed_at_length(2, "the following required arguments")
        .saying("--graph");
    bench
        .run(&["import", "--graph", "a=a.nt"])
        .failed_at_length(2, "the following required arguments")
        .saying("--out");
}

#[test]
fn an_unknown_flag_or_verb_is_wrong_usage() {
    let bench = two_graphs();
    bench
        .import(&["--graph", "a=a.nt", "--grpah", "b=b.tsv"])
        .failed_at_length(2, "unexpected argument '--grpah'");
    bench.holds_no_output();
    bench.run(&["imprt"]).failed_at_length(2, "unrecognized subcommand 'imprt'");
}

#[test]
fn a_bad_split_is_answered_with_a_good_one() {
    let bench = two_graphs();
    for split in ["0.5,0.5", "0.6,0.6,0.6", "a,b,c", "-1,1,1", "nan,0,1", "0,0,1", "inf,0,0", ""] {
        let split = format!("--split={split}");
        bench.import(&["--graph", "a=a.nt", &split]).failed_at_length(2, "").saying("--split");
        bench.holds_no_output();
    }
    bench
        .import(&["--graph", "a=a.nt", "--split=0,0,1"])
        .failed_at_length(2, "")
        .saying("leaves nothing to learn from: the first share should be above 0");
    bench.import(&["--graph", "a=a.nt", "--split=1,1,1"]).failed_at_length(2, "").saying("such as 0.6,0,0.4");
}

#[test]
fn a_bad_column_mapping_is_answered_with_a_good_one() {
    let bench = two_graphs();
    let args = ["--graph", "b=b.tsv", "--columns"];
    bench
        .import(&[&args[..], &["subject"]].concat())
        .failed_at_length(2, "invalid value")
        .saying("such as subject=src");
    bench
        .import(&[&args[..], &["colour=red"]].concat())
        .failed_at_length(2, "invalid value")
        .saying("subject, relation, object");
    bench.holds_no_output();
}

#[test]
fn a_bad_pattern_is_named() {
    let bench = two_graphs();
    for flag in ["--drop-type", "--compound-type"] {
        bench.import(&["--graph", "a=a.nt", flag, "base[."]).failed(2, "").saying("base[.");
        bench.holds_no_output();
    }
}

#[test]
fn no_threads_are_too_few() {
    let bench = two_graphs();
    for threads in ["0", "-1", "many", "65536"] {
        let threads = format!("--threads={threads}");
        bench
            .import(&["--graph", "a=a.nt", &threads])
            .failed_at_length(2, "invalid value")
            .saying("--threads");
        bench.holds_no_output();
    }
}

#[test]
fn an_unknown_graph_in_min_occurrence_is_answered_with_the_known_ones() {
    let bench = two_graphs();
    bench
        .import(&[&TWO_GRAPHS[..], &["--min-occurrence", "c=2"]].concat())
        .failed(2, "there is no graph c")
        .saying("a, b");
    bench
        .import(&["--graph", "a=a.nt", "--min-occurrence", "few"])
        .failed_at_length(2, "invalid value")
        .saying("whole number");
    bench
        .import(&["--graph", "a=a.nt", "--min-occurrence", "1000"])
        .failed(2, "")
        .saying("leaves nothing of the graph a");
    bench.holds_no_output();
}

// Outputs

#[test]
fn an_existing_output_is_refused_and_untouched() {
    let bench = prepared();
    let before = bench.files("data");
    bench.import(&["--graph", "a=a.nt"]).failed(2, "data exists already").saying("--force");
    assert_eq!(bench.files("data"), before);
    assert!(!bench.path(".data.partial").exists());
    bench.import(&["--graph", "a=a.nt", "--force"]).succeeded();
    assert_ne!(bench.files("data"), before);
    assert!(!bench.path(".data.partial").exists() && !bench.path(".data.replaced").exists());
}

#[test]
fn a_failed_replacement_leaves_the_old_folder() {
    let bench = prepared();
    let before = bench.files("data");
    bench.put("bad.nt", "what?\n");
    bench.import(&["--graph", "a=bad.nt", "--force"]).failed(1, "bad.nt:1:");
    assert_eq!(bench.files("data"), before);
    assert!(!bench.path(".data.partial").exists() && !bench.path(".data.replaced").exists());
}

#[test]
fn a_folder_of_something_else_is_refused_and_untouched() {
    let bench = two_graphs();
    bench.put("data/thesis.txt", "years of work");
    bench.import(&["--graph", "a=a.nt"]).failed(2, "data exists already");
    assert_eq!(
        bench.files("data").into_iter().collect::<Vec<_>>(),
        [("thesis.txt".into(), b"years of work".to_vec())]
    );
    assert!(!bench.path(".data.partial").exists());
}

#[test]
fn a_file_at_the_output_is_refused_even_with_force() {
    let bench = two_graphs();
    bench.put("data", "a file");
    bench.import(&["--graph", "a=a.nt"]).failed(2, "data exists already");
    assert_eq!(std::fs::read(bench.path("data")).unwrap(), b"a file");
    bench
        .import(&["--graph", "a=a.nt", "--force"])
        .failed(2, "data exists already, and is nothing that this command wrote");
    assert_eq!(std::fs::read(bench.path("data")).unwrap(), b"a file");
}

#[test]
fn a_table_that_a_folder_does_not_know_is_not_passed_over() {
    let bench = Workbench::new();
    bench.put("g/facts.tsv", "a\tlikes\tb\n").put("g/names.tsv", "a\tAnn\n");
    bench.import(&["--graph", "g=g"]).failed(1, "g/facts.tsv: in a folder, a table is called");
    bench.holds_no_output();
}

#[test]
fn columns_that_fit_nothing_or_only_half_are_refused() {
    let bench = with("g.csv", "who,how,whom\na,likes,b\n");
    bench
        .import(&["--graph", "g=g.csv", "--columns", "subject=who,relation=how"])
        .failed_at_length(2, "")
        .saying("object is missing");
    bench.put("h.nt", "<http://e/1> <http://e/p> <http://e/2> .\n");
    let args = ["--graph", "g=g.csv", "--graph", "h=h.nt", "--columns", "h:entity=id"];
    bench.import(&args).failed(2, "--columns fits no table of the graph h");
    let args = ["--graph", "g=g.csv", "--graph", "h=h.nt", "--columns", "f:entity=id"];
    bench.import(&args).said(2, "--columns names f; the graphs are g, h");
    bench.holds_no_output();
}

#[test]
fn an_output_that_cannot_be_created_is_named() {
    let bench = two_graphs();
    let args = ["import", "--quiet", "--graph", "a=a.nt", "--out", "b.tsv/data"];
    bench.run(&args).failed(1, "b.tsv");
    bench.holds_no_output();
    bench.run(&["generate", "--quiet", "--scale", "tiny", "--out", "b.tsv/world"]).failed(1, "b.tsv");
    bench.run(&["demo", "--quiet", "--scale", "tiny", "--out", "b.tsv/demo"]).failed(1, "b.tsv");
    assert_eq!(std::fs::read(bench.path("b.tsv")).unwrap(), b"b1\tlikes\tb2\nb2\tlikes\tb3\n");
}

/// A file that may not grow is what a full disk looks like.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let bench = Workbench::new();
    bench.generate("tiny");
    let import = "import --quiet --graph screen=world/screen --graph reel=world/reel.nt --out data";
    let ran = bench.run_in_shell(&format!("trap '' XFSZ; ulimit -f 8; exec \"$LINKNBED\" {import}"));
    ran.failed(1, "").saying("data").saying("File too large");
    bench.holds_no_output();
    let ran = bench.run_in_shell(
        "trap '' XFSZ; ulimit -f 8; exec \"$LINKNBED\" generate --quiet --scale tiny --out data",
    );
    ran.failed(1, "").saying("data").saying("File too large");
    bench.holds_no_output();
}

// Prepared folders

/// Opening the prepared folder after `damage` fails with a message that begins so and goes on so.
#[track_caller]
fn does_not_open(damage: impl FnOnce(&Workbench), beginning: &str, part: &str) {
    let bench = prepared();
    damage(&bench);
    bench.run(&["inspect", "data"]).failed(1, beginning).saying(part);
    bench.run(&["inspect", "data", "--verify", "--json"]).failed(1, beginning).saying(part);
}

fn edit_manifest(bench: &Workbench, edit: impl FnOnce(&mut Value)) {
    let text = std::fs::read_to_string(bench.path("data/manifest.json")).unwrap();
    let mut manifest = serde_json::from_str(&text).unwrap();
    edit(&mut manifest);
    bench.put("data/manifest.json", manifest.to_string());
}

#[test]
fn a_folder_of_a_newer_version_is_said_to_be_newer() {
    does_not_open(
        |bench| edit_manifest(bench, |manifest| manifest["version"] = 99.into()),
        "data: ",
        "newer version",
    );
}

#[test]
fn a_folder_of_another_program_is_said_to_be_so() {
    let other = |manifest: &mut Value| manifest["format"] = "something-else".into();
    does_not_open(|bench| edit_manifest(bench, other), "data/manifest.json: ", "something-else");
}

#[test]
fn a_truncated_column_is_named() {
    let cut = |bench: &Workbench| {
        let path = "data/graphs/a/facts/train.arrow";
        let bytes = std::fs::read(bench.path(path)).unwrap();
        bench.put(path, &bytes[..bytes.len() / 2]);
    };
    does_not_open(cut, "data/graphs/a/facts/train.arrow: ", "damaged");
}

#[test]
fn a_missing_column_is_named() {
    let remove =
        |bench: &Workbench| std::fs::remove_file(bench.path("data/links/a-b/positives.arrow")).unwrap();
    does_not_open(remove, "data/links/a-b/positives.arrow: ", "No such file");
}

#[test]
fn a_changed_column_does_not_have_its_checksum() {
    let bench = prepared();
    let path = "data/graphs/b/entities.arrow";
    let mut bytes = std::fs::read(bench.path(path)).unwrap();
    let at = bytes.windows(2).position(|pair| pair == b"b1").unwrap();
    bytes[at + 1] = b'9';
    bench.put(path, bytes);
    bench
        .run(&["inspect", "data", "--verify"])
        .failed(1, "data/graphs/b/entities.arrow: ")
        .saying("checksum");
}

#[test]
fn a_manifest_that_is_not_json_is_said_to_be_damaged() {
    does_not_open(|bench| _ = bench.put("data/manifest.json", "not JSON"), "data/manifest.json: ", "damaged");
    does_not_open(|bench| _ = bench.put("data/manifest.json", ""), "data/manifest.json: ", "damaged");
    does_not_open(|bench| _ = bench.put("data/manifest.json", b"\xff\xfe"), "data/manifest.json: ", "");
}

#[test]
fn a_folder_without_a_manifest_is_no_prepared_folder() {
    let remove = |bench: &Workbench| std::fs::remove_file(bench.path("data/manifest.json")).unwrap();
    does_not_open(
        remove,
        "data: is neither a prepared folder nor a run",
        "it has no manifest.json and no run.json",
    );
}

#[test]
fn a_damaged_column_is_refused_or_opened_but_never_ends_in_a_panic() {
    for name in [
        "data/graphs/a/facts/train.arrow",
        "data/graphs/a/entities.arrow",
        "data/graphs/a/neighbourhoods.arrow",
    ] {
        let bench = prepared();
        let whole = std::fs::read(bench.path(name)).unwrap();
        never_panics(&bench, name, &whole, &["inspect", "data"]);
    }
}
