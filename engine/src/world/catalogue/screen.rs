//! Writes the first catalogue: four tables of plain text.

use super::super::names::{Namer, Naming};
use super::super::scale::{Class, Object};
use super::super::truth::people::Pair;
use super::View;
use super::details::{Details, Value};
use super::dirt::Sloppiness;
use super::filler::Plan;
use super::ids::{Id, Ids};
use super::press::{Author, Desk, Page};

/// The files of the catalogue, in the order of a page's buffers.
pub(crate) const FILES: [&str; 4] = ["triples.tsv", "attributes.tsv", "types.tsv", "names.tsv"];
const TRIPLES: usize = 0;
const ATTRIBUTES: usize = 1;
const TYPES: usize = 2;
const NAMES: usize = 3;

/// Everything it takes to write the catalogue.
#[derive(Debug)]
pub(crate) struct Screen<'a> {
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

impl Author for Screen<'_> {
    fn write(&self, object: Object, desk: &mut Desk, page: &mut Page) {
        let id = self.ids.of(object);
        let naming = self.namer.naming(object);
        self.write_facts(object, id, desk, page);
        self.write_types(object, id, page);
        self.write_name(object, id, &naming, page);
        self.write_attributes(object, id, &naming, page);
    }
}

impl Screen<'_> {
    fn write_facts(&self, subject: Object, id: &Id, desk: &mut Desk, page: &mut Page) {
        let start = page.files[TRIPLES].len();
        self.view.facts(subject, &mut desk.facts);
        for fact in &desk.facts {
            let Some(relation) = self.view.terms.relation(fact.property) else { continue };
            let object = Object { class: fact.property.target(), index: fact.object };
            row(&mut page.files[TRIPLES], id, relation, self.ids.of(object));
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
            let file = &mut page.files[TRIPLES];
            for &object in &desk.objects {
                row(file, id, filler.name, ids.of(object));
            }
            page.tally.relations.insert(filler.name);
            page.tally.facts += desk.objects.len() as u64;
            page.tally.lines += desk.objects.len() as u64;
            // Only where a relation leads back to its own class would anyone mistake a thing for its neighbour.
            if filler.anchor && filler.object == subject.class && self.sloppiness.has_self_loop(subject) {
                row(&mut page.files[TRIPLES], id, filler.name, id);
                page.tally.dirt.self_loops += 1;
                page.tally.lines += 1;
            }
        }
        if self.sloppiness.has_duplicate(subject) {
            repeat_first_line(&mut page.files[TRIPLES], start);
            page.tally.dirt.duplicates += 1;
            page.tally.lines += 1;
        }
    }

    fn write_types(&self, object: Object, id: &Id, page: &mut Page) {
        for name in self.view.types(object) {
            pair(&mut page.files[TYPES], id, name);
            page.tally.types.insert(name);
            page.tally.lines += 1;
        }
    }

    fn write_name(&self, object: Object, id: &Id, naming: &Naming, page: &mut Page) {
        let mut name = naming.screen.clone();
        if may_spoil_name(self.view, object) && self.sloppiness.spoil(object, 0, &mut name) {
            page.tally.dirt.garbage_values += 1;
        }
        pair(&mut page.files[NAMES], id, &name);
        page.tally.keys.insert("name");
        page.tally.lines += 1;
    }

    fn write_attributes(&self, object: Object, id: &Id, naming: &Naming, page: &mut Page) {
        let details = Details::new(self.view.truth, self.view.catalogue, object, naming);
        for (nth, key) in self.view.terms.keys[object.class as usize].iter().enumerate() {
            let Some(value) = details.under(key) else { continue };
            let mut text = written(value);
            if self.sloppiness.spoil(object, 1 + nth as u64, &mut text) {
                page.tally.dirt.garbage_values += 1;
            }
            let file = &mut page.files[ATTRIBUTES];
            file.extend_from_slice(id);
            file.push(b'\t');
            pair(file, key.name.as_bytes(), &text);
            page.tally.keys.insert(key.name);
            page.tally.lines += 1;
        }
    }
}

/// Homonyms share their names to the letter.
pub(crate) fn may_spoil_name(view: &View<'_>, object: Object) -> bool {
    object.class != Class::Person || view.truth.pair(object.index) != Pair::Homonyms
}

/// Writes the first line after `start` once more, at the end.
pub(crate) fn repeat_first_line(file: &mut Vec<u8>, start: usize) {
    let length = file[start..].iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    file.extend_from_within(start..start + length);
}

fn row(file: &mut Vec<u8>, subject: &Id, relation: &str, object: &Id) {
    file.extend_from_slice(subject);
    file.push(b'\t');
    file.extend_from_slice(relation.as_bytes());
    file.push(b'\t');
    file.extend_from_slice(object);
    file.push(b'\n');
}

fn pair(file: &mut Vec<u8>, first: &[u8], second: &str) {
    file.extend_from_slice(first);
    file.push(b'\t');
    file.extend_from_slice(second.as_bytes());
    file.push(b'\n');
}

fn written(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        Value::Date(year, month, day) => format!("{year:04}-{month:02}-{day:02}"),
        Value::Year(year) => year.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Hundredths(number) => format!("{}.{:02}", number / 100, number % 100),
    }
}
