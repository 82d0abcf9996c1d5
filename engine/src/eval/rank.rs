//! At which place does the right answer stand?

use serde::Serialize;

use crate::graph::Fact;

/// Which entity of a fact is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankSide {
    /// The subject.
    Head,
    /// The object: the paper's protocol.
    Tail,
}

impl RankSide {
    /// The entity of a fact that is given, and the one that is asked for.
    pub fn ends(self, fact: &Fact) -> (u32, u32) {
        match self {
            Self::Tail => (fact.subject.0, fact.object.0),
            Self::Head => (fact.object.0, fact.subject.0),
        }
    }
}

/// The place of the right answer among the others. Equal scores leave it open; the mean is the figure of record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Rank {
    /// How many others have a higher score.
    pub better: u32,
    /// How many others have the same score.
    pub equal: u32,
}

impl Rank {
    /// Its place if it comes before all equals (1 is the first).
    pub fn best(self) -> f64 {
        1.0 + f64::from(self.better)
    }

    /// Its place if all equals come before it.
    pub fn worst(self) -> f64 {
        self.best() + f64::from(self.equal)
    }

    /// The middle of both.
    pub fn mean(self) -> f64 {
        self.best() + f64::from(self.equal) / 2.0
    }

    /// Counts more of both.
    pub(super) fn add(&mut self, more: Self) {
        self.better += more.better;
        self.equal += more.equal;
    }
}

/// Where one right answer stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Among all candidates.
    pub raw: Rank,
    /// Without those that are right answers too.
    pub filtered: Rank,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EntityId, RelationId};

    #[test]
    fn places_worked_by_hand() {
        // Two are better, three are equal: places 3 to 6.
        let rank = Rank { better: 2, equal: 3 };
        assert_eq!([rank.best(), rank.mean(), rank.worst()], [3.0, 4.5, 6.0]);
        let alone = Rank::default();
        assert_eq!([alone.best(), alone.mean(), alone.worst()], [1.0; 3]);
    }

    #[test]
    fn the_given_end_is_the_other_one() {
        let fact = Fact { subject: EntityId(1), relation: RelationId(5), object: EntityId(2) };
        assert_eq!(RankSide::Tail.ends(&fact), (1, 2));
        assert_eq!(RankSide::Head.ends(&fact), (2, 1));
    }
}
