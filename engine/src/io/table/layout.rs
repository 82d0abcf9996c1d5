//! What do the columns of a table mean?
//!
//! A table of facts, attributes, types or names has its columns in a fixed order, or a header that says otherwise. A
//! wide table has one row for each entity: one column is the entity, and every other one is an attribute.

use std::collections::{BTreeMap, HashSet};

use crate::error::{Error, Place, Result};
use crate::graph::{GraphBuilder, Value};
use crate::io::rdf::add_open_ea_attribute;
use crate::io::source::{Role, SourceFile};

/// Which column means what, as the user says: `subject=src,relation=rel,object=dst`, or `entity=id` for a wide table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    by_meaning: BTreeMap<String, String>,
}

/// Everything a column can mean.
const MEANINGS: [&str; 9] =
    ["subject", "relation", "object", "entity", "key", "value", "qualifier", "type", "name"];

impl std::str::FromStr for Columns {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut by_meaning = BTreeMap::new();
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let (meaning, column) = pair.split_once('=').ok_or_else(|| {
                Error::Usage(format!("{pair:?} should be MEANING=COLUMN, such as subject=src"))
            })?;
            if !MEANINGS.contains(&meaning) {
                let known = MEANINGS.join(", ");
                return Err(Error::Usage(format!("a column cannot mean {meaning:?}; known are {known}")));
            }
            by_meaning.insert(meaning.to_owned(), column.to_owned());
        }
        let columns = Self { by_meaning };
        for together in [["subject", "relation", "object"], ["entity", "key", "value"]] {
            let (given, missing): (Vec<&str>, Vec<&str>) =
                together.iter().partition(|meaning| columns.of(meaning).is_some());
            // An entity alone is a wide table; the others only make sense together.
            if !missing.is_empty() && given.iter().any(|meaning| *meaning != "entity") {
                let message =
                    format!("{} belong together; {} is missing", together.join(", "), missing.join(", "));
                return Err(Error::Usage(message));
            }
        }
        Ok(columns)
    }
}

impl Columns {
    fn of(&self, meaning: &str) -> Option<&str> {
        self.by_meaning.get(meaning).map(String::as_str)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.by_meaning.is_empty()
    }

    /// Whether the mapping says something about this file.
    pub fn fit(&self, file: &SourceFile) -> bool {
        file.format.is_table() && (self.covers(file.role) || self.is_wide(file))
    }

    /// Whether the mapping has all that this kind of table needs.
    fn covers(&self, role: Role) -> bool {
        role.columns().iter().all(|meaning| self.by_meaning.contains_key(*meaning))
    }

    /// Whether the file has one entity a row: a table without a role of its own, of which only the entity is named.
    fn is_wide(&self, file: &SourceFile) -> bool {
        self.of("entity").is_some() && self.of("key").is_none() && !self.covers(file.role) && !file.has_role()
    }
}

/// Other words for a meaning that headers use.
fn is_word_for(meaning: &str, header: &str) -> bool {
    let words: &[&str] = match meaning {
        "subject" => &["subject", "s", "head", "h", "source", "src", "from"],
        "relation" => &["relation", "r", "rel", "predicate", "p", "property"],
        "object" => &["object", "o", "tail", "t", "target", "dst", "to"],
        "entity" => &["entity", "e", "id", "subject", "s"],
        "key" => &["key", "attribute", "property", "predicate", "p"],
        "value" => &["value", "v", "object", "o"],
        "type" => &["type", "class"],
        "name" => &["name", "label", "title"],
        "qualifier" => &["qualifier", "datatype", "language"],
        _ => &[],
    };
    words.iter().any(|word| word.eq_ignore_ascii_case(header.trim()))
}

/// How rows become parts of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// One statement a row; `at` are the positions of the role's columns.
    Long { role: Role, at: Vec<usize>, qualifier: Option<usize>, width: usize, header: bool },
    /// One entity a row.
    Wide { entity: usize, class: Option<usize>, keys: Vec<(usize, String)>, width: usize },
}

impl Layout {
    /// Looks at the first row, which may be a header.
    pub(super) fn of_first_row(cells: &[&str], file: &SourceFile, columns: &Columns) -> Result<Self> {
        let role = file.role;
        let meanings = role.columns();
        let by_words: HashSet<usize> = meanings
            .iter()
            .filter_map(|meaning| cells.iter().position(|cell| is_word_for(meaning, cell)))
            .collect();
        if columns.fit(file) || by_words.len() == meanings.len() {
            return Self::of_header(cells, file, columns);
        }
        let qualifier = matches!(role, Role::Attributes).then_some(meanings.len());
        let at = (0..meanings.len()).collect();
        Ok(Self::Long { role, at, qualifier, width: meanings.len(), header: false })
    }

    /// Takes the columns from a header, by the user's mapping or by the usual words.
    pub(super) fn of_header(header: &[&str], file: &SourceFile, columns: &Columns) -> Result<Self> {
        let missing = |column: &str| {
            let message = format!("no column {column:?}; the columns are {}", header.join(", "));
            Error::input(Place::line(&file.path, 1), message)
        };
        let find = |column: &str| header.iter().position(|h| *h == column).ok_or_else(|| missing(column));
        if columns.is_wide(file) {
            return Self::wide(header, columns, find);
        }
        let by_word = |meaning: &str| header.iter().position(|h| is_word_for(meaning, h));
        let meanings = file.role.columns();
        let mapped = columns.covers(file.role);
        let words = meanings.iter().filter_map(|meaning| by_word(meaning)).collect::<HashSet<_>>().len();
        let mut at = Vec::new();
        for (position, meaning) in meanings.iter().enumerate() {
            at.push(match columns.of(meaning).filter(|_| mapped) {
                Some(column) => find(column)?,
                None if words == meanings.len() => by_word(meaning).ok_or_else(|| missing(meaning))?,
                // Names that say nothing: the columns are taken in their order, if there are just as many.
                None if words == 0 && header.len() == meanings.len() => position,
                None => {
                    let message = format!(
                        "it is not clear which columns are {}; the columns are {}; say so with --columns",
                        meanings.join(", "),
                        header.join(", ")
                    );
                    return Err(Error::input(Place::line(&file.path, 1), message));
                }
            });
        }
        let qualifier = match columns.of("qualifier") {
            Some(column) => Some(find(column)?),
            None => by_word("qualifier").filter(|_| matches!(file.role, Role::Attributes)),
        };
        Ok(Self::Long { role: file.role, at, qualifier, width: header.len(), header: true })
    }

    fn wide(header: &[&str], columns: &Columns, find: impl Fn(&str) -> Result<usize>) -> Result<Self> {
        let entity = columns.of("entity").map(&find).transpose()?.unwrap_or(0);
        let class = columns.of("type").map(&find).transpose()?;
        let name = columns.of("name").map(&find).transpose()?;
        let keys = header.iter().enumerate().filter(|(at, _)| *at != entity && Some(*at) != class);
        let key = |at: usize, key: &str| if Some(at) == name { "name".to_owned() } else { key.to_owned() };
        let keys = keys.map(|(at, column)| (at, key(at, column))).collect();
        Ok(Self::Wide { entity, class, keys, width: header.len() })
    }

    /// Whether the first row is a header.
    pub(super) fn has_header(&self) -> bool {
        match self {
            Self::Long { header, .. } => *header,
            Self::Wide { .. } => true,
        }
    }

    /// Adds a row, or says what is wrong with it.
    pub(super) fn add(&self, cells: &[&str], builder: &mut GraphBuilder) -> Result<(), String> {
        match self {
            Self::Long { role, at, qualifier, width, .. } => {
                let optional = usize::from(qualifier.is_some_and(|at| at == *width));
                if cells.len() < *width || cells.len() > *width + optional {
                    return Err(wrong_width(role.columns(), *width, cells.len()));
                }
                let qualifier = qualifier.and_then(|at| cells.get(at)).copied().unwrap_or("");
                let column = |position: usize| cells[at[position]];
                add_row(*role, column, qualifier, builder)
            }
            Self::Wide { entity, class, keys, width } => {
                if cells.len() != *width {
                    return Err(wrong_width(&[], *width, cells.len()));
                }
                let entity = not_empty("entity", cells[*entity])?;
                for (at, key) in keys.iter().filter(|(at, _)| !cells[*at].is_empty()) {
                    builder.attribute(entity, key, Value::plain(cells[*at]));
                }
                if let Some(class) = class.map(|at| cells[at]).filter(|class| !class.is_empty()) {
                    builder.typing(entity, class);
                }
                Ok(())
            }
        }
    }
}

/// Adds a row of a long table whose columns are fetched by their position in the role.
pub(super) fn add_row<'a>(
    role: Role,
    column: impl Fn(usize) -> &'a str,
    qualifier: &str,
    builder: &mut GraphBuilder,
) -> Result<(), String> {
    let name = |position: usize| not_empty(role.columns()[position], column(position));
    match role {
        Role::Facts(part) => builder.fact(part, name(0)?, name(1)?, name(2)?),
        Role::Attributes => {
            let value = Value { text: column(2), qualifier: checked_qualifier(qualifier)? };
            builder.attribute(name(0)?, name(1)?, value);
        }
        Role::OpenEaAttributes => add_open_ea_attribute(builder, name(0)?, name(1)?, column(2)),
        Role::Types => builder.typing(name(0)?, name(1)?),
        Role::Names => builder.attribute(name(0)?, "name", Value::plain(column(1))),
    }
    Ok(())
}

fn not_empty<'a>(meaning: &str, cell: &'a str) -> Result<&'a str, String> {
    if cell.is_empty() { Err(format!("the {meaning} is empty")) } else { Ok(cell) }
}

fn checked_qualifier(text: &str) -> Result<&str, String> {
    if text.is_empty() || text.starts_with('@') || text.starts_with("^^") {
        Ok(text)
    } else {
        Err(format!("{text:?} should be empty, a language such as @en, or a datatype such as ^^http://…"))
    }
}

fn wrong_width(meanings: &[&str], width: usize, found: usize) -> String {
    let names = if meanings.is_empty() { String::new() } else { format!(" ({})", meanings.join(", ")) };
    let columns = |n: usize| if n == 1 { "1 column".to_owned() } else { format!("{n} columns") };
    format!("expected {}{names}, found {found}", columns(width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn layout(file: &str, first: &[&str], columns: &str) -> Result<Layout> {
        let file = SourceFile::of_path(Path::new(file)).unwrap();
        Layout::of_first_row(first, &file, &columns.parse().unwrap())
    }

    fn facts(layout: &Layout, rows: &[&[&str]]) -> Vec<[String; 3]> {
        let mut builder = GraphBuilder::default();
        rows.iter().for_each(|row| layout.add(row, &mut builder).unwrap());
        let graph = builder.finish("g");
        let name = |f: &crate::graph::Fact| {
            [
                graph.entities.get(f.subject.0),
                graph.relations.get(f.relation.0),
                graph.entities.get(f.object.0),
            ]
            .map(str::to_owned)
        };
        graph.facts.iter().map(name).collect()
    }

    #[test]
    fn a_header_is_known_by_its_words_and_data_is_not_taken_for_one() {
        assert!(layout("train.tsv", &["head", "Relation", "tail"], "").unwrap().has_header());
        assert!(!layout("train.tsv", &["head", "likes", "tail"], "").unwrap().has_header());
        assert!(layout("names.csv", &["entity", "label"], "").unwrap().has_header());
    }

    #[test]
    fn columns_are_taken_as_the_user_maps_them() {
        let layout =
            layout("x.csv", &["when", "dst", "src", "rel"], "subject=src,relation=rel,object=dst").unwrap();
        assert_eq!(facts(&layout, &[&["1999", "b", "a", "likes"]]), [["a", "likes", "b"].map(str::to_owned)]);
    }

    #[test]
    fn a_header_in_another_order_is_followed() {
        let layout = layout("x.csv", &["source", "target", "relation"], "").unwrap();
        assert!(layout.has_header());
        assert_eq!(facts(&layout, &[&["a", "b", "likes"]]), [["a", "likes", "b"].map(str::to_owned)]);
    }

    #[test]
    fn a_mapping_is_used_where_it_fits_and_must_be_whole() {
        assert!("subject=a,relation=b".parse::<Columns>().is_err());
        let names: Columns = "entity=id,name=product".parse().unwrap();
        let file = |name: &str| SourceFile::of_path(Path::new(name)).unwrap();
        assert!(names.fit(&file("names.csv")) && names.fit(&file("products.csv")));
        assert!(!names.fit(&file("triples.csv")) && !names.fit(&file("products.nt")));
        let wide = layout("products.csv", &["id", "product"], "entity=id,name=product").unwrap();
        assert_eq!(wide, Layout::Wide { entity: 0, class: None, keys: vec![(1, "name".into())], width: 2 });
    }

    #[test]
    fn a_wide_table_has_an_attribute_for_each_column() {
        let layout = layout("x.csv", &["id", "title", "kind"], "entity=id,type=kind").unwrap();
        let mut builder = GraphBuilder::default();
        layout.add(&["m1", "Alien", "film"], &mut builder).unwrap();
        layout.add(&["m2", "", "film"], &mut builder).unwrap();
        let graph = builder.finish("g");
        assert_eq!((graph.entities.len(), graph.attributes.len(), graph.typings.len()), (2, 1, 2));
        assert_eq!(graph.keys.get(0), "title");
    }

    #[test]
    fn rows_of_the_wrong_width_are_refused_with_what_was_expected() {
        let layout = layout("train.tsv", &["a", "b", "c"], "").unwrap();
        let mut builder = GraphBuilder::default();
        let refused = |cells: &[&str], builder: &mut GraphBuilder| layout.add(cells, builder).unwrap_err();
        assert_eq!(
            refused(&["a", "b"], &mut builder),
            "expected 3 columns (subject, relation, object), found 2"
        );
        assert_eq!(
            refused(&["a", "b", "c", "d"], &mut builder),
            "expected 3 columns (subject, relation, object), found 4"
        );
        assert_eq!(refused(&["a", "", "c"], &mut builder), "the relation is empty");
    }

    #[test]
    fn mistakes_in_the_mapping_are_named() {
        assert!("subject".parse::<Columns>().is_err());
        assert!("color=red".parse::<Columns>().is_err());
        let error = layout("x.csv", &["a", "b"], "entity=id").unwrap_err().to_string();
        assert_eq!(error, "x.csv:1: no column \"id\"; the columns are a, b");
    }
}
