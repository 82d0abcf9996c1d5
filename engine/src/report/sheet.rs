//! How is a page of plain tables written?
//!
//! In the looks of the report, for whoever has words and tables and no run.

use super::markup::Html;
use super::page::document;

/// A page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// Its title.
    pub title: String,
    /// A sentence or two below it.
    pub lead: String,
    /// What follows, in order.
    pub sections: Vec<SheetSection>,
    /// The last words.
    pub footer: String,
}

/// A part of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetSection {
    /// Its title.
    pub title: String,
    /// Tables first.
    pub tables: Vec<SheetTable>,
    /// Then paragraphs.
    pub paragraphs: Vec<String>,
    /// And terms with what they are.
    pub terms: Vec<(String, String)>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetTable {
    /// What it shows.
    pub caption: String,
    /// The headings; the first is that of the rows' names.
    pub columns: Vec<String>,
    /// The rows: a name and its cells.
    pub rows: Vec<(String, Vec<SheetCell>)>,
}

/// What stands in a place of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum SheetCell {
    /// Words or a number.
    Plain(String),
    /// The same, the best of its column.
    Best(String),
}

impl Sheet {
    /// The page as HTML.
    pub fn html(&self) -> String {
        document(&self.title, |html| {
            html.element("header", &[], |html| {
                html.element("h1", &[], |html| html.name(&self.title));
                html.leaf("p", &[("class", "lead")], &self.lead);
            });
            html.element("main", &[], |html| self.sections.iter().for_each(|section| section.write(html)));
            html.leaf("footer", &[], &self.footer);
        })
    }
}

impl SheetSection {
    fn write(&self, html: &mut Html) {
        html.element("section", &[], |html| {
            html.leaf("h2", &[], &self.title);
            self.tables.iter().for_each(|table| table.write(html));
            self.paragraphs.iter().for_each(|words| html.leaf("p", &[], words));
            if !self.terms.is_empty() {
                html.element("dl", &[("class", "attributes")], |html| {
                    for (term, value) in &self.terms {
                        html.element("div", &[], |html| {
                            html.element("dt", &[], |html| html.name(term));
                            html.element("dd", &[], |html| html.name(value));
                        });
                    }
                });
            }
        });
    }
}

impl SheetTable {
    fn write(&self, html: &mut Html) {
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
                html.element("tbody", &[], |html| {
                    for (name, cells) in &self.rows {
                        html.element("tr", &[], |html| {
                            html.element("th", &[("scope", "row")], |html| html.name(name));
                            cells.iter().for_each(|cell| cell.write(html));
                        });
                    }
                });
            });
        });
    }
}

impl SheetCell {
    fn write(&self, html: &mut Html) {
        html.element("td", &[], |html| match self {
            Self::Plain(words) => html.text(words),
            Self::Best(words) => {
                html.leaf("b", &[("class", "good"), ("title", "the best of its column")], words)
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::well_formed::check;

    #[test]
    fn a_sheet_is_one_harmless_page() {
        let sheet = Sheet {
            title: "films & <books>".to_owned(),
            lead: "A lead.".to_owned(),
            sections: vec![SheetSection {
                title: "Table 2".to_owned(),
                tables: vec![SheetTable {
                    caption: "Facts".to_owned(),
                    columns: vec![String::new(), "<films> MRR".to_owned()],
                    rows: vec![
                        ("GAKE".to_owned(), vec![SheetCell::Plain("0.1".to_owned())]),
                        ("DistMult".to_owned(), vec![SheetCell::Best("0.2".to_owned())]),
                    ],
                }],
                paragraphs: vec!["In words.".to_owned()],
                terms: vec![("a".to_owned(), "b".to_owned())],
            }],
            footer: "The end.".to_owned(),
        };
        let page = sheet.html();
        let body = page.strip_prefix("<!doctype html>\n").unwrap();
        check(body).unwrap();
        for part in [
            "<title>films &amp; &lt;books&gt;</title>",
            "<th scope=\"col\">&lt;films&gt; MRR</th>",
            "<td>0.1</td>",
            "<b class=\"good\" title=\"the best of its column\">0.2</b>",
            "default-src",
            "<dt><bdi>a</bdi></dt>",
            "In words.",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        for outside in ["http:", "https:", "<script", "<link", "<img"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
