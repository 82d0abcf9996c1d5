//! How is a plain line of N-Triples read fast?
//!
//! Nearly every line of a dump is plain: `<iri> <iri> <iri> .` or a literal in the usual spacing. Such lines are
//! scanned here without copying, but for escapes. Whatever is not plain (odd spacing, escaped IRIs, comments,
//! mistakes) is `None`, and the caller gives the line to oxttl. A property test holds the two against each other.

use std::borrow::Cow;

use super::statements::{Object, Qualifier};

/// A statement that points into its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plain<'a> {
    pub(super) subject: &'a str,
    pub(super) predicate: &'a str,
    pub(super) object: PlainObject<'a>,
}

/// The object of such a statement; only escapes make a copy of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlainObject<'a> {
    Resource(&'a str),
    Literal(Cow<'a, str>, Qualifier<'a>),
}

impl PlainObject<'_> {
    pub(super) fn as_object(&self) -> Object<'_> {
        match self {
            Self::Resource(name) => Object::Resource(name),
            Self::Literal(text, qualifier) => Object::Literal { text, qualifier: *qualifier },
        }
    }
}

/// Reads a plain line; with `quads` it may name a graph at its end, which is passed over.
pub(super) fn scan(line: &str, quads: bool) -> Option<Plain<'_>> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let (subject, rest) = resource(line)?;
    let (predicate, rest) = iri(behind_space(rest)?)?;
    let rest = behind_space(rest)?;
    let (object, rest) = if rest.starts_with('"') {
        let (text, qualifier, rest) = literal(rest)?;
        (PlainObject::Literal(text, qualifier), rest)
    } else {
        let (object, rest) = resource(rest)?;
        (PlainObject::Resource(object), rest)
    };
    let rest = match rest {
        " ." | "." | "\t." => "",
        _ if quads => behind_space(resource(behind_space(rest)?)?.1)?.strip_prefix('.')?,
        _ => return None,
    };
    rest.is_empty().then_some(Plain { subject, predicate, object })
}

/// Some dumps have tabs between terms, most a space.
fn behind_space(text: &str) -> Option<&str> {
    text.strip_prefix([' ', '\t'])
}

/// A whole string that is one literal.
pub(super) fn scan_literal(text: &str) -> Option<(Cow<'_, str>, Qualifier<'_>)> {
    let (value, qualifier, rest) = literal(text)?;
    rest.is_empty().then_some((value, qualifier))
}

/// An IRI in angle brackets, or a blank node, and what follows.
fn resource(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('<') { iri(text) } else { blank_node(text) }
}

fn iri(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('<')?;
    let end = memchr::memchr(b'>', inside.as_bytes())?;
    let iri = &inside[..end];
    // Bytes that may not stand in an IRI, and the backslash of an escape. Looking at all of them without stopping
    // at the first lets the compiler compare many at a time.
    let odd = |b: u8| b <= b' ' || matches!(b, b'<' | b'"' | b'{' | b'}' | b'|' | b'^' | b'`' | b'\\' | 0x7f);
    let any_odd = iri.bytes().fold(false, |any, b| any | odd(b));
    (!any_odd && is_absolute(iri)).then(|| (iri, &inside[end + 1..]))
}

/// Whether it begins with a scheme and a colon.
fn is_absolute(iri: &str) -> bool {
    let in_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let scheme = iri.as_bytes().iter().take_while(|b| in_scheme(b)).count();
    iri.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && iri.as_bytes().get(scheme) == Some(&b':')
}

fn blank_node(text: &str) -> Option<(&str, &str)> {
    let label = text.strip_prefix("_:")?;
    let end = label.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_'))?;
    // Other characters may be part of a label too; only a space surely ends it.
    (end > 0 && matches!(label.as_bytes()[end], b' ' | b'\t')).then(|| (&text[..end + 2], &label[end..]))
}

/// The text, what qualifies it, and what follows.
fn literal(text: &str) -> Option<(Cow<'_, str>, Qualifier<'_>, &str)> {
    let inside = text.strip_prefix('"')?;
    let first = memchr::memchr3(b'"', b'\\', b'\r', inside.as_bytes())?;
    let (value, rest) = match inside.as_bytes()[first] {
        b'"' => (Cow::Borrowed(&inside[..first]), &inside[first + 1..]),
        b'\\' => unescaped(inside, first)?,
        _ => return None,
    };
    if let Some(datatype) = rest.strip_prefix("^^") {
        let (datatype, rest) = iri(datatype)?;
        return Some((value, Qualifier::datatype(datatype), rest));
    }
    if let Some(language) = rest.strip_prefix('@') {
        // Only tags that every parser leaves as they are: longer ones have parts with rules of their own.
        let end = language.bytes().position(|b| !b.is_ascii_lowercase()).unwrap_or(language.len());
        let plain = (2..=8).contains(&end)
            && matches!(language.as_bytes().get(end), None | Some(b' ' | b'\t' | b'.'));
        return plain.then(|| (value, Qualifier::Language(&language[..end]), &language[end..]));
    }
    Some((value, Qualifier::None, rest))
}

/// The text up to the closing quote, with its escapes resolved, and what follows the quote.
fn unescaped(inside: &str, first: usize) -> Option<(Cow<'_, str>, &str)> {
    let mut text = inside[..first].to_owned();
    let mut rest = &inside[first..];
    loop {
        let end = memchr::memchr3(b'"', b'\\', b'\r', rest.as_bytes())?;
        text.push_str(&rest[..end]);
        match rest.as_bytes()[end] {
            b'"' => return Some((text.into(), &rest[end + 1..])),
            b'\\' => {}
            _ => return None,
        }
        let escape = &rest[end + 1..];
        let (c, length) = match escape.as_bytes().first()? {
            b't' => ('\t', 1),
            b'b' => ('\u{8}', 1),
            b'n' => ('\n', 1),
            b'r' => ('\r', 1),
            b'f' => ('\u{C}', 1),
            b'"' => ('"', 1),
            b'\'' => ('\'', 1),
            b'\\' => ('\\', 1),
            b'u' => (code_point(escape.get(1..5)?)?, 5),
            b'U' => (code_point(escape.get(1..9)?)?, 9),
            _ => return None,
        };
        text.push(c);
        rest = &escape[length..];
    }
}

fn code_point(digits: &str) -> Option<char> {
    let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxrdf::{NamedOrBlankNode, Term};
    use oxrdfio::{RdfFormat, RdfParser};
    use proptest::prelude::*;

    /// What oxttl makes of a line: subject, predicate, object, the text of a literal and its qualifier.
    fn slow(line: &str, format: RdfFormat) -> Option<[String; 4]> {
        let quads: Result<Vec<_>, _> = RdfParser::from_format(format).lenient().for_slice(line).collect();
        let quad = quads.ok()?.pop()?;
        let subject = match &quad.subject {
            NamedOrBlankNode::NamedNode(node) => node.as_str().to_owned(),
            NamedOrBlankNode::BlankNode(node) => node.to_string(),
        };
        let [object, qualifier] = match &quad.object {
            Term::NamedNode(node) => [node.as_str().to_owned(), "resource".to_owned()],
            Term::BlankNode(node) => [node.to_string(), "resource".to_owned()],
            Term::Literal(literal) => [literal.value().to_owned(), Qualifier::of(literal).to_string()],
        };
        Some([subject, quad.predicate.into_string(), object, qualifier])
    }

    fn fast(line: &str, quads: bool) -> Option<[String; 4]> {
        let plain = scan(line, quads)?;
        let (object, qualifier) = match plain.object.as_object() {
            Object::Resource(name) => (name, "resource".to_owned()),
            Object::Literal { text, qualifier } => (text, qualifier.to_string()),
        };
        Some([plain.subject.to_owned(), plain.predicate.to_owned(), object.to_owned(), qualifier])
    }

    #[test]
    fn plain_lines_are_scanned() {
        for line in [
            "<http://a/s> <http://a/p> <http://a/o> .",
            "<http://a/s> <http://a/p> <http://a/o>.",
            "_:a1 <http://a/p> _:b .",
            "<http://a/s>\t<http://a/p>\t\"x\"@en\t.",
            "<http://a/é%41> <http://a/p> \"tekst 'x' é\" .",
            "<http://a/s> <http://a/p> \"x\"@en .",
            "<http://a/s> <http://a/p> \"a\\t\\\"b\\\\ \\u00e9\\U0001F600\" .",
            "<http://a/s> <http://a/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\r",
            "<http://a/s> <http://a/p> \"x\"^^<http://www.w3.org/2001/XMLSchema#string> .",
        ] {
            assert!(fast(line, false).is_some(), "{line}");
            assert_eq!(fast(line, false), slow(line, RdfFormat::NTriples), "{line}");
        }
        let quad = "<http://a/s> <http://a/p> \"x\" <http://a/g> .";
        assert_eq!(fast(quad, true), slow(quad, RdfFormat::NQuads));
        assert_eq!(fast(quad, false), None);
    }

    #[test]
    fn anything_odd_is_left_to_the_full_parser() {
        for line in [
            "",
            "# comment",
            "<s> <http://a/p> <http://a/o> .",
            "<http://a/s> <http://a/p> \"unterminated .",
            "<http://a/s>  <http://a/p> <http://a/o> .",
            "<http://a/s> <http://a/p> <http://a/o> . # why",
            "<http://a/s> <http://a/p> \"x\"@en-GB .",
            "<http://a/\\u00e9> <http://a/p> <http://a/o> .",
        ] {
            assert_eq!(fast(line, false), None, "{line}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn the_scanner_agrees_with_the_full_parser(
            subject in "(<http://a/[a-z%é\\\\ <>\"#]{0,4}>|_:[a-z0-9.é-]{0,3})",
            predicate in "<[a-z]{1,2}:[a-z/#{ ]{0,3}>",
            object in "(<urn:[a-z\u{1}é]{0,3}>|_:b-?[0-9]{0,2}|\"([a-zé \"\r\t\u{0}]|\\\\[tbnrfux\"\\\\]|\\\\u[0-9d]{4}|\\\\U000[01][0-9F]{4}){0,4}\"(@[a-zA-Z-]{0,10}|\\^\\^<[a-z:]{0,5}>)?)",
            end in "( \\.|\\.|\t\\.|  \\.| <http://g> \\.| \\. #x|)"
        ) {
            let line = format!("{subject} {predicate} {object}{end}");
            for (quads, format) in [(false, RdfFormat::NTriples), (true, RdfFormat::NQuads)] {
                if let Some(plain) = fast(&line, quads) {
                    prop_assert_eq!(Some(plain), slow(&line, format), "{}", line);
                }
            }
        }
    }
}
