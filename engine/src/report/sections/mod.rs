//! What is told in which order?
//!
//! First what was found (facts, then links), then how it came about (learning, data, settings).

pub(super) mod examples;
pub(super) mod header;
pub(super) mod learning;
pub(super) mod links;
pub(super) mod summary;
pub(super) mod triples;

use super::markup::Html;

/// A section that the contents of the page lead to.
fn section(html: &mut Html, id: &'static str, title: &str, inside: impl FnOnce(&mut Html)) {
    html.element("section", &[("id", id)], |html| {
        html.leaf("h2", &[], title);
        inside(html);
    });
}

/// Some terms with what they are.
fn terms(html: &mut Html, terms: &[(&str, String)]) {
    html.element("dl", &[("class", "terms")], |html| {
        for (term, value) in terms {
            html.element("div", &[], |html| {
                html.element("dt", &[], |html| html.name(term));
                html.element("dd", &[], |html| html.name(value));
            });
        }
    });
}
