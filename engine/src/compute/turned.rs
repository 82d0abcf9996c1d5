//! Which lists name a thing?
//!
//! Sums over lists of rows are gathers; their gradients go the other way, and are gathers too once the lists are turned
//! round. No two threads write to one place, and the order of every sum is fixed.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

/// Lists turned round: for each place, which of the lists name it, in their order.
#[derive(Debug, Default)]
pub struct Turned {
    /// Where the lists that name each place begin; one more than there are places.
    pub starts: Vec<u32>,
    /// Their numbers.
    pub lists: Vec<u32>,
}

impl Turned {
    /// The lists that name a place.
    pub fn of(&self, place: usize) -> &[u32] {
        &self.lists[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// Turns `count` lists round.
    pub fn new<I: Iterator<Item = u32>>(
        count: usize,
        places: usize,
        list: impl Fn(usize) -> I + Sync,
    ) -> Self {
        let mut turned = Self::default();
        turned.turn(count, places, list);
        turned
    }

    /// The same where others were, in parallel: a counting sort in which every part of the lists has counters of its own.
    /// However many parts there are, the result is the same.
    pub fn turn<I: Iterator<Item = u32>>(
        &mut self,
        count: usize,
        places: usize,
        list: impl Fn(usize) -> I + Sync,
    ) {
        let parts = rayon::current_num_threads().min(8).min(count.max(1));
        let range = |part: usize| count * part / parts..count * (part + 1) / parts;
        let mut counters: Vec<Vec<u32>> = (0..parts)
            .into_par_iter()
            .map(|part| {
                let mut counts = vec![0u32; places];
                range(part).for_each(|at| list(at).for_each(|place| counts[place as usize] += 1));
                counts
            })
            .collect();
        self.starts.clear();
        self.starts.reserve(places + 1);
        let mut total = 0;
        for place in 0..places {
            self.starts.push(total);
            for counts in &mut counters {
                // From here on, where the part writes next.
                let own = counts[place];
                counts[place] = total;
                total += own;
            }
        }
        self.starts.push(total);
        self.lists.resize(total as usize, 0);
        let lists = shared(&mut self.lists);
        counters.into_par_iter().enumerate().for_each(|(part, mut next)| {
            for at in range(part) {
                list(at).for_each(|place| {
                    let slot = &mut next[place as usize];
                    lists[*slot as usize].store(at as u32, Ordering::Relaxed);
                    *slot += 1;
                });
            }
        });
    }
}

/// Numbers that many threads may write.
#[allow(unsafe_code)]
fn shared(numbers: &mut [u32]) -> &[AtomicU32] {
    let (first, count) = (numbers.as_mut_ptr().cast::<AtomicU32>(), numbers.len());
    // SAFETY: an `AtomicU32` has the size and bits of a `u32`, and on all systems that have threads its alignment, which the
    // assertion below says; and nobody else can read or write the numbers while they are borrowed for writing.
    unsafe { std::slice::from_raw_parts(first, count) }
}

const _: () = assert!(align_of::<AtomicU32>() == align_of::<u32>());

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turned_lists_name_every_list_once_for_each_mention(
            before in prop::collection::vec(prop::collection::vec(0..9u32, 0..6), 0..40),
            lists in prop::collection::vec(prop::collection::vec(0..9u32, 0..6), 0..40),
        ) {
            // Where other lists were, longer or shorter.
            let mut turned = Turned::new(before.len(), 9, |at| before[at].iter().copied());
            turned.turn(lists.len(), 9, |at| lists[at].iter().copied());
            prop_assert_eq!(turned.starts.len(), 10);
            for place in 0..9u32 {
                let named = |(at, list): (usize, &Vec<u32>)| {
                    std::iter::repeat_n(at as u32, list.iter().filter(|&&p| p == place).count()).collect::<Vec<_>>()
                };
                prop_assert_eq!(turned.of(place as usize), lists.iter().enumerate().flat_map(named).collect::<Vec<_>>());
            }
        }
    }
}
