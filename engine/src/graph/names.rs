//! Which keys hold names?
//!
//! By the last part of the key (after `/`, `#`, `:` or `.`), so that `rdfs:label`, `schema:name`,
//! `type.object.name` and a plain `name` are all recognised.

/// The last parts of keys whose values name their entity, in lower case.
const NAME_KEYS: [&str; 16] = [
    "name",
    "label",
    "title",
    "preflabel",
    "altlabel",
    "alternatename",
    "alternativename",
    "alias",
    "fullname",
    "full_name",
    "primaryname",
    "primarytitle",
    "originaltitle",
    "displayname",
    "display_name",
    "alternativetitle",
];

/// Stands between the relation to a compound value and the key of its attribute, in a key made of both.
pub const COMPOUND: &str = " > ";

/// Whether values of this key are names of the entity.
pub fn is_name_key(key: &str) -> bool {
    // The name of what a compound value stood for is not a name of the entity that led to it.
    if key.contains(COMPOUND) {
        return false;
    }
    let local = key.rsplit(['/', '#', ':', '.']).next().unwrap_or(key);
    NAME_KEYS.iter().any(|name| name.eq_ignore_ascii_case(local))
}

#[cfg(test)]
mod tests {
    use super::is_name_key;

    #[test]
    fn label_properties_are_names_and_others_are_not() {
        for key in [
            "name",
            "http://www.w3.org/2000/01/rdf-schema#label",
            "http://schema.org/name",
            "http://rdf.freebase.com/ns/type.object.name",
            "skos:altLabel",
            "primaryTitle",
        ] {
            assert!(is_name_key(key), "{key}");
        }
        for key in ["", "birthPlace", "jobTitle", "http://example.org/name/of", "username", "starring > name"]
        {
            assert!(!is_name_key(key), "{key}");
        }
    }
}
