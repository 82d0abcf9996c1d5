//! Which entities of the two catalogues are the same, and which of them are hard to tell?

use std::io::Write;

use super::catalogue::ids::Ids;
use super::dice::{Purpose, shuffled};
use super::names::{NameCase, Namer};
use super::scale::{Class, Object, Region};
use super::terms::reel::ENTITIES;
use super::truth::Truth;
use super::truth::people::Pair;
use crate::error::{Error, Result};
use crate::io::staging::{StagedFile, Staging};

/// What stands for the missing partner of an unmatched entity.
const NOBODY: &str = "-";

/// Writes `links.tsv` and `cases.tsv`, in an order that is neither catalogue's.
pub(crate) fn write(staging: &Staging, truth: &Truth, screen: &Ids, reel: &Ids) -> Result<()> {
    let mut links = staging.create("links.tsv")?;
    let mut cases = staging.create("cases.tsv")?;
    let namer = Namer::new(truth);
    for number in shuffled(truth.census.total(), truth.seed, Purpose::AnswerOrder, 0) {
        let Some(object) = truth.census.object(number) else { continue };
        let first = || String::from_utf8_lossy(screen.of(object)).into_owned();
        let second = || format!("{ENTITIES}{}", String::from_utf8_lossy(reel.of(object)));
        match truth.census.region(object) {
            Region::ScreenOnly => line(&mut cases, &[&first(), NOBODY, "unmatched-screen"])?,
            Region::ReelOnly => line(&mut cases, &[NOBODY, &second(), "unmatched-reel"])?,
            Region::Both => {
                let (first, second) = (first(), second());
                line(&mut links, &[&first, &second])?;
                for case in cases_of(truth, &namer, object) {
                    line(&mut cases, &[&first, &second, case])?;
                }
            }
        }
    }
    links.finish()?;
    cases.finish()?;
    Ok(())
}

/// Why the two entries of a thing are hard to match.
fn cases_of(truth: &Truth, namer: &Namer<'_>, object: Object) -> Vec<&'static str> {
    if truth.is_object_only(object) {
        // The second catalogue never names it, so nothing can be wrong with the name.
        return vec!["object-only"];
    }
    let mut cases = Vec::new();
    if object.class == Class::Person {
        match truth.pair(object.index) {
            Pair::Couple => cases.push("couple"),
            Pair::Homonyms => cases.push("homonym"),
            Pair::Married | Pair::Strangers => {}
        }
    }
    cases.extend(namer.naming(object).case.map(|case| match case {
        NameCase::Typo => "typo",
        NameCase::Transliterated => "transliterated",
        NameCase::AlternativeTitle => "alternative-title",
    }));
    cases
}

fn line(file: &mut StagedFile, columns: &[&str]) -> Result<()> {
    let path = file.path().to_path_buf();
    writeln!(file, "{}", columns.join("\t")).map_err(Error::io(path))
}
