//! How is RDF read?
//!
//! Line formats (N-Triples, N-Quads) are cut into blocks and read on all cores: plain lines by a fast scanner
//! ([`line`]), everything else by oxttl. The other formats go through oxrdfio, one document on one core. What a
//! statement means for the graph is decided in one place ([`statements`]).

mod encoding;
mod line;
mod statements;
mod xml;

use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use oxrdf::{NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser, TextPosition};

use super::source::{Format, SourceFile};
use super::stream::{Block, Stamp, Stream, for_each_block, without_byte_order_mark};
use super::{Collector, Problems};
use crate::error::{Place, Result};
use crate::graph::GraphBuilder;
use crate::progress::Progress;
use statements::{Object, Qualifier, Statements};

pub(super) use encoding::decoded;
pub(super) use statements::{PLAIN_IDS, SAME_AS, percent_encoded, unescape_plain_id};

/// Reads N-Triples or N-Quads, in parallel.
pub(super) fn read_lines(file: &SourceFile, scope: &str, collector: &Collector<'_>) -> Result<Stamp> {
    let (blocks, stamper) = Stream::open(file, collector.progress)?.into_blocks();
    let scratch = || Statements::new(scope);
    for_each_block(blocks, stamper, scratch, |statements, block| {
        read_block(block, file, statements, collector)
    })
}

fn read_block(
    block: &Block,
    file: &SourceFile,
    statements: &mut Statements<'_>,
    collector: &Collector<'_>,
) -> Result<()> {
    let bytes = if block.line == 1 { without_byte_order_mark(&block.bytes) } else { &block.bytes };
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            for (offset, line) in Lines::new(text).enumerate() {
                read_line(line, block.line + offset as u64, file, statements, collector)?;
            }
        }
        Err(_) => {
            for (offset, line) in bytes.split(|&b| b == b'\n').enumerate() {
                let number = block.line + offset as u64;
                match std::str::from_utf8(line) {
                    Ok(line) => read_line(line, number, file, statements, collector)?,
                    Err(error) => {
                        let place = Place {
                            column: Some(error.valid_up_to() as u64 + 1),
                            ..Place::line(&file.path, number)
                        };
                        collector.problem(place, "this is not valid UTF-8")?;
                    }
                }
            }
        }
    }
    statements.flush(|builder| collector.absorb(|| Place::file(&file.path), builder))
}

/// Lines without their ends.
struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = match memchr::memchr(b'\n', self.rest.as_bytes()) {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, ""),
        };
        self.rest = rest;
        Some(line)
    }
}

fn read_line(
    text: &str,
    number: u64,
    file: &SourceFile,
    statements: &mut Statements<'_>,
    collector: &Collector<'_>,
) -> Result<()> {
    if let Some(plain) = line::scan(text, file.format == Format::NQuads) {
        statements.add(plain.subject, plain.predicate, plain.object.as_object());
        return Ok(());
    }
    if text.trim_ascii().is_empty() || text.trim_ascii_start().starts_with('#') {
        return Ok(());
    }
    let format = if file.format == Format::NQuads { RdfFormat::NQuads } else { RdfFormat::NTriples };
    for quad in RdfParser::from_format(format).lenient().for_slice(text) {
        match quad {
            Ok(quad) => add_quad(statements, &quad, BlankNodes::AsLabelled),
            Err(error) => {
                let column = error.location().map(|at| at.start.column + 1);
                let place = Place { column, ..Place::line(&file.path, number) };
                return collector.problem(place, syntax_message(&error.to_string()));
            }
        }
    }
    Ok(())
}

/// The parser's message without its own account of where, which counts from the start of what it was given.
fn syntax_message(message: &str) -> String {
    if message.contains("LoadDocumentCallback") {
        return "the @context is elsewhere on the web, and nothing is fetched; put it into the file"
            .to_owned();
    }
    let at = message.starts_with("Parser error ").then(|| message.find(": ")).flatten();
    at.map_or(message, |at| &message[at + 2..]).to_owned()
}

/// Reads a document through oxrdfio.
pub(super) fn read_document(file: &SourceFile, scope: &str, collector: &Collector<'_>) -> Result<Stamp> {
    let format = match file.format {
        Format::Turtle => RdfFormat::Turtle,
        Format::TriG => RdfFormat::TriG,
        Format::RdfXml => RdfFormat::RdfXml,
        Format::JsonLd => RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() },
        _ => RdfFormat::NQuads,
    };
    let (reader, stamper) = Stream::open(file, collector.progress)?.into_reader();
    let (reader, line) = watched(reader, file).map_err(|error| stamper.error(error))?;
    // Relative IRIs need a base; the file's own name is what RDF says to take.
    let base =
        format!("file:///{}", percent_encoded(&file.path.file_name().unwrap_or_default().to_string_lossy()));
    let parser = RdfParser::from_format(format).lenient();
    let parser = parser.clone().with_base_iri(base).unwrap_or(parser);
    let place_of = |location: Option<Range<TextPosition>>| match (location, &line) {
        (Some(at), _) => {
            Place { column: Some(at.start.column + 1), ..Place::line(&file.path, at.start.line + 1) }
        }
        (None, Some(line)) => Place::line(&file.path, line.load(Ordering::Relaxed)),
        (None, None) => Place::file(&file.path),
    };
    let mut statements = Statements::new(scope);
    for quad in parser.for_reader(reader) {
        match quad {
            Ok(quad) => add_quad(&mut statements, &quad, BlankNodes::Numbered),
            Err(RdfParseError::Io(error)) => match error.kind() {
                ErrorKind::InvalidData if stamper.is_plain() => {
                    collector.problem(place_of(None), "this is not valid UTF-8")?;
                    break;
                }
                ErrorKind::UnexpectedEof if error.to_string() == xml::NOT_CLOSED => {
                    collector.problem(place_of(None), xml::NOT_CLOSED)?;
                    break;
                }
                _ => return Err(stamper.error(error)),
            },
            Err(RdfParseError::Syntax(error)) => {
                collector.problem(place_of(error.location()), syntax_message(&error.to_string()))?;
            }
        }
        if statements.len() >= FLUSH {
            statements.flush(|builder| collector.absorb(|| Place::file(&file.path), builder))?;
        }
    }
    statements.flush(|builder| collector.absorb(|| Place::file(&file.path), builder))?;
    Ok(stamper.stamp())
}

/// XML is decoded, and watched line by line; the number tells where the parser is.
type Watched<'a> = (Box<dyn Read + Send + 'a>, Option<Arc<AtomicU64>>);

fn watched<'a>(reader: Box<dyn Read + Send + 'a>, file: &SourceFile) -> std::io::Result<Watched<'a>> {
    if file.format != Format::RdfXml {
        return Ok((without_mark(reader)?, None));
    }
    let (watched, line) = xml::Watched::new(decoded(reader)?);
    Ok((Box::new(watched), Some(line)))
}

/// A document may begin with a byte order mark, which some parsers take for a mistake.
fn without_mark<'a>(mut reader: Box<dyn Read + Send + 'a>) -> std::io::Result<Box<dyn Read + Send + 'a>> {
    let mut first = Vec::new();
    reader.by_ref().take(3).read_to_end(&mut first)?;
    let first = without_byte_order_mark(&first).to_vec();
    Ok(Box::new(std::io::Cursor::new(first).chain(reader)))
}

/// So many statements of a document are gathered before the graph takes them over.
const FLUSH: usize = 1 << 16;

/// What a blank node is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlankNodes {
    /// By its label, which lines of a file share.
    AsLabelled,
    /// By the order of first mention: labels made up by a parser differ from run to run.
    Numbered,
}

fn add_quad(statements: &mut Statements<'_>, quad: &Quad, blank: BlankNodes) {
    let mut label = |node: &oxrdf::BlankNode| match blank {
        BlankNodes::AsLabelled => format!("_:{}", node.as_str()),
        BlankNodes::Numbered => format!("_:b{}", statements.number_of(node.as_str())),
    };
    let subject = match &quad.subject {
        NamedOrBlankNode::NamedNode(node) => node.as_str().to_owned(),
        NamedOrBlankNode::BlankNode(node) => label(node),
    };
    let predicate = quad.predicate.as_str();
    match &quad.object {
        Term::NamedNode(node) => statements.add(&subject, predicate, Object::Resource(node.as_str())),
        Term::BlankNode(node) => {
            let object = label(node);
            statements.add(&subject, predicate, Object::Resource(&object));
        }
        Term::Literal(literal) => {
            let object = Object::Literal { text: literal.value(), qualifier: Qualifier::of(literal) };
            statements.add(&subject, predicate, object);
        }
    }
}

/// Reads a value that may be written as an N-Triples literal (`"1994"^^<…>`), as OpenEA does.
pub(super) fn add_open_ea_attribute(builder: &mut GraphBuilder, entity: &str, key: &str, value: &str) {
    use crate::graph::Value;
    if let Some((text, qualifier)) = line::scan_literal(value) {
        let qualifier = qualifier.to_string();
        return builder.attribute(entity, key, Value { text: &text, qualifier: &qualifier });
    }
    // Anything that only a full parser reads (longer language tags, say), or else the text as it is.
    let statement = format!("<urn:s> <urn:p> {value} .");
    let mut parsed = RdfParser::from_format(RdfFormat::NTriples).lenient().for_slice(&statement);
    match (value.starts_with('"').then(|| parsed.next()).flatten(), parsed.next()) {
        (Some(Ok(Quad { object: Term::Literal(literal), .. })), None) => {
            let qualifier = Qualifier::of(&literal).to_string();
            builder.attribute(entity, key, Value { text: literal.value(), qualifier: &qualifier });
        }
        _ => builder.attribute(entity, key, Value::plain(value)),
    }
}

/// The pairs that an RDF file states to be the same.
pub(super) fn read_same_as(
    file: &SourceFile,
    problems: &mut Problems,
    progress: &dyn Progress,
) -> Result<(Vec<(String, String)>, Stamp)> {
    let strictness = problems.strictness();
    let collector =
        Collector { builder: Mutex::default(), problems: Mutex::new(Problems::new(strictness)), progress };
    let stamp = match file.format {
        Format::NTriples | Format::NQuads => read_lines(file, "", &collector)?,
        _ => read_document(file, "", &collector)?,
    };
    let graph =
        collector.builder.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()).finish("links");
    problems.absorb(collector.problems.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    Ok((graph.same_as, stamp))
}
