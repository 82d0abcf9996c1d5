//! What is written about two entities that may be the same?
//!
//! Names and other attributes. Both graphs are read once into a form that compares ([`Written`]); from it come pairs
//! that may be the same ([`candidates`]), and numbers that speak for or against each ([`columns()`]). Which key of one
//! graph means the same as which of the other is learned ([`KeyAlignment`]).

pub mod candidates;
mod columns;
mod evidence;
mod fold;
mod index;
mod keys;
mod reading;
mod scales;
mod spelling;
mod written;

#[cfg(test)]
mod tests;

pub use columns::columns;
pub use evidence::{Evidence, FOLDS, Source, Witness, fold_of};
pub use fold::{fold, name_forms};
pub use index::{Limits, Vectors, nearest};
pub use keys::{KeyAlignment, KeyPair, Verdict};
pub use reading::{Level, Reading};
pub use written::{Texts, Written};

/// Where the names of entities come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameSource {
    /// From attributes whose key says that they are names. An entity without one has no name.
    #[default]
    Keys,
    /// The same, and an entity without a name is called by the last part of its id, where that has letters, as DBpedia's
    /// ids do. Off unless asked for: the ids of most graphs say nothing, and some say what they should not.
    KeysOrIds,
    /// From nowhere: names are not looked at, not even as values.
    Nowhere,
}

/// How values are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueConfig {
    /// Where names come from.
    pub names: NameSource,
    /// Whether attributes other than names are looked at.
    pub attributes: bool,
    /// How many candidates each entity of either graph gets from its names, and how many from its other texts.
    pub per_entity: usize,
    /// How the index is pruned.
    pub limits: Limits,
    /// A value that more entities of either graph have proposes nobody by itself.
    pub owners: usize,
    /// Chance is drawn from this.
    pub seed: u64,
}

impl Default for ValueConfig {
    fn default() -> Self {
        Self {
            names: NameSource::Keys,
            attributes: true,
            per_entity: 10,
            limits: Limits::default(),
            owners: 20,
            seed: 0,
        }
    }
}
