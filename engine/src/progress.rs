//! How does long work say how far it is?
//!
//! The library never prints. A stage that may take long reports to a [`Progress`]; the command line draws it.

/// What one unit of a stage's work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes read or written.
    Bytes,
    /// Things: facts, entities, lines.
    Items,
}

/// Someone who wants to know how far long work is. Calls may come from several threads.
pub trait Progress: Sync {
    /// A stage begins; `total` is known for most of them.
    fn begin(&self, stage: &str, total: Option<u64>, unit: Unit);
    /// So much more of the stage is done.
    fn advance(&self, amount: u64);
    /// How it goes, in a few words; shown while the stage lasts.
    fn note(&self, _words: &str) {}
    /// The stage is over.
    fn end(&self);
    /// Someone who watches other work that is done beside this; nobody, unless there is room to show it.
    fn beside(&self) -> Box<dyn Progress + '_> {
        Box::new(Silent)
    }
}

/// Nobody is watching.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}
