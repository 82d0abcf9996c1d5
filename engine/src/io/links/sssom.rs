//! How are SSSOM mapping files read and written?
//!
//! A table with a header, behind comment lines that may say what the prefixes of its identifiers stand for. Rows that
//! map by identity (`owl:sameAs`, `skos:exactMatch`) are links; with the modifier `Not` they are known non-links. The
//! confidence is the probability. What is written here names the graphs as sources, and ids that are no IRIs as
//! [`terms`](crate::io::terms) does.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::table::probability_of;
use super::{CERTAIN, FoundLink, Identity, Written};
use crate::error::{Error, Place, Result};
use crate::io::problems::Problems;
use crate::io::terms::{graph_iri, graph_of_iri, iri_of, name_of_iri, push};

/// Whether the first line that is no comment is an SSSOM header.
pub(super) fn is_sssom(text: &str) -> bool {
    let header = text.lines().find(|line| !line.starts_with('#')).unwrap_or_default();
    let has = |column: &str| header.split('\t').any(|cell| cell == column);
    has("subject_id") && has("object_id")
}

/// Reads the rows that state or deny identity; counts the others.
pub(super) fn read(text: &str, path: &Path, problems: &mut Problems) -> Result<(Vec<Written>, u64)> {
    let prefixes = prefixes(text);
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
    let column = |name: &str| header.iter().position(|cell| *cell == name);
    let (Some(subject), Some(object)) = (column("subject_id"), column("object_id")) else {
        return Err(Error::input(Place::line(path, 1), "an SSSOM file needs subject_id and object_id"));
    };
    let (predicate, modifier) = (column("predicate_id"), column("predicate_modifier"));
    let sources = column("subject_source").zip(column("object_source"));
    let confidence = column("confidence");
    let (mut links, mut others) = (Vec::new(), 0);
    for (number, line) in lines {
        let line_number = number as u64 + 1;
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() != header.len() {
            let message =
                format!("expected {} columns as in the header, found {}", header.len(), cells.len());
            problems.add(Place::line(path, line_number), message)?;
            continue;
        }
        if !predicate.is_none_or(|at| is_identity(cells[at])) {
            others += 1;
            continue;
        }
        let graph = |at: usize| graph_of_iri(&expand(cells[at], &prefixes));
        let name = |at: usize| name_of_iri(&expand(cells[at], &prefixes)).into_owned();
        // A mapping need not say how sure it is.
        let sure = confidence.map(|at| cells[at]).filter(|cell| !cell.is_empty());
        match sure.map_or(Ok(CERTAIN), probability_of) {
            Ok(probability) => links.push(Written {
                line: Some(line_number),
                first: name(subject),
                second: name(object),
                same: !modifier.is_some_and(|at| cells[at].eq_ignore_ascii_case("not")),
                graphs: sources.and_then(|(first, second)| Some([graph(first)?, graph(second)?])),
                probability,
            }),
            Err(message) => problems.add(Place::line(path, line_number), message)?,
        }
    }
    Ok((links, others))
}

fn is_identity(predicate: &str) -> bool {
    let local = predicate.rsplit(['#', ':', '/']).next().unwrap_or_default();
    matches!(local, "sameAs" | "exactMatch")
}

/// The `curie_map` of the comment lines: `#  PREFIX: https://…`.
fn prefixes(text: &str) -> HashMap<String, String> {
    let mut prefixes = HashMap::new();
    let mut inside = false;
    for line in text.lines().take_while(|line| line.starts_with('#')) {
        let line = line.trim_start_matches('#');
        if line.trim_end() == "curie_map:" || line.trim() == "curie_map:" {
            inside = true;
        } else if inside {
            match line.split_once(':') {
                Some((prefix, iri)) if line.starts_with(' ') => {
                    let clean = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
                    prefixes.insert(clean(prefix), clean(iri));
                }
                _ => inside = false,
            }
        }
    }
    prefixes
}

fn expand(id: &str, prefixes: &HashMap<String, String>) -> String {
    match id.split_once(':').and_then(|(prefix, rest)| Some((prefixes.get(prefix)?, rest))) {
        Some((iri, rest)) => format!("{iri}{rest}"),
        None => id.to_owned(),
    }
}

/// A mapping set as text: what the prefixes stand for, and a row for each link.
pub(super) fn written(links: &[FoundLink<'_>], identity: Identity) -> String {
    let entities = links.iter().flat_map(|link| [link.entity_a, link.entity_b]);
    let mut namespaces: BTreeMap<String, String> =
        entities.map(|name| (namespace(&iri_of(name)).to_owned(), String::new())).collect();
    let mut text = String::from("#curie_map:\n");
    for (number, (iri, prefix)) in namespaces.iter_mut().enumerate() {
        *prefix = format!("ns{}", number + 1);
        push(&mut text, format_args!("#  {prefix}: \"{iri}\"\n"));
    }
    text += "#  graph: \"urn:linknbed:graph:\"\n";
    text += "#  owl: \"http://www.w3.org/2002/07/owl#\"\n";
    text += "#  semapv: \"https://w3id.org/semapv/vocab/\"\n";
    text += "#  skos: \"http://www.w3.org/2004/02/skos/core#\"\n";
    text += "#license: \"https://w3id.org/sssom/license/unspecified\"\n";
    text += "#mapping_set_id: \"urn:linknbed:mappings\"\n";
    text += "#mapping_tool: \"linknbed\"\n";
    text += "subject_id\tpredicate_id\tobject_id\tmapping_justification\tsubject_source\tobject_source\tconfidence";
    let explained = links.iter().any(|link| link.evidence.is_some());
    text += if explained { "\tcomment\n" } else { "\n" };
    let curie = |name: &str| {
        let iri = iri_of(name);
        let namespace = namespace(&iri);
        format!("{}:{}", namespaces[namespace], &iri[namespace.len()..])
    };
    let graph = |name: &str| graph_iri(name).replacen("urn:linknbed:graph:", "graph:", 1);
    for link in links {
        let (a, b) = (curie(link.entity_a), curie(link.entity_b));
        let (graph_a, graph_b) = (graph(link.graph_a), graph(link.graph_b));
        let (predicate, confidence) = (identity.curie(), link.probability);
        push(
            &mut text,
            format_args!(
                "{a}\t{predicate}\t{b}\tsemapv:CompositeMatching\t{graph_a}\t{graph_b}\t{confidence}"
            ),
        );
        match (explained, &link.evidence) {
            (false, _) => {}
            (true, Some(evidence)) => push(&mut text, format_args!("\t{evidence}")),
            (true, None) => text.push('\t'),
        }
        text.push('\n');
    }
    text
}

/// What an IRI shares with many others: up to its `#`, or the first folder of its host, or its last colon.
fn namespace(iri: &str) -> &str {
    let after = |at: usize| &iri[..at + 1];
    if let Some(at) = iri.find('#') {
        return after(at);
    }
    match iri.match_indices('/').take(4).last() {
        Some((at, _)) if iri.contains("://") && at > iri.find("://").unwrap_or(0) + 2 => after(at),
        _ => iri.rfind(':').map_or("", after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::Strictness;

    #[test]
    fn identity_rows_are_links_and_prefixes_are_expanded() {
        let text = "#curie_map:\n#  ex: \"http://example.org/\"\n#license: x\n\
            subject_id\tpredicate_modifier\tpredicate_id\tobject_id\n\
            ex:a\t\tskos:exactMatch\ttt1\n\
            ex:b\tNot\towl:sameAs\ttt2\n\
            ex:c\t\tskos:broadMatch\ttt3\n";
        assert!(is_sssom(text));
        let mut problems = Problems::new(Strictness::Strict);
        let (links, others) = read(text, Path::new("m.sssom.tsv"), &mut problems).unwrap();
        assert_eq!(others, 1);
        let links: Vec<_> =
            links.iter().map(|l| (l.first.as_str(), l.second.as_str(), l.same, l.line)).collect();
        assert_eq!(
            links,
            [("http://example.org/a", "tt1", true, Some(5)), ("http://example.org/b", "tt2", false, Some(6))]
        );
    }
}
