//! What is compared with what?
//!
//! Two graphs of a data set, the links between them that are known, pairs of entities that may be the same, and numbers
//! that speak for or against each of these pairs.

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
}

impl<'a> Pair<'a> {
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
        let of_part = |part: &Part| prepared.map_or(&[][..], |links| &links.positives[*part as usize]);
        let mut known: Vec<Link> = known.iter().flat_map(of_part).copied().collect();
        known.sort_unstable();
        known.dedup();
        Self { data, first, second, known }
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
        proposed.sort_unstable();
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
        let kept = self.pairs().filter(|&(first, second)| others.place(first, second).is_none());
        Self::of(self.starts.len().saturating_sub(1), kept.collect())
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
}
