//! How well are the links of a prepared folder found, and how long does it take?
//!
//! `link_pair DATA [--evidence structure,names,…] [--no-links] [--part valid|test]`

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use linknbed::dataset::{Dataset, PreparedLinks};
use linknbed::graph::Part;
use linknbed::link::{Kind, LinkConfig, Pair, find};
use linknbed::progress::Silent;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).map(|at| args[at + 1].clone());
    let data = Dataset::open(Path::new(args.first().expect("link_pair DATA"))).expect("a prepared folder");
    let words = value("--evidence").unwrap_or_default();
    let kinds = words.split(',').filter(|word| !word.is_empty()).map(|word| word.parse().expect("a kind"));
    let config = LinkConfig::looking_at(&kinds.collect::<Vec<Kind>>());
    let has_links = !args.iter().any(|arg| arg == "--no-links");
    for links in &data.links {
        let begun = Instant::now();
        let mut known = if has_links { links.positives[0].clone() } else { Vec::new() };
        known.sort_unstable();
        let pair = Pair { data: &data, first: links.first, second: links.second, known };
        let found = find(&pair, &config, &Silent).expect("links");
        let part = match value("--part").as_deref() {
            Some("test") => Part::Test,
            Some(_) => Part::Valid,
            None if links.positives[Part::Valid as usize].is_empty() => Part::Test,
            None => Part::Valid,
        };
        let seconds = begun.elapsed().as_secs_f64();
        judge(&data, links, &found, part, seconds);
    }
}

fn judge(data: &Dataset, links: &PreparedLinks, found: &linknbed::link::Found, part: Part, seconds: f64) {
    let graph = |number: usize| data.graphs[number].name.as_str();
    let figures = found.figures(links, part, data.graphs[links.second].entities.len());
    println!(
        "{}-{}: {} of {}, all {:.4}/{:.4}, labelled {:.4}, P {:.4} R {:.4} F1 {:.4}, AUPRC {:.4}, ECE {:.4}, {:.1} s",
        graph(links.first),
        graph(links.second),
        part.name(),
        figures.count,
        figures.among_all.hits1,
        figures.among_all.hits10,
        figures.among_labelled.hits1,
        figures.precision,
        figures.recall,
        figures.f1,
        figures.auprc,
        found.calibration_error(&links.positives[part as usize]),
        seconds
    );
}
