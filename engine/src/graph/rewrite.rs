//! How is a graph changed and kept canonical?
//!
//! Cleaning removes entities, rewrites values and makes up relations. Each change here leaves ids dense and in
//! canonical order, and rows sorted.

use std::borrow::Cow;

use rayon::prelude::*;

use super::value::{self, Value, Values};
use super::vocabulary::{Interner, Vocabulary};
use super::{Attribute, EntityId, Fact, Graph, KeyId, RelationId, TypeId, Typing, ValueId};

impl Graph {
    /// Replaces the text of every value; values that become the same are one.
    pub fn rewrite_values(&mut self, rewrite: impl Fn(Value<'_>) -> Cow<'_, str>) {
        let mut interner = Interner::default();
        let mut encoded = Vec::new();
        let numbers: Vec<u32> = self
            .values
            .iter()
            .map(|old| {
                let text = rewrite(old);
                value::encode(Value { text: &text, qualifier: old.qualifier }, &mut encoded);
                interner.intern(&encoded)
            })
            .collect();
        let (values, ids) = Values::from_interner(interner, &self.name);
        self.values = values;
        for attribute in &mut self.attributes {
            attribute.value = ValueId(ids[numbers[attribute.value.row()] as usize]);
        }
        self.attributes.par_sort_unstable();
    }

    /// Adds relations and keys by name; returns their ids. Old ids change.
    pub fn add_names(&mut self, relations: &[String], keys: &[String]) -> (Vec<RelationId>, Vec<KeyId>) {
        let (vocabulary, old, new) = extended(&self.relations, relations, &self.name, "relations");
        self.relations = vocabulary;
        for facts in self.facts.parts_mut() {
            facts.par_iter_mut().for_each(|fact| fact.relation = RelationId(old[fact.relation.row()]));
            facts.par_sort_unstable();
        }
        let relations = new.into_iter().map(RelationId).collect();
        let (vocabulary, old, new) = extended(&self.keys, keys, &self.name, "keys");
        self.keys = vocabulary;
        self.attributes.par_iter_mut().for_each(|attribute| attribute.key = KeyId(old[attribute.key.row()]));
        self.attributes.par_sort_unstable();
        (relations, new.into_iter().map(KeyId).collect())
    }

    /// Removes the entities for which `keep` is false, and every row that mentions one; returns the new id of each
    /// old entity.
    pub fn retain_entities(&mut self, keep: &[bool]) -> Vec<Option<EntityId>> {
        let (entities, rows) = self.entities.retain(keep);
        self.entities = entities;
        let new = |entity: EntityId| rows[entity.row()].map(EntityId);
        for facts in self.facts.parts_mut() {
            retain_map(facts, |fact| {
                Some(Fact { subject: new(fact.subject)?, relation: fact.relation, object: new(fact.object)? })
            });
        }
        retain_map(&mut self.attributes, |a| Some(Attribute { entity: new(a.entity)?, ..*a }));
        retain_map(&mut self.typings, |t| Some(Typing { entity: new(t.entity)?, ..*t }));
        rows.iter().map(|row| row.map(EntityId)).collect()
    }

    /// Removes relations, keys, types and values that nothing mentions any more.
    pub fn drop_unused_names(&mut self) {
        let mut used = vec![false; self.relations.len()];
        self.facts.iter().for_each(|fact| used[fact.relation.row()] = true);
        let (relations, rows) = self.relations.retain(&used);
        self.relations = relations;
        for facts in self.facts.parts_mut() {
            facts.par_iter_mut().for_each(|f| f.relation = RelationId(rows[f.relation.row()].unwrap_or(0)));
        }
        let mut used = vec![false; self.keys.len()];
        self.attributes.iter().for_each(|attribute| used[attribute.key.row()] = true);
        let (keys, key_rows) = self.keys.retain(&used);
        self.keys = keys;
        let mut used = vec![false; self.values.len()];
        self.attributes.iter().for_each(|attribute| used[attribute.value.row()] = true);
        let (values, value_rows) = self.values.retain(&used);
        self.values = values;
        for attribute in &mut self.attributes {
            attribute.key = KeyId(key_rows[attribute.key.row()].unwrap_or(0));
            attribute.value = ValueId(value_rows[attribute.value.row()].unwrap_or(0));
        }
        let mut used = vec![false; self.types.len()];
        self.typings.iter().for_each(|typing| used[typing.class.row()] = true);
        let (types, rows) = self.types.retain(&used);
        self.types = types;
        self.typings.iter_mut().for_each(|t| t.class = TypeId(rows[t.class.row()].unwrap_or(0)));
        self.mediators = self.mediators.iter().filter_map(|t| rows[t.row()].map(TypeId)).collect();
    }
}

/// A vocabulary with more names; the new ids of the old rows, and the ids of the added names.
fn extended(
    old: &Vocabulary,
    added: &[String],
    graph: &str,
    table: &str,
) -> (Vocabulary, Vec<u32>, Vec<u32>) {
    let mut interner = Interner::default();
    let old_numbers: Vec<u32> = old.iter().map(|name| interner.intern(name.as_bytes())).collect();
    let new_numbers: Vec<u32> = added.iter().map(|name| interner.intern(name.as_bytes())).collect();
    let (vocabulary, ids) = Vocabulary::from_interner(interner, graph, table);
    let map = |numbers: Vec<u32>| numbers.into_iter().map(|number| ids[number as usize]).collect();
    (vocabulary, map(old_numbers), map(new_numbers))
}

/// Maps in place what is kept; the mapping keeps the order, so sorted rows stay sorted.
fn retain_map<T: Copy>(rows: &mut Vec<T>, map: impl Fn(&T) -> Option<T>) {
    let mut kept = 0;
    for row in 0..rows.len() {
        if let Some(mapped) = map(&rows[row]) {
            rows[kept] = mapped;
            kept += 1;
        }
    }
    rows.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{GraphBuilder, Part};

    fn graph(with: &[&str]) -> Graph {
        let mut builder = GraphBuilder::default();
        for pair in with.windows(2) {
            builder.fact(Part::Undivided, pair[0], "next", pair[1]);
            builder.attribute(pair[0], "label", Value::plain(pair[1]));
            builder.typing(pair[1], "letter");
        }
        builder.finish("g")
    }

    #[test]
    fn removing_entities_is_never_having_had_them() {
        let mut whole = graph(&["a", "b", "c"]);
        let mut builder = GraphBuilder::default();
        builder.fact(Part::Undivided, "x", "odd", "a");
        builder.attribute("x", "odd", Value::plain("odd"));
        builder.typing("x", "odd");
        for pair in ["a", "b", "c"].windows(2) {
            builder.fact(Part::Undivided, pair[0], "next", pair[1]);
            builder.attribute(pair[0], "label", Value::plain(pair[1]));
            builder.typing(pair[1], "letter");
        }
        let mut more = builder.finish("g");
        let keep: Vec<bool> = more.entities.iter().map(|name| name != "x").collect();
        let rows = more.retain_entities(&keep);
        more.drop_unused_names();
        whole.drop_unused_names();
        assert!(more == whole);
        assert_eq!(rows.iter().flatten().count(), 3);
    }

    #[test]
    fn added_names_leave_the_facts_as_they_were() {
        let mut graph = graph(&["a", "b", "c"]);
        let before = graph.clone();
        let (relations, keys) = graph.add_names(&["further".into(), "next".into()], &["other".into()]);
        assert_eq!(graph.relations.get(relations[0].0), "further");
        assert_eq!(graph.relations.get(relations[1].0), "next");
        assert_eq!(graph.keys.get(keys[0].0), "other");
        graph.drop_unused_names();
        assert!(graph == before);
    }

    #[test]
    fn rewritten_values_that_become_equal_are_one() {
        let mut graph = graph(&["A", "a", "A", "b"]);
        graph.rewrite_values(|value| value.text.to_lowercase().into());
        let texts: std::collections::BTreeSet<&str> = graph.values.iter().map(|v| v.text).collect();
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(graph.attributes.len(), 3);
    }
}
