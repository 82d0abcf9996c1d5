//! `linknbed`: joins knowledge graphs from the command line.
//!
//! Standard output is data, standard error is talk. Exit code 0 is done, 1 failed, 2 wrong usage.

mod args;
mod bars;
mod commands;
mod output;

use std::process::ExitCode;

use clap::Parser;
use linknbed::compute::lines::AtLines;

#[global_allocator]
static ALLOCATOR: AtLines = AtLines;

fn main() -> ExitCode {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !linknbed::io::is_guarded() {
            loud(panic);
        }
    }));
    let args = args::Args::parse();
    match commands::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error),
    }
}
