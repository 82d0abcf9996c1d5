//! How are links that were found written?
//!
//! As a table (TSV or Parquet) of the two graphs and entities and the probability, as an SSSOM mapping set, or as
//! `owl:sameAs` statements, which have no place for the graphs and the probability. The file appears whole or not at
//! all.

use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::sssom;
use super::table::COLUMNS;
use crate::error::{Error, Result};
use crate::io::rdf::SAME_AS;
use crate::io::staging::write_file;
use crate::io::terms::{IriTerm, push};

/// Two entities that are held to be the same.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundLink<'a> {
    /// The graph of the first entity.
    pub graph_a: &'a str,
    /// The first entity.
    pub entity_a: &'a str,
    /// The graph of the second entity.
    pub graph_b: &'a str,
    /// The second entity.
    pub entity_b: &'a str,
    /// How sure it is, from 0 to 1.
    pub probability: f64,
    /// What speaks for it, if that was asked for.
    pub evidence: Option<serde_json::Value>,
}

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFormat {
    /// A table with tabs between its columns.
    Tsv,
    /// An SSSOM mapping set.
    Sssom(Identity),
    /// `owl:sameAs` statements as N-Triples.
    NTriples,
    /// A table for databases.
    Parquet,
}

/// What an SSSOM mapping states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Identity {
    /// `owl:sameAs`: they are one thing.
    #[default]
    SameAs,
    /// `skos:exactMatch`: one can stand for the other, and no more follows.
    ExactMatch,
}

impl Identity {
    pub(super) fn curie(self) -> &'static str {
        match self {
            Self::SameAs => "owl:sameAs",
            Self::ExactMatch => "skos:exactMatch",
        }
    }
}

/// Writes links, in their order. The column of evidence is there if any link has some.
pub fn write_links(path: &Path, format: LinkFormat, links: &[FoundLink<'_>]) -> Result<()> {
    let unsure = links.iter().find(|link| !(0.0..=1.0).contains(&link.probability));
    if let Some(FoundLink { entity_a, entity_b, probability, .. }) = unsure {
        let message = format!("the probability of {entity_a:?} and {entity_b:?} is {probability}");
        return Err(Error::Usage(format!("{message}; expected a number from 0 to 1")));
    }
    if format == LinkFormat::Parquet {
        let bytes = parquet(links).map_err(|error| Error::io(path)(std::io::Error::other(error)))?;
        return write_file(path, |file| file.write_all(&bytes).map_err(Error::io(path)));
    }
    let text = match format {
        LinkFormat::Sssom(identity) => sssom::written(links, identity),
        LinkFormat::NTriples => triples(links),
        _ => tsv(links, path)?,
    };
    write_file(path, |file| file.write_all(text.as_bytes()).map_err(Error::io(path)))
}

/// Whether names of graphs and entities can be written. Raw TSV cannot hold tabs and line ends; such a name is refused
/// rather than changed.
pub fn check_names<'a>(
    path: &Path,
    format: LinkFormat,
    mut names: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let bad = match format {
        LinkFormat::Tsv => names.find(|name| name.contains(['\t', '\n', '\r'])),
        _ => None,
    };
    match bad {
        None => Ok(()),
        Some(name) => {
            let path = path.display();
            Err(Error::Usage(format!("{path}: {name:?} cannot be written as TSV; use Parquet")))
        }
    }
}

fn tsv(links: &[FoundLink<'_>], path: &Path) -> Result<String> {
    let explained = links.iter().any(|link| link.evidence.is_some());
    let mut text = COLUMNS.join("\t");
    text += if explained { "\tevidence\n" } else { "\n" };
    for link in links {
        let cells = [link.graph_a, link.entity_a, link.graph_b, link.entity_b];
        check_names(path, LinkFormat::Tsv, cells.into_iter())?;
        push(&mut text, format_args!("{}\t{}", cells.join("\t"), link.probability));
        match (explained, &link.evidence) {
            (false, _) => {}
            (true, Some(evidence)) => push(&mut text, format_args!("\t{evidence}")),
            (true, None) => text.push('\t'),
        }
        text.push('\n');
    }
    Ok(text)
}

/// A blank node would be another one in another file, so it is written as an IRI too.
fn triples(links: &[FoundLink<'_>]) -> String {
    let mut text = String::new();
    for link in links {
        let (a, b) = (IriTerm(link.entity_a), IriTerm(link.entity_b));
        push(&mut text, format_args!("{a} <{SAME_AS}> {b} .\n"));
    }
    text
}

fn parquet(links: &[FoundLink<'_>]) -> Result<Vec<u8>, ParquetError> {
    let explained = links.iter().any(|link| link.evidence.is_some());
    let [graph_a, entity_a, graph_b, entity_b, probability] = COLUMNS;
    let texts =
        [graph_a, entity_a, graph_b, entity_b].map(|name| Field::new(name, DataType::LargeUtf8, false));
    let mut fields = texts.to_vec();
    fields.push(Field::new(probability, DataType::Float64, false));
    if explained {
        fields.push(Field::new("evidence", DataType::LargeUtf8, true));
    }
    let schema = Arc::new(Schema::new(fields));
    let properties =
        WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties))?;
    for chunk in links.chunks(1 << 16) {
        let text = |of: fn(&FoundLink<'_>) -> String| -> ArrayRef {
            Arc::new(LargeStringArray::from_iter_values(chunk.iter().map(of)))
        };
        let mut columns: Vec<ArrayRef> = vec![
            text(|link| link.graph_a.to_owned()),
            text(|link| link.entity_a.to_owned()),
            text(|link| link.graph_b.to_owned()),
            text(|link| link.entity_b.to_owned()),
            Arc::new(Float64Array::from_iter_values(chunk.iter().map(|link| link.probability))),
        ];
        if explained {
            let evidence = chunk.iter().map(|link| link.evidence.as_ref().map(ToString::to_string));
            columns.push(Arc::new(evidence.collect::<LargeStringArray>()));
        }
        writer.write(&RecordBatch::try_new(schema.clone(), columns)?)?;
    }
    writer.into_inner()
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
