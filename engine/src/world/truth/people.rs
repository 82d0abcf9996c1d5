//! Who belongs to whom among the people?
//!
//! People are numbered in pairs. What a pair is follows from its place in its region, so that a film can find
//! the couples it employs without a table. Identifiers in the files are drawn elsewhere and show none of this.

use super::super::scale::{Class, Region};
use super::Truth;

/// What the two people of a pair are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    /// Married, and at work together: they share nearly every fact.
    Couple,
    /// Two people with one name.
    Homonyms,
    /// Married, with lives of their own.
    Married,
    /// Nothing.
    Strangers,
}

/// What someone mostly does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trade {
    /// Plays.
    Actor,
    /// Directs.
    Director,
    /// Writes.
    Writer,
    /// Produces.
    Producer,
    /// Everything else.
    Crew,
}

const PAIRS_IN_A_TURN: u32 = 16;

impl Truth {
    /// The place of a person in the region, and that region.
    fn place(&self, person: u32) -> (u32, Region) {
        let members = self.census.of(Class::Person);
        let region = members.region(person);
        (person - members.range(region).start, region)
    }

    /// What the pair of this person is.
    pub(crate) fn pair(&self, person: u32) -> Pair {
        let (offset, region) = self.place(person);
        let whole = (offset | 1) < self.census.of(Class::Person).range(region).len() as u32;
        match (offset / 2) % PAIRS_IN_A_TURN {
            _ if !whole => Pair::Strangers,
            0 if region == Region::Both => Pair::Couple,
            1 if region == Region::Both => Pair::Homonyms,
            3 | 9 | 12 => Pair::Married,
            _ => Pair::Strangers,
        }
    }

    /// The other person of the pair, who exists wherever [`Truth::pair`] is not `Strangers`.
    pub(crate) fn partner(&self, person: u32) -> u32 {
        let (offset, _) = self.place(person);
        person - offset + (offset ^ 1)
    }

    /// The number facts are drawn with: the two of a couple share it, and so their context.
    pub(crate) fn context_of(&self, person: u32) -> u32 {
        if self.pair(person) == Pair::Couple { person.min(self.partner(person)) } else { person }
    }

    fn pairs_at(&self, turn: u32) -> u32 {
        let whole = self.census.of(Class::Person).range(Region::Both).len() as u32 / 2;
        (whole + PAIRS_IN_A_TURN - 1 - turn) / PAIRS_IN_A_TURN
    }

    /// How many couples there are.
    pub(crate) fn couples(&self) -> u32 {
        self.pairs_at(0)
    }

    /// How many pairs of people share a name on purpose.
    pub(crate) fn homonyms(&self) -> u32 {
        self.pairs_at(1)
    }

    /// The first person of a couple.
    pub(crate) fn couple(&self, number: u32) -> u32 {
        number * 2 * PAIRS_IN_A_TURN
    }

    /// Whether someone is a man; couples are a man and a woman, homonyms of one sex.
    pub(crate) fn is_male(&self, person: u32) -> bool {
        let pair = self.pair(person);
        let key = match pair {
            Pair::Couple | Pair::Homonyms => person.min(self.partner(person)),
            Pair::Married | Pair::Strangers => person,
        };
        let first = self.people.of(u64::from(key)).chance(900, 560);
        first == (pair != Pair::Couple || person == key)
    }

    /// What someone mostly does.
    pub(crate) fn trade(&self, person: u32) -> Trade {
        match (self.place(person).0 / 2) % 8 {
            0..=3 => Trade::Actor,
            4 => Trade::Director,
            5 => Trade::Writer,
            6 => Trade::Producer,
            _ => Trade::Crew,
        }
    }

    /// Someone near `person` in number who is of the trade; couples only ever act.
    pub(crate) fn of_trade(&self, person: u32, trade: Trade) -> u32 {
        let (offset, region) = self.place(person);
        let range = self.census.of(Class::Person).range(region);
        let turn = match trade {
            Trade::Actor => (offset / 2) % 4,
            Trade::Director => 4,
            Trade::Writer => 5,
            Trade::Producer => 6,
            Trade::Crew => 7,
        };
        let moved = range.start + offset / 16 * 16 + 2 * turn + offset % 2;
        if moved < range.end { moved } else { person }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::scale::Scale;
    use super::*;

    #[test]
    fn couples_and_homonyms_are_as_many_as_counted_and_known_to_both() {
        for scale in Scale::ALL {
            let truth = Truth::new(scale, 3);
            let members = truth.census.of(Class::Person);
            let count = |pair| (0..members.total()).filter(|&p| truth.pair(p) == pair).count() as u32;
            assert_eq!(count(Pair::Couple), 2 * truth.couples(), "{scale}");
            assert_eq!(count(Pair::Homonyms), 2 * truth.homonyms(), "{scale}");
            for number in 0..truth.couples() {
                let first = truth.couple(number);
                let second = truth.partner(first);
                assert_eq!(truth.pair(first), Pair::Couple);
                assert_eq!(truth.partner(second), first);
                assert_eq!(truth.context_of(second), first);
                assert_ne!(truth.is_male(first), truth.is_male(second));
                assert_eq!(members.region(second), Region::Both);
            }
        }
    }

    #[test]
    fn trades_can_be_found() {
        let truth = Truth::new(Scale::Small, 3);
        for trade in [Trade::Actor, Trade::Director, Trade::Writer, Trade::Producer, Trade::Crew] {
            for person in 0..600 {
                assert_eq!(truth.trade(truth.of_trade(person, trade)), trade);
            }
        }
    }
}
