//! How does a graph come together while files are read?
//!
//! A reader fills a small builder for each block of a file; blocks are read in parallel and each builder is
//! [absorbed](GraphBuilder::absorb) by the graph's own, in any order: [`GraphBuilder::finish`] makes the result
//! independent of it.

use rayon::prelude::*;

use super::value::{self, Value, Values};
use super::vocabulary::{Interner, Vocabulary};
use super::{Attribute, ByPart, EntityId, Fact, Graph, KeyId, Part, RelationId, TypeId, Typing, ValueId};

/// A graph in the making; ids are provisional until it is finished.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    entities: Interner,
    relations: Interner,
    keys: Interner,
    types: Interner,
    values: Interner,
    /// The ends of `owl:sameAs`, of this graph or of others.
    identified: Interner,
    facts: ByPart<Fact>,
    attributes: Vec<Attribute>,
    typings: Vec<Typing>,
    same_as: Vec<[u32; 2]>,
    mediators: Vec<TypeId>,
    scratch: Vec<u8>,
}

impl GraphBuilder {
    /// The provisional id of an entity.
    pub fn entity(&mut self, name: &str) -> EntityId {
        EntityId(self.entities.intern(name.as_bytes()))
    }

    /// The provisional id of a relation.
    pub fn relation(&mut self, name: &str) -> RelationId {
        RelationId(self.relations.intern(name.as_bytes()))
    }

    /// The provisional id of an attribute key.
    pub fn key(&mut self, name: &str) -> KeyId {
        KeyId(self.keys.intern(name.as_bytes()))
    }

    /// The provisional id of a type.
    pub fn class(&mut self, name: &str) -> TypeId {
        TypeId(self.types.intern(name.as_bytes()))
    }

    /// The provisional id of a value.
    pub fn value(&mut self, value: Value<'_>) -> ValueId {
        if value.qualifier.is_empty() {
            return ValueId(self.values.intern(value.text.as_bytes()));
        }
        value::encode(value, &mut self.scratch);
        ValueId(self.values.intern(&self.scratch))
    }

    /// Adds a fact.
    pub fn add_fact(&mut self, part: Part, subject: EntityId, relation: RelationId, object: EntityId) {
        self.facts.part_mut(part).push(Fact { subject, relation, object });
    }

    /// Adds a fact by its names.
    pub fn fact(&mut self, part: Part, subject: &str, relation: &str, object: &str) {
        let (subject, relation, object) =
            (self.entity(subject), self.relation(relation), self.entity(object));
        self.add_fact(part, subject, relation, object);
    }

    /// Adds an attribute.
    pub fn add_attribute(&mut self, entity: EntityId, key: KeyId, value: Value<'_>) {
        let value = self.value(value);
        self.attributes.push(Attribute { entity, key, value });
    }

    /// Adds an attribute by its names.
    pub fn attribute(&mut self, entity: &str, key: &str, value: Value<'_>) {
        let (entity, key) = (self.entity(entity), self.key(key));
        self.add_attribute(entity, key, value);
    }

    /// Adds a type by its names.
    pub fn typing(&mut self, entity: &str, class: &str) {
        let (entity, class) = (self.entity(entity), self.class(class));
        self.typings.push(Typing { entity, class });
    }

    /// Notes that two things are the same. Which of them, if any, is of this graph is seen later.
    pub fn same_as(&mut self, one: &str, other: &str) {
        let pair = [one, other].map(|name| self.identified.intern(name.as_bytes()));
        self.same_as.push(pair);
    }

    /// Declares that entities of this type are compound values.
    pub fn mediator(&mut self, class: &str) {
        let class = self.class(class);
        self.mediators.push(class);
    }

    /// Whether some vocabulary is about to run out of 32-bit ids.
    pub fn is_full(&self) -> bool {
        let all = [&self.entities, &self.relations, &self.keys, &self.types, &self.values, &self.identified];
        all.iter().any(|interner| interner.len() > u32::MAX as usize - (1 << 26))
    }

    /// Forgets everything and keeps the memory, for the next block.
    pub fn clear(&mut self) {
        let Self { entities, relations, keys, types, values, identified, .. } = self;
        [entities, relations, keys, types, values, identified].into_iter().for_each(Interner::clear);
        self.facts.parts_mut().for_each(Vec::clear);
        self.attributes.clear();
        self.typings.clear();
        self.same_as.clear();
        self.mediators.clear();
    }

    /// Takes over all that another builder has.
    pub fn absorb(&mut self, other: &Self) {
        let entities = self.entities.absorb(&other.entities);
        let relations = self.relations.absorb(&other.relations);
        let keys = self.keys.absorb(&other.keys);
        let types = self.types.absorb(&other.types);
        let values = self.values.absorb(&other.values);
        let identified = self.identified.absorb(&other.identified);
        for part in Part::ALL {
            let facts = other.facts.part(part).iter();
            self.facts.part_mut(part).extend(facts.map(|f| map_fact(f, &entities, &relations)));
        }
        let attributes = other.attributes.iter();
        self.attributes.extend(attributes.map(|a| map_attribute(a, &entities, &keys, &values)));
        self.typings.extend(other.typings.iter().map(|t| map_typing(t, &entities, &types)));
        let same_as = other.same_as.iter();
        self.same_as.extend(same_as.map(|pair| pair.map(|number| identified[number as usize])));
        self.mediators.extend(other.mediators.iter().map(|t| TypeId(types[t.row()])));
    }

    /// Makes the graph canonical: ids by salted hash, rows sorted.
    pub fn finish(self, name: &str) -> Graph {
        let Self { mut facts, mut attributes, mut typings, same_as, mediators, identified, .. } = self;
        let ((entities, entity_rows), (values, value_rows)) = rayon::join(
            || Vocabulary::from_interner(self.entities, name, "entities"),
            || Values::from_interner(self.values, name),
        );
        let (relations, relation_rows) = Vocabulary::from_interner(self.relations, name, "relations");
        for facts in facts.parts_mut() {
            facts.par_iter_mut().for_each(|f| *f = map_fact(f, &entity_rows, &relation_rows));
            facts.par_sort_unstable();
        }
        let (keys, key_rows) = Vocabulary::from_interner(self.keys, name, "keys");
        attributes.par_iter_mut().for_each(|a| *a = map_attribute(a, &entity_rows, &key_rows, &value_rows));
        attributes.par_sort_unstable();
        let (types, type_rows) = Vocabulary::from_interner(self.types, name, "types");
        typings.par_iter_mut().for_each(|t| *t = map_typing(t, &entity_rows, &type_rows));
        typings.par_sort_unstable();
        let named = |number| String::from_utf8_lossy(identified.get(number)).into_owned();
        let mut same_as: Vec<(String, String)> = same_as.iter().map(|&[a, b]| (named(a), named(b))).collect();
        same_as.sort_unstable();
        same_as.dedup();
        let mut mediators: Vec<TypeId> = mediators.iter().map(|t| TypeId(type_rows[t.row()])).collect();
        mediators.sort_unstable();
        mediators.dedup();
        Graph {
            name: name.to_owned(),
            entities,
            relations,
            keys,
            types,
            values,
            facts,
            attributes,
            typings,
            same_as,
            mediators,
        }
    }
}

fn map_fact(fact: &Fact, entities: &[u32], relations: &[u32]) -> Fact {
    Fact {
        subject: EntityId(entities[fact.subject.row()]),
        relation: RelationId(relations[fact.relation.row()]),
        object: EntityId(entities[fact.object.row()]),
    }
}

fn map_attribute(attribute: &Attribute, entities: &[u32], keys: &[u32], values: &[u32]) -> Attribute {
    Attribute {
        entity: EntityId(entities[attribute.entity.row()]),
        key: KeyId(keys[attribute.key.row()]),
        value: ValueId(values[attribute.value.row()]),
    }
}

fn map_typing(typing: &Typing, entities: &[u32], types: &[u32]) -> Typing {
    Typing { entity: EntityId(entities[typing.entity.row()]), class: TypeId(types[typing.class.row()]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Row = (u8, u8, u8);

    fn build(blocks: &[Vec<Row>]) -> Graph {
        let mut whole = GraphBuilder::default();
        for block in blocks {
            let mut builder = GraphBuilder::default();
            for (a, b, c) in block {
                let (a, b, c) = (format!("e{a}"), format!("r{b}"), format!("e{c}"));
                builder.fact(Part::Undivided, &a, &b, &c);
                builder.attribute(&a, &b, Value { text: &c, qualifier: "@en" });
                builder.typing(&c, &b);
                builder.same_as(&a, &c);
            }
            whole.absorb(&builder);
        }
        whole.finish("g")
    }

    proptest! {
        #[test]
        fn blocks_in_any_order_and_of_any_size_give_the_same_graph(
            rows in prop::collection::vec((0..20u8, 0..4u8, 0..20u8), 1..60), cut in 1..10usize
        ) {
            let whole = build(std::slice::from_ref(&rows));
            let mut blocks: Vec<Vec<Row>> = rows.chunks(cut).map(<[_]>::to_vec).collect();
            blocks.reverse();
            prop_assert!(build(&blocks) == whole);
            let mut facts: Vec<[String; 3]> = whole.facts.iter().map(|f| [
                whole.entities.get(f.subject.0).to_owned(),
                whole.relations.get(f.relation.0).to_owned(),
                whole.entities.get(f.object.0).to_owned(),
            ]).collect();
            let mut expected: Vec<[String; 3]> =
                rows.iter().map(|(a, b, c)| [format!("e{a}"), format!("r{b}"), format!("e{c}")]).collect();
            facts.sort();
            expected.sort();
            prop_assert_eq!(facts, expected);
        }
    }
}
