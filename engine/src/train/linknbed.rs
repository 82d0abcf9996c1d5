//! What does one step of LinkNBed do?
//!
//! ```text
//! L(Ω) = Σ [ b·L_rel + (1 − b)·L_lab ] + λ‖Ω‖²                                   (Eq. 13)
//! ```
//!
//! and, where asked for, the distance of linked entities (Insight 1) and the cubes of the representations of facts (N3).
//! λ‖Ω‖² is over the parameters that the step touches.

use rayon::prelude::*;

use super::dropout::Dropout;
use super::learner::{Losses, contexts, method, objective};
use super::optimizer::{Optimizer, Piece};
use super::sample::Sample;
use crate::compute::memory::keep_buffers;
use crate::compute::rows::Gather;
use crate::config::{Config, RegularizationConfig};
use crate::joint::Joint;
use crate::model::entity::{Contexts, Encoder, RowPiece, RowTable};
use crate::model::masks::{Masks, Unmasked};
use crate::model::parameters::Parameters;
use crate::model::relation;
use crate::model::score::{Desk, Gradient, Objective, Questions};

/// LinkNBed while it learns.
#[derive(Debug)]
pub struct LinkNBed {
    /// What is learned.
    pub parameters: Parameters<f32>,
    /// What the optimizer remembers of each table, in the order of [`Parameters::tables`].
    pub optimizers: Vec<Optimizer<f32>>,
    /// Which contexts take part.
    pub contexts: Contexts,
    pub(super) objective: Objective,
    relation_types: Gather<f32>,
    encoder: Encoder<f32>,
    desk: Desk<f32>,
    gradients: Parameters<f32>,
    config: Config,
}

/// The places of W^E, W^R, and the θ of W^E among the tables.
const ENTITIES: usize = 0;
const RELATIONS: usize = 1;
const ENTITY_ATTENTION: usize = 10;

impl LinkNBed {
    /// A model before its first step.
    pub fn new(joint: &Joint, config: &Config, parameters: Parameters<f32>) -> Self {
        let optimizers = parameters.tables().map(|(_, table)| Optimizer::new(method(config), table.len()));
        let contexts = contexts(config);
        keep_buffers();
        Self {
            gradients: Parameters::zero_but_entities(parameters.sizes, &contexts),
            optimizers: optimizers.into(),
            parameters,
            contexts,
            objective: objective(config),
            relation_types: joint.relation_types.clone(),
            encoder: Encoder::default(),
            desk: Desk::default(),
            config: config.clone(),
        }
    }

    /// Learns from a sample; `step` is its number.
    ///
    /// If anything is no longer a number, nothing moves, and the layer where that shows first is the error.
    pub fn step(
        &mut self,
        joint: &Joint,
        sample: &Sample,
        rate: f64,
        step: u64,
    ) -> Result<Losses, &'static str> {
        self.encoder.forward(&sample.batch, joint, &self.parameters, self.contexts);
        let relations = relation::forward(&self.relation_types, &self.parameters, self.contexts);
        let (mut gradient, losses) = self.ask(sample, &relations.representations, step);
        if !losses.total().is_finite() {
            return Err(self.broken_layer(&relations.representations));
        }
        let types = &self.relation_types;
        let to_relations = &mut gradient.relations;
        relation::backward(
            types,
            &self.parameters,
            self.contexts,
            &relations,
            to_relations,
            &mut self.gradients,
        );
        self.move_entities(joint, sample, &mut gradient.entities, rate);
        self.desk.take_back(gradient.entities);
        self.move_the_rest(rate);
        Ok(losses)
    }

    /// The first layer that is not finite any more.
    fn broken_layer(&self, relations: &[f32]) -> &'static str {
        let is_broken = |numbers: &[f32]| !numbers.par_iter().all(|x| x.is_finite());
        if let Some((name, _)) = self.parameters.tables().into_iter().find(|(_, table)| is_broken(table)) {
            name
        } else if is_broken(&self.encoder.representations) {
            "the representations of entities"
        } else if is_broken(relations) {
            "the representations of relations"
        } else {
            "the scores"
        }
    }

    /// The loss of a sample, without learning from it.
    pub fn loss(&mut self, joint: &Joint, sample: &Sample) -> Losses {
        self.encoder.forward(&sample.batch, joint, &self.parameters, self.contexts);
        let relations = relation::forward(&self.relation_types, &self.parameters, self.contexts);
        let h = self.parameters.sizes.hidden;
        let z = &self.encoder.representations;
        let relations = &relations.representations;
        let gradient = sample.questions.ask(self.objective, z, relations, h, &Unmasked, &mut self.desk);
        losses_of(sample, &gradient)
    }

    /// Asks the questions, and everything else that is asked of representations.
    fn ask(&mut self, sample: &Sample, relations: &[f32], step: u64) -> (Gradient<f32>, Losses) {
        let h = self.parameters.sizes.hidden;
        let z = &self.encoder.representations;
        let questions = &sample.questions;
        let masks = QuestionMasks::new(&self.config, step, questions, h);
        let (objective, desk) = (self.objective, &mut self.desk);
        let mut gradient = match &masks {
            None => questions.ask(objective, z, relations, h, &Unmasked, desk),
            Some(masks) => questions.ask(objective, z, relations, h, masks, desk),
        };
        let mut losses = losses_of(sample, &gradient);
        losses.alignment = self.align(sample, &mut gradient.entities);
        losses.cubes = self.cube(sample, relations, &mut gradient);
        (gradient, losses)
    }

    /// ‖z_e − z_e'‖² for each pair of linked entities that the facts met.
    fn align(&self, sample: &Sample, gradient: &mut [f32]) -> f64 {
        let weight = self.config.linkage.alignment as f32;
        let (h, z) = (self.parameters.sizes.hidden, &self.encoder.representations);
        let mut loss = 0.0;
        for &(a, b) in &sample.pairs {
            for lane in 0..h {
                let (a, b) = (a as usize * h + lane, b as usize * h + lane);
                let apart = z[a] - z[b];
                loss += f64::from(weight * apart * apart);
                gradient[a] += 2.0 * weight * apart;
                gradient[b] -= 2.0 * weight * apart;
            }
        }
        loss
    }

    /// |z_s|³ + |z_r|³ + |z_o|³ for each fact.
    fn cube(&self, sample: &Sample, relations: &[f32], gradient: &mut Gradient<f32>) -> f64 {
        let weight = self.config.regularization.n3 as f32;
        if weight == 0.0 {
            return 0.0;
        }
        let h = self.parameters.sizes.hidden;
        let mut loss = 0.0;
        let mut add = |z: &[f32], gradient: &mut [f32], row: u32| {
            let own = row as usize * h..(row as usize + 1) * h;
            for (z, gradient) in z[own.clone()].iter().zip(&mut gradient[own]) {
                loss += f64::from(weight * z.abs().powi(3));
                *gradient += 3.0 * weight * z * z.abs();
            }
        };
        let z = &self.encoder.representations;
        for (question, &query) in sample.right_queries[..sample.relational].iter().enumerate() {
            let answer = sample.questions.answers[sample.questions.starts[question] as usize];
            add(z, &mut gradient.entities, answer);
            add(z, &mut gradient.entities, sample.questions.fixed[query as usize]);
            add(relations, &mut gradient.relations, sample.questions.relations[query as usize]);
        }
        loss
    }

    /// The way back to the entities: rows move as soon as their gradient is known.
    fn move_entities(&mut self, joint: &Joint, sample: &Sample, gradient: &mut [f32], rate: f64) {
        let mut table = std::mem::take(&mut self.parameters.entities);
        let mut attention = std::mem::take(&mut self.parameters.entity_attention);
        let [own, .., theta] = &mut self.optimizers[ENTITIES..=ENTITY_ATTENTION] else {
            unreachable!("there is an optimizer for each table")
        };
        let mut rows = EntityRows {
            table: &mut table,
            optimizer: own,
            attention: &mut attention,
            attention_optimizer: theta,
            width: self.parameters.sizes.entity,
            rate,
            decay: self.config.regularization.l2,
        };
        self.encoder.backward(
            &sample.batch,
            joint,
            &self.parameters,
            self.contexts,
            gradient,
            &mut self.gradients,
            &mut rows,
        );
        self.parameters.entities = table;
        self.parameters.entity_attention = attention;
    }

    /// Moves all other tables, which are small.
    fn move_the_rest(&mut self, rate: f64) {
        let RegularizationConfig { l2, relation_l2, .. } = self.config.regularization;
        let tables = self.parameters.tables_mut().into_iter().zip(self.gradients.tables_mut());
        for (at, (((_, table), (_, gradient)), optimizer)) in tables.zip(&mut self.optimizers).enumerate() {
            if at != ENTITIES && at != ENTITY_ATTENTION && !table.is_empty() {
                let decay = if at == RELATIONS { relation_l2 } else { l2 };
                optimizer.step_all(table, gradient, rate, decay);
                gradient.fill(0.0);
            }
        }
    }
}

fn losses_of(sample: &Sample, gradient: &Gradient<f32>) -> Losses {
    let (relational, linkage) = gradient.losses.split_at(sample.relational);
    Losses { relational: relational.iter().sum(), linkage: linkage.iter().sum(), ..Default::default() }
}

/// What is left out of a step: of an entity that asks and of a relation other numbers for every question, of an entity as an
/// answer the same for all. If all questions of a relation lacked the same numbers, a step would be about few of them.
struct QuestionMasks {
    of_entities: Option<Dropout>,
    of_relations: Option<Dropout>,
    question_of: Vec<u32>,
    width: usize,
}

impl QuestionMasks {
    fn new(config: &Config, step: u64, questions: &Questions, width: usize) -> Option<Self> {
        let RegularizationConfig { dropout, relation_dropout, .. } = config.regularization;
        let of_share = |share: f64| (share > 0.0).then(|| Dropout::new(config.seed, step, share));
        let (of_entities, of_relations) = (of_share(dropout), of_share(relation_dropout));
        (of_entities.is_some() || of_relations.is_some()).then(|| Self {
            of_entities,
            of_relations,
            question_of: questions.question_of(),
            width,
        })
    }
}

impl Masks<f32> for QuestionMasks {
    fn of_queries(&self, queries: &mut [f32]) {
        let group_of = |query: usize| u64::from(self.question_of[query]);
        for (dropout, table) in [(self.of_entities, Dropout::ASKING), (self.of_relations, Dropout::RELATIONS)]
        {
            if let Some(dropout) = dropout {
                dropout.apply_by(group_of, queries, self.width, table);
            }
        }
    }

    fn of_answers(&self, answers: &mut [f32]) {
        if let Some(dropout) = self.of_entities {
            dropout.apply(answers, self.width, Dropout::ENTITIES);
        }
    }

    fn masks_answers(&self) -> bool {
        self.of_entities.is_some()
    }
}

/// W^E and its θ, with their optimizers.
struct EntityRows<'a> {
    table: &'a mut [f32],
    optimizer: &'a mut Optimizer<f32>,
    attention: &'a mut [f32],
    attention_optimizer: &'a mut Optimizer<f32>,
    width: usize,
    rate: f64,
    decay: f64,
}

struct EntityPiece<'a> {
    rows: Piece<'a, f32>,
    attention: Option<Piece<'a, f32>>,
}

impl RowTable<f32> for EntityRows<'_> {
    type Piece<'a>
        = EntityPiece<'a>
    where
        Self: 'a;

    fn cut(&mut self, touched: &[u32], every: usize) -> Vec<EntityPiece<'_>> {
        let rows = self.optimizer.cut(self.table, self.width, touched, every, self.rate, self.decay);
        let mut attention = match self.attention.is_empty() {
            true => Vec::new(),
            false => self.attention_optimizer.cut(self.attention, 1, touched, every, self.rate, self.decay),
        }
        .into_iter();
        rows.into_iter().map(|rows| EntityPiece { rows, attention: attention.next() }).collect()
    }
}

impl RowPiece<f32> for EntityPiece<'_> {
    fn row(&self, row: u32) -> &[f32] {
        self.rows.row(row)
    }

    fn take(&mut self, row: u32, gradient: &[f32], attention: f32) {
        self.rows.step(row, gradient);
        if let Some(own) = &mut self.attention {
            own.step(row, &[attention]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(dropout: f64, relation_dropout: f64) -> (Vec<f32>, Vec<f32>) {
        let mut config = Config::preset("default").unwrap();
        (config.regularization.dropout, config.regularization.relation_dropout) = (dropout, relation_dropout);
        // Two queries of the first question, and one of the second.
        let questions = Questions {
            relations: vec![0; 3],
            fixed: vec![0; 3],
            query_starts: vec![0, 1, 2, 3],
            answers: vec![0; 3],
            starts: vec![0, 2, 3],
            weights: vec![1.0; 2],
            pools: Vec::new(),
        };
        let masks = QuestionMasks::new(&config, 5, &questions, 64).unwrap();
        let (mut queries, mut answers) = (vec![1.0; 3 * 64], vec![1.0; 3 * 64]);
        masks.of_queries(&mut queries);
        masks.of_answers(&mut answers);
        assert_eq!(masks.masks_answers(), answers != vec![1.0; 3 * 64]);
        (queries, answers)
    }

    #[test]
    fn queries_of_one_question_lack_the_same_numbers() {
        for (dropout, relation_dropout) in [(0.4, 0.3), (0.4, 0.0), (0.0, 0.3)] {
            let (queries, answers) = masked(dropout, relation_dropout);
            let rows: Vec<&[f32]> = queries.chunks_exact(64).collect();
            assert_eq!(rows[0], rows[1]);
            assert_ne!(rows[0], rows[2]);
            assert_ne!(rows[0], &answers[..64]);
        }
    }

    #[test]
    fn answers_keep_what_only_relations_lack() {
        assert_eq!(masked(0.0, 0.3).1, vec![1.0; 3 * 64]);
        let without = Config::preset("paper").unwrap();
        assert!(QuestionMasks::new(&without, 5, &Questions::default(), 64).is_none());
    }
}
