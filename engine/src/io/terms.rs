//! How are names and values written in N-Triples and N-Quads?
//!
//! A name that is an IRI stands as it is. One that is none goes behind `urn:linknbed:`, with everything but letters,
//! digits, `-`, `_` and `.` escaped; reading it back gives the name. The named graph of what a graph says is
//! `urn:linknbed:graph:` and the graph's name, escaped in the same way.

use std::borrow::Cow;
use std::fmt::{self, Write};

use oxrdf::{BlankNodeRef, LiteralRef, NamedNodeRef};

use super::rdf::{PLAIN_IDS, percent_encoded, unescape_plain_id};
use crate::graph::Value;

/// What the IRI of a graph begins with. No escaped name does: it holds no colon.
const GRAPHS: &str = "urn:linknbed:graph:";

/// The IRI that stands for a name.
pub fn iri_of(name: &str) -> Cow<'_, str> {
    if NamedNodeRef::new(name).is_ok() && !name.starts_with(PLAIN_IDS) {
        return name.into();
    }
    format!("{PLAIN_IDS}{}", percent_encoded(name)).into()
}

/// The name that an IRI stands for.
pub fn name_of_iri(iri: &str) -> Cow<'_, str> {
    unescape_plain_id(iri)
}

/// The IRI of a graph.
pub fn graph_iri(name: &str) -> String {
    format!("{GRAPHS}{}", percent_encoded(name))
}

/// The graph that an IRI stands for, if it is one of [`graph_iri`].
pub fn graph_of_iri(iri: &str) -> Option<String> {
    let escaped = iri.strip_prefix(GRAPHS)?;
    Some(unescape_plain_id(&format!("{PLAIN_IDS}{escaped}")).into_owned())
}

/// A name, as subject or object of a statement. Blank nodes stay what they are.
pub struct NameTerm<'a>(pub &'a str);

impl fmt::Display for NameTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.strip_prefix("_:") {
            Some(label) if BlankNodeRef::new(label).is_ok() => f.write_str(self.0),
            _ => write!(f, "<{}>", iri_of(self.0)),
        }
    }
}

/// A name as an IRI, whatever it is: for predicates, and where a blank node would lose its meaning.
pub struct IriTerm<'a>(pub &'a str);

impl fmt::Display for IriTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", iri_of(self.0))
    }
}

/// A value as a literal. A qualifier that RDF cannot hold is left out.
pub struct ValueTerm<'a>(pub Value<'a>);

impl fmt::Display for ValueTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Value { text, .. } = self.0;
        match (self.0.language(), self.0.datatype()) {
            (Some(language), _) if is_language(language) => {
                LiteralRef::new_language_tagged_literal_unchecked(text, language).fmt(f)
            }
            (_, Some(datatype)) if NamedNodeRef::new(datatype).is_ok() => {
                LiteralRef::new_typed_literal(text, NamedNodeRef::new_unchecked(datatype)).fmt(f)
            }
            _ => LiteralRef::new_simple_literal(text).fmt(f),
        }
    }
}

fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let fits = |part: &str| (1..=8).contains(&part.len());
    parts.next().is_some_and(|first| fits(first) && first.bytes().all(|b| b.is_ascii_alphabetic()))
        && parts.all(|part| fits(part) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Adds what is displayed to a text; that cannot fail.
pub(crate) fn push(text: &mut String, shown: impl fmt::Display) {
    let _ = write!(text, "{shown}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_become_terms() {
        for (name, term) in [
            ("http://e/1", "<http://e/1>"),
            ("tt01", "<urn:linknbed:tt01>"),
            ("a b", "<urn:linknbed:a%20b>"),
            ("_:b1", "_:b1"),
            ("_:b 1", "<urn:linknbed:_%3Ab%201>"),
            ("urn:linknbed:x", "<urn:linknbed:urn%3Alinknbed%3Ax>"),
        ] {
            assert_eq!(NameTerm(name).to_string(), term);
        }
        assert_eq!(IriTerm("_:b1").to_string(), "<urn:linknbed:_%3Ab1>");
    }

    #[test]
    fn values_become_literals() {
        let literal = |text, qualifier| ValueTerm(Value { text, qualifier }).to_string();
        assert_eq!(literal("a\t\"b\"\n", ""), r#""a\t\"b\"\n""#);
        assert_eq!(literal("a", "@en-GB"), "\"a\"@en-GB");
        assert_eq!(literal("a", "@e n"), "\"a\"");
        assert_eq!(literal("a", "^^http://e/t"), "\"a\"^^<http://e/t>");
        assert_eq!(literal("a", "^^no iri"), "\"a\"");
    }

    proptest! {
        #[test]
        fn an_iri_leads_back_to_its_name(name in "\\PC{0,12}") {
            let iri = iri_of(&name);
            prop_assert!(NamedNodeRef::new(&iri).is_ok(), "{}", iri);
            prop_assert_eq!(name_of_iri(&iri), name.as_str());
            prop_assert_eq!(graph_of_iri(&graph_iri(&name)), Some(name.clone()));
            prop_assert_eq!(graph_of_iri(&iri), None);
        }
    }
}
