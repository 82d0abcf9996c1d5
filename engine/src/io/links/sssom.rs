//! How are SSSOM mapping files read?
//!
//! A table with a header, behind comment lines that may say what the prefixes of its identifiers stand for. Rows that
//! map by identity (`owl:sameAs`, `skos:exactMatch`) are links; with the modifier `Not` they are known non-links.

use std::collections::HashMap;
use std::path::Path;

use super::Written;
use crate::error::{Error, Place, Result};
use crate::io::problems::Problems;

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
        links.push(Written {
            line: Some(line_number),
            first: expand(cells[subject], &prefixes),
            second: expand(cells[object], &prefixes),
            same: !modifier.is_some_and(|at| cells[at].eq_ignore_ascii_case("not")),
        });
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
