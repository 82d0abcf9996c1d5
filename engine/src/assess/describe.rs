//! How are two entities told side by side?

use std::collections::HashMap;

use crate::dataset::{Dataset, Lists, PreparedGraph, PreparedLinks};
use crate::graph::{EntityId, Link, Part};
use crate::predict::name_of;
use crate::report::{Described, LinkExample, Outcome};

/// Tells entities as their graphs do.
pub(super) struct Describer<'a> {
    graphs: [&'a PreparedGraph; 2],
    neighbourhoods: [&'a Lists; 2],
    /// How many training facts each entity is the subject and the object of.
    facts: [Vec<(u32, u32)>; 2],
    partners: HashMap<u32, u32>,
}

impl<'a> Describer<'a> {
    /// Tells the entities of two linked graphs, whose neighbours are in these lists, sorted.
    pub(super) fn new(data: &'a Dataset, links: &PreparedLinks, neighbourhoods: [&'a Lists; 2]) -> Self {
        let graphs = [links.first, links.second].map(|graph| &data.graphs[graph]);
        let facts = graphs.map(|graph| {
            let mut counts = vec![(0, 0); graph.entities.len()];
            let train = &graph.facts[Part::Train as usize];
            train.subjects.iter().for_each(|&subject| counts[subject as usize].0 += 1);
            train.objects.iter().for_each(|&object| counts[object as usize].1 += 1);
            counts
        });
        let known = links.positives[Part::Train as usize].iter();
        let partners = known.map(|link| (link.first.0, link.second.0)).collect();
        Self { graphs, neighbourhoods, facts, partners }
    }

    /// What became of a pair, and how its entities are told.
    pub(super) fn example(&self, link: Link, probability: f64, outcome: Outcome) -> LinkExample {
        LinkExample {
            outcome,
            probability,
            first: self.described(0, link.first),
            second: self.described(1, link.second),
            shared_neighbours: Some(self.shared_neighbours(link)),
            ..Default::default()
        }
    }

    /// The name of an entity of the second graph.
    pub(super) fn second_name(&self, entity: u32) -> String {
        shown(self.graphs[1], EntityId(entity))
    }

    fn described(&self, side: usize, entity: EntityId) -> Described {
        let graph = self.graphs[side];
        let attributes = graph.attributes_of(entity).map(|attribute| {
            let value = graph.values.get(attribute.value.0).text.to_owned();
            (graph.keys.get(attribute.key.0).to_owned(), value)
        });
        let (as_subject, as_object) = self.facts[side][entity.row()];
        Described {
            name: shown(graph, entity),
            as_subject: as_subject.into(),
            as_object: as_object.into(),
            types: graph.types_of(entity).map(|class| graph.types.get(class.0).to_owned()).collect(),
            attributes: attributes.collect(),
        }
    }

    /// How many neighbours of one are linked, in training, with neighbours of the other.
    fn shared_neighbours(&self, link: Link) -> u64 {
        let near = self.neighbourhoods[0].get(link.first.row());
        let others = self.neighbourhoods[1].get(link.second.row());
        let is_shared =
            |id: &&u32| self.partners.get(*id).is_some_and(|partner| others.binary_search(partner).is_ok());
        near.iter().filter(is_shared).count() as u64
    }
}

/// A name, or the id where there is none.
pub(super) fn shown(graph: &PreparedGraph, entity: EntityId) -> String {
    name_of(graph, entity).unwrap_or_else(|| graph.entities.get(entity.0)).to_owned()
}
