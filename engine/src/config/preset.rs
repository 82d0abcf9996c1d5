//! What do the presets say, and how is a config written down?

use std::borrow::Cow;

use serde_json::Value;

use super::Config;
use super::assign::Values;
use crate::error::{Error, Result};

/// The names of the presets.
pub const PRESETS: [&str; 2] = ["paper", "default"];

/// The preset where none is named.
pub(super) const USUAL: &str = "default";

/// The presets of models that LinkNBed is compared with, with published settings; each is the default but for what its
/// text says.
pub const BASELINE_PRESETS: [&str; BASELINES.len()] = {
    let mut names = [""; BASELINES.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = BASELINES[at].0;
        at += 1;
    }
    names
};

macro_rules! baselines {
    ($($name:literal),+ $(,)?) => {
        const BASELINES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("presets/baselines/", $name, ".toml")))),+];
    };
}

baselines!(
    "rescal-fb15k-237",
    "rescal-wn18rr",
    "distmult-fb15k-237",
    "distmult-wn18rr",
    "complex-fb15k-237",
    "complex-wn18rr",
    "complex-n3-fb15k-237",
    "complex-n3-wn18rr",
    "transe-fb15k-237",
    "transe-wn18rr",
    "rotate-fb15k-237",
    "stranse-fb15k-237",
    "gake-fb15k-237",
);

const PAPER_TEXT: &str = include_str!("presets/paper.toml");
const DEFAULT_TEXT: &str = include_str!("presets/default.toml");

/// The commented TOML of a preset, with every key.
pub fn preset_text(name: &str) -> Result<Cow<'static, str>> {
    match (name, baseline_text(name)) {
        ("paper", _) => Ok(PAPER_TEXT.into()),
        ("default", _) => Ok(DEFAULT_TEXT.into()),
        (_, Some(text)) => {
            let said: String =
                text.lines().take_while(|line| line.starts_with('#')).map(|l| format!("{l}\n")).collect();
            Ok(format!("{said}\n{}", Config::preset(name)?.to_toml()).into())
        }
        (_, None) => Err(Error::Usage(no_preset(&format!("{name:?}")))),
    }
}

/// What the preset of a model says that LinkNBed is compared with.
fn baseline_text(name: &str) -> Option<&'static str> {
    BASELINES.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// The name of a preset that is there.
pub(super) fn known(name: &str) -> Option<&'static str> {
    PRESETS.into_iter().chain(BASELINE_PRESETS).find(|own| *own == name)
}

/// What to say of a name that is none of a preset.
pub(super) fn no_preset(found: &str) -> String {
    let baselines = BASELINE_PRESETS.join(", ");
    format!("preset: found {found}, expected {}, or a baseline: {baselines}", PRESETS.join(" or "))
}

impl Config {
    /// A preset.
    pub fn preset(name: &str) -> Result<Self> {
        let broken = |message: &str| Error::Usage(format!("the preset {name}: {message}"));
        let Some(text) = baseline_text(name) else {
            return toml::from_str(&preset_text(name)?).map_err(|error| broken(error.message()));
        };
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| broken(error.message()))?;
        let mut values = Values::of(&Self::preset(USUAL)?);
        for (table, keys) in table {
            for (key, value) in keys.as_table().into_iter().flatten() {
                let found = value.to_string();
                let value = serde_json::to_value(value).unwrap_or_default();
                values
                    .put(&[table.clone(), key.clone()], value, &found)
                    .map_err(|message| broken(&message))?;
            }
        }
        values.config().map_err(|message| broken(&message))
    }

    /// The config as TOML with every key, and with the comments of the presets: what [`resolve`](Self::resolve) reads
    /// back as the same, if the config passes its [check](Self::check).
    pub fn to_toml(&self) -> String {
        // Serializing plain structs does not fail.
        let values = serde_json::to_value(self).unwrap_or_default();
        let mut values_here = &values;
        let mut text = String::new();
        for line in DEFAULT_TEXT.lines().skip_while(|line| !line.is_empty()).skip(1) {
            if let Some(table) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                values_here = &values[table];
            }
            match line.split_once(" = ") {
                Some((key, _)) if !line.starts_with('#') => {
                    text.push_str(&format!("{key} = {}\n", as_toml(&values_here[key])));
                }
                _ => text.push_str(&format!("{line}\n")),
            }
        }
        text
    }
}

/// A value as TOML writes it.
fn as_toml(value: &Value) -> String {
    match value {
        Value::String(text) => toml::Value::String(text.clone()).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(as_toml).collect::<Vec<_>>().join(", ")),
        // JSON has no word for what is not a finite number; no such config passes its check.
        Value::Null => "nan".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::config::ModelKind;

    /// The lines of a preset after what it says of itself.
    fn body(name: &str) -> Vec<&'static str> {
        let text = match name {
            "paper" => PAPER_TEXT,
            _ => DEFAULT_TEXT,
        };
        text.lines().skip_while(|line| !line.is_empty()).skip(1).collect()
    }

    /// Every key with the comment above it, as its lines.
    fn keys_and_comments(name: &str) -> Vec<(String, Vec<&'static str>)> {
        let (mut keys, mut table, mut comment) = (Vec::new(), String::new(), Vec::new());
        for line in body(name) {
            if let Some(said) = line.strip_prefix("# ") {
                comment.push(said);
                continue;
            }
            if let Some(header) = line.strip_prefix('[') {
                table = header.replace(']', ".");
            } else if let Some((key, _)) = line.split_once(" = ") {
                keys.push((format!("{table}{key}"), comment.clone()));
            }
            comment.clear();
        }
        keys
    }

    fn keys_of(table: &toml::Table) -> BTreeSet<String> {
        let below = |(key, value): (&String, &toml::Value)| match value {
            toml::Value::Table(inner) => keys_of(inner).iter().map(|rest| format!("{key}.{rest}")).collect(),
            _ => vec![key.clone()],
        };
        table.iter().flat_map(below).collect()
    }

    #[test]
    fn every_key_stands_in_every_preset_with_a_comment_above() {
        for name in PRESETS {
            let config = Config::preset(name).unwrap();
            let keys = keys_of(&toml::Table::try_from(&config).unwrap());
            let commented = keys_and_comments(name);
            assert_eq!(keys, commented.iter().map(|(key, _)| key.clone()).collect());
            for (key, comment) in commented {
                assert!((1..=3).contains(&comment.len()), "{name}: {key} has {} lines", comment.len());
            }
        }
    }

    #[test]
    fn numbers_of_presets_are_written_as_what_they_are() {
        // `1` for a fraction would be read, but would tell that a whole number is expected.
        for name in PRESETS {
            let read: toml::Table = preset_text(name).unwrap().parse().unwrap();
            assert_eq!(read, toml::Table::try_from(Config::preset(name).unwrap()).unwrap());
        }
    }

    #[test]
    fn keys_stand_in_the_order_of_the_fields() {
        for name in PRESETS {
            let serialized = toml::to_string(&Config::preset(name).unwrap()).unwrap();
            let keys = |lines: Vec<&str>| -> Vec<String> {
                let is_key = |line: &&str| line.starts_with('[') || line.contains(" = ");
                let lines = lines.into_iter().filter(|line| !line.starts_with('#')).filter(is_key);
                lines.map(|line| line.split(" = ").next().unwrap().to_owned()).collect()
            };
            assert_eq!(keys(body(name)), keys(serialized.lines().collect()));
        }
    }

    #[test]
    fn comments_are_the_same_in_all_presets_and_name_every_word() {
        let first = keys_and_comments(PRESETS[0]);
        assert_eq!(first, keys_and_comments(PRESETS[1]));
        let values = Values::of(&Config::preset(USUAL).unwrap());
        let mut words_seen = 0;
        for (key, comment) in first {
            let path: Vec<String> = key.split('.').map(str::to_owned).collect();
            for word in values.allowed_words(&path) {
                words_seen += 1;
                assert!(comment.join(" ").contains(&format!("\"{word}\"")), "{key} does not explain {word}");
            }
        }
        assert!(words_seen > 50, "the test no longer sees the words ({words_seen})");
    }

    #[test]
    fn presets_pass_their_check_and_are_written_as_they_were_read() {
        for name in PRESETS {
            let config = Config::preset(name).unwrap();
            config.check().unwrap();
            assert_eq!(config.to_toml().lines().collect::<Vec<_>>(), body(name));
        }
    }

    #[test]
    fn the_paper_preset_is_the_paper() {
        let paper = Config::preset("paper").unwrap();
        let model = &paper.model;
        let sizes =
            [model.entity, model.relation, model.class, model.attribute, model.hidden, model.features];
        assert_eq!(sizes, [256, 64, 16, 16, 64, 512]);
        assert_eq!((paper.negatives.count, paper.linkage.count), (50, 20));
        assert_eq!((paper.training.batch, paper.training.epochs), (2000, 5));
        assert_eq!((paper.loss.relational, paper.loss.margin, paper.optimizer.rate), (0.6, 1.0, 0.01));
    }

    #[test]
    fn no_other_preset_is_there() {
        for result in [preset_text("papr").map(Cow::into_owned), Config::preset("papr").map(|c| c.to_toml())]
        {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Usage(_)));
            let message = error.to_string();
            assert!(
                message
                    .starts_with("preset: found \"papr\", expected paper or default, or a baseline: rescal-")
            );
        }
    }

    #[test]
    fn baselines_say_what_they_are_and_are_possible() {
        for name in BASELINE_PRESETS {
            let config = Config::preset(name).unwrap();
            config.check().unwrap();
            assert_ne!(config.model.kind, ModelKind::LinkNBed, "{name}");
            let text = preset_text(name).unwrap();
            assert!(text.starts_with(&format!("# The preset `{name}`:")), "{name}");
            let read = Config::resolve(Some(name), None, &[]).unwrap();
            assert_eq!(toml::from_str::<Config>(&text).unwrap(), read);
            // Nothing that `default` chose for LinkNBed holds without a word.
            assert!(config.loss.relational == 1.0 && !config.linkage.on, "{name}");
            for key in ["l2", "n3", "dropout", "relation_dropout"] {
                let said =
                    baseline_text(name).unwrap().lines().any(|line| line.starts_with(&format!("{key} = ")));
                assert!(said, "{name} does not say {key}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_back(
            seed: u64,
            path: String,
            scale in -1e300..1e300f64,
            tiny in -1e-300..1e-300f64,
            graphs in prop::collection::vec(any::<String>(), 0..4),
            on: bool,
        ) {
            let mut config = Config::preset(USUAL).unwrap();
            config.seed = seed;
            config.initial.path = path;
            config.initial.scale = scale;
            config.regularization.l2 = tiny;
            config.validation.graphs = graphs;
            config.linkage.on = on;
            prop_assert_eq!(toml::from_str::<Config>(&config.to_toml()).unwrap(), config);
        }
    }
}
