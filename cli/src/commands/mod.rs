//! What does each verb do?

mod demo;
mod generate;
mod import;
mod inspect;

use anyhow::Context;

use crate::args::{Args, Command, Scale};
use crate::bars::Bars;

/// Runs a command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(threads) = args.common.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .context("the threads cannot be started")?;
    }
    let bars = Bars::new(args.common.quiet);
    match &args.command {
        Command::Demo(demo) => demo::run(demo, &args.common, &bars),
        Command::Generate(generate) => generate::run(generate, &args.common, &bars),
        Command::Import(import) => import::run(import, &args.common, &bars),
        Command::Inspect(inspect) => inspect::run(inspect, &args.common),
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
