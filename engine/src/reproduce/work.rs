//! How is a row learned and judged?

use std::collections::BTreeMap;

use super::folder::{Begun, Folder};
use super::protocol::protocol;
use super::queue::{Learnt, LearntRun};
use super::result::{Learned, Outcome, RowResult, Training};
use super::rows::{Learning, Row, check_shared};
use super::tables::{Column, Ending, Figure, Table, Tables};
use super::task::Task;
use super::tuning::{MOST_TRIES, Tried};
use super::{DATA, Job, PAGE, TEXT, judged};
use crate::assess::{differences, flat};
use crate::config::Config;
use crate::dataset::{Dataset, PreparedGraph};
use crate::error::{Error, Result};
use crate::graph::Part;
use crate::progress::{Progress, Unit};
use crate::run::{Run, TrainJob, check_initial, check_settings, manifest_checksum, train};

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
    /// How many runs are learned beside each other.
    pub(super) jobs: usize,
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
#[derive(Debug, Clone)]
pub(super) enum Ended {
    /// It can be judged; its best validation, if it had any.
    Learned(Option<f64>),
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
        check_settings(&data, &job.data, &shared)?;
        if rows.iter().any(|row| !row.is_baseline()) && !Folder::is_begun(&job.out) {
            check_initial(&shared, &job.out)?;
        }
        check(job, &shared, &data)?;
        check_tuning_of_each_graph(job, &rows, &data)?;
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
        // Here, as each of several jobs sees its own threads alone.
        let jobs = job.jobs.clamp(1, rayon::current_num_threads());
        Ok(Self { job, rows, seeds, folder, begun, shared, graphs, graphs_with_facts, judged, jobs })
    }

    /// How many settings every row tries.
    pub(super) fn tuning(&self) -> usize {
        self.job.tuning
    }

    /// The seed by which settings are chosen for all.
    pub(super) fn first_seed(&self) -> u64 {
        self.shared.seed
    }

    /// What a row learns in one run each: baselines each graph that has facts, LinkNBed all together.
    fn learned_alone(&self, row: Row) -> Vec<Option<&str>> {
        match row.is_baseline() {
            true => self.graphs_with_facts.iter().map(|name| Some(name.as_str())).collect(),
            false => vec![None],
        }
    }

    /// How a row learns. Without links there is but one way.
    fn learnings(&self, row: Row) -> &'static [Learning] {
        let all = row.learnings();
        if self.judged.links { all } else { &all[..1] }
    }

    /// What a row tries first, for each graph that it learns alone. What is best by the first way of learning holds for
    /// the second. Of one setting there is nothing to try.
    pub(super) fn tries(&self, row: Row) -> Vec<Vec<Task<'_>>> {
        let (learning, seed) = (self.learnings(row)[0], self.first_seed());
        let numbers = 0..if self.job.tuning > 1 { self.job.tuning } else { 0 };
        let of = |graph| {
            numbers.clone().map(move |number| Task { row, learning, graph, seed, number, is_try: true })
        };
        self.learned_alone(row).into_iter().map(|graph| of(graph).collect()).collect()
    }

    /// The runs that a row is judged by, with the settings chosen for each graph that it learns alone.
    pub(super) fn runs(&self, row: Row, seed: u64, chosen: &[usize]) -> Vec<Task<'_>> {
        let mut runs = Vec::new();
        for (at, &learning) in self.learnings(row).iter().enumerate() {
            // The try that was chosen is the run; it is not repeated.
            let is_try = self.job.tuning > 1 && seed == self.first_seed() && at == 0;
            for (graph, &number) in self.learned_alone(row).into_iter().zip(chosen) {
                runs.push(Task { row, learning, graph, seed, number, is_try });
            }
        }
        runs
    }

    /// How a try went.
    pub(super) fn tried(&self, task: Task<'_>, ended: &Ended) -> Option<Tried> {
        let own = Task { number: 0, ..task }.config(&self.shared).ok()?;
        let validation = match ended {
            Ended::Learned(validation) => *validation,
            Ended::Diverged(_) => None,
        };
        Some(Tried::new(&own, &task.config(&self.shared).ok()?, validation))
    }

    /// Trains, or goes on with a run that is there; none if someone asked it to stop.
    pub(super) fn train(
        &self,
        task: Task<'_>,
        should_stop: &dyn Fn() -> bool,
        progress: &dyn Progress,
    ) -> Result<Option<Ended>> {
        let config = task.config(&self.shared)?;
        let (_, out) = self.folder.run(&task.name());
        let job = TrainJob {
            data: self.job.data.clone(),
            out,
            config,
            resume: true,
            replace: false,
            beside: self.jobs,
        };
        match train(&job, should_stop, &Titled { title: task.title(), inner: progress }) {
            Ok(outcome) if outcome.interrupted => Ok(None),
            Ok(_) => {
                let best = Run::open(&job.out)?.history()?.best;
                Ok(Some(Ended::Learned(best.map(|(_, judgement)| judgement.value))))
            }
            Err(error @ Error::Diverged { .. }) => Ok(Some(Ended::Diverged(error.to_string()))),
            Err(other) => Err(other),
        }
    }

    /// Judges a row by its runs.
    pub(super) fn judge(&self, learnt: Learnt<'_>, progress: &dyn Progress) -> Result<RowResult> {
        let Learnt { row, seed, runs } = learnt;
        let mut trainings = Vec::new();
        for runs in runs.chunk_by(|one, other| one.task.learning == other.task.learning) {
            let learning = runs[0].task.learning;
            let title = format!("{}, {}, seed {seed}", row.name(), learning.name());
            let outcome = self.figures(runs, learning, &Titled { title, inner: progress })?;
            let runs = runs.iter().map(|run| self.learned(run)).collect::<Result<_>>()?;
            trainings.push(Training { learning, runs, outcome });
        }
        Ok(RowResult { row, seed, trainings })
    }

    /// What came of learning in one way.
    fn figures(
        &self,
        runs: &[LearntRun<'_>],
        learning: Learning,
        progress: &dyn Progress,
    ) -> Result<Outcome> {
        let mut learned = Vec::new();
        for LearntRun { task, ended, .. } in runs {
            if let Ended::Diverged(why) = ended {
                return Ok(Outcome::Diverged(why.clone()));
            }
            learned.push((task.graph, Run::open(&self.folder.run(&task.name()).1)?));
        }
        judged::figures(&learned, &self.job.data, self.job.part, learning, progress)
    }

    /// What the tables say of a run.
    fn learned(&self, run: &LearntRun<'_>) -> Result<Learned> {
        let LearntRun { task, tried, ended } = run;
        let mut settings: BTreeMap<String, String> =
            differences(&task.config(&self.shared)?, &self.shared).into_iter().collect();
        settings.retain(|key, _| !["seed", "training.graphs"].contains(&key.as_str()));
        let (run, path) = self.folder.run(&task.name());
        let (graph, tried, chosen) = (task.graph.map(str::to_owned), tried.clone(), task.number + 1);
        let mut learned = Learned { run, graph, settings, tried, chosen, ..Default::default() };
        if let Ended::Learned(_) = ended {
            let history = Run::open(&path)?.history()?;
            learned.steps = history.state.map_or(0, |state| state.step);
            learned.epochs = history.epoch.unwrap_or(0.0);
            learned.seconds = history.seconds;
        }
        Ok(learned)
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

/// A row that learns each graph alone chooses settings for each by its validation facts.
fn check_tuning_of_each_graph(job: &Job, rows: &[Row], data: &Dataset) -> Result<()> {
    let count = |graph: &PreparedGraph, part: Part| graph.facts[part as usize].len();
    let cannot_choose =
        |graph: &&PreparedGraph| count(graph, Part::Train) > 0 && count(graph, Part::Valid) == 0;
    let Some(row) = rows.iter().find(|row| job.tuning > 1 && row.is_baseline()) else { return Ok(()) };
    match data.graphs.iter().find(cannot_choose) {
        Some(graph) => Err(Error::Usage(format!(
            "--tuning: {} learns each graph alone and chooses settings by its validation facts, and {} has none; other \
             --rows, or --tuning 1, do without",
            row.name(),
            graph.name
        ))),
        None => Ok(()),
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
