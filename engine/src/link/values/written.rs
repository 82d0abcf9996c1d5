//! What does a graph say in writing about its entities?

use std::collections::HashMap;

use rayon::prelude::*;

use super::reading::Reading;
use super::{NameSource, ValueConfig, fold, name_forms};
use crate::dataset::{Lists, PreparedGraph};
use crate::graph::{Kind, is_name_key};

/// Distinct folded texts, and who has them.
#[derive(Debug, Clone)]
pub struct Texts {
    /// The texts, sorted.
    pub texts: Vec<String>,
    /// The texts of each entity: sorted, each once.
    pub of_entity: Lists,
    /// The entities that have each text: sorted, each once.
    pub owners: Lists,
}

impl Texts {
    /// Gathers the texts of entities.
    pub fn new(entities: usize, mut said: Vec<(u32, String)>) -> Self {
        said.par_sort_unstable_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
        said.dedup();
        let (mut texts, mut owners): (Vec<String>, Vec<Vec<u32>>) = Default::default();
        let mut of_entity = vec![Vec::new(); entities];
        for (entity, text) in said {
            if texts.last() != Some(&text) {
                texts.push(text);
                owners.push(Vec::new());
            }
            of_entity[entity as usize].push(texts.len() as u32 - 1);
            owners[texts.len() - 1].push(entity);
        }
        Self { texts, of_entity: Lists::from_lists(of_entity), owners: Lists::from_lists(owners) }
    }

    /// Texts of both that are the same: their numbers here and there.
    pub fn shared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (u32, u32)> + 'a {
        let there: HashMap<&str, u32> =
            (0..).zip(&other.texts).map(|(at, text)| (text.as_str(), at)).collect();
        (0..).zip(&self.texts).filter_map(move |(at, text)| Some((at, *there.get(text.as_str())?)))
    }
}

/// What is written in one graph, ready to be compared.
#[derive(Debug, Clone)]
pub struct Written {
    /// The names, whole and shortened.
    pub names: Texts,
    /// The whole names of each entity, as numbers of [`Written::names`]: sorted, each once.
    whole_names: Lists,
    /// Values that are words and no names.
    pub texts: Texts,
    /// Each distinct value of the graph, read.
    pub readings: Vec<Reading>,
    /// The attributes of each entity that are no names: key and value, sorted.
    attributes: Vec<(u32, u32)>,
    starts: Vec<usize>,
}

impl Written {
    /// Reads the attributes of a graph.
    pub fn new(graph: &PreparedGraph, config: &ValueConfig) -> Self {
        let entities = graph.entities.len();
        let readings: Vec<Reading> = (0..graph.values.len() as u32)
            .into_par_iter()
            .map(|v| Reading::of(graph.values.get(v)))
            .collect();
        let is_name: Vec<bool> =
            (0..graph.keys.len() as u32).map(|key| is_name_key(graph.keys.get(key))).collect();
        let rows = graph.attribute_entities.iter().zip(&*graph.attribute_keys).zip(&*graph.attribute_values);
        let (mut named, mut said) = (Vec::new(), Vec::new());
        let (mut attributes, mut starts) = (Vec::new(), vec![0; entities + 1]);
        for ((&entity, &key), &value) in rows {
            if is_name[key as usize] {
                named.push((entity, graph.values.get(value).text));
                continue;
            }
            if !config.attributes {
                continue;
            }
            starts[entity as usize + 1] += 1;
            attributes.push((key, value));
            let reading = &readings[value as usize];
            if reading.kind() == Kind::Text && !reading.folded.is_empty() {
                said.push((entity, reading.folded.clone()));
            }
        }
        (0..entities).for_each(|at| starts[at + 1] += starts[at]);
        let named = match config.names {
            NameSource::Nowhere => Vec::new(),
            NameSource::Keys => named,
            NameSource::KeysOrIds => with_ids(graph, named),
        };
        let (names, whole_names) = names_of(entities, &named);
        Self { names, whole_names, texts: Texts::new(entities, said), readings, attributes, starts }
    }

    /// Whether a name of an entity is one as it was written, and not only what is left of a longer one.
    pub fn is_whole(&self, entity: u32, name: u32) -> bool {
        self.whole_names.get(entity as usize).binary_search(&name).is_ok()
    }

    /// The attributes of an entity that are no names: key and value, sorted.
    pub fn attributes(&self, entity: u32) -> &[(u32, u32)] {
        &self.attributes[self.starts[entity as usize]..self.starts[entity as usize + 1]]
    }

    /// How many entities there are.
    pub fn entities(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Names in all their forms, and for each entity which of them are whole.
fn names_of(entities: usize, named: &[(u32, &str)]) -> (Texts, Lists) {
    let forms = |&(entity, name): &(u32, &str)| name_forms(name).into_iter().map(move |form| (entity, form));
    let names = Texts::new(entities, named.par_iter().flat_map_iter(forms).collect());
    let number = |name: &str| names.texts.binary_search(&fold(name)).ok().map(|at| at as u32);
    let found: Vec<(u32, Option<u32>)> =
        named.par_iter().map(|(entity, name)| (*entity, number(name))).collect();
    let mut whole = vec![Vec::new(); entities];
    for (entity, number) in found {
        whole[entity as usize].extend(number);
    }
    whole.iter_mut().for_each(|names| {
        names.sort_unstable();
        names.dedup();
    });
    (names, Lists::from_lists(whole))
}

fn with_ids<'a>(graph: &'a PreparedGraph, mut named: Vec<(u32, &'a str)>) -> Vec<(u32, &'a str)> {
    let mut has = vec![false; graph.entities.len()];
    named.iter().for_each(|(entity, _)| has[*entity as usize] = true);
    for entity in (0..graph.entities.len() as u32).filter(|&entity| !has[entity as usize]) {
        let last = graph.entities.get(entity).rsplit(['/', '#']).next().unwrap_or_default();
        if last.chars().any(char::is_alphabetic) {
            named.push((entity, last));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_know_their_owners() {
        let said = |rows: &[(u32, &str)]| rows.iter().map(|(e, t)| (*e, (*t).to_owned())).collect();
        let one = Texts::new(3, said(&[(2, "b"), (0, "a"), (0, "b"), (2, "b")]));
        assert_eq!(one.texts, ["a", "b"]);
        assert_eq!((one.of_entity.get(0), one.of_entity.get(1)), (&[0, 1][..], &[][..]));
        assert_eq!(one.owners.get(1), [0, 2]);
        let two = Texts::new(1, said(&[(0, "b"), (0, "c")]));
        assert_eq!(one.shared(&two).collect::<Vec<_>>(), [(1, 0)]);
    }

    #[test]
    fn whole_names_are_told_from_shortened_ones() {
        let (names, whole) =
            names_of(3, &[(0, "Rosewood (film)"), (1, "Rosewood"), (1, "(--)"), (0, "rosewood FILM")]);
        assert_eq!(names.texts, ["rosewood", "rosewood film"]);
        assert_eq!(names.of_entity.get(0), [0, 1]);
        assert_eq!([0, 1, 2].map(|entity| whole.get(entity).to_vec()), [vec![1], vec![0], vec![]]);
    }
}
