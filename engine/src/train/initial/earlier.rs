//! What can be taken over from an earlier run?
//!
//! Rows go by names, so that the data may have grown or shrunk since: entities by the name of their graph and their
//! own, relations, types and keys by their own, in the graph of the same name if it has it. Matrices, and the features
//! of values, which are numbered by a hash, are taken as a whole if they have the same shape. All else stays random.

use rayon::prelude::*;

use super::{Given, Report};
use crate::config::Config;
use crate::dataset::{Dataset, PreparedGraph};
use crate::error::{Error, Result};
use crate::graph::Vocabulary;
use crate::joint::{Joint, Names};
use crate::model::parameters::Parameters;

/// What an earlier run learned, and what it learned it from.
#[derive(Debug)]
pub struct Earlier {
    /// The data, which has the names.
    pub data: Dataset,
    /// The graphs as one, whose numbers are those of rows.
    pub joint: Joint,
    /// What was learned.
    pub parameters: Parameters<f32>,
}

/// The row of an earlier table that each row is taken from.
type Sources = Vec<Option<u32>>;

/// Gives what an earlier run learned to all that it knew.
pub(super) fn give(
    earlier: &Earlier,
    data: &Dataset,
    joint: &Joint,
    config: &Config,
    parameters: &mut Parameters<f32>,
    report: &mut Report,
) -> Result<()> {
    let old = &earlier.parameters;
    let (now, was) = (parameters.sizes, old.sizes);
    let sources = entities(earlier, data, joint);
    take_rows(
        &mut parameters.entities,
        &old.entities,
        [now.entity, was.entity],
        &sources,
        &mut report.entities,
    );
    take_weights(&mut parameters.entity_attention, &old.entity_attention, &sources);
    let named = |pick: fn(&Joint) -> &Names, vocabulary: fn(&PreparedGraph) -> &Vocabulary| {
        by_name(earlier, data, pick(joint), pick(&earlier.joint), vocabulary)
    };
    let sources = named(|joint| &joint.relations, |graph| &graph.relations);
    let widths = [now.relation, was.relation];
    take_rows(&mut parameters.relations, &old.relations, widths, &sources, &mut report.relations);
    let sources = named(|joint| &joint.types, |graph| &graph.types);
    take_rows(&mut parameters.types, &old.types, [now.class, was.class], &sources, &mut report.types);
    take_weights(&mut parameters.type_attention, &old.type_attention, &sources);
    let sources = named(|joint| &joint.keys, |graph| &graph.keys);
    take_rows(&mut parameters.keys, &old.keys, [now.attribute, was.attribute], &sources, &mut report.keys);
    take_weights(&mut parameters.key_attention, &old.key_attention, &sources);
    if report.is_empty() {
        let path = &config.initial.path;
        return Err(Error::Usage(format!(
            "initial.path: nothing of the run {path:?} fits: it has other names, or vectors of other sizes"
        )));
    }
    take_whole(parameters, old, report);
    Ok(())
}

/// Entities are those of the same name in the graph of the same name.
fn entities(earlier: &Earlier, data: &Dataset, joint: &Joint) -> Sources {
    let mut sources = Vec::with_capacity(joint.entities());
    for graph in &data.graphs {
        let old = earlier.data.graphs.iter().position(|old| old.name == graph.name);
        let source = |row: u32| {
            let number = old?;
            let found = earlier.data.graphs[number].entities.find(graph.entities.get(row))?;
            Some(earlier.joint.graphs[number].first + found)
        };
        sources.par_extend((0..graph.entities.len() as u32).into_par_iter().map(source));
    }
    sources
}

/// Others are those of the same name, first in the graph of the same name, then in any.
fn by_name(
    earlier: &Earlier,
    data: &Dataset,
    names: &Names,
    old_names: &Names,
    vocabulary: fn(&PreparedGraph) -> &Vocabulary,
) -> Sources {
    let source = |number: u32| {
        let (graph, row) = names.first_met(number);
        let graph = &data.graphs[graph];
        let name = vocabulary(graph).get(row);
        let find = |(number, old): (usize, &PreparedGraph)| {
            vocabulary(old).find(name).map(|found| old_names.of(number, found))
        };
        let graphs = || earlier.data.graphs.iter().enumerate();
        graphs().filter(|(_, old)| old.name == graph.name).find_map(find).or_else(|| graphs().find_map(find))
    };
    (0..names.len() as u32).map(source).collect()
}

/// Copies rows, if they are as wide now as they were, and both tables are there.
fn take_rows(table: &mut [f32], old: &[f32], widths: [usize; 2], sources: &Sources, given: &mut Given) {
    let [width, old_width] = widths;
    if width != old_width || table.is_empty() || old.is_empty() {
        return;
    }
    table.par_chunks_exact_mut(width).zip(sources).for_each(|(row, source)| {
        if let &Some(source) = source {
            row.copy_from_slice(&old[source as usize * width..(source as usize + 1) * width]);
        }
    });
    given.rows = sources.iter().flatten().count();
}

/// θ: rows of one number.
fn take_weights(table: &mut [f32], old: &[f32], sources: &Sources) {
    take_rows(table, old, [1, 1], sources, &mut Given::default());
}

/// Copies tables that have no names, if they have the same shape.
fn take_whole(parameters: &mut Parameters<f32>, old: &Parameters<f32>, report: &mut Report) {
    const WHOLE: [&str; 9] = [
        "W^val",
        "W1",
        "W2",
        "W3",
        "W4",
        "W5",
        "aggregator of neighbourhoods",
        "aggregator of attributes",
        "aggregator of types",
    ];
    let (now, was) = (parameters.sizes, old.sizes);
    let widths = parameters.tables().map(|(name, _)| (parameters.width(name), old.width(name)));
    let tables = parameters.tables_mut().into_iter().zip(old.tables()).zip(widths);
    for (((name, table), (_, old)), (width, old_width)) in tables {
        // What an aggregator learns is as wide as its vectors, and as long as its kind needs.
        let is_as_wide = match name {
            "aggregator of neighbourhoods" => now.entity == was.entity,
            "aggregator of attributes" => now.attribute == was.attribute,
            "aggregator of types" => now.class == was.class,
            _ => width == old_width,
        };
        if WHOLE.contains(&name) && is_as_wide && !table.is_empty() && table.len() == old.len() {
            table.copy_from_slice(old);
            report.whole.push(name);
        }
    }
}
