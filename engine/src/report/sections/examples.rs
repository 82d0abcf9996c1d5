//! What do right and wrong links look like?
//!
//! Two entities side by side, as their graphs tell them, with a mark on what both tell; and, where it is known, what moved
//! the probability of the pair.

use super::super::contents::{Described, LinkExample, LinkSection, Outcome};
use super::super::figures::waterfall::{self, signed};
use super::super::markup::Html;
use super::super::numbers;
use super::super::reasons::{Reasons, Standing, hundredths};
use super::super::tables::{Cell, Row, Table, bar};
use crate::link::USUAL_LEAST;

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
        if let Some(standing) = &example.standing {
            write_standing(html, example, standing);
        }
        html.element("div", &[("class", "sides")], |html| {
            write_side(html, &graphs[0], &example.first, &example.second);
            write_side(html, &graphs[1], &example.second, &example.first);
        });
        if let Some(reasons) = &example.reasons {
            waterfall::draw(html, reasons, example.probability);
            write_steps(html, reasons);
        }
    });
}

/// Who should have stood first, and who did.
fn write_standing(html: &mut Html, example: &LinkExample, standing: &Standing) {
    let is_first = standing.place.is_some_and(|place| place <= 1.0);
    if example.outcome == Outcome::Found && is_first {
        return;
    }
    html.element("p", &[("class", "standing")], |html| {
        html.text("The true partner, ");
        html.name(&standing.partner);
        match standing.place {
            // Likely enough, and yet not taken: an entity has one partner.
            Some(_) if is_first && example.probability >= f64::from(USUAL_LEAST) => {
                html.text(", stands first, but is likelier that of another.");
            }
            Some(_) if is_first => html.text(", stands first, but is not likely enough."),
            Some(place) => html.text(&format!(", stands at place {}.", numbers::tick(place))),
            None => html.text(", was no candidate."),
        }
        match &standing.before {
            Some(before) if *before == standing.partner => html.text(" First stands another of that name."),
            Some(before) => {
                html.text(" First stands ");
                html.name(before);
                html.text(".");
            }
            None => {}
        }
    });
}

/// The steps of the figure as a table, every one of them.
fn write_steps(html: &mut Html, reasons: &Reasons) {
    let steps = reasons.steps(usize::MAX);
    let Some(places) = hundredths(&steps) else { return };
    let rows = steps.into_iter().zip(places).map(|(step, (from, to))| {
        let cells = [to - from, to].map(|number| Cell::Written(signed(number)));
        Row::Cells(step.name, cells.into())
    });
    let table = Table {
        caption: "What moved the probability, in nats".to_owned(),
        columns: vec!["evidence", "adds", "sum"],
        rows: rows.collect(),
    };
    html.element("details", &[("class", "steps")], |html| {
        html.element("summary", &[], |html| {
            html.leaf("span", &[("class", "names")], "The same numbers as a table");
        });
        table.write(html);
        let [slope, shift] = [reasons.slope, reasons.shift].map(numbers::share);
        let calibration = format!("Calibration multiplies the sum by {slope} and adds {shift}.");
        html.leaf("p", &[("class", "counts")], &calibration);
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
