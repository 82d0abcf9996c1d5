//! What does each verb do?

mod config;
mod demo;
mod eval;
mod export;
mod generate;
mod import;
mod inspect;
mod inspect_run;
mod link;
mod merge;
mod predict;
mod reproduce;
mod train;

use std::path::Path;

use anyhow::Context;
use linknbed::io::staging::Replace;
use linknbed::run::Run;

use crate::args::{Args, Command, Scale};
use crate::bars::Bars;

/// Runs a command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // This thread is one of the pool: what it hands out begins without waking anyone, and its large buffers lie where the
    // allocator keeps them from step to step.
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.common.threads.map_or(0, usize::from))
        .use_current_thread()
        .build_global()
        .context("the threads cannot be started")?;
    let bars = Bars::new(args.common.quiet);
    match &args.command {
        Command::Demo(demo) => demo::run(demo, &args.common, &bars),
        Command::Generate(generate) => generate::run(generate, &args.common, &bars),
        Command::Import(import) => import::run(import, &args.common, &bars),
        Command::Inspect(inspect) => inspect::run(inspect, &args.common),
        Command::Config(config) => config::run(config, &args.common),
        Command::Train(train) => train::run(train, &args.common, &bars),
        Command::Eval(eval) => eval::run(eval, &args.common, &bars),
        Command::Export(export) => export::run(export, &args.common, &bars),
        Command::Predict(predict) => predict::run(predict, &args.common, &bars),
        Command::Link(link) => link::run(link, &args.common, &bars),
        Command::Merge(merge) => merge::run(merge, &args.common, &bars),
        Command::Reproduce(reproduce) => reproduce::run(reproduce, &args.common, &bars),
    }
}

/// A run is no prepared folder, though it names one.
fn refuse_run(data: &Path) -> Result<(), linknbed::Error> {
    match Run::is_at(data) {
        true => Err(linknbed::Error::folder(data, "is a run; expected a prepared folder")),
        false => Ok(()),
    }
}

/// Whether the output may be replaced: only when asked to, and only if it is what such a command writes, which the
/// file `marker` tells. Nobody loses a folder to a slip of the pen.
fn may_replace(out: &Path, force: bool, marker: &str) -> anyhow::Result<Replace> {
    let is_empty = || out.read_dir().is_ok_and(|mut all| all.next().is_none());
    let is_ours = out.join(marker).exists() || is_empty();
    let refusal = match (out.exists() && !is_empty(), force, is_ours) {
        (false, ..) | (true, true, true) => None,
        (true, false, _) => Some(format!("{} exists already; --force replaces it", out.display())),
        (true, true, false) => Some(format!(
            "{} exists already, and is nothing that this command wrote; remove it first",
            out.display()
        )),
    };
    match refusal {
        Some(message) => Err(linknbed::Error::Usage(message).into()),
        None if force => Ok(Replace::Existing),
        None => Ok(Replace::Never),
    }
}

impl From<Scale> for linknbed::world::Scale {
    fn from(scale: Scale) -> Self {
        match scale {
            Scale::Tiny => Self::Tiny,
            Scale::Small => Self::Small,
            Scale::Medium => Self::Medium,
            Scale::Paper => Self::Paper,
        }
    }
}
