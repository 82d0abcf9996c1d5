//! What does a config file say, and where?

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::assign::shown;
use super::preset::{known, no_preset};
use crate::error::{Error, Place, Result};

/// The key by which a file names its preset.
pub(super) const PRESET: &str = "preset";

/// One key with what is said of it.
pub(super) struct Entry {
    /// The parts of the key.
    pub(super) path: Vec<String>,
    /// Where the key begins, in bytes of the text.
    at: usize,
    /// The value; null where it is one that no key takes, such as a number that is not finite.
    pub(super) value: Value,
    /// How it was written.
    pub(super) found: String,
}

/// What a file says, in its order.
pub(super) struct ConfigFile<'a> {
    path: &'a Path,
    text: String,
    /// The preset that it builds on.
    pub(super) preset: Option<&'static str>,
    /// Everything else.
    pub(super) entries: Vec<Entry>,
}

impl<'a> ConfigFile<'a> {
    /// Reads a file.
    pub(super) fn read(path: &'a Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(Error::io(path))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
            Error::input(Place::line(path, line as u64), "found bytes that are not UTF-8, expected TOML")
        })?;
        let mut file = Self { path, text, preset: None, entries: Vec::new() };
        file.entries = file.parse()?;
        file.take_preset()?;
        Ok(file)
    }

    fn parse(&self) -> Result<Vec<Entry>> {
        let table = DeTable::parse(&self.text).map_err(|error| {
            let before = &self.text[..error.span().map_or(0, |span| span.start)];
            let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
            let mut place = self.place(before.len());
            place.column = Some(column as u64);
            Error::input(place, format!("this is not TOML: {}", error.message()))
        })?;
        let mut entries = Vec::new();
        gather_table(&[], table.into_inner(), &self.text, &mut entries);
        entries.sort_by_key(|entry| entry.at);
        Ok(entries)
    }

    /// Takes the name of the preset out of the entries.
    fn take_preset(&mut self) -> Result<()> {
        let Some(at) = self.entries.iter().position(|entry| entry.path == [PRESET]) else { return Ok(()) };
        let entry = self.entries.remove(at);
        self.preset = entry.value.as_str().and_then(known);
        if self.preset.is_none() {
            return Err(self.error(&entry, no_preset(&entry.found)));
        }
        Ok(())
    }

    /// The entry of a dotted key.
    pub(super) fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.path.join(".") == key)
    }

    /// What is wrong with an entry, and where it stands.
    pub(super) fn error(&self, entry: &Entry, message: String) -> Error {
        Error::input(self.place(entry.at), message)
    }

    fn place(&self, at: usize) -> Place {
        Place::line(self.path, 1 + self.text[..at].matches('\n').count() as u64)
    }
}

/// What a value says by itself, or what a table says of its keys, all of it below the key `path`.
pub(super) fn gather(
    path: Vec<String>,
    at: usize,
    value: Spanned<DeValue<'_>>,
    text: &str,
    into: &mut Vec<Entry>,
) {
    let span = value.span();
    match value.into_inner() {
        DeValue::Table(table) if !table.is_empty() => gather_table(&path, table, text, into),
        value => {
            let found = match &value {
                DeValue::Table(_) => "a table".to_owned(),
                DeValue::Array(_) => "a list".to_owned(),
                _ => shown(&text[span.clone()]),
            };
            let value = Value::deserialize(ValueDeserializer::from(Spanned::new(span, value)));
            into.push(Entry { path, at, value: value.unwrap_or_default(), found });
        }
    }
}

fn gather_table(above: &[String], table: DeTable<'_>, text: &str, into: &mut Vec<Entry>) {
    for (key, value) in table {
        let mut path = above.to_vec();
        path.push(key.get_ref().to_string());
        gather(path, key.span().start, value, text, into);
    }
}
