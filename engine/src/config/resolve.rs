//! How do a preset, a file and single values become one config?

use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use super::Config;
use super::assign::{Values, shown};
use super::check::Problem;
use super::file::{ConfigFile, Entry, PRESET, gather};
use super::preset::USUAL;
use crate::error::{Error, Place, Result};

impl Config {
    /// The preset, overridden by the file, overridden by `sets`, which are `key=value` with dotted keys and TOML values;
    /// a value that is not TOML is taken as text. The result is [checked](Self::check).
    ///
    /// The preset is the one given here, or else the one that the file names as `preset = "…"`, or else `default`.
    pub fn resolve(preset: Option<&str>, file: Option<&Path>, sets: &[String]) -> Result<Self> {
        let file = file.map(ConfigFile::read).transpose()?;
        let named_in_file = file.as_ref().and_then(|file| file.preset);
        let mut values = Values::of(&Self::preset(preset.or(named_in_file).unwrap_or(USUAL))?);
        if let Some(file) = &file {
            for entry in &file.entries {
                let put = values.put(&entry.path, entry.value.clone(), &entry.found);
                put.map_err(|message| file.error(entry, message))?;
            }
        }
        let set_keys = put(&mut values, sets).map_err(Error::Usage)?;
        let config = values.config().map_err(Error::Usage)?;
        match config.find_problem() {
            Ok(()) => Ok(config),
            Err(problem) => Err(placed(problem, &set_keys, file.as_ref())),
        }
    }

    /// A preset with single values, which may not fit together.
    pub(crate) fn unchecked(preset: &str, sets: &[String]) -> Result<Self> {
        let mut values = Values::of(&Self::preset(preset)?);
        put(&mut values, sets).map_err(Error::Usage)?;
        values.config().map_err(Error::Usage)
    }

    /// The config that a run was made with. It names every key: one that was added later has no value that could be
    /// guessed, as a model that is read with another one gives other answers and no message.
    pub fn recorded(path: &Path) -> Result<Self> {
        let config = Self::resolve(None, Some(path), &[])?;
        let file = ConfigFile::read(path)?;
        match Values::of(&config).keys().iter().find(|key| file.entry(key).is_none()) {
            Some(key) => {
                let message = format!("{key}: is missing; the run is of another version of linknbed");
                Err(Error::input(Place::file(path), message))
            }
            None => Ok(config),
        }
    }
}

/// Puts single values, each as `key=value`; returns their keys.
fn put(values: &mut Values, sets: &[String]) -> Result<Vec<String>, String> {
    let mut keys = Vec::new();
    for set in sets {
        for entry in entries_of(set, values)? {
            values.put(&entry.path, entry.value, &entry.found)?;
            keys.push(entry.path.join("."));
        }
    }
    Ok(keys)
}

/// What `key=value` says; a table says it of several keys.
fn entries_of(set: &str, values: &Values) -> Result<Vec<Entry>, String> {
    let Some((key, text)) = set.split_once('=').map(|(key, text)| (key.trim(), text.trim())) else {
        return Err(format!("{}: expected KEY=VALUE, such as loss.margin=2", shown(set)));
    };
    if key == PRESET {
        return Err("preset: it is no key of a config; it is chosen before, or at the top of a config file"
            .to_owned());
    }
    let path: Vec<String> = key.split('.').map(|part| part.trim().to_owned()).collect();
    let mut entries = Vec::new();
    match DeValue::parse(text) {
        Ok(value) if value.get_ref().is_str() || !values.takes_text(&path) => {
            gather(path, 0, value, text, &mut entries);
        }
        // `softmax` is no TOML, and `2024` may be the name of a file.
        _ => gather(path, 0, Spanned::new(0..text.len(), DeValue::String(text.into())), text, &mut entries),
    }
    Ok(entries)
}

/// A problem of the whole, told where the user can mend it: in what was said last.
fn placed(problem: Problem, set_keys: &[String], file: Option<&ConfigFile<'_>>) -> Error {
    let was_set = problem.keys.iter().any(|key| set_keys.iter().any(|set| set == key));
    let in_file = file.and_then(|file| Some((file, problem.keys.iter().find_map(|key| file.entry(key))?)));
    match in_file {
        Some((file, entry)) if !was_set => file.error(entry, problem.message),
        _ => Error::Usage(problem.message),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::config::{Aggregation, LossKind, Metric, PRESETS, Score};

    fn sets(sets: &[&str]) -> Vec<String> {
        sets.iter().map(|&set| set.to_owned()).collect()
    }

    /// The default with these values.
    fn with(given: &[&str]) -> Result<Config> {
        Config::resolve(None, None, &sets(given))
    }

    /// One value is refused with this message, as wrong usage.
    #[track_caller]
    fn set_refused(set: &str, message: &str) {
        let error = with(&[set]).unwrap_err();
        assert!(matches!(error, Error::Usage(_)), "{set}");
        assert_eq!(error.to_string(), message, "{set}");
    }

    struct Folder(TempDir);

    impl Folder {
        fn with(content: impl AsRef<[u8]>) -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("my.toml"), content).unwrap();
            Self(folder)
        }

        fn resolve(&self, preset: Option<&str>, given: &[&str]) -> Result<Config> {
            Config::resolve(preset, Some(&self.0.path().join("my.toml")), &sets(given))
        }
    }

    /// A file is refused with this message at this line.
    #[track_caller]
    fn file_refused(content: impl AsRef<[u8]>, line_and_message: &str) {
        let error = Folder::with(content).resolve(None, &[]).unwrap_err();
        assert!(matches!(error, Error::Input { .. }), "{error}");
        let message = error.to_string();
        let (_, said) = message.split_once("my.toml:").unwrap();
        assert_eq!(said, line_and_message);
    }

    #[test]
    fn nothing_given_is_the_default() {
        assert_eq!(with(&[]).unwrap(), Config::preset("default").unwrap());
        for name in PRESETS {
            assert_eq!(Config::resolve(Some(name), None, &[]).unwrap(), Config::preset(name).unwrap());
        }
    }

    #[test]
    fn a_file_overrides_the_preset_and_a_set_the_file() {
        let folder = Folder::with(
            "preset = \"paper\"\nloss.margin = 3\n[training]\nepochs = 7\nbatch = 11\n\
             [validation]\ngraphs = ['a']\n[model]\n",
        );
        let mut expected = Config::preset("paper").unwrap();
        expected.loss.margin = 3.0;
        expected.training.epochs = 7;
        expected.training.batch = 11;
        expected.validation.graphs = vec!["a".to_owned()];
        assert_eq!(folder.resolve(None, &[]).unwrap(), expected);

        expected.training.epochs = 9;
        expected.validation.graphs = vec!["b".to_owned(), "c".to_owned()];
        let given = ["training.epochs=8", "training.epochs = 9", r#"validation.graphs=["b", 'c']"#];
        assert_eq!(folder.resolve(None, &given).unwrap(), expected);
    }

    #[test]
    fn the_preset_that_is_given_wins_over_that_of_the_file() {
        let folder = Folder::with("preset = 'paper'\ntraining.epochs = 7\n");
        let mut expected = Config::preset("default").unwrap();
        expected.training.epochs = 7;
        assert_eq!(folder.resolve(Some("default"), &[]).unwrap(), expected);
    }

    #[test]
    fn a_whole_config_can_be_a_file() {
        let mut config = Config::preset("paper").unwrap();
        config.seed = u64::MAX;
        config.optimizer.rate = 1.25e-7;
        config.validation.graphs = vec!["a \"quoted\"\nname".to_owned()];
        assert_eq!(Folder::with(config.to_toml()).resolve(None, &[]).unwrap(), config);
        for name in PRESETS {
            // With the byte order mark and line ends that editors elsewhere leave.
            let text = format!("\u{feff}{}", crate::config::preset_text(name).unwrap().replace('\n', "\r\n"));
            assert_eq!(Folder::with(text).resolve(None, &[]).unwrap(), Config::preset(name).unwrap());
        }
    }

    #[test]
    fn values_are_toml_or_bare_words() {
        let config = with(&[
            "model.score=identity",
            "loss.kind=softmax",
            "contexts.types=\"off\"",
            "contexts.attributes='max'",
            "validation.metric=hits@10",
            "seed=18446744073709551615",
            "model.entity=1_000",
            "optimizer.rate=1e-3",
            "optimizer.decay=1",
            "linkage.on=false",
            "initial={from='run', path='runs/1'}",
            "validation.graphs=[]",
        ]);
        let config = config.unwrap();
        assert_eq!(config.model.score, Score::Identity);
        assert_eq!(config.loss.kind, LossKind::Softmax);
        assert_eq!((config.contexts.types, config.contexts.attributes), (Aggregation::Off, Aggregation::Max));
        assert_eq!(config.validation.metric, Metric::HitsAt10);
        assert_eq!((config.seed, config.model.entity), (u64::MAX, 1000));
        assert_eq!((config.optimizer.rate, config.optimizer.decay), (0.001, 1.0));
        assert!(!config.linkage.on);
        assert_eq!(config.initial.path, "runs/1");
        assert_eq!(config.validation.graphs, [""; 0]);
    }

    #[test]
    fn where_text_is_wanted_anything_is_text() {
        for path in ["2024", "true", "1979-05-27", "[a]", "a=b", "C:\\vectors.txt"] {
            let config = with(&["initial.from=words", &format!("initial.path={path}")]).unwrap();
            assert_eq!(config.initial.path, path);
        }
        let config = with(&["initial.from=random", "initial.path=x", "initial.path="]).unwrap();
        assert_eq!(config.initial.path, "");
    }

    #[test]
    fn a_wrong_value_tells_what_is_expected() {
        set_refused("loss.kind=sofmax", "loss.kind: found sofmax, expected margin, softmax or logistic");
        set_refused("loss.kind=3", "loss.kind: found 3, expected margin, softmax or logistic");
        set_refused("loss.average=\"max\"", "loss.average: found \"max\", expected sum or mean");
        set_refused(
            "validation.metric=hits",
            "validation.metric: found hits, expected mrr, hits@1, hits@3 or hits@10",
        );
        set_refused("linkage.on=yes", "linkage.on: found yes, expected true or false");
        set_refused("loss.margin=wide", "loss.margin: found wide, expected a number");
        set_refused("optimizer.rate=nan", "optimizer.rate: found nan, expected a number");
        set_refused("optimizer.rate=inf", "optimizer.rate: found inf, expected a number");
        set_refused("training.epochs=-1", "training.epochs: found -1, expected a whole number, 0 or more");
        set_refused("training.epochs=1.5", "training.epochs: found 1.5, expected a whole number, 0 or more");
        set_refused("training.epochs=", "training.epochs: found , expected a whole number, 0 or more");
        set_refused("seed=1979-05-27", "seed: found 1979-05-27, expected a whole number, 0 or more");
        let names = "validation.graphs: found a, expected a list of names, such as [\"a\", \"b\"]";
        set_refused("validation.graphs=a", names);
        set_refused("validation.graphs=[1]", &names.replace("found a,", "found a list,"));
        set_refused(
            "loss=3",
            "loss: found 3, expected a table of average, edges, kind, margin, paths, precision, relational, smoothing or thin",
        );
        set_refused("seed={}", "seed: found a table, expected a whole number, 0 or more");
        file_refused("[initial]\npath = 3\n", "2: initial.path: found 3, expected text in quotes");
        let long = format!("loss.kind={}", "x".repeat(100));
        let said = format!("loss.kind: found {}…, expected margin, softmax or logistic", "x".repeat(60));
        set_refused(&long, &said);
    }

    #[test]
    fn a_key_that_is_none_brings_up_the_nearest() {
        set_refused("los.kind=softmax", "los.kind: no such key; did you mean loss.kind?");
        set_refused("margin=2", "margin: no such key; did you mean loss.margin?");
        set_refused("kind=all", "kind: no such key; did you mean loss.kind, model.kind or negatives.kind?");
        set_refused("wheels=4", "wheels: no such key; `linknbed config` shows all keys");
        set_refused("loss.kind.x=4", "loss.kind.x: no such key; `linknbed config` shows all keys");
        set_refused("loss={knd='margin'}", "loss.knd: no such key; did you mean loss.kind?");
        set_refused("=4", ": no such key; `linknbed config` shows all keys");
        set_refused("los={}", "los: no such key; did you mean loss?");
        set_refused("loss.kind", "loss.kind: expected KEY=VALUE, such as loss.margin=2");
        set_refused(
            "preset=paper",
            "preset: it is no key of a config; it is chosen before, or at the top of a config file",
        );
    }

    #[test]
    fn a_file_is_refused_at_the_line() {
        file_refused(
            "# mine\n\n[loss]\nmargin = 1\nkind = \"sofmax\"\n",
            "5: loss.kind: found \"sofmax\", expected margin, softmax or logistic",
        );
        file_refused(
            "seed = 1\n[los]\nkind = 'margin'\n",
            "3: los.kind: no such key; did you mean loss.kind?",
        );
        file_refused("seed = 1\n[traning]\n", "2: traning: no such key; did you mean training?");
        file_refused("[seed]\n", "1: seed: found a table, expected a whole number, 0 or more");
        file_refused(
            "[[loss]]\nkind = 'x'\n",
            "1: loss: found a list, expected a table of average, edges, kind, margin, paths, precision, relational, smoothing or thin",
        );
        file_refused("\"loss.kind\" = 'margin'\n", "1: loss.kind: no such key; did you mean loss.kind?");
        for (content, said) in
            [("\npreset = 'papr'\n", "2: preset: found 'papr'"), ("preset = 3\n", "1: preset: found 3")]
        {
            let baselines = crate::config::BASELINE_PRESETS.join(", ");
            file_refused(content, &format!("{said}, expected paper or default, or a baseline: {baselines}"));
        }
        file_refused(
            "seed = 36893488147419103232\n",
            "1: seed: found 36893488147419103232, expected a whole number, 0 or more",
        );
        file_refused(
            "[loss]\nkind = \"\"\"a\nb\"\"\"\n",
            "2: loss.kind: found \"\"\"a…, expected margin, softmax or logistic",
        );
        // The first of several is told, in the order of the file.
        file_refused(
            "[training]\nx1 = 1\n[loss]\nx2 = 1\n",
            "2: training.x1: no such key; `linknbed config` shows all keys",
        );
    }

    #[test]
    fn what_is_not_toml_is_refused_at_the_column() {
        file_refused(
            "seed = 1\né = \n",
            "2:1: this is not TOML: invalid unquoted key, expected letters, numbers, `-`, `_`",
        );
        file_refused(
            "seed = 1\n# é\nloss.kind = 'é' margin\n",
            "3:17: this is not TOML: unexpected key or value, expected newline, `#`",
        );
        file_refused("seed = 1\nseed = 2\n", "2:1: this is not TOML: duplicate key");
        file_refused(b"seed = 1\npath = \"\xff\"\n", "2: found bytes that are not UTF-8, expected TOML");
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let folder = Folder::with("");
        let missing = folder.0.path().join("none.toml");
        let error = Config::resolve(None, Some(&missing), &[]).unwrap_err();
        assert!(matches!(error, Error::Io { .. }));
        assert!(error.to_string().starts_with(&missing.display().to_string()), "{error}");
        assert!(matches!(Config::resolve(None, Some(folder.0.path()), &[]), Err(Error::Io { .. })));
    }

    #[test]
    fn what_does_not_go_together_is_told_where_it_was_said_last() {
        let message = "model.score: found \"sigmoid\", but loss.kind = \"softmax\" bends the score itself, and a \
                       sigmoid of a sigmoid learns nothing; expected \"identity\"";
        file_refused("preset = 'paper'\n[loss]\nkind = 'softmax'\n", &format!("3: {message}"));

        let folder = Folder::with("preset = 'paper'\n[model]\nscore = 'sigmoid'\n");
        let error = folder.resolve(None, &["loss.kind=softmax"]).unwrap_err();
        assert!(matches!(error, Error::Usage(_)));
        assert_eq!(error.to_string(), message);

        // What a file lacks, a set may mend.
        let folder = Folder::with("preset = 'paper'\n[loss]\nkind = 'softmax'\n");
        let config = folder.resolve(None, &["model.score=identity"]).unwrap();
        assert_eq!((config.model.score, config.loss.kind), (Score::Identity, LossKind::Softmax));
    }

    #[test]
    fn deep_nesting_is_an_error_like_any_other() {
        let deep_key = vec!["a"; 200_000].join(".");
        for text in [format!("{deep_key} = 1"), format!("a = {}", "[".repeat(200_000))] {
            assert!(matches!(Folder::with(text).resolve(None, &[]), Err(Error::Input { .. })));
        }
        let braces = "{a=".repeat(200_000);
        set_refused(
            &format!("seed={braces}"),
            &format!("seed: found {}…, expected a whole number, 0 or more", &braces[..60]),
        );
        let said = format!("{}…: no such key; `linknbed config` shows all keys", &deep_key[..60]);
        set_refused(&format!("{deep_key}=1"), &said);
    }
}
