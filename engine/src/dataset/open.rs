//! How is a prepared folder opened?
//!
//! Every column is mapped; nothing is copied or read ahead, so that opening takes no time and memory is the system's
//! to manage.

use std::path::{Path, PathBuf};

use arrow_buffer::ScalarBuffer;
use rayon::prelude::*;

use super::columns::{Lists, Table};
use super::manifest::Manifest;
use crate::compute::mapped::map_file;
use crate::error::{Error, Result};
use crate::graph::{
    Attribute, EntityId, Fact, KeyId, Link, Part, RelationId, TypeId, ValueId, Values, Vocabulary,
};

/// A prepared folder.
#[derive(Debug)]
pub struct Dataset {
    /// Where it is.
    pub path: PathBuf,
    /// What it says about itself.
    pub manifest: Manifest,
    /// The graphs, in the order they were given.
    pub graphs: Vec<PreparedGraph>,
    /// What is known between each two of them.
    pub links: Vec<PreparedLinks>,
}

/// One graph of a prepared folder. Columns of equal length are rows of one table.
#[derive(Debug)]
pub struct PreparedGraph {
    /// What the user calls it.
    pub name: String,
    /// The entities.
    pub entities: Vocabulary,
    /// The relations.
    pub relations: Vocabulary,
    /// The types.
    pub types: Vocabulary,
    /// The keys of attributes.
    pub keys: Vocabulary,
    /// The distinct values.
    pub values: Values,
    /// The facts of each part, sorted.
    pub facts: [FactColumns; 3],
    /// The entity of each attribute, sorted.
    pub attribute_entities: ScalarBuffer<u32>,
    /// The key of each attribute.
    pub attribute_keys: ScalarBuffer<u32>,
    /// The value of each attribute.
    pub attribute_values: ScalarBuffer<u32>,
    /// The entity of each typing, sorted.
    pub typed_entities: ScalarBuffer<u32>,
    /// The type of each typing.
    pub entity_types: ScalarBuffer<u32>,
    /// The neighbourhood of each entity.
    pub neighbourhoods: Lists,
    /// The relation of each relation type, sorted.
    pub typed_relations: ScalarBuffer<u32>,
    /// The [`Side`](super::Side) of each relation type.
    pub relation_sides: ScalarBuffer<u8>,
    /// The type of each relation type.
    pub relation_types: ScalarBuffer<u32>,
    /// How many training facts speak for each relation type.
    pub relation_type_facts: ScalarBuffer<u64>,
}

impl PreparedGraph {
    /// The attributes of an entity.
    pub fn attributes_of(&self, entity: EntityId) -> impl Iterator<Item = Attribute> {
        let rows = self.attribute_entities.partition_point(|&e| e < entity.0)
            ..self.attribute_entities.partition_point(|&e| e <= entity.0);
        rows.map(move |row| Attribute {
            entity,
            key: KeyId(self.attribute_keys[row]),
            value: ValueId(self.attribute_values[row]),
        })
    }

    /// The types of an entity.
    pub fn types_of(&self, entity: EntityId) -> impl Iterator<Item = TypeId> {
        let rows = self.typed_entities.partition_point(|&e| e < entity.0)
            ..self.typed_entities.partition_point(|&e| e <= entity.0);
        rows.map(|row| TypeId(self.entity_types[row]))
    }
}

/// Facts as columns.
#[derive(Debug, Clone)]
pub struct FactColumns {
    /// The subjects.
    pub subjects: ScalarBuffer<u32>,
    /// The relations.
    pub relations: ScalarBuffer<u32>,
    /// The objects.
    pub objects: ScalarBuffer<u32>,
}

impl FactColumns {
    /// How many facts there are.
    pub fn len(&self) -> usize {
        self.subjects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.subjects.is_empty()
    }

    /// The fact of a row.
    pub fn get(&self, row: usize) -> Fact {
        Fact {
            subject: EntityId(self.subjects[row]),
            relation: RelationId(self.relations[row]),
            object: EntityId(self.objects[row]),
        }
    }

    /// All facts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Fact> {
        (0..self.len()).map(|row| self.get(row))
    }
}

/// What is known between two graphs.
#[derive(Debug)]
pub struct PreparedLinks {
    /// The number of the first graph.
    pub first: usize,
    /// The number of the second graph.
    pub second: usize,
    /// Pairs that are the same, by part.
    pub positives: [Vec<Link>; 3],
    /// Pairs that are known not to be, by part.
    pub negatives: [Vec<Link>; 3],
    /// For each entity of the first graph, and of the second: others of the same type that are not the same.
    pub same_type_negatives: [Lists; 2],
    /// The same, of another type.
    pub other_type_negatives: [Lists; 2],
}

impl Dataset {
    /// Opens a folder.
    pub fn open(path: &Path) -> Result<Self> {
        let manifest = Manifest::read(path)?;
        manifest.check_sizes(path)?;
        let graphs: Vec<PreparedGraph> = manifest
            .graphs
            .iter()
            .map(|counts| open_graph(path, &manifest, &counts.name))
            .collect::<Result<_>>()?;
        for (graph, counts) in graphs.iter().zip(&manifest.graphs) {
            if graph.entities.len() as u64 != counts.entities
                || graph.facts.iter().map(FactColumns::len).sum::<usize>() as u64 != counts.triples
            {
                let message = format!("the graph {} is not what the manifest says", graph.name);
                return Err(Error::folder(path, message));
            }
        }
        let links =
            manifest.links.iter().map(|counts| open_links(path, &manifest, &counts.first, &counts.second));
        let links = links.collect::<Result<_>>()?;
        Ok(Self { path: path.to_path_buf(), manifest, graphs, links })
    }

    /// Looks at every id: whoever uses the columns can rely on what passes. Takes as long as reading the folder.
    pub fn check_ids(&self) -> Result<()> {
        let entities: Vec<usize> = self.graphs.iter().map(|graph| graph.entities.len()).collect();
        let mut columns: Vec<(&[u32], usize)> = Vec::new();
        for (graph, &n) in self.graphs.iter().zip(&entities) {
            for facts in &graph.facts {
                columns.extend([(&facts.subjects[..], n), (&facts.objects[..], n)]);
                columns.push((&facts.relations[..], graph.relations.len()));
            }
            columns.extend([(&graph.attribute_entities[..], n), (&graph.typed_entities[..], n)]);
            columns.push((&graph.attribute_keys[..], graph.keys.len()));
            columns.push((&graph.attribute_values[..], graph.values.len()));
            columns.push((&graph.entity_types[..], graph.types.len()));
            columns.push((&graph.relation_types[..], graph.types.len()));
            columns.push((&graph.typed_relations[..], graph.relations.len()));
            columns.push((graph.neighbourhoods.items(), n));
        }
        for links in &self.links {
            let (first, second) = (entities[links.first], entities[links.second]);
            for lists in [&links.same_type_negatives, &links.other_type_negatives] {
                columns.extend([(lists[0].items(), second), (lists[1].items(), first)]);
            }
            let labels = links.positives.iter().chain(&links.negatives).flatten();
            if labels.into_iter().any(|link| link.first.row() >= first || link.second.row() >= second) {
                return Err(Error::folder(&self.path, "a label names no entity; the folder is damaged"));
            }
        }
        let out_of_range = |(ids, count): &(&[u32], usize)| ids.par_iter().any(|&id| id as usize >= *count);
        if columns.iter().any(out_of_range) {
            return Err(Error::folder(&self.path, "an id is out of range; the folder is damaged"));
        }
        Ok(())
    }

    /// Reads every file and compares it with its checksum: a folder that passes is what was written.
    pub fn verify(&self) -> Result<()> {
        for file in &self.manifest.files {
            let path = self.path.join(&file.path);
            let bytes = map_file(&path).map_err(Error::io(&path))?;
            if format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes)) != file.xxh3 {
                return Err(Error::folder(
                    path,
                    "the file does not have its checksum; the folder is damaged",
                ));
            }
        }
        Ok(())
    }
}

fn open_graph(path: &Path, manifest: &Manifest, name: &str) -> Result<PreparedGraph> {
    let table = |file: &str| Table::open(path, &format!("graphs/{name}/{file}.arrow"), manifest);
    let vocabulary = |file: &str, column: &str| -> Result<Vocabulary> {
        Ok(Vocabulary::from_rows(table(file)?.strings(column)?, name, file))
    };
    let facts = |part: Part| -> Result<FactColumns> {
        let table = table(&format!("facts/{}", part.name()))?;
        Ok(FactColumns {
            subjects: table.ids("subject")?,
            relations: table.ids("relation")?,
            objects: table.ids("object")?,
        })
    };
    let [train, valid, test] = Part::ASSIGNED;
    let (values, attributes, typings) = (table("values")?, table("attributes")?, table("entity_types")?);
    let relation_types = table("relation_types")?;
    Ok(PreparedGraph {
        name: name.to_owned(),
        entities: vocabulary("entities", "entity")?,
        relations: vocabulary("relations", "relation")?,
        types: vocabulary("types", "type")?,
        keys: vocabulary("keys", "key")?,
        values: Values::from_rows(values.strings("text")?, values.strings("qualifier")?),
        facts: [facts(train)?, facts(valid)?, facts(test)?],
        attribute_entities: attributes.ids("entity")?,
        attribute_keys: attributes.ids("key")?,
        attribute_values: attributes.ids("value")?,
        typed_entities: typings.ids("entity")?,
        entity_types: typings.ids("type")?,
        neighbourhoods: table("neighbourhoods")?.lists("neighbours")?,
        typed_relations: relation_types.ids("relation")?,
        relation_sides: relation_types.bytes("side")?,
        relation_types: relation_types.ids("type")?,
        relation_type_facts: relation_types.counts("facts")?,
    })
}

fn open_links(path: &Path, manifest: &Manifest, first: &str, second: &str) -> Result<PreparedLinks> {
    let number = |name: &str| {
        let found = manifest.graphs.iter().position(|graph| graph.name == name);
        found.ok_or_else(|| Error::folder(path, format!("the manifest links an unknown graph {name}")))
    };
    let table = |file: &str| Table::open(path, &format!("links/{first}-{second}/{file}.arrow"), manifest);
    let labels = |file: &str| -> Result<[Vec<Link>; 3]> {
        let table = table(file)?;
        let (firsts, seconds, parts) = (table.ids("first")?, table.ids("second")?, table.bytes("part")?);
        let mut labels = [const { Vec::new() }; 3];
        for row in 0..table.rows() {
            let link = Link { first: EntityId(firsts[row]), second: EntityId(seconds[row]) };
            match labels.get_mut(parts[row] as usize) {
                Some(part) => part.push(link),
                None => return Err(Error::folder(path, "a label is in no part; the folder is damaged")),
            }
        }
        Ok(labels)
    };
    let (of_first, of_second) = (table("drawn_negatives_of_first")?, table("drawn_negatives_of_second")?);
    Ok(PreparedLinks {
        first: number(first)?,
        second: number(second)?,
        positives: labels("positives")?,
        negatives: labels("negatives")?,
        same_type_negatives: [of_first.lists("same_type")?, of_second.lists("same_type")?],
        other_type_negatives: [of_first.lists("other_type")?, of_second.lists("other_type")?],
    })
}
