//! How well does a fact hold? (Eq. 10)
//!
//! ```text
//! g(s, r, o) = σ( z_r · (z_s ⊙ z_o) )
//! ```
//!
//! A fact is asked about with one entity fixed and many in the other place. So the fixed part is multiplied out once, as
//! the query q = z_r ⊙ z_fixed, and each candidate c costs one product q · z_c.

use crate::compute::Real;
use crate::compute::rows::Gather;

/// Queries from rows of relations and of entities: `out[i] = relations[r_i] ⊙ entities[e_i]`.
pub fn queries<T: Real>(relations: &[T], entities: &[T], pairs: &[(u32, u32)], width: usize) -> Vec<T> {
    let row = |table: &[T], row: u32, at: usize| table[row as usize * width + at];
    let product =
        |&(r, e): &(u32, u32)| (0..width).map(move |at| row(relations, r, at) * row(entities, e, at));
    pairs.iter().flat_map(product).collect()
}

/// Sends gradients of queries back to relations and entities; both are added to.
pub fn queries_backward<T: Real>(
    relations: (&[T], &mut [T]),
    entities: (&[T], &mut [T]),
    pairs: &[(u32, u32)],
    gradient: &[T],
    width: usize,
) {
    for (&(r, e), gradient) in pairs.iter().zip(gradient.chunks_exact(width)) {
        let (r, e) = (r as usize * width, e as usize * width);
        for (at, &g) in gradient.iter().enumerate() {
            relations.1[r + at] += g * entities.0[e + at];
            entities.1[e + at] += g * relations.0[r + at];
        }
    }
}

/// q · z for each candidate of each query; `candidates` lists rows of `entities` for each query.
pub fn scores<T: Real>(candidates: &Gather<T>, queries: &[T], entities: &[T], width: usize) -> Vec<T> {
    let mut scores = Vec::with_capacity(candidates.rows.len());
    for (query, ends) in queries.chunks_exact(width).zip(candidates.starts.windows(2)) {
        for &row in &candidates.rows[ends[0] as usize..ends[1] as usize] {
            let entity = &entities[row as usize * width..(row as usize + 1) * width];
            scores.push(query.iter().zip(entity).map(|(&q, &z)| q * z).sum());
        }
    }
    scores
}

/// Sends gradients of scores back: returns those of the queries, and adds those of the entities.
///
/// Both are gathers, with the gradients as weights: of entities into queries, and transposed of queries into entities.
pub fn scores_backward<T: Real>(
    candidates: &Gather<T>,
    queries: &[T],
    entities: (&[T], &mut [T]),
    gradient: Vec<T>,
    width: usize,
) -> Vec<T> {
    let weighted = Gather { weights: gradient, ..candidates.clone() };
    let mut to_queries = vec![T::ZERO; queries.len()];
    weighted.add(&mut to_queries, entities.0, width);
    weighted.transposed(entities.0.len() / width).add(entities.1, queries, width);
    to_queries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    const PAIRS: [(u32, u32); 3] = [(0, 1), (1, 1), (0, 3)];

    fn candidates() -> Gather<f64> {
        Gather { starts: vec![0, 2, 2, 5], rows: vec![0, 2, 1, 2, 0], weights: Vec::new() }
    }

    #[test]
    fn a_score_worked_by_hand() {
        // z_r = (1, 2), z_s = (3, 4), z_o = (5, 6): 1·3·5 + 2·4·6 = 63.
        let queries = queries(&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], &[(0, 0)], 2);
        let candidates = Gather { starts: vec![0, 1], rows: vec![1], weights: Vec::new() };
        assert_eq!(scores(&candidates, &queries, &[3.0, 4.0, 5.0, 6.0], 2), [63.0]);
    }

    proptest! {
        #[test]
        fn gradients_agree_with_finite_differences(seed in 0..300u64, width in 1..4usize) {
            let (relations, entities) = (numbers(2 * width, seed), numbers(4 * width, seed + 1));
            let factors = numbers(5, seed + 2);
            let value = |relations: &[f64], entities: &[f64]| -> f64 {
                let queries = queries(relations, entities, &PAIRS, width);
                scores(&candidates(), &queries, entities, width).iter().zip(&factors).map(|(s, f)| s * f).sum()
            };
            let queries = queries(&relations, &entities, &PAIRS, width);
            let (mut to_relations, mut to_entities) = (vec![0.0; 2 * width], vec![0.0; 4 * width]);
            let back = scores_backward(&candidates(), &queries, (&entities, &mut to_entities), factors.clone(), width);
            queries_backward((&relations, &mut to_relations), (&entities, &mut to_entities), &PAIRS, &back, width);
            prop_assert!(agrees(&relations, &to_relations, |r| value(r, &entities)));
            prop_assert!(agrees(&entities, &to_entities, |e| value(&relations, e)));
        }
    }
}
