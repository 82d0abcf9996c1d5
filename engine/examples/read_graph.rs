//! Reads a graph, encodes it, and says how fast and with how much memory: `read_graph PATH`.

#![allow(clippy::print_stdout, missing_docs)]

use std::path::PathBuf;
use std::time::Instant;

use linknbed::io::source::{Format, find_graphs};
use linknbed::io::{ReadOptions, read_graph};
use linknbed::progress::Silent;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: read_graph PATH")?;
    let sources = find_graphs(&[("graph".to_owned(), PathBuf::from(path))], Format::NTriples)?;
    let begun = Instant::now();
    let (graph, _) = read_graph(&sources[0], &ReadOptions::default(), &Silent)?;
    let seconds = begun.elapsed().as_secs_f64();
    let rows = graph.facts.len() + graph.attributes.len() + graph.typings.len();
    println!(
        "{{\"statements\": {rows}, \"entities\": {}, \"seconds\": {seconds:.3}, \"statements_per_second\": {:.0}, \
         \"encoded_mib\": {:.1}, \"peak_mib\": {:.1}}}",
        graph.entities.len(),
        rows as f64 / seconds,
        graph.memory() as f64 / f64::from(1 << 20),
        peak_mib().unwrap_or(f64::NAN)
    );
    Ok(())
}

/// The most memory this process ever held, where the system tells.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}
