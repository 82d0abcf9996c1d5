//! Which evidence moved a probability, and how far?
//!
//! A bar for each step, from where the step before it ended, down to the logarithm of the odds and the probability.

use super::{Marks, Scale, Words, figure, line, pixels, text};
use crate::report::markup::Html;
use crate::report::numbers;
use crate::report::reasons::{Reasons, hundredths};

/// More kinds of evidence than this are drawn as one.
const MOST_PARTS: usize = 9;
/// More letters do not fit beside the bars.
const LETTERS: usize = 25;
/// Names stand left of the bars, and numbers right of them.
const LEFT: f64 = 174.0;
const RIGHT: f64 = 372.0;
const WIDTH: f64 = 420.0;
const TOP: f64 = 4.0;
const ROW: f64 = 21.0;
const BAR: f64 = 13.0;
/// What hardly moves anything is still seen.
const THINNEST: f64 = 1.0;

/// What a bar stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// It speaks for the pair.
    For,
    /// It speaks against it.
    Against,
    /// What comes out.
    Sum,
    /// What could have come out.
    Whole,
}

impl Meaning {
    fn class(self) -> &'static str {
        match self {
            Self::For => "speaks-for",
            Self::Against => "speaks-against",
            Self::Sum => "bar-of",
            Self::Whole => "whole",
        }
    }
}

/// Draws the steps; where something is no number there is nothing to draw.
pub(in crate::report) fn draw(html: &mut Html, reasons: &Reasons, probability: f64) {
    let steps = reasons.steps(MOST_PARTS);
    let Some(places) = hundredths(&steps) else { return };
    let sum = places.last().map_or(0, |place| place.1);
    let nats = |hundredths: i64| hundredths as f64 / 100.0;
    let scale = Scale::around(places.iter().map(|place| nats(place.1)).chain([0.0]), LEFT, RIGHT);
    let told = steps.iter().zip(&places).map(|(step, place)| (step.name.as_str(), signed(place.1 - place.0)));
    let told: Vec<(&str, String)> = told.collect();
    let words = Words {
        title: "What moved the probability, in nats".to_owned(),
        description: description(&told, sum, probability),
        legend: Vec::new(),
        marks: Marks::Points,
    };
    let row = |at: usize| TOP + ROW * at as f64;
    let ticks = row(steps.len() + 1) + 14.0;
    figure(html, (WIDTH, ticks + ROW + 8.0), &words, |html| {
        for value in scale.ticks() {
            let x = scale.at(value);
            line(html, (x, TOP), (x, row(steps.len() + 1)), if value == 0.0 { "axis" } else { "grid" });
            text(html, (x, ticks), "middle", &numbers::tick(value));
        }
        for (at, ((name, change), &(from, to))) in told.iter().zip(&places).enumerate() {
            let ends = [from, to].map(|place| scale.at(nats(place)));
            let meaning = if to < from { Meaning::Against } else { Meaning::For };
            bar(html, row(at), ends, meaning);
            line(html, (ends[1], row(at) + BAR), (ends[1], row(at + 1)), "joint");
            beside(html, row(at), name, change);
        }
        bar(html, row(steps.len()), [scale.at(0.0), scale.at(nats(sum))], Meaning::Sum);
        beside(html, row(steps.len()), "log-odds", &signed(sum));
        let last = ticks + 8.0;
        let share = if probability.is_finite() { probability.clamp(0.0, 1.0) } else { 0.0 };
        bar(html, last, [LEFT, RIGHT], Meaning::Whole);
        bar(html, last, [LEFT, LEFT + share * (RIGHT - LEFT)], Meaning::Sum);
        beside(html, last, "probability", &numbers::share(probability));
    });
}

fn bar(html: &mut Html, top: f64, ends: [f64; 2], meaning: Meaning) {
    let (left, wide) = (ends[0].min(ends[1]), (ends[0] - ends[1]).abs().max(THINNEST));
    let [x, y, width, height] = [left, top, wide, BAR].map(pixels);
    let class = meaning.class();
    html.empty("rect", &[("x", &x), ("y", &y), ("width", &width), ("height", &height), ("class", class)]);
}

/// The name of a bar and its number, one on each side.
fn beside(html: &mut Html, top: f64, name: &str, number: &str) {
    text(html, (0.0, top + 11.0), "step", &short(name));
    text(html, (WIDTH, top + 11.0), "end step", number);
}

fn short(name: &str) -> String {
    match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

/// Hundredths of a nat, with a sign.
pub(in crate::report) fn signed(hundredths: i64) -> String {
    let sign = if hundredths < 0 { '−' } else { '+' };
    let size = hundredths.unsigned_abs();
    format!("{sign}{}.{:02}", numbers::count(size / 100), size % 100)
}

fn description(told: &[(&str, String)], sum: i64, probability: f64) -> String {
    let mut words: Vec<String> = told.iter().map(|(name, change)| format!("{name}: {change}")).collect();
    words.push(format!("Together: {}, a probability of {}", signed(sum), numbers::share(probability)));
    words.join(". ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    fn reasons(parts: &[(&str, f64)]) -> Reasons {
        let parts = parts.iter().map(|&(name, nats)| (name.to_owned(), nats)).collect();
        Reasons { against: -4.0, parts, rivals: -0.333, slope: 0.9, shift: 0.1 }
    }

    fn drawn(reasons: &Reasons, probability: f64) -> String {
        let mut html = Html::default();
        draw(&mut html, reasons, probability);
        let drawn = html.finish();
        check(&drawn).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        drawn
    }

    /// The numbers that stand right of the bars.
    fn numbers_of(drawn: &str) -> Vec<f64> {
        let texts = drawn.split("class=\"end step\">").skip(1);
        let number = |text: &str| text.split('<').next().unwrap().replace('−', "-").parse().unwrap();
        texts.map(number).collect()
    }

    /// Where the bars of some class begin and end.
    fn bars_of(drawn: &str, class: &str) -> Vec<(f64, f64)> {
        let bars = drawn.split("<rect ").skip(1).filter(|bar| bar.contains(&format!("class=\"{class}\"")));
        let value = |bar: &str, name: &str| -> f64 {
            let from = bar.split(&format!("{name}=\"")).nth(1).unwrap();
            from.split('"').next().unwrap().parse().unwrap()
        };
        bars.map(|bar| (value(bar, "x"), value(bar, "x") + value(bar, "width"))).collect()
    }

    #[test]
    fn numbers_add_up_and_end_at_the_probability() {
        let many: Vec<(String, f64)> =
            (0..14).map(|at| (format!("part {at}"), f64::from(at) * 0.337 - 1.0)).collect();
        let many: Vec<(&str, f64)> = many.iter().map(|(name, nats)| (name.as_str(), *nats)).collect();
        for reasons in [reasons(&[]), reasons(&[("a", 6.006), ("b", -1.004), ("c", 0.005)]), reasons(&many)] {
            let odds = reasons.log_odds();
            let probability = 1.0 / (1.0 + (-odds).exp());
            let numbers = numbers_of(&drawn(&reasons, probability));
            let (steps, last) = numbers.split_at(numbers.len() - 2);
            let sum: f64 = steps.iter().sum();
            assert!((sum - last[0]).abs() < 1e-9, "{numbers:?}");
            assert!((last[0] - odds).abs() < 0.0051, "{odds} {numbers:?}");
            assert!((last[1] - probability).abs() < 0.00051, "{probability} {numbers:?}");
            assert!(steps.len() <= MOST_PARTS + 3);
        }
    }

    #[test]
    fn bars_are_as_long_as_their_numbers_and_hang_together() {
        // From 0 to −4, to 2, to 1.667 and to 1.6: the axis goes from −4 to 2, so a nat is 33 wide.
        let figure = drawn(&reasons(&[("name: letters", 6.0)]), 0.832);
        assert_eq!(bars_of(&figure, "speaks-for"), [(174.0, 372.0)]);
        let against = bars_of(&figure, "speaks-against");
        assert_eq!(against[0], (174.0, 306.0));
        assert!((against[1].1 - 372.0).abs() < 0.2 && (against[1].0 - 361.0).abs() < 0.3, "{against:?}");
        assert!((against[2].1 - against[1].0).abs() < 0.2, "{against:?}");
        assert!(figure.contains("name: letters: +6.00. rivals: −0.33. calibration: −0.07. Together: +1.60"));
    }

    #[test]
    fn names_stay_text_and_long_ones_are_cut() {
        let figure =
            drawn(&reasons(&[("<script>&", 1.0), ("a name that is far longer than its place", 2.0)]), 0.5);
        assert!(figure.contains("&lt;script&gt;&amp;") && !figure.contains("<script"), "{figure}");
        assert!(figure.contains(">a name that is far longe…</text>"), "{figure}");
    }

    #[test]
    fn what_is_no_number_is_not_drawn() {
        assert_eq!(drawn(&reasons(&[("odd", f64::NAN)]), 0.5), "");
        assert!(drawn(&reasons(&[]), f64::NAN).contains("a probability of –."));
    }

    #[test]
    fn numbers_have_a_sign_and_two_digits() {
        assert_eq!([-405, -5, 0, 123_456].map(signed), ["−4.05", "−0.05", "+0.00", "+1\u{202f}234.56"]);
    }
}
