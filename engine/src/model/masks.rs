//! Which numbers are left out of a step?
//!
//! ```text
//! q' = m ⊙ q        c' = n ⊙ c        and back:   ∂q = m ⊙ ∂q',   ∂c = n ⊙ ∂c'
//! ```
//!
//! for queries q and answers c. An entity that asks and one that answers lack other numbers, also where they are the same.
//! Who learns chooses the masks (`train`): the model knows no chance.

use crate::compute::Real;

/// Masks of one step; each is the same forth and back.
pub trait Masks<T: Real> {
    /// Masks all queries, or what flows back to them.
    fn of_queries(&self, queries: &mut [T]);
    /// Masks representations as answers, or what flows back to them.
    fn of_answers(&self, answers: &mut [T]);
    /// Whether anything is left out of answers.
    fn masks_answers(&self) -> bool {
        true
    }
}

/// Nothing is left out.
#[derive(Debug, Clone, Copy)]
pub struct Unmasked;

impl<T: Real> Masks<T> for Unmasked {
    fn of_queries(&self, _: &mut [T]) {}

    fn of_answers(&self, _: &mut [T]) {}

    fn masks_answers(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::activation::Activation;
    use crate::model::finite_differences::{agrees, numbers};
    use crate::model::loss::Loss;
    use crate::model::measure::Precision;
    use crate::model::score::{Average, Desk, Objective, Pool, Questions};

    const H: usize = 4;

    /// Leaves out some numbers of queries and others of answers; the rest is doubled.
    struct EveryFew;

    impl Masks<f64> for EveryFew {
        fn of_queries(&self, queries: &mut [f64]) {
            queries.iter_mut().enumerate().for_each(|(at, x)| *x *= if at % 3 == 1 { 0.0 } else { 2.0 });
        }

        fn of_answers(&self, answers: &mut [f64]) {
            answers.iter_mut().enumerate().for_each(|(at, x)| *x *= if at % 5 == 3 { 0.0 } else { 2.0 });
        }
    }

    const OBJECTIVE: Objective = Objective {
        loss: Loss::Softmax(0.1),
        score: Activation::Identity,
        average: Average::Sum,
        thin: 0.0,
        precision: Precision::Single,
    };

    /// Two questions with two queries and one, and a pool that they share.
    fn questions() -> Questions {
        Questions {
            relations: vec![0, 0, 1],
            fixed: vec![0, 1, 2],
            query_starts: vec![0, 2, 3, 5],
            answers: vec![1, 2, 3, 0, 1],
            starts: vec![0, 3, 5],
            weights: vec![1.0, 0.5],
            pools: vec![Pool {
                candidates: vec![0, 3],
                questions: 0..2,
                queries: vec![0, 2],
                ..Default::default()
            }],
        }
    }

    /// The loss by its definition: a softmax over the masked products.
    fn naive(entities: &[f64], relations: &[f64]) -> f64 {
        let mut queries = Vec::new();
        for (fixed, relation) in [(0, 0), (1, 0), (2, 1)] {
            queries.extend((0..H).map(|at| entities[fixed * H + at] * relations[relation * H + at]));
        }
        EveryFew.of_queries(&mut queries);
        let mut answers = entities.to_vec();
        EveryFew.of_answers(&mut answers);
        let score = |(query, answer): (usize, usize)| -> f64 {
            (0..H).map(|at| queries[query * H + at] * answers[answer * H + at]).sum()
        };
        let loss = |asked: &[(usize, usize)], weight: f64| {
            let scores: Vec<f64> = asked.iter().map(|&pair| score(pair)).collect();
            let all = scores.iter().map(|score| score.exp()).sum::<f64>().ln();
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            weight * (all - 0.9 * scores[0] - 0.1 * mean)
        };
        loss(&[(0, 1), (0, 2), (1, 3), (0, 0), (0, 3)], 1.0) + loss(&[(2, 0), (2, 1), (2, 0), (2, 3)], 0.5)
    }

    #[test]
    fn what_is_left_out_neither_counts_nor_moves() {
        let (entities, relations) = (numbers(4 * H, 1), numbers(2 * H, 2));
        let questions = questions();
        let found = questions.ask(OBJECTIVE, &entities, &relations, H, &EveryFew, &mut Desk::default());
        assert!((found.losses.iter().sum::<f64>() - naive(&entities, &relations)).abs() < 1e-12);
        assert!(agrees(&entities, &found.entities, |entities| naive(entities, &relations)));
        assert!(agrees(&relations, &found.relations, |relations| naive(&entities, relations)));
    }

    #[test]
    fn queries_belong_to_their_questions() {
        assert_eq!(questions().question_of(), [0, 0, 1]);
        // A query that only the pool is asked with.
        let mut alone = questions();
        alone.query_starts = vec![0, 3, 3, 5];
        alone.pools[0].queries = vec![1, 2];
        assert_eq!(alone.question_of(), [0, 0, 1]);
    }
}
