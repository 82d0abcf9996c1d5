//! How is a graph written?
//!
//! As RDF in one file, or as a folder of tables. Reading it back gives the same graph: ids that are no IRIs go behind
//! `urn:linknbed:`, and a fourth column of the attributes keeps languages and datatypes.

use std::io::Write;
use std::path::Path;

use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, TermRef, TripleRef};
use oxrdfio::{RdfFormat, RdfSerializer};

use super::rdf::{PLAIN_IDS, SAME_AS, percent_encoded};
use super::source::Format;
use super::staging::{Replace, Staging};
use super::table::write_parquet;
use crate::error::{Error, Result};
use crate::graph::{Graph, Part, Value};

/// Writes a graph as RDF. Parts are not kept: RDF has no word for them.
pub fn write_rdf(graph: &Graph, format: Format, writer: impl Write, path: &Path) -> Result<()> {
    let format = match format {
        Format::NTriples => RdfFormat::NTriples,
        Format::NQuads => RdfFormat::NQuads,
        Format::Turtle => RdfFormat::Turtle,
        Format::TriG => RdfFormat::TriG,
        Format::RdfXml => RdfFormat::RdfXml,
        Format::JsonLd => RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() },
        Format::Tsv | Format::Csv | Format::Parquet => {
            return Err(Error::Usage(format!("{}: a table is written as a folder", path.display())));
        }
    };
    let mut serializer = RdfSerializer::from_format(format).for_writer(writer);
    let mut write = |subject: &str, predicate: &str, object: Term<'_>| {
        let (subject, predicate) = (Resource::of(subject), Resource::of(predicate));
        let object = match object {
            Term::Resource(name) => Object::Resource(Resource::of(name)),
            Term::Value(value) => Object::Value(value),
        };
        let triple =
            TripleRef::new(subject.as_ref(), NamedNodeRef::new_unchecked(predicate.text()), object.as_ref());
        serializer.serialize_triple(triple).map_err(Error::io(path))
    };
    let rdf_type = oxrdf::vocab::rdf::TYPE.as_str();
    for fact in graph.facts.iter() {
        let [subject, object] = [fact.subject, fact.object].map(|e| graph.entities.get(e.0));
        write(subject, graph.relations.get(fact.relation.0), Term::Resource(object))?;
    }
    for attribute in &graph.attributes {
        let value = graph.values.get(attribute.value.0);
        write(graph.entities.get(attribute.entity.0), graph.keys.get(attribute.key.0), Term::Value(value))?;
    }
    for typing in &graph.typings {
        write(
            graph.entities.get(typing.entity.0),
            rdf_type,
            Term::Resource(graph.types.get(typing.class.0)),
        )?;
    }
    for (entity, other) in &graph.same_as {
        write(entity, SAME_AS, Term::Resource(other))?;
    }
    serializer.finish().map_err(Error::io(path))?;
    Ok(())
}

enum Term<'a> {
    Resource(&'a str),
    Value(Value<'a>),
}

/// A name as RDF can hold it.
enum Resource {
    Iri(String),
    Blank(String),
}

impl Resource {
    fn of(name: &str) -> Self {
        if let Some(label) = name.strip_prefix("_:") {
            return Self::Blank(label.to_owned());
        }
        let is_iri = oxrdf::NamedNode::new(name).is_ok() && !name.starts_with(PLAIN_IDS);
        Self::Iri(if is_iri { name.to_owned() } else { format!("{PLAIN_IDS}{}", percent_encoded(name)) })
    }

    fn text(&self) -> &str {
        match self {
            Self::Iri(text) | Self::Blank(text) => text,
        }
    }

    fn as_ref(&self) -> NamedOrBlankNodeRef<'_> {
        match self {
            Self::Iri(iri) => NamedNodeRef::new_unchecked(iri).into(),
            Self::Blank(label) => BlankNodeRef::new_unchecked(label).into(),
        }
    }
}

enum Object<'a> {
    Resource(Resource),
    Value(Value<'a>),
}

impl Object<'_> {
    fn as_ref(&self) -> TermRef<'_> {
        match self {
            Self::Resource(resource) => resource.as_ref().into(),
            Self::Value(value) => match (value.language(), value.datatype()) {
                (Some(language), _) => {
                    LiteralRef::new_language_tagged_literal_unchecked(value.text, language).into()
                }
                (_, Some(datatype)) => {
                    LiteralRef::new_typed_literal(value.text, NamedNodeRef::new_unchecked(datatype)).into()
                }
                _ => LiteralRef::new_simple_literal(value.text).into(),
            },
        }
    }
}

/// Writes a graph as a folder of tables in the given format. Tables have no place for `owl:sameAs`, nor for which types
/// are compound values; RDF has one for the former.
pub fn write_folder(graph: &Graph, format: Format, folder: &Path, replace: Replace) -> Result<()> {
    let staging = Staging::begin(folder, replace)?;
    let table = Tables { staging: &staging, format };
    for part in Part::ALL {
        let facts = graph.facts.part(part);
        if !facts.is_empty() {
            let stem = if part == Part::Undivided { "triples" } else { part.name() };
            let rows = facts.iter().map(|fact| {
                let [subject, object] = [fact.subject, fact.object].map(|e| graph.entities.get(e.0));
                vec![subject, graph.relations.get(fact.relation.0), object]
            });
            table.write(stem, &["subject", "relation", "object"], rows)?;
        }
    }
    if !graph.attributes.is_empty() {
        let rows = graph.attributes.iter().map(|attribute| {
            let value = graph.values.get(attribute.value.0);
            let (entity, key) = (graph.entities.get(attribute.entity.0), graph.keys.get(attribute.key.0));
            vec![entity, key, value.text, value.qualifier]
        });
        table.write("attributes", &["entity", "key", "value", "qualifier"], rows)?;
    }
    if !graph.typings.is_empty() {
        let typings = graph.typings.iter();
        let rows = typings.map(|t| vec![graph.entities.get(t.entity.0), graph.types.get(t.class.0)]);
        table.write("types", &["entity", "type"], rows)?;
    }
    staging.publish()
}

struct Tables<'a> {
    staging: &'a Staging,
    format: Format,
}

impl Tables<'_> {
    fn write<'r>(
        &self,
        stem: &str,
        columns: &[&str],
        rows: impl Iterator<Item = Vec<&'r str>>,
    ) -> Result<()> {
        let extension = match self.format {
            Format::Tsv => "tsv",
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            _ => return Err(Error::Usage("RDF is written as one file".into())),
        };
        let mut file = self.staging.create(format!("{stem}.{extension}"))?;
        let path = file.path().to_path_buf();
        match self.format {
            Format::Parquet => write_parquet(&mut file, columns, rows)
                .map_err(|error| Error::io(&path)(std::io::Error::other(error)))?,
            Format::Csv => write_csv(&mut file, columns, rows).map_err(Error::io(&path))?,
            _ => write_tsv(&mut file, rows, &path)?,
        }
        file.finish()?;
        Ok(())
    }
}

fn write_csv<'r>(
    writer: impl Write,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<&'r str>>,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(writer);
    writer.write_record(columns)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.flush()
}

/// Raw TSV cannot hold tabs and line ends; such a value is refused rather than changed.
fn write_tsv<'r>(
    writer: &mut impl Write,
    rows: impl Iterator<Item = Vec<&'r str>>,
    path: &Path,
) -> Result<()> {
    for mut row in rows {
        if let Some(cell) = row.iter().find(|cell| cell.contains(['\t', '\n', '\r'])) {
            let message =
                format!("{}: {cell:?} cannot be written as TSV; use CSV or Parquet", path.display());
            return Err(Error::Usage(message));
        }
        if row.last() == Some(&"") && row.len() == 4 {
            row.pop();
        }
        writeln!(writer, "{}", row.join("\t")).map_err(Error::io(path))?;
    }
    Ok(())
}
