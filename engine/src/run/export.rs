//! How do others get at what was learned?
//!
//! As vectors with names: what the model scores with (z of Eq. 7 to 9), or the rows of W^E and W^R that it is made of.
//! An entity is represented with its whole neighbourhood; a relation that several graphs share is there once, under the
//! graph it was first met in.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::{Run, Trained};
use crate::error::{Error, Result};
use crate::io::staging::Replace;
use crate::io::vectors::{Format, Label, Naming, Rows, write_vectors};
use crate::joint::Joint;
use crate::model::entity::{Batch, Contexts, Encoder};
use crate::model::parameters::Parameters;
use crate::model::relation;
use crate::progress::{Progress, Unit};
use crate::train::contexts;

/// Whose vectors are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Those of all entities.
    Entities,
    /// Those of all relations.
    Relations,
}

/// Which vectors of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vectors {
    /// z: what the model scores with.
    Representation,
    /// The rows of W^E or W^R.
    Own,
}

/// What to export, and where to.
#[derive(Debug, Clone)]
pub struct ExportJob {
    /// Whose vectors.
    pub what: What,
    /// Which of them.
    pub vectors: Vectors,
    /// How they are written.
    pub format: Format,
    /// The prepared folder, where it is no longer where the run was trained.
    pub data: Option<PathBuf>,
    /// The file.
    pub out: PathBuf,
    /// What to do if the file is there.
    pub replace: Replace,
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// How many vectors.
    pub count: usize,
    /// How many numbers each has.
    pub width: usize,
    /// After how many steps the model was so.
    pub step: u64,
    /// The files.
    pub files: Vec<PathBuf>,
}

/// Writes vectors of a run.
pub fn export(run: &Run, job: &ExportJob, progress: &dyn Progress) -> Result<Exported> {
    let files = files(job);
    files.iter().try_for_each(|path| may_write(path, job.replace))?;
    progress.begin("reading the run", None, Unit::Items);
    let trained = run.load(job.data.as_deref())?;
    progress.end();
    let (vectors, width) = vectors(&trained, contexts(&run.config), job, progress)?;
    let relations = relation_names(&trained);
    let label = |row: usize| match job.what {
        What::Entities => entity(&trained, row),
        What::Relations => Label { graph: relations[row].0, name: &relations[row].1 },
    };
    let naming = if trained.data.graphs.len() > 1 { Naming::GraphAndName } else { Naming::Name };
    let rows = Rows { width, vectors: &vectors, label: &label, naming };
    progress.begin("writing", None, Unit::Items);
    write_vectors(&job.out, job.format, &rows)?;
    progress.end();
    Ok(Exported { count: rows.count(), width, step: trained.step, files })
}

/// The file, and the names beside it where the format has no place for them.
fn files(job: &ExportJob) -> Vec<PathBuf> {
    match job.format {
        Format::Npy | Format::Safetensors => vec![job.out.clone(), job.out.with_extension("names.tsv")],
        Format::Parquet | Format::Word2vec => vec![job.out.clone()],
    }
}

fn may_write(path: &Path, replace: Replace) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Error::Usage(format!("{}: there is no folder {}", path.display(), folder.display())));
    }
    let message = match (path.is_dir(), path.exists(), replace) {
        (true, ..) => "is a folder; expected the name of a file",
        (false, true, Replace::Never) => "exists already; --force replaces it",
        (false, ..) => return Ok(()),
    };
    Err(Error::Usage(format!("{} {message}", path.display())))
}

/// The vectors, and how wide they are.
fn vectors<'a>(
    trained: &'a Trained,
    contexts: Contexts,
    job: &ExportJob,
    progress: &dyn Progress,
) -> Result<(Cow<'a, [f32]>, usize)> {
    let (joint, parameters) = (&trained.joint, &trained.parameters);
    let sizes = parameters.sizes;
    let is_baseline = parameters.relation.is_empty();
    Ok(match (job.what, job.vectors) {
        // Those of other models are what they score with.
        (What::Entities, _) if is_baseline => ((&parameters.entities).into(), sizes.entity),
        (What::Relations, _) if is_baseline => ((&parameters.relations).into(), sizes.relation),
        (What::Entities, Vectors::Representation) => {
            const PORTION: u32 = 1 << 16;
            (represented(joint, parameters, contexts, PORTION, progress).into(), sizes.hidden)
        }
        (What::Relations, Vectors::Representation) => {
            let encoded = relation::forward(&joint.relation_types, parameters, contexts);
            (encoded.representations.into(), sizes.hidden)
        }
        (What::Entities, Vectors::Own) if parameters.entities.is_empty() => {
            let message = "entities have no vectors of their own in this run, as contexts.own is false and \
                           contexts.neighbourhood is \"off\"; their representations can be exported";
            return Err(Error::Usage(message.to_owned()));
        }
        (What::Entities, Vectors::Own) => ((&parameters.entities).into(), sizes.entity),
        (What::Relations, Vectors::Own) => ((&parameters.relations).into(), sizes.relation),
    })
}

/// z of all entities, so many at a time: what the encoder needs beside them is as large as a portion.
fn represented(
    joint: &Joint,
    parameters: &Parameters<f32>,
    contexts: Contexts,
    portion: u32,
    progress: &dyn Progress,
) -> Vec<f32> {
    let count = joint.entities() as u32;
    let mut encoder = Encoder::default();
    let mut vectors = Vec::with_capacity(count as usize * parameters.sizes.hidden);
    progress.begin("representing", Some(count.into()), Unit::Items);
    for first in (0..count).step_by(portion as usize) {
        let entities: Vec<u32> = (first..count.min(first.saturating_add(portion))).collect();
        let encoded = entities.len() as u64;
        let batch = Batch { entities, ..Default::default() };
        encoder.forward(&batch, joint, parameters, contexts);
        vectors.extend_from_slice(&encoder.representations);
        progress.advance(encoded);
    }
    progress.end();
    vectors
}

fn entity(trained: &Trained, row: usize) -> Label<'_> {
    let number = trained.joint.graph_of(row as u32);
    let graph = &trained.data.graphs[number];
    let own = row as u32 - trained.joint.graphs[number].first;
    Label { graph: &graph.name, name: graph.entities.get(own) }
}

/// The graph and the name of every row of W^R.
fn relation_names(trained: &Trained) -> Vec<(&str, Cow<'_, str>)> {
    let all = trained.joint.relations.len();
    let name = |row: usize| {
        let (number, own) = trained.joint.relations.first_met((row % all) as u32);
        let graph = &trained.data.graphs[number];
        let name = graph.relations.get(own);
        // Those that ask backwards follow the others, in the same order.
        let name = if row < all { name.into() } else { format!("{name} (inverse)").into() };
        (graph.name.as_str(), name)
    };
    (0..trained.parameters.sizes.relations).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::joint::Parts;
    use crate::progress::Silent;
    use crate::train::{initial, sizes};

    /// A ring of entities, each with an attribute or two.
    fn ring(entities: u32) -> Joint {
        let around = |e: u32| {
            let mut list = vec![(e + 1) % entities, (e + entities - 1) % entities];
            list.sort_unstable();
            list
        };
        Joint::of_parts(Parts {
            counts: [2, 2, 2],
            facts: (0..entities).map(|e| [e, e % 2, (e + 1) % entities]).collect(),
            neighbourhoods: (0..entities).map(around).collect(),
            relation_types: vec![vec![0, 1], vec![]],
            attributes: (0..entities).map(|e| (0..e % 3).collect()).collect(),
            attribute_values: vec![(0, vec![(1, 1.0)]), (1, vec![(0, 0.5), (2, 0.5)])],
            partners: vec![(None, Vec::new()); entities as usize],
        })
    }

    #[test]
    fn portions_do_not_matter() {
        let sets = ["model.entity=6", "model.hidden=3", "model.features=4", "contexts.attention=true"];
        let config = Config::resolve(None, None, &sets.map(str::to_owned)).unwrap();
        let joint = ring(11);
        let mut parameters = initial::random(sizes(&joint, &config), &contexts(&config), &config);
        parameters.entity_attention.iter_mut().enumerate().for_each(|(at, theta)| *theta = 0.1 * at as f32);
        let with = |portion| represented(&joint, &parameters, contexts(&config), portion, &Silent);
        let whole = with(u32::MAX);
        assert_eq!(whole.len(), 11 * 3);
        assert!(whole.chunks(3).all(|z| z.iter().any(|x| *x != 0.0)));
        for portion in [1, 2, 5, 10, 11, 12] {
            assert_eq!(with(portion), whole, "{portion} at a time");
        }
        assert!(whole.chunks(3).zip(whole.chunks(3).skip(1)).all(|(one, next)| one != next));
    }
}
