//! How long does it take to rank the facts of a graph?
//!
//! `eval_speed FOLDER [--dim 256] [--reps 3]`
//!
//! The folder has `train.tsv`, `valid.tsv` and `test.tsv`: subject, relation and object. DistMult with random vectors
//! ranks the test facts from both sides, filtered: what is measured does not depend on what the vectors say.

#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use linknbed::eval::{KnownAnswers, Metrics, Questions, RankSide, standings};
use linknbed::graph::{EntityId, Fact, RelationId};
use linknbed::model::measure::Measure;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// As the program does.
#[global_allocator]
static ALLOCATOR: linknbed::compute::lines::AtLines = linknbed::compute::lines::AtLines;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str, otherwise: usize| {
        let at = args.iter().position(|arg| arg == name);
        at.map_or(otherwise, |at| args[at + 1].parse().expect("a number after the flag"))
    };
    let folder = args.first().expect("eval_speed FOLDER [--dim N] [--reps N]");
    let (dim, reps) = (number("--dim", 256), number("--reps", 3));
    let (mut entities, mut relations) = (HashMap::new(), HashMap::new());
    let parts = ["train", "valid", "test"]
        .map(|part| read(&Path::new(folder).join(format!("{part}.tsv")), &mut entities, &mut relations));
    let mut dice = ChaCha8Rng::seed_from_u64(0);
    let mut vectors =
        |count: usize| -> Vec<f32> { (0..count * dim).map(|_| dice.random_range(-1.0..1.0)).collect() };
    let model = Model { dim, entities: vectors(entities.len()), relations: vectors(relations.len()) };
    println!("{} test facts, {} entities, {dim} numbers", parts[2].len(), entities.len());
    for _ in 0..reps {
        let begun = Instant::now();
        let known = [RankSide::Tail, RankSide::Head]
            .map(|side| (side, KnownAnswers::new(side, &parts[2], parts.iter().flatten().copied())));
        let prepared = begun.elapsed().as_secs_f64();
        let ranks: Vec<_> =
            known.iter().flat_map(|(side, known)| model.ranks(&parts[2], *side, known)).collect();
        let seconds = begun.elapsed().as_secs_f64();
        let operations = 2.0 * ranks.len() as f64 * model.entities.len() as f64;
        println!(
            "{seconds:.3} s, of which {prepared:.3} s to find known answers; {:.1} GFLOP/s; MRR {:.5}; peak {}",
            operations / (seconds - prepared) / 1e9,
            Metrics::of(&ranks).mrr,
            peak()
        );
    }
}

struct Model {
    dim: usize,
    entities: Vec<f32>,
    relations: Vec<f32>,
}

impl Model {
    fn ranks(&self, facts: &[Fact], side: RankSide, known: &KnownAnswers) -> Vec<f64> {
        let row = |table: &[f32], row: u32| table[row as usize * self.dim..][..self.dim].to_vec();
        let query = |fact: &Fact| {
            let fixed = row(&self.entities, side.ends(fact).0).into_iter();
            fixed.zip(row(&self.relations, fact.relation.0)).map(|(a, b)| a * b).collect::<Vec<f32>>()
        };
        let standings = standings(&Questions {
            width: self.dim,
            measure: Measure::Product,
            queries: &facts.iter().flat_map(query).collect::<Vec<f32>>(),
            candidates: &self.entities,
            right: &facts.iter().map(|fact| side.ends(fact).1).collect::<Vec<u32>>(),
            known: &facts.iter().map(|fact| known.of(fact)).collect::<Vec<_>>(),
            corrections: &vec![&[][..]; facts.len()],
        });
        standings.into_iter().map(|standing| standing.filtered.mean()).collect()
    }
}

fn read(path: &Path, entities: &mut HashMap<String, u32>, relations: &mut HashMap<String, u32>) -> Vec<Fact> {
    let text = std::fs::read_to_string(path).expect("a file of facts");
    let number = |names: &mut HashMap<String, u32>, name: &str| {
        let count = names.len() as u32;
        *names.entry(name.to_owned()).or_insert(count)
    };
    let fact = |line: &str| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().expect("three columns");
        Fact {
            subject: EntityId(number(entities, cell())),
            relation: RelationId(number(relations, cell())),
            object: EntityId(number(entities, cell())),
        }
    };
    text.lines().map(fact).collect()
}

/// The most memory that was ever in use.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}
