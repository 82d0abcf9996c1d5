//! At which ranks do the right answers stand?

use super::{Axes, BOTTOM, LEFT, Marks, RIGHT, SIZE, Scale, TOP, Words, figure, pixels, text};
use crate::report::contents::RankBin;
use crate::report::markup::Html;
use crate::report::numbers;

/// More numbers do not fit below the bars.
const MOST_NUMBERS: usize = 8;

/// Draws a bar for each bin, as high as its share.
pub(in crate::report) fn draw(html: &mut Html, bins: &[RankBin]) {
    let total = bins.iter().map(|bin| bin.count as f64).sum::<f64>().max(1.0);
    let shares: Vec<f64> = bins.iter().map(|bin| bin.count as f64 / total * 100.0).collect();
    let y = Scale::around(shares.iter().copied().chain([0.0]), BOTTOM, TOP);
    let axes = Axes { x: Scale { low: 0.0, high: 1.0, from: LEFT, to: RIGHT }, y };
    let words = Words {
        title: "Where the right answer stands".to_owned(),
        description: description(bins, &shares),
        legend: Vec::new(),
        marks: Marks::Points,
    };
    figure(html, SIZE, &words, |html| {
        axes.draw_y(html, "rank of the right answer: from here to the next bar", "% of questions");
        let width = (RIGHT - LEFT) / bins.len().max(1) as f64;
        let every = bins.len().div_ceil(MOST_NUMBERS).max(1);
        for (at, (bin, share)) in bins.iter().zip(&shares).enumerate() {
            let left = LEFT + width * at as f64;
            let place = [left + width * 0.1, y.at(*share), width * 0.8, BOTTOM - y.at(*share)].map(pixels);
            let [x, top, wide, high] = &place;
            let size =
                [("x", x.as_str()), ("y", top), ("width", wide), ("height", high), ("class", "bar-of c0")];
            html.element("rect", &size, |html| {
                html.leaf("title", &[], &format!("{}: {}", range(bin), numbers::count(bin.count)));
            });
            if at % every == 0 {
                text(html, (left + width / 2.0, BOTTOM + 18.0), "middle", &short(bin));
            }
        }
    });
}

fn range(bin: &RankBin) -> String {
    match bin.from == bin.to {
        true => format!("rank {}", numbers::count(bin.from)),
        false => format!("ranks {} to {}", numbers::count(bin.from), numbers::count(bin.to)),
    }
}

/// The first rank of a bin, where there is little room.
fn short(bin: &RankBin) -> String {
    match bin.from {
        from @ 0..1_000 => from.to_string(),
        from @ 1_000..1_000_000 => format!("{}k", from / 1_000),
        from => numbers::tick((from / 1_000_000) as f64 * 1e6),
    }
}

fn description(bins: &[RankBin], shares: &[f64]) -> String {
    let told = bins.iter().zip(shares).filter(|(bin, _)| bin.count > 0);
    let told: Vec<String> = told.map(|(bin, share)| format!("{}: {share:.1} %", range(bin))).collect();
    if told.is_empty() { "No ranks.".to_owned() } else { format!("{}.", told.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    fn drawn(bins: &[RankBin]) -> String {
        let mut html = Html::default();
        draw(&mut html, bins);
        let drawn = html.finish();
        check(&drawn).unwrap();
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{drawn}");
        drawn
    }

    #[test]
    fn bars_are_as_high_as_their_share() {
        let bins = [(1, 1, 3), (2, 3, 0), (4, 7, 1)].map(|(from, to, count)| RankBin { from, to, count });
        let figure = drawn(&bins);
        assert!(figure.contains("rank 1: 75.0 %; ranks 4 to 7: 25.0 %."), "{figure}");
        // The axis goes to 80 %, so 75 % are 214 · 75 / 80 high.
        assert!(figure.contains("height=\"200.6\""), "{figure}");
        assert!(figure.contains("height=\"0\""), "{figure}");
        assert!(figure.contains(">4</text>"), "{figure}");
    }

    #[test]
    fn nothing_and_too_much_are_drawn_too() {
        assert!(drawn(&[]).contains("No ranks."));
        let bins: Vec<RankBin> = (0..64)
            .map(|i| RankBin { from: 1 << i, to: (1 << i) * 2 - 1, count: u64::MAX / 64 })
            .take(63)
            .collect();
        assert!(drawn(&bins).matches("class=\"middle\"").count() <= MOST_NUMBERS);
        assert!(drawn(&[RankBin::default()]).contains("<rect"));
    }
}
