//! Which vectors follow from names?
//!
//! §3.1: W^E, W^R and W^T can begin with word vectors, or compositions of them over the words of a name. An entity is
//! called what its attributes say that are names, else what its id ends with; a relation or a type what its id ends
//! with. Of several names the first counts that has a known word. Who has none stays random.
//!
//! Word vectors are of any length. All that are given to a table are multiplied by one number, so that the mean of
//! their absolute values is scale / 2, which is that of random ones. They keep their proportions.

use rayon::prelude::*;

use super::{Given, Report};
use crate::config::Config;
use crate::dataset::{Dataset, PreparedGraph};
use crate::error::{Error, Result};
use crate::graph::{EntityId, Vocabulary, is_name_key};
use crate::io::vectors::WordVectors;
use crate::joint::{Joint, Names};
use crate::model::parameters::Parameters;

/// Gives vectors of words to W^E, and to W^R and W^T if they are as wide.
pub(super) fn give(
    words: &WordVectors,
    data: &Dataset,
    joint: &Joint,
    config: &Config,
    parameters: &mut Parameters<f32>,
    report: &mut Report,
) -> Result<()> {
    let (path, width) = (&config.initial.path, words.width());
    if width != config.model.entity {
        let found = config.model.entity;
        return Err(Error::Usage(format!(
            "model.entity: found {found}, but the vectors of initial.path = {path:?} have {width} numbers; \
             expected {width}"
        )));
    }
    let scale = config.initial.scale;
    let name_keys: Vec<Vec<bool>> =
        data.graphs.iter().map(|graph| graph.keys.iter().map(is_name_key).collect()).collect();
    let of_entity = |row: usize| {
        let number = joint.graph_of(row as u32);
        let entity = EntityId(row as u32 - joint.graphs[number].first);
        of_names(words, &data.graphs[number], &name_keys[number], entity)
    };
    fill(&mut parameters.entities, width, scale, &mut report.entities, of_entity);
    let of_id = |names: &Names, row: usize, vocabulary: fn(&PreparedGraph) -> &Vocabulary| {
        let (graph, own) = names.first_met(row as u32);
        of_id(words, vocabulary(&data.graphs[graph]).get(own))
    };
    if width == config.model.relation {
        let of_relation = |row| of_id(&joint.relations, row, |graph| &graph.relations);
        fill(&mut parameters.relations, width, scale, &mut report.relations, of_relation);
    }
    if width == config.model.class {
        let of_type = |row| of_id(&joint.types, row, |graph| &graph.types);
        fill(&mut parameters.types, width, scale, &mut report.types, of_type);
    }
    if report.is_empty() {
        return Err(Error::Usage(format!("initial.path: no name in the data has a word of {path:?}")));
    }
    Ok(())
}

/// The vector of an entity's first name with a known word, or of its id.
fn of_names(
    words: &WordVectors,
    graph: &PreparedGraph,
    name_keys: &[bool],
    entity: EntityId,
) -> Option<Vec<f32>> {
    let names = graph.attributes_of(entity).filter(|attribute| name_keys[attribute.key.row()]);
    let mut vectors = names.filter_map(|name| compose(words, graph.values.get(name.value.0).text));
    vectors.next().or_else(|| of_id(words, graph.entities.get(entity.0)))
}

/// The vector of what an id ends with: as it is written, or cut where a capital follows a small letter.
fn of_id(words: &WordVectors, id: &str) -> Option<Vec<f32>> {
    let name = last_part(id).replace('_', " ");
    compose(words, &name).or_else(|| compose(words, &cut_at_capitals(&name)))
}

/// A vector of zeros says nothing, and nothing could be learned behind the ReLU.
fn compose(words: &WordVectors, name: &str) -> Option<Vec<f32>> {
    words.compose(name).filter(|vector| vector.iter().any(|&number| number != 0.0))
}

/// What stands behind the last `/`, `#` or `:`.
fn last_part(id: &str) -> &str {
    id.rsplit(['/', '#', ':']).find(|part| !part.is_empty()).unwrap_or(id)
}

/// `birthPlace` as `birth Place`.
fn cut_at_capitals(name: &str) -> String {
    let mut cut = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for c in name.chars() {
        if after_small && c.is_uppercase() {
            cut.push(' ');
        }
        cut.push(c);
        after_small = c.is_lowercase();
    }
    cut
}

/// Gives a table the vectors that there are, and makes them as large as random ones.
fn fill(
    table: &mut [f32],
    width: usize,
    scale: f64,
    given: &mut Given,
    vector: impl Fn(usize) -> Option<Vec<f32>> + Sync,
) {
    const PORTION: usize = 1 << 10;
    // In portions, so that the sum does not depend on threads.
    let found: Vec<(Vec<usize>, f64)> = table
        .par_chunks_mut(PORTION * width)
        .enumerate()
        .map(|(portion, rows)| {
            let (mut found, mut sum) = (Vec::new(), 0.0);
            for (at, row) in rows.chunks_exact_mut(width).enumerate() {
                if let Some(vector) = vector(portion * PORTION + at) {
                    row.copy_from_slice(&vector);
                    sum += row.iter().map(|&number| f64::from(number.abs())).sum::<f64>();
                    found.push(at);
                }
            }
            (found, sum)
        })
        .collect();
    given.rows = found.iter().map(|(rows, _)| rows.len()).sum();
    let mean = found.iter().map(|(_, sum)| sum).sum::<f64>() / (given.rows * width).max(1) as f64;
    let factor = scale / 2.0 / mean;
    table.par_chunks_mut(PORTION * width).zip(found).for_each(|(rows, (found, _))| {
        for at in found {
            let row = &mut rows[at * width..(at + 1) * width];
            row.iter_mut().for_each(|number| *number = (f64::from(*number) * factor) as f32);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_end_with_names() {
        assert_eq!(last_part("http://dbpedia.org/resource/Tom_Hanks"), "Tom_Hanks");
        assert_eq!(last_part("http://example.org/ns#director"), "director");
        assert_eq!(last_part("wd:Q42"), "Q42");
        assert_eq!(last_part("http://example.org/films/"), "films");
        assert_eq!(last_part("plain"), "plain");
        assert_eq!(last_part("//"), "//");
        assert_eq!(last_part(""), "");
        assert_eq!(cut_at_capitals("birthPlace of ÉcoleÉlite"), "birth Place of École Élite");
        assert_eq!(cut_at_capitals("NASA"), "NASA");
    }
}
