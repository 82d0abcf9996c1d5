//! How is a merge written as N-Quads?
//!
//! What a graph says is in the named graph `urn:linknbed:graph:NAME`, so that a fact of two graphs stands there twice;
//! values that were not chosen are in `urn:linknbed:graph:NAME:alternative`. A member whose name is not that of its
//! cluster is said to be the same (`owl:sameAs`), unless another cluster has that name. Reading the file back as a
//! graph gives every fact once.

use std::path::Path;

use rayon::prelude::*;

use super::Merged;
use super::attributes::Status;
use crate::error::{Error, Result};
use crate::io::staging::write_file;
use crate::io::terms::{IriTerm, NameTerm, ValueTerm, graph_iri, push};
use crate::progress::{Progress, Unit};

const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";
const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// So many rows are one piece of work.
const PIECE: usize = 1 << 13;
/// So many pieces are held in memory at a time.
const HELD: usize = 32;

/// Writes a row as a statement.
type Writer<'a> = dyn Fn(usize, &mut String) + Sync + 'a;

pub(super) fn write(merged: &Merged<'_>, path: &Path, progress: &dyn Progress) -> Result<()> {
    let words = Words::of(merged);
    let counts =
        [merged.facts.len(), merged.attributes.status.len(), merged.typings.len(), merged.clusters.of.len()];
    progress.begin("writing", Some(counts.iter().sum::<usize>() as u64), Unit::Items);
    let written = write_file(path, |file| {
        let writers: [&Writer<'_>; 4] = [
            &|row, text| words.fact(row, text),
            &|row, text| words.attribute(row, text),
            &|row, text| words.typing(row, text),
            &|row, text| words.member(row as u32, text),
        ];
        for (rows, line) in counts.into_iter().zip(writers) {
            let starts: Vec<usize> = (0..rows).step_by(PIECE).collect();
            for starts in starts.chunks(HELD) {
                let piece = |&start: &usize| {
                    let mut text = String::new();
                    (start..rows.min(start + PIECE)).for_each(|row| line(row, &mut text));
                    text
                };
                let pieces: Vec<String> = starts.par_iter().map(piece).collect();
                for text in pieces {
                    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
                }
                progress.advance((starts.len() * PIECE).min(rows) as u64);
            }
        }
        Ok(())
    });
    progress.end();
    written
}

/// Turns rows into statements.
struct Words<'a> {
    merged: &'a Merged<'a>,
    /// The IRI of each graph.
    graphs: Vec<String>,
    relations: Vec<String>,
    keys: Vec<String>,
    types: Vec<String>,
}

impl<'a> Words<'a> {
    fn of(merged: &'a Merged<'a>) -> Self {
        let terms = |terms: &super::Terms, predicate: bool| {
            let name = |number| terms.name(number);
            let all = 0..terms.len() as u32;
            let term = |number: u32| match predicate {
                true => IriTerm(name(number)).to_string(),
                false => NameTerm(name(number)).to_string(),
            };
            all.map(term).collect::<Vec<String>>()
        };
        Self {
            merged,
            graphs: merged.data.graphs.iter().map(|graph| graph_iri(&graph.name)).collect(),
            relations: terms(&merged.relations, true),
            keys: terms(&merged.keys, true),
            types: terms(&merged.types, false),
        }
    }

    fn entity(&self, cluster: u32) -> String {
        NameTerm(&self.merged.name(cluster)).to_string()
    }

    fn fact(&self, row: usize, text: &mut String) {
        let facts = &self.merged.facts;
        let [subject, relation, object] = facts.rows[row];
        let (subject, object) = (self.entity(subject), self.entity(object));
        let relation = &self.relations[relation as usize];
        for graph in facts.sources[row].iter() {
            push(text, format_args!("{subject} {relation} {object} <{}> .\n", self.graphs[graph]));
        }
    }

    fn attribute(&self, row: usize, text: &mut String) {
        let attributes = &self.merged.attributes;
        let [entity, key, value] = attributes.statements.rows[row];
        let (entity, key) = (self.entity(entity), &self.keys[key as usize]);
        let value = ValueTerm(attributes.values.get(self.merged.data, value));
        let end = match attributes.status[row] {
            Status::Chosen => "",
            Status::Alternative => ":alternative",
        };
        for graph in attributes.statements.sources[row].iter() {
            push(text, format_args!("{entity} {key} {value} <{}{end}> .\n", self.graphs[graph]));
        }
    }

    fn typing(&self, row: usize, text: &mut String) {
        let typings = &self.merged.typings;
        let [entity, class, _] = typings.rows[row];
        let (entity, class) = (self.entity(entity), &self.types[class as usize]);
        for graph in typings.sources[row].iter() {
            push(text, format_args!("{entity} <{TYPE}> {class} <{}> .\n", self.graphs[graph]));
        }
    }

    fn member(&self, number: u32, text: &mut String) {
        let (merged, numbers) = (self.merged, &self.merged.clusters.numbers);
        let (graph, entity) = numbers.entity(number);
        let member = merged.data.graphs[graph].entities.get(entity);
        let name = merged.name(merged.clusters.of[number as usize]);
        // A blank node has no name outside of its file.
        if name == member || member.starts_with("_:") {
            return;
        }
        if !merged.names.is_given(merged.data, &merged.clusters, member) {
            let (name, member) = (NameTerm(&name), NameTerm(member));
            push(text, format_args!("{name} <{SAME_AS}> {member} <{}> .\n", self.graphs[graph]));
        }
    }
}
