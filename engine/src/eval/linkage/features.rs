//! What does a classifier see of a pair?

use super::representations::Representations;
use crate::compute::Real;
use crate::graph::Link;

/// So many numbers for each of some pairs.
pub trait Features<T>: Sync {
    /// How many pairs there are.
    fn len(&self) -> usize;
    /// How many numbers each has.
    fn width(&self) -> usize;
    /// Writes those of a pair.
    fn fill(&self, pair: usize, numbers: &mut [T]);

    /// Whether there are no pairs.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Features that are in memory: a row for each pair.
#[derive(Debug, Clone, Copy)]
pub struct Table<'a, T> {
    /// Row after row.
    pub numbers: &'a [T],
    /// Numbers of a row.
    pub width: usize,
}

impl<T: Real> Features<T> for Table<'_, T> {
    fn len(&self) -> usize {
        self.numbers.len() / self.width.max(1)
    }

    fn width(&self) -> usize {
        self.width
    }

    fn fill(&self, pair: usize, numbers: &mut [T]) {
        numbers.copy_from_slice(&self.numbers[pair * self.width..(pair + 1) * self.width]);
    }
}

/// [z, z', |z − z'|, z ⊙ z'] of each pair: both representations, and how they differ. They are made when they are
/// needed, since those of all pairs would be many times larger than the representations.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The representations.
    pub representations: &'a Representations<'a>,
    /// The pairs.
    pub pairs: &'a [Link],
}

impl Features<f32> for Compared<'_> {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn width(&self) -> usize {
        4 * self.representations.width()
    }

    fn fill(&self, pair: usize, numbers: &mut [f32]) {
        let Link { first, second } = self.pairs[pair];
        compare(self.representations, first.0, second.0, numbers);
    }
}

/// One entity of the first graph with every entity of the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneWithAll<'a> {
    pub(super) representations: &'a Representations<'a>,
    pub(super) first: u32,
}

impl Features<f32> for OneWithAll<'_> {
    fn len(&self) -> usize {
        self.representations.count(1)
    }

    fn width(&self) -> usize {
        4 * self.representations.width()
    }

    fn fill(&self, pair: usize, numbers: &mut [f32]) {
        compare(self.representations, self.first, pair as u32, numbers);
    }
}

fn compare(representations: &Representations<'_>, first: u32, second: u32, numbers: &mut [f32]) {
    let h = representations.width();
    let (a, b) = (representations.entity(0, first), representations.entity(1, second));
    let (own, compared) = numbers.split_at_mut(2 * h);
    own[..h].copy_from_slice(a);
    own[h..].copy_from_slice(b);
    let (difference, product) = compared.split_at_mut(h);
    for at in 0..h {
        difference[at] = (a[at] - b[at]).abs();
        product[at] = a[at] * b[at];
    }
}
