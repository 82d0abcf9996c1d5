//! Where does sample data come from?
//!
//! From an invented film world, seen by two catalogues that agree on most of it. `screen` is a folder of plain
//! tables, `reel` a file of RDF with compound values; they speak different vocabularies, miss different facts,
//! misspell different names and are dirty in the way real dumps are. Because the world is invented, every true
//! link is known. The same seed and scale give the same bytes, whatever the number of threads.
//!
//! Reading order: [`Scale`] (how many of what), `dice` (where chance comes from), `truth` (what is so), `names`
//! (what it is called), `terms` (in which words each catalogue says it), `catalogue` (what each of them has and
//! how it is written), `answers` (the links).

mod answers;
mod catalogue;
mod dice;
mod names;
mod scale;
mod terms;
#[cfg(test)]
mod tests;
mod truth;

use std::io::Write;
use std::path::Path;

use serde::Serialize;

pub use catalogue::dirt::Dirt;
pub use scale::Scale;

use crate::error::{Error, Result};
use crate::io::staging::{Replace, StagedFile, Staging};
use crate::progress::{Progress, Unit};
use catalogue::View;
use catalogue::dirt::Sloppiness;
use catalogue::filler::Plan;
use catalogue::ids::Ids;
use catalogue::press::{Author, Tally, print};
use catalogue::reel::{Reel, declarations};
use catalogue::screen::{self, Screen};
use dice::{Purpose, shuffled};
use names::Namer;
use scale::{Catalogue, Region};
use truth::Truth;

/// Which world to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WorldConfig {
    /// How large.
    pub scale: Scale,
    /// Which of all the worlds of that size.
    pub seed: u64,
}

/// What a catalogue holds once it is clean: self-loops and repeated facts gone, compound nodes replaced by the
/// facts they stand for, `base.*` types gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CatalogueReport {
    /// Entities.
    pub entities: u64,
    /// Relations with at least one fact.
    pub relations: u64,
    /// Attribute keys with at least one value, those of names among them.
    pub attribute_keys: u64,
    /// Types of at least one entity.
    pub types: u64,
    /// Distinct facts between entities.
    pub facts: u64,
    /// Entities without a partner in the other catalogue.
    pub unmatched: u64,
    /// Lines of all files of the catalogue as written, dirt included.
    pub raw_lines: u64,
    /// What cleaning finds.
    pub dirt: Dirt,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorldReport {
    /// From which configuration.
    pub config: WorldConfig,
    /// The first catalogue.
    pub screen: CatalogueReport,
    /// The second catalogue.
    pub reel: CatalogueReport,
    /// True links between them.
    pub links: usize,
    /// Pairs of people with one name, known to both catalogues.
    pub homonym_pairs: usize,
    /// Married couples who share nearly all their facts, known to both catalogues.
    pub couples: usize,
}

/// Makes a world and writes it as the folder `out`: `screen/`, `reel.nt`, `links.tsv`, `cases.tsv`, `README.txt`.
pub fn generate(
    out: &Path,
    config: &WorldConfig,
    replace: Replace,
    progress: &dyn Progress,
) -> Result<WorldReport> {
    config.scale.check()?;
    let facts = config.scale.facts(Catalogue::Screen) + config.scale.facts(Catalogue::Reel);
    progress.begin("writing the film world", Some(facts), Unit::Items);
    let report = write_world(out, config, replace, progress);
    progress.end();
    report
}

fn write_world(
    out: &Path,
    config: &WorldConfig,
    replace: Replace,
    progress: &dyn Progress,
) -> Result<WorldReport> {
    let staging = Staging::begin(out, replace)?;
    let truth = Truth::new(config.scale, config.seed);
    let ids = [Catalogue::Screen, Catalogue::Reel].map(|c| Ids::new(c, &truth.census, config.seed));
    let (screen, reel) = rayon::join(
        || write_screen(&staging, config, &truth, &ids[0], progress),
        || write_reel(&staging, config, &truth, &ids[1], progress),
    );
    let (screen, reel) = (screen?, reel?);
    answers::write(&staging, &truth, &ids[0], &ids[1])?;
    write_readme(&staging, config)?;
    staging.publish()?;
    Ok(WorldReport {
        config: *config,
        screen: report(&truth, Catalogue::Screen, screen),
        reel: report(&truth, Catalogue::Reel, reel),
        links: truth.census.count_in(Region::Both),
        homonym_pairs: truth.homonyms() as usize,
        couples: truth.couples() as usize,
    })
}

fn report(truth: &Truth, catalogue: Catalogue, tally: Tally) -> CatalogueReport {
    CatalogueReport {
        entities: u64::from(truth.census.count(catalogue)),
        relations: tally.relations.len() as u64,
        attribute_keys: tally.keys.len() as u64,
        types: tally.types.len() as u64,
        facts: tally.facts,
        unmatched: truth.census.count_in(Region::alone(catalogue)) as u64,
        raw_lines: tally.lines,
        dirt: tally.dirt,
    }
}

fn write_screen(
    staging: &Staging,
    config: &WorldConfig,
    truth: &Truth,
    ids: &Ids,
    progress: &dyn Progress,
) -> Result<Tally> {
    let view = View::new(truth, Catalogue::Screen, config.scale);
    let plan = plan(&view, config);
    let mut files = Vec::new();
    for name in screen::FILES {
        files.push(staging.create(Path::new("screen").join(name))?);
    }
    let sloppiness = Sloppiness::new(config.seed, Catalogue::Screen);
    let author = Screen { view: &view, plan: &plan, namer: Namer::new(truth), ids, sloppiness };
    write_catalogue(&author, &view, files, Purpose::ScreenOrder, progress)
}

fn write_reel(
    staging: &Staging,
    config: &WorldConfig,
    truth: &Truth,
    ids: &Ids,
    progress: &dyn Progress,
) -> Result<Tally> {
    let view = View::new(truth, Catalogue::Reel, config.scale);
    let plan = plan(&view, config);
    let mut file = staging.create("reel.nt")?;
    let (head, lines) = declarations();
    let path = file.path().to_path_buf();
    file.write_all(&head).map_err(Error::io(path))?;
    let sloppiness = Sloppiness::new(config.seed, Catalogue::Reel);
    let author = Reel { view: &view, plan: &plan, namer: Namer::new(truth), ids, sloppiness };
    let mut tally = write_catalogue(&author, &view, vec![file], Purpose::ReelOrder, progress)?;
    tally.lines += lines;
    Ok(tally)
}

/// What is left to fill in once the true facts are counted.
fn plan<'a>(view: &'a View<'a>, config: &WorldConfig) -> Plan<'a> {
    let left = config.scale.facts(view.catalogue).saturating_sub(view.count());
    Plan::new(view.truth, view.catalogue, &view.terms.fillers, left)
}

fn write_catalogue(
    author: &impl Author,
    view: &View<'_>,
    mut files: Vec<StagedFile>,
    order: Purpose,
    progress: &dyn Progress,
) -> Result<Tally> {
    let census = &view.truth.census;
    let order = shuffled(census.count(view.catalogue), view.truth.seed, order, 0);
    let tally = print(author, (census, view.catalogue), &order, &mut files, progress)?;
    for file in files {
        file.finish()?;
    }
    Ok(tally)
}

fn write_readme(staging: &Staging, config: &WorldConfig) -> Result<()> {
    let mut file = staging.create("README.txt")?;
    let path = file.path().to_path_buf();
    let text = format!(
        "The film world: two catalogues of one invented world of films. Scale {}, seed {}.\n\
         \n\
         screen/     the first catalogue, as tab-separated tables without headers:\n\
         \x20           triples (subject, relation, object), attributes (entity, key, value),\n\
         \x20           types (entity, type), names (entity, name)\n\
         reel.nt     the second catalogue, as N-Triples\n\
         links.tsv   every true link: entity of the first, entity of the second\n\
         cases.tsv   the difficult entities: entity of the first, of the second, why (- is nobody)\n\
         \n\
         To import them, with DIR for this folder and DATA for a new one:\n\
         linknbed import --graph screen=DIR/screen --graph reel=DIR/reel.nt --links DIR/links.tsv --out DATA\n",
        config.scale, config.seed
    );
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    file.finish()?;
    Ok(())
}
