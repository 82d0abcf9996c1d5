//! How well does structure alone align two graphs?
//!
//! `link_structure DATA [--part valid|test] [--pair N] [--search size|exact|nearly] [--recall] [--set KEY=NUMBER]…`
//!
//! DATA is a prepared folder. Learns from the training links of one of its pairs of graphs, and asks about those of another
//! part: the place of the right partner among all entities of the other graph, and among those that have a link of that
//! part ("labelled"), from both sides; and precision and recall of one-to-one links against labelled entities. A right
//! partner that is not among the candidates of an entity counts as the last of all: figures are never flattered. With `--recall` it
//! says instead what the search of large graphs finds of what an exact one does, in one round.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use linknbed::dataset::Dataset;
use linknbed::eval::Metrics;
use linknbed::graph::Link;
use linknbed::link::Pair;
use linknbed::link::decode::Scored;
use linknbed::link::structure::{Aligned, Search, StructureConfig, align};
use linknbed::progress::{Progress, Unit};

fn main() -> linknbed::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let folder =
        args.first().expect("link_structure DATA [--part valid|test] [--pair N] [--set KEY=NUMBER]…");
    let mut config = StructureConfig::default();
    for (at, _) in args.iter().enumerate().filter(|(_, arg)| *arg == "--set") {
        set(&mut config, args.get(at + 1).expect("KEY=NUMBER after --set"));
    }
    config.search = match after("--search").map(String::as_str) {
        None | Some("size") => Search::BySize,
        Some("exact") => Search::Exact,
        Some("nearly") => Search::Nearly,
        Some(other) => panic!("{other} is no search: size, exact or nearly"),
    };
    let begun = Instant::now();
    let data = Dataset::open(Path::new(folder))?;
    let links =
        &data.links[after("--pair").map_or(0, |number| number.parse().expect("the number of a pair"))];
    let part = match after("--part").map(String::as_str) {
        Some("valid") => 1,
        Some("test") => 2,
        Some(other) => panic!("{other} is no part: valid or test"),
        None => 1 + usize::from(links.positives[1].is_empty()),
    };
    let known = links.positives[0].clone();
    let pair = Pair::new(&data, [links.first, links.second], known);
    if args.iter().any(|arg| arg == "--recall") {
        return recall(&pair, &config);
    }
    let aligned = align(&pair, &config, &Watch(begun))?;
    let seconds = begun.elapsed().as_secs_f64();

    let asked = &links.positives[part];
    let [first, second] = pair.graphs();
    println!("{} and {}: {} known links, {} asked", first.name, second.name, pair.known.len(), asked.len());
    let entities = [first.entities.len(), second.entities.len()];
    for (side, direction) in ["first -> second", "second -> first"].into_iter().enumerate() {
        for labelled in [false, true] {
            let metrics = places(&aligned, asked, side, labelled, entities[1 - side]);
            let [one, _, ten] = metrics.hits;
            let candidates = if labelled { "labelled" } else { "all" };
            println!(
                "{direction}  {candidates:8}  hits@1 {one:.4}  hits@10 {ten:.4}  mrr {:.4}",
                metrics.mrr
            );
        }
    }
    for least in [0.0, 0.1, 0.3, 0.5, 0.8] {
        agreement(&aligned.links(least), asked, least);
    }
    println!("{seconds:.1} s");
    Ok(())
}

/// What the search of large graphs finds of what an exact one does.
fn recall(pair: &Pair<'_>, config: &StructureConfig) -> linknbed::Result<()> {
    let [exact, nearly] = [Search::Exact, Search::Nearly].map(|search| {
        let begun = Instant::now();
        let aligned = align(pair, &StructureConfig { search, rounds: 1, ..*config }, &Watch(begun));
        println!("{search:?}: {:.1} s", begun.elapsed().as_secs_f64());
        aligned
    });
    let (exact, nearly) = (exact?, nearly?);
    let (all, found) = (exact.proposals(), nearly.proposals());
    let met = all.iter().filter(|pair| found.binary_search(pair).is_ok()).count();
    println!("recall of {} pairs of the lists: {:.4}", all.len(), met as f64 / all.len() as f64);
    let (all, found) = (mutual(exact.similarities()), mutual(nearly.similarities()));
    let met = all.iter().filter(|pair| found.binary_search(pair).is_ok()).count();
    println!("recall of {} pairs that are the best of both: {:.4}", all.len(), met as f64 / all.len() as f64);
    Ok(())
}

/// The pairs that are the best of both their entities.
fn mutual(pairs: &[Scored]) -> Vec<(u32, u32)> {
    let mut best: [HashMap<u32, f32>; 2] = Default::default();
    for pair in pairs {
        for (best, own) in best.iter_mut().zip([pair.first, pair.second]) {
            let most = best.entry(own).or_insert(pair.score);
            *most = most.max(pair.score);
        }
    }
    let is_best = |pair: &&Scored| best[0][&pair.first] == pair.score && best[1][&pair.second] == pair.score;
    pairs.iter().filter(is_best).map(|pair| (pair.first, pair.second)).collect()
}

/// Changes one number of the config.
fn set(config: &mut StructureConfig, assignment: &str) {
    let (key, number) = assignment.split_once('=').expect("KEY=NUMBER");
    let number: f32 = number.parse().expect("a number");
    let (count, weights) = (number as usize, &mut config.weights);
    match key {
        "seed" => config.seed = number as u64,
        "width" => config.width = count,
        "list" => config.list = count,
        "hubness" => config.hubness = count,
        "rounds" => config.rounds = count,
        "turns" => config.sinkhorn.turns = count,
        "temperature" => config.sinkhorn.temperature = number,
        "unmatched" => config.sinkhorn.unmatched = number,
        "confident" => config.confident = number,
        "own" => weights.own = number,
        "near" => weights.near = number,
        "far" => weights.far = number,
        "relations" => weights.relations = number,
        _ => panic!("no setting is called {key}"),
    }
}

/// Where the right partners stand, by share.
fn places(aligned: &Aligned, asked: &[Link], side: usize, labelled: bool, entities: usize) -> Metrics {
    let ends =
        |link: &Link| if side == 0 { (link.first.0, link.second.0) } else { (link.second.0, link.first.0) };
    let mut is_candidate = vec![!labelled; entities];
    asked.iter().for_each(|link| is_candidate[ends(link).1 as usize] = true);
    let last = is_candidate.iter().filter(|candidate| **candidate).count() as f64;
    let mut lists: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
    for pair in aligned.shares() {
        let (own, other) = if side == 0 { (pair.first, pair.second) } else { (pair.second, pair.first) };
        if is_candidate[other as usize] {
            lists.entry(own).or_default().push((other, pair.score));
        }
    }
    let place = |link: &Link| {
        let (own, right) = ends(link);
        let list = lists.get(&own).map_or(&[][..], Vec::as_slice);
        let Some(&(_, score)) = list.iter().find(|(other, _)| *other == right) else { return last };
        let better = list.iter().filter(|(_, other)| *other > score).count();
        let equal = list.iter().filter(|(_, other)| *other == score).count() - 1;
        1.0 + better as f64 + equal as f64 / 2.0
    };
    Metrics::of(&asked.iter().map(place).collect::<Vec<_>>())
}

/// How many of the links whose entities are labelled are right, and how many of the labels they find.
fn agreement(links: &[Scored], asked: &[Link], least: f32) {
    let right: HashMap<u32, u32> = asked.iter().map(|link| (link.first.0, link.second.0)).collect();
    let back: HashMap<u32, u32> = asked.iter().map(|link| (link.second.0, link.first.0)).collect();
    let judged =
        links.iter().filter(|l| right.contains_key(&l.first) || back.contains_key(&l.second)).count();
    let found = links.iter().filter(|link| right.get(&link.first) == Some(&link.second)).count() as f64;
    let (precision, recall) = (found / judged.max(1) as f64, found / asked.len().max(1) as f64);
    let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
    println!(
        "links of share {least:.1}: {} precision {precision:.4} recall {recall:.4} F1 {f1:.4}",
        links.len()
    );
}

/// Tells when rounds are over.
struct Watch(Instant);

impl Progress for Watch {
    fn begin(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {
        println!("{:.1} s: a round", self.0.elapsed().as_secs_f64());
    }
    fn end(&self) {}
}
