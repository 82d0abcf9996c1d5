//! What does one want to know first?

use super::super::Report;
use super::super::markup::Html;
use super::super::numbers;

/// The title of the page.
pub(in crate::report) fn title(report: &Report) -> &str {
    if report.title.is_empty() { "Report" } else { &report.title }
}

/// The title, a sentence, and where to find what.
pub(in crate::report) fn write(html: &mut Html, report: &Report) {
    html.element("header", &[], |html| {
        html.element("h1", &[], |html| html.name(title(report)));
        if !report.about.is_empty() {
            html.leaf("p", &[("class", "lead")], &report.about);
        }
        let sections = [
            ("#facts", "Facts", !report.triples.is_empty()),
            ("#links", "Links", !report.links.is_empty()),
            ("#learning", "Learning", report.curves.is_some()),
            ("#data", "Data", report.data.is_some()),
            ("#settings", "Settings", report.run.is_some()),
        ];
        let there: Vec<_> = sections.iter().filter(|(.., there)| *there).collect();
        if there.len() > 1 {
            html.element("nav", &[("aria-label", "Sections")], |html| {
                there.iter().for_each(|(target, name, _)| html.leaf("a", &[("href", target)], name));
            });
        }
    });
}

/// The figures of record, large.
pub(in crate::report) fn write_headline(html: &mut Html, report: &Report) {
    if report.triples.is_empty() && report.links.is_empty() {
        return;
    }
    html.element("div", &[("class", "tiles")], |html| {
        for (graph, section) in &report.triples {
            let figures = &section.filtered.both;
            let beside = format!("Hits@10 {}", numbers::share(figures.hits_10));
            tile(html, ("Facts, ", graph), "MRR", figures.mrr, &beside);
        }
        for (pair, section) in &report.links {
            let beside = format!(
                "AUPRC {}, Hits@1 {}",
                numbers::share(section.auprc),
                numbers::share(section.all.hits_1)
            );
            tile(html, ("Links, ", pair), "F1", section.f1, &beside);
        }
    });
}

fn tile(html: &mut Html, (kind, of): (&str, &str), unit: &str, figure: f64, beside: &str) {
    html.element("div", &[("class", "tile")], |html| {
        html.element("p", &[("class", "of")], |html| {
            html.text(kind);
            html.name(of);
        });
        html.element("p", &[("class", "figure")], |html| {
            html.leaf("b", &[], &numbers::share(figure));
            html.text(" ");
            html.leaf("span", &[], unit);
        });
        html.leaf("p", &[("class", "beside")], beside);
    });
}
