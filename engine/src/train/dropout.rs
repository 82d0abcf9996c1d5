//! Which numbers of a representation are left out of a step?
//!
//! Each with the same probability, by a hash of the seed, the step and its place, so that the same ones are left out on
//! the way back. The others are scaled up, so that sums stay as they are on average.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::compute::kernel;

/// The choice of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dropout {
    key: u64,
    /// Of 65,536, so many are left out.
    threshold: u32,
    scale: f32,
}

impl Dropout {
    /// Numbers of entities and of relations are chosen apart.
    pub(super) const ENTITIES: u64 = 0;
    pub(super) const RELATIONS: u64 = 1;
    /// Entities that ask, where they leave out others than as answers.
    pub(super) const ASKING: u64 = 1 << 63;

    pub(super) fn new(seed: u64, step: u64, share: f64) -> Self {
        let threshold = (share * 65_536.0).round() as u32;
        let key = xxh3_64_with_seed(&step.to_le_bytes(), seed ^ 0x0d70_b0a7);
        Self { key, threshold, scale: (65_536.0 / f64::from(65_536 - threshold.min(65_535))) as f32 }
    }

    /// Leaves numbers of rows out, and scales the others.
    pub(super) fn apply(&self, rows: &mut [f32], width: usize, table: u64) {
        self.apply_by(|row| row as u64, rows, width, table);
    }

    /// The same, where rows of one group leave out the same numbers.
    pub(super) fn apply_by(
        &self,
        group_of: impl Fn(usize) -> u64 + Sync,
        rows: &mut [f32],
        width: usize,
        table: u64,
    ) {
        rows.par_chunks_mut(width).with_min_len(64).enumerate().for_each(|(row, numbers)| {
            let own = xxh3_64_with_seed(&(group_of(row) << 1 | table).to_le_bytes(), self.key);
            leave_out(numbers, own as u32, (own >> 32) as u32 | 1, self.threshold, self.scale);
        });
    }
}

kernel! {
    /// Leaves out the numbers whose place, hashed, is below a threshold of 65,536; scales the others.
    pub fn leave_out(numbers: &mut [T], first: u32, step: u32, threshold: u32, scale: T) {
        let mut place = first;
        for x in numbers {
            // The last steps of MurmurHash3, which mix all bits: 32 of them at a time are vector instructions.
            let mut bits = place;
            bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
            bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
            bits ^= bits >> 16;
            *x = if (bits & 0xffff) >= threshold { *x * scale } else { T::ZERO };
            place = place.wrapping_add(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_asked_share_is_left_out_and_the_mean_stays() {
        let mut rows = vec![1.0; 64 * 1000];
        Dropout::new(1, 2, 0.25).apply(&mut rows, 64, Dropout::ENTITIES);
        let gone = rows.iter().filter(|&&x| x == 0.0).count() as f64 / rows.len() as f64;
        assert!((gone - 0.25).abs() < 0.01, "{gone}");
        assert!((rows.iter().sum::<f32>() / rows.len() as f32 - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_choice_follows_from_the_step() {
        let draw = |step, table| {
            let mut rows = vec![1.0; 640];
            Dropout::new(1, step, 0.5).apply(&mut rows, 64, table);
            rows
        };
        assert_eq!(draw(1, Dropout::ENTITIES), draw(1, Dropout::ENTITIES));
        assert_ne!(draw(1, Dropout::ENTITIES), draw(2, Dropout::ENTITIES));
        assert_ne!(draw(1, Dropout::ENTITIES), draw(1, Dropout::RELATIONS));
        assert_ne!(draw(1, Dropout::ENTITIES), draw(1, Dropout::ASKING));
        assert_ne!(draw(1, Dropout::RELATIONS), draw(1, Dropout::ASKING));
    }
}
