//! How far do names, values, types and neighbours lead, put together by hand?
//!
//! `link_values DATA [--no-names] [--no-links] [--rounds 5] [--show 0]`
//!
//! Unique names, rare values and known links are what one begins with; then, for some rounds, every candidate is weighed
//! with fixed weights and the probabilities go back into the agreement of neighbours. Nothing here is learned from the labels
//! that it is judged by: those of the part valid, or test where there is none, and without links of both train and that.

#![allow(clippy::print_stdout)]

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use linknbed::dataset::Dataset;
use linknbed::graph::{EntityId, Part};
use linknbed::link::agreement::{self, Surroundings};
use linknbed::link::values::{
    Evidence, KeyAlignment, NameSource, ValueConfig, Vectors, Written, candidates, columns,
};
use linknbed::link::{Candidates, Column, Pair, types::Types};

type Links = Vec<(u32, u32)>;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let number = |name: &str, otherwise: usize| {
        let at = args.iter().position(|arg| arg == name);
        at.map_or(otherwise, |at| args[at + 1].parse().expect("a number after the flag"))
    };
    let folder = args.first().expect("link_values DATA [--no-names] [--no-links] [--rounds N] [--show N]");
    let data = Dataset::open(Path::new(folder)).expect("a prepared folder");
    let config = ValueConfig {
        names: if has("--no-names") { NameSource::Nowhere } else { NameSource::Keys },
        ..Default::default()
    };
    for links in &data.links {
        let part = |part: Part| -> Links {
            links.positives[part as usize].iter().map(|link| (link.first.0, link.second.0)).collect()
        };
        let judged = if part(Part::Valid).is_empty() { Part::Test } else { Part::Valid };
        let mut gold = part(judged);
        let mut pair = Pair::new(&data, [links.first, links.second], Vec::new());
        if has("--no-links") {
            gold.extend(part(Part::Train));
        } else {
            pair.known = links.positives[Part::Train as usize].clone();
            pair.known.sort_unstable();
        }
        let names = pair.graphs().map(|graph| graph.name.as_str());
        println!("{} - {}: {} links known, {} judged", names[0], names[1], pair.known.len(), gold.len());
        let found = find(&pair, &config, &gold, number("--rounds", 5));
        show_mistakes(&pair, &found, &gold, number("--show", 0));
    }
}

/// Candidates with their evidence and what it comes to.
struct Found {
    candidates: Candidates,
    columns: Vec<Column>,
    scores: Vec<f32>,
}

fn find(pair: &Pair<'_>, config: &ValueConfig, gold: &Links, rounds: usize) -> Found {
    let begun = Instant::now();
    let written = pair.graphs().map(|graph| Written::new(graph, config));
    let vectors = Vectors::of_both([&written[0].names.texts, &written[1].names.texts]);
    let proposed = candidates::proposals_of(&written, &vectors, config);
    let recall = candidates::recall(&proposed, gold);
    println!(
        "{:.1} s: {} pairs by what is written, recall {recall:.4}",
        begun.elapsed().as_secs_f64(),
        proposed.len()
    );
    let evidence = Evidence::gather(pair, &written);
    let keys = KeyAlignment::learn(&written, &evidence, config.seed);
    for keys in keys.pairs.iter().take(12) {
        let name = |side: usize, key: u32| pair.graphs()[side].keys.get(key).to_owned();
        println!(
            "    {} = {} (x {}): {:.2} nats",
            name(0, keys.first),
            name(1, keys.second),
            keys.scale,
            keys.information()
        );
    }
    let around = pair.graphs().map(Surroundings::of_graph);
    let mut current: Vec<(u32, u32, f32)> = evidence.pairs().into_iter().map(|(a, b)| (a, b, 0.9)).collect();
    let known: HashMap<u32, u32> = pair.known.iter().map(|link| (link.first.0, link.second.0)).collect();
    let taken: HashSet<u32> = known.values().copied().collect();
    let mut found = None;
    for round in 0..rounds.max(1) {
        let mut all = agreement::proposals(&around, &current, 20);
        all.extend(&proposed);
        let candidates = Candidates::of(around[0].entities(), all);
        let mut all: Vec<Column> = columns(&written, &vectors, &keys, &evidence, &candidates);
        all.push(Types::of(pair, &evidence).column(&evidence, &candidates));
        all.extend(agreement::columns_of(&around, &current, &candidates));
        let scores = weigh(&all);
        let pairs: Links = candidates.pairs().collect();
        current = probabilities(&pairs, &scores);
        current.retain(|&(a, b, _)| !known.contains_key(&a) && !taken.contains(&b));
        current.extend(known.iter().map(|(&a, &b)| (a, b, 1.0)));
        current.sort_unstable_by_key(|&(a, b, _)| (a, b));
        let recall = candidates::recall(&pairs, gold);
        print!(
            "{:.1} s: round {round}, {} pairs, recall {recall:.4}; ",
            begun.elapsed().as_secs_f64(),
            pairs.len()
        );
        judge(&pairs, &scores, &known, gold);
        found = Some(Found { candidates, columns: all, scores });
    }
    found.expect("at least one round")
}

/// Fixed weights: what each kind of evidence is worth, in nats.
fn weigh(columns: &[Column]) -> Vec<f32> {
    let column = |name: &str| &columns.iter().find(|column| column.name == name).expect("a column").values;
    let said = |name: &str, at: usize, otherwise: f32| {
        let value = column(name)[at];
        if value.is_nan() { otherwise } else { value }
    };
    let one = |at: usize| {
        let likeness = said("name: likeness", at, 0.3);
        let same = said("name: the same", at, 0.0);
        let rarity = said("name: rarity", at, 0.0).max(-4.0);
        let letters = said("name: letters", at, likeness).max(likeness);
        let name = 8.0 * (0.5 * likeness + 0.5 * letters) - 6.0 + same * (2.0 + 0.5 * rarity);
        let values = 0.7 * said("values: agree", at, 0.0).min(10.0)
            + 0.7 * said("values: disagree", at, 0.0).max(-8.0);
        let kinds = said("types", at, 0.0).clamp(-4.0, 3.0);
        let paris = said("neighbours: agree", at, 0.0).min(6.0);
        let rare = said("neighbours: rare agree", at, 0.0).min(6.0);
        let share = said("neighbours: share", at, 0.0);
        let apart = said("neighbours: linked apart", at, 0.0).max(-3.0);
        name + values + kinds + paris + rare + 2.0 * share + 0.3 * apart
    };
    (0..columns[0].values.len()).map(one).collect()
}

/// What is said for being alone, in nats: a pair must beat this and all its rivals.
const ALONE: f32 = 2.0;

/// A pair's share among its rivals, from both sides.
fn probabilities(pairs: &Links, scores: &[f32]) -> Vec<(u32, u32, f32)> {
    let mut sums: [HashMap<u32, f32>; 2] = Default::default();
    for (&(a, b), score) in pairs.iter().zip(scores) {
        *sums[0].entry(a).or_insert(ALONE.exp()) += score.exp();
        *sums[1].entry(b).or_insert(ALONE.exp()) += score.exp();
    }
    let share = |(&(a, b), score): (&(u32, u32), &f32)| {
        (a, b, score.exp() / sums[0][&a] * (score.exp() / sums[1][&b]))
    };
    pairs.iter().zip(scores).map(share).filter(|link| link.2 > 0.05).collect()
}

fn judge(pairs: &Links, scores: &[f32], known: &HashMap<u32, u32>, gold: &Links) {
    let partner: HashMap<u32, u32> = gold.iter().copied().collect();
    let labelled: HashSet<u32> = gold.iter().map(|link| link.1).collect();
    let mut lists: HashMap<u32, Vec<(u32, f32)>> = HashMap::new();
    for (&(a, b), &score) in pairs.iter().zip(scores).filter(|((a, _), _)| partner.contains_key(a)) {
        lists.entry(a).or_default().push((b, score));
    }
    let hits = |among: &dyn Fn(u32) -> bool| {
        let hit = |(a, list): (&u32, &Vec<(u32, f32)>)| {
            let right = list.iter().find(|entry| entry.0 == partner[a]).map(|entry| entry.1);
            right.is_some_and(|right| {
                list.iter().filter(|entry| entry.1 >= right && among(entry.0)).count() == 1
            })
        };
        lists.iter().filter(|entry| hit(*entry)).count() as f64 / gold.len() as f64
    };
    let decoded = greedy(pairs, scores, known);
    let links: HashSet<(u32, u32)> = gold.iter().copied().collect();
    let about = decoded.iter().filter(|(a, b)| partner.contains_key(a) || labelled.contains(b)).count();
    let right = decoded.iter().filter(|link| links.contains(link)).count() as f64;
    let (precision, recall) = (right / about.max(1) as f64, right / gold.len() as f64);
    let f1 = 2.0 * right / (about + gold.len()) as f64;
    println!(
        "Hits@1 {:.4} among all, {:.4} labelled; P {precision:.4} R {recall:.4} F1 {f1:.4}",
        hits(&|_| true),
        hits(&|b| labelled.contains(&b))
    );
}

/// Links from the best down, one for each entity; where rivals tie, none of them.
fn greedy(pairs: &Links, scores: &[f32], known: &HashMap<u32, u32>) -> Links {
    let mut order: Vec<usize> = (0..pairs.len()).filter(|&at| scores[at] > ALONE).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut used: [HashSet<u32>; 2] = [known.keys().copied().collect(), known.values().copied().collect()];
    let mut links = Vec::new();
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let free: Links = tied
            .iter()
            .map(|&at| pairs[at])
            .filter(|(a, b)| !used[0].contains(a) && !used[1].contains(b))
            .collect();
        for &(a, b) in &free {
            if free.iter().filter(|(c, d)| *c == a || *d == b).count() == 1 {
                links.push((a, b));
            }
            used[0].insert(a);
            used[1].insert(b);
        }
    }
    links
}

fn show_mistakes(pair: &Pair<'_>, found: &Found, gold: &Links, count: usize) {
    let [first, second] = pair.graphs();
    let about = |graph: &linknbed::dataset::PreparedGraph, entity: u32| {
        let texts: Vec<String> = graph
            .attributes_of(EntityId(entity))
            .take(6)
            .map(|a| {
                let key = graph.keys.get(a.key.0).rsplit(['/', '#', '.']).next().unwrap_or_default();
                format!("{key}={}", graph.values.get(a.value.0).text)
            })
            .collect();
        texts.join(" | ")
    };
    let mut shown = 0;
    for &(a, b) in gold {
        let range = found.candidates.starts[a as usize]..found.candidates.starts[a as usize + 1];
        let best = range.clone().max_by(|&i, &j| found.scores[i].total_cmp(&found.scores[j]));
        let right = range.clone().find(|&at| found.candidates.seconds[at] == b);
        if shown >= count || best.is_some_and(|at| found.candidates.seconds[at] == b) {
            continue;
        }
        shown += 1;
        println!("{}\n  right: {}", about(first, a), about(second, b));
        let row = |at: usize| {
            let values: Vec<String> = found.columns.iter().map(|c| format!("{:.2}", c.values[at])).collect();
            format!("{:.2} = {}", found.scores[at], values.join(" "))
        };
        println!("    {}", right.map_or("no candidate".to_owned(), row));
        if let Some(best) = best {
            println!("  taken: {}\n    {}", about(second, found.candidates.seconds[best]), row(best));
        }
    }
}
