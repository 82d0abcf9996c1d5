//! What does GAKE say?
//!
//! ```text
//! p(o | c) ∝ exp( φ(o) · π(c) ),   π(c) = Σ_{j ∈ c} a_j φ(j),   a_j = exp(θ_j) / Σ_k exp(θ_k)
//! ```
//!
//! An entity is told by what is around it: entities and relations, the latter in the direction in which they are met. Of
//! a fact, the context of one entity are the other and the relation, c = {f, r}. The last number of a row is its θ; that
//! of a query is 0, so that products pass over it.
//!
//! Several members are first put together to one row, which has their mean by attention and θ = ln Σ exp(θ_j), so that
//! it weighs as much as all of them: what comes out is the π of all.
//!
//! Feng, Huang, Yang and Zhu: GAKE: Graph Aware Knowledge Embedding (2016).

use crate::compute::Real;
use crate::compute::rows::add_scaled;
use crate::model::activation::Activation;
use crate::model::measure::sum_of_products;

/// θ of nobody.
const NOBODY: f64 = -1e4;

/// One row for several members.
pub fn together<'a, T: Real>(members: impl Iterator<Item = &'a [T]> + Clone, out: &mut [T]) {
    let d = out.len() - 1;
    out.fill(T::ZERO);
    let top = members.clone().fold(T::of(NOBODY), |top, row| row[d].larger(top));
    let mut sum = T::ZERO;
    for row in members {
        let weight = (row[d] - top).exp();
        sum += weight;
        add_scaled(&mut out[..d], &row[..d], weight);
    }
    if sum > T::ZERO {
        out[..d].iter_mut().for_each(|x| *x = *x / sum);
        out[d] = top + sum.ln();
    } else {
        out[d] = T::of(NOBODY);
    }
}

/// What flows back from there to one of the members: a_j g to its vector, and a_j (g · (φ_j − φ̄) + g_θ) to its θ.
pub fn back_to_member<T: Real>(member: &[T], together: &[T], to_together: &[T], to_member: &mut [T]) {
    let d = member.len() - 1;
    let share = (member[d] - together[d]).exp();
    let g = &to_together[..d];
    add_scaled(&mut to_member[..d], g, share);
    let ahead = sum_of_products(g, &member[..d]) - sum_of_products(g, &together[..d]);
    to_member[d] += share * (ahead + to_together[d]);
}

/// a of the entity; the relation has the rest.
fn attention<T: Real>(fixed: &[T], relation: &[T]) -> T {
    let d = fixed.len() - 1;
    Activation::Sigmoid.of(fixed[d] - relation[d])
}

pub(super) fn query<T: Real>(fixed: &[T], relation: &[T], query: &mut [T]) {
    let a = attention(fixed, relation);
    query.fill(T::ZERO);
    add_scaled(query, fixed, a);
    add_scaled(query, relation, T::ONE - a);
    query[fixed.len() - 1] = T::ZERO;
}

/// a (1 − a) g · (φ(f) − φ(r)): what flows back to θ of the entity, and with the other sign to that of the relation.
fn back_to_theta<T: Real>(fixed: &[T], relation: &[T], to_query: &[T]) -> T {
    let d = fixed.len() - 1;
    let a = attention(fixed, relation);
    let g = &to_query[..d];
    a * (T::ONE - a) * (sum_of_products(g, &fixed[..d]) - sum_of_products(g, &relation[..d]))
}

pub(super) fn back_to_fixed<T: Real>(fixed: &[T], relation: &[T], to_query: &[T], to_fixed: &mut [T]) {
    let d = fixed.len() - 1;
    add_scaled(&mut to_fixed[..d], &to_query[..d], attention(fixed, relation));
    to_fixed[d] += back_to_theta(fixed, relation, to_query);
}

pub(super) fn back_to_relation<T: Real>(fixed: &[T], relation: &[T], to_query: &[T], to_relation: &mut [T]) {
    let d = fixed.len() - 1;
    add_scaled(&mut to_relation[..d], &to_query[..d], T::ONE - attention(fixed, relation));
    to_relation[d] -= back_to_theta(fixed, relation, to_query);
}
