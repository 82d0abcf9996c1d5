//! The words of the first catalogue.

use super::super::scale::Class::{self, *};
use super::super::truth::Property;
use super::{Detail, Filler, Key, unfold};

/// What the catalogue calls a property, where it knows it.
pub(crate) fn relation(property: Property) -> Option<&'static str> {
    use Property as P;
    Some(match property {
        P::Cast => "castMember",
        P::Role => "hasCharacter",
        P::Directs => "director",
        P::Writes => "writer",
        P::Produces => "producer",
        P::Composes => "composer",
        P::Photographs => "cinematographer",
        P::Edits => "editor",
        P::Genre => "genre",
        P::Origin => "countryOfOrigin",
        P::Spoken => "language",
        P::ShotAt => "filmingLocation",
        P::MadeBy => "productionCompany",
        P::SoldBy => "distributor",
        P::FollowedBy => "followedBy",
        P::Honoured => "filmAward",
        P::Nominated => "nominatedFor",
        P::BornIn => "birthPlace",
        P::LivesIn => "residence",
        P::Spouse => "spouse",
        P::CitizenOf => "citizenOf",
        P::PlayedBy => "portrayedBy",
        P::BasedIn => "basedIn",
        P::LocatedIn => "locatedIn",
        P::Official => "officialLanguage",
        P::NominatedWork | P::WedIn => return None,
    })
}

/// The relations that fill up; the first nine hold every entity.
pub(crate) fn fillers() -> Vec<Filler> {
    let mut fillers = unfold(
        &[
            (Film, Film, 250, u32::MAX, "similarTo"),
            (Person, Person, 250, u32::MAX, "workedWith"),
            (Character, Character, 30, u32::MAX, "appearsWith"),
            (Company, Company, 15, u32::MAX, "partneredWith"),
            (Award, Company, 1, 4, "presentedBy"),
            (Genre, Genre, 1, 9, "relatedGenre"),
            (Country, Country, 1, 8, "borders"),
            (Place, Place, 1, 24, "near"),
            (Language, Country, 1, 6, "spokenIn"),
        ],
        0,
        true,
    );
    fillers.extend(unfold(
        &[
            (Film, Film, 180, u32::MAX, "alsoViewed"),
            (Person, Person, 140, u32::MAX, "fansAlsoLike"),
            (Person, Film, 80, u32::MAX, "knownFor"),
            (Film, Person, 80, u32::MAX, "crewMember"),
        ],
        9,
        false,
    ));
    fillers
}

/// Types of each class, in the order of the classes.
pub(crate) const TYPES: &[&str] = &[
    "Movie ShortFilm Documentary AnimatedFilm TvMovie SilentFilm MusicVideo VideoRelease TvSpecial MiniSeries",
    "Person Actor Actress Director Writer Producer Composer Cinematographer Editor StuntPerformer CostumeDesigner \
     MakeupArtist Singer",
    "Character HistoricalCharacter AnimalCharacter",
    "Company ProductionCompany Distributor Broadcaster VisualEffectsHouse",
    "Award FestivalPrize CriticsPrize",
    "Genre",
    "Country FormerCountry",
    "City Region Studio",
    "Language",
];

const fn key(name: &'static str, class: Class, detail: Detail, per_mille: u32) -> Key {
    Key { name, class, detail, per_mille }
}

/// Attribute keys.
pub(crate) const KEYS: &[Key] = &[
    key("year", Film, Detail::Year, 950),
    key("releaseDate", Film, Detail::Released, 600),
    key("runtimeMinutes", Film, Detail::Runtime, 850),
    key("originalTitle", Film, Detail::OriginalTitle, 700),
    key("rating", Film, Detail::Rating, 800),
    key("alternativeTitle", Film, Detail::AlternativeTitle, 600),
    key("votes", Film, Detail::Votes, 800),
    key("certificate", Film, Detail::Certificate, 500),
    key("tagline", Film, Detail::Tagline, 400),
    key("budget", Film, Detail::Budget, 300),
    key("gross", Film, Detail::Gross, 300),
    key("color", Film, Detail::Colour, 700),
    key("birthDate", Person, Detail::Born, 800),
    key("gender", Person, Detail::Gender, 850),
    key("heightCm", Person, Detail::HeightInCentimetres, 600),
    key("deathDate", Person, Detail::Died, 800),
    key("birthName", Person, Detail::BirthName, 300),
    key("description", Character, Detail::Description, 400),
    key("foundedYear", Company, Detail::Founded, 700),
    key("firstAwarded", Award, Detail::Founded, 700),
    key("isoCode", Country, Detail::Iso, 900),
    key("population", Place, Detail::Population, 700),
    key("isoCode", Language, Detail::Iso, 800),
];
