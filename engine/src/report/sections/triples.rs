//! How well are facts foretold?

use super::super::contents::{RankFigures, RelationFigures, Sides, TripleSection};
use super::super::figures::histogram;
use super::super::markup::Html;
use super::super::numbers;
use super::super::tables::{Cell, Row, Table};
use super::section;

/// The figures of each graph.
pub(in crate::report) fn write(html: &mut Html, graphs: &[(String, TripleSection)]) {
    section(html, "facts", "Facts", |html| {
        for (name, section) in graphs {
            html.element("article", &[], |html| write_graph(html, name, section));
        }
    });
}

fn write_graph(html: &mut Html, name: &str, section: &TripleSection) {
    html.element("h3", &[], |html| html.name(name));
    html.leaf("p", &[("class", "protocol")], &section.protocol);
    html.leaf("p", &[("class", "counts")], &counts(section));
    rankings(section).write(html);
    html.element("div", &[("class", "figures")], |html| {
        if !section.ranks.is_empty() {
            histogram::draw(html, &section.ranks);
        }
        if !section.categories.is_empty() {
            categories(section).write(html);
        }
    });
    html.element("div", &[("class", "columns")], |html| {
        for (caption, figures) in [
            ("Relations that are foretold best", &section.best_relations),
            ("Relations that are foretold worst", &section.worst_relations),
        ] {
            if !figures.is_empty() {
                relations(caption, figures).write(html);
            }
        }
    });
}

fn counts(section: &TripleSection) -> String {
    let [facts, candidates, unseen] = [section.facts, section.candidates, section.unseen].map(numbers::count);
    let part = section.split.name();
    let unseen = match section.unseen {
        0 => "every entity was seen in training".to_owned(),
        _ => format!("{unseen} facts have an entity that no training fact shows, and count all the same"),
    };
    format!("{facts} facts of the {part} part, {candidates} entities to choose from; {unseen}.")
}

fn rankings(section: &TripleSection) -> Table {
    let mut rows = vec![Row::Group("Filtered: other known answers are left out")];
    rows.extend(sides(&section.filtered));
    if let Some(raw) = &section.raw {
        rows.push(Row::Group("Raw: all entities count"));
        rows.extend(sides(raw));
    }
    Table {
        caption: "Where the right answer stands among all entities".to_owned(),
        columns: vec![
            "asked for",
            "MRR",
            "mean rank",
            "Hits@1",
            "Hits@3",
            "Hits@10",
            "MRR if ties fall badly…well",
        ],
        rows,
    }
}

fn sides(sides: &Sides) -> [Row; 3] {
    [("both", &sides.both), ("object", &sides.tail), ("subject", &sides.head)].map(|(name, figures)| {
        let RankFigures { count: _, mrr, mr, hits_1, hits_3, hits_10, ties } = *figures;
        let cells = vec![
            Cell::Bar(mrr),
            Cell::Amount(mr),
            Cell::Share(hits_1),
            Cell::Share(hits_3),
            Cell::Share(hits_10),
            Cell::Between(ties.map(|ties| (ties.worst, ties.best))),
        ];
        Row::Cells(name.to_owned(), cells)
    })
}

fn categories(section: &TripleSection) -> Table {
    let rows = section.categories.iter().map(|category| {
        let Sides { both, tail, head } = &category.sides;
        let cells = vec![
            Cell::Count(category.relations),
            Cell::Count(both.count),
            Cell::Bar(both.mrr),
            Cell::Share(tail.mrr),
            Cell::Share(head.mrr),
        ];
        Row::Cells(category.name.clone(), cells)
    });
    Table {
        caption: "MRR by kind of relation; 1-N: one subject, many objects".to_owned(),
        columns: vec!["kind", "relations", "questions", "both", "object", "subject"],
        rows: rows.collect(),
    }
}

fn relations(caption: &str, figures: &[RelationFigures]) -> Table {
    let rows = figures.iter().map(|relation| {
        Row::Cells(relation.name.clone(), vec![Cell::Count(relation.count), Cell::Bar(relation.mrr)])
    });
    Table { caption: caption.to_owned(), columns: vec!["relation", "questions", "MRR"], rows: rows.collect() }
}
