//! How is a row learned and judged?

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::folder::{Begun, Folder};
use super::protocol::protocol;
use super::result::{Learned, Outcome, RowResult, Training};
use super::rows::{Learning, Row, check_shared};
use super::tables::{Column, Ending, Figure, Table, Tables};
use super::tuning::{MOST_TRIES, Tried, best, tried};
use super::{DATA, Job, PAGE, TEXT, judged};
use crate::assess::{differences, flat};
use crate::config::Config;
use crate::dataset::{Dataset, PreparedGraph};
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
    /// The settings that all rows share.
    shared: Config,
    graphs: Vec<String>,
    /// Those that there is something to learn of.
    graphs_with_facts: Vec<String>,
    /// What the tables are about.
    judged: Judged,
}

/// What one run is about.
#[derive(Debug, Clone, Copy)]
struct Task<'a> {
    row: Row,
    learning: Learning,
    /// The graph that is learned; none for all together.
    graph: Option<&'a str>,
    seed: u64,
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

/// How one run ended.
enum Ended {
    /// It can be judged.
    Learned(Box<Run>),
    /// It led to numbers that are none.
    Diverged(String),
}

impl<'a> Work<'a> {
    /// Checks everything that can be known to be wrong, and only then begins the folder.
    pub(super) fn begin(job: &'a Job) -> Result<Self> {
        let name = job.preset.as_deref().unwrap_or(USUAL);
        let preset = Config::preset(name)?;
        let shared = shared(name, &job.sets)?;
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
        let with_facts = data.graphs.iter().filter(|graph| !graph.facts[Part::Train as usize].is_empty());
        let graphs_with_facts = with_facts.map(|graph| graph.name.clone()).collect();
        Ok(Self { job, rows, seeds, folder, begun, shared, graphs, graphs_with_facts, judged })
    }

    /// Learns a row with one seed and judges it; none if someone asked it to stop before the end.
    pub(super) fn learn_row(
        &self,
        row: Row,
        seed: u64,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<RowResult>> {
        let mut trainings: Vec<Training> = Vec::new();
        // Without links there is but one way to learn.
        let count = if self.judged.links { row.learnings().len() } else { 1 };
        for &learning in &row.learnings()[..count] {
            let mut runs = Vec::new();
            for (at, graph) in self.learned_alone(row).into_iter().enumerate() {
                let task = Task { row, learning, graph, seed };
                // What the first way of learning chose holds for the second.
                let chosen_before = trainings.first().map(|training| training.runs[at].chosen - 1);
                let titled = Titled { title: task.title(), inner: progress };
                let Some(run) = self.learn(task, at, chosen_before, stop, &titled)? else { return Ok(None) };
                runs.push(run);
            }
            let titled = Titled { title: format!("{}, {}", row.name(), learning.name()), inner: progress };
            let (runs, ended): (Vec<Learned>, Vec<Ended>) = runs.into_iter().unzip();
            let outcome = self.judge(&runs, ended, learning, &titled)?;
            trainings.push(Training { learning, runs, outcome });
        }
        Ok(Some(RowResult { row, seed, trainings }))
    }

    /// What a row learns in one run each: baselines each graph that has facts, LinkNBed all together.
    fn learned_alone(&self, row: Row) -> Vec<Option<&str>> {
        match row.is_baseline() {
            true => self.graphs_with_facts.iter().map(|name| Some(name.as_str())).collect(),
            false => vec![None],
        }
    }

    /// One run, after its tries if there are any; none if someone asked it to stop.
    fn learn(
        &self,
        task: Task<'_>,
        at: usize,
        chosen_before: Option<usize>,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<(Learned, Ended)>> {
        let (tried, chosen) = match chosen_before {
            Some(chosen) => (Vec::new(), chosen),
            None => match self.tune(task, at, stop, progress)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        // The try that was chosen is the run; it is not repeated.
        let name = if tried.is_empty() { task.name() } else { task.try_name(chosen) };
        let config = self.config(task, chosen)?;
        let mut settings: BTreeMap<String, String> = differences(&config, &self.shared).into_iter().collect();
        settings.retain(|key, _| !["seed", "training.graphs"].contains(&key.as_str()));
        let Some(ended) = self.train(&name, config, stop, progress)? else { return Ok(None) };
        let graph = task.graph.map(str::to_owned);
        let run = self.folder.run(&name).0;
        let mut learned = Learned { run, graph, settings, tried, chosen: chosen + 1, ..Default::default() };
        if let Ended::Learned(run) = &ended {
            let history = run.history()?;
            learned.steps = history.state.map_or(0, |state| state.step);
            learned.epochs = history.epoch.unwrap_or(0.0);
            learned.seconds = history.seconds;
        }
        Ok(Some((learned, ended)))
    }

    /// The tries of a run and the best of them, counted from 0. They are made with the first seed, for all seeds.
    fn tune(
        &self,
        task: Task<'_>,
        at: usize,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<(Vec<Tried>, usize)>> {
        if self.job.tuning == 1 {
            return Ok(Some((Vec::new(), 0)));
        }
        let first = self.seeds.first().copied().unwrap_or(task.seed);
        if task.seed != first {
            let result = self.folder.row(task.row, first)?;
            let run = result.as_ref().and_then(|result| result.trainings.first()?.runs.get(at));
            return Ok(Some((Vec::new(), run.map_or(0, |run| run.chosen.saturating_sub(1)))));
        }
        let own = self.config(task, 0)?;
        let mut tries = Vec::new();
        for number in 0..self.job.tuning {
            let config = self.config(task, number)?;
            let titled = Titled { title: format!("try {}", number + 1), inner: progress };
            let ended = self.train(&task.try_name(number), config.clone(), stop, &titled)?;
            let validation = match ended {
                Some(Ended::Learned(run)) => run.history()?.best.map(|(_, judgement)| judgement.value),
                Some(Ended::Diverged(_)) => None,
                None => return Ok(None),
            };
            tries.push(Tried::new(&own, &config, validation));
        }
        let chosen = best(&tries);
        Ok(Some((tries, chosen)))
    }

    fn config(&self, task: Task<'_>, number: usize) -> Result<Config> {
        let mut config = tried(&task.row.config(&self.shared, task.learning)?, number);
        config.seed = task.seed;
        if let Some(graph) = task.graph {
            config.training.graphs = vec![graph.to_owned()];
            // It is judged by what it learns.
            config.validation.graphs.clear();
        }
        Ok(config)
    }

    /// The figures of what was learned in one way.
    fn judge(
        &self,
        runs: &[Learned],
        ended: Vec<Ended>,
        learning: Learning,
        progress: &dyn Progress,
    ) -> Result<Outcome> {
        let mut learned = Vec::new();
        for (own, ended) in runs.iter().zip(ended) {
            match ended {
                Ended::Learned(run) => learned.push((own.graph.as_deref(), *run)),
                Ended::Diverged(why) => return Ok(Outcome::Diverged(why)),
            }
        }
        let figures = judged::figures(&learned, &self.job.data, self.job.part, learning, progress)?;
        Ok(Outcome::Judged(figures))
    }

    /// Trains, or goes on with a run that is there; none if someone asked it to stop.
    fn train(
        &self,
        name: &str,
        config: Config,
        stop: &AtomicBool,
        progress: &dyn Progress,
    ) -> Result<Option<Ended>> {
        let (_, out) = self.folder.run(name);
        let job = TrainJob { data: self.job.data.clone(), out, config, resume: true, replace: false };
        match train(&job, stop, progress) {
            Ok(outcome) if outcome.interrupted => Ok(None),
            Ok(_) => Ok(Some(Ended::Learned(Box::new(Run::open(&job.out)?)))),
            Err(error @ Error::Diverged { .. }) => Ok(Some(Ended::Diverged(error.to_string()))),
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
            settings: flat(&self.shared).into_iter().collect(),
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

/// The settings that all rows begin with.
fn shared(preset: &str, sets: &[String]) -> Result<Config> {
    // LinkNBed cannot ask backwards by vectors of its own, and takes no part in that; baselines can.
    let forwards = [sets, &["model.reciprocal=false".to_owned()]].concat();
    let mut shared = Config::resolve(Some(preset), None, &forwards)?;
    shared.model.reciprocal = Config::unchecked(preset, sets)?.model.reciprocal;
    Ok(shared)
}

fn check(job: &Job, shared: &Config, data: &Dataset) -> Result<()> {
    let Config { validation, training, .. } = shared;
    let is_judged = |name: &String| validation.graphs.is_empty() || validation.graphs.contains(name);
    let has_facts = |graph: &PreparedGraph| !graph.facts[Part::Valid as usize].is_empty();
    let valid = data.graphs.iter().any(|graph| is_judged(&graph.name) && has_facts(graph));
    let message = if job.seeds == 0 {
        "--seeds: found 0, expected 1 or more".to_owned()
    } else if !(1..=MOST_TRIES).contains(&job.tuning) {
        format!("--tuning: found {}, expected 1 to {MOST_TRIES}", job.tuning)
    } else if job.tuning > 1 && !valid {
        "--tuning: settings are chosen by validation facts, and the data has none".to_owned()
    } else if job.tuning > 1 && validation.every == 0.0 {
        "--tuning: settings are chosen by validation, which validation.every = 0 turns off".to_owned()
    } else if job.tuning > 1 && validation.every > training.epochs as f64 {
        let (every, epochs) = (validation.every, training.epochs);
        format!(
            "--tuning: settings are chosen by validation, which comes every {every} epochs, but there are {epochs}"
        )
    } else {
        return Ok(());
    };
    Err(Error::Usage(message))
}

impl Task<'_> {
    /// What it is about, before what is being done.
    fn title(&self) -> String {
        let of = self.graph.unwrap_or(self.learning.name());
        format!("{}, {of}", self.row.name())
    }

    /// The name of its run.
    fn name(&self) -> String {
        let graph = self.graph.map(|graph| format!("-{graph}")).unwrap_or_default();
        let unsupervised = match self.row.is_baseline() || self.learning == Learning::Supervised {
            true => "",
            false => "-unsupervised",
        };
        format!("{}{graph}{unsupervised}-seed{}", self.row.key(), self.seed)
    }

    /// The name of the run of a try, counted from 0.
    fn try_name(&self, number: usize) -> String {
        format!("{}-try{}", self.name(), number + 1)
    }
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
