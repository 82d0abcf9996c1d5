//! How is any aggregator applied, context by context? (Eq. 4–6)
//!
//! Every context is a list of components, and is computed from its list alone: any aggregator, with or without attention,
//! by one pair of functions. [`mean`] is faster where a context is wanted once more without one of its components.
//!
//! Every component counts a_c = |C| · w_c / Σ_{C} w, with w = exp(θ), and aggregators work on a_c v_c.
//!
//! On the way back, all but the mean hold the gradient of each reference, that is of each entry of the lists: references ×
//! width numbers, from which each component sums its own in a fixed order. That is the price for gradients whose bits do
//! not depend on the number of threads.

use super::Aggregator;
use super::attention::{Weighted, counts};
use super::max::{self, Maxima};
use super::mean::{self, Gradients};
use super::{lstm, pooling};
use crate::compute::Real;
use crate::compute::rows::Gather;

/// The contexts, and what the way back needs.
#[derive(Debug, Clone)]
pub struct Listed<T> {
    /// One for each list; zero for an empty one.
    pub contexts: Vec<T>,
    /// a_c of each reference; empty without attention, and for the mean.
    counts: Vec<T>,
    kept: Kept<T>,
}

/// What each aggregator keeps for the way back.
#[derive(Debug, Clone)]
enum Kept<T> {
    Mean(mean::Means<T>),
    /// The component that was largest in each place.
    Max(Vec<u32>),
    Pooling(pooling::Pooled<T>),
    /// Nothing: it reads again.
    Lstm,
}

/// Aggregates. `lists` names the rows of `components` that each context is made of, without weights of its own;
/// `weights` is exp(θ) of each such row, or empty for no attention; `parameters` is as [`Aggregator`] says.
pub fn forward<T: Real>(
    aggregator: Aggregator,
    lists: &Gather<T>,
    components: &[T],
    weights: &[T],
    parameters: &[T],
    width: usize,
) -> Listed<T> {
    assert!(lists.weights.is_empty(), "contexts are weighted by attention alone");
    assert_eq!(parameters.len(), aggregator.parameters(width), "parameters of another aggregator or width");
    let counts = if aggregator == Aggregator::Mean { Vec::new() } else { counts(lists, weights) };
    let inputs = Weighted { lists, components, counts: &counts, width };
    let (contexts, kept) = match aggregator {
        Aggregator::Mean => {
            let means = mean::forward(lists, components, weights, width);
            // A copy: the way back of the mean wants its contexts, too.
            (means.contexts.clone(), Kept::Mean(means))
        }
        Aggregator::Max => {
            let Maxima { contexts, largest } = max::weighted(&inputs);
            (contexts, Kept::Max(largest))
        }
        Aggregator::Pooling => {
            let (contexts, pooled) = pooling::forward(&inputs, parameters);
            (contexts, Kept::Pooling(pooled))
        }
        Aggregator::Lstm => (lstm::forward(&inputs, parameters), Kept::Lstm),
    };
    Listed { contexts, counts, kept }
}

/// Sends gradients of the contexts back: to the components and their θ, and, added to `to_parameters`, to what the
/// aggregator learns. The arguments are those of the way forward.
#[expect(clippy::too_many_arguments, reason = "the way forward has six, and the way back adds what it gave")]
pub fn backward<T: Real>(
    aggregator: Aggregator,
    lists: &Gather<T>,
    components: &[T],
    weights: &[T],
    parameters: &[T],
    forward: &Listed<T>,
    gradient: &[T],
    to_parameters: &mut [T],
    width: usize,
) -> Gradients<T> {
    assert_eq!(gradient.len(), forward.contexts.len(), "one gradient for each context");
    assert_eq!(to_parameters.len(), aggregator.parameters(width), "one gradient for each parameter");
    let inputs = Weighted { lists, components, counts: &forward.counts, width };
    match (aggregator, &forward.kept) {
        (Aggregator::Mean, Kept::Mean(means)) => {
            mean::backward(lists, components, weights, means, gradient, width)
        }
        (Aggregator::Max, Kept::Max(largest)) if forward.counts.is_empty() => {
            let components = max::to_components(&inputs, largest, gradient);
            Gradients { components, attention: Vec::new() }
        }
        (Aggregator::Max, Kept::Max(largest)) => {
            inputs.to_components(max::to_references(lists, largest, gradient, width))
        }
        (Aggregator::Pooling, Kept::Pooling(pooled)) => {
            pooling::backward(&inputs, parameters, &forward.contexts, pooled, gradient, to_parameters)
        }
        (Aggregator::Lstm, Kept::Lstm) => {
            inputs.to_components(lstm::backward(&inputs, parameters, gradient, to_parameters))
        }
        _ => panic!("the way forward was that of another aggregator"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::finite_differences::{agrees, numbers};
    use proptest::prelude::*;

    const ALL: [Aggregator; 4] = [Aggregator::Mean, Aggregator::Max, Aggregator::Pooling, Aggregator::Lstm];
    const ROWS: usize = 5;

    /// Contexts of 0 to 4 of the rows, with repeated contexts and, now and then, a row that is repeated within one.
    fn lists(contexts: usize, seed: u64) -> Gather<f64> {
        let mut dice = numbers(contexts * 6, seed).into_iter().map(|x| ((x + 1.0) * 1e6) as usize);
        let mut all: Vec<Vec<u32>> = Vec::new();
        for context in 0..contexts {
            let (length, copied) = (dice.next().unwrap() % 5, dice.next().unwrap());
            let list: Vec<u32> = (0..length).map(|_| (dice.next().unwrap() % ROWS) as u32).collect();
            all.push(if context > 0 && copied % 6 == 0 { all[copied % context].clone() } else { list });
        }
        let mut lists = Gather { starts: vec![0], ..Gather::default() };
        for list in all {
            lists.rows.extend(list);
            lists.starts.push(lists.rows.len() as u32);
        }
        lists
    }

    fn exp(theta: &[f64]) -> Vec<f64> {
        theta.iter().map(|theta| theta.exp()).collect()
    }

    /// By the definition, one context and one number at a time.
    fn naive(
        aggregator: Aggregator,
        lists: &Gather<f64>,
        components: &[f64],
        weights: &[f64],
        parameters: &[f64],
        width: usize,
    ) -> Vec<f64> {
        let mut contexts = Vec::new();
        for ends in lists.starts.windows(2) {
            let list = &lists.rows[ends[0] as usize..ends[1] as usize];
            let weight = |row: u32| if weights.is_empty() { 1.0 } else { weights[row as usize] };
            let total: f64 = list.iter().map(|&row| weight(row)).sum();
            let scaled = |row: u32| -> Vec<f64> {
                let count = list.len() as f64 * weight(row) / total;
                (0..width).map(|at| count * components[row as usize * width + at]).collect()
            };
            let inputs: Vec<Vec<f64>> = list.iter().map(|&row| scaled(row)).collect();
            contexts.extend(match aggregator {
                _ if inputs.is_empty() => vec![0.0; width],
                Aggregator::Mean => (0..width)
                    .map(|at| inputs.iter().map(|v| v[at]).sum::<f64>() / inputs.len() as f64)
                    .collect(),
                Aggregator::Max => largest(&inputs),
                Aggregator::Pooling => {
                    let sum = |v: &[f64], out: usize| {
                        (0..width).map(|at| parameters[out * width + at] * v[at]).sum::<f64>()
                    };
                    let bias = |out: usize| parameters[width * width + out];
                    let bent =
                        |v: &Vec<f64>| (0..width).map(|out| (sum(v, out) + bias(out)).max(0.0)).collect();
                    largest(&inputs.iter().map(bent).collect::<Vec<Vec<f64>>>())
                }
                Aggregator::Lstm => naive_lstm(&inputs, parameters, width),
            });
        }
        contexts
    }

    fn largest(vectors: &[Vec<f64>]) -> Vec<f64> {
        (0..vectors[0].len())
            .map(|at| vectors.iter().map(|v| v[at]).fold(f64::NEG_INFINITY, f64::max))
            .collect()
    }

    fn naive_lstm(inputs: &[Vec<f64>], parameters: &[f64], w: usize) -> Vec<f64> {
        let (mut hidden, mut cells) = (vec![0.0; w], vec![0.0; w]);
        for x in inputs {
            let before = hidden.clone();
            for at in 0..w {
                let sum = |gate: usize| -> f64 {
                    let row = gate * w + at;
                    let from_x: f64 = (0..w).map(|j| parameters[row * w + j] * x[j]).sum();
                    let from_h: f64 = (0..w).map(|j| parameters[4 * w * w + row * w + j] * before[j]).sum();
                    from_x + from_h + parameters[8 * w * w + row]
                };
                let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
                let (i, f, g, o) = (sigmoid(sum(0)), sigmoid(sum(1)), sum(2).tanh(), sigmoid(sum(3)));
                cells[at] = f * cells[at] + i * g;
                hidden[at] = o * cells[at].tanh();
            }
        }
        hidden
    }

    proptest! {
        #[test]
        fn contexts_follow_the_definition(seed in 0..10_000u64, contexts in 0..150usize, width in 1..5usize, attention: bool) {
            let (lists, components) = (lists(contexts, seed), numbers(ROWS * width, seed + 1));
            let weights = if attention { exp(&numbers(ROWS, seed + 2)) } else { Vec::new() };
            for aggregator in ALL {
                let parameters = numbers(aggregator.parameters(width), seed + 3);
                let found = forward(aggregator, &lists, &components, &weights, &parameters, width).contexts;
                let expected = naive(aggregator, &lists, &components, &weights, &parameters, width);
                prop_assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(expected) {
                    prop_assert!((found - expected).abs() < 1e-12, "{:?}: {} is not {}", aggregator, found, expected);
                }
            }
        }
    }

    // Always the same seeds: max and relu have kinks, where differences say nothing, and none of these is near one.
    #[test]
    fn gradients_agree_with_finite_differences() {
        for seed in 0..60 {
            for width in 1..5 {
                for aggregator in ALL {
                    differences_agree(aggregator, seed, width, false);
                    differences_agree(aggregator, seed, width, true);
                }
            }
        }
    }

    fn differences_agree(aggregator: Aggregator, seed: u64, width: usize, attention: bool) {
        let lists = lists(6, seed);
        let (components, theta) = (numbers(ROWS * width, seed + 1), numbers(ROWS, seed + 2));
        let parameters = numbers(aggregator.parameters(width), seed + 3);
        // Any function of the contexts will do: here their sum, each with a factor of its own.
        let factors = numbers(6 * width, seed + 4);
        let exp = |theta: &[f64]| if attention { exp(theta) } else { Vec::new() };
        let value = |components: &[f64], theta: &[f64], parameters: &[f64]| -> f64 {
            let out = forward(aggregator, &lists, components, &exp(theta), parameters, width);
            out.contexts.iter().zip(&factors).map(|(c, f)| c * f).sum()
        };
        let weights = exp(&theta);
        let out = forward(aggregator, &lists, &components, &weights, &parameters, width);
        // What is there already stays: gradients of the parameters are added.
        let mut to_parameters = vec![3.0; parameters.len()];
        let back = backward(
            aggregator,
            &lists,
            &components,
            &weights,
            &parameters,
            &out,
            &factors,
            &mut to_parameters,
            width,
        );
        to_parameters.iter_mut().for_each(|to| *to -= 3.0);
        let case = format!("{aggregator:?}, seed {seed}, width {width}");
        assert!(
            agrees(&components, &back.components, |c| value(c, &theta, &parameters)),
            "components: {case}"
        );
        assert!(agrees(&parameters, &to_parameters, |p| value(&components, &theta, p)), "parameters: {case}");
        if attention {
            assert!(
                agrees(&theta, &back.attention, |t| value(&components, t, &parameters)),
                "thetas: {case}"
            );
        } else {
            assert!(back.attention.is_empty());
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_number_of_threads() {
        const WIDTH: usize = 3;
        let narrow = |numbers: Vec<f64>| numbers.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
        let Gather { starts, rows, .. } = lists(3000, 7);
        let lists = Gather { starts, rows, weights: Vec::new() };
        let components = narrow(numbers(ROWS * WIDTH, 1));
        let weights = narrow(exp(&numbers(ROWS, 2)));
        let gradient = narrow(numbers(lists.len() * WIDTH, 3));
        for aggregator in ALL {
            let parameters = narrow(numbers(aggregator.parameters(WIDTH), 4));
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut to_parameters = vec![0f32; parameters.len()];
                    let out = forward(aggregator, &lists, &components, &weights, &parameters, WIDTH);
                    let back = backward(
                        aggregator,
                        &lists,
                        &components,
                        &weights,
                        &parameters,
                        &out,
                        &gradient,
                        &mut to_parameters,
                        WIDTH,
                    );
                    let all = [out.contexts, back.components, back.attention, to_parameters].concat();
                    all.iter().map(|x| x.to_bits()).collect::<Vec<u32>>()
                })
            };
            assert_eq!(run(1), run(3), "{aggregator:?}");
        }
    }

    #[test]
    fn equal_thetas_are_no_attention() {
        let (lists, components) = (lists(20, 3), numbers(ROWS * 2, 4));
        for aggregator in ALL {
            let parameters = numbers(aggregator.parameters(2), 5);
            let with = forward(aggregator, &lists, &components, &[0.7; ROWS], &parameters, 2).contexts;
            let without = forward(aggregator, &lists, &components, &[], &parameters, 2).contexts;
            assert!(with.iter().zip(&without).all(|(a, b)| (a - b).abs() < 1e-14), "{aggregator:?}");
        }
    }

    #[test]
    fn no_contexts_and_no_components_give_nothing() {
        for aggregator in ALL {
            let parameters = numbers(aggregator.parameters(2), 1);
            let mut to_parameters = vec![0.0; parameters.len()];
            let lists = Gather { starts: vec![0, 0], ..Gather::default() };
            let out = forward(aggregator, &lists, &[], &[], &parameters, 2);
            assert_eq!(out.contexts, [0.0, 0.0], "{aggregator:?}");
            let back =
                backward(aggregator, &lists, &[], &[], &parameters, &out, &[1.0, 1.0], &mut to_parameters, 2);
            assert!(back.components.is_empty() && back.attention.is_empty());
            assert!(to_parameters.iter().all(|&to| to == 0.0), "{aggregator:?}");
            assert!(forward(aggregator, &Gather::default(), &[], &[], &parameters, 2).contexts.is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "parameters of another aggregator or width")]
    fn parameters_of_another_width_are_refused() {
        forward(Aggregator::Lstm, &lists(2, 1), &numbers(ROWS, 1), &[], &numbers(11, 1), 1);
    }

    #[test]
    #[should_panic(expected = "the way forward was that of another aggregator")]
    fn the_way_back_is_that_of_the_way_forward() {
        let (lists, components) = (lists(2, 1), numbers(ROWS, 1));
        let out = forward(Aggregator::Mean, &lists, &components, &[], &[], 1);
        backward(Aggregator::Max, &lists, &components, &[], &[], &out, &[1.0, 1.0], &mut [], 1);
    }
}
