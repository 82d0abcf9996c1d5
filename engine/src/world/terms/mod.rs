//! In which words does each catalogue speak?
//!
//! The two vocabularies say much the same in different words, and each says things the other does not. Smaller
//! worlds use the first entries of every list.

pub(crate) mod reel;
pub(crate) mod screen;

use super::scale::{Catalogue, Class, Vocabulary};
use super::truth::Property;

/// A relation that fills a catalogue up to its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filler {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Whom it is about.
    pub(crate) subject: Class,
    /// What it points at.
    pub(crate) object: Class,
    /// Relations of one family draw alike, so that the two catalogues agree on much of them.
    pub(crate) family: u64,
    /// Its part of all the facts there are to fill in.
    pub(crate) share: u64,
    /// The most facts of one subject.
    pub(crate) most: u32,
    /// Whether every subject has at least one, so that it is an entity of the catalogue.
    pub(crate) anchor: bool,
}

/// Relations of one kind: subject, object, share of each, most facts of one subject, names.
pub(crate) type FillerGroup = (Class, Class, u64, u32, &'static str);

/// What an attribute says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The year of a film.
    Year,
    /// The day of its first showing.
    Released,
    /// Minutes.
    Runtime,
    /// The title in its own language.
    OriginalTitle,
    /// Another title.
    AlternativeTitle,
    /// A line for the poster.
    Tagline,
    /// Stars out of ten.
    Rating,
    /// How many gave them.
    Votes,
    /// What it cost.
    Budget,
    /// What it earned.
    Gross,
    /// From which age.
    Certificate,
    /// Colour or black and white.
    Colour,
    /// Birthday.
    Born,
    /// Day of death.
    Died,
    /// Height in centimetres, as a whole number.
    HeightInCentimetres,
    /// Height in metres.
    HeightInMetres,
    /// Man or woman.
    Gender,
    /// The name at birth.
    BirthName,
    /// Year of foundation.
    Founded,
    /// Inhabitants.
    Population,
    /// A short code.
    Iso,
    /// A sentence or two.
    Description,
    /// An identifier of some other service.
    Identifier,
    /// An address on the web.
    WebPage,
    /// Some number between these.
    Quantity(u32, u32),
    /// Some year.
    SomeYear,
    /// A few words.
    Remark,
}

/// An attribute key of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key {
    /// What it is called.
    pub(crate) name: &'static str,
    /// Which class has it.
    pub(crate) class: Class,
    /// What it says.
    pub(crate) detail: Detail,
    /// How many of a thousand have it.
    pub(crate) per_mille: u32,
}

/// The vocabulary of one catalogue, as far as a scale uses it.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    /// Relations that fill up.
    pub(crate) fillers: Vec<Filler>,
    /// Types of each class; the first is the class itself.
    pub(crate) types: Vec<Vec<&'static str>>,
    /// Attribute keys of each class.
    pub(crate) keys: Vec<Vec<Key>>,
    catalogue: Catalogue,
}

impl Terms {
    /// The words of a catalogue.
    pub(crate) fn new(catalogue: Catalogue, used: &Vocabulary) -> Self {
        let (fillers, types, keys) = match catalogue {
            Catalogue::Screen => (screen::fillers(), screen::TYPES, screen::KEYS),
            Catalogue::Reel => (reel::fillers(), reel::TYPES, reel::KEYS),
        };
        let per_class = |class: Class| keys.iter().filter(move |key| key.class == class).copied();
        Self {
            fillers: fillers.into_iter().take(used.fillers[catalogue as usize]).collect(),
            types: types.iter().map(|names| names.split_whitespace().take(used.types).collect()).collect(),
            keys: Class::ALL.map(|class| per_class(class).take(used.keys).collect()).to_vec(),
            catalogue,
        }
    }

    /// What the catalogue calls a true property, where it knows it.
    pub(crate) fn relation(&self, property: Property) -> Option<&'static str> {
        match self.catalogue {
            Catalogue::Screen => screen::relation(property),
            Catalogue::Reel => Some(reel::relation(property)),
        }
    }
}

/// Unfolds groups of relations; families are numbered from `first_family`.
pub(crate) fn unfold(groups: &[FillerGroup], first_family: u64, anchor: bool) -> Vec<Filler> {
    let one_by_one = groups.iter().flat_map(|&(subject, object, share, most, names)| {
        names.split_whitespace().map(move |name| (name, subject, object, share, most))
    });
    one_by_one
        .zip(first_family..)
        .map(|((name, subject, object, share, most), family)| Filler {
            name,
            subject,
            object,
            family,
            share,
            most,
            anchor,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::scale::Scale;
    use super::*;
    use std::collections::BTreeSet;

    const PROPERTIES: [Property; 27] = [
        Property::Cast,
        Property::Role,
        Property::Directs,
        Property::Writes,
        Property::Produces,
        Property::Composes,
        Property::Photographs,
        Property::Edits,
        Property::Genre,
        Property::Origin,
        Property::Spoken,
        Property::ShotAt,
        Property::MadeBy,
        Property::SoldBy,
        Property::FollowedBy,
        Property::Honoured,
        Property::Nominated,
        Property::NominatedWork,
        Property::BornIn,
        Property::LivesIn,
        Property::Spouse,
        Property::WedIn,
        Property::CitizenOf,
        Property::PlayedBy,
        Property::BasedIn,
        Property::LocatedIn,
        Property::Official,
    ];

    fn all(catalogue: Catalogue) -> Terms {
        Terms::new(catalogue, &Scale::Paper.vocabulary())
    }

    fn relations(terms: &Terms) -> usize {
        let known = PROPERTIES.iter().filter_map(|&p| terms.relation(p));
        known.chain(terms.fillers.iter().map(|filler| filler.name)).collect::<BTreeSet<_>>().len()
    }

    fn types(terms: &Terms) -> usize {
        terms.types.iter().flatten().collect::<BTreeSet<_>>().len()
    }

    fn keys(terms: &Terms) -> usize {
        terms.keys.iter().flatten().map(|key| key.name).collect::<BTreeSet<_>>().len()
    }

    #[test]
    fn the_vocabularies_are_as_large_as_table_one_says() {
        let screen = all(Catalogue::Screen);
        // Names, in a file of their own, are one more key.
        assert_eq!((relations(&screen), types(&screen), keys(&screen) + 1), (38, 41, 23));
        let reel = all(Catalogue::Reel);
        // Labels and alternative labels are two more keys; the topic type belongs to all classes.
        assert_eq!((relations(&reel), types(&reel) + 1, keys(&reel) + 2), (146, 324, 69));
    }

    #[test]
    fn every_class_is_anchored_once() {
        for catalogue in [Catalogue::Screen, Catalogue::Reel] {
            let terms = Terms::new(catalogue, &Scale::Tiny.vocabulary());
            for class in Class::ALL {
                let anchors = terms.fillers.iter().filter(|f| f.anchor && f.subject == class).count();
                assert_eq!(anchors, 1, "{class:?}");
            }
        }
    }
}
