//! What happens to a line that cannot be read?
//!
//! Strictly, it is an error and reading stops. Leniently, it is skipped, counted and, if it is among the first,
//! listed. Which lines are listed does not depend on threads.

use serde::Serialize;

use crate::error::{Error, Place, Result};

/// Whether bad lines are errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// The first bad line ends the reading.
    #[default]
    Strict,
    /// Bad lines are skipped, counted and listed.
    Lenient,
}

/// A line that was skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    /// Where.
    pub place: String,
    /// What was found, and what was expected.
    pub message: String,
}

/// The lines that were skipped: all are counted, the first are kept.
#[derive(Debug, Clone)]
pub struct Problems {
    strictness: Strictness,
    count: u64,
    first: Vec<(Place, Problem)>,
}

/// So many are kept to be listed.
const LISTED: usize = 100;

impl Problems {
    /// No problems yet.
    pub fn new(strictness: Strictness) -> Self {
        Self { strictness, count: 0, first: Vec::new() }
    }

    /// One more problem; an error if reading is strict.
    pub fn add(&mut self, place: Place, message: impl Into<String>) -> Result<()> {
        let message = message.into();
        if self.strictness == Strictness::Strict {
            return Err(Error::Input { place, message });
        }
        self.count += 1;
        let problem = Problem { place: place.to_string(), message };
        self.first.push((place, problem));
        if self.first.len() >= 2 * LISTED {
            self.trim();
        }
        Ok(())
    }

    /// Takes over the problems of another reader.
    pub fn absorb(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.trim();
    }

    /// Whether a problem is an error.
    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// How many lines were skipped.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The first of them, in the order of the files' names and their lines.
    pub fn first(&self) -> Vec<Problem> {
        let mut first = self.clone();
        first.trim();
        first.first.into_iter().map(|(_, problem)| problem).collect()
    }

    fn trim(&mut self) {
        self.first.sort();
        self.first.truncate(LISTED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listed_problems_are_the_first_whatever_order_they_come_in() {
        let mut problems = Problems::new(Strictness::Lenient);
        for line in (1..=1000).rev() {
            problems.add(Place::line("f", line), "bad").unwrap();
        }
        assert_eq!(problems.count(), 1000);
        let first = problems.first();
        assert_eq!(first.len(), LISTED);
        assert_eq!((first[0].place.as_str(), first[99].place.as_str()), ("f:1", "f:100"));
    }

    #[test]
    fn strictly_the_first_problem_is_an_error() {
        let error = Problems::new(Strictness::Strict).add(Place::line("f", 3), "bad").unwrap_err();
        assert_eq!(error.to_string(), "f:3: bad");
    }
}
