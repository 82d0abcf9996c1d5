//! How is a data set made and written?

use std::io::Write;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, LargeStringArray, UInt8Array, UInt32Array, UInt64Array,
};

use super::PrepareConfig;
use super::columns::{Lists, write_table};
use super::labels::{Negatives, draw_negatives, one_partner_each};
use super::manifest::{
    FileEntry, GraphCounts, LinkCounts, MANIFEST, Manifest, PartCounts, Skipped, SourceEntry,
};
use super::random::Dice;
use super::relation_types::relation_types;
use super::split::divide;
use super::walks::neighbourhoods;
use crate::clean::{CleanConfig, Step};
use crate::error::{Error, Result};
use crate::graph::{Adjacency, ByPart, Fact, Graph, KeyId, Link, Links, Part};
use crate::io::staging::Staging;
use crate::progress::{Progress, Unit};

/// Everything a data set is made from.
#[derive(Debug)]
pub struct Material {
    /// The cleaned graphs.
    pub graphs: Vec<Graph>,
    /// The links between them.
    pub links: Vec<Links>,
    /// How they were cleaned.
    pub clean: CleanConfig,
    /// What cleaning did.
    pub cleaning: Vec<Step>,
    /// The files that were read.
    pub sources: Vec<SourceEntry>,
    /// Lines that were skipped.
    pub skipped: Skipped,
}

/// Makes a data set and publishes it: the folder is either whole or not there.
pub fn prepare(
    material: Material,
    config: &PrepareConfig,
    staging: Staging,
    progress: &dyn Progress,
) -> Result<Manifest> {
    let Material { mut graphs, links, clean, cleaning, sources, skipped } = material;
    let mut manifest = Manifest { sources, cleaning, skipped, ..Manifest::new(config.clone(), clean) };
    for graph in &mut graphs {
        divide(&mut graph.facts, config.split, &Dice::new(config.seed, "split", &graph.name));
    }
    for mut links in all_pairs(links, graphs.len()) {
        let names = [links.first, links.second].map(|number| graphs[number].name.clone());
        let pair = names.join("-");
        let conflicting = note_conflicts(&mut links, &graphs, &pair, &mut manifest.cleaning);
        divide(&mut links.positives, config.split, &Dice::new(config.seed, "split links", &pair));
        divide(&mut links.negatives, config.split, &Dice::new(config.seed, "split negative links", &pair));
        let both = [&graphs[links.first], &graphs[links.second]];
        let entities = both.iter().map(|graph| 2 * graph.entities.len() as u64).sum();
        progress.begin(&format!("labelling {pair}"), Some(entities), Unit::Items);
        let negatives = draw_negatives(both, &links, &conflicting, config.negatives, config.seed, progress);
        progress.end();
        manifest.files.extend(write_links(&staging, &links, &names, &negatives)?);
        manifest.links.push(count_links(&links, names, &negatives));
    }
    // A graph is not needed once it is written, and memory is.
    for graph in graphs {
        let (counts, files) = write_graph(&staging, graph, config, progress)?;
        manifest.graphs.push(counts);
        manifest.files.extend(files);
    }
    manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut file = staging.create(MANIFEST)?;
    let path = file.path().to_path_buf();
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::folder(&path, e.to_string()))?;
    file.write_all(text.as_bytes()).map_err(Error::io(&path))?;
    file.finish()?;
    staging.publish()?;
    Ok(manifest)
}

/// The known links, and for pairs without any an empty set: negative labels are drawn for every pair.
fn all_pairs(mut links: Vec<Links>, graphs: usize) -> Vec<Links> {
    for second in 0..graphs {
        for first in 0..second {
            let known = |l: &Links| [(first, second), (second, first)].contains(&(l.first, l.second));
            if !links.iter().any(known) {
                let (positives, negatives) = (ByPart::default(), ByPart::default());
                links.push(Links { first, second, positives, negatives });
            }
        }
    }
    links.sort_by_key(|l| (l.first.min(l.second), l.first.max(l.second)));
    links
}

/// Settles conflicts and reports them; returns the links that lost.
fn note_conflicts(links: &mut Links, graphs: &[Graph], pair: &str, steps: &mut Vec<Step>) -> Vec<Link> {
    let conflicts = one_partner_each(links);
    let show = |link: &Link| {
        let (a, b) = (&graphs[links.first].entities, &graphs[links.second].entities);
        format!("{} {}", a.get(link.first.0), b.get(link.second.0))
    };
    let samples = conflicts.second_partner.iter().take(5).map(show).collect();
    let mut note = |step: &str, count: u64, samples: Vec<String>| {
        if count > 0 {
            steps.push(Step { graph: pair.to_owned(), step: step.to_owned(), count, samples });
        }
    };
    note("conflicting_links", conflicts.second_partner.len() as u64, samples);
    note("repeated_links", conflicts.repeated, Vec::new());
    note("contradicted_negatives", conflicts.denied, Vec::new());
    conflicts.second_partner
}

fn part_counts<T>(rows: &ByPart<T>) -> PartCounts {
    let [train, valid, test] = Part::ASSIGNED.map(|part| rows.part(part).len() as u64);
    PartCounts { train, valid, test }
}

fn count_links(links: &Links, [first, second]: [String; 2], negatives: &[Negatives; 2]) -> LinkCounts {
    let drawn = negatives.iter().map(|n| n.same_type.items().len() + n.other_type.items().len());
    LinkCounts {
        first,
        second,
        positives: part_counts(&links.positives),
        negatives: part_counts(&links.negatives),
        drawn_negatives: drawn.sum::<usize>() as u64,
    }
}

fn ids(ids: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(ids))
}

fn write_links(
    staging: &Staging,
    links: &Links,
    names: &[String; 2],
    negatives: &[Negatives; 2],
) -> Result<Vec<FileEntry>> {
    let folder = format!("links/{}-{}", names[0], names[1]);
    let table = |rows: &ByPart<Link>, file: &str| {
        let parts: Vec<u8> = Part::ASSIGNED
            .iter()
            .flat_map(|&part| std::iter::repeat_n(part as u8, rows.part(part).len()))
            .collect();
        let columns = vec![
            ("first", ids(rows.iter().map(|link| link.first.0))),
            ("second", ids(rows.iter().map(|link| link.second.0))),
            ("part", Arc::new(UInt8Array::from(parts)) as ArrayRef),
        ];
        write_table(staging, &format!("{folder}/{file}.arrow"), columns)
    };
    let drawn = |negatives: &Negatives, file: &str| {
        let columns = vec![
            ("same_type", negatives.same_type.to_array()),
            ("other_type", negatives.other_type.to_array()),
        ];
        write_table(staging, &format!("{folder}/{file}.arrow"), columns)
    };
    Ok(vec![
        table(&links.positives, "positives")?,
        table(&links.negatives, "negatives")?,
        drawn(&negatives[0], "drawn_negatives_of_first")?,
        drawn(&negatives[1], "drawn_negatives_of_second")?,
    ])
}

fn write_graph(
    staging: &Staging,
    mut graph: Graph,
    config: &PrepareConfig,
    progress: &dyn Progress,
) -> Result<(GraphCounts, Vec<FileEntry>)> {
    let adjacency = Adjacency::undirected(graph.entities.len(), graph.facts.part(Part::Train));
    let entities = graph.entities.len() as u64;
    progress.begin(&format!("walking {}", graph.name), Some(entities), Unit::Items);
    let dice = Dice::new(config.seed, "walks", &graph.name);
    let near = neighbourhoods(&adjacency, config.walks, &dice, progress);
    progress.end();
    drop(adjacency);
    progress.begin(&format!("writing {}", graph.name), Some(graph.facts.len() as u64), Unit::Items);
    let counts = count_graph(&graph, &near);
    let folder = format!("graphs/{}", graph.name);
    let write = |file: &str, columns: Vec<(&str, ArrayRef)>| {
        write_table(staging, &format!("{folder}/{file}.arrow"), columns)
    };
    let mut files = write_vocabularies(&graph, &write)?;
    files.push(write("neighbourhoods", vec![("neighbours", near.to_array())])?);
    let types = relation_types(&graph, graph.facts.part(Part::Train));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("relation", Arc::new(UInt32Array::from(types.relation))),
        ("side", Arc::new(UInt8Array::from(types.side))),
        ("type", Arc::new(UInt32Array::from(types.class))),
        ("facts", Arc::new(UInt64Array::from(types.facts))),
    ];
    files.push(write("relation_types", columns)?);
    for part in Part::ASSIGNED {
        // Rows become columns here; taking the rows frees them as soon as that is done.
        let facts = std::mem::take(graph.facts.part_mut(part));
        progress.advance(facts.len() as u64);
        files.push(write(&format!("facts/{}", part.name()), fact_columns(facts))?);
    }
    progress.end();
    Ok((counts, files))
}

fn fact_columns(facts: Vec<Fact>) -> Vec<(&'static str, ArrayRef)> {
    vec![
        ("subject", ids(facts.iter().map(|fact| fact.subject.0))),
        ("relation", ids(facts.iter().map(|fact| fact.relation.0))),
        ("object", ids(facts.iter().map(|fact| fact.object.0))),
    ]
}

fn write_vocabularies(
    graph: &Graph,
    write: &impl Fn(&str, Vec<(&str, ArrayRef)>) -> Result<FileEntry>,
) -> Result<Vec<FileEntry>> {
    let strings = |rows: &LargeStringArray| Arc::new(rows.clone()) as ArrayRef;
    let names: BooleanArray =
        (0..graph.keys.len()).map(|key| Some(graph.is_name(KeyId(key as u32)))).collect();
    let kinds = UInt8Array::from_iter_values(graph.values.iter().map(|value| value.kind() as u8));
    let numbers = Float64Array::from_iter(graph.values.iter().map(|value| value.number()));
    Ok(vec![
        write("entities", vec![("entity", strings(graph.entities.rows()))])?,
        write("relations", vec![("relation", strings(graph.relations.rows()))])?,
        write("types", vec![("type", strings(graph.types.rows()))])?,
        write("keys", vec![("key", strings(graph.keys.rows())), ("is_name", Arc::new(names))])?,
        write(
            "values",
            vec![
                ("text", strings(graph.values.texts())),
                ("qualifier", strings(graph.values.qualifiers())),
                ("kind", Arc::new(kinds)),
                ("number", Arc::new(numbers)),
            ],
        )?,
        write(
            "attributes",
            vec![
                ("entity", ids(graph.attributes.iter().map(|a| a.entity.0))),
                ("key", ids(graph.attributes.iter().map(|a| a.key.0))),
                ("value", ids(graph.attributes.iter().map(|a| a.value.0))),
            ],
        )?,
        write(
            "entity_types",
            vec![
                ("entity", ids(graph.typings.iter().map(|t| t.entity.0))),
                ("type", ids(graph.typings.iter().map(|t| t.class.0))),
            ],
        )?,
    ])
}

fn count_graph(graph: &Graph, near: &Lists) -> GraphCounts {
    let distinct = |mut marks: Vec<bool>, entities: &mut dyn Iterator<Item = usize>| {
        entities.for_each(|row| marks[row] = true);
        marks.iter().filter(|mark| **mark).count() as u64
    };
    let none = || vec![false; graph.entities.len()];
    let name_keys: Vec<bool> = (0..graph.keys.len()).map(|key| graph.is_name(KeyId(key as u32))).collect();
    let named = graph.attributes.iter().filter(|a| name_keys[a.key.row()]).map(|a| a.entity.row());
    let trained = graph.facts.part(Part::Train).iter().flat_map(|f| [f.subject.row(), f.object.row()]);
    let entities = graph.entities.len() as u64;
    GraphCounts {
        name: graph.name.clone(),
        entities,
        relations: graph.relations.len() as u64,
        triples: graph.facts.len() as u64,
        splits: part_counts(&graph.facts),
        attributes: graph.attributes.len() as u64,
        attribute_keys: graph.keys.len() as u64,
        types: graph.types.len() as u64,
        typed_entities: distinct(none(), &mut graph.typings.iter().map(|t| t.entity.row())),
        named_entities: distinct(none(), &mut { named }),
        untrained_entities: entities - distinct(none(), &mut { trained }),
        neighbours: near.items().len() as u64,
    }
}
