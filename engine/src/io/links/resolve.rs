//! Which entities does a row of links mean?
//!
//! A row, or the name of its file, may say which graphs its entities are of. Where neither does, all pairs of graphs are
//! looked through, and one must fit.

use super::{Columns, Written};
use crate::graph::{EntityId, Graph, Link, Vocabulary};

/// A graph, as far as links know it.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its entities.
    pub entities: &'a Vocabulary,
}

impl<'a> Side<'a> {
    /// The sides of graphs.
    pub(super) fn of_all(graphs: &'a [Graph]) -> Vec<Self> {
        graphs.iter().map(|graph| Self { name: &graph.name, entities: &graph.entities }).collect()
    }
}

/// Why a row is no link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// An entity is not there: in this graph, or in any.
    Entity { graph: Option<usize>, name: String },
    /// Something else, in words.
    Because(String),
}

impl Unresolved {
    pub(super) fn message(&self, sides: &[Side<'_>]) -> String {
        match self {
            Self::Entity { graph: Some(graph), name } => {
                format!("there is no entity {name:?} in the graph {}", sides[*graph].name)
            }
            Self::Entity { graph: None, name } => format!("there is no entity {name:?} in any graph"),
            Self::Because(message) => message.clone(),
        }
    }
}

/// The numbers of two graphs, and an entity of each.
pub(super) type Resolved = ((usize, usize), Link);

/// The graphs and the entities that a row means. The graphs are two different ones, unless the row names one twice.
pub(super) fn resolve(
    sides: &[Side<'_>],
    pair: Option<(usize, usize)>,
    columns: Columns,
    link: &Written,
) -> Result<Resolved, Unresolved> {
    let entity = |graph: usize, name: &str| sides[graph].entities.find(name).map(EntityId);
    let pairs: Vec<(usize, usize)> = match (named_pair(sides, link)?, pair) {
        (Some(pair), _) | (None, Some(pair)) => vec![pair],
        (None, None) if sides.len() == 2 && columns == Columns::InOrder => vec![(0, 1)],
        (None, None) => {
            let all = 0..sides.len();
            all.clone().flat_map(|a| all.clone().filter(move |b| a != *b).map(move |b| (a, b))).collect()
        }
    };
    let mut found = pairs.iter().filter_map(|&(a, b)| {
        Some(((a, b), Link { first: entity(a, &link.first)?, second: entity(b, &link.second)? }))
    });
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        // With two graphs both ways round is one pair.
        (Some(first), Some(_)) if sides.len() == 2 => Ok(first),
        (Some(_), Some(_)) => Err(Unresolved::Because(
            "entities of these names are in more than one pair of graphs; say which with A-B=PATH".to_owned(),
        )),
        (None, _) => Err(why(sides, &pairs, link)),
    }
}

/// The graphs that the row itself names.
fn named_pair(sides: &[Side<'_>], link: &Written) -> Result<Option<(usize, usize)>, Unresolved> {
    let Some([first, second]) = &link.graphs else { return Ok(None) };
    let number = |name: &String| {
        sides.iter().position(|side| side.name == name).ok_or_else(|| {
            let known: Vec<&str> = sides.iter().map(|side| side.name).collect();
            Unresolved::Because(format!("there is no graph {name:?}; the graphs are {}", known.join(", ")))
        })
    };
    Ok(Some((number(first)?, number(second)?)))
}

/// Why no pair of graphs holds both entities.
fn why(sides: &[Side<'_>], pairs: &[(usize, usize)], link: &Written) -> Unresolved {
    let known = |graph: usize, name: &str| sides[graph].entities.find(name).is_some();
    if let [(a, b)] = *pairs {
        if known(a, &link.second) && known(b, &link.first) {
            let (a, b) = (sides[a].name, sides[b].name);
            let (first, second) = (&link.first, &link.second);
            return Unresolved::Because(format!(
                "the columns are swapped: {first} is in {b} and {second} in {a}"
            ));
        }
        let (graph, name) = if known(a, &link.first) { (b, &link.second) } else { (a, &link.first) };
        return Unresolved::Entity { graph: Some(graph), name: name.clone() };
    }
    let nowhere = |name: &str| (0..sides.len()).all(|graph| !known(graph, name));
    match [&link.first, &link.second].into_iter().find(|name| nowhere(name)) {
        Some(name) => Unresolved::Entity { graph: None, name: name.clone() },
        None => Unresolved::Because(within(&link.first, &link.second)),
    }
}

/// That two entities are of one graph, where a link is between two.
pub(super) fn within(first: &str, second: &str) -> String {
    format!("{first:?} and {second:?} are in the same graph")
}
