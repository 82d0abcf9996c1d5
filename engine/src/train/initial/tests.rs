//! Do vectors come from where they should?

use std::path::PathBuf;

use super::*;
use crate::config::{Aggregation, Share};
use crate::error::Error;
use crate::graph::{Graph, GraphBuilder, Part, Value};
use crate::joint::small_graphs::{Prepared, prepared};

/// Films and people: `tom` has two names, of which one has known words; others are called by their ids.
fn films() -> Graph {
    let mut builder = GraphBuilder::default();
    builder.fact(Part::Train, "http://x.example/Green_Mile", "ns#starring", "tom");
    builder.fact(Part::Train, "ns:greenMile", "directedBy", "q42");
    builder.attribute("tom", "title", Value::plain("Джим"));
    builder.attribute("tom", "rdfs:label", Value::plain("Tom Hanks"));
    builder.attribute("tom", "about", Value::plain("green"));
    builder.attribute("q42", "year", Value::plain("1999"));
    builder.typing("tom", "ns/Person");
    builder.typing("q42", "Robot");
    builder.finish("films")
}

/// Shares the name of an entity, of a relation and of a type with the films.
fn books() -> Graph {
    let mut builder = GraphBuilder::default();
    builder.fact(Part::Train, "tom", "ns#starring", "hanks");
    builder.fact(Part::Train, "tom", "writtenBy", "nobody");
    builder.typing("hanks", "ns/Person");
    builder.attribute("hanks", "year", Value::plain("2001"));
    builder.finish("books")
}

const WORDS: &str = "7 2\ntom 1 0\nhanks 3 2\ngreen 0 -4\nmile 0 2\nstarring 0 8\nperson 6 -2\nempty 0 0\n";

fn write_words(home: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = home.path().join("words.vec");
    std::fs::write(&path, text).unwrap();
    path
}

fn config(from: InitialFrom, path: &Path) -> Config {
    let mut config = Config::preset("paper").unwrap();
    config.model.entity = 2;
    config.model.relation = 2;
    config.model.class = 2;
    config.model.attribute = 3;
    config.model.hidden = 4;
    config.model.features = 8;
    config.initial =
        crate::config::InitialConfig { from, path: path.display().to_string(), scale: 0.5, ..config.initial };
    config
}

fn no_run(_: &Path) -> Result<Earlier> {
    panic!("no earlier run is asked for")
}

fn joined(data: &Dataset, config: &Config) -> Joint {
    Joint::new(data, config.model.share, config.model.features as u32).unwrap()
}

/// What a config without earlier vectors begins with.
fn random_start(joint: &Joint, config: &Config) -> Parameters<f32> {
    random(sizes(joint, config), &contexts(config), config)
}

/// A row of a table.
fn row(table: &[f32], row: u32, width: usize) -> &[f32] {
    &table[row as usize * width..(row as usize + 1) * width]
}

fn entity_row(data: &Dataset, joint: &Joint, graph: usize, name: &str) -> u32 {
    joint.graphs[graph].first + data.graphs[graph].entities.find(name).unwrap()
}

fn relation_row(data: &Dataset, joint: &Joint, graph: usize, name: &str) -> u32 {
    joint.relations.of(graph, data.graphs[graph].relations.find(name).unwrap())
}

fn type_row(data: &Dataset, joint: &Joint, graph: usize, name: &str) -> u32 {
    joint.types.of(graph, data.graphs[graph].types.find(name).unwrap())
}

#[test]
fn random_numbers_lie_within_the_scale() {
    let Prepared { data, .. } = &prepared(vec![films(), books()], Vec::new(), 0);
    let config = config(InitialFrom::Random, Path::new(""));
    let joint = joined(data, &config);
    let (parameters, report) = parameters(data, &joint, &config, no_run).unwrap();
    assert_eq!(report.to_string(), "all vectors are random");
    assert_eq!(report.entities, Given { rows: 0, of: 7 });
    assert!(parameters.entities.iter().all(|x| x.abs() <= 0.5 && *x != 0.0));
    // Glorot: √(6 / (inputs + outputs)), here of 2 and 4.
    assert!(parameters.own.iter().all(|x| x.abs() <= 1.0));
    assert!(parameters.own.iter().any(|x| x.abs() > 0.5));
    assert_eq!(parameters, random_start(&joint, &config));
}

#[test]
fn names_give_vectors_that_are_as_large_as_random_ones() {
    let home = tempfile::tempdir().unwrap();
    let Prepared { data, .. } = &prepared(vec![films(), books()], Vec::new(), 0);
    let config = config(InitialFrom::Words, &write_words(&home, WORDS));
    let joint = joined(data, &config);
    let (parameters, report) = parameters(data, &joint, &config, no_run).unwrap();
    // The means of the words: Tom Hanks (2, 1), Green Mile (0, −1) twice, tom (1, 0) and hanks (3, 2); q42 and nobody
    // are unknown. Their ten numbers have a mean absolute value of 11 / 10, and random ones of 1 / 4.
    let factor = 0.25 / 1.1;
    let entity = |graph, name| row(&parameters.entities, entity_row(data, &joint, graph, name), 2);
    let scaled = |vector: [f64; 2], factor: f64| vector.map(|x| (x * factor) as f32);
    assert_eq!(entity(0, "tom"), scaled([2.0, 1.0], factor));
    assert_eq!(entity(0, "http://x.example/Green_Mile"), scaled([0.0, -1.0], factor));
    assert_eq!(entity(0, "ns:greenMile"), scaled([0.0, -1.0], factor));
    assert_eq!(entity(1, "tom"), scaled([1.0, 0.0], factor));
    assert_eq!(entity(1, "hanks"), scaled([3.0, 2.0], factor));
    let start = random_start(&joint, &config);
    for (graph, name) in [(0, "q42"), (1, "nobody")] {
        let number = entity_row(data, &joint, graph, name);
        assert_eq!(row(&parameters.entities, number, 2), row(&start.entities, number, 2));
    }
    // Of the relations only `starring` is known, and of the types `Person`: (0, 8) and (6, −2), each a quarter of its mean.
    let starring = relation_row(data, &joint, 0, "ns#starring");
    assert_eq!(row(&parameters.relations, starring, 2), [0.0, 0.5]);
    assert_eq!(row(&parameters.types, type_row(data, &joint, 0, "ns/Person"), 2), [0.375, -0.125]);
    let directed = relation_row(data, &joint, 0, "directedBy");
    assert_eq!(row(&parameters.relations, directed, 2), row(&start.relations, directed, 2));
    assert_eq!(parameters.own, start.own);
    assert_eq!(parameters.keys, start.keys);
    assert_eq!(report.entities, Given { rows: 5, of: 7 });
    assert_eq!(report.to_string(), "vectors from words: 5 of 7 entities, 1 of 3 relations, 1 of 2 types");
}

#[test]
fn only_tables_as_wide_as_the_words_get_them() {
    let home = tempfile::tempdir().unwrap();
    let Prepared { data, .. } = &prepared(vec![films()], Vec::new(), 0);
    let mut config = config(InitialFrom::Words, &write_words(&home, WORDS));
    (config.model.relation, config.model.class) = (3, 1);
    let joint = joined(data, &config);
    let (parameters, report) = parameters(data, &joint, &config, no_run).unwrap();
    assert_eq!(report.to_string(), "vectors from words: 3 of 4 entities");
    let start = random_start(&joint, &config);
    assert_eq!((&parameters.relations, &parameters.types), (&start.relations, &start.types));
    assert_ne!(parameters.entities, start.entities);
}

#[test]
fn words_of_another_width_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let Prepared { data, .. } = &prepared(vec![films()], Vec::new(), 0);
    let path = write_words(&home, "tom 1 2 3\n");
    let config = config(InitialFrom::Words, &path);
    let error = parameters(data, &joined(data, &config), &config, no_run).unwrap_err();
    assert!(matches!(error, Error::Usage(_)));
    assert_eq!(
        error.to_string(),
        format!(
            "model.entity: found 2, but the vectors of initial.path = {:?} have 3 numbers; expected 3",
            path.display().to_string()
        )
    );
}

#[test]
fn words_that_name_nothing_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut builder = GraphBuilder::default();
    // A vector of zeros is as good as none.
    builder.fact(Part::Train, "empty", "r", "unheard");
    let Prepared { data, .. } = &prepared(vec![builder.finish("g")], Vec::new(), 0);
    let path = write_words(&home, WORDS);
    let config = config(InitialFrom::Words, &path);
    let error = parameters(data, &joined(data, &config), &config, no_run).unwrap_err();
    let expected =
        format!("initial.path: no name in the data has a word of {:?}", path.display().to_string());
    assert_eq!(error.to_string(), expected);
    let missing = home.path().join("nowhere.vec");
    let config = self::config(InitialFrom::Words, &missing);
    let error = parameters(data, &joined(data, &config), &config, no_run).unwrap_err();
    assert!(error.to_string().starts_with(&missing.display().to_string()), "{error}");
}

/// An earlier run on the films alone, or on more; every number of its tables is another.
fn earlier(graphs: Vec<Graph>, config: &Config) -> (Earlier, Prepared) {
    let prepared = prepared(graphs, Vec::new(), 0);
    let data = Dataset::open(&prepared.data.path).unwrap();
    let joint = joined(&data, config);
    let mut parameters = random_start(&joint, config);
    let mut next = 100.0;
    for (_, table) in parameters.tables_mut() {
        table.iter_mut().for_each(|x| {
            next += 1.0;
            *x = next;
        });
    }
    (Earlier { data, joint, parameters }, prepared)
}

#[test]
fn rows_of_an_earlier_run_go_by_names() {
    for share in [Share::Names, Share::Nothing] {
        let mut config = config(InitialFrom::Run, Path::new("runs/old"));
        config.model.share = share;
        config.contexts.attention = true;
        // The books come first now, and the films have grown by an entity, a relation and a type.
        let (old, _home) = earlier(vec![films(), books()], &config);
        let (old_parameters, old_data) = (old.parameters.clone(), Dataset::open(&old.data.path).unwrap());
        let old_joint = joined(&old_data, &config);
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Train, "tom", "ns#starring", "new");
        builder.fact(Part::Train, "q42", "new relation", "tom");
        builder.typing("new", "New");
        builder.typing("q42", "Robot");
        builder.attribute("tom", "about", Value::plain("x"));
        let Prepared { data, .. } = &prepared(vec![books(), builder.finish("films")], Vec::new(), 0);
        let joint = joined(data, &config);
        let open = |path: &Path| {
            assert_eq!(path, Path::new("runs/old"));
            Ok(old)
        };
        let (parameters, report) = parameters(data, &joint, &config, open).unwrap();
        let start = random_start(&joint, &config);
        for (graph, old_graph, names) in [(0, 1, &["tom", "hanks", "nobody"][..]), (1, 0, &["tom", "q42"])] {
            for name in names {
                let now = entity_row(data, &joint, graph, name);
                let was = entity_row(&old_data, &old_joint, old_graph, name);
                assert_eq!(row(&parameters.entities, now, 2), row(&old_parameters.entities, was, 2));
                let theta = [
                    &parameters.entity_attention[now as usize],
                    &old_parameters.entity_attention[was as usize],
                ];
                assert_eq!(theta[0], theta[1]);
            }
        }
        let new = entity_row(data, &joint, 1, "new");
        assert_eq!(row(&parameters.entities, new, 2), row(&start.entities, new, 2));
        assert_eq!(parameters.entity_attention[new as usize], 0.0);
        // Where each graph has relations of its own, those of the graph of the same name are taken.
        for (graph, old_graph) in [(0, 1), (1, 0)] {
            let now = relation_row(data, &joint, graph, "ns#starring");
            let was = relation_row(&old_data, &old_joint, old_graph, "ns#starring");
            assert_eq!(row(&parameters.relations, now, 2), row(&old_parameters.relations, was, 2));
        }
        let robot = type_row(&old_data, &old_joint, 0, "Robot");
        let now = type_row(data, &joint, 1, "Robot");
        assert_eq!(row(&parameters.types, now, 2), row(&old_parameters.types, robot, 2));
        assert_eq!(parameters.type_attention[now as usize], old_parameters.type_attention[robot as usize]);
        let about = old_joint.keys.of(0, old_data.graphs[0].keys.find("about").unwrap());
        let now = joint.keys.of(1, data.graphs[1].keys.find("about").unwrap());
        assert_eq!(row(&parameters.keys, now, 3), row(&old_parameters.keys, about, 3));
        assert_eq!(parameters.key_attention[now as usize], old_parameters.key_attention[about as usize]);
        assert_eq!(parameters.features, old_parameters.features);
        assert_eq!(parameters.relation_types, old_parameters.relation_types);
        assert_eq!(report.entities, Given { rows: 5, of: 6 });
        let relations = if share == Share::Names { "2 of 3" } else { "3 of 4" };
        assert_eq!(
            report.to_string(),
            format!(
                "vectors from an earlier run: 5 of 6 entities, {relations} relations, 2 of 3 types, 2 of 2 keys, and \
                 W^val W1 W2 W3 W4 W5"
            )
        );
    }
}

#[test]
fn what_has_another_shape_stays_random() {
    let mut old_config = config(InitialFrom::Run, Path::new("old"));
    old_config.contexts.neighbourhood = Aggregation::Pooling;
    old_config.contexts.attributes = Aggregation::Pooling;
    let mut config = old_config.clone();
    // As many numbers in W₁ and W₂, but in other places; other types; the attributes stay.
    (config.model.entity, config.model.hidden, config.model.class) = (4, 2, 5);
    (old_config.model.entity, old_config.model.hidden) = (2, 4);
    let (old, _home) = earlier(vec![films()], &old_config);
    let old_parameters = old.parameters.clone();
    let Prepared { data, .. } = &prepared(vec![films()], Vec::new(), 0);
    let joint = joined(data, &config);
    let (parameters, report) = parameters(data, &joint, &config, |_| Ok(old)).unwrap();
    let start = random_start(&joint, &config);
    assert_eq!(
        report.to_string(),
        "vectors from an earlier run: 0 of 4 entities, 2 of 2 relations, 4 of 4 keys, and W^val aggregator of attributes"
    );
    for (((name, now), (_, start)), (_, old)) in
        parameters.tables().into_iter().zip(start.tables()).zip(old_parameters.tables())
    {
        match name {
            "W^R" | "W^key" | "W^val" | "aggregator of attributes" => assert_eq!(now, old, "{name}"),
            _ => assert_eq!(now, start, "{name}"),
        }
    }
}

#[test]
fn a_run_that_knew_nothing_of_this_is_refused() {
    let old_config = config(InitialFrom::Run, Path::new("runs/old"));
    let Prepared { data, .. } = &prepared(vec![films()], Vec::new(), 0);
    let mut builder = GraphBuilder::default();
    builder.fact(Part::Train, "tom", "knows", "hanks");
    let elsewhere = builder.finish("others");
    let mut wider = old_config.clone();
    (wider.model.entity, wider.model.relation, wider.model.class, wider.model.attribute) = (5, 5, 5, 5);
    for (graph, config) in [(elsewhere, &old_config), (films(), &wider)] {
        let (old, _home) = earlier(vec![graph], &old_config);
        let error = parameters(data, &joined(data, config), config, |_| Ok(old)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "initial.path: nothing of the run \"runs/old\" fits: it has other names, or vectors of other sizes"
        );
    }
    let gone = |path: &Path| Err(Error::not_found(path));
    let error = parameters(data, &joined(data, &old_config), &old_config, gone).unwrap_err();
    assert_eq!(error.to_string(), "runs/old: no such file or folder");
}
