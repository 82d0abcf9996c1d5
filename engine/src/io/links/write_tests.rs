use std::fs;

use proptest::prelude::*;
use serde_json::json;

use super::super::{LinkSource, Side, StatedLink, find_links, read_links, read_stated};
use super::*;
use crate::graph::{Graph, GraphBuilder, Part};
use crate::io::Strictness;
use crate::progress::Silent;

const FORMATS: [(&str, LinkFormat); 5] = [
    ("x.tsv", LinkFormat::Tsv),
    ("x.sssom.tsv", LinkFormat::Sssom(Identity::SameAs)),
    ("y.sssom.tsv", LinkFormat::Sssom(Identity::ExactMatch)),
    ("x.nt", LinkFormat::NTriples),
    ("x.parquet", LinkFormat::Parquet),
];

fn graph(name: &str, entities: &[String]) -> Graph {
    let mut builder = GraphBuilder::default();
    entities.iter().for_each(|entity| builder.typing(entity, "thing"));
    builder.finish(name)
}

fn sides(graphs: &[Graph]) -> Vec<Side<'_>> {
    graphs.iter().map(|graph| Side { name: &graph.name, entities: &graph.entities }).collect()
}

/// A graph and an entity, another graph and entity, and the probability.
type InNames = (String, String, String, String, f64);

/// What a file says, in names.
fn read(path: &Path, graphs: &[Graph]) -> Result<Vec<InNames>> {
    let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
    let sources = find_links(path.to_str().unwrap(), &names)?;
    let stated = read_stated(&sources, &sides(graphs), &|_, _| "; no hint".to_owned(), &Silent)?;
    let in_names = |stated: StatedLink| {
        let ((a, b), link) = (stated.graphs, stated.link);
        assert!(stated.same);
        let [first, second] = [(a, link.first), (b, link.second)]
            .map(|(g, e)| (graphs[g].name.clone(), graphs[g].entities.get(e.0)));
        (first.0, first.1.to_owned(), second.0, second.1.to_owned(), stated.probability)
    };
    Ok(stated.into_iter().map(in_names).collect())
}

fn link<'a>(a: (&'a str, &'a str), b: (&'a str, &'a str), probability: f64) -> FoundLink<'a> {
    FoundLink { graph_a: a.0, entity_a: a.1, graph_b: b.0, entity_b: b.1, probability, evidence: None }
}

#[test]
fn every_format_is_as_it_should_be() {
    let home = tempfile::tempdir().unwrap();
    let mut links =
        vec![link(("a", "http://e/x/1"), ("b", "tt 1"), 0.25), link(("a", "u#2"), ("b", "_:c"), 1.0)];
    let text = |name: &str, format, links: &[FoundLink<'_>]| {
        let path = home.path().join(name);
        write_links(&path, format, links).unwrap();
        fs::read_to_string(path).unwrap()
    };
    assert_eq!(
        text("x.nt", LinkFormat::NTriples, &links),
        "<http://e/x/1> <http://www.w3.org/2002/07/owl#sameAs> <urn:linknbed:tt%201> .\n\
         <urn:linknbed:u%232> <http://www.w3.org/2002/07/owl#sameAs> <urn:linknbed:_%3Ac> .\n"
    );
    assert_eq!(
        text("x.tsv", LinkFormat::Tsv, &links),
        "graph_a\tentity_a\tgraph_b\tentity_b\tprobability\n\
         a\thttp://e/x/1\tb\ttt 1\t0.25\na\tu#2\tb\t_:c\t1\n"
    );
    links[1].evidence = Some(json!({"name": "tab\there"}));
    assert_eq!(
        text("x.tsv", LinkFormat::Tsv, &links),
        "graph_a\tentity_a\tgraph_b\tentity_b\tprobability\tevidence\n\
         a\thttp://e/x/1\tb\ttt 1\t0.25\t\na\tu#2\tb\t_:c\t1\t{\"name\":\"tab\\there\"}\n"
    );
    let sssom = text("x.sssom.tsv", LinkFormat::Sssom(Identity::ExactMatch), &links);
    assert!(
        sssom.starts_with("#curie_map:\n#  ns1: \"http://e/x/\"\n#  ns2: \"urn:linknbed:\"\n#  graph: "),
        "{sssom}"
    );
    let (_, rows) = sssom.split_once("confidence\tcomment\n").unwrap();
    assert_eq!(
        rows,
        "ns1:1\tskos:exactMatch\tns2:tt%201\tsemapv:CompositeMatching\tgraph:a\tgraph:b\t0.25\t\n\
         ns2:u%232\tskos:exactMatch\tns2:_%3Ac\tsemapv:CompositeMatching\tgraph:a\tgraph:b\t1\t{\"name\":\"tab\\there\"}\n"
    );
}

#[test]
fn what_cannot_be_written_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.tsv");
    let tab = write_links(&path, LinkFormat::Tsv, &[link(("a", "x\ty"), ("b", "z"), 1.0)]).unwrap_err();
    assert_eq!(
        tab.to_string(),
        format!("{}: \"x\\ty\" cannot be written as TSV; use Parquet", path.display())
    );
    let unsure = write_links(&path, LinkFormat::Tsv, &[link(("a", "x"), ("b", "z"), f64::NAN)]).unwrap_err();
    assert_eq!(
        unsure.to_string(),
        "the probability of \"x\" and \"z\" is NaN; expected a number from 0 to 1"
    );
    assert!(!path.exists());
}

#[test]
fn a_bad_table_is_refused_and_says_where() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.tsv");
    let graphs = [graph("a", &["1".into()]), graph("b", &["2".into()]), graph("c", &["3".into()])];
    let message = |text: &str| {
        fs::write(&path, text).unwrap();
        let message = read(&path, &graphs).unwrap_err().to_string();
        message.strip_prefix(&path.display().to_string()).unwrap().to_owned()
    };
    let header = "graph_a\tentity_a\tgraph_b\tentity_b\tprobability\n";
    let expected = "a table of links has graph_a, entity_a, graph_b, entity_b, probability";
    assert_eq!(
        message("graph_a\tentity_a\tentity_b\n"),
        format!(":1: there is no column graph_b; {expected}")
    );
    assert_eq!(message("entity_a\tprobability\n"), format!(":1: there is no column entity_b; {expected}"));
    assert_eq!(message(""), ": the file is empty");
    for (row, problem) in [
        ("a\t1\tb\t2\t1.5", "the probability should be a number from 0 to 1, found \"1.5\""),
        ("a\t1\tb\t2\tNaN", "the probability should be a number from 0 to 1, found \"NaN\""),
        ("a\t1\tb\t2", "expected 5 columns as in the header, found 4"),
        ("a\t1\td\t2\t1", "there is no graph \"d\"; the graphs are a, b, c"),
        ("a\t1\tb\t1\t1", "there is no entity \"1\" in the graph b; no hint"),
        ("a\t2\tb\t1\t1", "the columns are swapped: 2 is in b and 1 in a"),
        ("a\t\tb\t1\t1", "the entity is empty"),
    ] {
        assert_eq!(message(&format!("{header}a\t1\tc\t3\t0.5\n{row}\n")), format!(":3: {problem}"), "{row}");
    }
    assert_eq!(message("1\t2\n9\t3\n"), ":2: there is no entity \"9\" in any graph; no hint");
}

#[test]
fn a_link_within_a_graph_is_read_but_not_imported() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("x.tsv");
    let graphs = [graph("a", &["1".into(), "2".into()]), graph("b", &["3".into()])];
    write_links(&path, LinkFormat::Tsv, &[link(("a", "1"), ("a", "2"), 0.5)]).unwrap();
    assert_eq!(read(&path, &graphs).unwrap(), [("a".into(), "1".into(), "a".into(), "2".into(), 0.5)]);
    let sources = find_links(path.to_str().unwrap(), &["a", "b"]).unwrap();
    let failure = read_links(&sources, &graphs, Strictness::Strict, &Silent).unwrap_err().to_string();
    assert_eq!(failure, format!("{}:2: \"1\" and \"2\" are in the same graph", path.display()));
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let name = "(http://e[a-c]/[a-z#/]{1,4}|[a-z %\"'é:]{1,5}|_:[a-z]{1,2}|urn:linknbed:[a-z%]{1,3})";
    prop::collection::btree_set(name, 1..8).prop_map(|names| names.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_format_reads_back(
        entities in prop::collection::vec(names(), 2..4),
        drawn in prop::collection::vec((any::<[u8; 4]>(), 0.0..=1.0f64), 1..12),
        explained in any::<bool>(),
    ) {
        // Graphs that share no name, so that formats without the graphs can be read back too.
        let entities: Vec<Vec<String>> = (0..).zip(&entities)
            .map(|(number, names)| names.iter().map(|name| format!("{name}{number}")).collect()).collect();
        let graphs: Vec<Graph> =
            ["first", "b-é", "c.d"].iter().zip(&entities).map(|(name, entities)| graph(name, entities)).collect();
        let mut links: Vec<FoundLink<'_>> = drawn.iter().map(|&([a, shift, first, second], probability)| {
            let a = usize::from(a) % graphs.len();
            let b = (a + 1 + usize::from(shift) % (graphs.len() - 1)) % graphs.len();
            let entity = |graph: usize, draw: u8| &entities[graph][usize::from(draw) % entities[graph].len()];
            link((&graphs[a].name, entity(a, first)), (&graphs[b].name, entity(b, second)), probability)
        }).collect();
        if explained {
            links[0].evidence = Some(json!({"words": ["\t", "\n\"é"]}));
        }
        let home = tempfile::tempdir().unwrap();
        for (name, format) in FORMATS {
            let path = home.path().join(name);
            write_links(&path, format, &links).unwrap();
            let mut found = read(&path, &graphs).unwrap();
            let mut expected: Vec<_> = links.iter().map(|link| {
                let sure = if format == LinkFormat::NTriples { 1.0 } else { link.probability };
                let [a, b, c, d] = [link.graph_a, link.entity_a, link.graph_b, link.entity_b].map(str::to_owned);
                (a, b, c, d, sure)
            }).collect();
            if format == LinkFormat::NTriples {
                // Statements are a set without an order.
                found.sort_by(|a, b| a.partial_cmp(b).unwrap());
                expected.sort_by(|a, b| a.partial_cmp(b).unwrap());
                expected.dedup();
                found.dedup();
            }
            prop_assert_eq!(&found, &expected, "{}", name);
            // The readers of known links agree on who is linked.
            let sources = find_links(path.to_str().unwrap(), &["first", "b-é", "c.d"][..graphs.len()]).unwrap();
            let (known, _) = read_links(&sources, &graphs, Strictness::Strict, &Silent).unwrap();
            let count: usize = known.iter().map(|links| links.positives.len()).sum();
            if format != LinkFormat::NTriples {
                prop_assert_eq!(count, links.len());
            }
        }
    }

    #[test]
    fn no_table_makes_the_reader_panic(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 1..200),
            "(graph_a|entity_a|graph_b|entity_b|probability|evidence|[ab]|[0-9.]{1,3}|[\t\n\r\",]){1,40}"
                .prop_map(String::into_bytes),
        ],
        format in 0..4usize,
    ) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(["x.tsv", "x.csv", "x.sssom.tsv", "x.parquet"][format]);
        fs::write(&path, &bytes).unwrap();
        let graphs = [graph("a", &["1".into()]), graph("b", &["2".into()])];
        let source = LinkSource { path, graphs: None, part: Part::Undivided };
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            if let Ok((links, report)) = read_links(std::slice::from_ref(&source), &graphs, strictness, &Silent) {
                // Whatever was read names entities that are there.
                for link in links.iter().flat_map(|links| links.positives.iter().chain(links.negatives.iter())) {
                    prop_assert_eq!((link.first.0, link.second.0), (0, 0));
                }
                prop_assert!(strictness == Strictness::Lenient || report.read.problems.count() == 0);
            }
        }
    }
}
