//! What is one experiment on disk?
//!
//! A folder: what was asked for (`config.toml`), with what and on which data (`run.json`), how it went (`trace.jsonl`),
//! and what was learned (`checkpoints/`). Whatever happens, each of these files is either the old one or the whole new
//! one, and a run that was interrupted continues to the same bits.

mod checkpoint;
mod export;
mod history;
mod memory;
mod train;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::config::{Config, LeaveOut};
use crate::dataset::Dataset;
use crate::error::{Error, Place, Result};
use crate::eval::linkage::{Model, Representations};
use crate::io::staging::write_file;
use crate::io::vectors::Tensors;
use crate::joint::Joint;
use crate::model::parameters::Parameters;
use crate::train::{baseline, contexts, zero_parameters};
pub use export::{ExportJob, Exported, Vectors, What, export};
pub use history::History;
pub use memory::Memory;
pub use train::{Outcome, TrainJob, train};
pub(crate) use train::{check_initial, check_settings};

/// What a run says about itself: `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Always `linknbed-run`.
    pub format: String,
    /// The version of the layout.
    pub version: u32,
    /// The version of the program that began it.
    pub program: String,
    /// The prepared folder it learns from.
    pub data: PathBuf,
    /// The checksum of that folder's manifest: other data, another checksum.
    pub data_xxh3: String,
}

const FORMAT: &str = "linknbed-run";
const VERSION: u32 = 1;
const CARD: &str = "run.json";
const CONFIG: &str = "config.toml";
const TRACE: &str = "trace.jsonl";
const CHECKPOINTS: &str = "checkpoints";

/// A run that is opened to be read.
#[derive(Debug)]
pub struct Run {
    /// Where it is.
    pub path: PathBuf,
    /// What it says about itself.
    pub card: Card,
    /// What was asked for.
    pub config: Config,
}

/// A model that was learned, with the data it was learned from.
#[derive(Debug)]
pub struct Trained {
    /// The data.
    pub data: Dataset,
    /// The graphs as one.
    pub joint: Joint,
    /// What was learned.
    pub parameters: Parameters<f32>,
    /// After how many steps.
    pub step: u64,
}

impl Run {
    /// Whether a folder is a run.
    pub fn is_at(path: &Path) -> bool {
        path.join(CARD).is_file()
    }

    /// Opens a run.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Err(Error::not_found(path));
        }
        if !Self::is_at(path) {
            let message = format!("is no run: it has no {CARD}; `train` writes runs");
            return Err(Error::folder(path, message));
        }
        let card_path = path.join(CARD);
        let text = fs::read_to_string(&card_path).map_err(Error::io(&card_path))?;
        let card: Card = serde_json::from_str(&text).map_err(|error| {
            Error::input(Place::file(&card_path), format!("is not what a run has: {error}"))
        })?;
        if card.format != FORMAT || card.version != VERSION {
            let found = format!("{} {}", card.format, card.version);
            let message = format!("is of another kind: {found}, expected {FORMAT} {VERSION}");
            return Err(Error::input(Place::file(&card_path), message));
        }
        let config = Config::recorded(&path.join(CONFIG))?;
        Ok(Self { path: path.to_path_buf(), card, config })
    }

    /// The checkpoint to read from: the best one if the model was judged, else the last.
    pub fn checkpoint(&self) -> Result<PathBuf> {
        let best = self.path.join(CHECKPOINTS).join(checkpoint::BEST);
        if best.is_file() {
            return Ok(best);
        }
        let last = checkpoint::found(&self.path.join(CHECKPOINTS))?.pop();
        last.map(|(_, path)| path).ok_or_else(|| {
            Error::folder(&self.path, "has no checkpoint yet; `train --resume` continues a run")
        })
    }

    /// How large each table of the checkpoint is, by the paper's name for it.
    pub fn tables(&self) -> Result<BTreeMap<String, Vec<usize>>> {
        let tensors = Tensors::open(&self.checkpoint()?)?;
        let own = tensors.names().filter(|name| !checkpoint::is_state(name));
        Ok(own.map(|name| (name.to_owned(), tensors.shape(name).unwrap_or_default().to_vec())).collect())
    }

    /// Opens the data of the run, which may have moved to `data`.
    pub fn open_data(&self, data: Option<&Path>) -> Result<Dataset> {
        let path = data.unwrap_or(&self.card.data);
        if data.is_none() && !path.exists() {
            let message = format!(
                "is not there any more, and {} was trained on it; --data says where it is now",
                self.path.display()
            );
            return Err(Error::folder(path, message));
        }
        let opened = Dataset::open(path)?;
        if manifest_checksum(path)? != self.card.data_xxh3 {
            let message = format!("is not the data that {} was trained on", self.path.display());
            return Err(Error::folder(path, message));
        }
        Ok(opened)
    }

    /// Reads what was learned.
    pub fn load(&self, data: Option<&Path>) -> Result<Trained> {
        let data = self.open_data(data)?;
        let joint = Joint::for_config(&data, &self.config)?;
        let mut parameters = zero_parameters(&joint, &self.config);
        let step = checkpoint::read_parameters(&self.checkpoint()?, &mut parameters)?;
        Ok(Trained { data, joint, parameters, step })
    }
}

impl Trained {
    /// The model, as the config of its run has it.
    pub fn model(&self, config: &Config) -> Model<'_> {
        Model {
            joint: &self.joint,
            parameters: &self.parameters,
            contexts: contexts(config),
            leave_partner_out: config.contexts.leave_partner_out != LeaveOut::Never,
        }
    }

    /// What the model says about the entities of two graphs.
    pub fn representations(&self, config: &Config, graphs: [usize; 2]) -> Representations<'_> {
        match baseline(config) {
            Some(_) => Representations::of_vectors(self.model(config), graphs),
            None => Representations::new(self.model(config), graphs),
        }
    }

    /// Whether the run has learned numbers: from others no answer follows, and nothing can be ordered by them.
    pub fn check_finite(&self, run: &Path) -> Result<()> {
        match self.table_that_is_not_finite() {
            None => Ok(()),
            Some(name) => {
                let what = format!("the parameters are not all numbers: {name} holds others");
                Err(Error::folder(run, format!("{what}; `train --force` begins the run anew")))
            }
        }
    }

    /// The first table that holds infinity, or what is no number.
    pub(crate) fn table_that_is_not_finite(&self) -> Option<&'static str> {
        let is_bad = |table: &[f32]| table.par_iter().any(|number| !number.is_finite());
        self.parameters.tables().into_iter().find(|(_, table)| is_bad(table)).map(|(name, _)| name)
    }
}

/// The checksum of a prepared folder's manifest.
pub(crate) fn manifest_checksum(data: &Path) -> Result<String> {
    let path = data.join("manifest.json");
    let bytes = fs::read(&path).map_err(Error::io(&path))?;
    Ok(format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes)))
}

/// Writes a small file whole.
fn write_text(path: &Path, text: &str) -> Result<()> {
    write_file(path, |file| file.write_all(text.as_bytes()).map_err(Error::io(path)))
}
