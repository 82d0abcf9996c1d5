//! How is it told how well linked entities are found?

use super::Assessment;
use super::describe::{Describer, shown};
use crate::dataset::{Dataset, PreparedLinks};
use crate::eval::linkage::{LabelledPairs, LinkFigures, Linkage, Ranks, Representations, Scorer};
use crate::graph::{Link, Part};
use crate::joint::Joint;
use crate::report::{CurvePoint, LinkExample, LinkSection, MapPoint, Outcome, PartnerFigures, plane};

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
    let neighbourhoods = [links.first, links.second].map(|graph| &joint.graphs[graph].neighbourhoods);
    let describer = Describer::new(data, links, neighbourhoods);
    let show = |all: Vec<(Link, f64, Outcome)>| -> Vec<LinkExample> {
        all.into_iter().map(|(link, score, outcome)| describer.example(link, score, outcome)).collect()
    };
    (show(right), show(wrong))
}
