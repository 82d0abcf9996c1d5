//! How well are entities linked?

use super::super::contents::{LinkSection, Proposed};
use super::super::figures::{map, precision_recall};
use super::super::markup::Html;
use super::super::numbers;
use super::super::tables::{Cell, Row, Table};
use super::{examples, section, terms};

/// The figures of each pair of graphs.
pub(in crate::report) fn write(html: &mut Html, pairs: &[(String, LinkSection)]) {
    section(html, "links", "Links", |html| {
        for (name, section) in pairs {
            html.element("article", &[], |html| write_pair(html, name, section));
        }
    });
}

fn write_pair(html: &mut Html, name: &str, section: &LinkSection) {
    html.element("h3", &[], |html| html.name(name));
    html.leaf("p", &[("class", "protocol")], &section.protocol);
    let (count, candidates) = (numbers::count(section.count), numbers::count(section.candidates));
    let part = section.split.name();
    let mut counts = format!("{count} known links of the {part} part, {candidates} entities to choose from.");
    if let Some(Proposed { pairs, recall }) = section.proposed {
        let (pairs, recall) = (numbers::count(pairs), numbers::share(recall));
        counts.push_str(&format!(" {pairs} pairs were compared, {recall} of these links among them."));
    }
    html.leaf("p", &[("class", "counts")], &counts);
    let figures = [
        ("F1", section.f1),
        ("precision", section.precision),
        ("recall", section.recall),
        ("AUPRC", section.auprc),
    ];
    terms(html, &figures.map(|(name, figure)| (name, numbers::share(figure))));
    partners(section).write(html);
    html.element("div", &[("class", "figures wide")], |html| {
        if !section.curve.is_empty() {
            precision_recall::draw(html, &section.curve, section.auprc);
        }
        if !section.map.is_empty() {
            map::draw(html, &section.map, &section.graphs);
        }
    });
    examples::write(html, section);
}

fn partners(section: &LinkSection) -> Table {
    let among = [
        ("all entities of the other graph", Some(section.all)),
        ("partners of this part only", section.labelled),
    ];
    let rows = among.into_iter().filter_map(|(name, figures)| {
        let figures = figures?;
        let cells = vec![Cell::Bar(figures.mrr), Cell::Share(figures.hits_1), Cell::Share(figures.hits_10)];
        Some(Row::Cells(name.to_owned(), cells))
    });
    Table {
        caption: "Where the true partner stands".to_owned(),
        columns: vec!["among", "MRR", "Hits@1", "Hits@10"],
        rows: rows.collect(),
    }
}
