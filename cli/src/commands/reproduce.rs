//! `reproduce`: the paper's Tables 2 and 3 on the user's data.

use linknbed::graph::Part;
use linknbed::reproduce::{DATA, Job, PAGE, Row, TEXT, reproduce};

use super::refuse_run;
use super::train::{is_asked_to_stop, listen_to_ctrl_c};
use crate::args::{Common, On, ReproduceArgs};
use crate::bars::Bars;
use crate::output::print;

pub(crate) fn run(args: &ReproduceArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    refuse_run(&args.data)?;
    let job = job(args)?;
    listen_to_ctrl_c()?;
    let tables = reproduce(&job, &is_asked_to_stop, bars)?;
    print(&match common.json {
        true => format!("{:#}\n", serde_json::to_value(&tables)?),
        false => {
            let beside = [TEXT, DATA, PAGE].map(|name| args.out.join(name).display().to_string());
            let stopped = match tables.is_unfinished() {
                true => "stopped before every row was done; the same command goes on from here\n",
                false => "",
            };
            format!("{}\nthe same: {}\n{stopped}", tables.text(), beside.join(", "))
        }
    })
}

fn job(args: &ReproduceArgs) -> anyhow::Result<Job> {
    if let Some(preset) = args.preset.as_deref().filter(|preset| !["default", "paper"].contains(preset)) {
        let message =
            format!("--preset: found {preset}, expected default or paper; the rows choose the model");
        return Err(linknbed::Error::Usage(message).into());
    }
    let rows: Result<Vec<Row>, _> = args.rows.iter().map(|name| Row::named(name)).collect();
    let mut sets = args.sets.clone();
    sets.extend(args.seed.map(|seed| format!("seed={seed}")));
    sets.extend(args.epochs.map(|epochs| format!("training.epochs={epochs}")));
    Ok(Job {
        data: args.data.clone(),
        out: args.out.clone(),
        rows: rows?,
        seeds: args.seeds.into(),
        part: match args.on {
            On::Valid => Part::Valid,
            On::Test => Part::Test,
        },
        preset: args.preset.clone(),
        sets,
        tuning: args.tuning.into(),
        jobs: args.jobs.into(),
    })
}
