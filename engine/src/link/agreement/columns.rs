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
        let mut unmet: Vec<(u32, f32)> = Vec::new();
        for (&(y, r), &sharing) in own.of(x).iter().zip(own.sharing(x)) {
            let partners = &self.partners[side][y as usize];
            let Some(&(_, surest)) = partners.first() else { continue };
            let fun = own.inverse_functionality(r);
            let rare = 1.0 / sharing as f32;
            let mut met = 0.0f32;
            for &(y2, p) in partners {
                for &(_, r2) in other.between(x2, y2) {
                    // P(r' ⊆ r): if r' holds there, r does here.
                    let means = contains.within(r2, r);
                    sums.paris -= (1.0 - (means * fun * p).min(SUREST)).ln();
                    sums.rare -= (1.0 - (means * rare * p).min(SUREST)).ln();
                    met = met.max(p * means.max(within.within(r, r2)));
                }
            }
            sums.linked += surest * fun;
            sums.met += met * fun;
            if met < 0.5 * surest {
                unmet.push((r, surest));
            }
        }
        sums.apart = self.apart(side, unmet, x2);
        sums
    }

    /// The weight of neighbours that were not met: relation and probability of each.
    fn apart(&self, side: usize, mut unmet: Vec<(u32, f32)>, x2: u32) -> f32 {
        let (own, other) = (&self.around[side], &self.around[1 - side]);
        if other.of(x2).is_empty() {
            return 0.0;
        }
        unmet.sort_by_key(|(r, _)| *r);
        let of_relation = |neighbours: &[(u32, f32)]| {
            let r = neighbours[0].0;
            // The relation of x2 that should have held: the best aligned of those it has at all.
            let expected = self.alignment[side].within_best(r, |r2| other.has(x2, r2));
            neighbours.iter().map(|(_, p)| p).sum::<f32>() * own.inverse_functionality(r ^ 1) * expected
        };
        unmet.chunk_by(|a, b| a.0 == b.0).map(of_relation).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::small_graphs::dice;
    use rand::RngExt;

    fn two(facts: [&[(u32, u32, u32)]; 2]) -> [Surroundings; 2] {
        facts.map(|facts| Surroundings::new(4, 2, facts.iter().copied()))
    }

    #[test]
    fn the_equation_worked_by_hand() {
        let around = two([&[(0, 0, 1)], &[(0, 0, 1)]]);
        let candidates = Candidates::of(4, vec![(0, 0), (2, 2)]);
        let columns = columns_of(&around, &[(1, 1, 0.8)], &candidates);
        let value = |at: usize| columns[at].values[0];
        // No fact has both ends linked, so relations are believed to mean the same by 0.1; both are functional.
        assert!((value(0) - -2.0 * (1.0f32 - 0.1 * 1.0 * 0.8).ln()).abs() < 1e-6);
        assert!((value(1) - value(0)).abs() < 1e-6);
        assert!((value(2) - 0.1).abs() < 1e-6);
        assert!((value(3) - -0.16).abs() < 1e-6);
        assert!(columns.iter().all(|column| column.values[1].is_nan()), "nobody next to 2 is linked");
    }

    #[test]
    fn a_neighbour_that_many_share_says_less() {
        // In the first graph 0, 2 and 3 all lead to 1 by relation 0; fun⁻¹ is 1/3. In the second 0 alone does.
        let around = two([&[(0, 0, 1), (2, 0, 1), (3, 0, 1)], &[(0, 0, 1)]]);
        let columns = columns_of(&around, &[(1, 1, 1.0)], &Candidates::of(4, vec![(0, 0)]));
        let expected = -(1.0f32 - 0.1 / 3.0).ln() - (1.0f32 - 0.1).ln();
        assert!((columns[0].values[0] - expected).abs() < 1e-6);
    }

    #[test]
    fn neighbours_of_linked_neighbours_are_proposed() {
        let around = two([&[(0, 0, 1)], &[(0, 0, 1), (2, 0, 3)]]);
        assert_eq!(proposals(&around, &[(1, 1, 0.8)], 5), [(0, 0)]);
        // Who ties for the last place is not preferred by number.
        let around = two([&[(0, 0, 1)], &[(0, 0, 1), (2, 0, 1)]]);
        assert_eq!(proposals(&around, &[(1, 1, 0.8)], 1), []);
    }

    #[test]
    fn the_same_bits_on_any_number_of_threads() {
        let mut dice = dice(3);
        let mut some = |count: usize| {
            let mut one = |most: u32| dice.random_range(0..most);
            (0..count).map(|_| (one(5000), one(6), one(5000))).collect::<Vec<_>>()
        };
        let around = [some(20_000), some(20_000)].map(|facts| Surroundings::new(5000, 6, facts.into_iter()));
        let current: Vec<(u32, u32, f32)> =
            (0..5000).map(|e| (e, e * 7 % 5000, 0.3 + (e % 7) as f32 / 10.0)).collect();
        let all = || {
            let candidates = Candidates::of(5000, proposals(&around, &current, 5));
            let columns = columns_of(&around, &current, &candidates);
            columns.iter().flat_map(|column| column.values.iter().map(|v| v.to_bits())).collect::<Vec<u32>>()
        };
        let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all);
        let expected = on(1);
        assert!(expected.len() > 4000);
        assert_eq!(on(2), expected);
        assert_eq!(on(4), expected);
    }
}
