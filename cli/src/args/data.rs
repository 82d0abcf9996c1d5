//! What can be asked of graphs and prepared folders?

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

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
    /// About so many entities a catalogue instead, with 8 facts each: to see how work grows
    #[arg(long, value_name = "N", conflicts_with = "scale", value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub(crate) entities: Option<u32>,
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
