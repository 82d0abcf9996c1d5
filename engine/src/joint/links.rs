//! Which entities are known to be the same, and which are known not to be?

use super::JointGraph;
use crate::dataset::{Lists, PreparedLinks};
use crate::graph::Part;

/// The labels between two graphs, by entity.
#[derive(Debug)]
pub struct Labels {
    /// The two graphs.
    pub graphs: [usize; 2],
    /// The partner of each entity of either graph, with the partner's graph's own number; `NOBODY` where none is known.
    partners: [Vec<u32>; 2],
    /// Those that are known not to be the same, by entity of either graph.
    given: [Vec<(u32, u32)>; 2],
    same_type: [Lists; 2],
    other_type: [Lists; 2],
}

const NOBODY: u32 = u32::MAX;

/// The other graph of an entity, and its partner there if it has one. All with the graphs' own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partner {
    /// The other graph.
    pub graph: usize,
    /// The partner.
    pub entity: Option<u32>,
}

impl Labels {
    pub(super) fn new(links: &PreparedLinks, graphs: &[JointGraph]) -> Self {
        let sides = [links.first, links.second];
        let mut partners = sides.map(|graph| vec![NOBODY; graphs[graph].entities as usize]);
        for link in &links.positives[Part::Train as usize] {
            partners[0][link.first.row()] = link.second.0;
            partners[1][link.second.row()] = link.first.0;
        }
        let given = &links.negatives[Part::Train as usize];
        let mut given = [
            given.iter().map(|link| (link.first.0, link.second.0)).collect::<Vec<_>>(),
            given.iter().map(|link| (link.second.0, link.first.0)).collect(),
        ];
        given.iter_mut().for_each(|pairs| pairs.sort_unstable());
        Self {
            graphs: sides,
            partners,
            given,
            same_type: links.same_type_negatives.clone(),
            other_type: links.other_type_negatives.clone(),
        }
    }

    /// Labels made of lists: for tests and measurements.
    pub fn from_lists(graphs: [usize; 2], partners: [Vec<Option<u32>>; 2], negatives: [Lists; 2]) -> Self {
        let partners =
            partners.map(|side| side.into_iter().map(|p| p.unwrap_or(NOBODY)).collect::<Vec<u32>>());
        let nobody = [0, 1].map(|side: usize| Lists::from_lists(partners[side].iter().map(|_| Vec::new())));
        Self { graphs, partners, given: Default::default(), same_type: nobody, other_type: negatives }
    }

    /// The partner of an entity of a graph in the other graph; nothing where the labels are not about this graph.
    pub fn partner(&self, graph: usize, entity: u32) -> Option<Partner> {
        let side = self.graphs.iter().position(|&g| g == graph)?;
        let partner = self.partners[side][entity as usize];
        Some(Partner { graph: self.graphs[1 - side], entity: (partner != NOBODY).then_some(partner) })
    }

    /// The negative labels of an entity of a graph: those given, then those drawn of the same type, then of another.
    pub fn negatives(&self, graph: usize, entity: u32) -> impl Iterator<Item = u32> {
        let side = self.graphs.iter().position(|&g| g == graph).unwrap_or_default();
        let first = self.given[side].partition_point(|pair| pair.0 < entity);
        let given =
            self.given[side][first..].iter().take_while(move |pair| pair.0 == entity).map(|pair| pair.1);
        let drawn = [&self.same_type[side], &self.other_type[side]];
        given.chain(drawn.into_iter().flat_map(move |lists| lists.get(entity as usize).iter().copied()))
    }
}
