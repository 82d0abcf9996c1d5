//! How is a figure drawn?
//!
//! As SVG inside the page: axes with few lines, colours by class so that they follow light and dark, a title and a
//! description for those who do not see it. Sizes are those of a phone, and grow with the column.

pub(super) mod curves;
pub(super) mod histogram;
pub(super) mod map;
pub(super) mod precision_recall;
pub(super) mod waterfall;

use super::markup::Html;
use super::numbers;

/// What a figure says to those who do not see it, and beside it to those who do.
pub(super) struct Words {
    /// What it is.
    pub(super) title: String,
    /// What can be seen on it.
    pub(super) description: String,
    /// Names of what is drawn in different colours, if more than one thing is.
    pub(super) legend: Vec<String>,
    /// How the legend shows them.
    pub(super) marks: Marks,
}

/// How things are told apart, beside their colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Lines, dashed differently.
    Lines,
    /// Points of different shapes.
    Points,
}

/// Colours repeat after so many.
const COLOURS: [&str; 5] = ["c0", "c1", "c2", "c3", "c4"];

/// The class of the colour of something.
fn colour(at: usize) -> &'static str {
    COLOURS[at % COLOURS.len()]
}

/// A figure with its words around it.
pub(super) fn figure(html: &mut Html, size: (f64, f64), words: &Words, draw: impl FnOnce(&mut Html)) {
    let number = html.next_figure();
    let (title, description) = (format!("figure-{number}-title"), format!("figure-{number}-text"));
    html.element("figure", &[], |html| {
        html.element("figcaption", &[], |html| {
            html.leaf("b", &[], &words.title);
            legend(html, words);
        });
        let view = format!("0 0 {} {}", size.0, size.1);
        let labelled = format!("{title} {description}");
        html.element("svg", &[("viewBox", &view), ("role", "img"), ("aria-labelledby", &labelled)], |html| {
            html.leaf("title", &[("id", &title)], &words.title);
            html.leaf("desc", &[("id", &description)], &words.description);
            draw(html);
        });
    });
}

fn legend(html: &mut Html, words: &Words) {
    for (at, name) in words.legend.iter().enumerate() {
        html.element("span", &[("class", "key")], |html| {
            html.element("svg", &[("viewBox", "0 0 22 10"), ("aria-hidden", "true")], |html| {
                match words.marks {
                    Marks::Lines => line(html, (1.0, 5.0), (21.0, 5.0), &format!("series {}", colour(at))),
                    Marks::Points => point(html, (11.0, 5.0), 4.0, at, None),
                }
            });
            html.name(name);
        });
    }
}

/// A straight line.
fn line(html: &mut Html, from: (f64, f64), to: (f64, f64), class: &str) {
    let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(pixels);
    html.empty("line", &[("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2), ("class", class)]);
}

/// A point: a circle for the first of two, a diamond for the second.
fn point(html: &mut Html, (x, y): (f64, f64), radius: f64, which: usize, name: Option<&str>) {
    let class = format!("point {}", colour(which));
    let name = |html: &mut Html| name.into_iter().for_each(|name| html.leaf("title", &[], name));
    if which.is_multiple_of(2) {
        let (x, y, radius) = (pixels(x), pixels(y), pixels(radius));
        html.element("circle", &[("cx", &x), ("cy", &y), ("r", &radius), ("class", &class)], name);
    } else {
        let reach = radius * 1.25;
        let corners = [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)];
        let path = corners.map(|(x, y)| format!("{} {}", pixels(x), pixels(y))).join("L");
        html.element("path", &[("d", &format!("M{path}Z")), ("class", &class)], name);
    }
}

fn text(html: &mut Html, (x, y): (f64, f64), class: &str, words: &str) {
    html.leaf("text", &[("x", &pixels(x)), ("y", &pixels(y)), ("class", class)], words);
}

/// A tenth of a pixel is enough; what is no number never gets here.
fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Where values lie along an axis.
#[derive(Debug, Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Lays values out between two places; the ends become round.
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return Self { low: 0.0, high: 1.0, from, to };
        }
        // A difference may be too large to be a number, or too small to be seen.
        let (low, high) = (low.max(-1e300), high.min(1e300));
        let high =
            if high - low > low.abs().max(high.abs()) * 1e-9 { high } else { low + low.abs().max(1.0) };
        let step = round_step((high - low) / 4.0);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values along the axis.
    fn ticks(&self) -> Vec<f64> {
        let step = round_step((self.high - self.low) / 5.0);
        let first = (self.low / step).ceil();
        let last = (self.high / step + 1e-9).floor();
        // Twelve are more than there can be, unless numbers are so large that steps are lost in them.
        (0..12).map(|at| first + f64::from(at)).take_while(|at| *at <= last).map(|at| at * step).collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `width`.
fn round_step(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    round.into_iter().find(|step| *step >= width * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A figure with two axes.
#[derive(Debug, Clone, Copy)]
struct Axes {
    x: Scale,
    y: Scale,
}

/// The size of a figure with axes.
const SIZE: (f64, f64) = (420.0, 270.0);
const LEFT: f64 = 46.0;
const RIGHT: f64 = 408.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 226.0;

impl Axes {
    /// Lines and numbers of the y axis, and the names of both.
    fn draw_y(&self, html: &mut Html, x_name: &str, y_name: &str) {
        for value in self.y.ticks() {
            let y = self.y.at(value);
            line(html, (LEFT, y), (RIGHT, y), if value == 0.0 { "axis" } else { "grid" });
            text(html, (LEFT - 6.0, y + 4.0), "end", &numbers::tick(value));
        }
        text(html, ((LEFT + RIGHT) / 2.0, SIZE.1 - 6.0), "middle label", x_name);
        let turned = format!("translate(12 {}) rotate(-90)", (TOP + BOTTOM) / 2.0);
        html.leaf("text", &[("class", "middle label"), ("transform", &turned)], y_name);
    }

    /// Numbers of the x axis.
    fn draw_x(&self, html: &mut Html) {
        line(html, (LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
        for value in self.x.ticks() {
            let x = self.x.at(value);
            line(html, (x, BOTTOM), (x, BOTTOM + 4.0), "axis");
            text(html, (x, BOTTOM + 18.0), "middle", &numbers::tick(value));
        }
    }
}

/// A path through points; it is broken where one is no number.
fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let (mut path, mut drawing) = (String::new(), false);
    for (x, y) in points {
        if x.is_finite() && y.is_finite() {
            path.push_str(&format!("{}{} {}", if drawing { "L" } else { "M" }, pixels(x), pixels(y)));
        }
        drawing = x.is_finite() && y.is_finite();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        let steps = [0.3, 1.0, 1.1, 4.0, 7.0, 0.02, 130.0].map(round_step);
        assert_eq!(steps.map(numbers::tick), ["0.5", "1", "2", "5", "10", "0.02", "200"]);
    }

    #[test]
    fn a_scale_covers_its_values_with_round_ends() {
        let scale = Scale::around([0.13, 0.87, f64::NAN].into_iter(), 0.0, 100.0);
        assert_eq!((scale.low, scale.high), (0.0, 1.0));
        assert_eq!(scale.at(0.25), 25.0);
        assert_eq!(scale.ticks().len(), 6);
    }

    #[test]
    fn odd_values_still_make_a_scale() {
        let odd: [&[f64]; 6] =
            [&[], &[3.0], &[0.0, 0.0], &[-1e308, 1e308], &[f64::INFINITY, 1.0], &[1e15, 1e15 + 1.0]];
        for values in odd {
            let scale = Scale::around(values.iter().copied(), 10.0, 90.0);
            assert!(scale.low < scale.high, "{values:?} {scale:?}");
            let ticks = scale.ticks();
            assert!(!ticks.is_empty() && ticks.len() <= 12, "{values:?} {ticks:?}");
            for value in values.iter().filter(|value| value.abs() < 1e300) {
                assert!((9.9..90.1).contains(&scale.at(*value)), "{value} {scale:?}");
            }
        }
    }

    #[test]
    fn a_path_is_broken_where_there_is_no_number() {
        let points = [(0.0, 1.0), (1.0, 2.25), (2.0, f64::NAN), (3.0, 4.0), (5.0, 6.0)];
        assert_eq!(path(points.into_iter()), "M0 1L1 2.2M3 4L5 6");
    }
}
