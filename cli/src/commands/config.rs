//! `config`: what would be chosen for training?

use linknbed::config::{Config, preset_text};

use crate::args::{Common, ConfigArgs};
use crate::output::print;

pub(crate) fn run(args: &ConfigArgs, common: &Common) -> anyhow::Result<()> {
    let config = Config::resolve(args.preset.as_deref(), args.config.as_deref(), &args.sets)?;
    if common.json {
        return print(&format!("{}\n", serde_json::to_string_pretty(&config)?));
    }
    if args.config.is_none() && args.sets.is_empty() {
        // A preset as it is tells what it is.
        return print(&preset_text(args.preset.as_deref().unwrap_or("default"))?);
    }
    print(&config.to_toml())
}
