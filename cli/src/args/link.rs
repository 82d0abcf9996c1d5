//! What can be asked of `link`?

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use linknbed::link::Kind;

#[derive(Debug, ClapArgs)]
pub(crate) struct LinkArgs {
    /// A prepared folder, or a run, whose model is a witness too
    #[arg(value_name = "DATA|RUN")]
    pub(crate) data: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How links are written [default: by the end of the file's name, or else tsv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<LinkFormatOf>,
    /// What is looked at: structure, attributes, names, types, model (of a run), graphs (links by way of third graphs)
    /// [default: all of them]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) evidence: Vec<Kind>,
    /// Links less likely than this are not written
    #[arg(long, value_name = "P", default_value_t = 0.5, conflicts_with = "precision")]
    pub(crate) min_probability: f64,
    /// Write as many links as can be had at this precision, by their probabilities
    #[arg(long, value_name = "P")]
    pub(crate) precision: Option<f64>,
    /// The known links to learn from
    #[arg(long, value_enum, default_value = "train")]
    pub(crate) known: KnownOf,
    /// Several entities of a pair's first graph, the one before the dash in the output, may have one partner: it has
    /// duplicates
    #[arg(long)]
    pub(crate) many_to_one: bool,
    /// Do not write the known links among the others
    #[arg(long)]
    pub(crate) only_new: bool,
    /// Say of each link what moved its probability
    #[arg(long)]
    pub(crate) explain: bool,
    /// The prepared folder of a run, if it is no longer where the run was trained
    #[arg(long = "data", value_name = "DATA")]
    pub(crate) moved: Option<PathBuf>,
    /// What is drawn is drawn from this
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkFormatOf {
    /// A table with tabs between its columns
    Tsv,
    /// An SSSOM mapping set
    Sssom,
    /// owl:sameAs statements
    Nt,
    /// A table for databases
    Parquet,
}

/// Which known links are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KnownOf {
    /// Those of the training part, so that the others can judge
    Train,
    /// Those of all parts: for links that will be used
    All,
    /// None
    None,
}
