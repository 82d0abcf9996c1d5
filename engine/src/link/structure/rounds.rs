//! How do links that were found help to find more?
//!
//! In each round the known links and the confident pairs of the round before carry labels. A pair is confident if it is the
//! best of both its entities and has at least a certain share in the competition. Against drift, nothing found is ever
//! kept for its own sake: every round decides anew about all pairs, and by default the label that a found pair carries counts
//! for its neighbours and not for itself (`Weights::own` is 0). It still comes back to itself over two edges, weakly.

use rayon::prelude::*;

use super::aligned::Aligned;
use super::cells::{LARGE, Rows, SHORT, offer_by_cells};
use super::edges::Edges;
use super::nearest::{Best, Keep, Near, Offers, finished, hubness, nearest};
use super::propagate::{describe, random_labels};
use super::sharing::{Labelled, offer_by_sharing};
use super::{Pair, Search, StructureConfig};
use crate::compute::rows::Gather;
use crate::dataset::Dice;
use crate::link::decode::Scored;
use crate::progress::{Progress, Unit};

/// Runs all rounds; the config was checked.
pub(super) fn align(pair: &Pair<'_>, config: &StructureConfig, progress: &dyn Progress) -> Aligned {
    let known: Vec<[u32; 2]> = pair.known.iter().map(|link| [link.first.0, link.second.0]).collect();
    let graphs = pair.graphs();
    let edges = graphs.map(Edges::of);
    let names = format!("{}\u{0}{}", graphs[0].name, graphs[1].name);
    progress.begin("Aligning by structure", Some(config.rounds as u64), Unit::Items);
    let mut carrying = known.clone();
    let mut round = 0;
    let aligned = loop {
        let dice = Dice::new(config.seed, &format!("structure labels {round}"), &names);
        let aligned = align_once(&edges, &known, &carrying, &dice, config);
        progress.advance(1);
        round += 1;
        if round == config.rounds {
            break aligned;
        }
        carrying.truncate(known.len());
        carrying.extend(aligned.mutual(config.confident));
    };
    progress.end();
    aligned
}

/// One round: labels of `carrying` spread, and entities without a known link are compared.
fn align_once(
    edges: &[Edges; 2],
    known: &[[u32; 2]],
    carrying: &[[u32; 2]],
    dice: &Dice,
    config: &StructureConfig,
) -> Aligned {
    let width = config.width;
    let labels = random_labels(dice, carrying.len(), width);
    let carriers: [Gather<f32>; 2] =
        std::array::from_fn(|side| carriers(edges[side].entities(), carrying.iter().map(|link| link[side])));
    let features: [Vec<f32>; 2] =
        std::array::from_fn(|side| describe(&edges[side], &carriers[side], &labels, width, config.weights));
    drop(labels);
    let open: [Vec<u32>; 2] = std::array::from_fn(|side| {
        let mut is_open: Vec<bool> =
            features[side].par_chunks(width).map(|row| row.iter().any(|&x| x != 0.0)).collect();
        known.iter().for_each(|link| is_open[link[side] as usize] = false);
        (0..is_open.len() as u32).filter(|&entity| is_open[entity as usize]).collect()
    });
    let (search, list) = way(&open, config);
    let rows: [Rows<'_>; 2] =
        std::array::from_fn(|side| Rows { table: &features[side], chosen: &open[side], width });
    let keep = list.max(config.hubness);
    let lists = match search {
        Way::Exact => {
            let tables = rows.map(Rows::copied);
            nearest(&tables[0], &tables[1], width, keep)
        }
        Way::Nearly => {
            let of = |side: usize| Labelled::new(&edges[side], &carriers[side], &open[side], carrying.len());
            nearly(rows, &[of(0), of(1)], keep, dice)
        }
    };
    let means: [Vec<f32>; 2] = std::array::from_fn(|side| {
        let mut all = vec![f32::NAN; edges[side].entities()];
        let of_open = hubness(&lists[side], config.hubness);
        open[side].iter().zip(of_open).for_each(|(&entity, mean)| all[entity as usize] = mean);
        all
    });
    let pairs = united(&lists, &open, &means, list);
    drop(lists);
    let shares = config.sinkhorn.shares([features[0].len() / width, features[1].len() / width], &pairs);
    Aligned::new(width, features, means, pairs, shares)
}

/// Which labels each entity carries.
fn carriers(entities: usize, ends: impl Iterator<Item = u32> + Clone) -> Gather<f32> {
    let mut starts = vec![0u32; entities + 1];
    ends.clone().for_each(|end| starts[end as usize + 1] += 1);
    for at in 0..entities {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut rows = vec![0; starts[entities] as usize];
    for (label, end) in ends.enumerate() {
        rows[next[end as usize] as usize] = label as u32;
        next[end as usize] += 1;
    }
    Gather { starts, rows, weights: Vec::new() }
}

/// How entities are compared.
enum Way {
    Exact,
    Nearly,
}

/// How the open entities of both sides are compared, and how many of the nearest of each compete.
fn way(open: &[Vec<u32>; 2], config: &StructureConfig) -> (Way, usize) {
    let is_large = open[0].len().saturating_mul(open[1].len()) >= LARGE;
    match config.search {
        Search::BySize if is_large => (Way::Nearly, config.list.min(SHORT)),
        Search::BySize | Search::Exact => (Way::Exact, config.list),
        Search::Nearly => (Way::Nearly, config.list),
    }
}

/// For each open entity of both sides, those of the other that are described most alike: nearly all.
fn nearly(rows: [Rows<'_>; 2], labelled: &[Labelled; 2], keep: usize, dice: &Dice) -> [Vec<Vec<Near>>; 2] {
    let keep = Keep { count: keep, offers: Offers::Repeated };
    let mut lists = rows.map(|rows| vec![Best::default(); rows.chosen.len()]);
    offer_by_sharing(rows, labelled, keep, &mut lists);
    offer_by_cells(rows, keep, dice, &mut lists);
    lists.map(|lists| finished(lists, keep))
}

/// The pairs that are in a list of either side, with corrected similarities: sorted, each once.
fn united(
    lists: &[Vec<Vec<Near>>; 2],
    open: &[Vec<u32>; 2],
    means: &[Vec<f32>; 2],
    keep: usize,
) -> Vec<Scored> {
    let listed = |side: usize| {
        lists[side].par_iter().zip(&open[side]).flat_map_iter(move |(list, &own)| {
            list.iter().take(keep).map(move |near| (own, open[1 - side][near.row as usize], near.score))
        })
    };
    let corrected = |first: u32, second: u32, score: f32| Scored {
        first,
        second,
        score: score - (means[0][first as usize] + means[1][second as usize]) / 2.0,
    };
    let firsts = listed(0).map(|(first, second, score)| corrected(first, second, score));
    let seconds = listed(1).map(|(second, first, score)| corrected(first, second, score));
    let mut pairs: Vec<Scored> = firsts.chain(seconds).collect();
    // A pair that was compared in two ways may have two last digits; the larger stays.
    pairs.par_sort_unstable_by(|one, other| {
        (one.first, one.second).cmp(&(other.first, other.second)).then(other.score.total_cmp(&one.score))
    });
    pairs.dedup_by_key(|pair| (pair.first, pair.second));
    pairs
}
