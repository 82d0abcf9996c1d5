//! What do linked neighbours say about a pair, and whom do they propose?

use rayon::prelude::*;

use super::relations::{Partners, RelationAlignment, both, partners};
use super::surroundings::Surroundings;
use crate::link::{Candidates, Column, Pair};

/// A neighbour that leads to more entities than this proposes none of them.
const WIDEST: usize = 200;
/// A factor of the product is kept this far from 0, so that its logarithm is a number.
const SUREST: f32 = 0.9999;

const NAMES: [&str; 4] =
    ["neighbours: agree", "neighbours: rare agree", "neighbours: share", "neighbours: linked apart"];

/// Everything that stays the same while pairs are judged.
struct Bench<'a> {
    around: &'a [Surroundings; 2],
    partners: [Partners; 2],
    alignment: [RelationAlignment; 2],
}

/// What linked neighbours say about each candidate, given current links with their probabilities:
///
/// - `neighbours: agree`, minus the logarithm of PARIS's product: −ln(1 − P(x ≡ x'));
/// - `neighbours: rare agree`, the same with fun⁻¹ of the relation replaced by 1 over the number of entities that this very
///   neighbour leads back to: a small town says more than a capital;
/// - `neighbours: share`, the share of x's neighbours with partners, weighed by fun⁻¹, that are next to x' as well; the smaller
///   of both directions;
/// - `neighbours: linked apart`, minus the weight of x's neighbours with partners that are not next to x' although their
///   relation, where it holds, leads to one only: what speaks against the pair.
///
/// Where no neighbour of either has a partner, nothing is said.
pub fn columns(pair: &Pair<'_>, current: &[(u32, u32, f32)], candidates: &Candidates) -> Vec<Column> {
    columns_of(&pair.graphs().map(Surroundings::of_graph), current, candidates)
}

/// The same, of surroundings that are already there: rounds of agreement read them once.
pub fn columns_of(
    around: &[Surroundings; 2],
    current: &[(u32, u32, f32)],
    candidates: &Candidates,
) -> Vec<Column> {
    let partners = partners(around, current);
    let alignment = both(around, &partners);
    let bench = Bench { around, partners, alignment };
    let firsts: Vec<u32> = (0..candidates.starts.len().saturating_sub(1) as u32).collect();
    let rows: Vec<[f32; NAMES.len()]> = firsts
        .par_iter()
        .flat_map_iter(|&first| candidates.of_entity(first).iter().map(move |&second| (first, second)))
        .map(|pair| bench.judge(pair))
        .collect();
    let column = |(at, name): (usize, &&str)| Column {
        name: (*name).to_owned(),
        values: rows.iter().map(|row| row[at]).collect(),
    };
    NAMES.iter().enumerate().map(column).collect()
}

/// What one direction of a comparison comes to.
#[derive(Default)]
struct Sums {
    paris: f32,
    rare: f32,
    met: f32,
    linked: f32,
    apart: f32,
}

impl Bench<'_> {
    fn judge(&self, (x, x2): (u32, u32)) -> [f32; NAMES.len()] {
        let (forth, back) = (self.look(0, x, x2), self.look(1, x2, x));
        if forth.linked == 0.0 || back.linked == 0.0 {
            return [f32::NAN; NAMES.len()];
        }
        // Both directions meet the same pairs of facts, each with its own factor of the product.
        let share = (forth.met / forth.linked).min(back.met / back.linked);
        [forth.paris + back.paris, forth.rare + back.rare, share, -(forth.apart + back.apart)]
    }

    /// The factors that have fun⁻¹ of relations of `own` side in them.
    fn look(&self, side: usize, x: u32, x2: u32) -> Sums {
        let (own, other) = (&self.around[side], &self.around[1 - side]);
        let (within, contains) = (&self.alignment[side], &self.alignment[1 - side]);
        let mut sums = Sums::default();
        for &(y, r) in own.of(x) {
            let partners = &self.partners[side][y as usize];
            let Some(&(_, surest)) = partners.first() else { continue };
            let fun = own.inverse_functionality(r);
            let rare = 1.0 / self.degree(side, y, r ^ 1) as f32;
            let (mut met, mut expected) = (0.0f32, 0.0f32);
            for &(y2, p) in partners {
                for &(_, r2) in other.between(x2, y2) {
                    // P(r' ⊆ r): if r' holds there, r does here.
                    let means = contains.within(r2, r);
                    sums.paris -= (1.0 - (means * fun * p).min(SUREST)).ln();
                    sums.rare -= (1.0 - (means * rare * p).min(SUREST)).ln();
                    met = met.max(p * means.max(within.within(r, r2)));
                }
            }
            // The relation of x2 that should have held: the best aligned of those it has at all.
            if met < 0.5 * surest {
                let has = other.of(x2).iter().map(|&(_, r2)| within.within(r, r2));
                expected = has.fold(0.0, f32::max);
            }
            sums.linked += surest * fun;
            sums.met += met * fun;
            sums.apart += surest * own.inverse_functionality(r ^ 1) * expected;
        }
        sums
    }

    fn degree(&self, side: usize, entity: u32, relation: u32) -> usize {
        self.around[side].degree(entity, relation).max(1)
    }
}

/// Pairs whose neighbours are linked: for each entity of the first graph the up to `count` with the largest sum of
/// 1 / (how many share that neighbour), over relations that may mean the same. Sorted, each once.
pub fn proposals(around: &[Surroundings; 2], current: &[(u32, u32, f32)], count: usize) -> Vec<(u32, u32)> {
    let partners = partners(around, current);
    let alignment = both(around, &partners);
    let state = || (vec![0.0f32; around[1].entities()], Vec::<u32>::new());
    let search = |(sums, met): &mut (Vec<f32>, Vec<u32>), x: usize| {
        for &(y, r) in around[0].of(x as u32) {
            let back = around[0].of(y).len();
            for &(y2, p) in &partners[0][y as usize] {
                let others = around[1].of(y2);
                if others.len() > WIDEST || back > WIDEST {
                    continue;
                }
                for &(x2, r2) in others {
                    let means = alignment[0].within(r, r2 ^ 1);
                    if sums[x2 as usize] == 0.0 {
                        met.push(x2);
                    }
                    sums[x2 as usize] += p * means / others.len() as f32 + f32::MIN_POSITIVE;
                }
            }
        }
        let mut found: Vec<(u32, f32)> =
            met.drain(..).map(|m| (m, std::mem::take(&mut sums[m as usize]))).collect();
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        // Of those that tie at the end of the list, none is preferred.
        if let Some(&(_, next)) = found.get(count) {
            let better = found.partition_point(|entry| entry.1 > next);
            found.truncate(better);
        }
        found.into_iter().map(|(x2, _)| (x as u32, x2)).collect::<Vec<_>>()
    };
    let found: Vec<Vec<(u32, u32)>> =
        (0..around[0].entities()).into_par_iter().map_init(state, search).collect();
    let mut found: Vec<(u32, u32)> = found.into_iter().flatten().collect();
    found.sort_unstable();
    found
}
