//! What do the components of a context say on average? (Eq. 4–6, and Appendix C)
//!
//! The mean of their vectors; with attention each component c has the weight exp(θ_c):
//!
//! ```text
//! c(z) = Σ_{c ∈ C(z)} w_c v_c  /  Σ_{c ∈ C(z)} w_c        w = exp(θ), or 1
//! ```
//!
//! The neighbourhood of an entity leaves out the other entity of the fact in question. Leaving one out of a mean is one
//! subtraction from its two sums, so that a row of the result is either a whole context, or one without a component.
//!
//! A weighted mean commutes with the matrix that follows it: mean(W₂ v) = W₂ mean(v). So the rows that are averaged here
//! may be h-wide components, each computed once however many contexts it is part of, instead of d-wide vectors.

use crate::compute::Real;
use crate::compute::rows::Gather;

/// A context that is wanted once more, without one of its components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Which context: a row of the lists.
    pub context: u32,
    /// Without what: a row of the components.
    pub without: u32,
}

/// The contexts, and what the way back needs.
#[derive(Debug, Clone)]
pub struct Means<T> {
    /// One for each list, and then one for each [`LeftOut`]; zero where nothing is left.
    pub contexts: Vec<T>,
    /// Σ w of each list.
    totals: Vec<T>,
}

/// What flows back.
#[derive(Debug, Clone)]
pub struct Gradients<T> {
    /// To each component.
    pub components: Vec<T>,
    /// To each θ; nothing where there is no attention.
    pub attention: Vec<T>,
}

/// The weight of each row; no attention is a weight of 1.
fn weight<T: Real>(weights: &[T], row: u32) -> T {
    weights.get(row as usize).copied().unwrap_or(T::ONE)
}

/// Averages. `lists` names the rows of `components` that each context is made of; `weights` is exp(θ) of each such row,
/// or empty.
pub fn forward<T: Real>(
    lists: &Gather<T>,
    left_out: &[LeftOut],
    components: &[T],
    weights: &[T],
    width: usize,
) -> Means<T> {
    let mut sums = vec![T::ZERO; lists.len() * width];
    let mut totals = vec![T::ZERO; lists.len()];
    if weights.is_empty() {
        lists.add(&mut sums, components, width);
        totals.iter_mut().zip(lists.starts.windows(2)).for_each(|(t, s)| *t = T::of(f64::from(s[1] - s[0])));
    } else {
        lists.add(&mut sums, &weighted(components, weights, width), width);
        lists.add(&mut totals, weights, 1);
    }
    let mut contexts = Vec::with_capacity((lists.len() + left_out.len()) * width);
    for (sum, &total) in sums.chunks_exact(width).zip(&totals) {
        contexts.extend(sum.iter().map(|&s| if total > T::ZERO { s / total } else { T::ZERO }));
    }
    for out in left_out {
        let (share, left) = (weight(weights, out.without), left_after(out, lists, &totals, weights));
        let sum = row(&sums, out.context, width);
        let without = row(components, out.without, width);
        match left {
            Some(left) => contexts.extend(sum.iter().zip(without).map(|(&s, &p)| (s - share * p) / left)),
            None => contexts.extend(std::iter::repeat_n(T::ZERO, width)),
        }
    }
    Means { contexts, totals }
}

/// The weight that is left when one is left out; none if it was the only one.
fn left_after<T: Real>(out: &LeftOut, lists: &Gather<T>, totals: &[T], weights: &[T]) -> Option<T> {
    let context = out.context as usize;
    // Counted, not computed: the difference of two sums of floats is rarely zero.
    let others = lists.starts[context + 1] - lists.starts[context] > 1;
    others.then(|| totals[context] - weight(weights, out.without))
}

fn row<T>(table: &[T], row: u32, width: usize) -> &[T] {
    &table[row as usize * width..(row as usize + 1) * width]
}

fn weighted<T: Real>(components: &[T], weights: &[T], width: usize) -> Vec<T> {
    let scaled = |(row, &weight): (&[T], &T)| row.iter().map(|&p| weight * p).collect::<Vec<T>>();
    components.chunks_exact(width).zip(weights).flat_map(scaled).collect()
}

/// Sends gradients of the contexts back.
///
/// With c = S/D for each row: dS = dc/D and dD = −(dc·c)/D. A component's gradient is w Σ dS over the rows it is in, and
/// that of its θ is p·(w Σ dS) + w Σ dD.
pub fn backward<T: Real>(
    lists: &Gather<T>,
    left_out: &[LeftOut],
    components: &[T],
    weights: &[T],
    forward: &Means<T>,
    gradient: &[T],
    width: usize,
) -> Gradients<T> {
    let contexts = lists.len();
    // Row by row: whole contexts first, then those with one left out. The last column is dD.
    let wide = width + 1;
    let mut shares = vec![T::ZERO; (contexts + left_out.len()) * wide];
    let totals = (0..contexts).map(|e| (lists.starts[e + 1] > lists.starts[e]).then(|| forward.totals[e]));
    let lefts = left_out.iter().map(|out| left_after(out, lists, &forward.totals, weights));
    let rows = gradient.chunks_exact(width).zip(forward.contexts.chunks_exact(width));
    for ((share, total), (gradient, context)) in
        shares.chunks_exact_mut(wide).zip(totals.chain(lefts)).zip(rows)
    {
        if let Some(total) = total {
            let dot: T = gradient.iter().zip(context).map(|(&g, &c)| g * c).sum();
            share.iter_mut().zip(gradient).for_each(|(s, &g)| *s = g / total);
            share[width] = -dot / total;
        }
    }
    // A context's sums are also those of its rows with one left out…
    for (at, out) in left_out.iter().enumerate() {
        let (base, own) = shares.split_at_mut(contexts * wide);
        let base = &mut base[out.context as usize * wide..(out.context as usize + 1) * wide];
        base.iter_mut().zip(&own[at * wide..(at + 1) * wide]).for_each(|(b, &o)| *b += o);
    }
    let inputs = components.len() / width;
    let mut gathered = vec![T::ZERO; inputs * wide];
    lists.transposed(inputs).add(&mut gathered, &shares[..contexts * wide], wide);
    // …but the one left out has no part in those.
    for (at, out) in left_out.iter().enumerate() {
        let own = &shares[(contexts + at) * wide..(contexts + at + 1) * wide];
        let target = &mut gathered[out.without as usize * wide..(out.without as usize + 1) * wide];
        target.iter_mut().zip(own).for_each(|(t, &o)| *t -= o);
    }
    let mut result = Gradients { components: Vec::with_capacity(components.len()), attention: Vec::new() };
    for (at, (gathered, product)) in
        gathered.chunks_exact(wide).zip(components.chunks_exact(width)).enumerate()
    {
        let weight = weight(weights, at as u32);
        result.components.extend(gathered[..width].iter().map(|&g| weight * g));
        if !weights.is_empty() {
            let dot: T = gathered.iter().zip(product).map(|(&g, &p)| g * p).sum();
            result.attention.push(weight * (dot + gathered[width]));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    /// Three entities over four rows; the second has one neighbour, the third none.
    fn lists() -> Gather<f64> {
        Gather { starts: vec![0, 3, 4, 4], rows: vec![0, 1, 3, 2], weights: Vec::new() }
    }

    const LEFT_OUT: [LeftOut; 3] = [
        LeftOut { context: 0, without: 1 },
        LeftOut { context: 1, without: 2 },
        LeftOut { context: 0, without: 3 },
    ];

    /// By the definition, one context at a time.
    fn naive(components: &[f64], weights: &[f64], width: usize) -> Vec<f64> {
        let lists = lists();
        let entity = |e: usize, without: Option<u32>| {
            let near = &lists.rows[lists.starts[e] as usize..lists.starts[e + 1] as usize];
            let near: Vec<u32> = near.iter().copied().filter(|&r| Some(r) != without).collect();
            let total: f64 = near.iter().map(|&r| weight(weights, r)).sum();
            (0..width)
                .map(|at| {
                    let sum: f64 =
                        near.iter().map(|&r| weight(weights, r) * components[r as usize * width + at]).sum();
                    if near.is_empty() { 0.0 } else { sum / total }
                })
                .collect::<Vec<f64>>()
        };
        let base = (0..3).flat_map(|e| entity(e, None));
        base.chain(LEFT_OUT.iter().flat_map(|out| entity(out.context as usize, Some(out.without)))).collect()
    }

    #[test]
    fn a_mean_worked_by_hand() {
        let components = [1.0, 2.0, 3.0, 5.0];
        let out = forward(&lists(), &LEFT_OUT, &components, &[], 1);
        // (1+2+5)/3, 3/1, nobody; without 2: (1+5)/2; without its only one: nobody; without 5: (1+2)/2.
        assert_eq!(out.contexts, [8.0 / 3.0, 3.0, 0.0, 3.0, 0.0, 1.5]);
    }

    proptest! {
        #[test]
        fn contexts_follow_the_definition_and_gradients_finite_differences(seed in 0..500u64, width in 1..4usize, attention: bool) {
            let components = numbers(4 * width, seed);
            let theta = numbers(4, seed + 1);
            let exp = |theta: &[f64]| if attention { theta.iter().map(|t| t.exp()).collect() } else { Vec::new() };
            let weights = exp(&theta);
            let out = forward(&lists(), &LEFT_OUT, &components, &weights, width);
            for (found, expected) in out.contexts.iter().zip(naive(&components, &weights, width)) {
                prop_assert!((found - expected).abs() < 1e-12);
            }
            // Any function of the contexts will do: here their sum, each with a factor of its own.
            let factors = numbers(6 * width, seed + 2);
            let value = |components: &[f64], theta: &[f64]| -> f64 {
                let out = forward(&lists(), &LEFT_OUT, components, &exp(theta), width);
                out.contexts.iter().zip(&factors).map(|(c, f)| c * f).sum()
            };
            let back = backward(&lists(), &LEFT_OUT, &components, &weights, &out, &factors, width);
            prop_assert!(agrees(&components, &back.components, |p| value(p, &theta)));
            if attention {
                prop_assert!(agrees(&theta, &back.attention, |t| value(&components, t)));
            }
        }
    }
}
