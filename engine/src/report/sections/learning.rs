//! How did learning go?

use super::super::contents::{Curves, RankFigures};
use super::super::figures::curves::{self, Series};
use super::super::markup::Html;
use super::super::numbers;
use super::section;

/// The loss, and the figures of validations.
pub(in crate::report) fn write(html: &mut Html, learned: &Curves) {
    section(html, "learning", "Learning", |html| {
        let best = learned.validations.iter().rev().find(|validation| validation.best);
        if let Some(best) = best {
            let (step, epoch) = (numbers::count(best.step), numbers::tick(best.epoch));
            let kept =
                format!("The model that was kept is that of step {step}, epoch {epoch}: the dotted line.");
            html.leaf("p", &[], &kept);
        }
        let best = best.map(|validation| validation.epoch);
        html.element("div", &[("class", "figures")], |html| {
            let loss = loss(learned);
            if !loss.is_empty() {
                curves::draw(
                    html,
                    &curves::Curves { title: "Loss of a fact", unit: "loss", series: loss, best },
                );
            }
            write_validation(html, learned, best, ("MRR on validation facts", "MRR"), |figures| figures.mrr);
            let hits = ("Hits@10 on validation facts", "Hits@10");
            write_validation(html, learned, best, hits, |figures| figures.hits_10);
        });
    });
}

/// One figure of all validations, a line for each graph.
fn write_validation(
    html: &mut Html,
    learned: &Curves,
    best: Option<f64>,
    (title, unit): (&str, &str),
    of: fn(&RankFigures) -> f64,
) {
    let series = by_name(learned.validations.iter().map(|point| (point.epoch, &point.graphs)), of);
    if !series.is_empty() {
        curves::draw(html, &curves::Curves { title, unit, series, best });
    }
}

/// A line for each part of the loss, in the order in which they are met.
fn loss(learned: &Curves) -> Vec<Series> {
    by_name(learned.steps.iter().map(|point| (point.epoch, &point.loss)), |loss| *loss)
}

fn by_name<'a, V: 'a>(
    points: impl Iterator<Item = (f64, &'a Vec<(String, V)>)>,
    of: impl Fn(&V) -> f64,
) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for (epoch, named) in points {
        for (name, value) in named {
            let point = (epoch, of(value));
            match series.iter_mut().find(|series| series.name == *name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name: name.clone(), points: vec![point] }),
            }
        }
    }
    // A part that is never there, as some settings have it, needs no line.
    series.retain(|series| series.points.iter().any(|point| point.1 != 0.0));
    series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::LossPoint;

    #[test]
    fn each_part_of_the_loss_has_a_line_unless_it_is_always_zero() {
        let point = |epoch: f64, total: f64, linkage: f64| LossPoint {
            step: 1,
            epoch,
            loss: [("total", total), ("linkage", linkage), ("n3", 0.0)]
                .map(|(name, v)| (name.to_owned(), v))
                .into(),
        };
        let learned = Curves { steps: vec![point(1.0, 3.0, 0.0), point(2.0, 2.0, 1.0)], validations: vec![] };
        let expected = [("total", [(1.0, 3.0), (2.0, 2.0)]), ("linkage", [(1.0, 0.0), (2.0, 1.0)])]
            .map(|(name, points)| Series { name: name.to_owned(), points: points.into() });
        assert_eq!(loss(&learned), expected);
    }
}
