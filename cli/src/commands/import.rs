//! `import`: files in, a prepared folder out.

use linknbed::clean::{self, CleanConfig};
use linknbed::dataset::{ImportConfig, NegativeConfig, PrepareConfig, WalkConfig, import};
use linknbed::io::Strictness;
use linknbed::io::staging::Replace;

use super::{inspect, may_replace};
use crate::args::{Common, ImportArgs, SelfLoops};
use crate::bars::Bars;
use crate::output::{counted, one_line, print};

pub(crate) fn run(args: &ImportArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let replace = may_replace(&args.out, args.force, "manifest.json")?;
    let report = import(&config_of(args, replace), bars)?;
    let manifest = &report.manifest;
    if manifest.skipped.count > 0 {
        bars.say(&format!("{} skipped:", counted(manifest.skipped.count, "line")));
        for (place, message) in manifest.skipped.first.iter().take(10) {
            bars.say(&one_line(&format!("  {place}: {message}")));
        }
        if manifest.skipped.count > 10 {
            bars.say("  … (the first 100 are in the folder's manifest.json)");
        }
    }
    if common.json {
        return print(&format!("{:#}\n", inspect::json(manifest)));
    }
    print(&inspect::text(manifest))?;
    bars.say(&format!("\nwritten to {}; see it again with: linknbed inspect {0}", args.out.display()));
    Ok(())
}

fn config_of(args: &ImportArgs, replace: Replace) -> ImportConfig {
    let defaults = CleanConfig::default();
    let for_all = args.min_occurrence.iter().rev().find(|(name, _)| name.is_none()).map_or(0, |(_, k)| *k);
    let clean = CleanConfig {
        garbage_characters: !args.keep_garbage,
        compound_values: !args.keep_compounds,
        compound_types: args.compound_types.clone(),
        dropped_types: match (args.keep_types, args.drop_types.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => defaults.dropped_types,
            (false, false) => args.drop_types.clone(),
        },
        self_loops: match args.self_loops {
            SelfLoops::Auto => clean::SelfLoops::Auto,
            SelfLoops::Drop => clean::SelfLoops::Drop,
            SelfLoops::Keep => clean::SelfLoops::Keep,
        },
        duplicates: !args.keep_duplicates,
        min_occurrence: for_all,
    };
    let named = args.min_occurrence.iter().filter_map(|(name, k)| Some((name.clone()?, *k)));
    ImportConfig {
        graphs: args.graphs.clone(),
        links: args.links.clone(),
        stdin: args.stdin_format,
        strictness: if args.lenient { Strictness::Lenient } else { Strictness::Strict },
        columns: args.columns.clone(),
        clean,
        min_occurrence: named.collect(),
        prepare: PrepareConfig {
            seed: args.seed,
            split: args.split,
            walks: WalkConfig { count: args.walks.into(), length: args.walk_length.into() },
            negatives: NegativeConfig {
                same_type: args.negatives_same_type.into(),
                other_type: args.negatives_other_type.into(),
            },
        },
        out: args.out.clone(),
        replace,
    }
}
