//! What does one step of a model do that LinkNBed is compared with?
//!
//! The vectors of a batch are gathered, numbers of them are left out, questions are asked, and what flows back moves
//! the rows that were touched. An entity leaves out other numbers where it asks than where it is an answer, and so does
//! a relation for each question, unless it has matrices.

use rayon::prelude::*;

use super::dropout::Dropout;
use super::learner::{Losses, method, objective};
use super::optimizer::Optimizer;
use super::sample::Sample;
use crate::compute::memory::{keep_buffers, make_room};
use crate::compute::rows::add_plain_rows;
use crate::compute::turned::Turned;
use crate::config::{Config, RegularizationConfig};
use crate::joint::Joint;
use crate::model::baseline::{Asked, Direction, Gradient, Kind, gake};
use crate::model::parameters::Parameters;
use crate::model::score::{Desk, Objective};

/// Such a model while it learns.
#[derive(Debug)]
pub struct Baseline {
    /// What is learned: W^E and W^R, no other table.
    pub parameters: Parameters<f32>,
    /// What the optimizer remembers of each table, in the order of [`Parameters::tables`].
    pub optimizers: Vec<Optimizer<f32>>,
    kind: Kind,
    /// Relations of all graphs, without those that ask backwards.
    relations: u32,
    objective: Objective,
    queries: Vec<f32>,
    desk: Desk<f32>,
    rows: Vec<f32>,
    config: Config,
}

/// The places of W^E and W^R among the tables.
const ENTITIES: usize = 0;
const RELATIONS: usize = 1;
/// So many rows are one thread's to move.
const ROWS: usize = 256;

/// The relations of a sample's queries.
struct Relations {
    directions: Vec<Direction>,
    /// Rows of W^R that are touched, sorted.
    touched: Vec<u32>,
    /// The place of each query's among them.
    places: Vec<u32>,
}

impl Relations {
    fn place(&self, row: u32) -> u32 {
        self.touched.partition_point(|&other| other < row) as u32
    }
}

/// The members of contexts, as rows of a table.
struct Members<'a> {
    starts: &'a [u32],
    rows: &'a [u32],
}

impl Members<'_> {
    /// Sends what flowed back to contexts on to the rows of their members.
    fn send_back(
        &self,
        table: &[f32],
        (contexts, to_contexts): (&[f32], &[f32]),
        width: usize,
        to: &mut [f32],
    ) {
        let mut context_of = vec![0; self.rows.len()];
        for (context, ends) in self.starts.windows(2).enumerate() {
            context_of[ends[0] as usize..ends[1] as usize].fill(context);
        }
        let lists = Turned::new(self.rows.len(), to.len() / width, |at| std::iter::once(self.rows[at]));
        let rows = to.par_chunks_mut(width).zip(table.par_chunks(width)).with_min_len(ROWS).enumerate();
        rows.for_each(|(row, (to, member))| {
            for &at in lists.of(row) {
                let own = context_of[at as usize] * width..(context_of[at as usize] + 1) * width;
                gake::back_to_member(member, &contexts[own.clone()], &to_contexts[own], to);
            }
        });
    }
}

impl Baseline {
    /// A model before its first step.
    pub fn new(kind: Kind, joint: &Joint, config: &Config, parameters: Parameters<f32>) -> Self {
        keep_buffers();
        let optimizers = parameters.tables().map(|(_, table)| Optimizer::new(method(config), table.len()));
        Self {
            optimizers: optimizers.into(),
            parameters,
            kind,
            relations: joint.relations.len() as u32,
            objective: objective(config),
            queries: Vec::new(),
            desk: Desk::default(),
            rows: Vec::new(),
            config: config.clone(),
        }
    }

    /// Learns from a sample; `step` is its number.
    ///
    /// If anything is no longer a number, nothing moves, and the layer where that shows first is the error.
    pub fn step(&mut self, sample: &Sample, rate: f64, step: u64) -> Result<Losses, &'static str> {
        let relations = self.relations_of(sample);
        let mut rows = std::mem::take(&mut self.rows);
        gather(&self.parameters.entities, &sample.batch.entities, self.parameters.sizes.entity, &mut rows);
        let (mut to_rows, mut to_relations, mut losses) = self.ask(sample, &relations, &rows, step);
        losses.cubes = self.cube(sample, &relations, &rows, &mut to_rows, &mut to_relations);
        self.rows = rows;
        if !losses.total().is_finite() {
            return Err(self.broken_layer());
        }
        let RegularizationConfig { l2, relation_l2, .. } = self.config.regularization;
        let Parameters { sizes, entities, relations: table, .. } = &mut self.parameters;
        let of_entities = &mut self.optimizers[ENTITIES];
        move_rows(of_entities, entities, sizes.entity, &sample.batch.entities, &to_rows, (rate, l2));
        self.desk.take_back(to_rows);
        let of_relations = &mut self.optimizers[RELATIONS];
        move_rows(
            of_relations,
            table,
            sizes.relation,
            &relations.touched,
            &to_relations,
            (rate, relation_l2),
        );
        Ok(losses)
    }

    /// The first layer that is not finite any more.
    fn broken_layer(&self) -> &'static str {
        let is_broken = |numbers: &[f32]| !numbers.par_iter().all(|x| x.is_finite());
        let tables = self.parameters.tables().into_iter();
        tables.filter(|(_, table)| is_broken(table)).map(|(name, _)| name).next().unwrap_or("the scores")
    }

    fn relations_of(&self, sample: &Sample) -> Relations {
        let of = |&relation: &u32| match self.config.model.reciprocal {
            false if relation >= self.relations => (Direction::Back, relation - self.relations),
            _ => (Direction::Forth, relation),
        };
        let (directions, rows): (Vec<Direction>, Vec<u32>) =
            sample.questions.relations.iter().map(of).unzip();
        let mut touched = match &sample.around {
            None => rows.clone(),
            Some(around) => around.relations.clone(),
        };
        touched.sort_unstable();
        touched.dedup();
        let mut relations = Relations { directions, touched, places: Vec::new() };
        relations.places = rows.iter().map(|&row| relations.place(row)).collect();
        relations
    }

    /// What flows back to the rows of the batch and to the relations that are touched.
    fn ask(
        &mut self,
        sample: &Sample,
        relations: &Relations,
        rows: &[f32],
        step: u64,
    ) -> (Vec<f32>, Vec<f32>, Losses) {
        let sizes = self.parameters.sizes;
        let (w, v) = (sizes.entity, sizes.relation);
        let shares = &self.config.regularization;
        let of_share = |share: f64| (share > 0.0).then(|| Dropout::new(self.config.seed, step, share));
        let (of_entities, of_relations) = (of_share(shares.dropout), of_share(shares.relation_dropout));
        let questions = &sample.questions;
        let apply = |dropout: &Option<Dropout>, numbers: &mut [f32], width: usize, table: u64| {
            if let Some(dropout) = dropout {
                dropout.apply(numbers, width, table);
            }
        };
        let mut fixed = Vec::new();
        match &sample.around {
            None => gather(rows, &questions.fixed, w, &mut fixed),
            Some(around) => together(&around.entity_starts, &around.entities, rows, w, &mut fixed),
        }
        apply(&of_entities, &mut fixed, w, Dropout::ASKING);
        let kept = of_entities.as_ref().map(|dropout| {
            let mut kept = rows.to_vec();
            dropout.apply(&mut kept, w, Dropout::ENTITIES);
            kept
        });
        let is_each = of_relations.is_some() && !self.kind.has_matrices() || sample.around.is_some();
        let (relation_rows, relation_of): (Vec<u32>, Vec<u32>) = match is_each {
            true => (
                relations.places.iter().map(|&place| relations.touched[place as usize]).collect(),
                (0..relations.places.len() as u32).collect(),
            ),
            false => (relations.touched.clone(), relations.places.clone()),
        };
        let mut relation_vectors = Vec::new();
        let table = &self.parameters.relations;
        match &sample.around {
            None => gather(table, &relation_rows, v, &mut relation_vectors),
            Some(around) => {
                together(&around.relation_starts, &around.relations, table, v, &mut relation_vectors)
            }
        }
        apply(&of_relations, &mut relation_vectors, v, Dropout::RELATIONS);
        let asked = Asked {
            questions,
            fixed: &fixed,
            relations: &relation_vectors,
            relation_of: &relation_of,
            directions: &relations.directions,
            answers: kept.as_deref().unwrap_or(rows),
            width: w,
            relation_width: v,
        };
        let mut back: Gradient<f32> = asked.ask(self.kind, self.objective, &mut self.queries, &mut self.desk);
        apply(&of_entities, &mut back.fixed, w, Dropout::ASKING);
        apply(&of_entities, &mut back.answers, w, Dropout::ENTITIES);
        apply(&of_relations, &mut back.relations, v, Dropout::RELATIONS);
        let mut to_relations = vec![0.0; relations.touched.len() * v];
        match &sample.around {
            None => {
                add_by(&questions.fixed, &back.fixed, w, &mut back.answers);
                match is_each {
                    false => to_relations = back.relations,
                    true => add_by(&relations.places, &back.relations, v, &mut to_relations),
                }
            }
            Some(around) => {
                let entities = Members { starts: &around.entity_starts, rows: &around.entities };
                entities.send_back(rows, (&fixed, &back.fixed), w, &mut back.answers);
                let places: Vec<u32> = around.relations.iter().map(|row| relations.place(*row)).collect();
                let mut own = Vec::new();
                gather(&self.parameters.relations, &relations.touched, v, &mut own);
                let members = Members { starts: &around.relation_starts, rows: &places };
                members.send_back(&own, (&relation_vectors, &back.relations), v, &mut to_relations);
            }
        }
        let losses = Losses { relational: back.losses.iter().sum(), ..Default::default() };
        (back.answers, to_relations, losses)
    }

    /// |s|³ + |r|³ + |o|³ for each question, of complex numbers where the model has them.
    fn cube(
        &self,
        sample: &Sample,
        relations: &Relations,
        rows: &[f32],
        to_rows: &mut [f32],
        to_relations: &mut [f32],
    ) -> f64 {
        let weight = self.config.regularization.n3 as f32;
        if weight == 0.0 {
            return 0.0;
        }
        let (w, v) = (self.parameters.sizes.entity, self.parameters.sizes.relation);
        let is_complex = matches!(self.kind, Kind::ComplEx);
        let mut loss = 0.0;
        for (question, &query) in sample.right_queries.iter().enumerate() {
            let answer = sample.questions.answers[sample.questions.starts[question] as usize];
            for row in [answer, sample.questions.fixed[query as usize]] {
                let own = row as usize * w..(row as usize + 1) * w;
                loss += add_cubes(&rows[own.clone()], weight, is_complex, &mut to_rows[own]);
            }
            let place = relations.places[query as usize] as usize;
            let row = relations.touched[place] as usize;
            let numbers = &self.parameters.relations[row * v..(row + 1) * v];
            loss += add_cubes(numbers, weight, is_complex, &mut to_relations[place * v..(place + 1) * v]);
        }
        loss
    }
}

/// The cubes of all magnitudes, and their gradient.
fn add_cubes(numbers: &[f32], weight: f32, is_complex: bool, to: &mut [f32]) -> f64 {
    let mut sum = 0.0;
    if is_complex {
        let half = numbers.len() / 2;
        let (to_re, to_im) = to.split_at_mut(half);
        for at in 0..half {
            let (re, im) = (numbers[at], numbers[half + at]);
            let size = (re * re + im * im).sqrt();
            sum += size * size * size;
            to_re[at] += 3.0 * weight * size * re;
            to_im[at] += 3.0 * weight * size * im;
        }
    } else {
        for (&x, to) in numbers.iter().zip(to) {
            sum += x.abs() * x * x;
            *to += 3.0 * weight * x * x.abs();
        }
    }
    f64::from(weight) * f64::from(sum)
}

/// Copies rows of a table.
fn gather(table: &[f32], rows: &[u32], width: usize, into: &mut Vec<f32>) {
    make_room(into, rows.len() * width);
    into.par_chunks_mut(width).with_min_len(ROWS).zip(rows).for_each(|(out, &row)| {
        out.copy_from_slice(&table[row as usize * width..(row as usize + 1) * width]);
    });
}

/// One row for each context.
fn together(starts: &[u32], rows: &[u32], table: &[f32], width: usize, into: &mut Vec<f32>) {
    make_room(into, (starts.len() - 1) * width);
    into.par_chunks_mut(width).with_min_len(ROWS).enumerate().for_each(|(context, out)| {
        let members = &rows[starts[context] as usize..starts[context + 1] as usize];
        gake::together(
            members.iter().map(|&row| &table[row as usize * width..(row as usize + 1) * width]),
            out,
        );
    });
}

/// Adds each of some vectors to the row that it is of.
fn add_by(row_of: &[u32], vectors: &[f32], width: usize, to: &mut [f32]) {
    let lists = Turned::new(row_of.len(), to.len() / width, |at| std::iter::once(row_of[at]));
    to.par_chunks_mut(ROWS * width).enumerate().for_each(|(chunk, to)| {
        let starts = &lists.starts[chunk * ROWS..=chunk * ROWS + to.len() / width];
        add_plain_rows(to, width, starts, &lists.lists, vectors);
    });
}

/// Moves the rows of a table that were touched; `rate` comes with how strongly numbers are drawn to zero.
fn move_rows(
    optimizer: &mut Optimizer<f32>,
    table: &mut [f32],
    width: usize,
    touched: &[u32],
    gradient: &[f32],
    (rate, decay): (f64, f64),
) {
    let pieces = optimizer.cut(table, width, touched, ROWS, rate, decay);
    let parts = touched.par_chunks(ROWS).zip(gradient.par_chunks(ROWS * width));
    pieces.into_par_iter().zip(parts).for_each(|(mut piece, (touched, gradient))| {
        for (&row, gradient) in touched.iter().zip(gradient.chunks_exact(width)) {
            piece.step(row, gradient);
        }
    });
}

#[cfg(test)]
#[path = "baseline_tests.rs"]
mod tests;
