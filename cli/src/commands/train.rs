//! `train`: learn, and write a run.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use linknbed::config::{Config, InitialFrom};
use linknbed::dataset::Dataset;
use linknbed::graph::Part;
use linknbed::run::{Outcome, Run, TrainJob, train};
use linknbed::train::End;
use serde_json::{Value, json};

use super::inspect_run::judgement_table;
use super::refuse_run;
use crate::args::{Common, TrainArgs};
use crate::bars::Bars;
use crate::output::{grouped, print};

/// Set by the first Ctrl-C; the second ends the program at once.
static STOP: AtomicBool = AtomicBool::new(false);

pub(crate) fn run(args: &TrainArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    refuse_run(&args.data)?;
    let config = config(args)?;
    if config.validation.every > 0.0 && !has_validation(&args.data)? {
        bars.say(
            "no validation facts are kept back: all epochs are learned, and the last model is kept; \
             `import --split 0.6,0.1,0.3` would keep some",
        );
    }
    listen_to_ctrl_c()?;
    let job = TrainJob {
        data: args.data.clone(),
        out: args.out.clone(),
        config,
        resume: args.resume,
        replace: args.force,
        beside: 1,
    };
    let outcome = train(&job, &is_asked_to_stop, bars)?;
    print(&if common.json {
        format!("{:#}\n", json(&outcome))
    } else {
        text(&outcome, &args.data, &args.out)
    })
}

fn has_validation(data: &Path) -> linknbed::Result<bool> {
    let data = Dataset::open(data)?;
    Ok(data.graphs.iter().any(|graph| !graph.facts[Part::Valid as usize].is_empty()))
}

/// From now on Ctrl-C asks to stop; the second time it does not ask.
pub(super) fn listen_to_ctrl_c() -> anyhow::Result<()> {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).context("Ctrl-C cannot be listened to")
}

/// Whether the user asked to stop.
pub(super) fn is_asked_to_stop() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// A run that goes on does so with its own settings, but for those that are given.
fn config(args: &TrainArgs) -> anyhow::Result<Config> {
    let mut sets = args.config.sets.clone();
    sets.extend(args.seed.map(|seed| format!("seed={seed}")));
    let given = &args.config;
    let is_own = args.resume && Run::is_at(&args.out) && given.preset.is_none() && given.config.is_none();
    let own = is_own.then(|| args.out.join("config.toml"));
    Ok(Config::resolve(given.preset.as_deref(), own.as_deref().or(given.config.as_deref()), &sets)?)
}

/// How a training went.
pub(crate) fn text(outcome: &Outcome, data: &Path, out: &Path) -> String {
    let state = &outcome.state;
    let mut text = match (outcome.interrupted, state.ended) {
        (true, _) => format!(
            "stopped after {} of {} steps; `linknbed train {} --out {} --resume` goes on\n",
            grouped(state.step),
            grouped(outcome.total_steps),
            data.display(),
            out.display()
        ),
        (false, Some(End::Patience)) => {
            format!("ended after {} steps, as it did not become better any more\n", grouped(state.step))
        }
        (false, _) => format!("{} steps done\n", grouped(state.step)),
    };
    if let Some(report) = outcome.begun_with.as_ref().filter(|report| report.from != InitialFrom::Random) {
        text += &format!("{report}\n");
    }
    if outcome.facts > 0 {
        let rate = outcome.facts as f64 / outcome.seconds.max(1e-9);
        text += &format!(
            "{} facts in {:.1} s, {}/s\n",
            grouped(outcome.facts),
            outcome.seconds,
            grouped(rate as u64)
        );
    }
    if let Some(judgement) = &outcome.judgement {
        text += &judgement_table("last validation", judgement);
    }
    if let Some((best, step)) = state.best {
        text += &format!("best: {best:.4} after {} steps\n", grouped(step));
    }
    text
}

/// The same for scripts.
pub(crate) fn json(outcome: &Outcome) -> Value {
    let state = &outcome.state;
    json!({
        "steps": state.step,
        "total_steps": outcome.total_steps,
        "facts": outcome.facts,
        "seconds": outcome.seconds,
        "interrupted": outcome.interrupted,
        "ended": state.ended,
        "best": state.best.map(|(value, step)| json!({"value": value, "step": step})),
    })
}
