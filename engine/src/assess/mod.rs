//! What does a run amount to?
//!
//! The model is asked about a part of the data that it did not learn from: for the missing entity of each fact, and for
//! the partner of each linked entity. What comes out is a [`Report`].

mod data;
mod describe;
mod found;
mod links;
mod summary;
mod triples;

use std::path::PathBuf;

pub use data::{assess_data, assess_found};
pub(crate) use summary::{differences, flat};

use crate::error::{Error, Result};
use crate::eval::TripleFigures;
use crate::eval::linkage::{ClassifierConfig, LinkOptions, Measure, Scorer};
use crate::graph::Part;
use crate::link::{Kind, Learned, LinkConfig, Pair};
use crate::progress::{Progress, Unit};
use crate::report::Report;
use crate::run::Run;
use crate::train::{baseline, ranker};

/// What is judged, and how.
#[derive(Debug, Clone)]
pub struct Assessment {
    /// The part of the data: [`Part::Valid`] or [`Part::Test`].
    pub part: Part,
    /// Whether facts are asked about.
    pub triples: bool,
    /// Whether links are.
    pub links: bool,
    /// What tells whether entities are the same.
    pub judge: Judge,
    /// All evidence is looked at in this way, and the model is one witness; otherwise it is the judge.
    pub evidence: Option<LinkConfig>,
    /// How much work the places of partners may be.
    pub options: LinkOptions,
    /// Where the data is, if it has moved.
    pub data: Option<PathBuf>,
}

/// What tells whether two entities are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// [`Judge::Replacement`] where the model learned from links, else [`Judge::SecondStage`]: as the paper does.
    Paper,
    /// Algorithm 2.
    Replacement,
    /// The cosine of the representations.
    Cosine,
    /// A network that learns from the training links.
    SecondStage,
}

/// Judges a run.
pub fn assess(run: &Run, asked: &Assessment, progress: &dyn Progress) -> Result<Report> {
    progress.begin("reading the run", None, Unit::Items);
    let trained = run.load(asked.data.as_deref())?;
    trained.check_finite(&run.path)?;
    progress.end();
    let is_baseline = baseline(&run.config).is_some();
    if is_baseline && asked.judge == Judge::Replacement {
        let message = "Algorithm 2 compares facts by LinkNBed's score, and this run is of another model; the second \
                       stage or the cosine can judge its links";
        return Err(Error::Usage(message.to_owned()));
    }
    let model = trained.model(&run.config);
    let mut report = Report {
        title: summary::title(&trained.data),
        about: format!("Judged on the {} part, after {} steps.", asked.part.name(), trained.step),
        on: Some(asked.part),
        data: Some(summary::data(&trained.data.manifest)),
        run: Some(summary::run(run, trained.step)?),
        curves: Some(summary::curves(run)?),
        ..Default::default()
    };
    if asked.triples {
        let mut ranker = ranker(model.joint, model.parameters, &run.config);
        for (number, graph) in trained.data.graphs.iter().enumerate() {
            if graph.facts[asked.part as usize].is_empty() {
                continue;
            }
            let figures = TripleFigures::rank(ranker.as_mut(), number, asked.part, progress);
            report.triples.push((graph.name.clone(), triples::section(graph, asked.part, &figures)));
        }
    }
    if let (true, Some(config)) = (asked.links, &asked.evidence) {
        let learned = |pair: &Pair<'_>| {
            let learned = || Learned::new(trained.representations(&run.config, [pair.first, pair.second]));
            config.kinds.contains(&Kind::Model).then(learned)
        };
        report.links = data::sections(&trained.data, asked.part, config, &learned, progress)?;
    } else if asked.links {
        for links in
            trained.data.links.iter().filter(|links| !links.positives[asked.part as usize].is_empty())
        {
            let names = [links.first, links.second].map(|graph| trained.data.graphs[graph].name.clone());
            progress.begin(&format!("judging the links of {}", names.join("-")), None, Unit::Items);
            let graphs = [links.first, links.second];
            let representations = trained.representations(&run.config, graphs);
            let section = links::section(&trained.data, links, &representations, asked, scorer(run, asked));
            report.links.push((names.join("-"), section));
            progress.end();
        }
    }
    if report.triples.is_empty() && report.links.is_empty() {
        let message = format!("has nothing to judge in its {} part", asked.part.name());
        return Err(Error::folder(&trained.data.path, message));
    }
    Ok(report)
}

fn scorer(run: &Run, asked: &Assessment) -> Scorer {
    let second_stage = Scorer::SecondStage(ClassifierConfig { seed: run.config.seed, ..Default::default() });
    match asked.judge {
        Judge::Paper if !run.config.linkage.on || baseline(&run.config).is_some() => second_stage,
        Judge::Paper | Judge::Replacement => Scorer::Replacement(Measure::default()),
        Judge::Cosine => Scorer::Cosine,
        Judge::SecondStage => second_stage,
    }
}
