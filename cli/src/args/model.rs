//! What can be asked of models?

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use linknbed::link::Kind;

/// What is chosen for training: later ones override earlier ones.
#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// The values to begin with: paper, default, or a baseline such as distmult-fb15k-237 [default: what the config file
    /// names, or else default]
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A TOML file with the keys that differ from the preset
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A single value, such as loss.margin=2; give one for each
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TrainArgs {
    /// The prepared folder
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// The folder of the run
    #[arg(long, value_name = "RUN")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// What everything random is drawn from; the same as --set seed=N
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Go on with the run that is there, to the same result as if it had never stopped
    #[arg(long)]
    pub(crate) resume: bool,
    /// Begin anew, and remove the run that is there
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct EvalArgs {
    /// The folder of the run; or a prepared folder, whose links are found without a model
    #[arg(value_name = "RUN|DATA")]
    pub(crate) run: PathBuf,
    /// The part of the data that is asked about
    #[arg(long, value_enum, default_value = "test")]
    pub(crate) on: On,
    /// What is asked
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) task: Task,
    /// Among whom the partner of a linked entity is looked for
    #[arg(long, value_enum, default_value = "all")]
    pub(crate) candidates: Candidates,
    /// What tells whether two entities are the same, by the model of a run alone [default: paper]
    #[arg(long, value_enum)]
    pub(crate) judge: Option<JudgeOf>,
    /// For links, by the model alone: look at so many facts of an entity at most, evenly chosen; 0 for all [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) facts: Option<usize>,
    /// For links, by the model alone: look for the partners of so many entities only, evenly chosen; 0 for all [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) ranked: Option<usize>,
    /// For links: what is looked at, of structure, attributes, names, types, graphs and, of a run, model [default: all of
    /// them in a prepared folder; of a run its model alone is the judge]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) evidence: Vec<Kind>,
    /// The folder for report.html and report.json [default: RUN/report, or report for a prepared folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The prepared folder, if it is no longer where the run was trained
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
}

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    /// What models are chosen by
    Valid,
    /// What nothing was chosen by
    Test,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// The missing entity of a fact
    Triples,
    /// Entities that are the same
    Links,
    /// Both
    All,
}

/// Who stands for choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Candidates {
    /// All entities of the other graph
    All,
    /// The partners of the part's links: easier, and what most published tables show
    Labelled,
}

/// What tells whether two entities are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeOf {
    /// As in the paper: replacement where the model learned from links, else the second stage
    Paper,
    /// How little the scores of facts change when one takes the place of the other (Algorithm 2)
    Replacement,
    /// The cosine of the representations
    Cosine,
    /// A network that learns from the training links
    SecondStage,
}

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("given").required(true).args(["subject", "object", "queries"]))]
pub(crate) struct PredictArgs {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The graph that is asked about; it may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    pub(crate) graph: Option<String>,
    /// The subject, by id or name; its objects are asked for
    #[arg(long, value_name = "ENTITY", requires = "relation")]
    pub(crate) subject: Option<String>,
    /// The object, by id or name; its subjects are asked for
    #[arg(long, value_name = "ENTITY", requires = "relation")]
    pub(crate) object: Option<String>,
    /// The relation
    #[arg(long, value_name = "NAME", conflicts_with = "queries")]
    pub(crate) relation: Option<String>,
    /// Many queries: lines of [graph,] subject, relation and object with tabs between them, where ? is what is
    /// asked for; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) queries: Option<PathBuf>,
    /// How many answers to each query
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: u32,
    /// Say what spoke for each answer: how much its score falls without each part of what is known
    #[arg(long)]
    pub(crate) explain: bool,
    /// The prepared folder, if it is no longer where the run was trained
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReproduceArgs {
    /// The prepared folder
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// The folder of the tables and of all runs; what is done there is not done again
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The rows to learn, with commas between them [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) rows: Vec<String>,
    /// The first of the seeds, what everything random is drawn from; the same as --set seed=N
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Learn every row with so many seeds, and show mean and spread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) seeds: u16,
    /// The part of the data that is asked about
    #[arg(long, value_enum, default_value = "test")]
    pub(crate) on: On,
    /// How often every fact is seen; the same as --set training.epochs=N
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<u32>,
    /// The values that all rows begin with: default or paper [default: default]
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A single value for all rows, such as model.entity=128; give one for each
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Try so many settings for every row, and keep the one with the best validation
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=9))]
    pub(crate) tuning: u8,
    /// Learn so many models beside each other, each on its share of the threads (no more than there are) and in memory of its
    /// own; faster, with the same result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: u16,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExportArgs {
    /// The folder of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Whose vectors
    #[arg(long, value_enum)]
    pub(crate) what: What,
    /// How they are written
    #[arg(long, value_enum)]
    pub(crate) format: VectorFormat,
    /// The file to write
    #[arg(long, value_name = "PATH")]
    pub(crate) out: PathBuf,
    /// Which vectors
    #[arg(long, value_enum, default_value = "representation")]
    pub(crate) vectors: Vectors,
    /// The prepared folder, if it is no longer where the run was trained
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Whose vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// All entities of all graphs
    Entities,
    /// All relations; those that graphs share once
    Relations,
}

/// Which vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vectors {
    /// What the model scores with
    Representation,
    /// The rows of W^E or W^R, before any context
    Own,
}

/// How vectors are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VectorFormat {
    /// NumPy's, with the names in a file beside it
    Npy,
    /// A table of graph, name and vector
    Parquet,
    /// Text, a name and its numbers on each line
    Word2vec,
    /// One tensor, with the names in a file beside it
    Safetensors,
}
