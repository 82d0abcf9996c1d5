//! Where does learning begin?
//!
//! Vectors are drawn between −scale and scale, matrices so that their outputs are as large as their inputs (Glorot), and
//! θ are zero, which is no attention. Each table is drawn in portions with streams of their own.

use rand::RngExt;
use rayon::prelude::*;

use crate::config::Config;
use super::learner::{contexts, sizes};
use crate::dataset::{Dataset, Dice};
use crate::error::Result;
use crate::joint::Joint;
use crate::model::entity::Contexts;
use crate::model::parameters::{Parameters, Sizes};

/// The parameters that a config begins with.
pub fn parameters(_data: &Dataset, joint: &Joint, config: &Config) -> Result<Parameters<f32>> {
    Ok(random(sizes(joint, config), &contexts(config), config))
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
    for (at, ((_, table), scale)) in parameters.tables_mut().into_iter().zip(scales).enumerate() {
        if scale > 0.0 {
            fill(table, scale as f32, &dice, at as u64);
        }
    }
    parameters
}

fn fill(table: &mut [f32], scale: f32, dice: &Dice, number: u64) {
    const PORTION: usize = 1 << 14;
    table.par_chunks_mut(PORTION).enumerate().for_each(|(portion, numbers)| {
        let mut generator = dice.of(number << 32 | portion as u64);
        numbers.iter_mut().for_each(|x| *x = generator.random_range(-scale..=scale));
    });
}
