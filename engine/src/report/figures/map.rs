//! Do partners lie beside each other?

use std::collections::BTreeMap;

use super::{Marks, Words, figure, line, point};
use crate::report::contents::MapPoint;
use crate::report::markup::Html;

const SIZE: (f64, f64) = (520.0, 380.0);
/// The room for points at the edge.
const MARGIN: f64 = 12.0;

/// Draws entities of two graphs, with a line between partners.
pub(in crate::report) fn draw(html: &mut Html, points: &[MapPoint], graphs: &[String; 2]) {
    let points: Vec<&MapPoint> =
        points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
    let places = places(&points);
    let pairs = pairs(&points);
    let words = Words {
        title: "Linked entities in the plane in which they differ most".to_owned(),
        description: description(&points, &pairs),
        legend: graphs.to_vec(),
        marks: Marks::Points,
    };
    figure(html, SIZE, &words, |html| {
        for &(first, second) in &pairs {
            line(html, places[first], places[second], "partners");
        }
        for (entity, place) in points.iter().zip(&places) {
            point(html, *place, 3.4, entity.graph.min(1), Some(&entity.name));
        }
    });
}

/// Both directions are drawn to the same scale, so that distances can be compared.
fn places(points: &[&MapPoint]) -> Vec<(f64, f64)> {
    let middle_and_reach = |of: fn(&MapPoint) -> f32| {
        let values = || points.iter().map(|point| f64::from(of(point)));
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        ((low + high) / 2.0, (high - low) / 2.0)
    };
    let (x, x_reach) = middle_and_reach(|point| point.x);
    let (y, y_reach) = middle_and_reach(|point| point.y);
    let fit = |size: f64, reach: f64| if reach > 0.0 { (size / 2.0 - MARGIN) / reach } else { f64::INFINITY };
    let scale = fit(SIZE.0, x_reach).min(fit(SIZE.1, y_reach));
    let scale = if scale.is_finite() { scale } else { 1.0 };
    let place = |point: &&MapPoint| {
        let (dx, dy) = (f64::from(point.x) - x, f64::from(point.y) - y);
        (SIZE.0 / 2.0 + dx * scale, SIZE.1 / 2.0 - dy * scale)
    };
    points.iter().map(place).collect()
}

/// Partners, by their places in the list.
fn pairs(points: &[&MapPoint]) -> Vec<(usize, usize)> {
    let mut firsts: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, point) in points.iter().enumerate().filter(|(_, point)| point.graph == 0) {
        firsts.entry(point.pair).or_insert(at);
    }
    let seconds = points.iter().enumerate().filter(|(_, point)| point.graph != 0);
    seconds.filter_map(|(at, point)| Some((*firsts.get(&point.pair)?, at))).collect()
}

/// How near partners are, compared with any two.
fn description(points: &[&MapPoint], pairs: &[(usize, usize)]) -> String {
    let apart = |a: &MapPoint, b: &MapPoint| f64::from(a.x - b.x).hypot(f64::from(a.y - b.y));
    let mut near = 0;
    for &(first, second) in pairs {
        let own = apart(points[first], points[second]);
        let others = points.iter().filter(|other| other.graph != 0);
        near += usize::from(!others.into_iter().any(|other| apart(points[first], other) < own));
    }
    format!(
        "{} entities, {} pairs of partners joined by a line; in {near} of them the partner is the nearest entity of the other graph on this map.",
        points.len(),
        pairs.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    fn entity(x: f32, y: f32, graph: usize, pair: u32) -> MapPoint {
        MapPoint { x, y, graph, pair, name: "<&>".to_owned() }
    }

    fn drawn(points: &[MapPoint]) -> String {
        let mut html = Html::default();
        draw(&mut html, points, &["A".to_owned(), "B".to_owned()]);
        let drawn = html.finish();
        check(&drawn).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        drawn
    }

    #[test]
    fn partners_are_joined_and_counted() {
        let points =
            [entity(0.0, 0.0, 0, 1), entity(1.0, 0.0, 1, 1), entity(9.0, 9.0, 0, 2), entity(1.5, 0.0, 1, 2)];
        let figure = drawn(&points);
        assert_eq!(figure.matches("class=\"partners\"").count(), 2);
        assert!(figure.contains("4 entities, 2 pairs of partners"), "{figure}");
        assert!(figure.contains("in 2 of them"), "{figure}");
    }

    #[test]
    fn distances_have_one_scale_and_stay_inside() {
        let points =
            [entity(0.0, 0.0, 0, 1), entity(4.0, 0.0, 1, 1), entity(0.0, 1.0, 0, 2), entity(4.0, 1.0, 1, 2)];
        let places = places(&points.iter().collect::<Vec<_>>());
        let (wide, high) = (places[1].0 - places[0].0, places[0].1 - places[2].1);
        assert!((wide - 4.0 * high).abs() < 1e-9, "{places:?}");
        assert!(places.iter().all(|&(x, y)| (0.0..SIZE.0).contains(&x) && (0.0..SIZE.1).contains(&y)));
    }

    #[test]
    fn odd_points_are_drawn_too() {
        assert!(drawn(&[]).contains("0 entities"));
        assert!(drawn(&[entity(1.0, 1.0, 0, 7)]).contains("<circle"));
        assert!(
            drawn(&[entity(f32::NAN, 1.0, 0, 7), entity(0.0, 0.0, 5, 7)]).contains("1 entities, 0 pairs")
        );
        assert!(
            drawn(&[entity(f32::MAX, 1.0, 0, 7), entity(f32::MIN, 0.0, 1, 7)])
                .contains("2 entities, 1 pairs")
        );
    }
}
