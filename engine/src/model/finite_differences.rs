//! Is a gradient right?

/// Numbers between -1 and 1 that follow from the seed.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    use rand::{RngExt, SeedableRng};
    let mut generator = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| generator.random_range(-1.0..1.0)).collect()
}

/// Whether a gradient agrees with central differences of the value: relative error below 1e-5.
pub(crate) fn agrees(at: &[f64], gradient: &[f64], value: impl Fn(&[f64]) -> f64) -> bool {
    assert_eq!(at.len(), gradient.len(), "one derivative for each number");
    const STEP: f64 = 1e-5;
    let mut moved = at.to_vec();
    (0..at.len()).all(|i| {
        moved[i] = at[i] + STEP;
        let above = value(&moved);
        moved[i] = at[i] - STEP;
        let below = value(&moved);
        moved[i] = at[i];
        let expected = (above - below) / (2.0 * STEP);
        (gradient[i] - expected).abs() <= 1e-5 * expected.abs().max(gradient[i].abs()).max(1e-2)
    })
}
