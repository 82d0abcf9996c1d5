//! When are samples drawn?
//!
//! Each while the one before it is learned from: a step leaves cores idle for moments, and drawing is many small tasks that
//! fill them. A sample depends on nothing but the seed and the number of its step, so that drawing it early changes nothing.

use super::sample::{Sample, Sampler};

/// Samples, drawn one step ahead.
#[derive(Debug)]
pub struct Ahead<'a> {
    sampler: Sampler<'a>,
    /// The sample that is next, with the number of its step.
    next: Option<(u64, Sample)>,
}

impl<'a> Ahead<'a> {
    /// Nothing is drawn before the first step.
    pub fn new(sampler: Sampler<'a>) -> Self {
        Self { sampler, next: None }
    }

    /// How many steps see every fact once.
    pub fn steps_per_epoch(&self) -> u64 {
        self.sampler.steps_per_epoch()
    }

    /// Learns from the sample of a step; if it is not the last, that of the step after it is drawn meanwhile.
    pub fn learn<R: Send>(&mut self, step: u64, is_last: bool, learn: impl FnOnce(&Sample) -> R + Send) -> R {
        let sample = match self.next.take() {
            Some((number, sample)) if number == step => sample,
            _ => self.sampler.sample(step),
        };
        let draw = || (!is_last).then(|| (step + 1, self.sampler.sample(step + 1)));
        let (learned, next) = rayon::join(|| learn(&sample), draw);
        self.next = next;
        learned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::small_graphs::{random_config, random_parts};

    #[test]
    fn every_step_learns_from_its_own_sample() {
        let joint = random_parts(3, 40, 60);
        let mut config = random_config(3);
        config.training.batch = 7;
        let mut ahead = Ahead::new(Sampler::new(&joint, &config));
        let mut sampler = Sampler::new(&joint, &config);
        let mut written = |step: u64| format!("{:?}", sampler.sample(step));
        assert_ne!(written(0), written(1));
        // One after the other, the same once more, back, and ahead; after the last, nothing is drawn.
        for (step, is_last) in
            [(0, false), (1, false), (1, false), (0, false), (5, true), (6, false), (7, false)]
        {
            assert_eq!(ahead.learn(step, is_last, |sample| format!("{sample:?}")), written(step));
            assert_eq!(ahead.next.as_ref().map(|next| next.0), (!is_last).then_some(step + 1));
        }
    }
}
