//! What does one step look at?
//!
//! Some facts of all graphs, what is asked about them ([`draw`](super::draw), [`pool`](super::pool)), and the entities
//! that must be encoded to answer, some of them more than once ([`apart`](super::apart)). Drawn from the seed and the number of the step alone, so that a step can be repeated,
//! and a run continued, without any state.

use rand::RngExt;
use rayon::prelude::*;

use super::apart::{Apart, Scene};
use super::around::{Around, Incidence};
use super::draw::{Drawn, End, Portion, Question};
use super::pool::Shared;
use super::shuffle::Shuffle;
use crate::compute::places::Places;
use crate::config::{Config, LinkageNegatives, ModelKind, NegativeKind};
use crate::dataset::Dice;
use crate::joint::Joint;
use crate::model::entity::{self, Batch, LeftOut, Surroundings};
use crate::model::score::{Pool, Questions};

/// What a step looks at.
#[derive(Debug, Default)]
pub struct Sample {
    /// How many facts.
    pub facts: usize,
    /// The entities that are encoded.
    pub batch: Batch,
    /// What is asked; first of the relational loss, then of the linkage loss.
    pub questions: Questions,
    /// How many of the questions are of the relational loss.
    pub relational: usize,
    /// The query of each question's right answer.
    pub right_queries: Vec<u32>,
    /// Rows of linked entities that are brought together.
    pub pairs: Vec<(u32, u32)>,
    /// What is around right answers, for GAKE.
    pub around: Option<Around>,
}

/// Makes samples.
#[derive(Debug)]
pub struct Sampler<'a> {
    joint: &'a Joint,
    config: &'a Config,
    dice: Dice,
    pool_dice: Dice,
    neighbour_dice: Dice,
    lot_dice: Dice,
    places: Places,
    /// The graphs whose facts are learned, each with the number of its first fact among them.
    graphs: Vec<(u32, u64)>,
    /// How many facts they have.
    facts: u64,
    /// For GAKE.
    incidence: Option<Incidence>,
}

/// So many facts are one thread's at a time.
const PORTION: usize = 32;

impl<'a> Sampler<'a> {
    /// Makes samples of the training facts.
    pub fn new(joint: &'a Joint, config: &'a Config) -> Self {
        let dice = |purpose: &str| Dice::new(config.seed, purpose, "");
        let names = &config.training.graphs;
        let (mut graphs, mut facts) = (Vec::new(), 0);
        for (number, graph) in (0..).zip(&joint.graphs) {
            if names.is_empty() || names.contains(&graph.name) {
                graphs.push((number, facts));
                facts += graph.facts[0].len() as u64;
            }
        }
        Self {
            joint,
            config,
            dice: dice("questions"),
            pool_dice: dice("pools"),
            neighbour_dice: dice("neighbours"),
            lot_dice: dice("lots"),
            places: Places::default(),
            graphs,
            facts,
            incidence: (config.model.kind == ModelKind::Gake).then(|| Incidence::new(joint)),
        }
    }

    /// How many steps see every fact once.
    pub fn steps_per_epoch(&self) -> u64 {
        self.facts.div_ceil(self.config.training.batch as u64)
    }

    /// The sample of a step, counted from the first of all.
    pub fn sample(&mut self, step: u64) -> Sample {
        let (facts, groups) = self.facts_of(step);
        let (joint, config, dice) = (self.joint, self.config, &self.dice);
        let portions: Vec<Portion> = facts
            .par_chunks(PORTION)
            .map(|facts| {
                let mut portion = Portion::default();
                facts.iter().for_each(|&fact| portion.ask(joint, config, fact, &mut dice.of(fact.stream)));
                portion
            })
            .collect();
        let mut asked = Asked::gather(portions);
        if let Some(incidence) = &self.incidence {
            let questions = std::mem::take(&mut asked.questions);
            let (wide, around) = incidence.widen(joint, config, questions, &self.neighbour_dice, step);
            (asked.relational, asked.questions, asked.around) = (wide.len(), wide, Some(around));
        }
        let relational_pools = match config.negatives.kind {
            NegativeKind::Independent => Vec::new(),
            NegativeKind::Shared | NegativeKind::All => self.relational_pools(step, &groups, &asked),
        };
        let linkage_pools = match config.linkage.negatives {
            _ if asked.questions.len() == asked.relational => Vec::new(),
            LinkageNegatives::Labels => Vec::new(),
            LinkageNegatives::Shared => self.linkage_pools(step, &mut asked),
        };
        // A pool of nobody is none: a graph can be empty, and the count of linkage negatives 0.
        let pools = relational_pools.into_iter().chain(linkage_pools);
        let pools: Vec<Shared> = pools.filter(|pool| !pool.candidates.is_empty()).collect();
        let mut batch = Batch { entities: self.number(&asked, &pools), ..Default::default() };
        if config.contexts.neighbours > 0 && config.model.kind == ModelKind::LinkNBed {
            batch.drawn = Some(self.draw_neighbours(step, &batch));
        }
        let pairs = asked.pairs.iter().map(|pair| (self.places.of(pair.0), self.places.of(pair.1))).collect();
        let (questions, right_queries) = self.assemble(step, &asked, &pools, &mut batch);
        let mut around = asked.around;
        if let Some(around) = &mut around {
            around.entities.iter_mut().for_each(|entity| *entity = self.places.of(*entity));
        }
        let (facts, relational) = (facts.len(), asked.relational);
        Sample { facts, relational, batch, questions, right_queries, pairs, around }
    }

    /// The facts of a step, by graph, and where each portion that shares candidates ends.
    fn facts_of(&self, step: u64) -> (Vec<Drawn>, Vec<std::ops::Range<usize>>) {
        let size = self.config.training.batch as u64;
        let (epoch, within) = (step / self.steps_per_epoch(), step % self.steps_per_epoch());
        let shuffle = Shuffle::new(self.facts, self.config.seed, epoch);
        let mut facts: Vec<Drawn> = (within * size..self.facts.min((within + 1) * size))
            .map(|place| {
                let (graph, row) = self.located(shuffle.at(place));
                let fact = self.joint.graphs[graph as usize].facts[0].get(row);
                Drawn {
                    graph,
                    subject: fact.subject.0,
                    relation: fact.relation.0,
                    object: fact.object.0,
                    stream: epoch * self.facts + place,
                }
            })
            .collect();
        facts.sort_by_key(|fact| fact.graph);
        let chunk = match self.config.negatives.chunk {
            0 => facts.len().max(1),
            chunk => chunk,
        };
        let mut groups = Vec::new();
        let mut first = 0;
        while first < facts.len() {
            let same = facts[first..].partition_point(|fact| fact.graph == facts[first].graph);
            let end = first + same.min(chunk);
            groups.push(first..end);
            first = end;
        }
        (facts, groups)
    }

    /// The graph of a fact and its row there, by its number among all that are learned.
    fn located(&self, number: u64) -> (u32, usize) {
        let next = self.graphs.partition_point(|&(_, first)| first <= number);
        let (graph, first) = self.graphs[next - 1];
        (graph, (number - first) as usize)
    }

    /// Candidates for each group of facts. Every fact has the same number of relational questions, in its order.
    fn relational_pools(&self, step: u64, groups: &[std::ops::Range<usize>], asked: &Asked) -> Vec<Shared> {
        let facts = groups.last().map_or(1, |group| group.end);
        let each = asked.relational / facts.max(1);
        let count = self.config.negatives.count;
        let draw = |(number, group): (usize, &std::ops::Range<usize>)| {
            let mut dice = self.pool_dice.of(step << 20 | number as u64);
            let questions = group.start * each..group.end * each;
            Shared::draw(self.joint, self.config, &asked.questions, questions, &mut dice, count)
        };
        groups.par_iter().enumerate().map(draw).collect()
    }

    /// Candidates for the links to each graph.
    fn linkage_pools(&self, step: u64, asked: &mut Asked) -> Vec<Shared> {
        let linkage = &mut asked.questions[asked.relational..];
        linkage.sort_by_key(|question| question.answers_from);
        let (mut pools, mut first) = (Vec::new(), asked.relational);
        while first < asked.questions.len() {
            let graph = asked.questions[first].answers_from;
            let end =
                first + asked.questions[first..].partition_point(|question| question.answers_from == graph);
            let mut dice = self.pool_dice.of(step << 20 | 1 << 19 | u64::from(graph));
            let count = self.config.linkage.count;
            pools.push(Shared::draw(self.joint, self.config, &asked.questions, first..end, &mut dice, count));
            first = end;
        }
        pools
    }

    /// Numbers all entities that must be encoded.
    fn number(&mut self, asked: &Asked, pools: &[Shared]) -> Vec<u32> {
        self.places.begin(self.joint.entities());
        let places = &self.places;
        asked.questions.iter().for_each(|question| {
            places.mark(question.fixed);
            places.mark(question.right);
        });
        let around = asked.around.iter().flat_map(|around| &around.entities);
        around.for_each(|&entity| places.mark(entity));
        asked.wrong.par_iter().with_min_len(4096).for_each(|&entity| places.mark(entity));
        for pool in pools {
            let first = self.joint.graphs[pool.graph as usize].first;
            pool.candidates.iter().for_each(|&entity| places.mark(first + entity));
        }
        asked.pairs.iter().for_each(|pair| {
            places.mark(pair.0);
            places.mark(pair.1);
        });
        self.places.number();
        self.places.rows.clone()
    }

    /// So many neighbours of each entity as the config says.
    fn draw_neighbours(&self, step: u64, batch: &Batch) -> entity::Drawn {
        let count = self.config.contexts.neighbours;
        let lists: Vec<Vec<u32>> = batch
            .entities
            .par_iter()
            .map(|&entity| {
                let near = self.joint.neighbours(entity);
                if near.ids.len() <= count {
                    return near.iter().collect();
                }
                let mut dice = self.neighbour_dice.of(step << 32 | u64::from(entity));
                let mut places: Vec<usize> = Vec::with_capacity(count);
                // Floyd's way to draw distinct places.
                for last in near.ids.len() - count..near.ids.len() {
                    let place = dice.random_range(0..=last);
                    places.push(if places.contains(&place) { last } else { place });
                }
                places.sort_unstable();
                places.into_iter().map(|place| near.first + near.ids[place]).collect()
            })
            .collect();
        let mut drawn = entity::Drawn { starts: vec![0], ids: Vec::new() };
        for list in lists {
            drawn.ids.extend(list);
            drawn.starts.push(drawn.ids.len() as u32);
        }
        drawn
    }

    /// Finds who must leave whom out, and writes the questions down with rows of representations.
    fn assemble(
        &self,
        step: u64,
        asked: &Asked,
        pools: &[Shared],
        batch: &mut Batch,
    ) -> (Questions, Vec<u32>) {
        let scene = Scene { joint: self.joint, places: &self.places, batch, asked };
        let apart = scene.apart(self.config, pools);
        let mut left_out: Vec<LeftOut> = apart
            .par_iter()
            .zip(&asked.questions)
            .flat_map_iter(|(apart, question)| {
                let right = std::iter::once((question.right, apart.right));
                right.chain(apart.wrong.iter().copied()).flat_map(|(answer, outs)| {
                    let fixed = LeftOut { entity: self.places.of(question.fixed), without: answer };
                    let other = LeftOut { entity: self.places.of(answer), without: question.fixed };
                    [outs.fixed.then_some(fixed), outs.answer.then_some(other)].into_iter().flatten()
                })
            })
            .collect();
        left_out.par_sort_unstable();
        left_out.dedup();
        batch.left_out = left_out;
        let batch = &*batch;
        let mut is_pooled = vec![false; asked.questions.len()];
        pools.iter().for_each(|pool| is_pooled[pool.questions.clone()].fill(true));
        let parts: Vec<Part> = asked
            .questions
            .par_chunks(PORTION)
            .enumerate()
            .map(|(chunk, questions)| {
                let mut part = Part::default();
                for (at, question) in questions.iter().enumerate() {
                    let number = chunk * PORTION + at;
                    let wrong = asked.wrong_of(question);
                    self.write(&mut part, question, wrong, &apart[number], batch, is_pooled[number]);
                    part.questions.weights.push(question.weight * self.weight(number < asked.relational));
                }
                part
            })
            .collect();
        let Part { mut questions, right_queries, shared_queries } = Part::concatenated(parts);
        let pool = |pool: &Shared| {
            let queries = shared_queries[pool.questions.clone()].to_vec();
            self.pool(pool, queries, &apart[pool.questions.clone()])
        };
        questions.pools = pools.iter().map(pool).collect();
        if self.config.loss.thin > 0.0 {
            self.draw_lots(step, &mut questions.pools);
        }
        (questions, right_queries)
    }

    /// Lots for every question of every pool.
    fn draw_lots(&self, step: u64, pools: &mut [Pool]) {
        for (number, pool) in pools.iter_mut().enumerate() {
            let mut dice = self.lot_dice.of(step << 20 | number as u64);
            pool.lots = pool.queries.iter().map(|_| std::array::from_fn(|_| dice.random())).collect();
        }
    }

    fn weight(&self, is_relational: bool) -> f32 {
        let b = self.config.loss.relational;
        (if is_relational { b } else { 1.0 - b }) as f32
    }

    /// Writes a question down: its right answer, the wrong ones that share a query, and those apart.
    fn write(
        &self,
        part: &mut Part,
        question: &Question,
        wrong: &[u32],
        apart: &Apart,
        batch: &Batch,
        is_pooled: bool,
    ) {
        let row = |entity: u32, without: u32, leaves_out: bool| {
            let place = self.places.of(entity);
            if !leaves_out {
                return place;
            }
            let out = LeftOut { entity: place, without };
            let at = batch.left_out.binary_search(&out).expect("all that leave one out are listed");
            (batch.entities.len() + at) as u32
        };
        let mut relation = self.joint.relations.of(question.graph as usize, question.relation);
        // LinkNBed's score is the same in both directions; for others, relations that ask backwards follow the others.
        if self.config.model.kind != ModelKind::LinkNBed && question.asked == End::Head {
            relation += self.joint.relations.len() as u32;
        }
        let Part { questions, right_queries, shared_queries } = part;
        let begin = questions.answers.len();
        right_queries.push(questions.queries() as u32);
        questions.answers.push(row(question.right, question.fixed, apart.right.answer));
        if apart.right.fixed {
            end_query(questions, relation, row(question.fixed, question.right, true), 1);
        }
        let shared_begin = if apart.right.fixed { questions.answers.len() } else { begin };
        shared_queries.push(questions.queries() as u32);
        let shares = |&&answer: &&u32| apart.wrong.iter().all(|pair| pair.0 != answer);
        questions.answers.extend(wrong.iter().filter(shares).map(|&answer| self.places.of(answer)));
        if is_pooled || questions.answers.len() > shared_begin {
            let count = questions.answers.len() - shared_begin;
            end_query(questions, relation, self.places.of(question.fixed), count);
        }
        for &(answer, outs) in &apart.wrong {
            questions.answers.push(row(answer, question.fixed, outs.answer));
            end_query(questions, relation, row(question.fixed, answer, outs.fixed), 1);
        }
        questions.starts.push((questions.answers.len() - begin) as u32);
    }

    /// The candidates of a pool as rows. Those that are apart are no longer among them.
    fn pool(&self, shared: &Shared, queries: Vec<u32>, apart: &[Apart]) -> Pool {
        let graph = &self.joint.graphs[shared.graph as usize];
        let candidates = shared.candidates.iter().map(|&id| self.places.of(graph.first + id)).collect();
        let mut masked = Vec::new();
        for (at, (own, apart)) in shared.masked.iter().zip(apart).enumerate() {
            let mut places = own.clone();
            places.extend(apart.wrong.iter().filter_map(|pair| shared.place(pair.0 - graph.first)));
            places.sort_unstable();
            places.dedup();
            masked.extend(places.into_iter().map(|place| (at as u32, place)));
        }
        Pool { candidates, questions: shared.questions.clone(), queries, masked, lots: Vec::new() }
    }
}

fn end_query(questions: &mut Questions, relation: u32, fixed: u32, answers: usize) {
    questions.relations.push(relation);
    questions.fixed.push(fixed);
    questions.query_starts.push(answers as u32);
}

/// Some questions; until they are put together, starts are numbers of answers.
#[derive(Default)]
struct Part {
    questions: Questions,
    /// The query of each question's right answer, and the one that its other answers share.
    right_queries: Vec<u32>,
    shared_queries: Vec<u32>,
}

/// All that is asked in a step.
pub(super) struct Asked {
    pub(super) questions: Vec<Question>,
    relational: usize,
    wrong: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    around: Option<Around>,
}

impl Asked {
    fn gather(portions: Vec<Portion>) -> Self {
        let mut asked =
            Self { questions: Vec::new(), relational: 0, wrong: Vec::new(), pairs: Vec::new(), around: None };
        let (mut linkage, mut first) = (Vec::new(), 0);
        for portion in portions {
            let moved = |mut question: Question| {
                question.wrong = question.wrong.start + first..question.wrong.end + first;
                question
            };
            asked.questions.extend(portion.relational.into_iter().map(moved));
            linkage.extend(portion.linkage.into_iter().map(moved));
            asked.wrong.extend_from_slice(&portion.wrong);
            asked.pairs.extend(portion.pairs);
            first = asked.wrong.len();
        }
        asked.relational = asked.questions.len();
        asked.questions.extend(linkage);
        asked.pairs.sort_unstable();
        asked.pairs.dedup();
        asked
    }

    pub(super) fn wrong_of(&self, question: &Question) -> &[u32] {
        &self.wrong[question.wrong.clone()]
    }
}

impl Part {
    /// Puts parts one after the other.
    fn concatenated(parts: Vec<Self>) -> Self {
        let mut all = Self::default();
        all.questions.query_starts.push(0);
        all.questions.starts.push(0);
        let (mut query_end, mut question_end) = (0, 0);
        for part in parts {
            let first = all.questions.queries() as u32;
            all.right_queries.extend(part.right_queries.iter().map(|query| first + query));
            all.shared_queries.extend(part.shared_queries.iter().map(|query| first + query));
            all.questions.relations.extend_from_slice(&part.questions.relations);
            all.questions.fixed.extend_from_slice(&part.questions.fixed);
            all.questions.answers.extend_from_slice(&part.questions.answers);
            all.questions.weights.extend_from_slice(&part.questions.weights);
            for count in part.questions.query_starts {
                query_end += count;
                all.questions.query_starts.push(query_end);
            }
            for count in part.questions.starts {
                question_end += count;
                all.questions.starts.push(question_end);
            }
        }
        all
    }
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
