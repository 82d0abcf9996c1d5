//! What does the model say about the entities of two graphs?
//!
//! Every entity of both is encoded once, with all its neighbours, and every relation.

use crate::joint::Joint;
use crate::model::entity::{Batch, Contexts, Encoder};
use crate::model::parameters::Parameters;
use crate::model::relation;

/// A trained model.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    /// What it was trained on.
    pub joint: &'a Joint,
    /// What it learned.
    pub parameters: &'a Parameters<f32>,
    /// What representations are made of.
    pub contexts: Contexts,
    /// Whether an entity leaves the other entity of a fact out of its neighbourhood.
    pub leave_partner_out: bool,
}

/// The representations of two graphs.
#[derive(Debug)]
pub struct Representations<'a> {
    /// The model.
    pub model: Model<'a>,
    /// The two graphs.
    pub graphs: [usize; 2],
    /// z of the entities of each, h-wide, by the graphs' own numbers.
    pub entities: [Vec<f32>; 2],
    /// z of all relations, h-wide.
    pub relations: Vec<f32>,
}

impl<'a> Representations<'a> {
    /// Encodes two graphs.
    pub fn new(model: Model<'a>, graphs: [usize; 2]) -> Self {
        let Model { joint, parameters, contexts, .. } = model;
        let entities = graphs.map(|graph| {
            let graph = &joint.graphs[graph];
            let batch = Batch {
                entities: (graph.first..graph.first + graph.entities).collect(),
                ..Default::default()
            };
            let mut encoder = Encoder::default();
            encoder.forward(&batch, joint, parameters, contexts);
            encoder.representations.truncate(batch.len() * parameters.sizes.hidden);
            encoder.representations
        });
        let relations = relation::forward(&joint.relation_types, parameters, contexts).representations;
        Self { model, graphs, entities, relations }
    }

    /// Of a model that has one vector for each entity, and no contexts.
    pub fn of_vectors(model: Model<'a>, graphs: [usize; 2]) -> Self {
        let w = model.parameters.sizes.entity;
        let entities = graphs.map(|graph| {
            let graph = &model.joint.graphs[graph];
            model.parameters.entities[graph.first as usize * w..(graph.first + graph.entities) as usize * w]
                .to_vec()
        });
        Self { model, graphs, entities, relations: Vec::new() }
    }

    /// h: how long a representation is.
    pub fn width(&self) -> usize {
        self.model.parameters.sizes.hidden
    }

    /// How many entities the graph of a side has.
    pub fn count(&self, side: usize) -> usize {
        self.model.joint.graphs[self.graphs[side]].entities as usize
    }

    /// z of an entity.
    pub fn entity(&self, side: usize, entity: u32) -> &[f32] {
        let (h, at) = (self.width(), entity as usize);
        &self.entities[side][at * h..(at + 1) * h]
    }
}
