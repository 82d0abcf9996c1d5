//! Where does learning begin?
//!
//! Vectors are drawn between −scale and scale, matrices so that their outputs are as large as their inputs (Glorot), and
//! θ are zero, which is no attention. Each table is drawn in portions with streams of their own. Then those vectors take
//! other places for which there is something better: words that name them (`words`), or what an earlier run learned
//! (`earlier`).

mod earlier;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::path::Path;

use rand::RngExt;
use rayon::prelude::*;

use super::learner::{baseline, contexts, sizes};
use crate::config::{Config, InitialFrom, InitialShape};
use crate::dataset::{Dataset, Dice};
use crate::error::Result;
use crate::io::vectors::WordVectors;
use crate::joint::Joint;
use crate::model::baseline::Kind;
use crate::model::entity::Contexts;
use crate::model::parameters::{Parameters, Sizes};
pub use earlier::Earlier;

/// How many rows of a table are not random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Given {
    /// So many.
    pub rows: usize,
    /// Of so many.
    pub of: usize,
}

/// What learning begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Where it comes from.
    pub from: InitialFrom,
    /// Rows of W^E.
    pub entities: Given,
    /// Rows of W^R.
    pub relations: Given,
    /// Rows of W^T.
    pub types: Given,
    /// Rows of W^key.
    pub keys: Given,
    /// The tables that were taken as a whole, by the paper's names.
    pub whole: Vec<&'static str>,
}

impl Report {
    fn new(from: InitialFrom, parameters: &Parameters<f32>) -> Self {
        let of = |name: &str, table: &[f32]| Given { rows: 0, of: table.len() / parameters.width(name) };
        Self {
            from,
            entities: of("W^E", &parameters.entities),
            relations: of("W^R", &parameters.relations),
            types: of("W^T", &parameters.types),
            keys: of("W^key", &parameters.keys),
            whole: Vec::new(),
        }
    }

    /// Whether no row is given.
    fn is_empty(&self) -> bool {
        [self.entities, self.relations, self.types, self.keys].iter().all(|given| given.rows == 0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = match self.from {
            InitialFrom::Random => return f.write_str("all vectors are random"),
            InitialFrom::Words => "words",
            InitialFrom::Run => "an earlier run",
        };
        let Given { rows, of } = self.entities;
        write!(f, "vectors from {from}: {rows} of {of} entities")?;
        for (given, what) in [(self.relations, "relations"), (self.types, "types"), (self.keys, "keys")] {
            if given.rows > 0 {
                write!(f, ", {} of {} {what}", given.rows, given.of)?;
            }
        }
        if !self.whole.is_empty() {
            write!(f, ", and {}", self.whole.join(" "))?;
        }
        Ok(())
    }
}

/// The parameters that a config begins with. `open` reads an earlier run, if the config names one.
pub fn parameters(
    data: &Dataset,
    joint: &Joint,
    config: &Config,
    open: impl FnOnce(&Path) -> Result<Earlier>,
) -> Result<(Parameters<f32>, Report)> {
    let mut parameters = match baseline(config) {
        None => random(sizes(joint, config), &contexts(config), config),
        Some(kind) => random_vectors(kind, sizes(joint, config), config),
    };
    let mut report = Report::new(config.initial.from, &parameters);
    let path = Path::new(&config.initial.path);
    match config.initial.from {
        InitialFrom::Random => {}
        InitialFrom::Words => {
            let words = WordVectors::read(path)?;
            words::give(&words, data, joint, config, &mut parameters, &mut report)?;
        }
        InitialFrom::Run => earlier::give(&open(path)?, data, joint, config, &mut parameters, &mut report)?,
    }
    Ok((parameters, report))
}

/// Random parameters.
pub fn random(sizes: Sizes, contexts: &Contexts, config: &Config) -> Parameters<f32> {
    let mut parameters = Parameters::zero(sizes, contexts);
    let dice = Dice::new(config.seed, "parameters", "");
    let Sizes { entity: d, relation: k, class: q, attribute: y, hidden: h, .. } = sizes;
    let glorot = |inputs: usize| (6.0 / (inputs + h) as f64).sqrt();
    let learned = |width: usize| (3.0 / width as f64).sqrt();
    let vectors = config.initial.scale;
    let scales = [
        vectors,
        vectors,
        vectors,
        vectors,
        vectors,
        glorot(d),
        glorot(d),
        glorot(y),
        glorot(k),
        glorot(q),
        0.0,
        0.0,
        0.0,
        learned(d),
        learned(y),
        learned(q),
    ];
    let fill_vectors = match config.initial.shape {
        InitialShape::Uniform => fill,
        InitialShape::Normal => fill_normally,
    };
    for (at, ((_, table), scale)) in parameters.tables_mut().into_iter().zip(scales).enumerate() {
        if scale > 0.0 {
            let fill = if at < VECTORS { fill_vectors } else { fill };
            fill(table, scale as f32, &dice, at as u64);
        }
    }
    parameters
}

/// Random vectors of a model that LinkNBed is compared with.
pub fn random_vectors(kind: Kind, sizes: Sizes, config: &Config) -> Parameters<f32> {
    let mut parameters = Parameters::vectors(sizes);
    let dice = Dice::new(config.seed, "parameters", "");
    let scale = config.initial.scale;
    let fill_with = match config.initial.shape {
        InitialShape::Uniform => fill,
        InitialShape::Normal => fill_normally,
    };
    fill_with(&mut parameters.entities, scale as f32, &dice, 0);
    fill_with(&mut parameters.relations, scale as f32, &dice, 1);
    for row in parameters.relations.chunks_exact_mut(sizes.relation) {
        kind.first_relation(config.model.entity, row, scale);
    }
    if kind == Kind::Gake {
        // θ, which is no attention.
        parameters.entities.iter_mut().skip(config.model.entity).step_by(sizes.entity).for_each(|x| *x = 0.0);
    }
    parameters
}

/// Normal numbers, by the method of Box and Muller.
fn fill_normally(table: &mut [f32], deviation: f32, dice: &Dice, number: u64) {
    table.par_chunks_mut(PORTION).enumerate().for_each(|(portion, numbers)| {
        let mut generator = dice.of(number << 32 | portion as u64);
        for pair in numbers.chunks_mut(2) {
            let (one, other): (f64, f64) = (generator.random(), generator.random());
            let size = f64::from(deviation) * (-2.0 * (1.0 - one).ln()).sqrt();
            let angle = std::f64::consts::TAU * other;
            pair.iter_mut().zip([angle.cos(), angle.sin()]).for_each(|(x, part)| *x = (size * part) as f32);
        }
    });
}

/// So many of the tables are vectors, which come first; the others are matrices.
const VECTORS: usize = 5;

/// So many numbers have a stream of their own.
const PORTION: usize = 1 << 14;

fn fill(table: &mut [f32], scale: f32, dice: &Dice, number: u64) {
    table.par_chunks_mut(PORTION).enumerate().for_each(|(portion, numbers)| {
        let mut generator = dice.of(number << 32 | portion as u64);
        numbers.iter_mut().for_each(|x| *x = generator.random_range(-scale..=scale));
    });
}
