//! How is a row learned and judged?

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::folder::{Begun, Folder};
use super::protocol::protocol;
use super::result::{Outcome, RowResult, Training};
use super::rows::{Learning, Row, check_shared};
use super::tables::{Column, Ending, Figure, Table, Tables};
use super::tuning::{MOST_TRIES, Tried, best, tried};
use super::{DATA, Job, PAGE, TEXT, judged};
use crate::assess::differences;
use crate::config::Config;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::graph::Part;
use crate::progress::{Progress, Unit};
use crate::run::{Run, TrainJob, manifest_checksum, train};

/// The preset where none is named.
const USUAL: &str = "default";

/// A job that can be done.
pub(super) struct Work<'a> {
    job: &'a Job,
    pub(super) rows: Vec<Row>,
    pub(super) seeds: Vec<u64>,
    pub(super) folder: Folder,
    begun: Begun,
    preset: Config,
    /// The settings that all rows share.
    shared: Config,
    graphs: Vec<String>,
    /// What the tables are about.
    judged: Judged,
}

/// What of the data can be judged.
struct Judged {
    /// Graphs with facts.
    graphs: Vec<String>,
    /// Pairs with links, as `A-B`.
    pairs: Vec<String>,
    /// Whether there are links at all: without, there is nothing to learn from them.
    links: bool,
}

/// How one training ended.
enum Ended {
    /// It can be judged.
    Learned(Box<Run>),
    /// It led to numbers that are none.
    Diverged(String),
    /// Someone asked it to stop.
    Interrupted,
}

impl<'a> Work<'a> {
    /// Checks everything that can be known to be wrong, and only then begins the folder.
    pub(super) fn begin(job: &'a Job) -> Result<Self> {
        let name = job.preset.as_deref().unwrap_or(USUAL);
        let preset = Config::preset(name)?;
        let shared = Config::resolve(Some(name), None, &job.sets)?;
        check_shared(&shared)?;
        let mut rows = if job.rows.is_empty() { Row::ALL.to_vec() } else { job.rows.clone() };
        rows.sort_unstable();
        rows.dedup();
        for row in &rows {
            row.learnings().iter().try_for_each(|&learning| row.config(&shared, learning).map(|_| ()))?;
        }
        let data = Dataset::open(&job.data)?;
        check(job, &shared, &data)?;
        let judged = Judged::of(&data, job.part);
        if judged.graphs.is_empty() && judged.pairs.is_empty() {
            let message = format!("has nothing to judge in its {} part", job.part.name());
            return Err(Error::folder(&job.data, message));
        }
        let settings = differences(&shared, &preset).into_iter().collect();
        let checksum = manifest_checksum(&job.data)?;
        let begun = Begun::with(checksum, job.part.name(), name, settings);
        let begun = Begun { seeds: job.seeds, tuning: job.tuning, ..begun };
        let folder = Folder::begin(&job.out, &begun)?;
        let seeds = (0..job.seeds as u64).map(|at| shared.seed.wrapping_add(at)).collect();
        let graphs = data.graphs.iter().map(|graph| graph.name.clone()).collect();
        Ok(Self { job, rows, seeds, folder, begun, preset, shared, graphs, judged })
    }

    /// Learns a row with one seed and judges it; none if someone asked it to stop before the end.
    pub(super) fn learn_row(
        &self,
        row: Row,
        seed: u64,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<RowResult>> {
        let Some((tries, chosen)) = self.tune(row, seed, stop, progress)? else { return Ok(None) };
        let mut trainings = Vec::new();
        // Without links there is but one way to learn.
        let count = if self.judged.links { row.learnings().len() } else { 1 };
        for (at, &learning) in row.learnings()[..count].iter().enumerate() {
            // The try that was chosen is the training; it is not repeated.
            let name = match at == 0 && !tries.is_empty() {
                true => try_name(row, seed, chosen),
                false => run_name(row, learning, seed),
            };
            let config = self.config(row, learning, seed, chosen)?;
            let Some(training) = self.learn(row, learning, &name, config, stop, progress)? else {
                return Ok(None);
            };
            trainings.push(training);
        }
        Ok(Some(RowResult { row, seed, tried: tries, chosen: chosen + 1, trainings }))
    }

    /// The tries of a row and the best of them, counted from 0. They are made with the first seed, for all seeds.
    fn tune(
        &self,
        row: Row,
        seed: u64,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<(Vec<Tried>, usize)>> {
        if self.job.tuning == 1 {
            return Ok(Some((Vec::new(), 0)));
        }
        let first = self.seeds.first().copied().unwrap_or(seed);
        if seed != first {
            let result = self.folder.row(row, first)?;
            return Ok(Some((Vec::new(), result.map_or(0, |result| result.chosen.saturating_sub(1)))));
        }
        let mut tries = Vec::new();
        for number in 0..self.job.tuning {
            let config = self.config(row, row.learnings()[0], seed, number)?;
            let (rate, dropout) = (config.optimizer.rate, config.regularization.dropout);
            let titled = Titled { title: format!("{}, try {}", row.name(), number + 1), inner: progress };
            let validation = match self.train(&try_name(row, seed, number), config, stop, &titled)? {
                Ended::Learned(run) => run.history()?.best.map(|(_, judgement)| judgement.value),
                Ended::Diverged(_) => None,
                Ended::Interrupted => return Ok(None),
            };
            tries.push(Tried { rate, dropout, validation });
        }
        let chosen = best(&tries);
        Ok(Some((tries, chosen)))
    }

    fn config(&self, row: Row, learning: Learning, seed: u64, number: usize) -> Result<Config> {
        let mut config = tried(&row.config(&self.shared, learning)?, number);
        config.seed = seed;
        Ok(config)
    }

    /// One training and its figures; none if someone asked it to stop.
    fn learn(
        &self,
        row: Row,
        learning: Learning,
        name: &str,
        config: Config,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<Training>> {
        let titled = Titled { title: format!("{}, {}", row.name(), learning.name()), inner: progress };
        let mut settings: BTreeMap<String, String> = differences(&config, &self.preset).into_iter().collect();
        settings.remove("seed");
        let (within, _) = self.folder.run(name);
        let mut training = Training {
            learning,
            run: within,
            settings,
            steps: 0,
            epochs: 0.0,
            seconds: 0.0,
            outcome: Outcome::Diverged(String::new()),
        };
        training.outcome = match self.train(name, config, stop, &titled)? {
            Ended::Interrupted => return Ok(None),
            Ended::Diverged(why) => Outcome::Diverged(why),
            Ended::Learned(run) => {
                let history = run.history()?;
                training.steps = history.state.map_or(0, |state| state.step);
                training.epochs = history.epoch.unwrap_or(0.0);
                training.seconds = history.seconds;
                Outcome::Judged(judged::figures(&run, &self.job.data, self.job.part, learning, &titled)?)
            }
        };
        Ok(Some(training))
    }

    /// Trains, or goes on with a run that is there.
    fn train(&self, name: &str, config: Config, stop: &AtomicBool, progress: &dyn Progress) -> Result<Ended> {
        let (_, out) = self.folder.run(name);
        let job = TrainJob { data: self.job.data.clone(), out, config, resume: true, replace: false };
        match train(&job, stop, progress) {
            Ok(outcome) if outcome.interrupted => Ok(Ended::Interrupted),
            Ok(_) => Ok(Ended::Learned(Box::new(Run::open(&job.out)?))),
            Err(error @ Error::Diverged { .. }) => Ok(Ended::Diverged(error.to_string())),
            Err(other) => Err(other),
        }
    }

    /// Writes the tables of what is done.
    pub(super) fn write_tables(&self, ending: Ending) -> Result<Tables> {
        let mut results = Vec::new();
        for row in Row::ALL {
            for &seed in &self.seeds {
                results.extend(self.folder.row(row, seed)?);
            }
        }
        let tables = Tables {
            graphs: self.graphs.clone(),
            begun: self.begun.clone(),
            seeds: self.seeds.clone(),
            ending,
            protocol: protocol(&self.begun, &self.seeds),
            tables: self.tables(&results),
            results,
        };
        // Nothing here can fail: every key is text.
        let json = serde_json::to_string_pretty(&tables).unwrap_or_default() + "\n";
        for (name, text) in [(DATA, json), (TEXT, tables.text()), (PAGE, tables.html())] {
            self.folder.write(name, &text)?;
        }
        Ok(tables)
    }

    fn tables(&self, results: &[RowResult]) -> Vec<Table> {
        let part = self.job.part.name();
        let columns = |of: &[String], figures: [Figure; 2]| -> Vec<Column> {
            let both = |of: &String| figures.map(|figure| Column { of: of.clone(), figure });
            of.iter().flat_map(both).collect()
        };
        let table =
            |caption: String, rows: &[Row], columns| Table::new(caption, rows, columns, &self.seeds, results);
        let mut tables = Vec::new();
        if !self.judged.graphs.is_empty() {
            let own = columns(&self.judged.graphs, [Figure::Hits10, Figure::Mrr]);
            tables.push(table(format!("Table 2: link prediction, {part} facts"), &Row::ALL, own));
        }
        if !self.judged.graphs.is_empty() && self.judged.links {
            let variants: Vec<Row> = Row::ALL.into_iter().filter(|row| !row.is_baseline()).collect();
            let own = columns(&self.judged.graphs, [Figure::UnsupervisedHits10, Figure::UnsupervisedMrr]);
            let caption = format!("Table 2 without links: the same, learned from facts alone, {part} facts");
            tables.push(table(caption, &variants, own));
        }
        if !self.judged.pairs.is_empty() {
            let own = columns(&self.judged.pairs, [Figure::SupervisedAuprc, Figure::UnsupervisedAuprc]);
            tables.push(table(format!("Table 3: entity linkage, AUPRC of {part} links"), &Row::ALL, own));
        }
        tables
    }
}

impl Judged {
    fn of(data: &Dataset, part: Part) -> Self {
        let graphs = data.graphs.iter().filter(|graph| !graph.facts[part as usize].is_empty());
        let pairs = data.links.iter().filter(|links| !links.positives[part as usize].is_empty());
        let name = |graph: usize| data.graphs[graph].name.as_str();
        Self {
            graphs: graphs.map(|graph| graph.name.clone()).collect(),
            pairs: pairs.map(|links| format!("{}-{}", name(links.first), name(links.second))).collect(),
            links: !data.links.is_empty(),
        }
    }
}

fn check(job: &Job, shared: &Config, data: &Dataset) -> Result<()> {
    let valid = data.graphs.iter().any(|graph| !graph.facts[Part::Valid as usize].is_empty());
    let message = if job.seeds == 0 {
        "--seeds: found 0, expected 1 or more".to_owned()
    } else if !(1..=MOST_TRIES).contains(&job.tuning) {
        format!("--tuning: found {}, expected 1 to {MOST_TRIES}", job.tuning)
    } else if job.tuning > 1 && !valid {
        "--tuning: settings are chosen by validation facts, and the data has none".to_owned()
    } else if job.tuning > 1 && shared.validation.every == 0.0 {
        "--tuning: settings are chosen by validation, which validation.every = 0 turns off".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::Usage(message))
}

fn run_name(row: Row, learning: Learning, seed: u64) -> String {
    let unsupervised = match row.is_baseline() || learning == Learning::Supervised {
        true => "",
        false => "-unsupervised",
    };
    format!("{}{unsupervised}-seed{seed}", row.key())
}

fn try_name(row: Row, seed: u64, number: usize) -> String {
    format!("{}-seed{seed}-try{}", row.key(), number + 1)
}

/// Says of each stage which row it is for.
struct Titled<'a> {
    title: String,
    inner: &'a dyn Progress,
}

impl Progress for Titled<'_> {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Unit) {
        self.inner.begin(&format!("{}: {stage}", self.title), total, unit);
    }

    fn advance(&self, amount: u64) {
        self.inner.advance(amount);
    }

    fn note(&self, words: &str) {
        self.inner.note(words);
    }

    fn end(&self) {
        self.inner.end();
    }
}
