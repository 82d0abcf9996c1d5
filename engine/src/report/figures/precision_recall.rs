//! How many links are right, the more of them are found?

use super::{Axes, BOTTOM, LEFT, Marks, RIGHT, SIZE, Scale, TOP, Words, figure, path};
use crate::report::contents::CurvePoint;
use crate::report::markup::Html;
use crate::report::numbers;

/// Draws the curve as the area counts it: in steps, without a slope between thresholds.
pub(in crate::report) fn draw(html: &mut Html, points: &[CurvePoint], auprc: f64) {
    let unit = |from, to| Scale { low: 0.0, high: 1.0, from, to };
    let axes = Axes { x: unit(LEFT, RIGHT), y: unit(BOTTOM, TOP) };
    let steps = steps(points);
    let places: Vec<(f64, f64)> = steps.iter().map(|&(x, y)| (axes.x.at(x), axes.y.at(y))).collect();
    let words = Words {
        title: "Precision and recall".to_owned(),
        description: format!(
            "The area under the curve is {}. {}",
            numbers::share(auprc),
            [0.5, 0.8, 0.95].map(|recall| at_recall(&steps, recall)).join(" ")
        ),
        legend: Vec::new(),
        marks: Marks::Lines,
    };
    figure(html, SIZE, &words, |html| {
        if let (Some(first), Some(last)) = (places.first(), places.last()) {
            let below = [(last.0, BOTTOM), (first.0, BOTTOM)];
            let area = path(places.iter().copied().chain(below));
            html.empty("path", &[("d", &area), ("class", "area c0")]);
        }
        axes.draw_y(html, "recall", "precision");
        axes.draw_x(html);
        html.empty("path", &[("d", &path(places.iter().copied())), ("class", "series c0")]);
    });
}

/// The corners of the curve from left to right. Points that are no numbers are left out.
fn steps(points: &[CurvePoint]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.recall.is_finite() && point.precision.is_finite())
        .map(|point| (point.recall.clamp(0.0, 1.0), point.precision.clamp(0.0, 1.0)))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * sorted.len());
    let mut before = 0.0;
    for (recall, precision) in sorted {
        corners.extend([(before, precision), (recall, precision)]);
        before = recall;
    }
    corners
}

fn at_recall(steps: &[(f64, f64)], recall: f64) -> String {
    let precision = steps.iter().find(|step| step.0 >= recall).map_or(f64::NAN, |step| step.1);
    format!("At a recall of {recall} the precision is {}.", numbers::share(precision))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    fn point(recall: f64, precision: f64) -> CurvePoint {
        CurvePoint { recall, precision }
    }

    fn drawn(points: &[CurvePoint], auprc: f64) -> String {
        let mut html = Html::default();
        draw(&mut html, points, auprc);
        let drawn = html.finish();
        check(&drawn).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        drawn
    }

    #[test]
    fn the_area_below_the_steps_is_the_average_precision() {
        // Right, wrong, right: 1 · 1/2 + 2/3 · 1/2.
        let corners = steps(&[point(1.0, 2.0 / 3.0), point(0.5, 1.0), point(0.5, 0.5)]);
        let area: f64 = corners.windows(2).map(|pair| (pair[1].0 - pair[0].0) * pair[1].1).sum();
        assert!((area - (0.5 + 1.0 / 3.0)).abs() < 1e-12, "{corners:?}");
        assert!(corners.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn the_figure_says_its_numbers() {
        let figure = drawn(&[point(0.5, 1.0), point(1.0, 0.25)], 0.625);
        assert!(figure.contains("The area under the curve is 0.625."), "{figure}");
        assert!(figure.contains("At a recall of 0.5 the precision is 1.000."), "{figure}");
        assert!(figure.contains("At a recall of 0.95 the precision is 0.250."), "{figure}");
    }

    #[test]
    fn no_points_and_no_numbers_are_drawn_too() {
        assert!(drawn(&[], f64::NAN).contains("The area under the curve is –."));
        assert!(drawn(&[point(f64::NAN, 1.0), point(2.0, -1.0)], 0.1).contains("<svg"));
    }
}
