//! What do the components of a context say on average? (Eq. 4–6, and Appendix C)
//!
//! The mean of their vectors; with attention each component c has the weight exp(θ_c):
//!
//! ```text
//! c(z) = Σ_{c ∈ C(z)} w_c v_c  /  Σ_{c ∈ C(z)} w_c        w = exp(θ), or 1
//! ```
//!
//! Neighbourhoods, which are large and leave a partner out, are averaged where entities are encoded
//! ([`entity`](crate::model::entity)).

use crate::compute::Real;
use crate::compute::rows::Gather;

/// The contexts, and what the way back needs.
#[derive(Debug, Clone)]
pub struct Means<T> {
    /// One for each list; zero for an empty one.
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

/// Averages. `lists` names the rows of `components` that each context is made of; `weights` is exp(θ) of each such row,
/// or empty.
pub fn forward<T: Real>(lists: &Gather<T>, components: &[T], weights: &[T], width: usize) -> Means<T> {
    let mut contexts = vec![T::ZERO; lists.len() * width];
    let mut totals = vec![T::ZERO; lists.len()];
    if weights.is_empty() {
        lists.add(&mut contexts, components, width);
        totals.iter_mut().zip(lists.starts.windows(2)).for_each(|(t, s)| *t = T::of(f64::from(s[1] - s[0])));
    } else {
        lists.add(&mut contexts, &weighted(components, weights, width), width);
        lists.add(&mut totals, weights, 1);
    }
    for (context, &total) in contexts.chunks_exact_mut(width).zip(&totals) {
        if total > T::ZERO {
            context.iter_mut().for_each(|sum| *sum = *sum / total);
        }
    }
    Means { contexts, totals }
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
    components: &[T],
    weights: &[T],
    forward: &Means<T>,
    gradient: &[T],
    width: usize,
) -> Gradients<T> {
    // The last column is dD.
    let wide = width + 1;
    let mut shares = vec![T::ZERO; lists.len() * wide];
    let rows = gradient.chunks_exact(width).zip(forward.contexts.chunks_exact(width));
    for ((share, &total), (gradient, context)) in shares.chunks_exact_mut(wide).zip(&forward.totals).zip(rows)
    {
        if total > T::ZERO {
            let dot: T = gradient.iter().zip(context).map(|(&g, &c)| g * c).sum();
            share.iter_mut().zip(gradient).for_each(|(s, &g)| *s = g / total);
            share[width] = -dot / total;
        }
    }
    let inputs = components.len() / width;
    let mut gathered = vec![T::ZERO; inputs * wide];
    lists.transposed(inputs).add(&mut gathered, &shares, wide);
    let mut result = Gradients { components: Vec::with_capacity(components.len()), attention: Vec::new() };
    for (at, (gathered, product)) in
        gathered.chunks_exact(wide).zip(components.chunks_exact(width)).enumerate()
    {
        let weight = weights.get(at).copied().unwrap_or(T::ONE);
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

    #[test]
    fn a_mean_worked_by_hand() {
        // The second context has one component, the third none; with weights 1, 3: (1·1 + 3·2) / 4.
        let lists = Gather { starts: vec![0, 3, 4, 4], rows: vec![0, 1, 3, 2], weights: Vec::new() };
        let components = [1.0, 2.0, 3.0, 5.0];
        assert_eq!(forward(&lists, &components, &[], 1).contexts, [8.0 / 3.0, 3.0, 0.0]);
        let lists = Gather { starts: vec![0, 2], rows: vec![0, 1], weights: Vec::new() };
        let means = forward(&lists, &components[..2], &[1.0, 3.0], 1);
        assert_eq!(means.contexts, [1.75]);
        // d/dv = w/Σw, and d/dθ = w (v − c)/Σw.
        let back = backward(&lists, &components[..2], &[1.0, 3.0], &means, &[1.0], 1);
        assert_eq!(back.components, [0.25, 0.75]);
        assert_eq!(back.attention, [0.25 * (1.0 - 1.75), 0.75 * (2.0 - 1.75)]);
    }
}
