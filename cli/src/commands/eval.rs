//! `eval`: how good is a run, and a report of it.

use std::path::{Path, PathBuf};

use linknbed::Error;
use linknbed::assess::{Assessment, Judge, assess, assess_data};
use linknbed::dataset::Dataset;
use linknbed::eval::linkage::LinkOptions;
use linknbed::graph::Part;
use linknbed::link::{Kind, LinkConfig};
use linknbed::report::{PAGE, PartnerFigures, Proposed, RankFigures, Report};
use linknbed::run::Run;
use serde_json::{Map, Value, json};

use crate::args::{Candidates, Common, EvalArgs, JudgeOf, On, Task};
use crate::bars::Bars;
use crate::output::{grouped, one_line, print, table};

/// Where the report goes, within the run, unless said otherwise.
const REPORT: &str = "report";

pub(crate) fn run(args: &EvalArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let is_data = !Run::is_at(&args.run) && args.run.join("manifest.json").is_file();
    let inside = || if is_data { PathBuf::from(REPORT) } else { args.run.join(REPORT) };
    let folder = args.out.clone().unwrap_or_else(inside);
    check_folder(&folder)?;
    let report = if is_data { of_data(args, bars)? } else { of_run(args, bars)? };
    report.write(&folder)?;
    match common.json {
        true => print(&format!("{:#}\n", as_json(&report, args.candidates))),
        false => print(&as_text(&report, args, &folder)),
    }
}

/// A report goes into a folder of its own. Asked before the work, not after.
fn check_folder(folder: &Path) -> Result<(), Error> {
    let refused = match () {
        _ if folder.exists() && !folder.is_dir() => "is a file; expected a folder for the report",
        _ if Run::is_at(folder) => "is a run; expected a folder for the report alone",
        _ if folder.join("manifest.json").exists() => {
            "is a prepared folder; expected a folder for the report alone"
        }
        _ => return Ok(()),
    };
    Err(Error::Usage(format!("{} {refused}", folder.display())))
}

/// Options that say how a model alone judges links are none where other evidence does.
fn check_model_alone(args: &EvalArgs, instead: &str) -> Result<(), Error> {
    let given = [
        ("--judge", args.judge.is_some()),
        ("--facts", args.facts.is_some()),
        ("--ranked", args.ranked.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            Err(Error::Usage(format!("{option} is about links that a model alone judges; {instead}")))
        }
    }
}

fn of_run(args: &EvalArgs, bars: &Bars) -> anyhow::Result<Report> {
    if !args.evidence.is_empty() {
        check_model_alone(args, "with --evidence all evidence does")?;
    }
    Ok(assess(&Run::open(&args.run)?, &asked(args), bars)?)
}

/// Without a model there are links to judge, and no facts.
fn of_data(args: &EvalArgs, bars: &Bars) -> anyhow::Result<Report> {
    if args.task == Task::Triples {
        let path = args.run.display();
        let message =
            format!("{path} is a prepared folder; facts are completed by a run, which `train` writes");
        return Err(Error::Usage(message).into());
    }
    if args.evidence.contains(&Kind::Model) {
        let path = args.run.display();
        let message = format!("{path} is a prepared folder; a model's evidence needs a run");
        return Err(Error::Usage(message).into());
    }
    if args.data.is_some() {
        let message = format!("{} is a prepared folder; --data is for runs", args.run.display());
        return Err(Error::Usage(message).into());
    }
    check_model_alone(args, &format!("{} is a prepared folder", args.run.display()))?;
    let data = Dataset::open(&args.run)?;
    data.check_ids()?;
    let config = LinkConfig::looking_at(&args.evidence);
    Ok(assess_data(&data, asked(args).part, &config, bars)?)
}

fn asked(args: &EvalArgs) -> Assessment {
    Assessment {
        part: match args.on {
            On::Valid => Part::Valid,
            On::Test => Part::Test,
        },
        triples: args.task != Task::Links,
        links: args.task != Task::Triples,
        judge: match args.judge.unwrap_or(JudgeOf::Paper) {
            JudgeOf::Paper => Judge::Paper,
            JudgeOf::Replacement => Judge::Replacement,
            JudgeOf::Cosine => Judge::Cosine,
            JudgeOf::SecondStage => Judge::SecondStage,
        },
        evidence: (!args.evidence.is_empty()).then(|| LinkConfig::looking_at(&args.evidence)),
        options: LinkOptions { facts: args.facts.unwrap_or(0), ranked: args.ranked.unwrap_or(0) },
        data: args.data.clone(),
    }
}

/// For scripts: the keys are a promise.
pub(crate) fn as_json(report: &Report, candidates: Candidates) -> Value {
    let figures = |figures: &RankFigures| {
        let RankFigures { count, mrr, mr, hits_1, hits_3, hits_10, .. } = figures;
        json!({"count": count, "mrr": mrr, "mr": mr, "hits@1": hits_1, "hits@3": hits_3, "hits@10": hits_10})
    };
    let partners = |of: &PartnerFigures| json!({"hits@1": of.hits_1, "hits@10": of.hits_10, "mrr": of.mrr});
    let mut triples = Map::new();
    for (name, of) in &report.triples {
        let mut found = figures(&of.filtered.both);
        found["tail"] = figures(&of.filtered.tail);
        found["head"] = figures(&of.filtered.head);
        triples.insert(name.clone(), found);
    }
    let mut links = Map::new();
    for (name, of) in &report.links {
        let mut found = partners(chosen(of, candidates));
        found["count"] = json!(of.count);
        found["candidates"] = json!(match candidates {
            Candidates::All => of.candidates,
            Candidates::Labelled => of.count,
        });
        found["auprc"] = json!(of.auprc);
        found["precision"] = json!(of.precision);
        found["recall"] = json!(of.recall);
        found["f1"] = json!(of.f1);
        found["all"] = partners(&of.all);
        found["labelled"] = of.labelled.as_ref().map_or(Value::Null, partners);
        if let Some(Proposed { pairs, recall }) = of.proposed {
            found["proposed"] = json!({"pairs": pairs, "recall": recall});
        }
        links.insert(name.clone(), found);
    }
    json!({"on": report.on.map(Part::name), "triples": triples, "links": links})
}

fn chosen(of: &linknbed::report::LinkSection, candidates: Candidates) -> &PartnerFigures {
    match (candidates, &of.labelled) {
        (Candidates::Labelled, Some(labelled)) => labelled,
        _ => &of.all,
    }
}

/// The same for people.
fn as_text(report: &Report, args: &EvalArgs, folder: &Path) -> String {
    let mut text = figures(report, args.candidates);
    text.push_str(&format!("\nthe report: {}\n", folder.join(PAGE).display()));
    text
}

/// The figures as tables.
pub(crate) fn figures(report: &Report, candidates: Candidates) -> String {
    let on = report.on.map_or("", Part::name);
    let mut text = String::new();
    if !report.triples.is_empty() {
        text.push_str(&format!("{on} facts: the right answer among all entities of the graph, filtered\n\n"));
        let mut rows = vec![words(&["", "questions", "MRR", "HITS@1", "HITS@3", "HITS@10", "mean rank"])];
        for (name, of) in &report.triples {
            let sides =
                [("object", &of.filtered.tail), ("subject", &of.filtered.head), ("both", &of.filtered.both)];
            for (side, figures) in sides {
                rows.push(row(format!("{} {side}", one_line(name)), figures));
            }
        }
        text.push_str(&table(&rows));
    }
    if !report.links.is_empty() {
        let among = match candidates {
            Candidates::All => "all entities of the other graph",
            Candidates::Labelled => "the partners of this part",
        };
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!(
            "{gap}{on} links: the partner among {among}; pairs with their negative labels\n\n"
        ));
        let heads = ["", "links", "MRR", "HITS@1", "HITS@10", "AUPRC", "precision", "recall", "F1"];
        let mut rows = vec![words(&heads)];
        for (name, of) in &report.links {
            let ranks = chosen(of, candidates);
            let mut row = vec![one_line(name), grouped(of.count)];
            let numbers = [ranks.mrr, ranks.hits_1, ranks.hits_10, of.auprc, of.precision, of.recall, of.f1];
            row.extend(numbers.map(|number| format!("{number:.3}")));
            rows.push(row);
        }
        text.push_str(&table(&rows));
        for (name, of) in &report.links {
            if let Some(Proposed { pairs, recall }) = of.proposed {
                let (name, pairs) = (one_line(name), grouped(pairs));
                text.push_str(&format!(
                    "\n{name}: {pairs} pairs were compared, {recall:.3} of these links among them\n"
                ));
            }
        }
    }
    text
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn row(name: String, figures: &RankFigures) -> Vec<String> {
    let share = |number: f64| format!("{number:.3}");
    let RankFigures { count, mrr, mr, hits_1, hits_3, hits_10, .. } = *figures;
    vec![name, grouped(count), share(mrr), share(hits_1), share(hits_3), share(hits_10), format!("{mr:.1}")]
}
