//! What can be asked for?

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Joins knowledge graphs: reads several, with what links them, and makes them ready to learn from
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "For every command")]
pub(crate) struct Common {
    /// Use so many threads; the result is the same for any number [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Say nothing but the result
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Give the result as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what linknbed does on a small built-in world, end to end
    #[command(after_help = DEMO_EXAMPLES)]
    Demo(DemoArgs),
    /// Write the built-in film world as files: one catalogue as TSV, one as RDF, and the true links
    #[command(after_help = GENERATE_EXAMPLES)]
    Generate(GenerateArgs),
    /// Read graphs and links, clean them, and write a folder that is ready to learn from
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(Box<ImportArgs>),
    /// Show what a prepared folder or a run holds, and how it was made
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(InspectArgs),
    /// Show every choice there is for training, explained, with the values that would be used
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(ConfigArgs),
    /// Learn one representation of all graphs from a prepared folder, and write a run
    #[command(after_help = TRAIN_EXAMPLES)]
    Train(TrainArgs),
    /// Judge a run on facts and links it has not seen, and write a report
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(EvalArgs),
    /// Write what a run has learned as vectors with names, for other tools
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(ExportArgs),
    /// Name the facts that a run holds to be missing: the best answers to queries
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(PredictArgs),
}

const DEMO_EXAMPLES: &str = "Examples:
  linknbed demo
  linknbed demo --scale tiny --out my-demo";

const GENERATE_EXAMPLES: &str = "Examples:
  linknbed generate --scale small --out world
  linknbed generate --scale paper --seed 7 --out big-world    # as large as the paper's data: 7 GB";

const IMPORT_EXAMPLES: &str = "Examples:
  linknbed import --graph films=films.nt.gz --out data
  linknbed import --graph imdb=imdb/ --graph fb=fb/ --links links/ --out data
  linknbed import --graph a=a.parquet --columns subject=s,relation=p,object=o --out data
  linknbed import --graph shop=products.csv --columns entity=sku --out data
  zcat dump.nt.gz | linknbed import --graph dump=- --lenient --out data

A graph's PATH is a file, a glob or a folder:
  files    .nt .nq .ttl .trig .rdf .owl .xml .jsonld .tsv .csv .parquet,
           each also .gz .bz2 .zst .xz; or - for standard input
  folder   train.tsv [valid.tsv test.tsv] or triples.tsv, and optionally
           attributes.tsv (entity, key, value), types.tsv (entity, type),
           names.tsv (entity, name); and RDF files; or the OpenEA layout
Links are two columns, an entity of each graph, and optionally a third (1 or 0);
or owl:sameAs in RDF; or SSSOM.";

const INSPECT_EXAMPLES: &str = "Examples:
  linknbed inspect data
  linknbed inspect data --json
  linknbed inspect data --verify
  linknbed inspect run                            # how far it is, how good, how large";

const CONFIG_EXAMPLES: &str = "Examples:
  linknbed config
  linknbed config --preset paper > my.toml
  linknbed config --config my.toml --set loss.kind=softmax --set model.score=identity
  linknbed config --preset paper --json";

const TRAIN_EXAMPLES: &str = "Examples:
  linknbed train data --out run
  linknbed train data --out run --preset paper --set training.epochs=20
  linknbed train data --out run --resume          # after Ctrl-C, a crash, or for more epochs

Every setting is explained by `linknbed config`. Ctrl-C finishes the batch and writes a checkpoint.";

const EVAL_EXAMPLES: &str = "Examples:
  linknbed eval run                               # facts and links of the test part; run/report/report.html
  linknbed eval run --on valid --task triples --json
  linknbed eval run --task links --candidates labelled --judge cosine

Facts are ranked among all entities of their graph, without other known answers; of equal scores the right answer takes
the middle.";

const EXPORT_EXAMPLES: &str = "Examples:
  linknbed export run --what entities --format npy --out entities.npy        # and entities.names.tsv
  linknbed export run --what entities --format parquet --out entities.parquet
  linknbed export run --what relations --format word2vec --out relations.txt

Of several checkpoints the best is taken, or the last where the run was never validated. In word2vec's format a name is
graph:name where there are several graphs, with _ for blanks.";

const PREDICT_EXAMPLES: &str = "Examples:
  linknbed predict run --graph screen --subject \"Blue Harbour\" --relation director
  linknbed predict run --graph screen --relation director --object nm3401417 --top 3 --explain
  linknbed predict run --queries queries.tsv --json
  printf 'screen\\ttt7821808\\tdirector\\t?\\n' | linknbed predict run --queries -

An entity is meant by its id, or by a name that only one entity of the graph has; a relation by
its name, or by what follows the last / # or : in it. Facts that are known, in any part of the
data, are no answers.";

/// How large the built-in world is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scale {
    /// About 200 entities
    Tiny,
    /// About 5,000 entities
    Small,
    /// About 50,000 entities
    Medium,
    /// Table 1 of the paper: 417,874 entities and 166 million facts
    Paper,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DemoArgs {
    /// How large the world is
    #[arg(long, value_enum, default_value = "small")]
    pub(crate) scale: Scale,
    /// Where everything is written; a demo that is there is replaced
    #[arg(long, value_name = "DIR", default_value = "linknbed-demo")]
    pub(crate) out: PathBuf,
    /// What everything random is drawn from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GenerateArgs {
    /// How large the world is
    #[arg(long, value_enum, default_value = "small")]
    pub(crate) scale: Scale,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// What the world is made from; the same number gives the same files
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Replace the folder if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ImportArgs {
    /// A graph: its name and where it is; give one for each graph
    #[arg(long = "graph", value_name = "NAME=PATH", required = true, value_parser = name_and_path)]
    pub(crate) graphs: Vec<(String, PathBuf)>,
    /// Known links: a file or folder; A-B=PATH says between which graphs
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) links: Vec<String>,
    /// The folder to write
    #[arg(long, value_name = "DATA")]
    pub(crate) out: PathBuf,
    /// Replace the folder if it is there
    #[arg(long)]
    pub(crate) force: bool,
    /// What everything random is drawn from
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Skip lines that cannot be read, and count and list them, instead of stopping at the first
    #[arg(long)]
    pub(crate) lenient: bool,

    /// Parts that facts and links are drawn into where the files do not say: train,valid,test
    #[arg(long, value_name = "SHARES", default_value = "0.6,0,0.4", help_heading = "Data set")]
    pub(crate) split: linknbed::dataset::Shares,
    /// Random walks from each entity that make its neighbourhood
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(..=1000),
          help_heading = "Data set")]
    pub(crate) walks: u16,
    /// Steps of each walk
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(..=100),
          help_heading = "Data set")]
    pub(crate) walk_length: u16,
    /// Negative labels of each entity that are of its type
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Data set")]
    pub(crate) negatives_same_type: u16,
    /// Negative labels of each entity that are of another type
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Data set")]
    pub(crate) negatives_other_type: u16,

    /// What the columns of tables mean: subject=…,relation=…,object=…, or entity=… for one entity a row
    #[arg(long, value_name = "[NAME:]MEANING=COLUMN,…", value_parser = columns, help_heading = "Reading")]
    pub(crate) columns: Vec<(Option<String>, linknbed::io::Columns)>,
    /// The format of standard input, as a file extension
    #[arg(long, value_name = "EXT", default_value = "nt", value_parser = format_of, help_heading = "Reading")]
    pub(crate) stdin_format: linknbed::io::source::Format,

    /// Facts from an entity to itself; auto drops them unless the graph comes with its own train/valid/test
    #[arg(long, value_enum, default_value = "auto", help_heading = "Cleaning")]
    pub(crate) self_loops: SelfLoops,
    /// Keep equal rows
    #[arg(long, help_heading = "Cleaning")]
    pub(crate) keep_duplicates: bool,
    /// Keep control characters and remnants of markup in values
    #[arg(long, help_heading = "Cleaning")]
    pub(crate) keep_garbage: bool,
    /// Keep compound-value (CVT) nodes instead of collapsing them into facts
    #[arg(long, help_heading = "Cleaning")]
    pub(crate) keep_compounds: bool,
    /// Types whose entities are compound values, as a pattern; those the graph declares are known
    #[arg(long = "compound-type", value_name = "PATTERN", help_heading = "Cleaning")]
    pub(crate) compound_types: Vec<String>,
    /// Types to drop, as a pattern (replaces the default list: base.*, user.*, common.topic, Thing, …)
    #[arg(long = "drop-type", value_name = "PATTERN", help_heading = "Cleaning")]
    pub(crate) drop_types: Vec<String>,
    /// Drop no types
    #[arg(long, conflicts_with = "drop_types", help_heading = "Cleaning")]
    pub(crate) keep_types: bool,
    /// Keep only facts whose entities both appear in more than K facts; NAME=K for one graph
    #[arg(long = "min-occurrence", value_name = "[NAME=]K", value_parser = occurrence, help_heading = "Cleaning")]
    pub(crate) min_occurrence: Vec<(Option<String>, u64)>,
}

/// Facts from an entity to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelfLoops {
    /// Drop them unless the graph comes with its own parts
    Auto,
    /// Drop them
    Drop,
    /// Keep them
    Keep,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    /// The prepared folder, or the run
    #[arg(value_name = "DATA|RUN")]
    pub(crate) path: PathBuf,
    /// Read every file, or every checkpoint, and compare it with its checksum
    #[arg(long)]
    pub(crate) verify: bool,
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
    /// The folder of the run
    #[arg(value_name = "RUN")]
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
    /// What tells whether two entities are the same
    #[arg(long, value_enum, default_value = "paper")]
    pub(crate) judge: JudgeOf,
    /// For links: look at so many facts of an entity at most, evenly chosen; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) facts: usize,
    /// For links: look for the partners of so many entities only, evenly chosen; 0 for all
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) ranked: usize,
    /// The folder for report.html and report.json [default: RUN/report]
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

/// What is chosen for training: later ones override earlier ones.
#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// The values to begin with: paper or default [default: what the config file names, or else default]
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// A TOML file with the keys that differ from the preset
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A single value, such as loss.margin=2; give one for each
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
}

fn name_and_path(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(path)))
        }
        _ => Err("expected NAME=PATH, such as films=films.nt".to_owned()),
    }
}

fn columns(text: &str) -> Result<(Option<String>, linknbed::io::Columns), String> {
    let before_mapping = text.split('=').next().unwrap_or_default();
    let (name, mapping) = match before_mapping.split_once(':') {
        Some((name, _)) => (Some(name.to_owned()), &text[name.len() + 1..]),
        None => (None, text),
    };
    Ok((name, mapping.parse().map_err(|error: linknbed::Error| error.to_string())?))
}

fn format_of(extension: &str) -> Result<linknbed::io::source::Format, String> {
    let format = linknbed::io::source::Format::of_extension(extension.trim_start_matches('.'));
    format.ok_or_else(|| "expected nt, nq, ttl, trig, rdf, jsonld, tsv or csv".to_owned())
}

fn occurrence(text: &str) -> Result<(Option<String>, u64), String> {
    let (name, k) = match text.split_once('=') {
        Some((name, k)) => (Some(name.to_owned()), k),
        None => (None, text),
    };
    Ok((name, k.parse().map_err(|_| "expected a whole number, such as 50 or fb=50".to_owned())?))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Args::command().debug_assert();
    }
}
