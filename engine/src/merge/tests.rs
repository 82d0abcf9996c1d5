use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::clean::CleanConfig;
use crate::dataset::{ImportConfig, NegativeConfig, PrepareConfig, WalkConfig, import};
use crate::graph::{EntityId, Link};
use crate::io::Strictness;
use crate::io::source::Format;
use crate::progress::Silent;

/// A prepared folder of graphs, each a folder of tables.
fn prepared(home: &Path, graphs: &[(&str, &str, &str)]) -> Dataset {
    for (name, triples, attributes) in graphs {
        let folder = home.join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("triples.tsv"), triples).unwrap();
        if !attributes.is_empty() {
            fs::write(folder.join("attributes.tsv"), attributes).unwrap();
        }
    }
    let config = ImportConfig {
        graphs: graphs.iter().map(|(name, ..)| (name.to_string(), home.join(name))).collect(),
        prepare: PrepareConfig {
            walks: WalkConfig { count: 1, length: 1 },
            negatives: NegativeConfig { same_type: 1, other_type: 1 },
            ..PrepareConfig::default()
        },
        links: Vec::new(),
        stdin: Format::NTriples,
        strictness: Strictness::Strict,
        columns: Vec::new(),
        clean: CleanConfig::default(),
        min_occurrence: BTreeMap::new(),
        out: home.join("data"),
        replace: Replace::Never,
    };
    import(&config, &Silent).unwrap();
    Dataset::open(&home.join("data")).unwrap()
}

fn link(data: &Dataset, a: (usize, &str), b: (usize, &str), probability: f64) -> StatedLink {
    let find = |(graph, name): (usize, &str)| EntityId(data.graphs[graph].entities.find(name).unwrap());
    let link = Link { first: find(a), second: find(b) };
    StatedLink { graphs: (a.0, b.0), link, same: true, probability }
}

fn quads(data: &Dataset, links: &[StatedLink], config: &MergeConfig) -> (BTreeSet<String>, MergeReport) {
    let merged = merge(data, links, config, &Silent).unwrap();
    let path = data.path.with_file_name("merged.nq");
    merged.write(&path, Output::Quads, Replace::Existing, &Silent).unwrap();
    let text = fs::read_to_string(path).unwrap();
    let lines: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), text.lines().count(), "no statement of a graph is written twice");
    (lines, merged.report)
}

/// A quad of plain names.
fn quad(subject: &str, relation: &str, object: &str, graph: &str) -> String {
    let [subject, relation, object] =
        [subject, relation, object].map(|name| format!("<{}>", name.replace(':', "%3A")));
    let [subject, relation, object] =
        [subject, relation, object].map(|iri| iri.replacen('<', "<urn:linknbed:", 1));
    format!("{subject} {relation} {object} <urn:linknbed:graph:{graph}> .")
}

#[test]
fn the_least_probable_of_conflicting_links_is_cut() {
    let home = tempfile::tempdir().unwrap();
    let graphs = [("a", "a1\tr\ta2\n", ""), ("b", "b1\tr\tb2\n", ""), ("c", "c1\tr\tc2\n", "")];
    let data = prepared(home.path(), &graphs);
    // a1 = b1 = c1, and c1 = a2 would make a1 and a2 one.
    let links = [
        link(&data, (2, "c1"), (0, "a2"), 0.6),
        link(&data, (0, "a1"), (1, "b1"), 0.9),
        link(&data, (1, "b1"), (2, "c1"), 0.8),
        link(&data, (0, "a2"), (1, "b2"), 0.4),
    ];
    let (lines, report) = quads(&data, &links, &MergeConfig::default());
    let expected = LinkCounts { stated: 4, improbable: 1, used: 2, cut: 1, ..LinkCounts::default() };
    assert_eq!(report.links, expected);
    let cut = &report.cut[0];
    let ends =
        [(&cut.graph_a, &cut.entity_a), (&cut.graph_b, &cut.entity_b)].map(|(g, e)| (g.as_str(), e.as_str()));
    assert_eq!((ends, cut.probability), ([("a", "a2"), ("c", "c1")], 0.6));
    assert_eq!(report.clusters, BTreeMap::from([(1, 3), (3, 1)]));
    for expected in [quad("a1", "r", "a2", "a"), quad("a1", "r", "b2", "b"), quad("a1", "r", "c2", "c")] {
        assert!(lines.contains(&expected), "{expected} is not in {lines:?}");
    }
    let together = MergeConfig { duplicates: Duplicates::Together, ..MergeConfig::default() };
    let (lines, report) = quads(&data, &links, &together);
    assert_eq!((report.links.cut, report.entities), (0, 3));
    assert!(lines.contains(&quad("a1", "r", "a1", "a")), "{lines:?}");
}

#[test]
fn what_is_said_to_be_different_stays_apart() {
    let home = tempfile::tempdir().unwrap();
    let graphs = [("a", "a1\tr\ta2\n", ""), ("b", "b1\tr\tb2\n", ""), ("c", "c1\tr\tc2\n", "")];
    let data = prepared(home.path(), &graphs);
    let denied = |a, b| StatedLink { same: false, ..link(&data, a, b, 1.0) };
    // a2 is not b2, whatever was found; a1 is not c1, so that it cannot be by way of b1 either.
    let links = [
        link(&data, (0, "a2"), (1, "b2"), 0.9),
        link(&data, (0, "a1"), (1, "b1"), 0.9),
        link(&data, (1, "b1"), (2, "c1"), 0.8),
        denied((1, "b2"), (0, "a2")),
        denied((0, "a1"), (2, "c1")),
    ];
    for duplicates in [Duplicates::Apart, Duplicates::Together] {
        let config = MergeConfig { duplicates, ..MergeConfig::default() };
        let (_, report) = quads(&data, &links, &config);
        let expected = LinkCounts { stated: 5, denied: 2, used: 1, cut: 2, ..LinkCounts::default() };
        assert_eq!((report.links, report.clusters), (expected, BTreeMap::from([(1, 4), (2, 1)])));
    }
}

#[test]
fn names_of_different_things_get_their_graph() {
    let home = tempfile::tempdir().unwrap();
    let data = prepared(home.path(), &[("a", "x\tr\ty\n", ""), ("b", "x\tr\tz\n", "")]);
    let (lines, report) = quads(&data, &[], &MergeConfig::default());
    assert_eq!((report.entities, report.prefixed_entities), (4, 2));
    assert!(lines.contains(&quad("a:x", "r", "y", "a").replace("urn:linknbed:a%3Ax", "a:x")), "{lines:?}");
    let (lines, report) = quads(&data, &[link(&data, (0, "x"), (1, "x"), 1.0)], &MergeConfig::default());
    assert_eq!((report.entities, report.prefixed_entities), (3, 0));
    assert!(lines.contains(&quad("x", "r", "z", "b")), "{lines:?}");
}

#[test]
fn conflicts_are_resolved_by_the_rule() {
    let home = tempfile::tempdir().unwrap();
    let graphs = [
        ("a", "a1\tr\ta2\n", "a1\tborn\t1950\na1\tmodified\t2001-01-01\na1\tnote\tx\na1\tnote\ty\n"),
        ("b", "b1\tr\tb2\n", "b1\tborn\t1951\nb1\tmodified\t2003-01-01\nb1\tnote\tz\n"),
        ("c", "c1\tr\tc2\n", "c1\tborn\t1951.0\nc1\tmodified\t2002-01-01\n"),
    ];
    let data = prepared(home.path(), &graphs);
    let links = [link(&data, (0, "a1"), (1, "b1"), 1.0), link(&data, (1, "b1"), (2, "c1"), 1.0)];
    let alternatives = |conflicts, prefer: &[&str]| {
        let prefer = prefer.iter().map(|name| name.to_string()).collect();
        let (lines, report) =
            quads(&data, &links, &MergeConfig { conflicts, prefer, ..MergeConfig::default() });
        // The key `note` has two values in a; dates of change differ too.
        let counts: Vec<(&str, u64)> = report.conflicts.iter().map(|c| (c.key.as_str(), c.count)).collect();
        assert_eq!(counts, [("born", 1), ("modified", 1)]);
        let born = lines.into_iter().filter(|line| line.contains("born") && line.contains(":alternative>"));
        born.map(|line| line.split('"').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(alternatives(Conflicts::Majority, &[]), ["1950"]);
    assert_eq!(alternatives(Conflicts::Priority, &[]), ["1951", "1951.0"]);
    assert_eq!(alternatives(Conflicts::Priority, &["c"]), ["1950"]);
    assert_eq!(alternatives(Conflicts::Recent, &[]), ["1950"]);
}

#[test]
fn aligned_relations_are_one_and_others_stay_apart() {
    let home = tempfile::tempdir().unwrap();
    let data = prepared(home.path(), &[("a", "x\tr\ty\n", "x\tk\t1\n"), ("b", "z\ts\tw\nz\tr\tz2\n", "")]);
    let file = home.path().join("relations.tsv");
    let config = MergeConfig { relations: Some(file.clone()), ..MergeConfig::default() };
    fs::write(&file, "relation_a\trelation_b\ns\tr\n").unwrap();
    let (lines, report) = quads(&data, &[], &config);
    assert_eq!(report.relations, 2);
    assert!(
        lines.iter().any(|line| line.starts_with("<urn:linknbed:z> <a:r> <urn:linknbed:w>")),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with("<urn:linknbed:z> <b:r> <urn:linknbed:z2>")),
        "{lines:?}"
    );
    for (text, message) in [
        ("r\n", ":1: expected 2 columns (a relation of each graph) or 4, found 1"),
        ("r\tq\n", ":1: b has no relation and no key \"q\"; did you mean \"r\"?"),
        ("k\ts\n", ":1: \"k\" and \"s\" cannot be one: one is a relation and the other a key"),
        ("a\tr\td\ts\n", ":1: there is no graph \"d\"; the graphs are a, b"),
        ("a\tr\ta\tk\n", ":1: \"r\" and \"k\" are in the same graph"),
        ("", ": the file is empty"),
    ] {
        fs::write(&file, text).unwrap();
        let failure = merge(&data, &[], &config, &Silent).unwrap_err().to_string();
        assert_eq!(failure, format!("{}{message}", file.display()));
    }
}

#[test]
fn hashes_depend_on_the_members_alone() {
    let home = tempfile::tempdir().unwrap();
    let data = prepared(home.path(), &[("a", "x\tr\ty\n", ""), ("b", "z\tr\tw\n", "")]);
    let links = [link(&data, (0, "x"), (1, "z"), 1.0)];
    let config = |prefer: &[&str]| MergeConfig {
        ids: Ids::Hash,
        prefer: prefer.iter().map(|name| name.to_string()).collect(),
        ..MergeConfig::default()
    };
    assert_eq!(quads(&data, &links, &config(&[])).0, quads(&data, &links, &config(&["b"])).0);
    assert_ne!(quads(&data, &links, &config(&[])).0, quads(&data, &[], &config(&[])).0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]
    #[test]
    fn every_fact_is_there_once_with_its_sources(
        facts in prop::collection::vec(prop::collection::btree_set((0..5u8, 0..2u8, 0..5u8), 1..12), 3),
        drawn in prop::collection::vec((0..3usize, 0..2usize, any::<[u8; 2]>(), 0..=20u8), 0..8),
        removed in any::<u8>(),
    ) {
        let home = tempfile::tempdir().unwrap();
        let names = ["a", "b", "c"];
        let text = |graph: usize| {
            let name = names[graph];
            let lines = facts[graph].iter().filter(|(s, _, o)| s != o);
            let lines: String = lines.map(|(s, r, o)| format!("{name}{s}\tr{r}\t{name}{o}\n")).collect();
            format!("{name}x\tr0\t{name}y\n{lines}")
        };
        let texts: Vec<String> = (0..3).map(text).collect();
        let graphs: Vec<(&str, &str, &str)> = (0..3).map(|graph| (names[graph], texts[graph].as_str(), "")).collect();
        let data = prepared(home.path(), &graphs);
        let links: Vec<StatedLink> = drawn.iter().map(|&(a, shift, ends, probability)| {
            let b = (a + 1 + shift) % 3;
            let entity = |graph: usize, draw: u8| {
                let entities = &data.graphs[graph].entities;
                entities.get(u32::from(draw) % entities.len() as u32)
            };
            link(&data, (a, entity(a, ends[0])), (b, entity(b, ends[1])), f64::from(probability) / 20.0)
        }).collect();
        let config = MergeConfig::default();
        let merged = merge(&data, &links, &config, &Silent).unwrap();
        // The clusters, by hand: one list of members for each.
        let mut ordered: Vec<&StatedLink> = links.iter().filter(|link| link.probability >= 0.5).collect();
        let key = |link: &StatedLink| {
            let ends = [(link.graphs.0, link.link.first), (link.graphs.1, link.link.second)];
            [ends[0].min(ends[1]), ends[0].max(ends[1])]
        };
        ordered.sort_by(|x, y| y.probability.total_cmp(&x.probability).then(key(x).cmp(&key(y))));
        let all = (0..3).flat_map(|graph| (0..data.graphs[graph].entities.len() as u32).map(move |id| (graph, EntityId(id))));
        let mut clusters: Vec<BTreeSet<(usize, EntityId)>> = all.map(|member| BTreeSet::from([member])).collect();
        for link in ordered {
            let [x, y] = key(link).map(|end| clusters.iter().position(|cluster| cluster.contains(&end)).unwrap());
            let apart = clusters[x].iter().all(|(graph, _)| clusters[y].iter().all(|(other, _)| other != graph));
            if x != y && apart {
                let moved = std::mem::take(&mut clusters[y]);
                clusters[x].extend(moved);
            }
        }
        // The facts, by hand: every name becomes that of the first member, and sources gather.
        let new_name = |graph: usize, name: &str| {
            let member = (graph, EntityId(data.graphs[graph].entities.find(name).unwrap()));
            let first = clusters.iter().find(|cluster| cluster.contains(&member)).unwrap().first().unwrap();
            data.graphs[first.0].entities.get(first.1.0).to_owned()
        };
        let mut expected: BTreeMap<[String; 3], BTreeSet<&str>> = BTreeMap::new();
        for (graph, text) in texts.iter().enumerate() {
            for line in text.lines() {
                let cells: Vec<&str> = line.split('\t').collect();
                let fact = [new_name(graph, cells[0]), cells[1].to_owned(), new_name(graph, cells[2])];
                expected.entry(fact).or_default().insert(names[graph]);
            }
        }
        let found: BTreeMap<[String; 3], BTreeSet<&str>> = merged.facts.rows.iter().zip(&merged.facts.sources)
            .map(|(&[s, r, o], sources)| {
                let fact = [merged.name(s).into_owned(), merged.relations.name(r).to_owned(), merged.name(o).into_owned()];
                (fact, sources.iter().map(|graph| names[graph]).collect())
            }).collect();
        prop_assert_eq!(merged.facts.len(), expected.len());
        prop_assert_eq!(found, expected);
        // Without a link, and in any order, it is as if the link had never been there.
        if !links.is_empty() {
            let at = usize::from(removed) % links.len();
            let without: Vec<StatedLink> =
                links.iter().enumerate().filter(|(number, _)| *number != at).map(|(_, link)| *link).collect();
            let turned: Vec<StatedLink> = without.iter().rev().map(|link| StatedLink {
                graphs: (link.graphs.1, link.graphs.0),
                link: Link { first: link.link.second, second: link.link.first },
                ..*link
            }).collect();
            prop_assert_eq!(quads(&data, &without, &config), quads(&data, &turned, &config));
        }
    }
}
