//! Do reading, learning and comparing work together?

use super::candidates::{proposals, proposals_of, recall};
use super::*;
use crate::graph::{EntityId, Graph, GraphBuilder, Link, Value};
use crate::joint::small_graphs::{Prepared, prepared};
use crate::link::{Candidates, Pair};

/// People who are written about under other keys and in other units, and who share a code that is theirs alone.
fn people() -> Prepared {
    let (mut one, mut two) = (GraphBuilder::default(), GraphBuilder::default());
    for at in 0..60u32 {
        let (year, month) = (1900 + at * 7 % 90, 1 + at * 5 % 12);
        let text = |text: String| text;
        let first = [
            ("name", text(format!("Zoë {} the {at}th", ["Alpha", "Beta", "Gamma"][at as usize % 3]))),
            ("born", text(format!("{year}-{month:02}-11"))),
            ("size", text(format!("{}", 1.2 + f64::from(at * 11 % 60) / 50.0))),
            ("code", text(format!("unique code {at}"))),
            ("team", text(format!("{}", at * 13 % 17))),
        ];
        let second = [
            ("label", text(format!("zoe {} the {at}th", ["alpha", "beta", "gamma"][at as usize % 3]))),
            ("date_of_birth", text(format!("{}", f64::from(year) + f64::from(month - 1) / 12.0))),
            ("height", text(format!("{}", 120.0 + 2.0 * f64::from(at * 11 % 60)))),
            ("ident", text(format!("Unique Code: {at}"))),
            ("shelf", text(format!("{}", at * 7 % 29))),
        ];
        for (builder, entity, rows) in
            [(&mut one, format!("a{at}"), first), (&mut two, format!("b{at}"), second)]
        {
            rows.iter().for_each(|(key, value)| builder.attribute(&entity, key, Value::plain(value)));
        }
    }
    let graphs: Vec<Graph> = vec![one.finish("one"), two.finish("two")];
    prepared(graphs, Vec::new(), 0)
}

/// The links of the people, by name of entity.
fn links(data: &Prepared) -> Vec<(u32, u32)> {
    let [one, two] = [0, 1].map(|graph: usize| &data.data.graphs[graph].entities);
    let find = |at: u32| (one.find(&format!("a{at}")).unwrap(), two.find(&format!("b{at}")).unwrap());
    let mut links: Vec<(u32, u32)> = (0..60).map(find).collect();
    links.sort_unstable();
    links
}

fn pair<'a>(data: &'a Prepared, known: &[(u32, u32)]) -> Pair<'a> {
    let link = |&(a, b): &(u32, u32)| Link { first: EntityId(a), second: EntityId(b) };
    Pair::new(&data.data, [0, 1], known.iter().map(link).collect())
}

fn masked() -> ValueConfig {
    ValueConfig { names: NameSource::Nowhere, ..Default::default() }
}

#[test]
fn keys_that_mean_the_same_are_found_without_links() {
    let data = people();
    let pair = pair(&data, &[]);
    let written = pair.graphs().map(|graph| Written::new(graph, &masked()));
    let evidence = Evidence::gather(&pair, &written);
    assert_eq!(evidence.pairs(), links(&data));
    let keys = KeyAlignment::learn(&written, &evidence, 0);
    let name = |keys: &KeyPair| {
        let [one, two] = pair.graphs();
        (one.keys.get(keys.first), two.keys.get(keys.second), keys.scale)
    };
    let mut found: Vec<_> = keys.pairs.iter().map(name).collect();
    found.sort_by(|a, b| a.0.cmp(b.0));
    // Not code and ident: the pairs were found by them, and they cannot testify to themselves.
    assert_eq!(found, [("born", "date_of_birth", 1.0), ("size", "height", 100.0)]);
}

#[test]
fn values_that_agree_speak_for_a_pair_and_others_against_it() {
    let data = people();
    let links = links(&data);
    let pair = pair(&data, &links);
    let written = pair.graphs().map(|graph| Written::new(graph, &masked()));
    let evidence = Evidence::gather(&pair, &written);
    let keys = KeyAlignment::learn(&written, &evidence, 0);
    let right = keys.verdict(&written, links[0], evidence.left_out(links[0].0));
    let wrong = keys.verdict(&written, (links[0].0, links[1].1), evidence.left_out(links[0].0));
    assert!(right.agree > 3.0 && right.disagree == 0.0, "{right:?}");
    assert!(wrong.disagree < -3.0 && wrong.agree < right.agree, "{wrong:?}");
    assert!(right.compared >= 2);
}

#[test]
fn a_link_is_judged_by_other_folds() {
    let mut matched = [[0; Level::COUNT]; FOLDS];
    matched[2][Level::Same as usize] = 10;
    let keys = KeyPair { first: 0, second: 0, scale: 1.0, matched, chance: [97, 0, 0, 1] };
    // Chance is (1 + 0.5) / (98 + 2). (10 + 2 · 0.015) / (10 + 2) against it; without the fold nothing is known, and nothing said.
    assert!((keys.says(Level::Same, None) - (10.03f64 / 12.0 / 0.015).ln()).abs() < 1e-9);
    assert!(keys.says(Level::Same, Some(2)).abs() < 1e-9);
    // A level that was never met on ten pairs: 2 / (10 + 2), however rare it is by chance.
    for level in [Level::Other, Level::Alike, Level::Near] {
        assert!((keys.says(level, None) - (1.0f64 / 6.0).ln()).abs() < 1e-9);
    }
    assert_eq!(keys.says(Level::Same, Some(1)), keys.says(Level::Same, None));
}

#[test]
fn a_level_that_was_never_met_never_speaks_for_a_pair() {
    // Nine witnesses of keys that never agree, and a text that both have and nobody else does.
    let mut matched = [[0; Level::COUNT]; FOLDS];
    matched[0][Level::Other as usize] = 9;
    let data = people();
    let pair = pair(&data, &[]);
    let written = pair.graphs().map(|graph| Written::new(graph, &masked()));
    let find = |side: usize, key| pair.graphs()[side].keys.find(key).unwrap();
    let keys = KeyPair {
        first: find(0, "code"),
        second: find(1, "ident"),
        scale: 1.0,
        matched,
        chance: [900, 60, 40, 0],
    };
    let says = (2.0f64 / 11.0).ln() as f32;
    for (level, &(first, second)) in [Level::Alike, Level::Near, Level::Same].iter().zip(&links(&data)) {
        assert!((keys.says(*level, None) as f32 - says).abs() < 1e-6);
        let verdict = KeyAlignment::of(vec![keys.clone()]).verdict(&written, (first, second), None);
        assert!(verdict.agree == 0.0 && (verdict.disagree - says).abs() < 1e-6, "{verdict:?}");
    }
}

#[test]
fn one_of_many_values_is_enough() {
    let (mut one, mut two) = (GraphBuilder::default(), GraphBuilder::default());
    for at in 0..30 {
        one.attribute("e", "page", Value::plain(&format!("first page number {at}")));
        two.attribute("e", "page", Value::plain(&format!("quite another {at}")));
        // What nobody else has says more where there are others.
        for graph in [&mut one, &mut two] {
            graph.attribute(&format!("o{at}"), "page", Value::plain("ordinary"));
        }
    }
    one.attribute("e", "page", Value::plain("zebra crossing"));
    two.attribute("e", "page", Value::plain("Zebra crossing"));
    let data = prepared(vec![one.finish("one"), two.finish("two")], Vec::new(), 0);
    let graphs = pair(&data, &[]).graphs();
    let written = graphs.map(|graph| Written::new(graph, &masked()));
    let [first, second] = graphs.map(|graph| graph.entities.find("e").unwrap());
    let mut matched = [[0; Level::COUNT]; FOLDS];
    matched[0][Level::Same as usize] = 10;
    let keys = KeyPair { first: 0, second: 0, scale: 1.0, matched, chance: [97, 0, 0, 1] };
    let verdict = KeyAlignment::of(vec![keys]).verdict(&written, (first, second), None);
    assert!(verdict.agree > 0.0 && verdict.disagree == 0.0, "{verdict:?}");
}

#[test]
fn each_key_speaks_once_and_those_that_say_most_first() {
    let data = people();
    let pair = pair(&data, &[]);
    let written = pair.graphs().map(|graph| Written::new(graph, &masked()));
    let find = |side: usize, key| pair.graphs()[side].keys.find(key).unwrap();
    let keys = |one, two, same: u32| {
        let mut matched = [[0; Level::COUNT]; FOLDS];
        matched[0][Level::Same as usize] = same;
        KeyPair {
            first: find(0, one),
            second: find(1, two),
            scale: 1.0,
            matched,
            chance: [250; Level::COUNT],
        }
    };
    let all = [
        keys("born", "date_of_birth", 100),
        keys("team", "date_of_birth", 90),
        keys("born", "shelf", 80),
        keys("size", "height", 70),
        keys("size", "ident", 60),
    ];
    let verdict = |pairs: &[usize]| {
        let of = pairs.iter().map(|&at| all[at].clone()).collect();
        KeyAlignment::of(of).verdict(&written, links(&data)[0], None)
    };
    assert_eq!(verdict(&[0, 1, 2, 3, 4]), verdict(&[0, 3]));
    assert_eq!(verdict(&[1, 0, 2, 3]), verdict(&[1, 2, 3]));
    assert_eq!((verdict(&[0, 1, 2, 3, 4]).compared, verdict(&[1, 0, 2, 3]).compared), (2, 3));
    assert_eq!(verdict(&[]), Verdict::default());
}

#[test]
fn whoever_has_two_partners_does_not_testify() {
    let (mut one, mut two) = (GraphBuilder::default(), GraphBuilder::default());
    for (graph, rows) in [
        (
            &mut one,
            [
                ("a", "name", "alpha"),
                ("b", "name", "beta"),
                ("c", "name", "gamma"),
                ("d", "note", "delta note"),
            ],
        ),
        (
            &mut two,
            [
                ("A", "name", "alpha"),
                ("B", "name", "beta"),
                ("D", "remark", "delta note"),
                ("B", "name", "gamma"),
            ],
        ),
    ] {
        rows.iter().for_each(|(entity, key, text)| graph.attribute(entity, key, Value::plain(text)));
    }
    let data = prepared(vec![one.finish("one"), two.finish("two")], Vec::new(), 0);
    let [one, two] = pair(&data, &[]).graphs();
    let id = |a: &str, b: &str| (one.entities.find(a).unwrap(), two.entities.find(b).unwrap());
    let testify = |known: &[(u32, u32)]| {
        let pair = pair(&data, known);
        let written = pair.graphs().map(|graph| Written::new(graph, &ValueConfig::default()));
        Evidence::gather(&pair, &written)
    };
    let witness = |(first, second), source| Witness { first, second, source };
    let sorted = |mut witnesses: Vec<Witness>| {
        witnesses.sort_unstable();
        witnesses
    };
    let keys = Source::Keys(one.keys.find("note").unwrap(), two.keys.find("remark").unwrap());
    // B is called both beta and gamma: neither b nor c is taken.
    let (alpha, delta) = (witness(id("a", "A"), Source::Name), witness(id("d", "D"), keys));
    assert_eq!(testify(&[]).witnesses, sorted(vec![alpha, delta]));
    // A known link decides: it stays, its rival goes, and it is also found by its name.
    let known = id("b", "B");
    let found = testify(&[known]);
    let [given, named] = [Source::Known, Source::Name].map(|source| witness(known, source));
    assert_eq!(found.witnesses, sorted(vec![alpha, delta, given, named]));
    assert_eq!(found.pairs().len(), 3);
    assert_eq!(found.left_out(known.0), Some(fold_of(known.0)));
    assert_eq!(found.left_out(alpha.first), None);
    // A known link against a name: the name is not believed.
    let crossed = id("a", "D");
    let expected = vec![witness(crossed, Source::Known)];
    assert_eq!(testify(&[crossed]).witnesses, expected);
}

#[test]
fn candidates_are_found_by_names_and_by_other_texts() {
    let data = people();
    let (pair, links) = (pair(&data, &[]), links(&data));
    assert_eq!(recall(&proposals(&pair, &ValueConfig::default()), &links), 1.0);
    let few = ValueConfig { per_entity: 1, ..masked() };
    let by_text = proposals(&pair, &few);
    assert_eq!((recall(&by_text, &links), by_text.len() < 4 * links.len()), (1.0, true));
    assert_eq!(recall(&[], &links), 0.0);
    assert_eq!(recall(&[], &[]), 1.0);
}

#[test]
fn ids_are_names_only_when_asked_for() {
    let data = people();
    let graph = &data.data.graphs[0];
    let names = |names| Written::new(graph, &ValueConfig { names, ..Default::default() }).names.texts.len();
    assert_eq!(names(NameSource::Nowhere), 0);
    assert_eq!(names(NameSource::Keys), 60);
    assert_eq!(names(NameSource::KeysOrIds), 60);
    let mut bare = GraphBuilder::default();
    bare.fact(crate::graph::Part::Train, "http://x/Long_Night", "r", "http://x/17");
    let bare = prepared(vec![bare.finish("bare")], Vec::new(), 0);
    let names =
        |names| Written::new(&bare.data.graphs[0], &ValueConfig { names, ..Default::default() }).names.texts;
    assert_eq!(names(NameSource::KeysOrIds), ["long night"]);
    assert!(names(NameSource::Keys).is_empty());
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let data = people();
    let pair = pair(&data, &links(&data)[..20]);
    let config = ValueConfig::default();
    let all = || {
        let written = pair.graphs().map(|graph| Written::new(graph, &config));
        let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
        let candidates = Candidates::of(60, proposals_of(&written, &vectors, &config));
        let evidence = Evidence::gather(&pair, &written);
        let keys = KeyAlignment::learn(&written, &evidence, 0);
        let columns = columns(&written, &vectors, &keys, &evidence, &candidates);
        let bits =
            columns.iter().flat_map(|column| column.values.iter().map(|value| value.to_bits())).collect();
        (candidates, bits)
    };
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all);
    let expected: (Candidates, Vec<u32>) = on(1);
    assert_eq!(expected.1.len(), 7 * expected.0.len());
    assert_eq!(on(2), expected);
    assert_eq!(on(4), expected);
}
