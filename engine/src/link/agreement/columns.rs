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
    /// For each entity of the first graph, who of the second is thought to be the same by either.
    either: Vec<Vec<Believed>>,
    alignment: [RelationAlignment; 2],
    totals: [Totals; 2],
}

/// What linked neighbours say about each candidate, given current links with their probabilities, each pair once:
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
    let bench = Bench::new(around, current);
    Column::all(
        NAMES,
        &candidates.map_from(|x| bench.expected(x), |expected, _, pair| bench.judge(expected, pair)),
    )
}

/// What is linked around each entity of a graph, whoever it is compared with.
struct Totals {
    /// The weight of neighbours with partners.
    linked: Vec<f32>,
    starts: Vec<usize>,
    /// The relations that lead to such neighbours, by entity.
    relations: Vec<Total>,
}

/// The neighbours with partners that a relation leads to.
struct Total {
    relation: u32,
    count: u32,
    /// Of the probabilities of their surest partners.
    sum: f32,
}

impl Totals {
    fn of(around: &Surroundings, partners: &Partners) -> Self {
        let of_entity = |x: usize| {
            let surest = |&(y, r): &(u32, u32)| Some((r, partners[y as usize].first()?.1));
            let mut steps: Vec<(u32, f32)> = around.of(x as u32).iter().filter_map(surest).collect();
            let linked: f32 = steps.iter().map(|&(r, p)| p * around.inverse_functionality(r)).sum();
            steps.sort_by_key(|(r, _)| *r);
            let total = |same: &[(u32, f32)]| Total {
                relation: same[0].0,
                count: same.len() as u32,
                sum: same.iter().map(|(_, p)| p).sum(),
            };
            (linked, steps.chunk_by(|a, b| a.0 == b.0).map(total).collect::<Vec<Total>>())
        };
        let found: Vec<(f32, Vec<Total>)> =
            (0..around.entities()).into_par_iter().with_min_len(256).map(of_entity).collect();
        let mut all = Self { linked: Vec::new(), starts: vec![0], relations: Vec::new() };
        for (linked, relations) in found {
            all.linked.push(linked);
            all.relations.extend(relations);
            all.starts.push(all.relations.len());
        }
        all
    }

    fn relations(&self, x: u32) -> &[Total] {
        &self.relations[self.starts[x as usize]..self.starts[x as usize + 1]]
    }
}

/// An entity of the second graph that one of the first is thought to be.
struct Believed {
    partner: u32,
    /// How likely, by the list of either entity; 0 where the list does not have it.
    p: [f32; 2],
}

/// Both lists of partners in one, by entities of the first graph; each sorted by partner.
fn united(partners: &[Partners; 2]) -> Vec<Vec<Believed>> {
    let believed = |list: &Vec<(u32, f32)>| -> Vec<Believed> {
        list.iter().map(|&(partner, p)| Believed { partner, p: [p, 0.0] }).collect()
    };
    let mut all: Vec<Vec<Believed>> = partners[0].iter().map(believed).collect();
    for (partner, list) in (0..).zip(&partners[1]) {
        for &(own, p) in list {
            let own = &mut all[own as usize];
            match own.iter_mut().find(|entry| entry.partner == partner) {
                Some(entry) => entry.p[1] = p,
                None => own.push(Believed { partner, p: [0.0, p] }),
            }
        }
    }
    all.par_iter_mut().for_each(|list| list.sort_unstable_by_key(|entry| entry.partner));
    all
}

/// Whom a step of x leads to, by another name.
struct Expected {
    partner: u32,
    step: u32,
    p: [f32; 2],
}

/// Where a step of x leads to somebody whose partner a step of x' leads to.
struct Meeting {
    /// Which step of x, and which of x'.
    steps: [u32; 2],
    /// The probability that they lead to the same, by the list of either end.
    p: [f32; 2],
}

/// Where expected partners are among the steps of x', both sorted. A country that is a candidate of many people has as many
/// neighbours as all of them: the longer list is jumped through.
fn meetings(expected: &[Expected], steps: &[(u32, u32)], found: &mut Vec<Meeting>) {
    found.clear();
    let (mut e, mut s) = (0, 0);
    while e < expected.len() && s < steps.len() {
        let (partner, neighbour) = (expected[e].partner, steps[s].0);
        if partner < neighbour {
            e += leading(&expected[e..], |entry| entry.partner < neighbour);
        } else if neighbour < partner {
            s += leading(&steps[s..], |step| step.0 < partner);
        } else {
            let ends = [
                e + leading(&expected[e..], |entry| entry.partner == partner),
                s + leading(&steps[s..], |step| step.0 == partner),
            ];
            for entry in &expected[e..ends[0]] {
                let met = |step: usize| Meeting { steps: [entry.step, step as u32], p: entry.p };
                found.extend((s..ends[1]).map(met));
            }
            [e, s] = ends;
        }
    }
}

/// How many entries at the beginning are `before`; few are expected.
fn leading<T>(entries: &[T], before: impl Fn(&T) -> bool) -> usize {
    let mut reach = 1;
    while reach < entries.len() && before(&entries[reach]) {
        reach *= 2;
    }
    let begin = reach / 2;
    begin + entries[begin..entries.len().min(reach)].partition_point(before)
}

/// What one direction of a comparison comes to.
#[derive(Default)]
struct Sums {
    paris: f32,
    rare: f32,
    met: f32,
    apart: f32,
}

impl<'a> Bench<'a> {
    fn new(around: &'a [Surroundings; 2], current: &[(u32, u32, f32)]) -> Self {
        let partners = partners(around, current);
        let alignment = both(around, &partners);
        let totals = [0, 1].map(|side| Totals::of(&around[side], &partners[side]));
        Self { around, either: united(&partners), partners, alignment, totals }
    }

    /// Whom the steps of x lead to by other names, sorted by them, and space for meetings. Its candidates come one after the
    /// other, and this serves them all.
    fn expected(&self, x: u32) -> (Vec<Expected>, Vec<Meeting>) {
        let steps = (0..).zip(self.around[0].of(x));
        let expected = steps.flat_map(|(step, &(y, _))| {
            let believed = self.either[y as usize].iter();
            believed.map(move |&Believed { partner, p }| Expected { partner, step, p })
        });
        let mut expected: Vec<Expected> = expected.collect();
        expected.sort_unstable_by_key(|entry| (entry.partner, entry.step));
        (expected, Vec::new())
    }

    fn judge(
        &self,
        (expected, found): &mut (Vec<Expected>, Vec<Meeting>),
        (x, x2): (u32, u32),
    ) -> [f32; NAMES.len()] {
        let linked = [self.totals[0].linked[x as usize], self.totals[1].linked[x2 as usize]];
        if linked.contains(&0.0) {
            return [f32::NAN; NAMES.len()];
        }
        meetings(expected, self.around[1].of(x2), found);
        // Both directions meet the same pairs of facts, each with its own factor of the product.
        let [forth, back] = [0, 1].map(|side| self.look(side, [x, x2], found));
        let share = (forth.met / linked[0]).min(back.met / linked[1]);
        [forth.paris + back.paris, forth.rare + back.rare, share, -(forth.apart + back.apart)]
    }

    /// The factors that have fun⁻¹ of relations of `own` side in them.
    fn look(&self, side: usize, pair: [u32; 2], meetings: &mut [Meeting]) -> Sums {
        let [x, x2] = [pair[side], pair[1 - side]];
        let (own, other) = (&self.around[side], &self.around[1 - side]);
        let (within, contains) = (&self.alignment[side], &self.alignment[1 - side]);
        // By steps of x, then by its neighbour's partners, the surest first.
        meetings.sort_unstable_by(|a, b| {
            let by_step = a.steps[side].cmp(&b.steps[side]);
            by_step.then(b.p[side].total_cmp(&a.p[side])).then(a.steps[1 - side].cmp(&b.steps[1 - side]))
        });
        let mut sums = Sums::default();
        let mut found: Vec<(u32, f32)> = Vec::new();
        for meetings in meetings.chunk_by(|a, b| a.steps[side] == b.steps[side]) {
            let step = meetings[0].steps[side] as usize;
            let (y, r) = own.of(x)[step];
            // Where nobody is y's partner, only the others believe it.
            let Some(&(_, surest)) = self.partners[side][y as usize].first() else { continue };
            let fun = own.inverse_functionality(r);
            let rare = 1.0 / own.sharing(x)[step] as f32;
            let mut met = 0.0f32;
            for meeting in meetings {
                let (p, (_, r2)) = (meeting.p[side], other.of(x2)[meeting.steps[1 - side] as usize]);
                // P(r' ⊆ r): if r' holds there, r does here.
                let means = contains.within(r2, r);
                sums.paris -= (1.0 - (means * fun * p).min(SUREST)).ln();
                sums.rare -= (1.0 - (means * rare * p).min(SUREST)).ln();
                met = met.max(p * means.max(within.within(r, r2)));
            }
            sums.met += met * fun;
            if met >= 0.5 * surest {
                found.push((r, surest));
            }
        }
        sums.apart = self.apart(side, x, found, x2);
        sums
    }

    /// The weight of neighbours that were not met, given relation and probability of those that were.
    fn apart(&self, side: usize, x: u32, mut found: Vec<(u32, f32)>, x2: u32) -> f32 {
        let (own, other) = (&self.around[side], &self.around[1 - side]);
        if other.of(x2).is_empty() {
            return 0.0;
        }
        found.sort_by_key(|(r, _)| *r);
        let unmet = |total: &Total| {
            let r = total.relation;
            let begin = found.partition_point(|step| step.0 < r);
            let met = &found[begin..begin + found[begin..].partition_point(|step| step.0 == r)];
            // Counted, since the difference of two equal sums is rarely zero.
            if met.len() == total.count as usize {
                return 0.0;
            }
            // The relation of x2 that should have held: the best aligned of those it has at all.
            let expected = self.alignment[side].within_best(r, |r2| other.has(x2, r2));
            let weight = total.sum - met.iter().map(|(_, p)| p).sum::<f32>();
            weight * own.inverse_functionality(r ^ 1) * expected
        };
        self.totals[side].relations(x).iter().map(unmet).sum()
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

    /// One direction of a comparison, step by step: PARIS's sum, the same by rarity, what was met, what is linked, and what
    /// is apart.
    fn by_definition(bench: &Bench<'_>, side: usize, x: u32, x2: u32) -> [f32; 5] {
        let (own, other) = (&bench.around[side], &bench.around[1 - side]);
        let (within, contains) = (&bench.alignment[side], &bench.alignment[1 - side]);
        let mut sums = [0.0f32; 5];
        for (&(y, r), &sharing) in own.of(x).iter().zip(own.sharing(x)) {
            let partners = &bench.partners[side][y as usize];
            let Some(&(_, surest)) = partners.first() else { continue };
            let fun = own.inverse_functionality(r);
            let mut met = 0.0f32;
            for &(y2, p) in partners {
                for &(_, r2) in other.between(x2, y2) {
                    let means = contains.within(r2, r);
                    sums[0] -= (1.0 - (means * fun * p).min(SUREST)).ln();
                    sums[1] -= (1.0 - (means / sharing as f32 * p).min(SUREST)).ln();
                    met = met.max(p * means.max(within.within(r, r2)));
                }
            }
            sums[2] += met * fun;
            sums[3] += surest * fun;
            if met < 0.5 * surest && !other.of(x2).is_empty() {
                let expected = within.within_best(r, |r2| other.has(x2, r2));
                sums[4] += surest * own.inverse_functionality(r ^ 1) * expected;
            }
        }
        sums
    }

    #[test]
    fn whoever_is_looked_at_from_the_sums_are_those_of_the_definition() {
        let mut dice = dice(5);
        let mut one = |most: u32| dice.random_range(0..most);
        // A few hubs, many with a handful of facts, and some with none; entities with more partners than are kept.
        let mut facts = || (0..400).map(|_| (one(60), one(3), one(60) % (1 + one(60)))).collect::<Vec<_>>();
        let around = [facts(), facts()].map(|facts| Surroundings::new(64, 3, facts.into_iter()));
        let mut current: Vec<(u32, u32, f32)> =
            (0..200).map(|at| (at * 7 % 61, at * at % 13 + at % 40, 0.1 + (at % 9) as f32 / 10.0)).collect();
        current.sort_unstable_by_key(|&(a, b, _)| (a, b));
        current.dedup_by_key(|&mut (a, b, _)| (a, b));
        let bench = Bench::new(&around, &current);
        let mut longer = [0; 2];
        for x in 0..64 {
            let (expected, mut found) = bench.expected(x);
            for x2 in 0..64 {
                let steps = around[1].of(x2);
                meetings(&expected, steps, &mut found);
                for side in [0, 1] {
                    let pair = [[x, x2], [x2, x]][side];
                    let sums = bench.look(side, [x, x2], &mut found);
                    let linked = bench.totals[side].linked[pair[0] as usize];
                    let found = [sums.paris, sums.rare, sums.met, linked, sums.apart];
                    let expected = by_definition(&bench, side, pair[0], pair[1]);
                    let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 * (1.0 + b.abs());
                    assert!(
                        found.iter().zip(&expected).all(close),
                        "{side} {pair:?}: {found:?} {expected:?}"
                    );
                }
                longer[usize::from(steps.len() > expected.len())] += usize::from(!found.is_empty());
            }
        }
        assert!(longer.iter().all(|&count| count > 100), "{longer:?}");
    }

    #[test]
    fn what_leads_a_list_is_counted() {
        for length in 0..20 {
            let list: Vec<usize> = (0..length).collect();
            for count in 0..=length {
                assert_eq!(leading(&list, |&entry| entry < count), count);
            }
        }
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
