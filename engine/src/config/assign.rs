//! How does one key get another value?
//!
//! The values of a config are kept as a tree while it is put together. A value is tried as soon as it is put in place:
//! what was there before was right, so what is wrong then is this key, and the message can say so.

use serde::Deserialize;
use serde_json::Value;

use super::Config;
use super::nearest::nearest;

/// More characters of what was written are not shown.
const MOST_SHOWN: usize = 60;

/// A config that is being put together.
pub(super) struct Values(Value);

impl Values {
    /// Starts with all values of a config.
    pub(super) fn of(config: &Config) -> Self {
        // Serializing plain structs does not fail.
        Self(serde_json::to_value(config).unwrap_or_default())
    }

    /// The config, which every `put` has kept right.
    pub(super) fn config(&self) -> Result<Config, String> {
        Config::deserialize(&self.0).map_err(|error| error.to_string())
    }

    /// Whether a key takes text, of any kind or one of a few words.
    pub(super) fn takes_text(&self, path: &[String]) -> bool {
        path.iter().try_fold(&self.0, |at, key| at.get(key)).is_some_and(Value::is_string)
    }

    /// Gives a key another value, which the user wrote as `found`.
    pub(super) fn put(&mut self, path: &[String], value: Value, found: &str) -> Result<(), String> {
        let whole_key = path.join(".");
        let key = shown(&whole_key);
        let Some(slot) = slot(&mut self.0, path) else {
            return Err(format!("{key}: no such key; {}", self.hint(&whole_key, value.is_object())));
        };
        if let Value::Object(keys) = slot {
            let keys: Vec<&str> = keys.keys().map(String::as_str).collect();
            let expected = || format!("{key}: found {found}, expected a table of {}", any_of(&keys));
            // Tables come here only when they are empty: they change nothing.
            return if value.is_object() { Ok(()) } else { Err(expected()) };
        }
        let before = std::mem::replace(slot, value);
        match self.config() {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("{key}: found {found}, expected {}", self.expected(path, &before))),
        }
    }

    /// What a key takes, told from what it had.
    fn expected(&self, path: &[String], before: &Value) -> String {
        match before {
            Value::Bool(_) => "true or false".to_owned(),
            Value::Number(number) if number.is_f64() => "a number".to_owned(),
            Value::Number(_) => "a whole number, 0 or more".to_owned(),
            Value::Array(_) => "a list of names, such as [\"a\", \"b\"]".to_owned(),
            Value::Null | Value::String(_) | Value::Object(_) => match self.allowed_words(path).as_slice() {
                [] => "text in quotes".to_owned(),
                words => any_of(&words.iter().map(String::as_str).collect::<Vec<_>>()),
            },
        }
    }

    /// The words between which a key chooses; none if it takes something else. Nobody but the enum itself knows them,
    /// so it is asked for a word that it does not have.
    pub(super) fn allowed_words(&self, path: &[String]) -> Vec<String> {
        let mut probe = self.0.clone();
        if let Some(slot) = slot(&mut probe, path) {
            *slot = Value::String(String::new());
        }
        let Err(complaint) = Config::deserialize(&probe) else { return Vec::new() };
        let complaint = complaint.to_string();
        let words = complaint.split_once("expected ").map_or("", |(_, words)| words);
        words.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// All keys that are no tables, dotted.
    pub(super) fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        gather_keys(&self.0, "", false, &mut keys);
        keys
    }

    fn hint(&self, key: &str, is_table: bool) -> String {
        let mut known = Vec::new();
        gather_keys(&self.0, "", is_table, &mut known);
        match nearest(key, &known).as_slice() {
            [] => "`linknbed config` shows all keys".to_owned(),
            near => format!("did you mean {}?", any_of(near)),
        }
    }
}

fn slot<'a>(values: &'a mut Value, path: &[String]) -> Option<&'a mut Value> {
    path.iter().try_fold(values, |at, key| at.get_mut(key))
}

/// The dotted keys below a value: those of tables, or those of single values.
fn gather_keys(value: &Value, prefix: &str, of_tables: bool, into: &mut Vec<String>) {
    let Value::Object(keys) = value else { return };
    for (key, value) in keys {
        let dotted = format!("{prefix}{key}");
        gather_keys(value, &format!("{dotted}."), of_tables, into);
        if value.is_object() == of_tables {
            into.push(dotted);
        }
    }
}

/// `a, b or c`.
fn any_of(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// What was written, cut where it would hide the message.
pub(super) fn shown(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(MOST_SHOWN).collect();
    if cut == text { cut } else { format!("{cut}…") }
}
