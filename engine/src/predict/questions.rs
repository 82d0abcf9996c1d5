//! What is asked, in the user's words?
//!
//! In a file of queries a line has three columns with tabs between them: subject, relation and object, of which one
//! entity is `?`. A fourth column before them names the graph. Lines that are blank or begin with `#` say nothing.

use std::path::Path;

use super::Query;
use super::names::{entity, graph, relation};
use crate::dataset::Dataset;
use crate::error::{Error, Place, Result};
use crate::eval::RankSide;

/// What stands for the entity that is asked for.
const ASKED: &str = "?";

/// A query in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// The graph; it may be left out where there is only one.
    pub graph: Option<&'a str>,
    /// The relation.
    pub relation: &'a str,
    /// The entity that is given.
    pub fixed: &'a str,
    /// Which entity of the fact is asked for.
    pub asked: RankSide,
}

impl<'a> Question<'a> {
    /// Finds what the words mean.
    pub fn query(&self, data: &Dataset) -> Result<Query> {
        let number = match (self.graph, data.graphs.as_slice()) {
            (Some(name), _) => graph(data, name)?,
            (None, [_]) => 0,
            (None, several) => {
                let names: Vec<&str> = several.iter().map(|graph| graph.name.as_str()).collect();
                let message = format!("there are several graphs: {}; --graph chooses one", names.join(", "));
                return Err(Error::Usage(message));
            }
        };
        let own = &data.graphs[number];
        Ok(Query {
            graph: number,
            relation: relation(own, self.relation)?.0,
            fixed: entity(own, self.fixed)?.0,
            asked: self.asked,
        })
    }

    /// Reads the columns of a line.
    fn read(line: &'a str, default_graph: Option<&'a str>) -> Result<Self, String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let (graph, [subject, relation, object]) = match columns[..] {
            [subject, relation, object] => (default_graph, [subject, relation, object]),
            [graph, subject, relation, object] => (Some(graph), [subject, relation, object]),
            _ => {
                let expected = "3 columns (subject, relation, object), or 4 with the graph before them";
                return Err(format!("expected {expected}; found {}", columns.len()));
            }
        };
        if relation == ASKED {
            return Err("the relation is ?, but only a subject or an object can be asked for".to_owned());
        }
        let (fixed, asked) = match (subject == ASKED, object == ASKED) {
            (true, false) => (object, RankSide::Head),
            (false, true) => (subject, RankSide::Tail),
            (true, true) => return Err("subject and object are both ?; one must be given".to_owned()),
            (false, false) => return Err("neither subject nor object is ?, which asks for it".to_owned()),
        };
        Ok(Self { graph, relation, fixed, asked })
    }
}

/// The queries of a file with the given content; lines that name no graph ask about `default_graph`.
pub fn queries(
    data: &Dataset,
    path: &Path,
    content: &[u8],
    default_graph: Option<&str>,
) -> Result<Vec<Query>> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    let mut found = Vec::new();
    for (number, line) in content.split(|&byte| byte == b'\n').enumerate() {
        let at = |message: String| Error::input(Place::line(path, number as u64 + 1), message);
        let line = std::str::from_utf8(line).map_err(|_| at("this is not valid UTF-8".to_owned()))?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let question = Question::read(line, default_graph).map_err(at)?;
        found.push(question.query(data).map_err(|error| at(error.to_string()))?);
    }
    if found.is_empty() {
        return Err(Error::input(Place::file(path), "holds no query"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::small_graphs::{Labelled, random_data};

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let (head, tail) = (RankSide::Head, RankSide::Tail);
        let question = |graph, relation, fixed, asked| Question { graph, relation, fixed, asked };
        let read = |line| Question::read(line, Some("b"));
        assert_eq!(read("a b\tr\t?"), Ok(question(Some("b"), "r", "a b", tail)));
        assert_eq!(read("?\tr\to"), Ok(question(Some("b"), "r", "o", head)));
        assert_eq!(read("a\t?\tr\to"), Ok(question(Some("a"), "r", "o", head)));
        assert_eq!(Question::read("s\tr\t?", None), Ok(question(None, "r", "s", tail)));
    }

    /// Every query that can be asked comes back from the line that asks it.
    #[test]
    fn files_hold_the_queries_that_were_written() {
        for seed in 0..10 {
            let data = random_data(seed, 2, Labelled::Not).data;
            let mut lines = String::from("\u{feff}# all\r\n\n");
            let mut expected = Vec::new();
            for (number, graph) in data.graphs.iter().enumerate() {
                for (relation, relation_name) in graph.relations.iter().enumerate() {
                    for (fixed, entity_name) in graph.entities.iter().enumerate() {
                        for asked in [RankSide::Head, RankSide::Tail] {
                            let (subject, object) = match asked {
                                RankSide::Head => (ASKED, entity_name),
                                RankSide::Tail => (entity_name, ASKED),
                            };
                            let graph_name = &graph.name;
                            lines += &format!("{graph_name}\t{subject}\t{relation_name}\t{object}\r\n \n");
                            let (relation, fixed) = (relation as u32, fixed as u32);
                            expected.push(Query { graph: number, relation, fixed, asked });
                        }
                    }
                }
            }
            assert!(!expected.is_empty());
            let found = queries(&data, Path::new("q"), lines.as_bytes(), None).unwrap();
            assert_eq!(found, expected, "seed {seed}");
        }
    }

    #[test]
    fn a_bad_line_is_named() {
        let data = random_data(1, 2, Labelled::Not).data;
        let (graph, other) = (&data.graphs[0], &data.graphs[1]);
        let (entity, relation) = (graph.entities.get(0), graph.relations.get(0));
        let said = |line: &str| {
            let content = format!("# queries\n{}\t?\t{relation}\t{entity}\n{line}\n", graph.name);
            queries(&data, Path::new("q.tsv"), content.as_bytes(), None).unwrap_err().to_string()
        };
        let columns = "expected 3 columns (subject, relation, object), or 4 with the graph before them";
        assert_eq!(said("a r ?"), format!("q.tsv:3: {columns}; found 1"));
        assert_eq!(said("a\tb\tc\td\te"), format!("q.tsv:3: {columns}; found 5"));
        assert_eq!(said("?\tr\t?"), "q.tsv:3: subject and object are both ?; one must be given");
        assert_eq!(said("a\tr\tb"), "q.tsv:3: neither subject nor object is ?, which asks for it");
        let asked = "the relation is ?, but only a subject or an object can be asked for";
        assert_eq!(said("a\t?\tb"), format!("q.tsv:3: {asked}"));
        let several =
            format!("there are several graphs: {}, {}; --graph chooses one", graph.name, other.name);
        assert_eq!(said("a\tr\t?"), format!("q.tsv:3: {several}"));
        let unknown = format!("there is no graph \"moon\"; the graphs are {}, {}", graph.name, other.name);
        assert_eq!(said("moon\ta\tr\t?"), format!("q.tsv:3: {unknown}"));
        let message = queries(&data, Path::new("q"), b"\n\xff\n", None).unwrap_err().to_string();
        assert_eq!(message, "q:2: this is not valid UTF-8");
        let message = queries(&data, Path::new("-"), b"\n# nothing\n", None).unwrap_err().to_string();
        assert_eq!(message, "-: holds no query");
    }
}
