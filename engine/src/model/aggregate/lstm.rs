//! What does a reader remember who takes the components one by one? (Eq. 4 with LSTM, after GraphSAGE)
//!
//! ```text
//! i, f, o = sigmoid( W_x x + W_h h + b )        g = tanh( W_x x + W_h h + b )        each with rows of its own
//! cell ← f ⊙ cell + i ⊙ g                       h ← o ⊙ tanh(cell)
//! ```
//!
//! with x = a_c v_c in the order of the list, from zeros; the context is the last h. A context is a set and a reader needs
//! an order: lists are sorted by ids, whose order is arbitrary (a rank of hashes) but always the same.
//!
//! The contexts of a piece are read together, longest first: step t is one matrix product for all that have a t-th
//! component, and these are the first of those that had one before. The way back reads again instead of keeping the
//! states of all: it costs one more forward pass, and a thread holds about 8 w numbers for each reference of its piece.

use rayon::prelude::*;

use super::attention::Weighted;
use super::pieces::{CONTEXTS, cut, pieces};
use crate::compute::Real;
use crate::compute::matrix::{add_times, add_transposed_times, times_transposed};
use crate::model::activation::Activation::{Sigmoid, Tanh};

/// Pieces whose gradients of the parameters are held at once, each as large as the parameters.
const PIECES_AT_ONCE: usize = 32;

/// The parameters by name, from one flat table.
#[derive(Clone, Copy)]
struct Weights<'a, T> {
    input: &'a [T],
    hidden: &'a [T],
    bias: &'a [T],
}

impl<'a, T> Weights<'a, T> {
    fn of(parameters: &'a [T], width: usize) -> Self {
        let (input, rest) = parameters.split_at(4 * width * width);
        let (hidden, bias) = rest.split_at(4 * width * width);
        Self { input, hidden, bias }
    }
}

/// The order in which the contexts of a piece are read. A line is one reference at its turn.
struct Reading {
    /// The contexts of the piece that are not empty, longest first.
    contexts: Vec<usize>,
    /// The reference of each line: the first of each context, then the second of each that has one, and so on.
    lines: Vec<usize>,
    /// Where the lines of each step begin, and where the last ends. Line k of a step is that of `contexts[k]`.
    steps: Vec<usize>,
}

impl Reading {
    fn of(starts: &[u32]) -> Self {
        let length = |&context: &usize| (starts[context + 1] - starts[context]) as usize;
        let mut contexts: Vec<usize> = (0..starts.len() - 1).filter(|context| length(context) > 0).collect();
        contexts.sort_by_key(|context| std::cmp::Reverse(length(context)));
        let longest = contexts.first().map_or(0, length);
        let (mut lines, mut steps) = (Vec::new(), vec![0]);
        for step in 0..longest {
            let reads = contexts.iter().take_while(|context| length(context) > step);
            lines.extend(reads.map(|&context| starts[context] as usize + step));
            steps.push(lines.len());
        }
        Self { contexts, lines, steps }
    }
}

/// What was read: one row for each line.
struct Read<T> {
    inputs: Vec<T>,
    /// i, f, g and o.
    gates: Vec<T>,
    /// h before the line was read.
    hidden: Vec<T>,
    /// The cells before the line was read.
    cells: Vec<T>,
    /// The last h, one for each of [`Reading::contexts`].
    last: Vec<T>,
}

fn read<T: Real>(inputs: &Weighted<'_, T>, reading: &Reading, weights: Weights<'_, T>) -> Read<T> {
    let (width, lines, readers) = (inputs.width, reading.lines.len(), reading.contexts.len());
    let mut read = Read {
        inputs: Vec::with_capacity(lines * width),
        gates: vec![T::ZERO; lines * 4 * width],
        hidden: vec![T::ZERO; lines * width],
        cells: vec![T::ZERO; lines * width],
        last: vec![T::ZERO; readers * width],
    };
    for &reference in &reading.lines {
        let count = inputs.count(reference);
        read.inputs.extend(inputs.component(reference).iter().map(|&place| count * place));
    }
    times_transposed(&mut read.gates, &read.inputs, weights.input, width, 4 * width);
    let mut cells = vec![T::ZERO; readers * width];
    let mut recurrent = vec![T::ZERO; readers * 4 * width];
    for step in reading.steps.windows(2) {
        // Whoever has come to the end is not among these, and keeps its last h.
        let now = (step[1] - step[0]) * width;
        let (hidden, cells, recurrent) =
            (&mut read.last[..now], &mut cells[..now], &mut recurrent[..4 * now]);
        read.hidden[step[0] * width..step[1] * width].copy_from_slice(hidden);
        read.cells[step[0] * width..step[1] * width].copy_from_slice(cells);
        times_transposed(recurrent, hidden, weights.hidden, width, 4 * width);
        let gates = read.gates[step[0] * 4 * width..step[1] * 4 * width].chunks_exact_mut(4 * width);
        let state = hidden.chunks_exact_mut(width).zip(cells.chunks_exact_mut(width));
        for ((gates, recurrent), (hidden, cells)) in gates.zip(recurrent.chunks_exact(4 * width)).zip(state) {
            let sums = gates.iter_mut().zip(recurrent).zip(weights.bias);
            sums.for_each(|((gate, &recurrent), &bias)| *gate += recurrent + bias);
            advance(gates, hidden, cells);
        }
    }
    read
}

/// One reader, one step: from the sums that the gates see to the gates, and to the state after it.
fn advance<T: Real>(gates: &mut [T], hidden: &mut [T], cells: &mut [T]) {
    let width = hidden.len();
    Sigmoid.forward(&mut gates[..2 * width]);
    Tanh.forward(&mut gates[2 * width..3 * width]);
    Sigmoid.forward(&mut gates[3 * width..]);
    for at in 0..width {
        let [i, f, g, o] = [0, 1, 2, 3].map(|gate| gates[gate * width + at]);
        cells[at] = f * cells[at] + i * g;
        hidden[at] = o * Tanh.of(cells[at]);
    }
}

/// The contexts.
pub(super) fn forward<T: Real>(inputs: &Weighted<'_, T>, parameters: &[T]) -> Vec<T> {
    let width = inputs.width;
    let weights = Weights::of(parameters, width);
    let mut contexts = vec![T::ZERO; inputs.lists.len() * width];
    let rows = contexts.par_chunks_mut(CONTEXTS * width);
    rows.zip(pieces(&inputs.lists.starts)).for_each(|(contexts, starts)| {
        let reading = Reading::of(starts);
        let read = read(inputs, &reading, weights);
        for (&context, last) in reading.contexts.iter().zip(read.last.chunks_exact(width)) {
            contexts[context * width..(context + 1) * width].copy_from_slice(last);
        }
    });
    contexts
}

/// Sends gradients of the contexts back to the weighted components, one row for each reference; those of the parameters
/// are added to `to_parameters`, piece after piece.
pub(super) fn backward<T: Real>(
    inputs: &Weighted<'_, T>,
    parameters: &[T],
    gradient: &[T],
    to_parameters: &mut [T],
) -> Vec<T> {
    let width = inputs.width;
    let mut to_references = vec![T::ZERO; inputs.lists.rows.len() * width];
    let pieces = pieces(&inputs.lists.starts);
    let rows = cut(&mut to_references, &pieces, width);
    let mut work: Vec<_> = pieces.into_iter().zip(gradient.chunks(CONTEXTS * width)).zip(rows).collect();
    for work in work.chunks_mut(PIECES_AT_ONCE) {
        let parts: Vec<Vec<T>> = work
            .par_iter_mut()
            .map(|((starts, gradient), rows)| piece_backward(inputs, parameters, starts, gradient, rows))
            .collect();
        for part in parts {
            to_parameters.iter_mut().zip(part).for_each(|(to, part)| *to += part);
        }
    }
    to_references
}

/// Fills the rows of a piece's references, and returns what it says about the parameters.
fn piece_backward<T: Real>(
    inputs: &Weighted<'_, T>,
    parameters: &[T],
    starts: &[u32],
    gradient: &[T],
    rows: &mut [T],
) -> Vec<T> {
    let width = inputs.width;
    let weights = Weights::of(parameters, width);
    let reading = Reading::of(starts);
    let mut read = read(inputs, &reading, weights);
    let context = |&context: &usize| &gradient[context * width..(context + 1) * width];
    let to_last: Vec<T> = reading.contexts.iter().flat_map(context).copied().collect();
    through_time(&mut read, &reading, weights, to_last, width);
    // From here on the gates hold the gradients of the sums that they saw.
    let mut to_inputs = vec![T::ZERO; read.inputs.len()];
    add_times(&mut to_inputs, &read.gates, weights.input, 4 * width, width);
    for (&reference, to_input) in reading.lines.iter().zip(to_inputs.chunks_exact(width)) {
        let at = (reference - starts[0] as usize) * width;
        rows[at..at + width].copy_from_slice(to_input);
    }
    let mut part = vec![T::ZERO; parameters.len()];
    let (to_input, rest) = part.split_at_mut(4 * width * width);
    let (to_hidden, to_bias) = rest.split_at_mut(4 * width * width);
    add_transposed_times(to_input, &read.gates, &read.inputs, 4 * width, width);
    add_transposed_times(to_hidden, &read.gates, &read.hidden, 4 * width, width);
    for line in read.gates.chunks_exact(4 * width) {
        to_bias.iter_mut().zip(line).for_each(|(bias, &line)| *bias += line);
    }
    part
}

/// From the last step to the first: replaces the gates by the gradients of the sums that they saw.
fn through_time<T: Real>(
    read: &mut Read<T>,
    reading: &Reading,
    weights: Weights<'_, T>,
    to_last: Vec<T>,
    width: usize,
) {
    // A reader's row is the gradient of its last h until its last step, and of the h between two steps from there on.
    let mut to_hidden = to_last;
    let mut to_cells = vec![T::ZERO; to_hidden.len()];
    for step in reading.steps.windows(2).rev() {
        let now = (step[1] - step[0]) * width;
        let gates = &mut read.gates[step[0] * 4 * width..step[1] * 4 * width];
        let cells = read.cells[step[0] * width..step[1] * width].chunks_exact(width);
        let to_state = to_hidden.chunks_exact(width).zip(to_cells.chunks_exact_mut(width));
        for ((gates, cells), (to_hidden, to_cells)) in
            gates.chunks_exact_mut(4 * width).zip(cells).zip(to_state)
        {
            step_back(gates, cells, to_hidden, to_cells);
        }
        to_hidden[..now].fill(T::ZERO);
        add_times(&mut to_hidden[..now], gates, weights.hidden, 4 * width, width);
    }
}

/// One reader, one step: `to_hidden` and `to_cells` are the gradients of the state after it. The gates become the
/// gradients of the sums they saw, and `to_cells` that of `cells`, the cells before it.
fn step_back<T: Real>(gates: &mut [T], cells: &[T], to_hidden: &[T], to_cells: &mut [T]) {
    let width = cells.len();
    for at in 0..width {
        let [i, f, g, o] = [0, 1, 2, 3].map(|gate| gates[gate * width + at]);
        let bent = Tanh.of(f * cells[at] + i * g);
        let to_cell = to_cells[at] + to_hidden[at] * o * Tanh.slope(bent);
        gates[at] = to_cell * g * Sigmoid.slope(i);
        gates[width + at] = to_cell * cells[at] * Sigmoid.slope(f);
        gates[2 * width + at] = to_cell * i * Tanh.slope(g);
        gates[3 * width + at] = to_hidden[at] * bent * Sigmoid.slope(o);
        to_cells[at] = to_cell * f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::rows::Gather;
    use crate::model::finite_differences::numbers;

    #[test]
    fn a_reading_goes_step_by_step_longest_first() {
        // Lists of 1, 0, 3, 1 and 2 references, the first of which is number 10.
        let reading = Reading::of(&[10, 11, 11, 14, 15, 17]);
        assert_eq!(reading.contexts, [2, 4, 0, 3]);
        assert_eq!(reading.lines, [11, 15, 10, 14, 12, 16, 13]);
        assert_eq!(reading.steps, [0, 4, 6, 7]);
        let nothing = Reading::of(&[3, 3, 3]);
        assert!(nothing.contexts.is_empty() && nothing.lines.is_empty());
        assert_eq!(nothing.steps, [0]);
    }

    #[test]
    fn an_lstm_worked_by_hand() {
        let lists = Gather { starts: vec![0, 2, 2, 3], rows: vec![0, 1, 1], weights: Vec::new() };
        let inputs = Weighted { lists: &lists, components: &[0.6, -0.2], counts: &[], width: 1 };
        // i = sigmoid(0) = 1/2; f = sigmoid(ln 3) = 3/4; g = tanh(x + 2h); o = sigmoid(−ln 3) = 1/4.
        let third = 3f64.ln();
        let parameters = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, third, 0.0, -third];
        let cell = 0.5 * 0.6f64.tanh();
        let hidden = 0.25 * cell.tanh();
        let first = 0.25 * (0.75 * cell + 0.5 * (2.0 * hidden - 0.2).tanh()).tanh();
        let last = 0.25 * (0.5 * (-0.2f64).tanh()).tanh();
        for (found, expected) in forward(&inputs, &parameters).into_iter().zip([first, 0.0, last]) {
            assert!((found - expected).abs() < 1e-15, "{found} is not {expected}");
        }
    }

    #[test]
    fn pieces_say_together_what_contexts_say_alone() {
        const WIDTH: usize = 2;
        let lengths: Vec<u32> =
            (0..CONTEXTS as u32 * (PIECES_AT_ONCE as u32 + 2)).map(|i| i * i % 5).collect();
        let mut lists = Gather { starts: vec![0], ..Gather::default() };
        for (context, &length) in lengths.iter().enumerate() {
            lists.rows.extend((0..length).map(|at| (context as u32 * 3 + at * 5) % 7));
            lists.starts.push(lists.rows.len() as u32);
        }
        let (components, counts) = (numbers(7 * WIDTH, 1), numbers(lists.rows.len(), 2));
        let parameters = numbers(2 * 4 * WIDTH * WIDTH + 4 * WIDTH, 3);
        let gradient = numbers(lengths.len() * WIDTH, 4);
        let inputs = Weighted { lists: &lists, components: &components, counts: &counts, width: WIDTH };
        let contexts = forward(&inputs, &parameters);
        let mut to_parameters = vec![0.0; parameters.len()];
        let to_references = backward(&inputs, &parameters, &gradient, &mut to_parameters);

        let close =
            |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        let mut summed = vec![0.0; parameters.len()];
        for (context, ends) in lists.starts.windows(2).enumerate() {
            let list = ends[0] as usize..ends[1] as usize;
            let alone = Gather {
                starts: vec![0, list.len() as u32],
                rows: lists.rows[list.clone()].to_vec(),
                weights: Vec::new(),
            };
            let inputs = Weighted { lists: &alone, counts: &counts[list.clone()], ..inputs };
            let place = context * WIDTH..(context + 1) * WIDTH;
            assert!(close(&forward(&inputs, &parameters), &contexts[place.clone()]));
            let back = backward(&inputs, &parameters, &gradient[place], &mut summed);
            assert!(close(&back, &to_references[list.start * WIDTH..list.end * WIDTH]));
        }
        assert!(close(&summed, &to_parameters));
    }
}
