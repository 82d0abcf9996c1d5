//! How far did a run come, and how good was it?
//!
//! What the last checkpoint and the trace say. Both may be missing: a run that has just begun has neither.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{CHECKPOINTS, Run, TRACE, checkpoint};
use crate::error::{Error, Place, Result};
use crate::eval::{Figures, Metrics};
use crate::io::vectors::Tensors;
use crate::train::{Judgement, State};

/// How a run went so far.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The state that the last checkpoint continues from.
    pub state: Option<State>,
    /// How often every fact was seen by then.
    pub epoch: Option<f64>,
    /// The best judgement, and after which step it was.
    pub best: Option<(u64, Judgement)>,
    /// The last judgement, and after which step it was.
    pub last: Option<(u64, Judgement)>,
    /// Seconds that the traced steps took, with what was judged between them.
    pub seconds: f64,
}

impl Run {
    /// How the run went so far.
    pub fn history(&self) -> Result<History> {
        let mut history = History { state: self.state()?, epoch: None, best: None, last: None, seconds: 0.0 };
        let mut epochs_a_step = None;
        for line in self.trace()? {
            let Some(step) = line["step"].as_u64() else { continue };
            if let Some(epoch) = line["epoch"].as_f64() {
                epochs_a_step = Some(epoch / step.max(1) as f64);
                history.seconds += line["seconds"].as_f64().unwrap_or(0.0);
            }
            if let Some(judgement) = judgement(&line) {
                if judgement.is_best {
                    history.best = Some((step, judgement.clone()));
                }
                history.last = Some((step, judgement));
            }
        }
        let steps = history.state.as_ref().map(|state| state.step);
        history.epoch = steps.zip(epochs_a_step).map(|(steps, epochs)| steps as f64 * epochs);
        Ok(history)
    }

    /// Reads every checkpoint and compares it with its checksum.
    pub fn verify(&self) -> Result<()> {
        let folder = self.path.join(CHECKPOINTS);
        let mut paths: Vec<_> = checkpoint::found(&folder)?.into_iter().map(|(_, path)| path).collect();
        paths.extend(Some(folder.join(checkpoint::BEST)).filter(|path| path.exists()));
        paths.iter().try_for_each(|path| Tensors::open(path).map(|_| ()))
    }

    fn state(&self) -> Result<Option<State>> {
        let Some((_, path)) = checkpoint::found(&self.path.join(CHECKPOINTS))?.pop() else { return Ok(None) };
        let tensors = Tensors::open(&path)?;
        let state = tensors.metadata().get("state").and_then(|text| serde_json::from_str(text).ok());
        let damaged = || Error::folder(&path, "the state of the trainer is missing or damaged");
        state.map(Some).ok_or_else(damaged)
    }

    /// The lines of the trace. The last one may be half written while the run goes on.
    pub(crate) fn trace(&self) -> Result<Vec<Value>> {
        let path = self.path.join(TRACE);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        let mut lines = Vec::new();
        for (number, line) in text.lines().enumerate() {
            match serde_json::from_str(line) {
                Ok(line) => lines.push(line),
                Err(_) if !text.ends_with('\n') && number + 1 == text.lines().count() => {}
                Err(error) => {
                    let place = Place::line(&path, number as u64 + 1);
                    return Err(Error::input(place, format!("is no line of a trace: {error}")));
                }
            }
        }
        Ok(lines)
    }
}

/// What a line of the trace says of a judgement, if it is about one.
fn judgement(line: &Value) -> Option<Judgement> {
    let metrics = |found: &Value| {
        let number = |key: &str| found[key].as_f64().unwrap_or(0.0);
        let hits = ["hits@1", "hits@3", "hits@10"].map(number);
        let figures = Figures { mrr: number("mrr"), mr: number("mr"), hits };
        Metrics::without_ties(found["count"].as_u64().unwrap_or(0) as usize, figures)
    };
    let graphs: BTreeMap<_, _> =
        line["validation"].as_object()?.iter().map(|(name, found)| (name.clone(), metrics(found))).collect();
    let is_best = line["best"].as_bool().unwrap_or(false);
    Some(Judgement { graphs, value: line["value"].as_f64()?, is_best })
}
