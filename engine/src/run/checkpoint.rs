//! What is kept of a model while it learns?
//!
//! Two kinds of safetensors files. `step-N` has everything that decides how learning goes on: the parameters, what the
//! optimizers remember, and the state of the trainer; random numbers follow from the seed and the number of the step.
//! `best` has the parameters that were judged best. Tables are named as in the paper.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::io::vectors::{TensorView, Tensors, write_tensors};
use crate::model::parameters::Parameters;
use crate::train::{Learner, State};

/// The name of the best.
pub(super) const BEST: &str = "best.safetensors";

/// What optimizers remember, beside the name of their table.
const MEANS: &str = " / mean";
const SQUARES: &str = " / square";

/// Whether a table is an optimizer's.
pub(super) fn is_state(name: &str) -> bool {
    name.ends_with(MEANS) || name.ends_with(SQUARES)
}

/// The checkpoints that are there, by step.
pub(super) fn found(folder: &Path) -> Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    if !folder.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let step = name.strip_prefix("step-").and_then(|rest| rest.strip_suffix(".safetensors"));
        if let Some(Ok(step)) = step.map(str::parse) {
            found.push((step, path));
        }
    }
    found.sort();
    Ok(found)
}

/// A shape says how wide the rows of a table are.
fn shape(name: &str, len: usize, parameters: &Parameters<f32>) -> Vec<usize> {
    match parameters.width(name) {
        1 => vec![len],
        width => vec![len / width, width],
    }
}

fn views<'a>(parameters: &'a Parameters<f32>) -> Vec<TensorView<'a>> {
    let tables = parameters.tables().into_iter().filter(|(_, table)| !table.is_empty());
    let view = |(name, data): (&'static str, &'a Vec<f32>)| TensorView {
        name: name.to_owned(),
        shape: shape(name, data.len(), parameters),
        data,
    };
    tables.map(view).collect()
}

/// Writes the parameters.
pub(super) fn write_best(folder: &Path, parameters: &Parameters<f32>, step: u64) -> Result<()> {
    let metadata = BTreeMap::from([("step".to_owned(), step.to_string())]);
    write_tensors(&folder.join(BEST), &views(parameters), &metadata)
}

/// Writes everything, and removes all older ones but `keep`.
pub(super) fn write(folder: &Path, learner: &Learner, state: &State, keep: usize) -> Result<()> {
    let mut tensors = views(learner.parameters());
    let mut metadata = BTreeMap::new();
    metadata.insert("step".to_owned(), state.step.to_string());
    metadata.insert("state".to_owned(), serde_json::to_string(state).unwrap_or_default());
    let tables = learner.parameters().tables();
    for ((name, _), optimizer) in tables.into_iter().zip(learner.optimizers()) {
        metadata.insert(format!("steps of {name}"), optimizer.steps.to_string());
        for (suffix, data) in [(MEANS, &optimizer.means), (SQUARES, &optimizer.squares)] {
            if !data.is_empty() {
                let shape = shape(name, data.len(), learner.parameters());
                tensors.push(TensorView { name: format!("{name}{suffix}"), shape, data });
            }
        }
    }
    write_tensors(&folder.join(format!("step-{:08}.safetensors", state.step)), &tensors, &metadata)?;
    let mut old = found(folder)?;
    old.retain(|(step, _)| *step < state.step);
    let surplus = old.len().saturating_sub(keep);
    for (_, path) in &old[..surplus] {
        fs::remove_file(path).map_err(Error::io(path))?;
    }
    Ok(())
}

/// Reads the parameters; returns after how many steps they were written.
pub(super) fn read_parameters(path: &Path, parameters: &mut Parameters<f32>) -> Result<u64> {
    let tensors = open(path)?;
    read_tables(&tensors, parameters)?;
    number(&tensors, "step", path)
}

/// Reads everything back.
pub(super) fn read(path: &Path, learner: &mut Learner) -> Result<State> {
    let tensors = open(path)?;
    let (parameters, optimizers) = learner.state_mut();
    read_tables(&tensors, parameters)?;
    let shapes = parameters.tables().map(|(name, table)| (name, shape(name, table.len(), parameters)));
    for ((name, shape), optimizer) in shapes.into_iter().zip(optimizers) {
        optimizer.steps = number(&tensors, &format!("steps of {name}"), path)?;
        for (suffix, data) in [(MEANS, &mut optimizer.means), (SQUARES, &mut optimizer.squares)] {
            if !data.is_empty() {
                tensors.read_into(&format!("{name}{suffix}"), &shape, data)?;
            }
        }
    }
    let state = tensors.metadata().get("state").and_then(|text| serde_json::from_str(text).ok());
    state.ok_or_else(|| Error::folder(path, "the state of the trainer is missing or damaged"))
}

fn open(path: &Path) -> Result<Tensors> {
    let tensors = Tensors::open(path)?;
    if !tensors.is_checked() {
        return Err(Error::folder(path, "has no checksum, so that it was not written by `train`"));
    }
    Ok(tensors)
}

fn read_tables(tensors: &Tensors, parameters: &mut Parameters<f32>) -> Result<()> {
    let shapes = parameters.tables().map(|(name, table)| shape(name, table.len(), parameters));
    for ((name, table), shape) in parameters.tables_mut().into_iter().zip(shapes) {
        if !table.is_empty() {
            tensors.read_into(name, &shape, table)?;
        }
    }
    Ok(())
}

fn number(tensors: &Tensors, key: &str, path: &Path) -> Result<u64> {
    let found = tensors.metadata().get(key).and_then(|text| text.parse().ok());
    found.ok_or_else(|| Error::folder(path, format!("the number `{key}` is missing or damaged")))
}
