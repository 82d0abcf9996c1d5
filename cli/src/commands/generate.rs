//! `generate`: the built-in film world as files.

use linknbed::world::{CatalogueReport, Scale, WorldConfig, WorldReport, generate};
use serde_json::{Value, json};

use super::may_replace;
use crate::args::{Common, GenerateArgs};
use crate::bars::Bars;
use crate::output::{grouped, print, table};

pub(crate) fn run(args: &GenerateArgs, common: &Common, bars: &Bars) -> anyhow::Result<()> {
    let replace = may_replace(&args.out, args.force, "cases.tsv")?;
    let scale = args.entities.map_or(args.scale.into(), Scale::Entities);
    let config = WorldConfig { scale, seed: args.seed };
    let report = generate(&args.out, &config, replace, bars)?;
    if common.json {
        return print(&format!("{:#}\n", json(&report)));
    }
    print(&text(&report))?;
    let out = args.out.display();
    bars.say(&format!(
        "\nwritten to {out}; import it with:\n  linknbed import --graph screen={out}/screen --graph reel={out}/reel.nt \
         --links {out}/links.tsv --out data"
    ));
    Ok(())
}

fn json(report: &WorldReport) -> Value {
    serde_json::to_value(report).unwrap_or_else(|_| json!({}))
}

/// What the world holds, once it is cleaned.
pub(crate) fn text(report: &WorldReport) -> String {
    let titles = ["catalogue", "entities", "relations", "facts", "keys", "types", "without partner"];
    let row = |name: &str, c: &CatalogueReport| {
        let counts = [c.entities, c.relations, c.facts, c.attribute_keys, c.types, c.unmatched];
        std::iter::once(name.to_owned()).chain(counts.map(grouped)).collect::<Vec<String>>()
    };
    let rows = [titles.map(str::to_owned).to_vec(), row("screen", &report.screen), row("reel", &report.reel)];
    format!(
        "{}\n{} true links; {} pairs of namesakes and {} married couples among them\n",
        table(&rows),
        grouped(report.links as u64),
        grouped(report.homonym_pairs as u64),
        grouped(report.couples as u64)
    )
}
