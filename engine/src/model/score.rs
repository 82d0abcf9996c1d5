//! How well does a fact hold, and what does it cost to be wrong about it? (Eq. 10–13)
//!
//! ```text
//! g(s, r, o) = σ( z_r · (z_s ⊙ z_o) )
//! ```
//!
//! A question fixes one entity of a fact and asks for the other: one answer is right, several are wrong. The fixed part
//! is multiplied out once, as the query q = z_r ⊙ z_fixed, and each answer costs one product q · z. Wrong answers that
//! many questions share are a pool, and their scores a product of two matrices.
//!
//! Where an answer is a neighbour of the fixed entity, the fixed entity leaves it out, so that this answer has a query of
//! its own: a question can have several.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::activation::Activation;
use super::loss::{Loss, scale};
use super::masks::Masks;
use super::measure::{Measure, Precision};
pub use super::pool::Pool;
use super::pool::{Asking, Room};
use crate::compute::Real;
use crate::compute::memory::make_room;
use crate::compute::rows::{add_products, add_rows, add_scaled, dot_rows};
use crate::compute::turned::Turned;

/// What is asked. Rows are rows of the representations of entities.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The relation of each query.
    pub relations: Vec<u32>,
    /// The row of each query's fixed entity.
    pub fixed: Vec<u32>,
    /// Where the answers of each query begin; one more than there are queries.
    pub query_starts: Vec<u32>,
    /// The row of each answer.
    pub answers: Vec<u32>,
    /// Where the answers of each question begin; one more than there are questions. The first is the right one.
    pub starts: Vec<u32>,
    /// How much each question counts.
    pub weights: Vec<f32>,
    /// Wrong answers that are shared.
    pub pools: Vec<Pool>,
}

/// How wrong answers add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Average {
    /// As in Eq. 11 and 12.
    Sum,
    /// Divided by their number.
    Mean,
}

/// How scores become a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// The loss of a question.
    pub loss: Loss,
    /// σ of the score.
    pub score: Activation,
    /// How its wrong answers add up.
    pub average: Average,
    /// Answers of a pool that pull by less than this share of a question's weight do so by lot; 0: all do.
    pub thin: f64,
    /// How exactly the scores of a pool are computed.
    pub precision: Precision,
}

/// What flows back, and the loss of each question.
#[derive(Debug, Default)]
pub struct Gradient<T> {
    /// To the representations of entities.
    pub entities: Vec<T>,
    /// To those of relations.
    pub relations: Vec<T>,
    /// Weighted.
    pub losses: Vec<f64>,
}

/// What flows back to answers, and the loss of each question.
#[derive(Debug)]
pub struct Answered<T> {
    /// To the representations of entities, as answers.
    pub entities: Vec<T>,
    /// Weighted.
    pub losses: Vec<f64>,
}

/// What is compared, and how.
#[derive(Clone, Copy)]
struct Tables<'a, T> {
    measure: Measure,
    queries: &'a [T],
    entities: &'a [T],
    h: usize,
}

/// Room for what comes up while questions are asked; kept from one step to the next.
#[derive(Debug, Default)]
pub struct Desk<T> {
    queries: Vec<T>,
    /// What flowed back to queries.
    pub to_queries: Vec<T>,
    /// What flows back to answers, when it has been given back.
    to_answers: Vec<T>,
    /// Of answers, one by one.
    scores: Vec<T>,
    /// Of pools.
    room: Room<T>,
}

impl<T> Desk<T> {
    /// Takes back what flowed to answers, to be used again: it is large, and fetching its pages from the system takes time.
    pub fn take_back(&mut self, to_answers: Vec<T>) {
        self.to_answers = to_answers;
    }
}

/// So many queries are one thread's at a time.
const QUERIES: usize = 64;

impl Questions {
    /// How many queries there are.
    pub fn queries(&self) -> usize {
        self.fixed.len()
    }

    /// How many questions there are.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The losses of all questions, and their gradient. `entities` and `relations` are representations, h-wide.
    pub fn ask<T: Real>(
        &self,
        objective: Objective,
        entities: &[T],
        relations: &[T],
        h: usize,
        masks: &impl Masks<T>,
        desk: &mut Desk<T>,
    ) -> Gradient<T> {
        let mut queries = std::mem::take(&mut desk.queries);
        self.query_rows(entities, relations, h, &mut queries);
        masks.of_queries(&mut queries);
        let mut answers = Cow::Borrowed(entities);
        if masks.masks_answers() {
            masks.of_answers(answers.to_mut());
        }
        let mut answered = self.answer(objective, Measure::Product, &queries, &answers, h, desk);
        masks.of_answers(&mut answered.entities);
        masks.of_queries(&mut desk.to_queries);
        let mut gradient = Gradient {
            entities: answered.entities,
            relations: vec![T::ZERO; relations.len()],
            losses: answered.losses,
        };
        self.backward(entities, relations, &desk.to_queries, &mut gradient, h);
        desk.queries = queries;
        gradient
    }

    /// The losses of all questions, given their queries, and what flows back to answers; what flows back to queries is
    /// left on the desk.
    pub fn answer<T: Real>(
        &self,
        objective: Objective,
        measure: Measure,
        queries: &[T],
        entities: &[T],
        h: usize,
        desk: &mut Desk<T>,
    ) -> Answered<T> {
        let Desk { to_queries, to_answers, scores, room, .. } = desk;
        self.scores(measure, queries, entities, h, scores);
        let kept = if measure == Measure::L2 { scores.clone() } else { Vec::new() };
        let mut answered = Answered { entities: std::mem::take(to_answers), losses: vec![0.0; self.len()] };
        for (cleared, count) in [(&mut *to_queries, queries.len()), (&mut answered.entities, entities.len())]
        {
            make_room(cleared, count);
            cleared.par_chunks_mut(1 << 16).for_each(|numbers| numbers.fill(T::ZERO));
        }
        let mut pooled = vec![false; self.len()];
        // Questions of a pool without candidates have their own answers only.
        for pool in self.pools.iter().filter(|pool| !pool.candidates.is_empty()) {
            pooled[pool.questions.clone()].fill(true);
            let own = rows_of(queries, &pool.queries, h);
            let candidates = rows_of(entities, &pool.candidates, h);
            let items = &mut self.cut_by_question(scores)[pool.questions.clone()];
            let losses = &mut answered.losses[pool.questions.clone()];
            adding_to(to_queries, &pool.queries, h, |to_queries| {
                adding_to(&mut answered.entities, &pool.candidates, h, |to_candidates| {
                    let asking = Asking {
                        objective,
                        measure,
                        queries: &own,
                        candidates: &candidates,
                        width: h,
                        weights: &self.weights[pool.questions.clone()],
                        items,
                        losses,
                        to_queries,
                        to_candidates,
                    };
                    pool.ask(asking, room);
                });
            });
        }
        let unpooled = self.cut_by_question(scores).into_par_iter().zip(&mut answered.losses).zip(pooled);
        unpooled.enumerate().filter(|(_, (_, pooled))| !pooled).for_each(
            |(question, ((scores, loss), _))| {
                *loss = objective.of(scores, &mut [], &[], self.weights[question]).to_f64();
            },
        );
        match measure {
            Measure::Product => self.back_products(queries, entities, scores, to_queries, &mut answered, h),
            _ => {
                let tables = Tables { measure, queries, entities, h };
                self.back_differences(tables, &kept, scores, to_queries, &mut answered);
            }
        }
        answered
    }

    fn query_rows<T: Real>(&self, entities: &[T], relations: &[T], h: usize, queries: &mut Vec<T>) {
        make_room(queries, self.queries() * h);
        let ends: Vec<u32> = (0..=self.queries() as u32).collect();
        queries.par_chunks_mut(QUERIES * h).enumerate().for_each(|(chunk, queries)| {
            let own = chunk * QUERIES..chunk * QUERIES + queries.len() / h;
            let ends = &ends[own.start..=own.end];
            queries.fill(T::ZERO);
            add_products(queries, h, ends, &self.relations, relations, &self.fixed, entities);
        });
    }

    fn scores<T: Real>(
        &self,
        measure: Measure,
        queries: &[T],
        entities: &[T],
        h: usize,
        scores: &mut Vec<T>,
    ) {
        make_room(scores, self.answers.len());
        let mut rest = &mut scores[..];
        let mut work = Vec::new();
        for first in (0..self.queries()).step_by(QUERIES) {
            let end = self.queries().min(first + QUERIES);
            let count = self.query_starts[end] - self.query_starts[first];
            let (own, others) = rest.split_at_mut(count as usize);
            work.push((first..end, own));
            rest = others;
        }
        work.into_par_iter().for_each(|(own, scores)| {
            let starts = &self.query_starts[own.start..=own.end];
            if measure == Measure::Product {
                dot_rows(scores, h, starts, &self.answers, &queries[own.start * h..own.end * h], entities);
                return;
            }
            let queries = queries[own.start * h..own.end * h].chunks_exact(h);
            for (query, ends) in queries.zip(starts.windows(2)) {
                for at in ends[0]..ends[1] {
                    let answer = row_of(entities, self.answers[at as usize], h);
                    scores[(at - starts[0]) as usize] = measure.of(query, answer);
                }
            }
        });
    }

    fn cut_by_question<'a, T>(&self, mut scores: &'a mut [T]) -> Vec<&'a mut [T]> {
        let mut cut = Vec::with_capacity(self.len());
        for ends in self.starts.windows(2) {
            let (own, rest) = scores.split_at_mut((ends[1] - ends[0]) as usize);
            cut.push(own);
            scores = rest;
        }
        cut
    }

    /// Sends gradients of the scores of single answers back, where scores are products.
    fn back_products<T: Real>(
        &self,
        queries: &[T],
        entities: &[T],
        to_scores: &[T],
        to_queries: &mut [T],
        answered: &mut Answered<T>,
        h: usize,
    ) {
        to_queries.par_chunks_mut(QUERIES * h).enumerate().for_each(|(chunk, to_queries)| {
            let own = chunk * QUERIES..chunk * QUERIES + to_queries.len() / h;
            let starts = &self.query_starts[own.start..=own.end];
            add_rows(to_queries, h, starts, &self.answers, to_scores, entities);
        });
        let query_of = self.query_of();
        let answering = self.answering(entities.len() / h);
        answered.entities.par_chunks_mut(QUERIES * h).enumerate().for_each(|(chunk, to)| {
            let own = chunk * QUERIES..chunk * QUERIES + to.len() / h;
            let (starts, answers) = part(&answering, own);
            let from: Vec<u32> = answers.iter().map(|&at| query_of[at as usize]).collect();
            let weights: Vec<T> = answers.iter().map(|&at| to_scores[at as usize]).collect();
            add_rows(to, h, &starts, &from, &weights, queries);
        });
    }

    /// The same where scores are differences; `scores` are what they were, if the measure asks for them.
    fn back_differences<T: Real>(
        &self,
        Tables { measure, queries, entities, h }: Tables<'_, T>,
        scores: &[T],
        to_scores: &[T],
        to_queries: &mut [T],
        answered: &mut Answered<T>,
    ) {
        let score = |at: usize| scores.get(at).copied().unwrap_or_default();
        to_queries.par_chunks_mut(h).with_min_len(QUERIES).enumerate().for_each(|(query, to)| {
            let own = self.query_starts[query] as usize..self.query_starts[query + 1] as usize;
            let asked = row_of(queries, query as u32, h);
            for (at, (&answer, &factor)) in
                own.clone().zip(self.answers[own.clone()].iter().zip(&to_scores[own]))
            {
                measure.pull(to, asked, row_of(entities, answer, h), score(at), factor);
            }
        });
        let query_of = self.query_of();
        let answering = self.answering(entities.len() / h);
        answered.entities.par_chunks_mut(h).with_min_len(QUERIES).enumerate().for_each(|(row, to)| {
            for &at in answering.of(row) {
                let at = at as usize;
                let query = row_of(queries, query_of[at], h);
                measure.pull(to, query, row_of(entities, row as u32, h), score(at), -to_scores[at]);
            }
        });
    }

    /// The query of each answer.
    pub(super) fn query_of(&self) -> Vec<u32> {
        let mut query_of = vec![0; self.answers.len()];
        for (query, ends) in self.query_starts.windows(2).enumerate() {
            query_of[ends[0] as usize..ends[1] as usize].fill(query as u32);
        }
        query_of
    }

    /// The question that each query belongs to.
    pub fn question_of(&self) -> Vec<u32> {
        let mut question_of = vec![0; self.queries()];
        let query_of = self.query_of();
        for (question, ends) in self.starts.windows(2).enumerate() {
            for &query in &query_of[ends[0] as usize..ends[1] as usize] {
                question_of[query as usize] = question as u32;
            }
        }
        for pool in &self.pools {
            for (question, &query) in pool.questions.clone().zip(&pool.queries) {
                question_of[query as usize] = question as u32;
            }
        }
        question_of
    }

    /// For each row, the answers that it is.
    fn answering(&self, rows: usize) -> Turned {
        Turned::new(self.answers.len(), rows, |at| std::iter::once(self.answers[at]))
    }

    /// Sends gradients of queries back to entities and relations.
    fn backward<T: Real>(
        &self,
        entities: &[T],
        relations: &[T],
        to_queries: &[T],
        gradient: &mut Gradient<T>,
        h: usize,
    ) {
        let asking =
            Turned::new(self.queries(), entities.len() / h, |query| std::iter::once(self.fixed[query]));
        gradient.entities.par_chunks_mut(QUERIES * h).enumerate().for_each(|(chunk, to)| {
            let own = chunk * QUERIES..chunk * QUERIES + to.len() / h;
            let (starts, asked) = part(&asking, own);
            let by: Vec<u32> = asked.iter().map(|&query| self.relations[query as usize]).collect();
            add_products(to, h, &starts, asked, to_queries, &by, relations);
        });
        let by_relation =
            Turned::new(self.queries(), relations.len() / h, |query| std::iter::once(self.relations[query]));
        gradient.relations.par_chunks_mut(h).enumerate().for_each(|(relation, to)| {
            let asked = by_relation.of(relation);
            let fixed: Vec<u32> = asked.iter().map(|&query| self.fixed[query as usize]).collect();
            add_products(to, h, &[0, asked.len() as u32], asked, to_queries, &fixed, entities);
        });
    }
}

/// Some places of turned lists, counted from their first.
fn part(turned: &Turned, places: Range<usize>) -> (Vec<u32>, &[u32]) {
    let starts = &turned.starts[places.start..=places.end];
    let local = starts.iter().map(|start| start - starts[0]).collect();
    (local, &turned.lists[starts[0] as usize..starts[starts.len() - 1] as usize])
}

impl Objective {
    /// The loss of one question; the first of the items is the right answer. Scores become gradients.
    pub(super) fn of<T: Real>(
        self,
        items: &mut [T],
        dense: &mut [T],
        masked: &[(u32, u32)],
        weight: f32,
    ) -> T {
        self.score.forward(items);
        self.score.forward(dense);
        let bent = match self.score {
            Activation::Identity => None,
            _ => Some((items.to_vec(), dense.to_vec())),
        };
        masked.iter().for_each(|masked| dense[masked.1 as usize] = T::of(f64::NEG_INFINITY));
        let wrong = items.len() - 1 + dense.len() - masked.len();
        let (right, others) = items.split_at_mut(1);
        let loss = self.loss.of(&mut right[0], &mut [others, &mut *dense]);
        let factor = match (self.average, self.loss) {
            (Average::Mean, Loss::Margin(_) | Loss::Logistic) => f64::from(weight) / wrong.max(1) as f64,
            _ => f64::from(weight),
        };
        if let Some((items_bent, dense_bent)) = bent {
            self.score.backward(&items_bent, items);
            self.score.backward(&dense_bent, dense);
        }
        scale(items, T::of(factor));
        scale(dense, T::of(factor));
        loss * T::of(factor)
    }
}

pub(super) fn row_of<T>(table: &[T], row: u32, width: usize) -> &[T] {
    &table[row as usize * width..(row as usize + 1) * width]
}

/// Some rows of a table; its first ones, in their order, need no copy.
fn rows_of<'a, T: Real>(table: &'a [T], rows: &[u32], width: usize) -> Cow<'a, [T]> {
    if are_first(rows) {
        return Cow::Borrowed(&table[..rows.len() * width]);
    }
    let mut found = vec![T::ZERO; rows.len() * width];
    found.par_chunks_mut(width).with_min_len(256).zip(rows).for_each(|(out, &row)| {
        out.copy_from_slice(&table[row as usize * width..(row as usize + 1) * width]);
    });
    Cow::Owned(found)
}

/// Lets something be added to some rows of a table, as if they were one after the other.
fn adding_to<T: Real>(table: &mut [T], rows: &[u32], width: usize, add: impl FnOnce(&mut [T])) {
    if are_first(rows) {
        return add(&mut table[..rows.len() * width]);
    }
    let mut vectors = vec![T::ZERO; rows.len() * width];
    add(&mut vectors);
    for (&row, vector) in rows.iter().zip(vectors.chunks_exact(width)) {
        add_scaled(&mut table[row as usize * width..(row as usize + 1) * width], vector, T::ONE);
    }
}

/// Whether rows are the first of a table, in their order.
fn are_first(rows: &[u32]) -> bool {
    rows.iter().enumerate().all(|(at, &row)| at == row as usize)
}
