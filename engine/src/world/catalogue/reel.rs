//! Writes the second catalogue: one file of RDF statements (N-Triples), with compound values as nodes of their own.

use super::super::names::{Label, Namer, Naming};
use super::super::scale::Object;
use super::super::terms::reel::{Compound, ENTITIES, MEDIATOR, TERMS, TOPIC, USER_TYPES};
use super::super::truth::{Fact, MOST_PARTS};
use super::View;
use super::details::{Details, Value};
use super::dirt::Sloppiness;
use super::filler::Plan;
use super::ids::{Id, Ids};
use super::press::{Author, Desk, Page};
use super::screen::{may_spoil_name, repeat_first_line};

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
const OTHER_LABEL: &str = "http://www.w3.org/2004/02/skos/core#altLabel";
const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema#";

/// Everything it takes to write the catalogue.
#[derive(Debug)]
pub(crate) struct Reel<'a> {
    /// What there is to say.
    pub(crate) view: &'a View<'a>,
    /// And what fills it up.
    pub(crate) plan: &'a Plan<'a>,
    /// What things are called.
    pub(crate) namer: Namer<'a>,
    /// What identifies them.
    pub(crate) ids: &'a Ids,
    /// What goes wrong.
    pub(crate) sloppiness: Sloppiness,
}

/// The declarations at the head of the file: which types are compound values.
pub(crate) fn declarations() -> (Vec<u8>, u64) {
    let mut file = Vec::new();
    for compound in Compound::ALL {
        angle(&mut file, &[TERMS, compound.kind()]);
        angle(&mut file, &[TERMS, MEDIATOR]);
        file.extend_from_slice(b"\"true\"^^");
        angle(&mut file, &[SCHEMA, "boolean"]);
        file.extend_from_slice(b".\n");
    }
    (file, Compound::ALL.len() as u64)
}

impl Author for Reel<'_> {
    fn write(&self, object: Object, desk: &mut Desk, page: &mut Page) {
        if self.view.is_mute(object) {
            return;
        }
        let id = self.ids.of(object);
        let naming = self.namer.naming(object);
        self.write_types(object, id, page);
        self.write_names(object, id, &naming, page);
        self.write_attributes(object, id, &naming, page);
        self.view.facts(object, &mut desk.facts);
        self.write_compounds(object, id, &mut desk.facts, page);
        self.write_facts(object, id, desk, page);
    }
}

impl Reel<'_> {
    fn write_types(&self, object: Object, id: &Id, page: &mut Page) {
        let types = self.view.types(object);
        let topic = self.view.is_topic(object);
        for name in types.into_iter().chain(topic.then_some(TOPIC)) {
            type_of(&mut page.files[0], |file| entity(file, id), name);
            page.tally.types.insert(name);
            page.tally.lines += 1;
        }
        if let Some(number) = self.sloppiness.user_type(object, USER_TYPES.len() as u32) {
            type_of(&mut page.files[0], |file| entity(file, id), USER_TYPES[number as usize]);
            page.tally.dirt.base_types += 1;
            page.tally.lines += 1;
        }
    }

    fn write_names(&self, object: Object, id: &Id, naming: &Naming, page: &mut Page) {
        let labels =
            std::iter::once((LABEL, &naming.reel)).chain(naming.also.iter().map(|l| (OTHER_LABEL, l)));
        for (nth, (predicate, Label { text, language })) in labels.enumerate() {
            let mut text = text.clone();
            // The further names come after the attributes, however many of those there are.
            let number = if nth == 0 { 0 } else { 1000 + nth as u64 };
            if may_spoil_name(self.view, object) && self.sloppiness.spoil(object, number, &mut text) {
                page.tally.dirt.garbage_values += 1;
            }
            let file = &mut page.files[0];
            entity(file, id);
            angle(file, &[predicate]);
            literal(file, &text);
            file.push(b'@');
            file.extend_from_slice(language.as_bytes());
            file.extend_from_slice(b" .\n");
            page.tally.keys.insert(predicate);
            page.tally.lines += 1;
        }
    }

    fn write_attributes(&self, object: Object, id: &Id, naming: &Naming, page: &mut Page) {
        let details = Details::new(self.view.truth, self.view.catalogue, object, naming);
        for (nth, key) in self.view.terms.keys[object.class as usize].iter().enumerate() {
            let Some(mut value) = details.under(key) else { continue };
            if let Value::Text(text) = &mut value
                && self.sloppiness.spoil(object, 1 + nth as u64, text)
            {
                page.tally.dirt.garbage_values += 1;
            }
            let file = &mut page.files[0];
            entity(file, id);
            angle(file, &[TERMS, key.name]);
            typed(file, &value);
            file.extend_from_slice(b" .\n");
            page.tally.keys.insert(key.name);
            page.tally.lines += 1;
        }
    }

    /// Writes the facts told through nodes of their own, and leaves the others.
    fn write_compounds(&self, subject: Object, id: &Id, facts: &mut Vec<Fact>, page: &mut Page) {
        let node_of = |fact: &Fact| Compound::of(fact.property).map(|compound| (compound as u8, fact.slot));
        facts.sort_by_key(|fact| (node_of(fact), fact.property));
        for told in facts.chunk_by(|one, other| node_of(one) == node_of(other)) {
            let Some(compound) = told.first().and_then(|fact| Compound::of(fact.property)) else { continue };
            let node = self.node(compound, subject, told[0].slot);
            let file = &mut page.files[0];
            entity(file, id);
            angle(file, &[TERMS, compound.way_in()]);
            node.write(file);
            file.extend_from_slice(b".\n");
            type_of(file, |file| node.write(file), compound.kind());
            for fact in told {
                let object = Object { class: fact.property.target(), index: fact.object };
                let relation = self.view.terms.relation(fact.property).unwrap_or_default();
                node.write(file);
                angle(file, &[TERMS, relation]);
                entity(file, self.ids.of(object));
                file.extend_from_slice(b".\n");
                page.tally.relations.insert(relation);
            }
            page.tally.facts += told.len() as u64;
            page.tally.lines += told.len() as u64 + 2;
            page.tally.dirt.cvt_nodes += 1;
        }
        facts.retain(|fact| Compound::of(fact.property).is_none());
    }

    /// The node of a compound value: marriages are blank nodes, the others have identifiers like entities.
    fn node(&self, compound: Compound, subject: Object, slot: u8) -> Node {
        let ordinal = self.view.truth.census.of(subject.class).ordinal(self.view.catalogue, subject.index);
        let number = match compound {
            Compound::Performance => ordinal * MOST_PARTS as u32 + u32::from(slot),
            Compound::Nomination => (1 << 27) + ordinal * 4 + u32::from(slot),
            Compound::Marriage => (1 << 28) + ordinal,
        };
        Node { id: self.ids.compound(number), blank: compound == Compound::Marriage }
    }

    fn write_facts(&self, subject: Object, id: &Id, desk: &mut Desk, page: &mut Page) {
        let start = page.files[0].len();
        let mut middle = Vec::with_capacity(100);
        for fact in &desk.facts {
            let relation = self.view.terms.relation(fact.property).unwrap_or_default();
            let object = Object { class: fact.property.target(), index: fact.object };
            predicate(&mut middle, relation);
            statement(&mut page.files[0], id, &middle, self.ids.of(object));
            page.tally.relations.insert(relation);
        }
        page.tally.facts += desk.facts.len() as u64;
        page.tally.lines += desk.facts.len() as u64;
        for (number, filler) in self.plan.fillers().iter().enumerate() {
            if filler.subject != subject.class {
                continue;
            }
            self.plan.objects(number, subject, &mut desk.seen, &mut desk.objects);
            if desk.objects.is_empty() {
                continue;
            }
            let ids = self.ids.class(filler.object);
            let file = &mut page.files[0];
            predicate(&mut middle, filler.name);
            for &object in &desk.objects {
                statement(file, id, &middle, ids.of(object));
            }
            page.tally.relations.insert(filler.name);
            page.tally.facts += desk.objects.len() as u64;
            page.tally.lines += desk.objects.len() as u64;
            if filler.anchor && filler.object == subject.class && self.sloppiness.has_self_loop(subject) {
                statement(file, id, &middle, id);
                page.tally.dirt.self_loops += 1;
                page.tally.lines += 1;
            }
        }
        if self.sloppiness.has_duplicate(subject) {
            repeat_first_line(&mut page.files[0], start);
            page.tally.dirt.duplicates += 1;
            page.tally.lines += 1;
        }
    }
}

/// The node of a compound value.
#[derive(Debug, Clone, Copy)]
struct Node {
    id: Id,
    blank: bool,
}

impl Node {
    fn write(&self, file: &mut Vec<u8>) {
        if self.blank {
            file.extend_from_slice(b"_:b");
            file.extend_from_slice(&self.id[2..]);
            file.push(b' ');
        } else {
            entity(file, &self.id);
        }
    }
}

/// An IRI of these parts, and a space.
fn angle(file: &mut Vec<u8>, parts: &[&str]) {
    file.push(b'<');
    for part in parts {
        file.extend_from_slice(part.as_bytes());
    }
    file.extend_from_slice(b"> ");
}

/// An entity, and a space.
fn entity(file: &mut Vec<u8>, id: &Id) {
    file.push(b'<');
    file.extend_from_slice(ENTITIES.as_bytes());
    file.extend_from_slice(id);
    file.extend_from_slice(b"> ");
}

fn type_of(file: &mut Vec<u8>, subject: impl Fn(&mut Vec<u8>), name: &str) {
    subject(file);
    angle(file, &[TYPE]);
    angle(file, &[TERMS, name]);
    file.extend_from_slice(b".\n");
}

/// What stands between the identifiers of a statement, made once for all objects of a subject.
fn predicate(middle: &mut Vec<u8>, name: &str) {
    middle.clear();
    middle.extend_from_slice(b"> <");
    middle.extend_from_slice(TERMS.as_bytes());
    middle.extend_from_slice(name.as_bytes());
    middle.extend_from_slice(b"> <");
    middle.extend_from_slice(ENTITIES.as_bytes());
}

fn statement(file: &mut Vec<u8>, subject: &Id, middle: &[u8], object: &Id) {
    file.push(b'<');
    file.extend_from_slice(ENTITIES.as_bytes());
    file.extend_from_slice(subject);
    file.extend_from_slice(middle);
    file.extend_from_slice(object);
    file.extend_from_slice(b"> .\n");
}

fn typed(file: &mut Vec<u8>, value: &Value) {
    let (text, kind) = match value {
        Value::Text(text) => return literal(file, text),
        Value::Date(year, month, day) => (format!("{year:04}-{month:02}-{day:02}"), "date"),
        Value::Year(year) => (format!("{year:04}"), "gYear"),
        Value::Integer(number) => (number.to_string(), "integer"),
        Value::Hundredths(number) => (format!("{}.{:02}", number / 100, number % 100), "decimal"),
    };
    literal(file, &text);
    file.extend_from_slice(b"^^<");
    file.extend_from_slice(SCHEMA.as_bytes());
    file.extend_from_slice(kind.as_bytes());
    file.push(b'>');
}

/// A literal, with what N-Triples wants escaped escaped, and what no one would see in an editor too.
fn literal(file: &mut Vec<u8>, text: &str) {
    file.push(b'"');
    for letter in text.chars() {
        match letter {
            '"' => file.extend_from_slice(b"\\\""),
            '\\' => file.extend_from_slice(b"\\\\"),
            '\n' => file.extend_from_slice(b"\\n"),
            '\r' => file.extend_from_slice(b"\\r"),
            '\t' => file.extend_from_slice(b"\\t"),
            '\0'..' ' | '\u{7F}' | '\u{200B}' | '\u{FEFF}' | '\u{FFFD}' => {
                file.extend_from_slice(format!("\\u{:04X}", letter as u32).as_bytes());
            }
            _ => file.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    file.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_escaped() {
        let mut file = Vec::new();
        literal(&mut file, "a\"b\\c\u{1}é\u{200B}");
        assert_eq!(String::from_utf8(file).unwrap(), "\"a\\\"b\\\\c\\u0001é\\u200B\"");
    }
}
