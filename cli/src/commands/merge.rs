//! `merge`: several graphs and their links in, one graph out.

use std::path::Path;

use linknbed::Error;
use linknbed::dataset::Dataset;
use linknbed::io::staging::Replace;
use linknbed::merge::{
    Conflicts, Duplicates, Ids, MergeConfig, MergeReport, Output, StatementCounts, merge, read_links,
};
use serde_json::json;

use super::{may_replace, refuse_run};
use crate::args::{Common, ConflictRule, IdsOf, MergeArgs};
use crate::bars::Bars;
use crate::output::{counted, grouped, one_line, print, table};

/// So many keys with conflicts are shown to people.
const KEYS: usize = 10;

pub(crate) fn run(args: &MergeArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    refuse_run(&args.data)?;
    let output = Output::of_path(&args.out)?;
    let replace = match output {
        Output::Folder => may_replace(&args.out, args.force, "provenance/members.parquet")?,
        Output::Quads => may_replace_file(&args.out, args.force)?,
    };
    let data = Dataset::open(&args.data)?;
    data.check_ids()?;
    let links = read_links(&data, &args.links, bars)?;
    let merged = merge(&data, &links, &config_of(args), bars)?;
    merged.write(&args.out, output, replace, bars)?;
    if common.json {
        return print(&format!("{:#}\n", json!(merged.report)));
    }
    print(&text(&merged.report))?;
    bars.say(&format!("\nwritten to {}", args.out.display()));
    Ok(())
}

fn may_replace_file(path: &Path, force: bool) -> Result<Replace, Error> {
    let refused = match (path.is_dir(), path.exists(), force) {
        (true, ..) => "is a folder; expected the name of a file",
        (false, true, false) => "exists already; --force replaces it",
        _ => return Ok(if force { Replace::Existing } else { Replace::Never }),
    };
    Err(Error::Usage(format!("{} {refused}", path.display())))
}

fn config_of(args: &MergeArgs) -> MergeConfig {
    MergeConfig {
        min_probability: args.min_probability,
        prefer: args.prefer.clone(),
        conflicts: match args.conflicts {
            ConflictRule::Majority => Conflicts::Majority,
            ConflictRule::Priority => Conflicts::Priority,
            ConflictRule::Recent => Conflicts::Recent,
        },
        duplicates: if args.allow_duplicates { Duplicates::Together } else { Duplicates::Apart },
        ids: match args.ids {
            IdsOf::Member => Ids::Member,
            IdsOf::Hash => Ids::Hash,
        },
        relations: args.relations.clone(),
    }
}

/// For people: what there was and is, what became of the links, and where the graphs disagreed.
fn text(report: &MergeReport) -> String {
    let mut rows = vec![["graph", "entities", "facts", "attributes", "types"].map(str::to_owned).to_vec()];
    let row = |name: &str, counts: [u64; 4]| {
        let mut row = vec![one_line(name)];
        row.extend(counts.map(grouped));
        row
    };
    for graph in &report.graphs {
        rows.push(row(&graph.name, [graph.entities, graph.facts, graph.attributes, graph.typings]));
    }
    let after = [report.entities, report.facts.after, report.attributes.after, report.typings.after];
    rows.push(row("merged", after));
    let said_by_several =
        |counts: &StatementCounts| counts.by_sources.range(2..).map(|(_, count)| count).sum();
    let several = [&report.facts, &report.attributes, &report.typings].map(said_by_several);
    let together: u64 = report.clusters.range(2..).map(|(_, count)| count).sum();
    rows.push(row("of several", [together, several[0], several[1], several[2]]));
    let mut text = table(&rows);
    text += &links(report);
    let sizes = report.clusters.iter().map(|(size, count)| format!("{} of {size}", grouped(*count)));
    text += &format!("entities by members: {}\n", sizes.collect::<Vec<_>>().join(", "));
    if report.prefixed_entities > 0 {
        let entities = counted(report.prefixed_entities, "name");
        text +=
            &format!("{entities} of several graphs for different things: their graph stands before them\n");
    }
    text += &conflicts(report);
    text
}

fn links(report: &MergeReport) -> String {
    let counts = &report.links;
    let others =
        [(counts.denied, "denied"), (counts.improbable, "improbable"), (counts.repeated, "repeated")];
    let mut text = format!("\nlinks: {} used, {} cut", grouped(counts.used), grouped(counts.cut));
    for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
        text += &format!(", {} {what}", grouped(*count));
    }
    text.push('\n');
    for cut in &report.cut {
        let line = format!(
            "  cut {:.3}  {}:{} = {}:{}",
            cut.probability, cut.graph_a, cut.entity_a, cut.graph_b, cut.entity_b
        );
        text += &format!("{}\n", one_line(&line));
    }
    if counts.cut > report.cut.len() as u64 {
        text += "  …\n";
    }
    text
}

fn conflicts(report: &MergeReport) -> String {
    let mut text = format!(
        "conflicts: {}, {} kept\n",
        grouped(report.attribute_conflicts),
        counted(report.alternatives, "alternative value")
    );
    for conflict in report.conflicts.iter().take(KEYS) {
        text += &format!("  {:>7}  {}\n", grouped(conflict.count), one_line(&conflict.key));
    }
    if report.conflicts.len() > KEYS {
        text += "  …\n";
    }
    text
}
