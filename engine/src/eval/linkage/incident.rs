//! Which facts does an entity take part in?
//!
//! The training facts of a graph, seen from each entity: whom it is joined to, by which relation. A fact that joins an
//! entity with itself is seen twice, once from each end. (Cleaning removes such facts.)

use rayon::prelude::*;

use super::representations::Representations;
use crate::compute::rows::dot_rows;
use crate::joint::Joint;
use crate::model::entity::{Batch, Encoder, LeftOut, Surroundings};

/// The facts of every entity of one graph.
#[derive(Debug)]
pub(super) struct Incident {
    /// Where those of each entity begin; one more than there are entities.
    starts: Vec<usize>,
    /// The other entity, with the graph's own number.
    pub(super) others: Vec<u32>,
    /// The relation, with its number among those of all graphs.
    pub(super) relations: Vec<u32>,
}

impl Incident {
    /// Of each entity at most so many facts, evenly chosen from all; 0 for all.
    pub(super) fn new(joint: &Joint, number: usize, most: usize) -> Self {
        let graph = &joint.graphs[number];
        let most = if most == 0 { usize::MAX } else { most };
        let entities = graph.entities as usize;
        let mut degrees = vec![0usize; entities];
        let ends = || {
            graph.facts[0].iter().flat_map(|fact| {
                let (subject, object) = (fact.subject.0, fact.object.0);
                [(subject, fact.relation.0, object), (object, fact.relation.0, subject)]
            })
        };
        ends().for_each(|(entity, ..)| degrees[entity as usize] += 1);
        let mut starts = Vec::with_capacity(entities + 1);
        starts.push(0);
        degrees.iter().for_each(|&degree| starts.push(starts[starts.len() - 1] + degree.min(most)));
        let total = starts[entities];
        let (mut others, mut relations) = (vec![0; total], vec![0; total]);
        let mut seen = vec![0usize; entities];
        for (entity, relation, other) in ends() {
            let entity = entity as usize;
            let (at, degree) = (seen[entity], degrees[entity]);
            seen[entity] += 1;
            let place = |at: usize| {
                if degree <= most { at } else { (at as u128 * most as u128 / degree as u128) as usize }
            };
            // Facts are sorted by numbers that mean nothing, so that every so-manieth is a fair choice.
            if place(at + 1) > place(at) {
                others[starts[entity] + place(at)] = other;
                relations[starts[entity] + place(at)] = joint.relations.of(number, relation);
            }
        }
        Self { starts, others, relations }
    }

    /// The places of an entity's facts.
    pub(super) fn of(&self, entity: u32) -> std::ops::Range<usize> {
        self.starts[entity as usize]..self.starts[entity as usize + 1]
    }

    /// How many facts of an entity there are.
    pub(super) fn count(&self, entity: u32) -> usize {
        self.of(entity).len()
    }

    /// The score of each fact before σ, seen from each of its ends. As everywhere, each of the two entities leaves the
    /// other out of its neighbourhood.
    pub(super) fn scores(&self, representations: &Representations<'_>, side: usize) -> Vec<f32> {
        /// So many facts are scored at a time.
        const PORTION: usize = 1 << 16;
        let model = representations.model;
        let mut scores = vec![0.0; self.others.len()];
        let owners = self.owners();
        let leaves_out = model.leave_partner_out && model.contexts.neighbourhood.is_some();
        let mut encoder = Encoder::default();
        for first in (0..scores.len()).step_by(PORTION) {
            let end = scores.len().min(first + PORTION);
            let facts = Facts {
                owners: &owners[first..end],
                others: &self.others[first..end],
                relations: &self.relations[first..end],
            };
            let scores = &mut scores[first..end];
            if leaves_out {
                facts.score_apart(representations, side, &mut encoder, scores);
            } else {
                let table = &representations.entities[side];
                facts.score(representations, table, facts.owners, facts.others, scores);
            }
        }
        scores
    }

    /// The entity of each place.
    fn owners(&self) -> Vec<u32> {
        let mut owners = vec![0; self.others.len()];
        for (entity, ends) in self.starts.windows(2).enumerate() {
            owners[ends[0]..ends[1]].fill(entity as u32);
        }
        owners
    }
}

/// Some facts, as columns.
struct Facts<'a> {
    owners: &'a [u32],
    others: &'a [u32],
    relations: &'a [u32],
}

impl Facts<'_> {
    /// z_r · (z ⊙ z) with the given rows of a table.
    fn score(
        &self,
        of: &Representations<'_>,
        table: &[f32],
        left: &[u32],
        right: &[u32],
        scores: &mut [f32],
    ) {
        const ROWS: usize = 256;
        let h = of.width();
        let columns = left.par_chunks(ROWS).zip(right.par_chunks(ROWS)).zip(self.relations.par_chunks(ROWS));
        scores.par_chunks_mut(ROWS).zip(columns).for_each_init(
            || (Vec::new(), (0..=ROWS as u32).collect::<Vec<u32>>()),
            |(queries, starts), (scores, ((left, right), relations))| {
                queries.clear();
                for (&left, &relation) in left.iter().zip(relations) {
                    let z = &table[left as usize * h..(left as usize + 1) * h];
                    let z_r = &of.relations[relation as usize * h..(relation as usize + 1) * h];
                    queries.extend(z.iter().zip(z_r).map(|(a, b)| a * b));
                }
                dot_rows(scores, h, &starts[..=left.len()], right, queries, table);
            },
        );
    }

    /// The same, where each entity leaves the other out.
    fn score_apart(
        &self,
        of: &Representations<'_>,
        side: usize,
        encoder: &mut Encoder<f32>,
        scores: &mut [f32],
    ) {
        let model = of.model;
        let first = model.joint.graphs[of.graphs[side]].first;
        let mut entities: Vec<u32> = self.owners.iter().chain(self.others).map(|id| first + id).collect();
        entities.par_sort_unstable();
        entities.dedup();
        let place = |id: u32| entities.partition_point(|&entity| entity < first + id) as u32;
        let out = |entity: u32, without: u32| {
            let is_near = model.joint.neighbours(first + entity).contains(first + without);
            is_near.then(|| LeftOut { entity: place(entity), without: first + without })
        };
        let pairs = self.owners.par_iter().zip(self.others);
        let mut left_out: Vec<LeftOut> = pairs
            .clone()
            .flat_map_iter(|(&owner, &other)| [out(owner, other), out(other, owner)].into_iter().flatten())
            .collect();
        left_out.par_sort_unstable();
        left_out.dedup();
        let row = |entity: u32, without: u32| {
            let found = out(entity, without).and_then(|out| left_out.binary_search(&out).ok());
            found.map_or_else(|| place(entity), |at| (entities.len() + at) as u32)
        };
        let (left, right): (Vec<u32>, Vec<u32>) =
            pairs.map(|(&owner, &other)| (row(owner, other), row(other, owner))).unzip();
        let batch = Batch { entities, left_out, drawn: None };
        encoder.forward(&batch, model.joint, model.parameters, model.contexts);
        self.score(of, &encoder.representations, &left, &right, scores);
    }
}
