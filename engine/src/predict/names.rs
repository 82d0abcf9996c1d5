//! Whom does the user mean?
//!
//! An entity is meant by its id, or by a name that only one entity has. What is not found brings up what is written most
//! nearly the same.

use rayon::prelude::*;

use crate::config::edit_distance;
use crate::dataset::{Dataset, PreparedGraph};
use crate::error::{Error, Result};
use crate::graph::{EntityId, RelationId, Vocabulary, is_name_key};

/// So many hints are given.
const HINTS: usize = 3;
/// What is longer than this is no slip of the pen, and not worth the time to compare.
const LONGEST: usize = 100;

/// The number of a graph.
pub fn graph(data: &Dataset, name: &str) -> Result<usize> {
    data.graphs.iter().position(|graph| graph.name == name).ok_or_else(|| {
        let known: Vec<&str> = data.graphs.iter().map(|graph| graph.name.as_str()).collect();
        Error::Usage(format!("there is no graph {name:?}; the graphs are {}", known.join(", ")))
    })
}

/// The first name of an entity.
pub fn name_of(graph: &PreparedGraph, entity: EntityId) -> Option<&str> {
    let mut names = graph.attributes_of(entity).filter(|at| is_name_key(graph.keys.get(at.key.0)));
    names.next().map(|name| graph.values.get(name.value.0).text)
}

/// The entity that is meant.
pub fn entity(graph: &PreparedGraph, written: &str) -> Result<EntityId> {
    if let Some(found) = graph.entities.find(written) {
        return Ok(EntityId(found));
    }
    let found = named(graph, written);
    match found.as_slice() {
        [one] => Ok(EntityId(*one)),
        [] => Err(unknown("entity", graph, written, nearest_entities(graph, written))),
        several => {
            let ids = several.iter().take(HINTS).map(|&id| graph.entities.get(id));
            let ids = ids.collect::<Vec<_>>().join(", ");
            let more = if several.len() > HINTS { ", …" } else { "" };
            let message = format!("{} entities of {} are called {written:?}", several.len(), graph.name);
            Err(Error::Usage(format!("{message}: {ids}{more}; name one by its id")))
        }
    }
}

/// The relation that is meant: by its whole name, or by what it ends with if only one does.
pub fn relation(graph: &PreparedGraph, written: &str) -> Result<RelationId> {
    if let Some(found) = graph.relations.find(written) {
        return Ok(RelationId(found));
    }
    let names = graph.relations.iter().enumerate();
    let ending: Vec<usize> =
        names.filter(|(_, name)| last_part(name) == written).map(|(row, _)| row).collect();
    match ending.as_slice() {
        [one] => Ok(RelationId(*one as u32)),
        several @ [_, _, ..] => {
            let names = several.iter().take(HINTS).map(|&row| graph.relations.get(row as u32));
            let names = names.collect::<Vec<_>>().join(", ");
            let more = if several.len() > HINTS { ", …" } else { "" };
            let message = format!("{} relations of {} end with {written:?}", several.len(), graph.name);
            Err(Error::Usage(format!("{message}: {names}{more}; write one out")))
        }
        [] => Err(unknown("relation", graph, written, nearest_names(&graph.relations, written))),
    }
}

/// What stands behind the last `/`, `#` or `:`.
fn last_part(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

fn unknown(what: &str, graph: &PreparedGraph, written: &str, hints: Vec<String>) -> Error {
    let hint = match hints.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", hints.join(" or ")),
    };
    Error::Usage(format!("{} has no {what} {written:?}{hint}", graph.name))
}

/// The entities with exactly this name, in any case; sorted.
fn named(graph: &PreparedGraph, written: &str) -> Vec<u32> {
    let wanted = written.to_lowercase();
    let is_name: Vec<bool> = graph.keys.iter().map(is_name_key).collect();
    let mut found: Vec<u32> = (0..graph.attribute_entities.len())
        .into_par_iter()
        .filter(|&row| is_name[graph.attribute_keys[row] as usize])
        .filter(|&row| graph.values.get(graph.attribute_values[row]).text.to_lowercase() == wanted)
        .map(|row| graph.attribute_entities[row])
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn nearest_entities(graph: &PreparedGraph, written: &str) -> Vec<String> {
    let is_name: Vec<bool> = graph.keys.iter().map(is_name_key).collect();
    let names = (0..graph.attribute_entities.len())
        .into_par_iter()
        .filter(|&row| is_name[graph.attribute_keys[row] as usize])
        .map(|row| {
            let name = graph.values.get(graph.attribute_values[row]).text;
            (distance(written, name), graph.attribute_entities[row], Some(name))
        });
    let ids = (0..graph.entities.len() as u32).into_par_iter();
    let ids = ids.map(|row| (distance(written, graph.entities.get(row)), row, None));
    let near = best(names.chain(ids).filter_map(|(far, row, name)| Some((far?, row, name))).collect());
    let show = |(_, row, name): (usize, u32, Option<&str>)| match name {
        Some(name) => format!("{name:?} ({})", graph.entities.get(row)),
        None => graph.entities.get(row).to_owned(),
    };
    near.into_iter().map(show).collect()
}

fn nearest_names(names: &Vocabulary, written: &str) -> Vec<String> {
    // Of a long name, what it ends with is what people remember.
    let far =
        |name: &str| [name, last_part(name)].into_iter().filter_map(|known| distance(written, known)).min();
    let all = (0..names.len() as u32).filter_map(|row| Some((far(names.get(row))?, row, None)));
    best(all.collect()).into_iter().map(|near| names.get(near.1).to_owned()).collect()
}

/// The nearest few, each once.
fn best(mut all: Vec<(usize, u32, Option<&str>)>) -> Vec<(usize, u32, Option<&str>)> {
    all.par_sort_unstable();
    let mut kept: Vec<(usize, u32, Option<&str>)> = Vec::new();
    for near in all {
        if kept.len() == HINTS || kept.first().is_some_and(|first| near.0 > first.0 + 1) {
            break;
        }
        if kept.iter().all(|other| other.1 != near.1) {
            kept.push(near);
        }
    }
    kept
}

/// How many characters must be put in, taken out or replaced, in any case; nothing where that is more than a third.
fn distance(written: &str, other: &str) -> Option<usize> {
    let (from, to) = (written.to_lowercase(), other.to_lowercase());
    let (length, other_length) = (from.chars().count(), to.chars().count());
    let most = 1 + length / 3;
    if length > LONGEST || length.abs_diff(other_length) > most {
        return None;
    }
    Some(edit_distance(&from, &to)).filter(|&cost| cost <= most)
}
