//! What does the page as a whole look like?

use super::Report;
use super::markup::Html;
use super::sections::{header, learning, links, summary, triples};

/// Nothing is fetched and nothing is run, whatever a name may contain.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The whole page.
pub(super) fn page(report: &Report) -> String {
    document(header::title(report), |html| body(html, report))
}

/// A document with the looks of the report.
pub(super) fn document(title: &str, body: impl FnOnce(&mut Html)) -> String {
    let mut html = Html::default();
    html.element("html", &[("lang", "en")], |html| {
        html.element("head", &[], |html| {
            html.empty("meta", &[("charset", "utf-8")]);
            html.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
            html.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            html.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            html.leaf("title", &[], title);
            html.style(include_str!("page.css"));
        });
        html.element("body", &[], body);
    });
    format!("<!doctype html>\n{}", html.finish())
}

fn body(html: &mut Html, report: &Report) {
    header::write(html, report);
    html.element("main", &[], |html| {
        if is_empty(report) {
            html.leaf("p", &[("class", "lead")], "There is nothing to report yet.");
        }
        header::write_headline(html, report);
        report.triples.first().inspect(|_| triples::write(html, &report.triples));
        report.links.first().inspect(|_| links::write(html, &report.links));
        report.curves.as_ref().inspect(|curves| learning::write(html, curves));
        report.data.as_ref().inspect(|data| summary::write_data(html, data));
        report.run.as_ref().inspect(|run| summary::write_run(html, run));
    });
    html.element("footer", &[], |html| {
        html.text("Written by linknbed");
        if let Some(run) = &report.run {
            html.text(&format!(" {}", run.program));
        }
        html.text(". The same figures, with all their digits, are in report.json.");
    });
}

fn is_empty(report: &Report) -> bool {
    let Report { title: _, about: _, on: _, data, run, curves, triples, links } = report;
    data.is_none() && run.is_none() && curves.is_none() && triples.is_empty() && links.is_empty()
}
