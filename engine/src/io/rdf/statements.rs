//! What does a statement say about a graph?
//!
//! A resource as object makes a fact and a literal makes an attribute, but some properties speak of the graph
//! itself: types, links to other graphs, and Freebase's declaration of compound values.

use std::collections::HashMap;
use std::fmt::{self, Write};

use crate::error::Result;
use crate::graph::{EntityId, GraphBuilder, Interner, KeyId, Part, RelationId, Value};

const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
/// The property that links an entity to the same one elsewhere.
pub(in crate::io) const SAME_AS: &str = "http://www.w3.org/2002/07/owl#sameAs";
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// Plain ids (`tt0123456`) are no IRIs; in RDF they are written behind this.
pub(in crate::io) const PLAIN_IDS: &str = "urn:linknbed:";

/// The object of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object<'a> {
    /// An IRI, or a blank node with its `_:`.
    Resource(&'a str),
    /// A literal.
    Literal { text: &'a str, qualifier: Qualifier<'a> },
}

/// What is said about a literal's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Qualifier<'a> {
    None,
    Language(&'a str),
    Datatype(&'a str),
}

impl<'a> Qualifier<'a> {
    /// A datatype; that of plain strings says nothing.
    pub(super) fn datatype(iri: &'a str) -> Self {
        if iri == XSD_STRING { Self::None } else { Self::Datatype(iri) }
    }

    /// Of a parsed literal.
    pub(in crate::io) fn of(literal: &'a oxrdf::Literal) -> Self {
        match literal.language() {
            Some(language) => Self::Language(language),
            None => Self::datatype(literal.datatype().as_str()),
        }
    }
}

/// The form that [`Value`] has.
impl fmt::Display for Qualifier<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::Language(language) => write!(f, "@{language}"),
            Self::Datatype(iri) => write!(f, "^^{iri}"),
        }
    }
}

/// What a property is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Describes,
    Type,
    SameAs,
    /// The subject is a type whose entities are compound values.
    Mediator,
}

impl Purpose {
    fn of(predicate: &str) -> Self {
        if predicate == RDF_TYPE || predicate.ends_with("/type.object.type") {
            Self::Type
        } else if predicate == SAME_AS {
            Self::SameAs
        } else if predicate.ends_with("/freebase.type_hints.mediator") {
            Self::Mediator
        } else {
            Self::Describes
        }
    }
}

struct Predicate {
    purpose: Purpose,
    relation: Option<RelationId>,
    key: Option<KeyId>,
}

/// Statements on their way into a graph.
pub(super) struct Statements<'a> {
    builder: GraphBuilder,
    /// Comes before the labels of blank nodes: they are local to their file.
    scope: &'a str,
    seen: Interner,
    predicates: Vec<Predicate>,
    /// Neighbouring statements tend to share their subject.
    last_subject: (String, EntityId),
    blank_nodes: HashMap<String, usize>,
    /// Reused from literal to literal.
    qualifier: String,
    count: usize,
}

impl<'a> Statements<'a> {
    pub(super) fn new(scope: &'a str) -> Self {
        Self {
            builder: GraphBuilder::default(),
            scope,
            seen: Interner::default(),
            predicates: Vec::new(),
            last_subject: (String::new(), EntityId(u32::MAX)),
            blank_nodes: HashMap::new(),
            qualifier: String::new(),
            count: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Hands over what was gathered and begins anew; only the numbers of blank nodes go on.
    pub(super) fn flush(&mut self, take: impl FnOnce(&mut GraphBuilder) -> Result<()>) -> Result<()> {
        take(&mut self.builder)?;
        self.seen.clear();
        self.predicates.clear();
        self.last_subject.1 = EntityId(u32::MAX);
        self.count = 0;
        Ok(())
    }

    /// The number of a blank node, by first mention.
    pub(super) fn number_of(&mut self, label: &str) -> usize {
        if let Some(&number) = self.blank_nodes.get(label) {
            return number;
        }
        let number = self.blank_nodes.len();
        self.blank_nodes.insert(label.to_owned(), number);
        number
    }

    /// Adds what a statement says.
    pub(super) fn add(&mut self, subject: &str, predicate: &str, object: Object<'_>) {
        self.count += 1;
        let number = self.seen.intern(predicate.as_bytes()) as usize;
        if number == self.predicates.len() {
            let purpose = Purpose::of(predicate);
            self.predicates.push(Predicate { purpose, relation: None, key: None });
        }
        match (self.predicates[number].purpose, object) {
            (Purpose::Type, Object::Resource(class)) => {
                let (entity, class) = (self.name(subject), self.name(class));
                self.builder.typing(&entity, &class);
            }
            (Purpose::SameAs, Object::Resource(other)) => {
                let (entity, other) = (self.name(subject), self.name(other));
                self.builder.same_as(&entity, &other);
            }
            (Purpose::Mediator, Object::Literal { text, .. }) => {
                if text == "true" {
                    let class = self.name(subject);
                    self.builder.mediator(&class);
                }
            }
            (_, Object::Resource(object)) => self.add_fact(subject, predicate, number, object),
            (_, Object::Literal { text, qualifier }) => {
                self.add_attribute(subject, predicate, number, text, qualifier);
            }
        }
    }

    fn add_fact(&mut self, subject: &str, predicate: &str, number: usize, object: &str) {
        let subject = self.subject(subject);
        let relation = match self.predicates[number].relation {
            Some(relation) => relation,
            None => {
                let name = unescape_plain_id(predicate);
                let relation = self.builder.relation(&name);
                self.predicates[number].relation = Some(relation);
                relation
            }
        };
        let object = self.entity(object);
        self.builder.add_fact(Part::Undivided, subject, relation, object);
    }

    fn add_attribute(
        &mut self,
        subject: &str,
        predicate: &str,
        number: usize,
        text: &str,
        qualifier: Qualifier<'_>,
    ) {
        let subject = self.subject(subject);
        let key = match self.predicates[number].key {
            Some(key) => key,
            None => {
                let name = unescape_plain_id(predicate);
                let key = self.builder.key(&name);
                self.predicates[number].key = Some(key);
                key
            }
        };
        self.qualifier.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.qualifier, "{qualifier}");
        self.builder.add_attribute(subject, key, Value { text, qualifier: &self.qualifier });
    }

    fn subject(&mut self, name: &str) -> EntityId {
        if self.last_subject.1 == EntityId(u32::MAX) || self.last_subject.0 != name {
            let entity = self.entity(name);
            self.last_subject.0.clear();
            self.last_subject.0.push_str(name);
            self.last_subject.1 = entity;
        }
        self.last_subject.1
    }

    fn entity(&mut self, name: &str) -> EntityId {
        // Most names need nothing done to them, and this is the hot path.
        if !name.starts_with("_:") && !name.starts_with(PLAIN_IDS) {
            return self.builder.entity(name);
        }
        let name = self.name(name);
        self.builder.entity(&name)
    }

    /// What the graph calls a resource.
    fn name<'n>(&self, resource: &'n str) -> std::borrow::Cow<'n, str> {
        match resource.strip_prefix("_:") {
            Some(label) if !self.scope.is_empty() => format!("_:{}{label}", self.scope).into(),
            Some(_) => resource.into(),
            None => unescape_plain_id(resource),
        }
    }
}

/// A name with everything but letters, digits, `-`, `_` and `.` escaped.
pub(in crate::io) fn percent_encoded(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            encoded.push(byte as char);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The plain id that stands behind [`PLAIN_IDS`], percent-decoded; any other IRI as it is.
pub(in crate::io) fn unescape_plain_id(iri: &str) -> std::borrow::Cow<'_, str> {
    let Some(escaped) = iri.strip_prefix(PLAIN_IDS) else { return iri.into() };
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = |at: usize| tail.get(at).and_then(|&b| (b as char).to_digit(16));
        match (first, code(0), code(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).map_or_else(|_| iri.into(), Into::into)
}
