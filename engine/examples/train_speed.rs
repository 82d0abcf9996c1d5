//! How many facts a second does the model learn from?
//!
//! `train_speed facts FILE | world ENTITIES NEIGHBOURS   [--shared N] [--steps N] [--reps N] [--leave-out always|right|never] [--draw N] [KEY=VALUE]…`
//!
//! The sizes are those of the paper: batches of 2000 facts, d 256, h 64, 50 corrupted entities and 20 negative labels a
//! fact, of which one end is linked; 8 attributes an entity, 4 types a relation. `facts` reads a file of tab-separated
//! facts, with their neighbours (at most 150) as neighbourhoods; `world` draws facts and neighbourhoods. With
//! `model.kind=distmult` and so on it is the models that LinkNBed is compared with, which have no links and contexts.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::time::Instant;

use linknbed::config::Config;
use linknbed::joint::{Joint, Parts};
use linknbed::train::{Ahead, Learner, Sampler, baseline, contexts, initial, sizes};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// As the program does.
#[global_allocator]
static ALLOCATOR: linknbed::compute::lines::AtLines = linknbed::compute::lines::AtLines;

fn main() {
    // As the program does: this thread is one of the pool.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global().expect("threads can be started");
    let args: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| args.iter().position(|arg| arg == name);
    let number = |name: &str, otherwise: usize| {
        flag(name).map_or(otherwise, |at| args[at + 1].parse().expect("a number after the flag"))
    };
    let mut dice = ChaCha8Rng::seed_from_u64(0);
    let (facts, neighbourhoods) = match args.first().map(String::as_str) {
        Some("facts") => from_file(&args[1], &mut dice),
        Some("world") => drawn(args[1].parse().unwrap(), args[2].parse().unwrap(), &mut dice),
        _ => panic!("train_speed facts FILE | world ENTITIES NEIGHBOURS"),
    };
    let relations = facts.iter().map(|fact| fact[1] as usize + 1).max().unwrap_or(0);
    let joint = Joint::of_parts(parts(facts, neighbourhoods, relations, &mut dice));
    let mut sets: Vec<String> = [
        "linkage.ends=head",
        "loss.average=mean",
        "model.features=10000",
        "regularization.l2=0.0",
        "model.score=identity",
    ]
    .map(str::to_owned)
    .into();
    let leave_out = flag("--leave-out").map_or("never", |at| &args[at + 1]);
    sets.push(format!("contexts.leave_partner_out={leave_out}"));
    sets.push(format!("contexts.neighbours={}", number("--draw", 0)));
    if flag("--shared").is_some() {
        let count = number("--shared", 1000);
        sets.extend(["negatives.kind=shared".to_owned(), "linkage.negatives=shared".to_owned()]);
        sets.push(format!("negatives.count={count}"));
    }
    sets.extend(args.iter().filter(|arg| arg.contains('=')).cloned());
    let config = Config::resolve(Some("paper"), None, &sets).expect("the settings are right");
    let parameters = match baseline(&config) {
        None => initial::random(sizes(&joint, &config), &contexts(&config), &config),
        Some(kind) => initial::random_vectors(kind, sizes(&joint, &config), &config),
    };
    let mut learner = Learner::new(&joint, &config, parameters);
    let mut samples = Ahead::new(Sampler::new(&joint, &config));
    let (steps, reps) = (number("--steps", 5) as u64, number("--reps", 3) as u64);
    let mut go = |first: u64, count: u64| {
        let begun = Instant::now();
        let (mut loss, mut seen, mut last) = (0.0, 0, (0, 0));
        for step in first..first + count {
            samples.learn(step, false, |sample| {
                last = (sample.batch.entities.len(), sample.batch.left_out.len());
                let losses = learner.step(&joint, sample, 0.01, step).expect("all is finite");
                loss = losses.total() / sample.facts as f64;
                seen += sample.facts;
            });
        }
        let seconds = begun.elapsed().as_secs_f64();
        (seen as f64 / seconds, seconds / count as f64, loss, last)
    };
    go(0, 1);
    let before = worked();
    let runs: Vec<_> = (0..reps).map(|rep| go(1 + rep * steps, steps)).collect();
    let best = runs.iter().map(|run| run.0).fold(0.0, f64::max);
    let worst = runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
    let work = (worked() - before) / (steps * reps) as f64;
    let last = runs[runs.len() - 1];
    println!(
        "{best:.0} facts/s (worst {worst:.0}), {:.4} s a step ({work:.4} s of all cores); {} entities encoded, {} with one left out; loss {:.4}; {}",
        runs.iter().map(|run| run.1).fold(f64::INFINITY, f64::min),
        last.3.0,
        last.3.1,
        last.2,
        peak()
    );
}

/// Seconds that all threads worked so far, in hundredths.
fn worked() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}

/// The most memory that was ever in use.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}

fn from_file(path: &str, dice: &mut ChaCha8Rng) -> (Vec<[u32; 3]>, Vec<Vec<u32>>) {
    const MOST: usize = 150;
    let text = std::fs::read_to_string(path).expect("the file of facts");
    let (mut entities, mut relations) = (HashMap::new(), HashMap::new());
    let mut facts = Vec::new();
    for line in text.lines() {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().expect("three columns");
        let (s, r, o) = (cell(), cell(), cell());
        let next = |map: &mut HashMap<String, u32>, name: &str| {
            let count = map.len() as u32;
            *map.entry(name.to_owned()).or_insert(count)
        };
        facts.push([next(&mut entities, s), next(&mut relations, r), next(&mut entities, o)]);
    }
    let mut near = vec![Vec::new(); entities.len()];
    for &[s, _, o] in &facts {
        near[s as usize].push(o);
        near[o as usize].push(s);
    }
    for list in &mut near {
        for place in (1..list.len()).rev() {
            list.swap(place, dice.random_range(0..=place));
        }
        list.truncate(MOST);
        list.sort_unstable();
    }
    (facts, near)
}

fn drawn(entities: u32, neighbours: usize, dice: &mut ChaCha8Rng) -> (Vec<[u32; 3]>, Vec<Vec<u32>>) {
    let fact = |dice: &mut ChaCha8Rng| {
        [dice.random_range(0..entities), dice.random_range(0..237), dice.random_range(0..entities)]
    };
    let facts = (0..2_000_000).map(|_| fact(dice)).collect();
    let near = (0..entities).map(|_| {
        let mut list: Vec<u32> = (0..neighbours).map(|_| dice.random_range(0..entities)).collect();
        list.sort_unstable();
        list
    });
    (facts, near.collect())
}

fn parts(
    facts: Vec<[u32; 3]>,
    neighbourhoods: Vec<Vec<u32>>,
    relations: usize,
    dice: &mut ChaCha8Rng,
) -> Parts {
    let entities = neighbourhoods.len();
    let draw = |dice: &mut ChaCha8Rng, count: usize, below: usize| -> Vec<u32> {
        (0..count).map(|_| dice.random_range(0..below as u32)).collect()
    };
    Parts {
        counts: [relations, 200, 1],
        facts,
        neighbourhoods,
        relation_types: (0..relations).map(|_| draw(dice, 4, 200)).collect(),
        attributes: (0..entities).map(|_| draw(dice, 8, 10_000)).collect(),
        attribute_values: (0..10_000).map(|feature| (0, vec![(feature, 1.0)])).collect(),
        partners: (0..entities)
            .map(|_| (Some(dice.random_range(0..entities as u32)), draw(dice, 20, entities)))
            .collect(),
    }
}
