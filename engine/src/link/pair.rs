//! What is compared with what?
//!
//! Two graphs of a data set, the links between them that are known, pairs of entities that may be the same, and numbers
//! that speak for or against each of these pairs.

use rayon::prelude::*;

use crate::dataset::{Dataset, PreparedGraph, PreparedLinks};
use crate::graph::{Link, Part};

/// Two graphs, and what is known between them.
#[derive(Debug, Clone)]
pub struct Pair<'a> {
    /// The data set.
    pub data: &'a Dataset,
    /// The number of the first graph.
    pub first: usize,
    /// The number of the second graph.
    pub second: usize,
    /// The links that may be learned from: sorted, each once.
    pub known: Vec<Link>,
    /// Pairs that are known to be different: sorted, each once.
    pub denied: Vec<Link>,
}

impl<'a> Pair<'a> {
    /// Two graphs by their numbers, with known links; nothing is known to be different.
    pub fn new(data: &'a Dataset, [first, second]: [usize; 2], mut known: Vec<Link>) -> Self {
        known.sort_unstable();
        known.dedup();
        Self { data, first, second, known, denied: Vec::new() }
    }

    /// Every two graphs of a data set, with their known links of some parts. Where links are known, the pair has their
    /// direction.
    pub fn all(data: &'a Dataset, known: &[Part]) -> Vec<Self> {
        let both = (0..data.graphs.len()).flat_map(|second| (0..second).map(move |first| [first, second]));
        both.map(|graphs| Self::of(data, graphs, known)).collect()
    }

    fn of(data: &'a Dataset, graphs: [usize; 2], known: &[Part]) -> Self {
        let is_own = |links: &&PreparedLinks| {
            let own = [links.first, links.second];
            own == graphs || own == [graphs[1], graphs[0]]
        };
        let prepared = data.links.iter().find(is_own);
        let [first, second] = prepared.map_or(graphs, |links| [links.first, links.second]);
        let labels = |of: fn(&PreparedLinks) -> &[Vec<Link>; 3]| -> Vec<Link> {
            let of_part = |part: &Part| prepared.map_or(&[][..], |links| &of(links)[*part as usize]);
            known.iter().flat_map(of_part).copied().collect()
        };
        let mut denied = labels(|links| &links.negatives);
        denied.sort_unstable();
        denied.dedup();
        Self { denied, ..Self::new(data, [first, second], labels(|links| &links.positives)) }
    }

    /// The two graphs.
    pub fn graphs(&self) -> [&'a PreparedGraph; 2] {
        [&self.data.graphs[self.first], &self.data.graphs[self.second]]
    }
}

/// For each entity of the first graph, entities of the second that may be the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidates {
    /// Where the list of each entity of the first graph begins, and where the last ends.
    pub starts: Vec<usize>,
    /// The lists, one after the other: each sorted, each candidate once.
    pub seconds: Vec<u32>,
}

impl Candidates {
    /// Unites proposals of several kinds; `entities` is the number of entities of the first graph.
    pub fn of(entities: usize, mut proposed: Vec<(u32, u32)>) -> Self {
        proposed.par_sort_unstable();
        proposed.dedup();
        let mut starts = vec![0; entities + 1];
        proposed.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
        for at in 0..entities {
            starts[at + 1] += starts[at];
        }
        Self { starts, seconds: proposed.into_iter().map(|pair| pair.1).collect() }
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether there is no pair.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// The candidates of an entity of the first graph.
    pub fn of_entity(&self, first: u32) -> &[u32] {
        &self.seconds[self.starts[first as usize]..self.starts[first as usize + 1]]
    }

    /// The place of a pair among all.
    pub fn place(&self, first: u32, second: u32) -> Option<usize> {
        let start = *self.starts.get(first as usize)?;
        let at = self.of_entity(first).binary_search(&second).ok()?;
        Some(start + at)
    }

    /// The pairs that are not among others of the same two graphs.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        let is_kept = self.map(|_, (first, second)| others.place(first, second).is_none());
        let kept = self.pairs().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(pair, _)| pair);
        Self::of(self.starts.len().saturating_sub(1), kept.collect())
    }

    /// Something for each pair, in their order, from its place and its entities.
    pub fn map<T: Clone + Default + Send>(&self, of: impl Fn(usize, (u32, u32)) -> T + Sync) -> Vec<T> {
        self.map_from(|_| (), |(), at, pair| of(at, pair))
    }

    /// The same, with something that is made once for each entity of the first graph that has candidates.
    pub fn map_from<S, T: Clone + Default + Send>(
        &self,
        begin: impl Fn(u32) -> S + Sync,
        of: impl Fn(&mut S, usize, (u32, u32)) -> T + Sync,
    ) -> Vec<T> {
        // A million entities have lists of many gigabytes: what comes out is as long as it has to be from the beginning.
        let mut all = vec![T::default(); self.len()];
        self.each_list(&mut all, |first, own| {
            let mut state = begin(first);
            let places = self.starts[first as usize]..;
            for ((at, &second), own) in places.zip(self.of_entity(first)).zip(own) {
                *own = of(&mut state, at, (first, second));
            }
        });
        all
    }

    /// Gives each entity of the first graph that has candidates its own part of what there is one of for each pair.
    pub(super) fn each_list<T: Send>(&self, all: &mut [T], of: impl Fn(u32, &mut [T]) + Sync) {
        const ENTITIES: usize = 256;
        let entities = self.starts.len().saturating_sub(1);
        let mut rest = all;
        let mut work = Vec::new();
        for begin in (0..entities).step_by(ENTITIES) {
            let firsts = begin..entities.min(begin + ENTITIES);
            let (own, others) = rest.split_at_mut(self.starts[firsts.end] - self.starts[begin]);
            work.push((firsts, own));
            rest = others;
        }
        work.into_par_iter().for_each(|(firsts, mut rest)| {
            for first in firsts {
                let (own, others) = rest.split_at_mut(self.starts[first + 1] - self.starts[first]);
                rest = others;
                if !own.is_empty() {
                    of(first as u32, own);
                }
            }
        });
    }

    /// The same pairs in several lists, each of entities that follow each other and of about so many pairs.
    pub(super) fn in_parts(&self, pairs: usize) -> impl Iterator<Item = Self> {
        let entities = self.starts.len().saturating_sub(1);
        let mut begin = 0;
        std::iter::from_fn(move || {
            if begin == entities {
                return None;
            }
            let reached = self.starts.partition_point(|&start| start < self.starts[begin] + pairs.max(1));
            let end = reached.clamp(begin + 1, entities);
            let (from, to) = (self.starts[begin], self.starts[end]);
            begin = end;
            let starts = self.starts.iter().map(|&start| start.clamp(from, to) - from).collect();
            Some(Self { starts, seconds: self.seconds[from..to].to_vec() })
        })
    }

    /// All pairs, in their order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let firsts = 0..self.starts.len().saturating_sub(1) as u32;
        firsts.flat_map(move |first| self.of_entity(first).iter().map(move |&second| (first, second)))
    }
}

/// One kind of evidence: a number for each pair, in the order of [`Candidates::pairs`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What it is called where it is explained.
    pub name: String,
    /// The more, the more it speaks for the pair; NaN where it says nothing.
    pub values: Vec<f32>,
}

impl Column {
    /// Several columns, whose numbers were found pair by pair.
    pub(super) fn all<const N: usize>(names: [&str; N], rows: &[[f32; N]]) -> Vec<Self> {
        let column = |(at, name): (usize, &str)| Self {
            name: name.to_owned(),
            values: rows.par_iter().map(|row| row[at]).collect(),
        };
        names.into_iter().enumerate().map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_are_united() {
        let candidates = Candidates::of(4, vec![(2, 7), (0, 5), (2, 1), (0, 5)]);
        assert_eq!(candidates.pairs().collect::<Vec<_>>(), [(0, 5), (2, 1), (2, 7)]);
        assert_eq!(candidates.of_entity(1), [] as [u32; 0]);
        assert_eq!((candidates.len(), Candidates::of(0, Vec::new()).is_empty()), (3, true));
        assert_eq!(
            [(0, 5), (2, 7), (2, 6), (3, 0)].map(|(a, b)| candidates.place(a, b)),
            [Some(0), Some(2), None, None]
        );
        let others = Candidates::of(4, vec![(0, 5), (2, 6), (2, 7)]);
        assert_eq!(candidates.without(&others), Candidates::of(4, vec![(2, 1)]));
    }

    #[test]
    fn what_is_found_of_each_pair_has_its_place() {
        // More entities than one thread takes at a time; every third has no candidate, and the last has none.
        let proposed = (0..1000u32).filter(|x| x % 3 > 0).flat_map(|x| (0..x % 7).map(move |y| (x, y)));
        let candidates = Candidates::of(1003, proposed.collect());
        let found = candidates.map(|at, pair| (at, pair));
        assert_eq!(found, candidates.pairs().enumerate().collect::<Vec<_>>());
        assert!(Candidates::default().map(|at, _| at).is_empty());
        // Each is told who it is, and how many of the same entity came before.
        let counted = candidates.map_from(
            |first| (first, 0),
            |(own, before), _, (first, _)| {
                *before += 1;
                (*own == first, *before - 1)
            },
        );
        let expected = candidates.pairs().map(|(_, second)| (true, second));
        assert_eq!(counted, expected.collect::<Vec<_>>());
        for pairs in [0, 1, 7, 500, 10_000] {
            let parts: Vec<Candidates> = candidates.in_parts(pairs).collect();
            let united = parts.iter().flat_map(Candidates::pairs);
            assert!(united.eq(candidates.pairs()), "{pairs}");
            assert_eq!(parts.len() > 1, pairs < candidates.len());
            // A part is at most one list longer than asked for.
            assert!(parts.iter().all(|part| part.len() < pairs.max(1) + 6), "{pairs}");
        }
        assert_eq!(Candidates::default().in_parts(5).count(), 0);
        let columns = Column::all(["a", "b"], &[[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!((&columns[0].name[..], &columns[0].values[..]), ("a", &[1.0, 3.0][..]));
        assert_eq!((&columns[1].name[..], &columns[1].values[..]), ("b", &[2.0, 4.0][..]));
    }
}
