//! How is a run made, and continued?

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::{
    CARD, CHECKPOINTS, CONFIG, Card, FORMAT, Run, TRACE, Trained, VERSION, checkpoint, manifest_checksum,
    write_text,
};
use crate::config::{Config, InitialFrom, Method};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::eval::Metrics;
use crate::joint::Joint;
use crate::model::parameters::Parameters;
use crate::progress::{Progress, Unit};
use crate::train::{End, Judgement, Learner, Losses, State, Trainer, initial, sizes, zero_parameters};

/// What to train.
#[derive(Debug, Clone)]
pub struct TrainJob {
    /// The prepared folder.
    pub data: PathBuf,
    /// The folder of the run.
    pub out: PathBuf,
    /// What was chosen.
    pub config: Config,
    /// Whether to go on with the run that is there.
    pub resume: bool,
    /// Whether to remove the run that is there.
    pub replace: bool,
    /// How many such trainings share the memory of the machine; 1 is this one alone.
    pub beside: usize,
}

/// How training went.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How far it is.
    pub state: State,
    /// How many steps there are in all.
    pub total_steps: u64,
    /// Facts seen in this session, and how long it took without loading.
    pub facts: u64,
    /// Seconds spent learning and judging.
    pub seconds: f64,
    /// Whether someone asked it to stop.
    pub interrupted: bool,
    /// The last judgement.
    pub judgement: Option<Judgement>,
    /// What the first vectors were, unless it went on from a checkpoint.
    pub begun_with: Option<initial::Report>,
}

/// Trains. `should_stop` is asked after every step, and ends it there, with a checkpoint.
///
/// A step is many short tasks. Called from a thread of the pool (`rayon::ThreadPoolBuilder::use_current_thread`) it is up to a fifth faster, as
/// none of them has to wake another thread first.
pub fn train(job: &TrainJob, should_stop: &dyn Fn() -> bool, progress: &dyn Progress) -> Result<Outcome> {
    let data = Dataset::open(&job.data)?;
    check(&data, job)?;
    let begun = Begun::new(job)?;
    progress.begin("joining the graphs", None, Unit::Items);
    let joint = Joint::for_config(&data, &job.config)?;
    progress.end();
    check_memory(&joint, &job.config, job.beside)?;
    let folder = job.out.join(CHECKPOINTS);
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let checkpoint = checkpoint::found(&folder)?.pop();
    let (parameters, begun_with) = match &checkpoint {
        // All is in the checkpoint; what the run began with may be gone.
        Some(_) => (zero_parameters(&joint, &job.config), None),
        None => first_parameters(&data, &joint, &job.config, progress)?,
    };
    // Only now: what cannot begin leaves no run behind.
    begun.write_card(job)?;
    let mut learner = Learner::new(&joint, &job.config, parameters);
    let state = match checkpoint {
        Some((_, path)) => Some(checkpoint::read(&path, &mut learner)?),
        None => None,
    };
    let mut trace = Trace::continued(&job.out.join(TRACE), state.as_ref().map_or(0, |state| state.step))?;
    let mut trainer = Trainer::new(&joint, &job.config, learner, state);
    let outcome = go(&mut trainer, job, &folder, &mut trace, should_stop, progress);
    drop(begun);
    outcome.map(|outcome| Outcome { begun_with, ..outcome })
}

/// The parameters before the first step.
fn first_parameters(
    data: &Dataset,
    joint: &Joint,
    config: &Config,
    progress: &dyn Progress,
) -> Result<(Parameters<f32>, Option<initial::Report>)> {
    progress.begin("choosing the first vectors", None, Unit::Items);
    let earlier = |path: &Path| {
        let Trained { data, joint, parameters, .. } = Run::open(path)?.load(None)?;
        Ok(initial::Earlier { data, joint, parameters })
    };
    let (parameters, report) = initial::parameters(data, joint, config, earlier)?;
    progress.note(&report.to_string());
    progress.end();
    Ok((parameters, Some(report)))
}

/// Refuses tables that the machine has no memory for, instead of dying of them.
fn check_memory(joint: &Joint, config: &Config, beside: usize) -> Result<()> {
    let copies = match config.optimizer.method {
        Method::Adam => 3,
        Method::Adagrad => 2,
    };
    let bytes = sizes(joint, config).numbers() * copies * size_of::<f32>() as u128 * beside as u128;
    let Some(machine) = machine_memory().filter(|&machine| bytes > u128::from(machine)) else {
        return Ok(());
    };
    let giga = |bytes: f64| format!("{:.1} GB", bytes / 1e9);
    let (models, fewer) = match beside {
        0 | 1 => ("this model".to_owned(), ""),
        several => (format!("{several} such models"), " and fewer beside each other"),
    };
    Err(Error::Usage(format!(
        "the tables of {models} and what the optimizer remembers are {}, and this machine has {}; smaller sizes \
         (model.entity, model.features){fewer} need less",
        giga(bytes as f64),
        giga(machine as f64)
    )))
}

/// How many bytes of memory there are, where the system says so.
fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What can be known to be wrong before anything is written.
fn check(data: &Dataset, job: &TrainJob) -> Result<()> {
    check_settings(data, &job.data, &job.config)?;
    if job.resume { Ok(()) } else { check_initial(&job.config, &job.out) }
}

/// Refuses settings that this data cannot have.
pub(crate) fn check_settings(data: &Dataset, path: &Path, config: &Config) -> Result<()> {
    let learned = &config.training.graphs;
    check_names("training.graphs", learned, data)?;
    check_names("validation.graphs", &config.validation.graphs, data)?;
    let is_learned = |name: &String| learned.is_empty() || learned.contains(name);
    if data.graphs.iter().all(|graph| !is_learned(&graph.name) || graph.facts[0].is_empty()) {
        return Err(Error::folder(path, "has no training facts to learn from"));
    }
    Ok(())
}

/// Refuses to begin with what is not there, or would be removed for what is begun.
pub(crate) fn check_initial(config: &Config, out: &Path) -> Result<()> {
    let initial = Path::new(&config.initial.path);
    if config.initial.from == InitialFrom::Random {
        return Ok(());
    }
    if !initial.exists() {
        return Err(Error::Usage(format!("initial.path names {}, which is not there", initial.display())));
    }
    let is_out = || fs::canonicalize(initial).ok() == fs::canonicalize(out).ok();
    if out.exists() && is_out() {
        let message = "initial.path is the run that --force would remove; write to another folder";
        return Err(Error::Usage(message.to_owned()));
    }
    Ok(())
}

/// Refuses names of graphs that are not there.
fn check_names(key: &str, names: &[String], data: &Dataset) -> Result<()> {
    let known: Vec<&str> = data.graphs.iter().map(|graph| graph.name.as_str()).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(Error::Usage(format!("{key} names {name}; the graphs are {}", known.join(", ")))),
        None => Ok(()),
    }
}

fn go(
    trainer: &mut Trainer<'_>,
    job: &TrainJob,
    folder: &Path,
    trace: &mut Trace,
    should_stop: &dyn Fn() -> bool,
    progress: &dyn Progress,
) -> Result<Outcome> {
    let begun = Instant::now();
    let mut saved = Instant::now();
    let every = match job.config.checkpoint.every_minutes {
        minutes if minutes > 0.0 => Duration::try_from_secs_f64(minutes * 60.0).unwrap_or(Duration::MAX),
        _ => Duration::MAX,
    };
    let (mut facts, mut judgement, mut is_saved) = (0, None, true);
    let mut interrupted = false;
    let mut window = Window::new(trainer);
    let left = trainer.total_steps().saturating_sub(trainer.state.step);
    progress.begin("training", Some(left * job.config.training.batch as u64), Unit::Items);
    while trainer.state.ended.is_none() {
        if should_stop() {
            interrupted = true;
            break;
        }
        let (seen, losses) = trainer.step()?;
        is_saved = false;
        facts += seen as u64;
        progress.advance(seen as u64);
        window.add(seen, losses);
        if window.is_full(trainer) {
            progress.note(&window.words(trainer, judgement.as_ref()));
            trace.write(&window.line(trainer))?;
            window = Window::new(trainer);
        }
        if trainer.is_judged_now() {
            let found = trainer.judge();
            trace.write(&judged_line(trainer, &found))?;
            if found.is_best {
                checkpoint::write_best(folder, trainer.learner.parameters(), trainer.state.step)?;
            }
            judgement = Some(found);
            window.rest();
        }
        if saved.elapsed() >= every {
            checkpoint::write(folder, &trainer.learner, &trainer.state, job.config.checkpoint.keep)?;
            (saved, is_saved) = (Instant::now(), true);
            window.rest();
        }
    }
    if !is_saved {
        checkpoint::write(folder, &trainer.learner, &trainer.state, job.config.checkpoint.keep)?;
    }
    progress.end();
    Ok(Outcome {
        state: trainer.state.clone(),
        total_steps: trainer.total_steps(),
        facts,
        seconds: begun.elapsed().as_secs_f64(),
        interrupted,
        judgement,
        begun_with: None,
    })
}

/// A run folder that this process works on; the lock goes when it does.
struct Begun {
    _lock: File,
    /// Of the data.
    checksum: String,
}

impl Begun {
    /// Makes room in the folder, or checks that the run there can be continued.
    fn new(job: &TrainJob) -> Result<Self> {
        let exists = Run::is_at(&job.out);
        let is_empty = || fs::read_dir(&job.out).is_ok_and(|mut entries| entries.next().is_none());
        if job.out.exists() && !exists && !is_empty() && !job.out.join(LOCK).exists() {
            let message = "exists already, and is no run";
            return Err(Error::Usage(format!("{} {message}", job.out.display())));
        }
        if exists && !job.resume && !job.replace {
            let out = job.out.display();
            return Err(Error::Usage(format!(
                "{out} is a run already; --resume continues it, --force begins it anew"
            )));
        }
        fs::create_dir_all(&job.out).map_err(Error::io(&job.out))?;
        let lock = lock(&job.out)?;
        let checksum = manifest_checksum(&job.data)?;
        if exists && job.resume {
            let run = Run::open(&job.out)?;
            if run.card.data_xxh3 != checksum {
                let message = format!("is not the data that {} was begun with", job.out.display());
                return Err(Error::folder(&job.data, message));
            }
            check_same(&run.config, &job.config, &job.out)?;
            check_length(&run, &job.config)?;
        } else {
            // The card comes last and goes first: with it, all else is there.
            for name in [CARD, TRACE, CONFIG] {
                let path = job.out.join(name);
                if path.exists() {
                    fs::remove_file(&path).map_err(Error::io(&path))?;
                }
            }
            let checkpoints = job.out.join(CHECKPOINTS);
            if checkpoints.exists() {
                fs::remove_dir_all(&checkpoints).map_err(Error::io(&checkpoints))?;
            }
        }
        Ok(Self { _lock: lock, checksum })
    }

    /// Makes the folder a run.
    fn write_card(&self, job: &TrainJob) -> Result<()> {
        write_text(&job.out.join(CONFIG), &job.config.to_toml())?;
        let card = Card {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            data: fs::canonicalize(&job.data).map_err(Error::io(&job.data))?,
            data_xxh3: self.checksum.clone(),
        };
        let text = serde_json::to_string_pretty(&card).unwrap_or_default() + "\n";
        write_text(&job.out.join(CARD), &text)
    }
}

/// The file that whoever trains holds locked.
const LOCK: &str = ".lock";

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(Error::io(&path))?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(Error::Usage(format!("another process is training {} right now", folder.display())));
    }
    Ok(file)
}

/// A run goes on with what it began with; only how long, how it is judged and what is kept may change.
fn check_same(begun: &Config, now: &Config, out: &Path) -> Result<()> {
    let mut alike = now.clone();
    alike.training.epochs = begun.training.epochs;
    alike.validation = begun.validation.clone();
    alike.checkpoint = begun.checkpoint.clone();
    if alike == *begun {
        return Ok(());
    }
    // Both are written alike, line by line; a key is that of the table above it.
    let (was, is) = (begun.to_toml(), alike.to_toml());
    let mut table = String::new();
    let changed = was.lines().zip(is.lines()).find(|(was, is)| {
        if let Some(name) = was.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            table = format!("{name}.");
        }
        was != is
    });
    let what = changed.map_or(String::new(), |(was, is)| format!(": {table}{was} became {is}"));
    Err(Error::Usage(format!(
        "{} was begun with other settings{what}; only training.epochs, validation and checkpoint may change",
        out.display()
    )))
}

/// A run cannot become shorter than it is.
fn check_length(run: &Run, config: &Config) -> Result<()> {
    let asked = config.training.epochs;
    if asked >= run.config.training.epochs {
        return Ok(());
    }
    let done = run.history()?.epoch.unwrap_or(0.0);
    if asked as f64 >= done {
        return Ok(());
    }
    let out = run.path.display();
    Err(Error::Usage(format!("training.epochs: found {asked}, but {out} has seen {done:.1} epochs already")))
}

/// How a run went, a line of JSON at a time.
struct Trace {
    path: PathBuf,
    file: File,
}

impl Trace {
    /// Goes on after the lines up to a step; what came later will be repeated.
    fn continued(path: &Path, step: u64) -> Result<Self> {
        if path.exists() {
            let text = fs::read_to_string(path).map_err(Error::io(path))?;
            let step_of = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["step"].as_u64();
            let kept = text.lines().filter(|line| step_of(line).is_some_and(|own| own <= step));
            write_text(path, &kept.map(|line| format!("{line}\n")).collect::<String>())?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(Error::io(path))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    fn write(&mut self, line: &serde_json::Value) -> Result<()> {
        writeln!(self.file, "{line}").map_err(Error::io(&self.path))
    }
}

/// Some steps that are reported together.
struct Window {
    /// Since when its steps are timed; judging and saving are not among them.
    begun: Instant,
    seconds: f64,
    first: u64,
    facts: usize,
    losses: Losses,
}

impl Window {
    /// So many reports an epoch, and one after so many steps at the latest: a large epoch takes hours.
    const AN_EPOCH: u64 = 20;
    const STEPS: u64 = 100;

    fn new(trainer: &Trainer<'_>) -> Self {
        Self {
            begun: Instant::now(),
            seconds: 0.0,
            first: trainer.state.step,
            facts: 0,
            losses: Losses::default(),
        }
    }

    /// Something else was done since the last step.
    fn rest(&mut self) {
        self.begun = Instant::now();
    }

    fn add(&mut self, facts: usize, losses: Losses) {
        self.seconds += self.begun.elapsed().as_secs_f64();
        self.begun = Instant::now();
        self.facts += facts;
        self.losses.relational += losses.relational;
        self.losses.linkage += losses.linkage;
        self.losses.alignment += losses.alignment;
        self.losses.cubes += losses.cubes;
    }

    fn is_full(&self, trainer: &Trainer<'_>) -> bool {
        let (steps, an_epoch) = (trainer.state.step - self.first, trainer.steps_per_epoch());
        steps >= an_epoch.div_ceil(Self::AN_EPOCH).min(Self::STEPS)
            || trainer.state.step.is_multiple_of(an_epoch)
    }

    fn mean(&self, loss: f64) -> f64 {
        loss / self.facts.max(1) as f64
    }

    fn line(&self, trainer: &Trainer<'_>) -> serde_json::Value {
        let seconds = self.seconds;
        json!({
            "step": trainer.state.step,
            "epoch": trainer.state.step as f64 / trainer.steps_per_epoch() as f64,
            "facts": self.facts,
            "seconds": seconds,
            "facts_per_second": self.facts as f64 / seconds,
            "rate": trainer.rate(),
            "loss": {
                "total": self.mean(self.losses.total()),
                "relational": self.mean(self.losses.relational),
                "linkage": self.mean(self.losses.linkage),
                "alignment": self.mean(self.losses.alignment),
                "n3": self.mean(self.losses.cubes),
            },
        })
    }

    fn words(&self, trainer: &Trainer<'_>, judgement: Option<&Judgement>) -> String {
        let epoch = trainer.state.step.div_ceil(trainer.steps_per_epoch());
        let epochs = trainer.total_steps() / trainer.steps_per_epoch();
        let losses = &self.losses;
        let mut words = format!("epoch {epoch}/{epochs}, loss {:.3}", self.mean(losses.total()));
        words +=
            &format!(" (facts {:.3}, links {:.3})", self.mean(losses.relational), self.mean(losses.linkage));
        if let Some(judgement) = judgement {
            words += &format!(", valid {:.4}", judgement.value);
        }
        words
    }
}

fn judged_line(trainer: &Trainer<'_>, judgement: &Judgement) -> serde_json::Value {
    let metrics = |metrics: &Metrics| {
        json!({
            "count": metrics.count, "mrr": metrics.mrr, "mr": metrics.mr,
            "hits@1": metrics.hits[0], "hits@3": metrics.hits[1], "hits@10": metrics.hits[2],
        })
    };
    let graphs: serde_json::Map<_, _> =
        judgement.graphs.iter().map(|(name, found)| (name.clone(), metrics(found))).collect();
    json!({
        "step": trainer.state.step,
        "validation": graphs,
        "value": judgement.value,
        "best": judgement.is_best,
        "ended": trainer.state.ended == Some(End::Patience),
    })
}
