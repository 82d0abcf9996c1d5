//! What does a finished experiment look like to its reader?
//!
//! A [`Report`] is plain data: what was learned from, how learning went, how well facts are foretold and entities linked.
//! It is written as `report.json`, and as one page, `report.html`, that needs nothing beside itself: no network, no
//! script, its figures drawn here. Every section may be missing.

mod contents;
mod difficulty;
mod figures;
mod markup;
mod numbers;
mod page;
mod plane;
mod reasons;
mod sections;
mod sheet;
mod tables;
#[cfg(test)]
mod well_formed;

use std::fs;
use std::path::Path;

use serde::Serialize;

pub use contents::{
    Category, CurvePoint, Curves, DataSummary, Described, GraphSummary, LinkExample, LinkSection, LossPoint,
    MapPoint, Outcome, PartnerFigures, Parts, Proposed, RankBin, RankFigures, RelationFigures, RunSummary,
    Sides, Ties, TripleSection, ValidationPoint,
};
pub use difficulty::{Difficulty, difficulties};
pub use plane::plane;
pub use reasons::{Reasons, Standing};
pub use sheet::{Sheet, SheetCell, SheetSection, SheetTable};

use crate::error::{Error, Result};
use crate::graph::Part;
use crate::io::staging::write_file;

/// The page.
pub const PAGE: &str = "report.html";
/// The same as data.
pub const DATA: &str = "report.json";

/// All that is reported. What is empty or none is left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// A sentence or two below the title; may be empty.
    pub about: String,
    /// The part of the data that was judged.
    #[serde(serialize_with = "name_of_part", skip_serializing_if = "Option::is_none")]
    pub on: Option<Part>,
    /// What was learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DataSummary>,
    /// How it was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunSummary>,
    /// How learning went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
    /// How well facts are foretold, for each graph.
    #[serde(serialize_with = "contents::as_map", skip_serializing_if = "Vec::is_empty")]
    pub triples: Vec<(String, TripleSection)>,
    /// How well entities are linked, for each pair of graphs, named `A-B`.
    #[serde(serialize_with = "contents::as_map", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<(String, LinkSection)>,
}

impl Report {
    /// The report as one page of HTML.
    pub fn html(&self) -> String {
        page::page(self)
    }

    /// The report as JSON; a figure that is no number is null.
    pub fn json(&self) -> String {
        // Nothing here can fail: every key is text.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Writes [`PAGE`] and [`DATA`] into a folder, which is made if it is not there.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        for (name, text) in [(DATA, self.json()), (PAGE, self.html())] {
            let path = folder.join(name);
            write_file(&path, |file| file.write_all(text.as_bytes()).map_err(Error::io(&path)))?;
        }
        Ok(())
    }
}

/// Serde asks for a reference to the whole option.
fn name_of_part<S: serde::Serializer>(part: &Option<Part>, serializer: S) -> Result<S::Ok, S::Error> {
    part.map(Part::name).serialize(serializer)
}

#[cfg(test)]
mod tests;
