//! Where do time and memory go when links of large graphs are found?
//!
//! `link_scale DATA [--skip-structure]`
//!
//! DATA is a prepared folder. Goes the way of `link` once, by its steps, and prints after each how long it took on all
//! cores, how much memory is held, and how many pairs came of it.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use linknbed::dataset::Dataset;
use linknbed::graph::{EntityId, Link};
use linknbed::link::agreement::{self, Surroundings};
use linknbed::link::structure::{StructureConfig, align};
use linknbed::link::values::{self, Evidence, KeyAlignment, ValueConfig, Vectors, Written, candidates};
use linknbed::link::{Candidates, Pair, types::Types};
use linknbed::progress::Silent;

fn main() -> linknbed::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = args.first().expect("link_scale DATA [--skip-structure]");
    let data = Dataset::open(Path::new(folder))?;
    let links = &data.links[0];
    let known = links.positives[0].clone();
    let pair = Pair::new(&data, [links.first, links.second], known);
    let entities = pair.graphs().map(|graph| graph.entities.len());
    println!("{} and {} entities, {} known links", entities[0], entities[1], pair.known.len());
    let mut watch = Watch(Instant::now());

    let config = ValueConfig::default();
    let written = pair.graphs().map(|graph| Written::new(graph, &config));
    let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
    watch.say("reading what is written", vectors[0].len() + vectors[1].len());
    let mut all = candidates::proposals_of(&written, &vectors, &config);
    watch.say("pairs by what is written", all.len());
    let around = pair.graphs().map(Surroundings::of_graph);
    watch.say("surroundings", 0);
    let evidence = Evidence::gather(&pair, &written);
    let seeds = evidence.pairs();
    watch.say("evidence", seeds.len());
    let link = |&(first, second): &(u32, u32)| Link { first: EntityId(first), second: EntityId(second) };
    let seeded = Pair { known: seeds.iter().map(link).collect(), ..pair.clone() };
    let config = StructureConfig { rounds: 2, width: 512, ..Default::default() };
    let aligned = match args.iter().any(|arg| arg == "--skip-structure") {
        true => None,
        false => Some(align(&seeded, &config, &Silent)?),
    };
    let aligned_pairs = aligned.as_ref().map(|aligned| aligned.proposals()).unwrap_or_default();
    watch.say("structure, two rounds", aligned_pairs.len());
    all.extend(aligned_pairs);
    let current: Vec<(u32, u32, f32)> = seeds.iter().map(|&(first, second)| (first, second, 0.9)).collect();
    let neighbours = agreement::proposals(&around, &current, 20);
    watch.say("pairs by neighbours", neighbours.len());
    all.extend(neighbours);
    let candidates = Candidates::of(entities[0], all);
    watch.say("candidates", candidates.len());
    let keys = KeyAlignment::learn(&written, &evidence, 0);
    let mut columns = values::columns(&written, &vectors, &keys, &evidence, &candidates);
    watch.say("columns of values", columns.len());
    columns.push(Types::of(&pair, &evidence).column(&evidence, &candidates));
    watch.say("column of types", columns.len());
    columns.extend(aligned.map(|aligned| aligned.columns(&candidates)).unwrap_or_default());
    watch.say("columns of structure", columns.len());
    columns.extend(agreement::columns_of(&around, &current, &candidates));
    watch.say("columns of neighbours", columns.len());
    Ok(())
}

/// Says how long a step took, how much memory is held and was, and what came of it.
struct Watch(Instant);

impl Watch {
    fn say(&mut self, step: &str, count: usize) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let gigabytes = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            let kilobytes = line.trim().trim_end_matches("kB").trim().parse::<f64>();
            kilobytes.unwrap_or(0.0) / 1e6
        };
        let seconds = self.0.elapsed().as_secs_f64();
        let (now, most) = (gigabytes("VmRSS:"), gigabytes("VmHWM:"));
        println!("{seconds:8.1} s  {now:6.2} GB, at most {most:6.2} GB  {step}: {count}");
        self.0 = Instant::now();
    }
}
