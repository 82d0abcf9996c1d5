//! Which types say nothing?
//!
//! Freebase's `base.*` and `user.*` types are private collections, and everything is a `Thing` or a `Topic`.

use glob::Pattern;

use super::Tally;
use crate::error::{Error, Result};
use crate::graph::Graph;

/// Dropped unless the user says otherwise.
pub(super) const UNINFORMATIVE: [&str; 9] = [
    "base.*",
    "base/*",
    "base",
    "user.*",
    "user/*",
    "common.topic",
    "common/topic",
    "Thing",
    "NamedIndividual",
];

/// Patterns (`*`, `?`, `[…]`) on whole names or on what follows the last `/` or `#`.
pub(super) struct Patterns(Vec<Pattern>);

impl Patterns {
    pub(super) fn new(patterns: &[String]) -> Result<Self> {
        let parse = |pattern: &String| {
            Pattern::new(pattern).map_err(|error| Error::Usage(format!("the pattern {pattern:?}: {error}")))
        };
        Ok(Self(patterns.iter().map(parse).collect::<Result<_>>()?))
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        // `film/film` is a whole name; in `http://…/film.film` only the last part is meant.
        let local = if name.contains("://") || name.contains('#') {
            name.rsplit(['/', '#']).next().unwrap_or(name)
        } else {
            name
        };
        self.0.iter().any(|pattern| pattern.matches(name) || pattern.matches(local))
    }
}

/// Removes typings with types that match; counts the types.
pub(super) fn drop_uninformative(graph: &mut Graph, patterns: &[String]) -> Result<Tally> {
    let patterns = Patterns::new(patterns)?;
    let mut tally = Tally::new();
    let dropped: Vec<bool> = graph.types.iter().map(|name| patterns.matches(name)).collect();
    for (class, _) in graph.types.iter().zip(&dropped).filter(|(_, dropped)| **dropped) {
        tally.add(|| class.to_owned());
    }
    graph.typings.retain(|typing| !dropped[typing.class.row()]);
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names_and_last_parts() {
        let patterns = Patterns::new(&UNINFORMATIVE.map(str::to_owned)).unwrap();
        for name in [
            "base/popstra/celebrity",
            "http://x/ns/base.popstra",
            "base",
            "http://www.w3.org/2002/07/owl#Thing",
        ] {
            assert!(patterns.matches(name), "{name}");
        }
        for name in ["baseball/player", "film/film", "http://x/base/film.film", "Movie"] {
            assert!(!patterns.matches(name), "{name}");
        }
        assert!(Patterns::new(&["[".to_owned()]).is_err());
    }
}
