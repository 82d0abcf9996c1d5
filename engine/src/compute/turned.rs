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

    /// Turns `count` lists round, in parallel: a counting sort in which every part of the lists has counters of its own.
    /// However many parts there are, the result is the same.
    pub fn new<I: Iterator<Item = u32>>(
        count: usize,
        places: usize,
        list: impl Fn(usize) -> I + Sync,
    ) -> Self {
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
        let mut starts = Vec::with_capacity(places + 1);
        let mut total = 0;
        for place in 0..places {
            starts.push(total);
            for counts in &mut counters {
                // From here on, where the part writes next.
                let own = counts[place];
                counts[place] = total;
                total += own;
            }
        }
        starts.push(total);
        let lists: Vec<AtomicU32> = (0..total).into_par_iter().map(|_| Default::default()).collect();
        counters.into_par_iter().enumerate().for_each(|(part, mut next)| {
            for at in range(part) {
                list(at).for_each(|place| {
                    let slot = &mut next[place as usize];
                    lists[*slot as usize].store(at as u32, Ordering::Relaxed);
                    *slot += 1;
                });
            }
        });
        Self { starts, lists: lists.into_iter().map(|list| list.into_inner()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn turned_lists_name_every_list_once_for_each_mention(
            lists in prop::collection::vec(prop::collection::vec(0..9u32, 0..6), 0..40)
        ) {
            let turned = Turned::new(lists.len(), 9, |at| lists[at].iter().copied());
            for place in 0..9u32 {
                let named = |(at, list): (usize, &Vec<u32>)| {
                    std::iter::repeat_n(at as u32, list.iter().filter(|&&p| p == place).count()).collect::<Vec<_>>()
                };
                prop_assert_eq!(turned.of(place as usize), lists.iter().enumerate().flat_map(named).collect::<Vec<_>>());
            }
        }
    }
}
