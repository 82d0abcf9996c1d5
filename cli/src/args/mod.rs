//! What can be asked for?

mod data;
mod link;
mod merge;
mod model;

use clap::{Args as ClapArgs, Parser, Subcommand};

pub(crate) use data::{DemoArgs, GenerateArgs, ImportArgs, InspectArgs, Scale, SelfLoops};
pub(crate) use link::{KnownOf, LinkArgs, LinkFormatOf};
pub(crate) use merge::{ConflictRule, IdsOf, MergeArgs};
pub(crate) use model::{
    Candidates, ConfigArgs, EvalArgs, ExportArgs, JudgeOf, On, PredictArgs, ReproduceArgs, Task, TrainArgs,
    VectorFormat, Vectors, What,
};

/// Joins knowledge graphs: reads several, with what links them, and makes them ready to learn from
#[derive(Debug, Parser)]
#[command(name = "linknbed", version, max_term_width = 110, arg_required_else_help = true)]
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
    /// Find which entities of the graphs are the same, and write links with probabilities
    #[command(after_help = LINK_EXAMPLES)]
    Link(LinkArgs),
    /// Unite the graphs of a prepared folder by links, and write one graph that says where everything comes from
    #[command(after_help = MERGE_EXAMPLES)]
    Merge(MergeArgs),
    /// Learn and judge the rows of the paper's Tables 2 and 3 on your data, side by side
    #[command(after_help = REPRODUCE_EXAMPLES)]
    Reproduce(ReproduceArgs),
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

const MERGE_EXAMPLES: &str = "Examples:
  linknbed merge data --links links.tsv --out merged.nq
  linknbed merge data --links links.tsv --out merged --prefer imdb --conflicts priority
  linknbed merge data --links found.parquet --min-probability 0.9 --out sure.nq --json

Links are what `import` reads: two columns, owl:sameAs, SSSOM; or a table (TSV, CSV, Parquet) with the columns graph_a,
entity_a, graph_b, entity_b and probability. A folder has triples, attributes and types as Parquet, each row with its
sources. Both read back with `import --graph merged=PATH`.";

const REPRODUCE_EXAMPLES: &str = "Examples:
  linknbed reproduce data --out tables
  linknbed reproduce data --out tables --rows distmult,complex,embed-all --epochs 5
  linknbed reproduce data --out tables --seeds 3 --tuning 4 --jobs 8
  linknbed reproduce data --out tables            # again: goes on where it stopped, and shows what is done

Rows: rescal, distmult, complex, stranse, gake, embed-only, attr-only, nhbr-only, embed-attr, embed-nhbr, embed-all,
embed-all-attention. Ctrl-C finishes the batch and writes a checkpoint.";

const LINK_EXAMPLES: &str = "Examples:
  linknbed link data --out links.tsv
  linknbed link data --out links.tsv --precision 0.99 --explain
  linknbed link data --out links.nt --evidence structure,attributes";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Args::command().debug_assert();
    }
}
