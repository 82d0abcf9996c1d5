//! What do the tables look like as a page?

use super::tables::{Cell, Table, Tables};
use super::text::{gains, headings};
use crate::report::{Sheet, SheetCell, SheetSection, SheetTable};

impl Tables {
    /// The tables as one page of HTML, which needs nothing beside itself.
    pub fn html(&self) -> String {
        let mut sections: Vec<SheetSection> = self.tables.iter().map(section).collect();
        sections.push(SheetSection {
            title: "How it was done".to_owned(),
            paragraphs: self.protocol.clone(),
            ..Default::default()
        });
        sections.push(SheetSection {
            title: "Time and settings".to_owned(),
            tables: vec![with_headings("How each row was learned", self.trainings())],
            terms: self.settings(),
            ..Default::default()
        });
        let problems = self.problems();
        if !problems.is_empty() {
            let title = "What diverged".to_owned();
            sections.push(SheetSection { title, terms: problems, ..Default::default() });
        }
        Sheet {
            title: self.graphs.join(" and "),
            lead: format!("Tables 2 and 3 of LinkNBed (ACL 2018) on these graphs, {} part.", self.begun.on),
            sections,
            footer: format!(
                "Written by linknbed {}. The same figures, with all their digits, are in tables.json.",
                self.begun.program
            ),
        }
        .html()
    }
}

fn section(table: &Table) -> SheetSection {
    let mut tables = vec![figures(table)];
    let gains = gains(table);
    if gains.len() > 1 {
        tables.push(with_headings("Gain over the best baseline", gains));
    }
    let (title, caption) = table.caption.split_once(": ").unwrap_or(("", &table.caption));
    tables[0].caption = caption.to_owned();
    SheetSection { title: title.to_owned(), tables, ..Default::default() }
}

fn figures(table: &Table) -> SheetTable {
    let cell = |cell: &Cell| match cell.is_best() {
        true => SheetCell::Best(cell.words()),
        false => SheetCell::Plain(cell.words()),
    };
    let rows =
        table.rows.iter().map(|row| (row.name.to_owned(), row.cells.iter().map(cell).collect())).collect();
    SheetTable { caption: String::new(), columns: headings(table), rows }
}

/// A table from rows of words, the first of which are headings.
fn with_headings(caption: &str, rows: Vec<Vec<String>>) -> SheetTable {
    let mut rows = rows.into_iter();
    let columns = rows.next().unwrap_or_default();
    let rows = rows.map(|row| {
        let mut words = row.into_iter();
        (words.next().unwrap_or_default(), words.map(SheetCell::Plain).collect())
    });
    SheetTable { caption: caption.to_owned(), columns, rows: rows.collect() }
}
