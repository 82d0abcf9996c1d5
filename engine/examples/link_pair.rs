//! How well are the links of a prepared folder found, and how long does it take?
//!
//! `link_pair DATA|RUN [--evidence structure,names,…] [--no-links] [--part valid|test] [--reliability] [--complete]`
//!
//! With `--complete` the links of all parts are all there are, so that any other pair is a mistake.

#![allow(clippy::print_stdout)]

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use linknbed::dataset::{Dataset, PreparedLinks};
use linknbed::graph::Part;
use linknbed::link::{Kind, Learned, LinkConfig, Pair, find_all};
use linknbed::progress::Silent;
use linknbed::run::Run;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|arg| arg == name).map(|at| args[at + 1].clone());
    let path = Path::new(args.first().expect("link_pair DATA|RUN"));
    let trained = Run::is_at(path).then(|| {
        let run = Run::open(path).expect("a run");
        (run.load(None).expect("a model"), run.config)
    });
    let opened = trained.is_none().then(|| Dataset::open(path).expect("a prepared folder"));
    let data = opened.as_ref().unwrap_or_else(|| &trained.as_ref().expect("a run").0.data);
    let words = value("--evidence").unwrap_or_default();
    let kinds = words.split(',').filter(|word| !word.is_empty()).map(|word| word.parse().expect("a kind"));
    let config = LinkConfig::looking_at(&kinds.collect::<Vec<Kind>>());
    let has_links = !args.iter().any(|arg| arg == "--no-links");
    let pairs = data.links.iter().map(|links| {
        let known = if has_links { links.positives[0].clone() } else { Vec::new() };
        Pair::new(data, [links.first, links.second], known)
    });
    let pairs: Vec<Pair<'_>> = pairs.collect();
    let learned = |pair: &Pair<'_>| {
        let (trained, config) = trained.as_ref()?;
        Some(Learned::new(trained.representations(config, [pair.first, pair.second])))
    };
    let begun = Instant::now();
    let found = find_all(&pairs, &config, &learned, &Silent).expect("links");
    let seconds = begun.elapsed().as_secs_f64();
    for (links, found) in data.links.iter().zip(&found) {
        let part = match value("--part").as_deref() {
            Some("test") => Part::Test,
            Some(_) => Part::Valid,
            None if links.positives[Part::Valid as usize].is_empty() => Part::Test,
            None => Part::Valid,
        };
        judge(data, links, found, part, seconds);
        let is_complete = args.iter().any(|arg| arg == "--complete");
        if is_complete || args.iter().any(|arg| arg == "--reliability") {
            reliability(links, found, part, is_complete);
        }
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

/// By tenths of probability, the mean probability and the share that is right; and what comes of an asked precision.
fn reliability(links: &PreparedLinks, found: &linknbed::link::Found, part: Part, is_complete: bool) {
    let right: HashSet<(u32, u32)> =
        links.positives.iter().flatten().map(|link| (link.first.0, link.second.0)).collect();
    let judged: HashSet<u32> = links.positives[part as usize].iter().map(|link| link.first.0).collect();
    let known: HashSet<(u32, u32)> = found.known.iter().map(|link| (link.first.0, link.second.0)).collect();
    let all = found.links(0.0);
    let all: Vec<(f32, bool)> = all
        .iter()
        .filter(|link| is_complete || judged.contains(&link.first))
        .filter(|link| !known.contains(&(link.first, link.second)))
        .map(|link| (link.score, right.contains(&(link.first, link.second))))
        .collect();
    for tenth in 0..10 {
        let own: Vec<&(f32, bool)> =
            all.iter().filter(|pair| ((pair.0 * 10.0) as usize).min(9) == tenth).collect();
        let mean = own.iter().map(|pair| f64::from(pair.0)).sum::<f64>() / own.len().max(1) as f64;
        let share = own.iter().filter(|pair| pair.1).count() as f64 / own.len().max(1) as f64;
        println!(
            "  {:.1}: {:6} of mean probability {mean:.3}, right {share:.3}",
            tenth as f64 / 10.0,
            own.len()
        );
    }
    for asked in [0.95, 0.99] {
        let least = found.least_for_precision(asked);
        let written: Vec<&(f32, bool)> = all.iter().filter(|pair| pair.0 >= least).collect();
        let right = written.iter().filter(|pair| pair.1).count();
        let precision = right as f64 / written.len().max(1) as f64;
        println!("  asked {asked}: least {least:.3}, {} written, {precision:.4} right", written.len());
    }
}
