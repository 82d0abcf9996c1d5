//! Which relations of two graphs mean the same?
//!
//! P(r ⊆ r') is the share of facts r(x, y) with both ends linked, to x' and y', for which r'(x', y') is a fact. Relations are
//! numbered as in [`Surroundings`], so that one may be the inverse of the other.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::surroundings::Surroundings;
use crate::link::Pair;

/// Current links by entity: partner and probability, the surest first.
pub(super) type Partners = Vec<Vec<(u32, f32)>>;

/// More partners than these are not looked at: the rest of the probability is small.
const MOST_PARTNERS: usize = 4;
/// What is believed of two relations before anything is known, as in PARIS, and how many facts that belief is worth.
const BELIEF: f32 = 0.1;
const BELIEF_FACTS: f32 = 1.0;
/// Entities in one piece of work; sums are taken piece by piece, in order.
const PIECE: usize = 2048;

/// How far each relation of one graph is contained in each of the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelationAlignment {
    /// For each relation: the weight of its facts whose ends are linked.
    linked: Vec<f32>,
    /// For each relation: those of the other graph that hold as well, with the weight of the facts; sorted.
    held: Vec<Vec<(u32, f32)>>,
    /// The same, those with most weight first.
    heaviest: Vec<Vec<(u32, f32)>>,
}

impl RelationAlignment {
    /// Counts over the facts of `from`, whose entities have `partners` in `to`.
    pub(super) fn count(from: &Surroundings, to: &Surroundings, partners: &Partners) -> Self {
        let entities: Vec<u32> = (0..from.entities() as u32).collect();
        let piece = |entities: &[u32]| {
            let (mut linked, mut held) = (vec![0.0; from.relations()], BTreeMap::<(u32, u32), f32>::new());
            for &x in entities.iter().filter(|&&x| !partners[x as usize].is_empty()) {
                for &(y, relation) in from.of(x) {
                    for &(x2, p) in &partners[x as usize] {
                        for &(y2, q) in &partners[y as usize] {
                            linked[relation as usize] += p * q;
                            for &(_, other) in to.between(x2, y2) {
                                *held.entry((relation, other)).or_default() += p * q;
                            }
                        }
                    }
                }
            }
            (linked, held)
        };
        let pieces: Vec<_> = entities.par_chunks(PIECE).map(piece).collect();
        let mut linked = vec![0.0; from.relations()];
        let mut sums = BTreeMap::<(u32, u32), f32>::new();
        for (part, held) in pieces {
            linked.iter_mut().zip(part).for_each(|(sum, weight): (&mut f32, f32)| *sum += weight);
            held.into_iter().for_each(|(relations, weight)| *sums.entry(relations).or_default() += weight);
        }
        let mut held = vec![Vec::new(); from.relations()];
        sums.into_iter()
            .for_each(|((relation, other), weight)| held[relation as usize].push((other, weight)));
        let mut heaviest = held.clone();
        heaviest.iter_mut().for_each(|list: &mut Vec<(u32, f32)>| list.sort_by(|a, b| b.1.total_cmp(&a.1)));
        Self { linked, held, heaviest }
    }

    /// P(relation ⊆ other), with a little belief where little is known.
    pub fn within(&self, relation: u32, other: u32) -> f32 {
        let held = &self.held[relation as usize];
        let weight = held.binary_search_by_key(&other, |entry| entry.0).map_or(0.0, |at| held[at].1);
        self.believed(relation, weight)
    }

    /// The largest P(relation ⊆ other) of those others that are `there`; at least one must be.
    pub(super) fn within_best(&self, relation: u32, there: impl Fn(u32) -> bool) -> f32 {
        let best = self.heaviest[relation as usize].iter().find(|(other, _)| there(*other));
        self.believed(relation, best.map_or(0.0, |(_, weight)| *weight))
    }

    fn believed(&self, relation: u32, weight: f32) -> f32 {
        ((weight + BELIEF * BELIEF_FACTS) / (self.linked[relation as usize] + BELIEF_FACTS)).min(1.0)
    }
}

/// Whether two relations lead the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Subjects are subjects.
    Same,
    /// Subjects of one are objects of the other.
    Inverse,
}

/// Two relations that mean the same, or of which one says what the other does.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedRelations {
    /// The relation of the first graph.
    pub first: u32,
    /// The relation of the second graph.
    pub second: u32,
    /// Which way they lead.
    pub direction: Direction,
    /// P(first ⊆ second).
    pub first_in_second: f32,
    /// P(second ⊆ first).
    pub second_in_first: f32,
    /// The weight of the facts that speak for it.
    pub facts: f32,
}

/// The relations of two graphs that meet on current links, those with most facts first.
pub fn alignment(pair: &Pair<'_>, current: &[(u32, u32, f32)]) -> Vec<AlignedRelations> {
    let around = pair.graphs().map(Surroundings::of_graph);
    let [forth, back] = both(&around, &partners(&around, current));
    let mut aligned = Vec::new();
    // Relations read backwards meet exactly where they do read forwards.
    for (relation, held) in forth.held.iter().enumerate().step_by(2) {
        for &(other, facts) in held {
            let direction = if other % 2 == 0 { Direction::Same } else { Direction::Inverse };
            let relation = relation as u32;
            aligned.push(AlignedRelations {
                first: relation / 2,
                second: other / 2,
                direction,
                first_in_second: forth.within(relation, other),
                second_in_first: back.within(other, relation),
                facts,
            });
        }
    }
    let place = |a: &AlignedRelations| (a.first, a.second, a.direction);
    aligned.sort_by(|a, b| b.facts.total_cmp(&a.facts).then(place(a).cmp(&place(b))));
    aligned
}

/// The alignment from the first graph to the second, and from the second to the first.
pub(super) fn both(around: &[Surroundings; 2], partners: &[Partners; 2]) -> [RelationAlignment; 2] {
    [0, 1].map(|side| RelationAlignment::count(&around[side], &around[1 - side], &partners[side]))
}

/// The surest partners of each entity of both graphs. Of partners that tie at the end of the list, none is preferred.
pub(super) fn partners(around: &[Surroundings; 2], current: &[(u32, u32, f32)]) -> [Partners; 2] {
    [0, 1].map(|side| {
        let mut partners: Partners = vec![Vec::new(); around[side].entities()];
        for &(first, second, p) in current.iter().filter(|link| link.2 > 0.0) {
            let (own, other) = if side == 0 { (first, second) } else { (second, first) };
            partners[own as usize].push((other, p.min(1.0)));
        }
        partners.iter_mut().for_each(keep_surest);
        partners
    })
}

fn keep_surest(list: &mut Vec<(u32, f32)>) {
    list.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    if let Some(&(_, next)) = list.get(MOST_PARTNERS) {
        let surer = list.partition_point(|entry| entry.1 > next);
        list.truncate(surer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part};
    use crate::joint::small_graphs::prepared;

    #[test]
    fn containment_is_a_share_of_linked_facts() {
        // First: r0(0,1), r0(2,3). Second: the same read backwards, s0(1,0), and s1(2,3).
        let around = [
            Surroundings::new(4, 1, [(0, 0, 1), (2, 0, 3)].into_iter()),
            Surroundings::new(4, 2, [(1, 0, 0), (2, 1, 3)].into_iter()),
        ];
        let current: Vec<(u32, u32, f32)> = (0..4).map(|e| (e, e, 1.0)).collect();
        let [forth, back] = both(&around, &partners(&around, &current));
        // One of two linked facts of r0 is in the inverse of s0, and one in s1: (1 + 0.1) / (2 + 1).
        assert!((forth.within(0, 1) - 1.1 / 3.0).abs() < 1e-6);
        assert!((forth.within(0, 2) - 1.1 / 3.0).abs() < 1e-6);
        assert!((forth.within(0, 0) - 0.1 / 3.0).abs() < 1e-6);
        // The one fact of s0 is in the inverse of r0: (1 + 0.1) / (1 + 1).
        assert!((back.within(0, 1) - 1.1 / 2.0).abs() < 1e-6);
    }

    #[test]
    fn the_best_of_those_that_are_there() {
        // The five facts of r0 are in s0 once, in s1 three times, and in s2 once.
        let first = (0..5).map(|at| (2 * at, 0, 2 * at + 1));
        let second =
            [0, 1, 1, 1, 2].into_iter().zip(0..).map(|(relation, at)| (2 * at, relation, 2 * at + 1));
        let around = [Surroundings::new(10, 1, first), Surroundings::new(10, 3, second)];
        let current: Vec<(u32, u32, f32)> = (0..10).map(|e| (e, e, 1.0)).collect();
        let [forth, _] = both(&around, &partners(&around, &current));
        assert_eq!(forth.within_best(0, |_| true), 3.1 / 6.0);
        assert_eq!(forth.within_best(0, |other| other != 2), 1.1 / 6.0);
        assert_eq!(forth.within_best(0, |other| other == 1), 0.1 / 6.0);
        for there in 0..1 << 6 {
            let is_there = |other: u32| there >> other & 1 == 1;
            let naive = (0..6).filter(|&other| is_there(other)).map(|other| forth.within(0, other));
            let naive = naive.reduce(f32::max).unwrap_or(forth.within(0, 5));
            assert_eq!(forth.within_best(0, is_there), naive, "{there:b}");
        }
    }

    #[test]
    fn relations_are_aligned_with_their_inverses() {
        // Every film is directed by somebody; the other graph says who directed which film, and once who produced it.
        let (mut one, mut two) = (GraphBuilder::default(), GraphBuilder::default());
        for at in 0..3 {
            one.fact(Part::Train, &format!("film {at}"), "directed by", &format!("person {at}"));
            two.fact(Part::Train, &format!("p{at}"), "director of", &format!("f{at}"));
        }
        two.fact(Part::Train, "f0", "producer", "p0");
        let data = prepared(vec![one.finish("one"), two.finish("two")], Vec::new(), 0);
        let pair = Pair::new(&data.data, [0, 1], Vec::new());
        let [one, two] = pair.graphs();
        let link =
            |(a, b): (String, String)| (one.entities.find(&a).unwrap(), two.entities.find(&b).unwrap(), 1.0);
        // The third film is linked and its director is not, so that fact does not count.
        let named = |at: usize| {
            [(format!("film {at}"), format!("f{at}")), (format!("person {at}"), format!("p{at}"))]
        };
        let current: Vec<_> = (0..3).flat_map(named).take(5).map(link).collect();
        let relation = |name: &str| two.relations.find(name).unwrap();
        let expected = |second, direction, first_in_second, second_in_first, facts| AlignedRelations {
            first: 0,
            second,
            direction,
            first_in_second,
            second_in_first,
            facts,
        };
        // Two linked facts, both in the inverse of the one and one in the other: (2 + 0.1) / (2 + 1), (1 + 0.1) / (2 + 1); back
        // the same of two, and (1 + 0.1) / (1 + 1) of one.
        assert_eq!(
            alignment(&pair, &current),
            [
                expected(relation("director of"), Direction::Inverse, 2.1 / 3.0, 2.1 / 3.0, 2.0),
                expected(relation("producer"), Direction::Same, 1.1 / 3.0, 1.1 / 2.0, 1.0),
            ]
        );
        assert_eq!(alignment(&pair, &[]), []);
    }

    #[test]
    fn of_partners_that_tie_at_the_end_none_is_kept() {
        let mut list: Vec<(u32, f32)> = vec![(1, 0.9), (2, 0.1), (3, 0.1), (4, 0.1), (5, 0.1)];
        keep_surest(&mut list);
        assert_eq!(list, [(1, 0.9)]);
    }
}
