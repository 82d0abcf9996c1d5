//! What is a knowledge graph?
//!
//! Facts between entities, attributes with values, types, and the vocabularies that give them ids. A [`Graph`] is
//! built by a [`GraphBuilder`] and is canonical: its ids and the order of its rows depend on what the graph says,
//! never on the order in which it was said.

mod adjacency;
mod builder;
mod ids;
mod names;
mod rewrite;
mod value;
mod vocabulary;

pub use adjacency::Adjacency;
pub use builder::GraphBuilder;
pub use ids::{EntityId, KeyId, RelationId, TypeId, ValueId};
pub use names::{COMPOUND, is_name_key};
pub use value::{Date, Kind, Value, Values};
pub use vocabulary::{Interner, Vocabulary};

/// A fact: `subject` stands in `relation` to `object`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact {
    /// Who or what.
    pub subject: EntityId,
    /// How.
    pub relation: RelationId,
    /// To whom or what.
    pub object: EntityId,
}

/// An attribute: one value of one key of an entity. A key may have many values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attribute {
    /// Whose.
    pub entity: EntityId,
    /// Which property.
    pub key: KeyId,
    /// The value.
    pub value: ValueId,
}

/// An entity is of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Typing {
    /// What is typed.
    pub entity: EntityId,
    /// The type.
    pub class: TypeId,
}

/// The part of a data set that a fact or a link belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Learned from.
    Train,
    /// Used to choose between models.
    Valid,
    /// Used once, at the end.
    Test,
    /// Not assigned yet; the parts are drawn when the data set is made.
    Undivided,
}

impl Part {
    /// The three parts of a data set, in order.
    pub const ASSIGNED: [Self; 3] = [Self::Train, Self::Valid, Self::Test];
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::Train, Self::Valid, Self::Test, Self::Undivided];

    /// The name used in files, commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Valid => "valid",
            Self::Test => "test",
            Self::Undivided => "undivided",
        }
    }
}

/// Rows by the part they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByPart<T> {
    parts: [Vec<T>; 4],
}

impl<T> Default for ByPart<T> {
    fn default() -> Self {
        Self { parts: Default::default() }
    }
}

impl<T> ByPart<T> {
    /// The rows of a part.
    pub fn part(&self, part: Part) -> &Vec<T> {
        &self.parts[part as usize]
    }

    /// The rows of a part, to change.
    pub fn part_mut(&mut self, part: Part) -> &mut Vec<T> {
        &mut self.parts[part as usize]
    }

    /// The rows of all parts.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().flatten()
    }

    /// Every part's rows.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Vec<T>> {
        self.parts.iter_mut()
    }

    /// How many rows there are in all parts.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the source said which part each row belongs to.
    pub fn is_divided(&self) -> bool {
        self.parts[Part::Undivided as usize].is_empty()
            && Part::ASSIGNED.iter().any(|&part| !self.part(part).is_empty())
    }
}

/// Two entities of different graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The entity of the first graph.
    pub first: EntityId,
    /// The entity of the second graph.
    pub second: EntityId,
}

/// What is known about which entities of two graphs are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// The number of the first graph, in the order the graphs were given.
    pub first: usize,
    /// The number of the second graph.
    pub second: usize,
    /// Pairs that are the same.
    pub positives: ByPart<Link>,
    /// Pairs that are known not to be the same.
    pub negatives: ByPart<Link>,
}

/// One knowledge graph in memory. Rows are sorted; duplicates stay until they are cleaned away.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// What the user calls it.
    pub name: String,
    /// The entities: everything that is a subject or object of a fact, or has an attribute or a type.
    pub entities: Vocabulary,
    /// The relations.
    pub relations: Vocabulary,
    /// The keys of attributes.
    pub keys: Vocabulary,
    /// The types.
    pub types: Vocabulary,
    /// The distinct values of attributes.
    pub values: Values,
    /// The facts.
    pub facts: ByPart<Fact>,
    /// The attributes; names are among them.
    pub attributes: Vec<Attribute>,
    /// Which entity is of which type.
    pub typings: Vec<Typing>,
    /// Pairs that the graph itself says are the same (`owl:sameAs`), mostly one of its own and one of another graph.
    pub same_as: Vec<(String, String)>,
    /// Types declared to be compound values (Freebase's mediators): their entities stand for facts.
    pub mediators: Vec<TypeId>,
}

impl Graph {
    /// Whether a key's values are names of the entity.
    pub fn is_name(&self, key: KeyId) -> bool {
        is_name_key(self.keys.get(key.0))
    }

    /// Bytes of the encoded graph: strings with their offsets, and rows of ids.
    pub fn memory(&self) -> usize {
        let vocabularies = [&self.entities, &self.relations, &self.keys, &self.types];
        vocabularies.iter().map(|v| v.memory()).sum::<usize>()
            + self.values.memory()
            + size_of::<Fact>() * self.facts.len()
            + size_of::<Attribute>() * self.attributes.len()
            + size_of::<Typing>() * self.typings.len()
    }
}
