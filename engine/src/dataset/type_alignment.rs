//! Which types of two graphs mean the same?
//!
//! Vocabularies differ (`Movie`, `film/film`). Two types correspond when their names end alike, or when the training
//! links say so: nearly all linked entities of the one are of the other, both ways. Half of them would not do: half of
//! what Freebase files under `award` are films.

use std::collections::HashMap;

use super::relation_types::typing_starts;
use crate::graph::{EntityId, Graph, Link, TypeId, Typing};

/// For each type of one graph, the types of the other that correspond to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeAlignment {
    partners: Vec<Vec<TypeId>>,
}

/// A type is taken for the same when this share of its linked entities agree.
const AGREEMENT: f64 = 0.8;

impl TypeAlignment {
    /// The alignment from the first graph to the second, and back.
    pub(super) fn both_ways(first: &Graph, second: &Graph, links: &[Link]) -> [Self; 2] {
        let mut pairs = by_name(first, second);
        pairs.extend(by_links(first, second, links));
        pairs.sort_unstable();
        pairs.dedup();
        let collect = |types: usize, pairs: Vec<(TypeId, TypeId)>| {
            let mut partners = vec![Vec::new(); types];
            pairs.into_iter().for_each(|(from, to)| partners[from.row()].push(to));
            Self { partners }
        };
        let back = pairs.iter().map(|&(a, b)| (b, a)).collect();
        [collect(first.types.len(), pairs), collect(second.types.len(), back)]
    }

    /// The types of the other graph that an entity with these types could have; sorted.
    pub(super) fn of(&self, typings: &[Typing]) -> Vec<TypeId> {
        let mut types: Vec<TypeId> =
            typings.iter().flat_map(|t| self.partners[t.class.row()].iter().copied()).collect();
        types.sort_unstable();
        types.dedup();
        types
    }
}

fn by_name(first: &Graph, second: &Graph) -> Vec<(TypeId, TypeId)> {
    let mut names: HashMap<String, Vec<TypeId>> = HashMap::new();
    for (row, name) in second.types.iter().enumerate() {
        names.entry(local_name(name)).or_default().push(TypeId(row as u32));
    }
    let mut pairs = Vec::new();
    for (row, name) in first.types.iter().enumerate() {
        let partners = names.get(&local_name(name)).into_iter().flatten();
        pairs.extend(partners.map(|&partner| (TypeId(row as u32), partner)));
    }
    pairs
}

fn local_name(name: &str) -> String {
    name.rsplit(['/', '#', ':', '.']).next().unwrap_or(name).to_lowercase()
}

fn by_links(first: &Graph, second: &Graph, links: &[Link]) -> Vec<(TypeId, TypeId)> {
    let (first_starts, second_starts) = (typing_starts(first), typing_starts(second));
    let types = |graph: &'_ Graph, starts: &[usize], entity: EntityId| -> Vec<TypeId> {
        graph.typings[starts[entity.row()]..starts[entity.row() + 1]]
            .iter()
            .map(|typing| typing.class)
            .collect()
    };
    let mut together: HashMap<(TypeId, TypeId), u32> = HashMap::new();
    let mut alone = [HashMap::<TypeId, u32>::new(), HashMap::new()];
    for link in links {
        let a = types(first, &first_starts, link.first);
        let b = types(second, &second_starts, link.second);
        if a.is_empty() || b.is_empty() {
            continue;
        }
        a.iter().for_each(|&t| *alone[0].entry(t).or_default() += 1);
        b.iter().for_each(|&t| *alone[1].entry(t).or_default() += 1);
        for &s in &a {
            b.iter().for_each(|&t| *together.entry((s, t)).or_default() += 1);
        }
    }
    let agree = |both: u32, one: u32| f64::from(both) >= AGREEMENT * f64::from(one);
    together
        .into_iter()
        .filter(|((a, b), n)| *n > 1 && agree(*n, alone[0][a]) && agree(*n, alone[1][b]))
        .map(|(pair, _)| pair)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn types_correspond_by_name_or_by_links() {
        let graph = |rows: &[(&str, &str)]| {
            let mut builder = GraphBuilder::default();
            rows.iter().for_each(|(entity, class)| builder.typing(entity, class));
            builder.finish("g")
        };
        let a = graph(&[("m1", "Movie"), ("m2", "Movie"), ("p1", "Person"), ("g1", "Genre")]);
        let b = graph(&[
            ("f1", "film/film"),
            ("f2", "film/film"),
            ("h1", "people/person"),
            ("x", "media/genre"),
            ("f1", "award/work"),
        ]);
        let link = |x: &str, y: &str| Link {
            first: EntityId(a.entities.find(x).unwrap()),
            second: EntityId(b.entities.find(y).unwrap()),
        };
        let links = [link("m1", "f1"), link("m2", "f2"), link("p1", "h1")];
        let [forth, back] = TypeAlignment::both_ways(&a, &b, &links);
        let id = |g: &Graph, name: &str| TypeId(g.types.find(name).unwrap());
        let partners = |class: &str| -> Vec<&str> {
            let mut names: Vec<&str> =
                forth.partners[id(&a, class).row()].iter().map(|t| b.types.get(t.0)).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(partners("Movie"), ["film/film"]);
        assert_eq!(partners("Person"), ["people/person"]);
        assert_eq!(partners("Genre"), ["media/genre"]);
        assert_eq!(back.partners[id(&b, "film/film").row()], [id(&a, "Movie")]);
        assert!(back.partners[id(&b, "award/work").row()].is_empty());
    }
}
