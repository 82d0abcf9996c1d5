//! Who is right about what has one value?
//!
//! A key has one value if in every graph that uses it at least 95 % of the entities with the key have one value of it,
//! in each language they have one in. Where several graphs give an entity different values of such a key, a rule
//! chooses one; the others are kept as alternatives. Values that read alike, as `1994` and `"1994"^^xsd:gYear` do, do
//! not contradict each other, nor do texts in different languages.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::clusters::Clusters;
use super::statements::{Said, Sources, Statements};
use super::terms::Terms;
use super::values::UnitedValues;
use crate::dataset::{Dataset, PreparedGraph};
use crate::error::{Error, Result};
use crate::graph::{Date, Kind, Value};
use rayon::prelude::*;

/// Who is right when graphs give different values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// The value that most graphs give; of equally many, the one of the most preferred graph.
    Majority,
    /// The value of the most preferred graph.
    Priority,
    /// The value of the entity that was changed last, as it says itself (`dcterms:modified` and the like).
    Recent,
}

/// Whether a value was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Chosen,
    Alternative,
}

impl Status {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Alternative => "alternative",
        }
    }
}

/// The attributes of all graphs: rows of cluster, key and value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) statements: Statements,
    pub(super) status: Vec<Status>,
    pub(super) values: UnitedValues,
    /// How often graphs contradicted each other about each key.
    pub(super) conflicts: Vec<u64>,
    /// Which keys have one value.
    pub(super) single: Vec<bool>,
}

impl Attributes {
    pub(super) fn unite(
        data: &Dataset,
        clusters: &Clusters,
        keys: &Terms,
        rule: Conflicts,
        ranks: &[usize],
    ) -> Result<Self> {
        let values = UnitedValues::of(data);
        let mut said: Vec<Said> = Vec::new();
        for (graph, prepared) in data.graphs.iter().enumerate() {
            said.par_extend((0..prepared.attribute_entities.len()).into_par_iter().map(|row| {
                let entity = clusters.of_entity(graph, prepared.attribute_entities[row]);
                let key = keys.of(graph, prepared.attribute_keys[row]);
                ([entity, key, values.number(graph, prepared.attribute_values[row])], graph as u8)
            }));
        }
        let statements = Statements::of(said);
        let changed = match rule {
            Conflicts::Recent => Some(Changes::of(data)?),
            Conflicts::Majority | Conflicts::Priority => None,
        };
        let single = single_valued(data, keys);
        let judge = Judge { data, clusters, values: &values, rule, ranks, changed };
        let (status, conflicts) = judge.judge(&statements, &single);
        Ok(Self { statements, status, values, conflicts, single })
    }
}

/// Which keys have one value, in every graph that uses them.
fn single_valued(data: &Dataset, keys: &Terms) -> Vec<bool> {
    /// In hundredths: graphs have slips, and one entity in twenty may have two values by mistake.
    const SHARE: u64 = 95;
    let by_graph = data.graphs.par_iter().enumerate().map(|(graph, prepared)| {
        let mut counts = vec![(0u64, 0u64); keys.len()];
        for rows in groups(prepared) {
            let key = keys.of(graph, prepared.attribute_keys[rows.start]) as usize;
            counts[key].0 += 1;
            counts[key].1 += u64::from(has_one_value(prepared, rows));
        }
        counts
    });
    let by_graph: Vec<Vec<(u64, u64)>> = by_graph.collect();
    let is_single = |key: usize| {
        by_graph.iter().all(|counts| {
            let (entities, with_one) = counts[key];
            with_one * 100 >= entities * SHARE
        })
    };
    (0..keys.len()).map(is_single).collect()
}

/// The rows of each entity and key of a graph; they are sorted.
fn groups(graph: &PreparedGraph) -> impl Iterator<Item = std::ops::Range<usize>> {
    let at = |row: usize| (graph.attribute_entities[row], graph.attribute_keys[row]);
    let mut start = 0;
    std::iter::from_fn(move || {
        let first = start;
        let rows = graph.attribute_entities.len();
        (first < rows).then(|| {
            start = (first..rows).find(|&row| at(row) != at(first)).unwrap_or(rows);
            first..start
        })
    })
}

/// Whether no language comes twice; what has no language counts as one.
fn has_one_value(graph: &PreparedGraph, rows: std::ops::Range<usize>) -> bool {
    let mut values: Vec<u32> = rows.map(|row| graph.attribute_values[row]).collect();
    values.sort_unstable();
    values.dedup();
    let languages = values.iter().map(|&value| graph.values.get(value).language());
    let mut languages: Vec<Option<&str>> = languages.collect();
    languages.sort_unstable();
    languages.windows(2).all(|pair| pair[0] != pair[1])
}

/// When entities say that they were changed.
struct Changes<'a> {
    /// For each graph, by entity; the text tells times of one day apart.
    dates: Vec<HashMap<u32, (Date, &'a str)>>,
}

impl<'a> Changes<'a> {
    fn of(data: &'a Dataset) -> Result<Self> {
        let dates: Vec<HashMap<u32, (Date, &str)>> = data.graphs.par_iter().map(changes_of).collect();
        if dates.iter().all(HashMap::is_empty) {
            let message = "no graph says when its entities were changed (by a key such as dcterms:modified)";
            return Err(Error::Usage(format!("{message}; resolve conflicts by majority or priority")));
        }
        Ok(Self { dates })
    }

    /// When the members of a cluster in a graph were changed last.
    fn last(&self, clusters: &Clusters, cluster: u32, sources: Sources) -> Option<(Date, &'a str)> {
        let members = clusters.members(cluster).iter().map(|&number| clusters.numbers.entity(number));
        let of_sources = members.filter(|(graph, _)| sources.shares(Sources::only(*graph)));
        of_sources.filter_map(|(graph, entity)| self.dates[graph].get(&entity).copied()).max()
    }
}

fn changes_of(graph: &PreparedGraph) -> HashMap<u32, (Date, &str)> {
    let tells: Vec<bool> = graph.keys.iter().map(is_date_of_change).collect();
    let mut dates = HashMap::new();
    for row in 0..graph.attribute_entities.len() {
        if tells[graph.attribute_keys[row] as usize]
            && let value = graph.values.get(graph.attribute_values[row])
            && let Some(date) = Date::parse(value.text)
        {
            let last = dates.entry(graph.attribute_entities[row]).or_insert((date, value.text));
            *last = (*last).max((date, value.text));
        }
    }
    dates
}

/// Whether a key says when an entity was changed: `dcterms:modified`, `schema:dateModified`, `updated` and the like.
fn is_date_of_change(key: &str) -> bool {
    let last: String = key.rsplit(['/', '#', ':']).next().unwrap_or(key).to_lowercase();
    let plain: String = last.chars().filter(|c| c.is_alphanumeric()).collect();
    let words = ["modified", "datemodified", "lastmodified", "updated", "dateupdated", "lastupdated"];
    words.contains(&plain.as_str()) || plain == "generatedattime"
}

/// Compares what graphs say about what has one value.
struct Judge<'a> {
    data: &'a Dataset,
    clusters: &'a Clusters,
    values: &'a UnitedValues,
    rule: Conflicts,
    ranks: &'a [usize],
    changed: Option<Changes<'a>>,
}

impl<'a> Judge<'a> {
    /// The status of every statement, and the conflicts of every key.
    fn judge(&self, statements: &Statements, single: &[bool]) -> (Vec<Status>, Vec<u64>) {
        let mut status = vec![Status::Chosen; statements.len()];
        let mut conflicts = vec![0; single.len()];
        let mut start = 0;
        while start < statements.len() {
            let [entity, key, _] = statements.rows[start];
            let same = |row: &[u32; 3]| row[..2] == [entity, key];
            let length = statements.rows[start..].iter().take_while(|row| same(row)).count();
            if length > 1 && single[key as usize] {
                let rows: Vec<usize> = (start..start + length).collect();
                conflicts[key as usize] += self.judge_entity(statements, entity, rows, &mut status);
            }
            start += length;
        }
        (status, conflicts)
    }

    /// Judges the values that one entity has of one key, each language for itself.
    fn judge_entity(
        &self,
        statements: &Statements,
        entity: u32,
        mut rows: Vec<usize>,
        status: &mut [Status],
    ) -> u64 {
        let value = |row: &usize| self.values.get(self.data, statements.rows[*row][2]);
        rows.sort_by_key(|row| (value(row).language(), Reading::of(value(row)), value(row).text));
        let mut conflicts = 0;
        for spoken in rows.chunk_by(|a, b| value(a).language() == value(b).language()) {
            let claims: Vec<Claim<'a, '_>> = spoken
                .chunk_by(|a, b| Reading::of(value(a)) == Reading::of(value(b)))
                .map(|rows| Claim::of(self, statements, entity, rows))
                .collect();
            let graphs = claims.iter().map(|claim| claim.sources).reduce(Sources::and);
            if claims.len() < 2 || graphs.is_none_or(|graphs| graphs.count() < 2) {
                continue;
            }
            conflicts += 1;
            // The first of equals: claims are in the order of their values, whatever the graphs are called.
            let best = claims.iter().min_by_key(|claim| claim.place(self.rule)).map(|claim| claim.rows);
            for claim in claims.iter().filter(|claim| Some(claim.rows) != best) {
                claim.rows.iter().for_each(|&row| status[row] = Status::Alternative);
            }
        }
        conflicts
    }
}

/// What some graphs say together.
struct Claim<'a, 'r> {
    rows: &'r [usize],
    sources: Sources,
    /// The place of the most preferred of them.
    rank: usize,
    changed: Option<(Date, &'a str)>,
}

/// The place of a claim: the smallest is right.
type Place<'a> = (Reverse<Option<(Date, &'a str)>>, Reverse<u32>, usize, Reverse<u32>);

impl<'a, 'r> Claim<'a, 'r> {
    fn of(judge: &Judge<'a>, statements: &Statements, entity: u32, rows: &'r [usize]) -> Self {
        let sources = rows.iter().map(|&row| statements.sources[row]).reduce(Sources::and);
        let sources = sources.unwrap_or(statements.sources[rows[0]]);
        let rank = sources.iter().map(|graph| judge.ranks[graph]).min().unwrap_or(usize::MAX);
        let changed = judge.changed.as_ref().and_then(|all| all.last(judge.clusters, entity, sources));
        Self { rows, sources, rank, changed }
    }

    fn place(&self, rule: Conflicts) -> Place<'a> {
        let votes = Reverse(self.sources.count());
        let equal = Reverse(0);
        match rule {
            Conflicts::Majority => (Reverse(None), votes, self.rank, equal),
            Conflicts::Priority => (Reverse(None), equal, self.rank, votes),
            Conflicts::Recent => (Reverse(self.changed), equal, self.rank, votes),
        }
    }
}

/// What a value reads as. A date of which only the year is known is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reading<'a> {
    Number(u64),
    Date(Date),
    Text(&'a str),
}

impl<'a> Reading<'a> {
    fn of(value: Value<'a>) -> Self {
        let number = |number: f64| Self::Number((number + 0.0).to_bits());
        match (value.kind(), value.date(), value.number()) {
            (Kind::Date, Some(Date { year, month: None, .. }), _) => number(year.into()),
            // A date has no place for the time of day.
            (Kind::Date, Some(date), _) if !value.text.contains('T') => Self::Date(date),
            (Kind::Number, _, Some(found)) => number(found),
            _ => Self::Text(value.text),
        }
    }
}
