//! `demo`: what linknbed does, on the built-in world.

mod links;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use linknbed::assess::{Assessment, Judge, assess};
use linknbed::clean::CleanConfig;
use linknbed::config::Config;
use linknbed::dataset::{Dataset, ImportConfig, PrepareConfig, PreparedGraph, Shares, import};
use linknbed::eval::linkage::LinkOptions;
use linknbed::graph::{EntityId, Link, Part, is_name_key};
use linknbed::io::source::Format;
use linknbed::io::staging::Replace;
use linknbed::predict::name_of;
use linknbed::report::{PAGE, Report};
use linknbed::run::{Outcome, Run, TrainJob, train};
use linknbed::world::{WorldConfig, generate};
use serde_json::json;

use self::links::Searched;
use super::{
    eval as eval_command, generate as generate_command, inspect, may_replace, train as train_command,
};
use crate::args::{Candidates, Common, DemoArgs, Scale};
use crate::bars::Bars;
use crate::output::print;

pub(crate) fn run(args: &DemoArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let begun = Instant::now();
    let (world, data) = (args.out.join("world"), args.out.join("data"));
    let config = WorldConfig { scale: args.scale.into(), seed: args.seed };
    claim(&args.out)?;
    let report = generate(&world, &config, Replace::Existing, bars)?;
    let imported = import(&import_config(&world, data.clone(), args.seed), bars)?;
    let dataset = Dataset::open(&data)?;
    let trained = if learns(args.scale) { Some(learn(&data, args, bars)?) } else { None };
    let found = if learns(args.scale) { find_links(&dataset, args, bars)? } else { None };
    let judged = if trained.is_some() { Some(judge(args, found.as_ref(), bars)?) } else { None };
    if common.json {
        let run = trained.as_ref().map(train_command::json);
        let eval = judged.as_ref().map(|judged| eval_command::as_json(judged, Candidates::All));
        let data = inspect::json(&imported.manifest);
        let links = found.as_ref().map(Searched::json);
        let result = json!({"world": report, "data": data, "run": run, "links": links, "eval": eval});
        return print(&format!("{result:#}\n"));
    }
    let mut text = String::from("1. Two catalogues of one invented film world, as they would be found:\n\n");
    text.push_str(&generate_command::text(&report));
    text.push_str("\n2. Read, cleaned and divided; neighbourhoods walked, labels drawn:\n\n");
    text.push_str(&inspect::text(&imported.manifest));
    text.push_str("\n3. Three of the links that will have to be found, as each catalogue tells them:\n");
    text.push_str(&examples(&dataset));
    text.push_str(&learned(trained.as_ref(), &dataset, args));
    if let Some(judged) = &judged {
        text.push_str(
            "\n5. Judged on the facts and links that were kept back, by the model and by all evidence:\n\n",
        );
        text.push_str(&eval_command::figures(judged, Candidates::All));
    }
    if let (Some(found), Some(links)) = (&found, dataset.links.first()) {
        text.push_str("\n6. Links found by all evidence, as `linknbed link` finds them:\n\n");
        text.push_str(&found.text(&dataset, links, &three(&dataset)));
        text.push_str(&format!("\nThe report: {}\n", args.out.join(REPORT).join(PAGE).display()));
    }
    let (seconds, out) = (begun.elapsed().as_secs_f64(), args.out.display());
    text.push_str(&format!("\nAll of this took {seconds:.1} s and is in {out}.\n"));
    print(&text)
}

/// The file that tells a demo, which the next one may replace, from anything else.
const MARKER: &str = "demo.txt";

/// Makes the folder, and marks it; whatever else is there already is someone's work.
fn claim(out: &Path) -> anyhow::Result<()> {
    if may_replace(out, true, MARKER).is_err() {
        let message =
            format!("{} is there already, and is no demo; --out names another folder", out.display());
        return Err(linknbed::Error::Usage(message).into());
    }
    fs::create_dir_all(out).map_err(linknbed::Error::io(out))?;
    let path = out.join(MARKER);
    let text = "`linknbed demo` made this folder, and replaces what is in it when it runs again.\n";
    Ok(fs::write(&path, text).map_err(linknbed::Error::io(&path))?)
}

/// What stands behind the names of the graphs where links were found by all evidence.
const BY_ALL_EVIDENCE: &str = " by all evidence";

fn find_links(dataset: &Dataset, args: &DemoArgs, bars: &Bars) -> anyhow::Result<Option<Searched>> {
    let found = dataset.links.first().map(|links| Searched::new(dataset, links, args.seed, &args.out, bars));
    found.transpose()
}

/// Judges the model on the test part, and writes the report, with the links that all evidence finds.
fn judge(args: &DemoArgs, found: Option<&Searched>, bars: &Bars) -> anyhow::Result<Report> {
    let asked = Assessment {
        part: Part::Test,
        triples: true,
        links: true,
        judge: Judge::Paper,
        evidence: None,
        options: LinkOptions::default(),
        data: None,
    };
    let mut report = assess(&Run::open(&args.out.join("run"))?, &asked, bars)?;
    if let Some(found) = found {
        let name = found.section.graphs.join("-") + BY_ALL_EVIDENCE;
        report.links.push((name, found.section.clone()));
    }
    report.write(&args.out.join(REPORT))?;
    Ok(report)
}

/// Whether a demo of this size can learn without trying anyone's patience.
fn learns(scale: Scale) -> bool {
    match scale {
        Scale::Tiny | Scale::Small => true,
        Scale::Medium | Scale::Paper => false,
    }
}

/// Where the report goes.
const REPORT: &str = "report";

/// A model that learns the small world in seconds.
const SETTINGS: [&str; 8] = [
    "model.entity=64",
    "model.hidden=32",
    "contexts.neighbours=8",
    "optimizer.rate=0.01",
    "training.batch=500",
    "training.epochs=6",
    "validation.every=3",
    "validation.facts=500",
];

fn learn(data: &Path, args: &DemoArgs, bars: &Bars) -> anyhow::Result<Outcome> {
    let mut sets = SETTINGS.map(str::to_owned).to_vec();
    sets.push(format!("seed={}", args.seed));
    let config = Config::resolve(None, None, &sets)?;
    let out = args.out.join("run");
    let job = TrainJob { data: data.to_path_buf(), out, config, resume: false, replace: true, beside: 1 };
    Ok(train(&job, &|| false, bars)?)
}

/// What the model can do, beside what chance can.
fn learned(trained: Option<&Outcome>, dataset: &Dataset, args: &DemoArgs) -> String {
    let (data, run) = (args.out.join("data"), args.out.join("run"));
    let longer = format!("linknbed train {} --out my-run", data.display());
    let Some(outcome) = trained else {
        return format!("\n4. Learning from this takes longer than a demo should:\n\n  {longer}\n");
    };
    let most = dataset.graphs.iter().map(|graph| graph.entities.len()).max().unwrap_or(0);
    // The mean of 1/rank where every rank is as likely as any other.
    let chance = (1..=most).map(|rank| 1.0 / rank as f64).sum::<f64>() / most.max(1) as f64;
    format!(
        "\n4. A small model, trained for a moment; asked for the objects of facts it has not seen:\n\n{}\
         Guessing would have an MRR of about {chance:.4}. See the model with: linknbed inspect {}\n\
         A larger one takes longer: {longer}\n",
        train_command::text(outcome, &data, &run),
        run.display()
    )
}

fn import_config(world: &Path, out: PathBuf, seed: u64) -> ImportConfig {
    ImportConfig {
        graphs: vec![("screen".to_owned(), world.join("screen")), ("reel".to_owned(), world.join("reel.nt"))],
        links: vec![world.join("links.tsv").to_string_lossy().into_owned()],
        stdin: Format::NTriples,
        strictness: Default::default(),
        columns: Vec::new(),
        clean: CleanConfig::default(),
        min_occurrence: Default::default(),
        prepare: PrepareConfig {
            seed,
            split: Shares { train: 0.6, valid: 0.1, test: 0.3 },
            ..Default::default()
        },
        out,
        replace: Replace::Existing,
    }
}

/// Three test links whose names differ, or as many as there are.
fn three(dataset: &Dataset) -> Vec<Link> {
    let Some(links) = dataset.links.first() else { return Vec::new() };
    let (first, second) = (&dataset.graphs[links.first], &dataset.graphs[links.second]);
    let differ = links.positives[Part::Test as usize].iter().filter(|link| {
        let (a, b) = (name_of(first, link.first), name_of(second, link.second));
        a.is_some() && b.is_some() && a != b
    });
    differ.take(3).copied().collect()
}

/// The three as each catalogue tells them.
fn examples(dataset: &Dataset) -> String {
    let Some(links) = dataset.links.first() else { return String::new() };
    let (first, second) = (&dataset.graphs[links.first], &dataset.graphs[links.second]);
    let mut text = String::new();
    for link in three(dataset) {
        text.push('\n');
        for (graph, entity) in [(first, link.first), (second, link.second)] {
            text.push_str(&format!("  {:<7} {}\n", graph.name, described(graph, entity)));
        }
    }
    text
}

/// An entity's name and a few of its attributes.
fn described(graph: &PreparedGraph, entity: EntityId) -> String {
    let local = |key: &str| key.rsplit(['/', '#', '.']).next().unwrap_or(key).to_owned();
    let others = graph
        .attributes_of(entity)
        .map(|attribute| (graph.keys.get(attribute.key.0), graph.values.get(attribute.value.0).text))
        .filter(|(key, value)| !is_name_key(key) && value.chars().count() < 24);
    let others: Vec<String> = others.take(3).map(|(key, value)| format!("{} {value}", local(key))).collect();
    format!("{:<32} {}", name_of(graph, entity).unwrap_or("?"), others.join(", "))
}
