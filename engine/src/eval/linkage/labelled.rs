//! Which pairs are judged?
//!
//! Those of Appendix B.1: each pair of a part that is the same, with the negative labels of its first entity (ten of the
//! same type and ten of another, by default), and the pairs of the part that someone said are not the same.

use crate::dataset::PreparedLinks;
use crate::graph::{Link, Part};

/// Pairs with their labels, sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelledPairs {
    /// The pairs.
    pub pairs: Vec<Link>,
    /// Whether each is the same.
    pub labels: Vec<bool>,
}

impl LabelledPairs {
    /// The pairs of a part.
    pub fn new(links: &PreparedLinks, part: Part) -> Self {
        let mut all: Vec<(Link, bool)> = Vec::new();
        for &link in positives(links, part) {
            all.push((link, true));
            let drawn = [&links.same_type_negatives[0], &links.other_type_negatives[0]];
            let seconds = drawn.into_iter().flat_map(|lists| lists.get(link.first.row()));
            all.extend(
                seconds.map(|&second| (Link { second: crate::graph::EntityId(second), ..link }, false)),
            );
        }
        let given = links.negatives.get(part as usize).into_iter().flatten();
        all.extend(given.map(|&link| (link, false)));
        // A pair that is the same stays so, whatever else is said.
        all.sort_unstable_by_key(|&(link, is_same)| (link, !is_same));
        all.dedup_by_key(|pair| pair.0);
        let (pairs, labels) = all.into_iter().unzip();
        Self { pairs, labels }
    }
}

/// The pairs of a part that are the same.
pub(super) fn positives(links: &PreparedLinks, part: Part) -> &[Link] {
    links.positives.get(part as usize).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Lists;
    use crate::graph::EntityId;

    fn link(first: u32, second: u32) -> Link {
        Link { first: EntityId(first), second: EntityId(second) }
    }

    #[test]
    fn pairs_worked_by_hand() {
        let lists = |lists: [&[u32]; 3]| Lists::from_lists(lists.map(<[u32]>::to_vec));
        let links = PreparedLinks {
            first: 0,
            second: 1,
            positives: [vec![link(1, 1)], vec![link(0, 4), link(2, 2)], vec![]],
            negatives: [vec![], vec![link(1, 0), link(0, 3), link(0, 6)], vec![link(0, 0)]],
            same_type_negatives: [lists([&[3, 1], &[5], &[]]), lists([&[], &[], &[]])],
            other_type_negatives: [lists([&[2], &[], &[7]]), lists([&[9], &[9], &[9]])],
        };
        let found = LabelledPairs::new(&links, Part::Valid);
        let expected = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 6), (1, 0), (2, 2), (2, 7)];
        assert_eq!(found.pairs, expected.map(|(first, second)| link(first, second)));
        assert_eq!(found.labels, [false, false, false, true, false, false, true, false]);
        assert_eq!(LabelledPairs::new(&links, Part::Train).labels, [true, false]);
        assert_eq!(LabelledPairs::new(&links, Part::Test).pairs, [link(0, 0)]);
        assert_eq!(LabelledPairs::new(&links, Part::Undivided), LabelledPairs::default());
    }
}
