//! Where do random choices come from?
//!
//! From ChaCha8, seeded by the user's seed, what the choice is for, and for whom. Every entity has a stream of its
//! own, so that the order in which threads work does not matter.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// A source of choices for one purpose within one graph (or pair of graphs).
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    seed: [u8; 32],
}

impl Dice {
    pub(crate) fn new(seed: u64, purpose: &str, graph: &str) -> Self {
        let text = format!("{purpose}\u{0}{graph}");
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&xxh3_128_with_seed(text.as_bytes(), seed).to_le_bytes());
        bytes[16..24].copy_from_slice(&seed.to_le_bytes());
        Self { seed: bytes }
    }

    /// The choices for one thing.
    pub(crate) fn of(&self, number: u64) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::from_seed(self.seed);
        generator.set_stream(number);
        generator
    }
}
