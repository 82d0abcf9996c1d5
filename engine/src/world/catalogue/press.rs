//! How is a catalogue written fast, and the same whatever the number of threads?
//!
//! Entities come in a fixed order, cut into pages of a fixed size. Pages are made in parallel and written in
//! order, a few at a time, so that memory stays small.

use std::collections::BTreeSet;
use std::io::Write;

use rayon::prelude::*;

use super::super::scale::{Catalogue, Census, Object};
use super::super::truth::Fact;
use super::dirt::Dirt;
use super::quota::Seen;
use crate::error::{Error, Result};
use crate::io::staging::StagedFile;
use crate::progress::Progress;

const ENTITIES_ON_A_PAGE: usize = 64;
const PAGES_AT_A_TIME: usize = 16;

/// What has been written so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Relations used.
    pub(crate) relations: BTreeSet<&'static str>,
    /// Attribute keys used.
    pub(crate) keys: BTreeSet<&'static str>,
    /// Types used, without those that cleaning removes.
    pub(crate) types: BTreeSet<&'static str>,
    /// Facts that cleaning leaves.
    pub(crate) facts: u64,
    /// Lines of all files.
    pub(crate) lines: u64,
    /// What cleaning removes.
    pub(crate) dirt: Dirt,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.relations.extend(other.relations);
        self.keys.extend(other.keys);
        self.types.extend(other.types);
        self.facts += other.facts;
        self.lines += other.lines;
        self.dirt.add(&other.dirt);
    }
}

/// Some entities, written: one buffer per file of the catalogue.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// What goes into each file.
    pub(crate) files: [Vec<u8>; 4],
    /// What that is.
    pub(crate) tally: Tally,
}

/// Room to work in, used again for every entity.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// Facts of one subject.
    pub(crate) facts: Vec<Fact>,
    /// Objects of one subject under one relation.
    pub(crate) objects: Vec<u32>,
    /// Which of them are there already.
    pub(crate) seen: Seen,
}

/// Someone who can write what a catalogue says about an entity.
pub(crate) trait Author: Sync {
    /// Writes it.
    fn write(&self, object: Object, desk: &mut Desk, page: &mut Page);
}

/// Writes all entities of a catalogue in the given order.
pub(crate) fn print(
    author: &impl Author,
    (census, catalogue): (&Census, Catalogue),
    order: &[u32],
    files: &mut [StagedFile],
    progress: &dyn Progress,
) -> Result<Tally> {
    let mut tally = Tally::default();
    let mut largest = [0; 4];
    for some in order.chunks(ENTITIES_ON_A_PAGE * PAGES_AT_A_TIME) {
        let pages: Vec<Page> = some
            .par_chunks(ENTITIES_ON_A_PAGE)
            .map_init(Desk::default, |desk, numbers| {
                // A page is about as long as the longest so far: growing it step by step would copy it often.
                let mut page = Page { files: largest.map(Vec::with_capacity), tally: Tally::default() };
                for object in numbers.iter().filter_map(|&number| census.entity(catalogue, number)) {
                    author.write(object, desk, &mut page);
                }
                page
            })
            .collect();
        for page in pages {
            for (place, (file, bytes)) in files.iter_mut().zip(&page.files).enumerate() {
                let path = file.path().to_path_buf();
                file.write_all(bytes).map_err(Error::io(path))?;
                largest[place] = bytes.len().max(largest[place]);
            }
            progress.advance(page.tally.facts);
            tally.add(page.tally);
        }
    }
    Ok(tally)
}
