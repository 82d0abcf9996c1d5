//! What can a report say?
//!
//! Plain data, without a model or a graph behind it. It is written as it stands to `report.json`; where
//! `linknbed inspect --json` and `linknbed eval --json` have a key for something, it has that key here too.

use serde::{Serialize, Serializer};

use super::reasons::{Reasons, Standing};
use crate::graph::Part;

/// Counts of what was learned from, and judged on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DataSummary {
    /// Each graph by its name.
    #[serde(serialize_with = "as_map")]
    pub graphs: Vec<(String, GraphSummary)>,
    /// The known links of each pair of graphs, named `A-B`.
    #[serde(serialize_with = "as_map")]
    pub links: Vec<(String, Parts)>,
}

/// How large one graph is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct GraphSummary {
    /// Entities.
    pub entities: u64,
    /// Relations.
    pub relations: u64,
    /// Facts between entities.
    pub triples: u64,
    /// The same facts, by part.
    pub splits: Parts,
    /// (entity, key, value), names among them.
    pub attributes: u64,
    /// Distinct keys of attributes.
    pub attribute_keys: u64,
    /// Distinct types.
    pub types: u64,
    /// Entities that have a type.
    pub typed_entities: u64,
}

/// A count for each part of the data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Learned from.
    pub train: u64,
    /// Used to choose between models.
    pub valid: u64,
    /// Used once, at the end.
    pub test: u64,
}

/// How a model was learned.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunSummary {
    /// The preset the settings began with.
    pub preset: String,
    /// The seed of all that is drawn.
    pub seed: u64,
    /// How often every fact was seen.
    pub epochs: f64,
    /// Steps of the optimizer.
    pub steps: u64,
    /// Numbers that were learned.
    pub parameters: u64,
    /// How long it took, where known.
    pub seconds: Option<f64>,
    /// The version of the program.
    pub program: String,
    /// Settings worth showing, `key` and `value`.
    #[serde(serialize_with = "as_map")]
    pub settings: Vec<(String, String)>,
}

/// How learning went.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Curves {
    /// The loss, from the first step to the last.
    pub steps: Vec<LossPoint>,
    /// The validations between.
    pub validations: Vec<ValidationPoint>,
}

/// The loss at one time.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LossPoint {
    /// Steps so far.
    pub step: u64,
    /// How often every fact was seen so far.
    pub epoch: f64,
    /// For each fact on average: `total` and its parts.
    #[serde(serialize_with = "as_map")]
    pub loss: Vec<(String, f64)>,
}

/// One validation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ValidationPoint {
    /// Steps so far.
    pub step: u64,
    /// How often every fact was seen so far.
    pub epoch: f64,
    /// The figures of each graph.
    #[serde(rename = "validation", serialize_with = "as_map")]
    pub graphs: Vec<(String, RankFigures)>,
    /// Whether this is the model that was kept.
    pub best: bool,
}

/// What many ranks amount to, with a tie in the middle of its places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RankFigures {
    /// How many ranks there are.
    pub count: u64,
    /// The mean of 1/rank.
    pub mrr: f64,
    /// The mean rank.
    pub mr: f64,
    /// The share of first places.
    #[serde(rename = "hits@1")]
    pub hits_1: f64,
    /// The share of ranks up to 3.
    #[serde(rename = "hits@3")]
    pub hits_3: f64,
    /// The share of ranks up to 10.
    #[serde(rename = "hits@10")]
    pub hits_10: f64,
    /// What ties could do to these figures at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ties: Option<Ties>,
}

/// The mean of 1/rank if the right answer came first, or last, among its equals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Ties {
    /// First among its equals.
    pub best: f64,
    /// Last among its equals.
    pub worst: f64,
}

/// The figures of three ways to ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Sides {
    /// All questions together.
    #[serde(flatten)]
    pub both: RankFigures,
    /// The object is asked for: the paper's protocol.
    pub tail: RankFigures,
    /// The subject is asked for.
    pub head: RankFigures,
}

/// How well the facts of one graph are foretold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TripleSection {
    /// The part of the data.
    #[serde(serialize_with = "by_name")]
    pub split: Part,
    /// How it was measured, in a sentence.
    pub protocol: String,
    /// Facts of this part.
    pub facts: u64,
    /// Entities that stand for choice.
    pub candidates: u64,
    /// Facts with an entity that is in no training fact; they are ranked too.
    pub unseen: u64,
    /// Other known answers left out.
    #[serde(flatten)]
    pub filtered: Sides,
    /// No answer left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Sides>,
    /// Relations by how many objects a subject has, and the other way round.
    pub categories: Vec<Category>,
    /// The relations that are foretold best, best first.
    pub best_relations: Vec<RelationFigures>,
    /// The relations that are foretold worst, worst first.
    pub worst_relations: Vec<RelationFigures>,
    /// How many ranks lie where.
    pub ranks: Vec<RankBin>,
}

impl TripleSection {
    /// A section about a part, with nothing measured yet.
    pub fn new(split: Part, protocol: impl Into<String>) -> Self {
        Self {
            split,
            protocol: protocol.into(),
            facts: 0,
            candidates: 0,
            unseen: 0,
            filtered: Sides::default(),
            raw: None,
            categories: Vec::new(),
            best_relations: Vec::new(),
            worst_relations: Vec::new(),
            ranks: Vec::new(),
        }
    }
}

/// The figures of relations of one category.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Category {
    /// `1-1`, `1-N`, `N-1` or `N-N`.
    pub name: String,
    /// How many relations are of it.
    pub relations: u64,
    /// Their figures.
    #[serde(flatten)]
    pub sides: Sides,
}

/// The figures of one relation, both sides together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RelationFigures {
    /// Its name.
    pub name: String,
    /// How many questions were asked.
    pub count: u64,
    /// The mean of 1/rank.
    pub mrr: f64,
}

/// Some neighbouring ranks. A rank between two bins, as ties make them, counts in the lower one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RankBin {
    /// The first rank.
    pub from: u64,
    /// The last rank.
    pub to: u64,
    /// How many right answers stand there.
    pub count: u64,
}

/// How well the entities of two graphs are linked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkSection {
    /// The two graphs.
    pub graphs: [String; 2],
    /// The part of the data.
    #[serde(serialize_with = "by_name")]
    pub split: Part,
    /// How it was measured, in a sentence.
    pub protocol: String,
    /// Known links of this part.
    pub count: u64,
    /// Entities that stand for choice.
    pub candidates: u64,
    /// The pairs that were compared, where not all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Proposed>,
    /// The area under the precision-recall curve, over labelled pairs.
    pub auprc: f64,
    /// The rank of the partner among all candidates.
    #[serde(flatten)]
    pub all: PartnerFigures,
    /// The rank of the partner among the partners of this part only: easier, and what most tables show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labelled: Option<PartnerFigures>,
    /// The share of decoded links that are right.
    pub precision: f64,
    /// The share of known links that were decoded.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// The precision-recall curve.
    pub curve: Vec<CurvePoint>,
    /// Linked entities as points of a plane.
    pub map: Vec<MapPoint>,
    /// Links that are right.
    pub right: Vec<LinkExample>,
    /// Links that are wrong, or that were not found.
    pub wrong: Vec<LinkExample>,
}

impl LinkSection {
    /// A section about a part, with nothing measured yet.
    pub fn new(graphs: [String; 2], split: Part, protocol: impl Into<String>) -> Self {
        Self {
            graphs,
            split,
            protocol: protocol.into(),
            count: 0,
            candidates: 0,
            proposed: None,
            auprc: f64::NAN,
            all: PartnerFigures::default(),
            labelled: None,
            precision: f64::NAN,
            recall: f64::NAN,
            f1: f64::NAN,
            curve: Vec::new(),
            map: Vec::new(),
            right: Vec::new(),
            wrong: Vec::new(),
        }
    }
}

/// Pairs that were compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Proposed {
    /// How many.
    pub pairs: u64,
    /// The share of the part's links that are among them: no more can be found.
    pub recall: f64,
}

/// Where the true partners stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct PartnerFigures {
    /// The share of first places.
    #[serde(rename = "hits@1")]
    pub hits_1: f64,
    /// The share of ranks up to 10.
    #[serde(rename = "hits@10")]
    pub hits_10: f64,
    /// The mean of 1/rank.
    pub mrr: f64,
}

/// What is right and what is found, if pairs count as links from some score on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CurvePoint {
    /// The share of links that are found.
    pub recall: f64,
    /// The share of what is found that is right.
    pub precision: f64,
}

/// An entity on the map; [`super::plane`] places it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MapPoint {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
    /// 0 for an entity of the first graph, 1 for one of the second.
    pub graph: usize,
    /// Partners have the same number.
    pub pair: u32,
    /// Its name, shown when it is pointed at.
    pub name: String,
}

/// What became of a pair of entities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// A link, and found.
    #[default]
    Found,
    /// A link, but not found.
    Missed,
    /// No link, but taken for one.
    Mistaken,
}

/// Two entities side by side.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinkExample {
    /// What became of them.
    pub outcome: Outcome,
    /// How probable a link is, to the model.
    pub probability: f64,
    /// The entity of the first graph.
    pub first: Described,
    /// The entity of the second graph.
    pub second: Described,
    /// How many neighbours of one are linked with neighbours of the other, where known.
    pub shared_neighbours: Option<u64>,
    /// Why this may be hard, in a sentence or two; [`LinkSection::explain`] fills it.
    pub why: String,
    /// What moved the probability, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Reasons>,
    /// Where the true partner of the first entity stands, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
}

/// An entity as its graph tells it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Described {
    /// Its name, or its id if it has none.
    pub name: String,
    /// Facts whose subject it is.
    pub as_subject: u64,
    /// Facts whose object it is.
    pub as_object: u64,
    /// Its types.
    pub types: Vec<String>,
    /// Its attributes, key and value.
    pub attributes: Vec<(String, String)>,
}

impl Described {
    /// Facts that mention it.
    pub fn facts(&self) -> u64 {
        self.as_subject.saturating_add(self.as_object)
    }
}

/// Pairs as a map, in their own order.
pub(super) fn as_map<V: Serialize, S: Serializer>(
    pairs: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

fn by_name<S: Serializer>(part: &Part, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(part.name())
}
