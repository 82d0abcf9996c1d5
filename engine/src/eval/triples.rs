//! How well does a model complete facts?
//!
//! Every fact of a part is asked about twice, once for the object and once for the subject; "both" are the figures over
//! all these questions. Facts of entities that training never saw are asked about like all others, and counted.

use serde::Serialize;

use super::categories::Category;
use super::metrics::Metrics;
use super::rank::{Rank, RankSide, Standing};
use super::ranking::Ranks;
use crate::graph::{Fact, Part};
use crate::joint::JointGraph;
use crate::progress::{Progress, Unit};

/// The figures of one part of a graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TripleFigures {
    /// Without candidates that are right answers too: the figures of record.
    pub filtered: Sides,
    /// Among all candidates.
    pub raw: Sides,
    /// Of each relation that facts were asked about; filtered.
    pub relations: Vec<RelationFigures>,
    /// Of each category of relations; filtered.
    pub categories: Vec<CategoryFigures>,
    /// How many filtered ranks of both sides are below 2, then below 4, 8 and so on: each place begins where the last ends.
    pub histogram: Vec<u64>,
    /// What training never saw.
    pub unseen: Unseen,
}

/// Figures by what was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Sides {
    /// All questions.
    pub both: Metrics,
    /// The object.
    pub tail: Metrics,
    /// The subject.
    pub head: Metrics,
}

/// The figures of a relation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelationFigures {
    /// The graph's own number of it.
    pub relation: u32,
    /// Its category by the training facts; none if it has no training facts.
    pub category: Option<Category>,
    /// How many facts were asked about.
    pub facts: usize,
    /// Both sides.
    pub metrics: Metrics,
}

/// The figures of a category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryFigures {
    /// The category.
    pub category: Category,
    /// How many relations of it facts were asked about.
    pub relations: usize,
    /// Its figures.
    pub sides: Sides,
}

/// What was asked about, although no training fact has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// Distinct entities.
    pub entities: usize,
    /// Facts with at least one of them.
    pub facts: usize,
}

impl TripleFigures {
    /// Ranks all facts of a part of a graph, both sides.
    pub fn rank(ranker: &mut dyn Ranks, graph: usize, part: Part, progress: &dyn Progress) -> Self {
        let joined = &ranker.joint().graphs[graph];
        let facts: Vec<Fact> = joined.facts.get(part as usize).into_iter().flat_map(|f| f.iter()).collect();
        let stage = format!("ranking {} facts of {}", part.name(), joined.name);
        progress.begin(&stage, Some(2 * facts.len() as u64), Unit::Items);
        let [tail, head] =
            [RankSide::Tail, RankSide::Head].map(|side| ranker.standings(graph, &facts, side, progress));
        progress.end();
        Self::of(&ranker.joint().graphs[graph], &facts, &tail, &head)
    }

    /// The figures of some facts of a graph, given where the right object and the right subject of each stand.
    pub fn of(graph: &JointGraph, facts: &[Fact], tail: &[Standing], head: &[Standing]) -> Self {
        let all: Vec<usize> = (0..facts.len()).collect();
        let filtered = Questions { tail, head, rank: |standing| standing.filtered };
        let raw = Questions { tail, head, rank: |standing| standing.raw };
        let (relations, categories) = by_relation(graph, facts, &filtered);
        Self {
            filtered: filtered.sides(&all),
            raw: raw.sides(&all),
            relations,
            categories,
            histogram: histogram(&filtered.ranks(&all)),
            unseen: unseen(graph, facts),
        }
    }
}

/// Where right answers stand, and which of their ranks counts.
struct Questions<'a> {
    tail: &'a [Standing],
    head: &'a [Standing],
    rank: fn(&Standing) -> Rank,
}

impl Questions<'_> {
    fn side(&self, standings: &[Standing], rows: &[usize]) -> Vec<Rank> {
        rows.iter().map(|&row| (self.rank)(&standings[row])).collect()
    }

    /// The ranks of both sides of some facts.
    fn ranks(&self, rows: &[usize]) -> Vec<Rank> {
        [self.side(self.tail, rows), self.side(self.head, rows)].concat()
    }

    fn sides(&self, rows: &[usize]) -> Sides {
        Sides {
            both: Metrics::of_ranks(&self.ranks(rows)),
            tail: Metrics::of_ranks(&self.side(self.tail, rows)),
            head: Metrics::of_ranks(&self.side(self.head, rows)),
        }
    }
}

fn by_relation(
    graph: &JointGraph,
    facts: &[Fact],
    questions: &Questions<'_>,
) -> (Vec<RelationFigures>, Vec<CategoryFigures>) {
    let train = &graph.facts[Part::Train as usize];
    let asked = facts.iter().map(|fact| fact.relation.0);
    let count = asked.chain(train.relations.iter().copied()).max().map_or(0, |most| most as usize + 1);
    let categories = Category::of_relations(train, count);
    let mut rows = vec![Vec::new(); count];
    facts.iter().enumerate().for_each(|(row, fact)| rows[fact.relation.row()].push(row));
    let of_relation = |relation: usize| RelationFigures {
        relation: relation as u32,
        category: categories[relation],
        facts: rows[relation].len(),
        metrics: Metrics::of_ranks(&questions.ranks(&rows[relation])),
    };
    let of_category = |category: Category| {
        let relations: Vec<usize> =
            (0..count).filter(|&r| categories[r] == Some(category) && !rows[r].is_empty()).collect();
        let rows: Vec<usize> =
            relations.iter().flat_map(|&relation| rows[relation].iter().copied()).collect();
        CategoryFigures { category, relations: relations.len(), sides: questions.sides(&rows) }
    };
    let relations = (0..count).filter(|&relation| !rows[relation].is_empty()).map(of_relation).collect();
    (relations, Category::ALL.map(of_category).into())
}

/// How many ranks there are from each power of two to below the next.
fn histogram(ranks: &[Rank]) -> Vec<u64> {
    let mut counts = Vec::new();
    for rank in ranks {
        let place = (rank.mean() as u64).ilog2() as usize;
        counts.resize(counts.len().max(place + 1), 0);
        counts[place] += 1;
    }
    counts
}

fn unseen(graph: &JointGraph, facts: &[Fact]) -> Unseen {
    let train = &graph.facts[Part::Train as usize];
    let mut is_seen = vec![false; graph.entities as usize];
    train.subjects.iter().chain(train.objects.iter()).for_each(|&entity| is_seen[entity as usize] = true);
    let is_new = |entity: &u32| !is_seen[*entity as usize];
    let ends = |fact: &Fact| [fact.subject.0, fact.object.0];
    let mut entities: Vec<u32> = facts.iter().flat_map(ends).filter(is_new).collect();
    entities.sort_unstable();
    entities.dedup();
    Unseen {
        entities: entities.len(),
        facts: facts.iter().filter(|fact| ends(fact).iter().any(is_new)).count(),
    }
}

#[cfg(test)]
#[path = "triples_tests.rs"]
mod tests;
