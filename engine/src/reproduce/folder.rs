//! What does a reproduction keep on disk, and when may it go on?
//!
//! `reproduce.json` says what it was begun with, `runs/` holds ordinary runs, and `rows/` a file for each row and seed
//! that is done. Every file appears whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::result::RowResult;
use super::rows::Row;
use crate::error::{Error, Place, Result};
use crate::io::staging::write_file;

const FORMAT: &str = "linknbed-reproduction";
const VERSION: u32 = 2;
const CARD: &str = "reproduce.json";
const ROWS: &str = "rows";
const RUNS: &str = "runs";

/// What a reproduction was begun with: `reproduce.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Always `linknbed-reproduction`.
    pub format: String,
    /// The version of the layout.
    pub version: u32,
    /// The version of the program.
    pub program: String,
    /// The checksum of the manifest of the data.
    pub data_xxh3: String,
    /// The part that is judged.
    pub on: String,
    /// The settings to begin with.
    pub preset: String,
    /// Those that differ from the preset, for every row.
    pub settings: BTreeMap<String, String>,
    /// Every row is learned so many times.
    pub seeds: usize,
    /// So many settings are tried for every row.
    pub tuning: usize,
}

impl Begun {
    /// Fills in what is the same for all.
    pub(super) fn with(
        data_xxh3: String,
        on: &str,
        preset: &str,
        settings: BTreeMap<String, String>,
    ) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            data_xxh3,
            on: on.to_owned(),
            preset: preset.to_owned(),
            settings,
            seeds: 1,
            tuning: 1,
        }
    }

    /// What differs, in words that name the key.
    fn difference(&self, now: &Self) -> Option<String> {
        if self.data_xxh3 != now.data_xxh3 {
            return Some("the data is another".to_owned());
        }
        let keys: BTreeSet<&String> = self.settings.keys().chain(now.settings.keys()).collect();
        let own =
            |of: &Self, key: &String| of.settings.get(key).cloned().unwrap_or("the preset's".to_owned());
        let options = [
            ("the version of linknbed", self.program.clone(), now.program.clone()),
            ("--on", self.on.clone(), now.on.clone()),
            ("--preset", self.preset.clone(), now.preset.clone()),
            ("--seeds", self.seeds.to_string(), now.seeds.to_string()),
            ("--tuning", self.tuning.to_string(), now.tuning.to_string()),
        ];
        let settings = keys.into_iter().map(|key| (key.as_str(), own(self, key), own(now, key)));
        let (key, was, is) = options.into_iter().chain(settings).find(|(_, was, is)| was != is)?;
        Some(format!("{key} was {was}, and now is {is}"))
    }
}

/// The folder of a reproduction.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Whether there is one that can go on.
    pub(super) fn is_begun(path: &Path) -> bool {
        path.join(CARD).is_file()
    }

    /// Begins the folder, or checks that what is there was begun alike.
    pub(super) fn begin(path: &Path, now: &Begun) -> Result<Self> {
        let card = path.join(CARD);
        if card.is_file() {
            let begun: Begun = read(&card, "the folder cannot go on")?;
            if begun.format != FORMAT || begun.version != VERSION {
                let found = format!("{} {}", begun.format, begun.version);
                let message = format!("is of another kind: {found}, expected {FORMAT} {VERSION}");
                return Err(Error::input(Place::file(&card), message));
            }
            if let Some(difference) = begun.difference(now) {
                return Err(Error::Usage(format!(
                    "{} was begun with other settings: {difference}; give the same again, or another folder",
                    path.display()
                )));
            }
            return Ok(Self { path: path.to_path_buf() });
        }
        let is_empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        if path.exists() && !is_empty() {
            let message = format!("{} exists already, and holds no tables that could go on", path.display());
            return Err(Error::Usage(message));
        }
        fs::create_dir_all(path).map_err(Error::io(path))?;
        let folder = Self { path: path.to_path_buf() };
        // The card first: a folder without it is not known as one that can go on.
        folder.write(CARD, &json(now))?;
        for name in [ROWS, RUNS] {
            let folder = path.join(name);
            fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        }
        Ok(folder)
    }

    /// The name of a run within the folder, and its path.
    pub(super) fn run(&self, name: &str) -> (String, PathBuf) {
        let within = format!("{RUNS}/{name}");
        let path = self.path.join(&within);
        (within, path)
    }

    /// A row that is done.
    pub(super) fn row(&self, row: Row, seed: u64) -> Result<Option<RowResult>> {
        let path = self.path.join(row_file(row, seed));
        if !path.is_file() {
            return Ok(None);
        }
        let result: RowResult = read(&path, AGAIN)?;
        if (result.row, result.seed) != (row, seed) || result.trainings.is_empty() {
            let message = format!("does not hold the row {} of seed {seed}; {AGAIN}", row.name());
            return Err(Error::input(Place::file(&path), message));
        }
        Ok(Some(result))
    }

    /// Keeps a row that is done.
    pub(super) fn keep(&self, result: &RowResult) -> Result<()> {
        let folder = self.path.join(ROWS);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        self.write(&row_file(result.row, result.seed), &json(result))
    }

    /// Writes a file whole.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        write_file(&path, |file| file.write_all(text.as_bytes()).map_err(Error::io(&path)))
    }
}

/// What may be done about a row that cannot be read.
const AGAIN: &str = "without this file it is made again";

fn row_file(row: Row, seed: u64) -> String {
    format!("{ROWS}/{}-seed{seed}.json", row.key())
}

fn json(value: &impl Serialize) -> String {
    // Nothing here can fail: every key is text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn read<T: DeserializeOwned>(path: &Path, hence: &str) -> Result<T> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    serde_json::from_str(&text).map_err(|error| {
        Error::input(Place::file(path), format!("is not what `reproduce` writes ({error}); {hence}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun() -> Begun {
        let settings = [("training.epochs".to_owned(), "5".to_owned())].into();
        Begun::with("00ff".to_owned(), "test", "default", settings)
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Begun), difference: &str) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("tables");
        Folder::begin(&path, &begun()).unwrap();
        Folder::begin(&path, &begun()).unwrap();
        let mut now = begun();
        change(&mut now);
        let error = Folder::begin(&path, &now).unwrap_err();
        assert!(matches!(error, Error::Usage(_)));
        let expected = format!(
            "{} was begun with other settings: {difference}; give the same again, or another folder",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn other_settings_are_refused_by_name() {
        refused(|now| now.data_xxh3.push('0'), "the data is another");
        refused(|now| now.on = "valid".to_owned(), "--on was test, and now is valid");
        refused(|now| now.preset = "paper".to_owned(), "--preset was default, and now is paper");
        refused(|now| now.seeds = 3, "--seeds was 1, and now is 3");
        refused(|now| now.tuning = 2, "--tuning was 1, and now is 2");
        let program = env!("CARGO_PKG_VERSION");
        let newer = format!("the version of linknbed was {program}, and now is 9.9.9");
        refused(|now| now.program = "9.9.9".to_owned(), &newer);
        refused(
            |now| now.settings = [("training.epochs".to_owned(), "6".to_owned())].into(),
            "training.epochs was 5, and now is 6",
        );
        refused(|now| now.settings.clear(), "training.epochs was 5, and now is the preset's");
        refused(
            |now| _ = now.settings.insert("loss.margin".to_owned(), "2.0".to_owned()),
            "loss.margin was the preset's, and now is 2.0",
        );
    }

    #[test]
    fn a_folder_of_something_else_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("mine.txt"), "mine").unwrap();
        let error = Folder::begin(home.path(), &begun()).unwrap_err().to_string();
        let expected =
            format!("{} exists already, and holds no tables that could go on", home.path().display());
        assert_eq!(error, expected);
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn damaged_files_are_named() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::begin(home.path(), &begun()).unwrap();
        let path = home.path().join("rows/gake-seed0.json");
        fs::write(&path, "{}").unwrap();
        let error = folder.row(Row::Gake, 0).unwrap_err().to_string();
        let beginning = format!("{}: is not what `reproduce` writes (missing field `row`", path.display());
        assert!(error.starts_with(&beginning), "{error}");
        assert!(error.ends_with("without this file it is made again"), "{error}");
        assert_eq!(folder.row(Row::Gake, 1).unwrap(), None);

        let mut other = begun();
        other.version = 1;
        fs::write(home.path().join(CARD), json(&other)).unwrap();
        let error = Folder::begin(home.path(), &begun()).unwrap_err().to_string();
        let message = "is of another kind: linknbed-reproduction 1, expected linknbed-reproduction 2";
        assert_eq!(error, format!("{}: {message}", home.path().join(CARD).display()));
    }
}
