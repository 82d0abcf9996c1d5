//! How well are links found by all evidence?

use crate::dataset::{Dataset, PreparedLinks};
use crate::error::{Error, Result};
use crate::graph::Part;
use crate::link::{Found, Kind, LearnedOf, LinkConfig, Pair, find_all};
use crate::progress::Progress;
use crate::report::{LinkSection, Proposed, Report};

use super::found::examples;
use super::links::filled;
use super::summary;

/// Finds the links of a prepared folder by its training links, and judges them on a part.
pub fn assess_data(
    data: &Dataset,
    part: Part,
    config: &LinkConfig,
    progress: &dyn Progress,
) -> Result<Report> {
    let config = &config.clone().without(Kind::Model);
    let report = Report {
        title: summary::title(data),
        about: format!("Links found by {}, judged on the {} part.", words(data, config), part.name()),
        on: Some(part),
        data: Some(summary::data(&data.manifest)),
        links: sections(data, part, config, &|_| None, progress)?,
        ..Default::default()
    };
    if report.links.is_empty() {
        let message = format!("has no links to judge in its {} part", part.name());
        return Err(Error::folder(&data.path, message));
    }
    Ok(report)
}

/// Finds the links of all graphs, and judges those that have links in a part.
pub(super) fn sections(
    data: &Dataset,
    part: Part,
    config: &LinkConfig,
    learned: LearnedOf<'_, '_>,
    progress: &dyn Progress,
) -> Result<Vec<(String, LinkSection)>> {
    let judged = |links: &&PreparedLinks| !links.positives[part as usize].is_empty();
    if !data.links.iter().any(|links| judged(&links)) {
        return Ok(Vec::new());
    }
    let pairs = Pair::all(data, &[Part::Train]);
    let found = find_all(&pairs, config, learned, progress)?;
    let section = |links: &PreparedLinks| {
        let at = pairs.iter().position(|pair| [pair.first, pair.second] == [links.first, links.second])?;
        let section = assess_found(data, links, &found[at], part, config);
        Some((section.graphs.join("-"), section))
    };
    Ok(data.links.iter().filter(judged).filter_map(section).collect())
}

/// The kinds of evidence that there are.
fn words(data: &Dataset, config: &LinkConfig) -> String {
    let is_there = |kind: &&Kind| **kind != Kind::Graphs || data.graphs.len() > 2;
    config.kinds.iter().filter(is_there).map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
}

/// Judges links that were found between two graphs on a part, which they were not learned from.
pub fn assess_found(
    data: &Dataset,
    links: &PreparedLinks,
    found: &Found,
    part: Part,
    config: &LinkConfig,
) -> LinkSection {
    let names = [links.first, links.second].map(|graph| data.graphs[graph].name.clone());
    let seconds = data.graphs[links.second].entities.len();
    let figures = found.figures(links, part, seconds);
    let protocol = format!(
        "Entities are compared by {}, learning from the {} training links of the two graphs. The places of partners \
         are among all entities of the second graph that have no known link, or among the partners of this part only (labelled), which is easier; \
         who was no candidate stands behind all candidates. The area under the precision-recall curve is about each known \
         link with the negative labels of its first entity (Appendix B.1). Precision and recall are of the links that would \
         be written down, at a probability of at least one half and one for each entity, as far as they are about an \
         entity of this part.",
        words(data, config),
        found.known.len(),
    );
    let (right, wrong) = examples(data, links, found, part);
    let gold = &links.positives[part as usize];
    let proposed = Proposed { pairs: found.candidates.len() as u64, recall: found.candidate_recall(gold) };
    let section =
        LinkSection { right, wrong, proposed: Some(proposed), ..LinkSection::new(names, part, protocol) };
    filled(section, &figures, seconds)
}
