//! How is it told how well linked entities are found?

use std::collections::HashMap;

use super::Assessment;
use crate::dataset::{Dataset, PreparedGraph, PreparedLinks};
use crate::eval::linkage::{LabelledPairs, LinkFigures, Linkage, Ranks, Representations, Scorer};
use crate::graph::{EntityId, Link, Part};
use crate::joint::Joint;
use crate::model::entity::Surroundings;
use crate::predict::name_of;
use crate::report::{
    CurvePoint, Described, LinkExample, LinkSection, MapPoint, Outcome, PartnerFigures, plane,
};

/// So many right and so many wrong links are shown side by side.
const EXAMPLES: usize = 20;
/// So many links are on the map.
const ON_THE_MAP: usize = 300;

pub(super) fn section(
    data: &Dataset,
    links: &PreparedLinks,
    representations: &Representations<'_>,
    asked: &Assessment,
    scorer: Scorer,
) -> LinkSection {
    let linkage = Linkage::new(representations, links, scorer, asked.options);
    let figures = linkage.figures(asked.part);
    let graphs = [links.first, links.second].map(|graph| data.graphs[graph].name.clone());
    let (right, wrong) = examples(data, links, representations.model.joint, &linkage, &figures, asked.part);
    let empty = LinkSection::new(graphs, asked.part, protocol(scorer));
    let mut section = LinkSection {
        map: map(data, links, representations, asked.part),
        right,
        wrong,
        ..filled(empty, &figures, representations.count(1))
    };
    section.explain();
    section
}

/// A section with what was measured among so many candidates.
pub(super) fn filled(section: LinkSection, figures: &LinkFigures, candidates: usize) -> LinkSection {
    LinkSection {
        count: figures.count as u64,
        candidates: candidates as u64,
        auprc: figures.auprc,
        all: partners(&figures.among_all),
        labelled: Some(partners(&figures.among_labelled)),
        precision: figures.precision,
        recall: figures.recall,
        f1: figures.f1,
        curve: figures
            .curve
            .iter()
            .map(|point| CurvePoint { recall: point.recall, precision: point.precision })
            .collect(),
        ..section
    }
}

fn protocol(scorer: Scorer) -> String {
    let how = match scorer {
        Scorer::Replacement(_) => {
            "how little the scores of their facts change when one takes the place of the other (Algorithm 2)"
        }
        Scorer::Cosine => "the cosine of their representations",
        Scorer::SecondStage(_) => "a network that learned from the training links (the second stage)",
    };
    format!(
        "Entities are compared by {how}. The area under the precision-recall curve, and the links that are written down, \
         are about each known link with the negative labels of its first entity (Appendix B.1); the threshold was \
         chosen on another part. The places of partners are among all entities of the second graph, or among the \
         partners of this part only (labelled), which is easier."
    )
}

fn partners(ranks: &Ranks) -> PartnerFigures {
    PartnerFigures { hits_1: ranks.hits1, hits_10: ranks.hits10, mrr: ranks.mrr }
}

/// Links of the part as points, evenly chosen.
fn map(
    data: &Dataset,
    links: &PreparedLinks,
    representations: &Representations<'_>,
    part: Part,
) -> Vec<MapPoint> {
    let pairs = &links.positives[part as usize];
    let step = pairs.len().div_ceil(ON_THE_MAP).max(1);
    let chosen: Vec<Link> = pairs.iter().step_by(step).copied().collect();
    let mut vectors = Vec::new();
    for link in &chosen {
        vectors.extend_from_slice(representations.entity(0, link.first.0));
        vectors.extend_from_slice(representations.entity(1, link.second.0));
    }
    let points = plane(&vectors, representations.width());
    let ends = chosen.iter().enumerate().flat_map(|(pair, link)| {
        let name = |graph: usize, entity| shown(&data.graphs[graph], entity);
        [(pair, 0, name(links.first, link.first)), (pair, 1, name(links.second, link.second))]
    });
    points
        .into_iter()
        .zip(ends)
        .map(|((x, y), (pair, graph, name))| MapPoint { x, y, graph, pair: pair as u32, name })
        .collect()
}

/// Links that were found, and what went wrong: the surest mistakes first.
fn examples(
    data: &Dataset,
    links: &PreparedLinks,
    joint: &Joint,
    linkage: &Linkage<'_>,
    figures: &LinkFigures,
    part: Part,
) -> (Vec<LinkExample>, Vec<LinkExample>) {
    let LabelledPairs { pairs, labels } = LabelledPairs::new(links, part);
    let scores = linkage.scores(&pairs);
    let threshold = figures.threshold.unwrap_or(f64::NEG_INFINITY);
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    let mut first = 0;
    for candidates in pairs.chunk_by(|a, b| a.first == b.first) {
        let own = first..first + candidates.len();
        first = own.end;
        let Some(true_one) = own.clone().find(|&at| labels[at]) else { continue };
        let best = own.clone().max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)));
        let best = best.unwrap_or(true_one);
        let (at, outcome) = match (scores[best] >= threshold, best == true_one) {
            (true, true) => (true_one, Outcome::Found),
            (true, false) => (best, Outcome::Mistaken),
            (false, _) => (true_one, Outcome::Missed),
        };
        let of_outcome = if outcome == Outcome::Found { &mut right } else { &mut wrong };
        of_outcome.push((pairs[at], scores[at], outcome));
    }
    let step = right.len().div_ceil(EXAMPLES).max(1);
    let right: Vec<_> = right.into_iter().step_by(step).collect();
    wrong.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    wrong.truncate(EXAMPLES);
    let describer = Describer::new(data, links, joint);
    let show = |all: Vec<(Link, f64, Outcome)>| all.into_iter().map(|of| describer.example(of)).collect();
    (show(right), show(wrong))
}

/// Tells entities as their graphs do.
struct Describer<'a> {
    graphs: [&'a PreparedGraph; 2],
    numbers: [usize; 2],
    joint: &'a Joint,
    /// How many training facts each entity is the object of.
    objects: [Vec<u32>; 2],
    partners: HashMap<u32, u32>,
}

impl<'a> Describer<'a> {
    fn new(data: &'a Dataset, links: &PreparedLinks, joint: &'a Joint) -> Self {
        let numbers = [links.first, links.second];
        let graphs = numbers.map(|graph| &data.graphs[graph]);
        let objects = graphs.map(|graph| {
            let mut counts = vec![0; graph.entities.len()];
            graph.facts[0].objects.iter().for_each(|&object| counts[object as usize] += 1);
            counts
        });
        let known = links.positives[Part::Train as usize].iter();
        let partners = known.map(|link| (link.first.0, link.second.0)).collect();
        Self { graphs, numbers, joint, objects, partners }
    }

    fn example(&self, (link, probability, outcome): (Link, f64, Outcome)) -> LinkExample {
        LinkExample {
            outcome,
            probability,
            first: self.described(0, link.first),
            second: self.described(1, link.second),
            shared_neighbours: Some(self.shared_neighbours(link)),
            why: String::new(),
        }
    }

    fn described(&self, side: usize, entity: EntityId) -> Described {
        let graph = self.graphs[side];
        let attributes = graph.attributes_of(entity).map(|attribute| {
            let value = graph.values.get(attribute.value.0).text.to_owned();
            (graph.keys.get(attribute.key.0).to_owned(), value)
        });
        Described {
            name: shown(graph, entity),
            as_subject: self.joint.graphs[self.numbers[side]].facts_of(entity.0).len() as u64,
            as_object: self.objects[side][entity.row()].into(),
            types: graph.types_of(entity).map(|class| graph.types.get(class.0).to_owned()).collect(),
            attributes: attributes.collect(),
        }
    }

    /// How many neighbours of one are linked, in training, with neighbours of the other.
    fn shared_neighbours(&self, link: Link) -> u64 {
        let [first, second] = self.numbers.map(|graph| self.joint.graphs[graph].first);
        let others = self.joint.neighbours(second + link.second.0);
        let near = self.joint.neighbours(first + link.first.0);
        let is_shared = |id: &u32| {
            self.partners.get(&(id - first)).is_some_and(|&partner| others.contains(second + partner))
        };
        near.iter().filter(is_shared).count() as u64
    }
}

/// A name, or the id where there is none.
fn shown(graph: &PreparedGraph, entity: EntityId) -> String {
    name_of(graph, entity).unwrap_or_else(|| graph.entities.get(entity.0)).to_owned()
}
