//! Which links does all evidence find, and what speaks for them?

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use linknbed::assess::assess_found;
use linknbed::dataset::{Dataset, PreparedGraph, PreparedLinks};
use linknbed::graph::{EntityId, Link, Part, is_name_key};
use linknbed::io::links::{FoundLink, LinkFormat, write_links};
use linknbed::link::{Found, Kind, LinkConfig, Pair, Reasons, TOGETHER, USUAL_LEAST, find};
use linknbed::predict::name_of;
use linknbed::report::LinkSection;
use serde_json::{Value, json};

use crate::bars::Bars;
use crate::output::{counted, grouped, one_line};

/// So many reasons are told of each link.
const REASONS: usize = 3;
/// Rivals that took less than this away, in nats, are not worth a word.
const FELT: f32 = 0.5;

/// The links between the two catalogues, as `linknbed link` finds them.
pub(super) struct Searched {
    found: Found,
    /// Known links with probability 1, and those that are likely; sorted.
    rows: Vec<(u32, u32, f64)>,
    file: PathBuf,
    /// How good they are.
    pub(super) section: LinkSection,
}

impl Searched {
    /// Finds the links and writes them down.
    pub(super) fn new(
        data: &Dataset,
        links: &PreparedLinks,
        seed: u64,
        out: &Path,
        bars: &Bars,
    ) -> anyhow::Result<Self> {
        let known = links.positives[Part::Train as usize].clone();
        let config = LinkConfig { seed, ..Default::default() };
        let found = find(&Pair::new(data, [links.first, links.second], known), &config, bars)?;
        let section = assess_found(data, links, &found, Part::Test, &config);
        let known = found.known.iter().map(|link| (link.first.0, link.second.0, 1.0));
        let new = found.links(USUAL_LEAST).into_iter();
        let mut rows: Vec<(u32, u32, f64)> =
            known.chain(new.map(|link| (link.first, link.second, f64::from(link.score)))).collect();
        rows.sort_by_key(|row| (row.0, row.1));
        let file = out.join("links.tsv");
        write(data, links, &rows, &file)?;
        Ok(Self { found, rows, file, section })
    }

    /// For scripts.
    pub(super) fn json(&self) -> Value {
        let LinkSection { precision, recall, f1, .. } = self.section;
        json!({"file": self.file, "known": self.found.known.len(), "new": self.new_links(),
               "precision": precision, "recall": recall, "f1": f1})
    }

    fn new_links(&self) -> usize {
        self.rows.len() - self.found.known.len()
    }

    /// What was found, and what became of some links.
    pub(super) fn text(&self, data: &Dataset, links: &PreparedLinks, some: &[Link]) -> String {
        let (all, new) = (counted(self.rows.len() as u64, "link"), grouped(self.new_links() as u64));
        let LinkSection { count, precision, recall, .. } = &self.section;
        let mut text = format!(
            "{all} are in {}, {new} of them new.\nOf the {} test links {recall:.3} are found, and {precision:.3} of what \
             is found for their entities is right.\n\n",
            self.file.display(),
            grouped(*count),
        );
        if !some.is_empty() {
            text.push_str("What became of the three above, and what moved them most, in nats:\n");
        }
        let written: HashSet<(u32, u32)> = self.rows.iter().map(|row| (row.0, row.1)).collect();
        let graphs = [links.first, links.second].map(|graph| &data.graphs[graph]);
        for link in some {
            let outcome = if written.contains(&(link.first.0, link.second.0)) { "found" } else { "missed" };
            let place = self.found.place(link.first.0, link.second.0);
            let probability = place.map_or(0.0, |at| self.found.probabilities[at]);
            let names = [shown(graphs[0], link.first), shown(graphs[1], link.second)].map(one_line);
            let told = place.map_or("no candidate".to_owned(), |at| {
                in_words(&self.found.reasons(at), &shared(graphs, *link))
            });
            text.push_str(&format!("\n  {probability:.3}  {outcome:<6}  {}\n", names.join(" = ")));
            text.push_str(&format!("                 {}\n", one_line(&told)));
        }
        text
    }
}

fn write(
    data: &Dataset,
    links: &PreparedLinks,
    rows: &[(u32, u32, f64)],
    file: &Path,
) -> Result<(), linknbed::Error> {
    let [a, b] = [links.first, links.second].map(|graph| &data.graphs[graph]);
    let link = |&(first, second, probability): &(u32, u32, f64)| FoundLink {
        graph_a: &a.name,
        entity_a: a.entities.get(first),
        graph_b: &b.name,
        entity_b: b.entities.get(second),
        probability,
        evidence: None,
    };
    write_links(file, LinkFormat::Tsv, &rows.iter().map(link).collect::<Vec<_>>())
}

fn shown(graph: &PreparedGraph, entity: EntityId) -> &str {
    name_of(graph, entity).unwrap_or_else(|| graph.entities.get(entity.0))
}

/// Short values, other than names, that both entities have.
fn shared(graphs: [&PreparedGraph; 2], link: Link) -> Vec<String> {
    let values = |graph: &PreparedGraph, entity| -> Vec<String> {
        let attributes = graph.attributes_of(entity).filter(|at| !is_name_key(graph.keys.get(at.key.0)));
        let texts = attributes.map(|attribute| graph.values.get(attribute.value.0).text.to_owned());
        texts.filter(|text| text.chars().count() < 24).collect()
    };
    let others = values(graphs[1], link.second);
    let mut same = values(graphs[0], link.first);
    same.retain(|value| others.contains(value));
    same.sort_unstable();
    same.dedup();
    same.truncate(2);
    same
}

/// The strongest reasons: what a kind of evidence says in all, and rivals if they are felt.
fn in_words(reasons: &Reasons, shared: &[String]) -> String {
    let of = |kind: Kind| {
        let parts = reasons.parts.iter().filter(|part| part.0 != TOGETHER);
        let own = parts.filter(|part| Kind::of_column(part.0) == kind);
        own.map(|part| part.1).sum::<f32>()
    };
    let mut told: Vec<(String, f32)> =
        Kind::ALL.into_iter().map(|kind| (words(kind, of(kind) > 0.0, shared), of(kind))).collect();
    let together = reasons.parts.iter().filter(|part| part.0 == TOGETHER).map(|part| part.1).sum();
    told.push(("all of it together".to_owned(), together));
    told.push(("rivals".to_owned(), if reasons.rivals < -FELT { reasons.rivals } else { 0.0 }));
    told.retain(|reason| reason.1 != 0.0);
    told.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    told.truncate(REASONS);
    told.iter().map(|(words, nats)| format!("{words} {nats:+.1}")).collect::<Vec<_>>().join("; ")
}

fn words(kind: Kind, speaks_for: bool, shared: &[String]) -> String {
    let words = match (kind, speaks_for) {
        (Kind::Names, true) => "names alike",
        (Kind::Names, false) => "names unlike",
        (Kind::Attributes, true) if !shared.is_empty() => return format!("both say {}", shared.join(", ")),
        (Kind::Attributes, true) => "attributes agree",
        (Kind::Attributes, false) => "attributes disagree",
        (Kind::Types, true) => "types that go together",
        (Kind::Types, false) => "types that do not",
        (Kind::Structure, true) => "the same neighbours",
        (Kind::Structure, false) => "other neighbours",
        (Kind::Model, true) => "alike to the model",
        (Kind::Model, false) => "unlike to the model",
        (Kind::Graphs, true) => "linked by way of a third graph",
        (Kind::Graphs, false) => "linked apart by a third graph",
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_reasons_are_told_in_words() {
        let parts = vec![
            ("name: letters", -1.0),
            ("name: the same", 3.0),
            ("values: agree", 2.5),
            ("types", -0.25),
            ("neighbours: agree", 1.5),
            ("structure margin", 2.0),
        ];
        let mut reasons =
            Reasons { parts, against: -4.0, rivals: -0.25, slope: 1.0, shift: 0.0, probability: 0.9 };
        let said = in_words(&reasons, &["1987".to_owned(), "Drama".to_owned()]);
        assert_eq!(said, "the same neighbours +3.5; both say 1987, Drama +2.5; names alike +2.0");
        reasons.rivals = -5.0;
        reasons.parts = vec![("values: disagree", -2.0), ("name: letters", -0.5), ("types", 1.0)];
        let said = in_words(&reasons, &[]);
        assert_eq!(said, "rivals -5.0; attributes disagree -2.0; types that go together +1.0");
    }
}
