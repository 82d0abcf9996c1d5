//! How are rows of a table summed?
//!
//! The neighbours of an entity, the negatives of a fact and the gradients they send back are all weighted sums of rows
//! of a table that the cache cannot hold. Every one of them is written as a gather: each output row is computed by one
//! thread, from a list of input rows, in the order of the list. No two threads write to one place, and the bits do not
//! depend on how many there are.

use rayon::prelude::*;

use super::level::kernel;
use super::real::Real;

/// For each output row, the input rows it is made of, and their weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Gather<T> {
    /// Where the list of each output row begins; one more than there are rows.
    pub starts: Vec<u32>,
    /// The input rows.
    pub rows: Vec<u32>,
    /// Their weights; none at all means that each is 1.
    pub weights: Vec<T>,
}

impl<T: Real> Gather<T> {
    /// How many output rows there are.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The gather that sends gradients back: what was summed into row i from row j goes from i to j. `inputs` is the
    /// number of rows of the table. Lists keep the order of the output rows (a counting sort).
    pub fn transposed(&self, inputs: usize) -> Self {
        let mut starts = vec![0u32; inputs + 1];
        self.rows.iter().for_each(|&row| starts[row as usize + 1] += 1);
        for row in 0..inputs {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; self.rows.len()];
        let mut weights = vec![T::ZERO; self.weights.len()];
        for output in 0..self.len() {
            for at in self.starts[output] as usize..self.starts[output + 1] as usize {
                let place = &mut next[self.rows[at] as usize];
                rows[*place as usize] = output as u32;
                if let Some(&weight) = self.weights.get(at) {
                    weights[*place as usize] = weight;
                }
                *place += 1;
            }
        }
        Self { starts, rows, weights }
    }

    /// `out[i] += Σ_j weight_ij · table[j]`, rows of `width` numbers.
    pub fn add(&self, out: &mut [T], table: &[T], width: usize) {
        const ROWS: usize = 64;
        assert_eq!(out.len(), self.len() * width, "one output row for each list");
        let inputs = table.len() / width.max(1);
        assert!(self.rows.iter().all(|&row| (row as usize) < inputs), "a list names a row that is not there");
        out.par_chunks_mut(ROWS * width).zip(self.starts.par_windows_of(ROWS)).for_each(|(out, starts)| {
            if self.weights.is_empty() {
                add_plain_rows(out, width, starts, &self.rows, table);
            } else {
                add_rows(out, width, starts, &self.rows, &self.weights, table);
            }
        });
    }
}

/// Overlapping pieces of a list of starts: each has the end of its last row.
trait Windows {
    fn par_windows_of(&self, rows: usize) -> impl IndexedParallelIterator<Item = &[u32]>;
}

impl Windows for Vec<u32> {
    fn par_windows_of(&self, rows: usize) -> impl IndexedParallelIterator<Item = &[u32]> {
        let count = self.len().saturating_sub(1).div_ceil(rows);
        (0..count)
            .into_par_iter()
            .map(move |piece| &self[piece * rows..(self.len()).min((piece + 1) * rows + 1)])
    }
}

/// So many rows before its turn, a row is fetched into the cache: rows lie anywhere, and memory is slow to answer.
const AHEAD: usize = 12;

/// Fetches some numbers into the cache, if there are any at that place.
#[inline(always)]
#[allow(unsafe_code)]
fn fetch<T>(table: &[T], first: usize, count: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let line = LINE / size_of::<T>();
        for at in (0..count).step_by(line) {
            // SAFETY: a hint may name any address, and changes nothing but what is in the cache.
            unsafe { _mm_prefetch(table.as_ptr().wrapping_add(first + at).cast(), _MM_HINT_T0) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, first, count);
}

/// So many numbers of a row are summed at a time, in registers; of long rows, first so many.
const LANES: usize = 64;
const MANY_LANES: usize = 256;

/// The loops of a gather: `$term` is what a number of a row adds, given the number and the place in the list.
macro_rules! gather {
    ($out:ident, $width:ident, $starts:ident, $rows:ident, $table:ident, |$x:ident, $at:ident| $term:expr) => {
        for (out, ends) in $out.chunks_exact_mut($width).zip($starts.windows(2)) {
            let list = ends[0] as usize..ends[1] as usize;
            let mut first = 0;
            while first < $width {
                let lanes = $width - first;
                if lanes >= MANY_LANES {
                    gather!(strip MANY_LANES, out, list, first, $width, $rows, $table, |$x, $at| $term);
                } else if lanes >= LANES {
                    gather!(strip LANES, out, list, first, $width, $rows, $table, |$x, $at| $term);
                } else {
                    for $at in list.clone() {
                        let row = $rows[$at] as usize * $width + first;
                        for (out, &$x) in out[first..].iter_mut().zip(&$table[row..row + lanes]) {
                            *out += $term;
                        }
                    }
                    first = $width;
                }
            }
        }
    };
    (strip $lanes:ident, $out:ident, $list:ident, $first:ident, $width:ident, $rows:ident, $table:ident,
     |$x:ident, $at:ident| $term:expr) => {
        let mut sum = [T::ZERO; $lanes];
        for $at in $list.clone() {
            if let Some(&ahead) = $rows.get($at + AHEAD) {
                fetch($table, ahead as usize * $width + $first, $lanes);
            }
            let row = $rows[$at] as usize * $width + $first;
            for (sum, &$x) in sum.iter_mut().zip(&$table[row..row + $lanes]) {
                *sum += $term;
            }
        }
        for (out, sum) in $out[$first..$first + $lanes].iter_mut().zip(sum) {
            *out += sum;
        }
        $first += $lanes;
    };
}

kernel! {
    /// `out[i] += Σ_j weights[j] · table[rows[j]]` for the j between `starts[i]` and `starts[i + 1]`.
    pub fn add_rows(out: &mut [T], width: usize, starts: &[u32], rows: &[u32], weights: &[T], table: &[T]) {
        gather!(out, width, starts, rows, table, |x, at| weights[at] * x);
    }
}

kernel! {
    /// `out[i] += Σ_j table[rows[j]]` for the j between `starts[i]` and `starts[i + 1]`.
    pub fn add_plain_rows(out: &mut [T], width: usize, starts: &[u32], rows: &[u32], table: &[T]) {
        gather!(out, width, starts, rows, table, |x, _at| x);
    }
}

kernel! {
    /// `out[i] += Σ_j weights[j] · max(0, table[rows[j]])`.
    pub fn add_positive_rows(out: &mut [T], width: usize, starts: &[u32], rows: &[u32], weights: &[T], table: &[T]) {
        gather!(out, width, starts, rows, table, |x, at| weights[at] * x.larger(T::ZERO));
    }
}

kernel! {
    /// `out[i] += Σ_j max(0, table[rows[j]])`.
    pub fn add_plain_positive_rows(out: &mut [T], width: usize, starts: &[u32], rows: &[u32], table: &[T]) {
        gather!(out, width, starts, rows, table, |x, _at| x.larger(T::ZERO));
    }
}

/// `out[i] = table[rows[i]]`.
pub fn copy_rows<T: Copy>(out: &mut [T], width: usize, rows: &[u32], table: &[T]) {
    for (out, &row) in out.chunks_exact_mut(width).zip(rows) {
        out.copy_from_slice(&table[row as usize * width..(row as usize + 1) * width]);
    }
}

kernel! {
    /// `out[i] = max(0, table[rows[i]])`.
    pub fn copy_positive_rows(out: &mut [T], width: usize, rows: &[u32], table: &[T]) {
        for (out, &row) in out.chunks_exact_mut(width).zip(rows) {
            let row = &table[row as usize * width..(row as usize + 1) * width];
            for (out, &x) in out.iter_mut().zip(row) {
                *out = x.larger(T::ZERO);
            }
        }
    }
}

kernel! {
    /// `out[i] += Σ_j left[lefts[j]] ⊙ right[rights[j]]` for the j between `starts[i]` and `starts[i + 1]`.
    pub fn add_products(
        out: &mut [T], width: usize, starts: &[u32], lefts: &[u32], left: &[T], rights: &[u32], right: &[T],
    ) {
        for (out, ends) in out.chunks_exact_mut(width).zip(starts.windows(2)) {
            let list = ends[0] as usize..ends[1] as usize;
            for (&l, &r) in lefts[list.clone()].iter().zip(&rights[list]) {
                let left = &left[l as usize * width..(l as usize + 1) * width];
                let right = &right[r as usize * width..(r as usize + 1) * width];
                for ((out, &l), &r) in out.iter_mut().zip(left).zip(right) {
                    *out += l * r;
                }
            }
        }
    }
}

kernel! {
    /// `out[j] = queries[i] · table[rows[j]]` for the j between `starts[i]` and `starts[i + 1]`; `out` begins with the
    /// first of them.
    pub fn dot_rows(out: &mut [T], width: usize, starts: &[u32], rows: &[u32], queries: &[T], table: &[T]) {
        // Sums in lanes, so that they are vector instructions; the order is fixed.
        const SUMS: usize = 16;
        let offset = starts.first().copied().unwrap_or_default() as usize;
        for (query, ends) in queries.chunks_exact(width).zip(starts.windows(2)) {
            for at in ends[0] as usize..ends[1] as usize {
                let row = &table[rows[at] as usize * width..(rows[at] as usize + 1) * width];
                let mut sums = [T::ZERO; SUMS];
                let (queries, rest) = query.as_chunks::<SUMS>();
                let (rows, rest_of_row) = row.as_chunks::<SUMS>();
                for (query, row) in queries.iter().zip(rows) {
                    for ((sum, &q), &r) in sums.iter_mut().zip(query).zip(row) {
                        *sum += q * r;
                    }
                }
                let mut sum = T::ZERO;
                for lane in sums {
                    sum += lane;
                }
                for (&q, &r) in rest.iter().zip(rest_of_row) {
                    sum += q * r;
                }
                out[at - offset] = sum;
            }
        }
    }
}

kernel! {
    /// `out += factor · row`.
    pub fn add_scaled(out: &mut [T], row: &[T], factor: T) {
        for (out, &x) in out.iter_mut().zip(row) {
            *out += factor * x;
        }
    }
}

kernel! {
    /// The largest of `table[rows[j]]` in each place, and whose it is: the first of equals. Lists that are empty leave
    /// both as they are.
    pub fn largest_rows(
        values: &mut [T], whose: &mut [u32], width: usize, starts: &[u32], rows: &[u32], table: &[T],
    ) {
        let places = values.chunks_exact_mut(width).zip(whose.chunks_exact_mut(width));
        for ((values, whose), ends) in places.zip(starts.windows(2)) {
            let rows = &rows[ends[0] as usize..ends[1] as usize];
            let Some((&first, others)) = rows.split_first() else { continue };
            values.copy_from_slice(&table[first as usize * width..(first as usize + 1) * width]);
            whose.fill(first);
            for &row in others {
                let candidates = &table[row as usize * width..(row as usize + 1) * width];
                for ((value, whose), &candidate) in values.iter_mut().zip(whose.iter_mut()).zip(candidates) {
                    let is_larger = candidate > *value;
                    *value = if is_larger { candidate } else { *value };
                    *whose = if is_larger { row } else { *whose };
                }
            }
        }
    }
}

kernel! {
    /// `out[i] += Σ_j table[rows[j]]`, but of each place only where `whose` names the output row, `first` + i. A row that
    /// is in a list twice in a row counts once.
    pub fn add_owned_rows(
        out: &mut [T], width: usize, first: u32, starts: &[u32], rows: &[u32], whose: &[u32], table: &[T],
    ) {
        for ((out, ends), own) in out.chunks_exact_mut(width).zip(starts.windows(2)).zip(first..) {
            let rows = &rows[ends[0] as usize..ends[1] as usize];
            for (at, &row) in rows.iter().enumerate() {
                if at > 0 && rows[at - 1] == row {
                    continue;
                }
                let places = row as usize * width..(row as usize + 1) * width;
                let (numbers, whose) = (&table[places.clone()], &whose[places]);
                for ((out, &x), &whose) in out.iter_mut().zip(numbers).zip(whose) {
                    *out += if whose == own { x } else { T::ZERO };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gather(lists: &[Vec<(u32, i8)>]) -> Gather<f64> {
        let mut gather = Gather { starts: vec![0], ..Default::default() };
        for list in lists {
            for &(row, weight) in list {
                gather.rows.push(row);
                gather.weights.push(f64::from(weight));
            }
            gather.starts.push(gather.rows.len() as u32);
        }
        gather
    }

    proptest! {
        #[test]
        fn a_gather_is_the_sum_it_says_and_its_transpose_the_way_back(
            lists in prop::collection::vec(prop::collection::vec((0..9u32, -4..4i8), 0..12), 0..150), width in 1..140usize
        ) {
            let forth = gather(&lists);
            let table: Vec<f64> = (0..9 * width).map(|i| (i % 17) as f64 - 8.0).collect();
            let mut out = vec![1.0; lists.len() * width];
            forth.add(&mut out, &table, width);
            for (i, list) in lists.iter().enumerate() {
                for at in 0..width {
                    let sum: f64 = list.iter().map(|&(row, w)| f64::from(w) * table[row as usize * width + at]).sum();
                    prop_assert_eq!(out[i * width + at], 1.0 + sum);
                }
            }
            let plain = Gather { weights: Vec::new(), ..forth.clone() };
            let ones = Gather { weights: vec![1.0; forth.rows.len()], ..forth.clone() };
            let (mut without, mut with) = (vec![0.0; out.len()], vec![0.0; out.len()]);
            plain.add(&mut without, &table, width);
            ones.add(&mut with, &table, width);
            prop_assert_eq!(without, with);
            prop_assert_eq!(plain.transposed(9).rows, ones.transposed(9).rows);
            let back = forth.transposed(9);
            let gradient: Vec<f64> = (0..lists.len() * width).map(|i| (i % 5) as f64).collect();
            let mut to_table = vec![0.0; table.len()];
            back.add(&mut to_table, &gradient, width);
            for (row, found) in to_table.chunks(width).enumerate() {
                for (at, found) in found.iter().enumerate() {
                    let sum: f64 = lists.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |p| (i, p)))
                        .filter(|(_, (r, _))| *r as usize == row)
                        .map(|(i, (_, w))| f64::from(*w) * gradient[i * width + at]).sum();
                    prop_assert_eq!(*found, sum);
                }
            }
        }
    }
}
