//! What is learned?
//!
//! Ω = {W₁ … W₅, W^E, W^R, W^T, W^key, W^val, Θ} (§4.1). Matrices are row after row; a table has a row for each entity,
//! relation, type, key or feature.

use super::activation::Activation;
use super::aggregate::Aggregator;
use super::entity::Contexts;
use crate::compute::Real;
use crate::compute::memory::zeros;

/// How many there are of each thing, and how long their vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// n: entities of all graphs.
    pub entities: usize,
    /// m: relations of all graphs.
    pub relations: usize,
    /// Types of all graphs.
    pub types: usize,
    /// u: keys of attributes.
    pub keys: usize,
    /// v: features of values.
    pub features: usize,
    /// d: the length of an entity's own vector.
    pub entity: usize,
    /// k: the length of a relation's.
    pub relation: usize,
    /// q: the length of a type's.
    pub class: usize,
    /// y: the length of an attribute's.
    pub attribute: usize,
    /// h: the length of a representation.
    pub hidden: usize,
}

impl Sizes {
    /// How many numbers the vectors and the weights between them are at most: tables that are not needed count too.
    pub fn numbers(&self) -> u128 {
        let Self { entity: d, relation: k, class: q, attribute: y, hidden: h, .. } = *self;
        let vectors =
            [(self.entities, d), (self.relations, k), (self.types, q), (self.keys, y), (self.features, y)];
        let weights = [(h, d), (h, d), (h, k), (h, q), (h, y)];
        vectors.into_iter().chain(weights).map(|(rows, width)| rows as u128 * width as u128).sum()
    }
}

/// All parameters, or a gradient of all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters<T> {
    /// Their sizes.
    pub sizes: Sizes,
    /// W^E, n×d.
    pub entities: Vec<T>,
    /// W^R, m×k.
    pub relations: Vec<T>,
    /// W^T, types×q.
    pub types: Vec<T>,
    /// W^key, u×y.
    pub keys: Vec<T>,
    /// W^val, v×y.
    pub features: Vec<T>,
    /// W₁, h×d: an entity's own vector.
    pub own: Vec<T>,
    /// W₂, h×d: its neighbourhood.
    pub neighbourhood: Vec<T>,
    /// W₃, h×y: its attributes.
    pub attributes: Vec<T>,
    /// W₄, h×k: a relation's own vector.
    pub relation: Vec<T>,
    /// W₅, h×q: the types that take part in it.
    pub relation_types: Vec<T>,
    /// θ of each entity as a neighbour (Eq. 6).
    pub entity_attention: Vec<T>,
    /// θ of each key as an attribute's.
    pub key_attention: Vec<T>,
    /// θ of each type as a relation's.
    pub type_attention: Vec<T>,
    /// What the aggregator of neighbourhoods learns.
    pub neighbourhood_aggregator: Vec<T>,
    /// What the aggregator of attributes learns.
    pub attribute_aggregator: Vec<T>,
    /// What the aggregator of types learns.
    pub type_aggregator: Vec<T>,
}

impl<T: Real> Parameters<T> {
    /// All zero. A table that none of the contexts needs is empty.
    pub fn zero(sizes: Sizes, contexts: &Contexts) -> Self {
        let mut parameters = Self::zero_but_entities(sizes, contexts);
        let entities = contexts.own || contexts.neighbourhood.is_some();
        parameters.entities = zeros(if entities { sizes.entities * sizes.entity } else { 0 });
        parameters
    }

    /// All zero, with W^E and W^R alone: what models have that know no contexts.
    pub fn vectors(sizes: Sizes) -> Self {
        let contexts = Contexts {
            own: false,
            neighbourhood: None,
            attributes: None,
            types: None,
            attention: false,
            rectified: false,
            activation: Activation::Identity,
        };
        let mut parameters = Self::zero_but_entities(sizes, &contexts);
        parameters.entities = zeros(sizes.entities * sizes.entity);
        parameters.relation = Vec::new();
        parameters
    }

    /// The same without W^E and its θ, whose gradients are handed over row by row.
    pub fn zero_but_entities(sizes: Sizes, contexts: &Contexts) -> Self {
        let Sizes { entity: d, relation: k, class: q, attribute: y, hidden: h, .. } = sizes;
        let Contexts { own, neighbourhood, attributes, types, attention, .. } = *contexts;
        let when = |needed: bool, count: usize| vec![T::ZERO; if needed { count } else { 0 }];
        let learned = |aggregator: Option<Aggregator>, width: usize| {
            vec![T::ZERO; aggregator.map_or(0, |aggregator| aggregator.parameters(width))]
        };
        let (near, has) = (neighbourhood.is_some(), attributes.is_some());
        Self {
            sizes,
            entities: Vec::new(),
            relations: when(true, sizes.relations * k),
            types: when(types.is_some(), sizes.types * q),
            keys: when(has, sizes.keys * y),
            features: when(has, sizes.features * y),
            own: when(own, h * d),
            neighbourhood: when(near, h * d),
            attributes: when(has, h * y),
            relation: when(true, h * k),
            relation_types: when(types.is_some(), h * q),
            entity_attention: when(attention && near, sizes.entities),
            key_attention: when(attention && has, sizes.keys),
            type_attention: when(attention && types.is_some(), sizes.types),
            neighbourhood_aggregator: learned(neighbourhood, d),
            attribute_aggregator: learned(attributes, y),
            type_aggregator: learned(types, q),
        }
    }

    /// How long the rows of a table are, by its name; 1 where it has none.
    pub fn width(&self, name: &str) -> usize {
        let Sizes { entity: d, relation: k, class: q, attribute: y, .. } = self.sizes;
        match name {
            "W^E" | "W1" | "W2" => d,
            "W^R" | "W4" => k,
            "W^T" | "W5" => q,
            "W^key" | "W^val" | "W3" => y,
            _ => 1,
        }
    }

    /// Every table and matrix with the paper's name for it.
    pub fn tables(&self) -> [(&'static str, &Vec<T>); 16] {
        [
            ("W^E", &self.entities),
            ("W^R", &self.relations),
            ("W^T", &self.types),
            ("W^key", &self.keys),
            ("W^val", &self.features),
            ("W1", &self.own),
            ("W2", &self.neighbourhood),
            ("W3", &self.attributes),
            ("W4", &self.relation),
            ("W5", &self.relation_types),
            ("theta entities", &self.entity_attention),
            ("theta keys", &self.key_attention),
            ("theta types", &self.type_attention),
            ("aggregator of neighbourhoods", &self.neighbourhood_aggregator),
            ("aggregator of attributes", &self.attribute_aggregator),
            ("aggregator of types", &self.type_aggregator),
        ]
    }

    /// The same, to change.
    pub fn tables_mut(&mut self) -> [(&'static str, &mut Vec<T>); 16] {
        [
            ("W^E", &mut self.entities),
            ("W^R", &mut self.relations),
            ("W^T", &mut self.types),
            ("W^key", &mut self.keys),
            ("W^val", &mut self.features),
            ("W1", &mut self.own),
            ("W2", &mut self.neighbourhood),
            ("W3", &mut self.attributes),
            ("W4", &mut self.relation),
            ("W5", &mut self.relation_types),
            ("theta entities", &mut self.entity_attention),
            ("theta keys", &mut self.key_attention),
            ("theta types", &mut self.type_attention),
            ("aggregator of neighbourhoods", &mut self.neighbourhood_aggregator),
            ("aggregator of attributes", &mut self.attribute_aggregator),
            ("aggregator of types", &mut self.type_aggregator),
        ]
    }
}
