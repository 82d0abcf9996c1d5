//! What can be asked of a merge?

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(crate) struct MergeArgs {
    /// The prepared folder
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Links between its graphs; A-B=PATH says between which
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) links: Vec<String>,
    /// The file .nq, or the folder of Parquet tables, to write
    #[arg(long, value_name = "PATH")]
    pub(crate) out: PathBuf,
    /// Leave out links that are less probable
    #[arg(long, value_name = "P", default_value_t = 0.5)]
    pub(crate) min_probability: f64,
    /// The graphs whose names and values come first, in this order [default: the order of the data]
    #[arg(long, value_name = "GRAPH,…", value_delimiter = ',')]
    pub(crate) prefer: Vec<String>,
    /// Who is right when graphs give different values of what has one
    #[arg(long, value_enum, default_value = "majority")]
    pub(crate) conflicts: ConflictRule,
    /// What the entities of the result are called
    #[arg(long, value_enum, default_value = "member")]
    pub(crate) ids: IdsOf,
    /// A table of relations and attribute keys that mean the same: relation_a, relation_b
    #[arg(long, value_name = "FILE")]
    pub(crate) relations: Option<PathBuf>,
    /// Unite entities of one graph too, where links say so
    #[arg(long)]
    pub(crate) allow_duplicates: bool,
    /// Replace what a merge wrote there before
    #[arg(long)]
    pub(crate) force: bool,
}

/// Who is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConflictRule {
    /// What most graphs say; of equally many, the most preferred
    Majority,
    /// The most preferred graph
    Priority,
    /// The entity that was changed last, as it says itself
    Recent,
}

/// What entities are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdsOf {
    /// As in the most preferred graph
    Member,
    /// A hash of all members
    Hash,
}
