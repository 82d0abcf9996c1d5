//! Which other answers are right too?

use std::collections::HashMap;

use super::rank::RankSide;
use crate::graph::Fact;

/// All right answers to what is asked about some facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAnswers {
    side: RankSide,
    answers: HashMap<(u32, u32), Vec<u32>>,
}

impl KnownAnswers {
    /// The answers that `facts`, of all parts of the data, give to what is asked about `asked`.
    pub fn new(side: RankSide, asked: &[Fact], facts: impl Iterator<Item = Fact>) -> Self {
        let key = |fact: &Fact| (side.ends(fact).0, fact.relation.0);
        let mut answers: HashMap<_, Vec<u32>> = asked.iter().map(|fact| (key(fact), Vec::new())).collect();
        for fact in facts {
            if let Some(answers) = answers.get_mut(&key(&fact)) {
                answers.push(side.ends(&fact).1);
            }
        }
        answers.values_mut().for_each(|answers| {
            answers.sort_unstable();
            answers.dedup();
        });
        Self { side, answers }
    }

    /// The right answers to what is asked about a fact, sorted, each once; none if it was not among those asked about.
    pub fn of(&self, fact: &Fact) -> &[u32] {
        let key = (self.side.ends(fact).0, fact.relation.0);
        self.answers.get(&key).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{EntityId, RelationId};

    #[test]
    fn answers_of_either_side() {
        let fact = |s, r, o| Fact { subject: EntityId(s), relation: RelationId(r), object: EntityId(o) };
        let facts = [fact(1, 0, 9), fact(1, 0, 3), fact(1, 0, 9), fact(1, 1, 4), fact(2, 0, 3)];
        let asked = [fact(1, 0, 3)];
        let tail = KnownAnswers::new(RankSide::Tail, &asked, facts.into_iter());
        assert_eq!(tail.of(&asked[0]), [3, 9]);
        assert!(tail.of(&fact(1, 1, 4)).is_empty());
        let head = KnownAnswers::new(RankSide::Head, &asked, facts.into_iter());
        assert_eq!(head.of(&asked[0]), [1, 2]);
    }
}
