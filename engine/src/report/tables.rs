//! How is a table written?
//!
//! With a caption, headings for columns and rows, and a box that scrolls on its own where the screen is narrow.

use super::markup::Html;
use super::numbers;

/// A table in the making.
pub(super) struct Table {
    /// What it shows.
    pub(super) caption: String,
    /// The headings; the first is that of the row's name.
    pub(super) columns: Vec<&'static str>,
    /// What stands below.
    pub(super) rows: Vec<Row>,
}

/// A row.
pub(super) enum Row {
    /// A heading for those below.
    Group(&'static str),
    /// A name and what belongs to it.
    Cells(String, Vec<Cell>),
}

/// What stands in a place of a table.
pub(super) enum Cell {
    /// A count.
    Count(u64),
    /// A figure between 0 and 1.
    Share(f64),
    /// The same, with a bar as long as it is large.
    Bar(f64),
    /// A figure of any size.
    Amount(f64),
    /// From one figure to another.
    Between(Option<(f64, f64)>),
    /// Something that is written already.
    Written(String),
}

impl Table {
    /// Writes the table.
    pub(super) fn write(&self, html: &mut Html) {
        let attributes =
            [("class", "scroll"), ("role", "region"), ("tabindex", "0"), ("aria-label", &self.caption)];
        html.element("div", &attributes, |html| {
            html.element("table", &[], |html| {
                html.leaf("caption", &[], &self.caption);
                html.element("thead", &[], |html| {
                    html.element("tr", &[], |html| {
                        self.columns.iter().for_each(|name| html.leaf("th", &[("scope", "col")], name));
                    });
                });
                html.element("tbody", &[], |html| self.rows.iter().for_each(|row| self.write_row(html, row)));
            });
        });
    }

    fn write_row(&self, html: &mut Html, row: &Row) {
        html.element("tr", &[], |html| match row {
            Row::Group(name) => {
                let span = self.columns.len().to_string();
                html.leaf("th", &[("scope", "rowgroup"), ("colspan", &span), ("class", "group")], name);
            }
            Row::Cells(name, cells) => {
                html.element("th", &[("scope", "row")], |html| html.name(name));
                cells.iter().for_each(|cell| cell.write(html));
            }
        });
    }
}

impl Cell {
    fn write(&self, html: &mut Html) {
        match self {
            Self::Written(words) => html.leaf("td", &[], words),
            Self::Count(count) => html.leaf("td", &[], &numbers::count(*count)),
            Self::Share(share) => html.leaf("td", &[], &numbers::share(*share)),
            Self::Amount(amount) => html.leaf("td", &[], &numbers::amount(*amount)),
            Self::Between(None) => html.leaf("td", &[], numbers::NONE),
            Self::Between(Some((low, high))) => {
                html.leaf("td", &[], &format!("{}…{}", numbers::share(*low), numbers::share(*high)));
            }
            Self::Bar(share) => html.element("td", &[("class", "with-bar")], |html| {
                bar(html, *share);
                html.text(&numbers::share(*share));
            }),
        }
    }
}

/// A bar beside a figure between 0 and 1; it says nothing that the figure does not.
pub(super) fn bar(html: &mut Html, share: f64) {
    let length = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let style = format!("--share:{length:.3}");
    html.leaf("span", &[("class", "bar"), ("style", &style), ("aria-hidden", "true")], "");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    #[test]
    fn every_kind_of_cell_shows_its_number_or_a_dash() {
        let cells = vec![
            Cell::Count(1234),
            Cell::Share(0.5),
            Cell::Bar(0.25),
            Cell::Amount(17.25),
            Cell::Between(Some((0.1, 0.2))),
            Cell::Between(None),
            Cell::Share(f64::NAN),
            Cell::Bar(f64::INFINITY),
            Cell::Written("−1 < 0".to_owned()),
        ];
        let table = Table {
            caption: "A <caption>".to_owned(),
            columns: vec!["name", "a", "b", "c", "d", "e", "f", "g", "h", "i"],
            rows: vec![Row::Group("all"), Row::Cells("x & y".to_owned(), cells)],
        };
        let mut html = Html::default();
        table.write(&mut html);
        let written = html.finish();
        check(&written).unwrap();
        for part in [
            "<caption>A &lt;caption&gt;</caption>",
            "colspan=\"10\"",
            "<bdi>x &amp; y</bdi>",
            "<td>1\u{202f}234</td><td>0.500</td>",
            "--share:0.250",
            "<td>17.2</td><td>0.100…0.200</td><td>–</td><td>–</td>",
            "--share:0.000",
            "<td>−1 &lt; 0</td>",
        ] {
            assert!(written.contains(part), "{part} is not in {written}");
        }
    }
}
