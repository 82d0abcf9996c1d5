//! What is learned?
//!
//! Ω = {W₁ … W₅, W^E, W^R, W^T, W^key, W^val, Θ} (§4.1). Matrices are row after row; a table has a row for each entity,
//! relation, type, key or feature.

use crate::compute::Real;

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
}

impl<T: Real> Parameters<T> {
    /// All zero: where gradients begin.
    pub fn zero(sizes: Sizes) -> Self {
        let Sizes { entity: d, relation: k, class: q, attribute: y, hidden: h, .. } = sizes;
        let zero = |count: usize| vec![T::ZERO; count];
        Self {
            sizes,
            entities: zero(sizes.entities * d),
            relations: zero(sizes.relations * k),
            types: zero(sizes.types * q),
            keys: zero(sizes.keys * y),
            features: zero(sizes.features * y),
            own: zero(h * d),
            neighbourhood: zero(h * d),
            attributes: zero(h * y),
            relation: zero(h * k),
            relation_types: zero(h * q),
            entity_attention: zero(sizes.entities),
            key_attention: zero(sizes.keys),
            type_attention: zero(sizes.types),
        }
    }

    /// Every table and matrix with the paper's name for it.
    pub fn tables(&self) -> [(&'static str, &Vec<T>); 13] {
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
        ]
    }

    /// The same, to change.
    pub fn tables_mut(&mut self) -> [(&'static str, &mut Vec<T>); 13] {
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
        ]
    }
}
