//! How did something change over time?

use super::{Axes, BOTTOM, LEFT, Marks, RIGHT, SIZE, Scale, TOP, Words, colour, figure, path, point};
use crate::report::markup::Html;
use crate::report::numbers;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Series {
    /// Its name in the legend.
    pub(in crate::report) name: String,
    /// Its points, from left to right.
    pub(in crate::report) points: Vec<(f64, f64)>,
}

/// Lines over the epochs.
pub(in crate::report) struct Curves<'a> {
    /// What is drawn.
    pub(in crate::report) title: &'a str,
    /// What the y axis counts.
    pub(in crate::report) unit: &'a str,
    /// The lines.
    pub(in crate::report) series: Vec<Series>,
    /// Where the model was kept.
    pub(in crate::report) best: Option<f64>,
}

/// More points than a line of this width can show.
const MOST: usize = 300;

/// Draws lines.
pub(in crate::report) fn draw(html: &mut Html, curves: &Curves<'_>) {
    let all = || curves.series.iter().flat_map(|series| &series.points);
    let x = Scale::around(all().map(|point| point.0).chain([0.0]), LEFT, RIGHT);
    // The last epoch is the end of the figure, not the next round number.
    let last = all().map(|point| point.0).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let x = if last > 0.0 && x.low == 0.0 { Scale { high: last.min(x.high), ..x } } else { x };
    let y = Scale::around(all().map(|point| point.1).chain([0.0]), BOTTOM, TOP);
    let axes = Axes { x, y };
    let legend = match curves.series.len() {
        0 | 1 => Vec::new(),
        _ => curves.series.iter().map(|series| series.name.clone()).collect(),
    };
    let words = Words {
        title: curves.title.to_owned(),
        description: description(curves),
        legend,
        marks: Marks::Lines,
    };
    figure(html, SIZE, &words, |html| {
        axes.draw_y(html, "epoch", curves.unit);
        axes.draw_x(html);
        if let Some(best) = curves.best.filter(|best| best.is_finite()) {
            super::line(html, (x.at(best), TOP), (x.at(best), BOTTOM), "kept");
        }
        for (at, series) in curves.series.iter().enumerate() {
            draw_line(html, &axes, at, &thinned(&series.points));
        }
    });
}

fn draw_line(html: &mut Html, axes: &Axes, at: usize, points: &[(f64, f64)]) {
    let places: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (axes.x.at(x), axes.y.at(y))).collect();
    let class = format!("series {}", colour(at));
    html.empty("path", &[("d", &path(places.iter().copied())), ("class", &class)]);
    if let [(x, y)] = places[..]
        && x.is_finite()
        && y.is_finite()
    {
        point(html, (x, y), 3.0, at, None);
    }
}

/// Some of the points, the last among them.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let stride = points.len().div_ceil(MOST).max(1);
    let mut kept: Vec<(f64, f64)> = points.iter().copied().step_by(stride).collect();
    if let Some(last) = points.last()
        && !(points.len() - 1).is_multiple_of(stride)
    {
        kept.push(*last);
    }
    kept
}

/// From where to where each line goes.
fn description(curves: &Curves<'_>) -> String {
    let ends = curves.series.iter().filter_map(|series| {
        let (first, last) = (series.points.first()?, series.points.last()?);
        let [from, to] = [first.1, last.1].map(numbers::share);
        Some(format!("{}: from {from} to {to}, epoch {}.", series.name, numbers::tick(last.0)))
    });
    ends.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    fn drawn(points: Vec<(f64, f64)>) -> String {
        let series = vec![Series { name: "total".to_owned(), points }];
        let mut html = Html::default();
        draw(&mut html, &Curves { title: "Loss", unit: "loss", series, best: Some(1.0) });
        let drawn = html.finish();
        check(&drawn).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        drawn
    }

    #[test]
    fn a_line_goes_through_its_points() {
        let figure = drawn(vec![(0.0, 1.0), (2.0, 0.0), (4.0, 0.5)]);
        assert!(figure.contains("d=\"M46 12L227 226L408 119\""), "{figure}");
        assert!(figure.contains("total: from 1.000 to 0.500, epoch 4."), "{figure}");
    }

    #[test]
    fn no_points_one_point_and_no_numbers_are_drawn_too() {
        assert!(drawn(vec![]).contains("<svg"));
        assert!(drawn(vec![(1.0, 0.5)]).contains("<circle"));
        assert!(drawn(vec![(1.0, f64::NAN), (f64::INFINITY, 2.0)]).contains("<svg"));
        assert!(drawn(vec![(1.0, 1e308), (2.0, -1e308)]).contains("<svg"));
    }

    #[test]
    fn many_points_become_few_and_keep_the_ends() {
        let points: Vec<(f64, f64)> = (0..10_000).map(|i| (f64::from(i), 0.0)).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= MOST + 1);
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9_999]));
        assert_eq!(thinned(&points[..7]), &points[..7]);
        assert_eq!(thinned(&[]), []);
    }
}
