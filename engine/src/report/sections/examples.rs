//! What do right and wrong links look like?
//!
//! Two entities side by side, as their graphs tell them, with a mark on what both tell.

use super::super::contents::{Described, LinkExample, LinkSection, Outcome};
use super::super::markup::Html;
use super::super::numbers;
use super::super::tables::bar;

/// More attributes than this are only counted.
const MOST_ATTRIBUTES: usize = 10;
/// So many of a list are open from the beginning.
const OPEN: usize = 1;

/// Wrong links, then right ones: one learns more from the former.
pub(super) fn write(html: &mut Html, section: &LinkSection) {
    for (title, examples) in
        [("Links that went wrong", &section.wrong), ("Links that are right", &section.right)]
    {
        if examples.is_empty() {
            continue;
        }
        html.leaf("h4", &[], title);
        html.element("div", &[("class", "examples")], |html| {
            for (at, example) in examples.iter().enumerate() {
                write_example(html, &section.graphs, example, at < OPEN);
            }
        });
    }
}

fn write_example(html: &mut Html, graphs: &[String; 2], example: &LinkExample, open: bool) {
    let attributes: &[_] = if open { &[("open", "open")] } else { &[] };
    html.element("details", attributes, |html| {
        html.element("summary", &[], |html| {
            html.element("span", &[("class", "names")], |html| {
                html.name(&example.first.name);
                html.leaf("span", &[("class", "with")], " and ");
                html.name(&example.second.name);
            });
            let (class, word) = verdict(example.outcome);
            html.element("span", &[("class", "verdict")], |html| {
                html.leaf("b", &[("class", class)], word);
                html.text(" ");
                bar(html, example.probability);
                html.text(&numbers::share(example.probability));
            });
        });
        if !example.why.is_empty() {
            html.leaf("p", &[("class", "why")], &example.why);
        }
        html.element("div", &[("class", "sides")], |html| {
            write_side(html, &graphs[0], &example.first, &example.second);
            write_side(html, &graphs[1], &example.second, &example.first);
        });
    });
}

/// The class and the word of an outcome.
fn verdict(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Found => ("good", "found"),
        Outcome::Missed => ("bad", "missed"),
        Outcome::Mistaken => ("bad", "mistaken"),
    }
}

fn write_side(html: &mut Html, graph: &str, own: &Described, other: &Described) {
    html.element("div", &[], |html| {
        html.element("p", &[("class", "of")], |html| html.name(graph));
        html.element("p", &[("class", "entity")], |html| html.name(&own.name));
        html.element("p", &[("class", "counts")], |html| {
            html.text(&facts(own));
            if !own.types.is_empty() {
                html.text("; ");
                html.name(&own.types.join(", "));
            }
        });
        if own.attributes.is_empty() {
            html.leaf("p", &[("class", "counts")], "no attributes");
        } else {
            html.element("dl", &[("class", "attributes")], |html| write_attributes(html, own, other));
        }
    });
}

fn facts(entity: &Described) -> String {
    let [all, subject, object] = [entity.facts(), entity.as_subject, entity.as_object].map(numbers::count);
    match entity.facts() {
        0 => "no facts".to_owned(),
        1 if entity.as_subject == 1 => "1 fact, as subject".to_owned(),
        1 => "1 fact, as object".to_owned(),
        _ => format!("{all} facts: {subject} as subject, {object} as object"),
    }
}

/// What both tell stands first, so that it is never among what is only counted.
fn write_attributes(html: &mut Html, own: &Described, other: &Described) {
    let (shared, single): (Vec<_>, Vec<_>) =
        own.attributes.iter().partition(|(_, value)| other.has_value(value));
    let marked = shared.iter().map(|attribute| (attribute, true));
    let all = marked.chain(single.iter().map(|attribute| (attribute, false)));
    for ((key, value), is_shared) in all.take(MOST_ATTRIBUTES) {
        let attributes: &[_] =
            if is_shared { &[("class", "shared"), ("title", "in both graphs")] } else { &[] };
        html.element("div", attributes, |html| {
            html.element("dt", &[], |html| html.name(key));
            html.element("dd", &[], |html| {
                html.name(value);
                if is_shared {
                    html.leaf("span", &[("class", "mark")], " ✓ both");
                }
            });
        });
    }
    let more = own.attributes.len().saturating_sub(MOST_ATTRIBUTES);
    if more > 0 {
        html.element("div", &[("class", "more")], |html| {
            html.leaf("dt", &[], "…");
            html.leaf("dd", &[], &format!("and {} more", numbers::count(more as u64)));
        });
    }
}
