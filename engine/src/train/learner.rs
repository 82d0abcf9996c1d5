//! Which model learns, and what is said of all of them?

use super::baseline::Baseline;
use super::linknbed::LinkNBed;
use super::optimizer::{Method, Optimizer};
use super::sample::Sample;
use crate::config::{self, Config, LeaveOut, ModelKind, Norm};
use crate::eval::{Ranker, Ranks, VectorRanker};
use crate::joint::Joint;
use crate::model::activation::Activation;
use crate::model::aggregate::Aggregator;
use crate::model::baseline::Kind;
use crate::model::entity::Contexts;
use crate::model::loss::Loss;
use crate::model::measure::{Measure, Precision};
use crate::model::parameters::{Parameters, Sizes};
use crate::model::score::{Average, Objective};

/// The model while it learns.
#[derive(Debug)]
pub enum Learner {
    /// The paper's.
    LinkNBed(Box<LinkNBed>),
    /// One that it is compared with.
    Baseline(Box<Baseline>),
}

impl Learner {
    /// A model before its first step.
    pub fn new(joint: &Joint, config: &Config, parameters: Parameters<f32>) -> Self {
        match baseline(config) {
            None => Self::LinkNBed(Box::new(LinkNBed::new(joint, config, parameters))),
            Some(kind) => Self::Baseline(Box::new(Baseline::new(kind, joint, config, parameters))),
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
        match self {
            Self::LinkNBed(own) => own.step(joint, sample, rate, step),
            Self::Baseline(own) => own.step(sample, rate, step),
        }
    }

    /// What is learned.
    pub fn parameters(&self) -> &Parameters<f32> {
        match self {
            Self::LinkNBed(own) => &own.parameters,
            Self::Baseline(own) => &own.parameters,
        }
    }

    /// What the optimizer remembers of each table, in the order of [`Parameters::tables`].
    pub fn optimizers(&self) -> &[Optimizer<f32>] {
        match self {
            Self::LinkNBed(own) => &own.optimizers,
            Self::Baseline(own) => &own.optimizers,
        }
    }

    /// Both, to change.
    pub fn state_mut(&mut self) -> (&mut Parameters<f32>, &mut [Optimizer<f32>]) {
        match self {
            Self::LinkNBed(own) => (&mut own.parameters, &mut own.optimizers),
            Self::Baseline(own) => (&mut own.parameters, &mut own.optimizers),
        }
    }
}

/// What ranks facts with parameters that were learned.
pub fn ranker<'a>(joint: &'a Joint, parameters: &'a Parameters<f32>, config: &Config) -> Box<dyn Ranks + 'a> {
    match baseline(config) {
        None => {
            let leave_out = config.contexts.leave_partner_out != LeaveOut::Never;
            Box::new(Ranker::new(joint, parameters, contexts(config), leave_out))
        }
        Some(kind) => Box::new(VectorRanker::new(joint, parameters, kind)),
    }
}

/// Parameters that are all zero.
pub fn zero_parameters(joint: &Joint, config: &Config) -> Parameters<f32> {
    match baseline(config) {
        None => Parameters::zero(sizes(joint, config), &contexts(config)),
        Some(_) => Parameters::vectors(sizes(joint, config)),
    }
}

/// The model that a config asks for, if it is not LinkNBed.
pub fn baseline(config: &Config) -> Option<Kind> {
    let measure = match config.model.norm {
        Norm::L1 => Measure::L1,
        Norm::L2 => Measure::L2,
    };
    Some(match config.model.kind {
        ModelKind::LinkNBed => return None,
        ModelKind::Rescal => Kind::Rescal,
        ModelKind::DistMult => Kind::DistMult,
        ModelKind::ComplEx => Kind::ComplEx,
        ModelKind::TransE => Kind::TransE(measure),
        ModelKind::RotatE => Kind::RotatE,
        ModelKind::STransE => Kind::STransE(measure),
        ModelKind::Gake => Kind::Gake,
    })
}

/// How gradients become steps.
pub(super) fn method(config: &Config) -> Method {
    match config.optimizer.method {
        config::Method::Adam => Method::ADAM,
        config::Method::Adagrad => Method::ADAGRAD,
    }
}

/// The parts of the loss of a step, added over its facts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Losses {
    /// b·L_rel.
    pub relational: f64,
    /// (1 − b)·L_lab.
    pub linkage: f64,
    /// The distance of linked entities.
    pub alignment: f64,
    /// N3.
    pub cubes: f64,
}

impl Losses {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.relational + self.linkage + self.alignment + self.cubes
    }
}

/// How many there are of everything, in the words of the model.
pub fn sizes(joint: &Joint, config: &Config) -> Sizes {
    let model = &config.model;
    if let Some(kind) = baseline(config) {
        let both = if model.reciprocal { 2 } else { 1 };
        return Sizes {
            entities: joint.entities(),
            relations: both * joint.relations.len(),
            types: 0,
            keys: 0,
            features: 0,
            entity: kind.entity_width(model.entity),
            relation: kind.relation_width(model.entity),
            class: 1,
            attribute: 1,
            hidden: kind.entity_width(model.entity),
        };
    }
    Sizes {
        entities: joint.entities(),
        relations: joint.relations.len(),
        types: joint.types.len(),
        keys: joint.keys.len(),
        features: model.features,
        entity: model.entity,
        relation: model.relation,
        class: model.class,
        attribute: model.attribute,
        hidden: model.hidden,
    }
}

/// The contexts that a config asks for.
pub fn contexts(config: &Config) -> Contexts {
    let aggregator = |aggregation: config::Aggregation| match aggregation {
        config::Aggregation::Off => None,
        config::Aggregation::Mean => Some(Aggregator::Mean),
        config::Aggregation::Max => Some(Aggregator::Max),
        config::Aggregation::Pooling => Some(Aggregator::Pooling),
        config::Aggregation::Lstm => Some(Aggregator::Lstm),
    };
    Contexts {
        own: config.contexts.own,
        neighbourhood: aggregator(config.contexts.neighbourhood),
        attributes: aggregator(config.contexts.attributes),
        types: aggregator(config.contexts.types),
        attention: config.contexts.attention,
        rectified: config.model.vectors == config::Vectors::Relu,
        activation: match config.model.activation {
            config::Activation::Tanh => Activation::Tanh,
            config::Activation::Relu => Activation::Relu,
            config::Activation::Identity => Activation::Identity,
        },
    }
}

pub(super) fn objective(config: &Config) -> Objective {
    Objective {
        loss: match config.loss.kind {
            config::LossKind::Margin => Loss::Margin(config.loss.margin),
            config::LossKind::Softmax => Loss::Softmax(config.loss.smoothing),
            config::LossKind::Logistic => Loss::Logistic,
        },
        score: match config.model.score {
            config::Score::Sigmoid => Activation::Sigmoid,
            config::Score::Identity => Activation::Identity,
        },
        average: match config.loss.average {
            config::Average::Sum => Average::Sum,
            config::Average::Mean => Average::Mean,
        },
        thin: config.loss.thin,
        precision: match config.loss.precision {
            config::Precision::Single => Precision::Single,
            config::Precision::Half => Precision::Half,
        },
    }
}
