use super::*;
use proptest::prelude::*;

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    // Few different values, so that there are equal scores.
    (0..count).map(|at| ((at * 7919 + seed * 31) % 13) as f32 / 4.0 - 1.5).collect()
}

/// All scores, sorted.
fn naive(firsts: &[f32], seconds: &[f32], width: usize, keep: usize) -> Vec<Vec<Near>> {
    let each = firsts.chunks(width).map(|first| {
        // An empty sum of numbers is −0 in Rust; products begin with 0, and a list puts 0 before −0.
        let score = |second: &[f32]| first.iter().zip(second).map(|(a, b)| a * b).sum::<f32>() + 0.0;
        let mut list: Vec<Near> = seconds
            .chunks(width)
            .enumerate()
            .map(|(row, second)| Near { row: row as u32, score: score(second) })
            .collect();
        list.sort_by(Near::order);
        list.truncate(keep);
        list
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn lists_are_what_sorting_gives(n in 0..900usize, m in 0..300usize, width in 1..20usize, keep in 1..12usize) {
        // Sums of quarters are exact, so that the order of additions does not matter.
        let (firsts, seconds) = (numbers(n * width, 1), numbers(m * width, 2));
        let [forth, back] = nearest(&firsts, &seconds, width, keep);
        prop_assert_eq!(forth, naive(&firsts, &seconds, width, keep));
        prop_assert_eq!(back, naive(&seconds, &firsts, width, keep));
    }
}

#[test]
fn more_than_a_tile_is_the_same_on_any_number_of_threads() {
    let width = 3;
    let (firsts, seconds) = (numbers((BLOCK + 5) * width, 3), numbers((STRETCH + 70) * width, 4));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| nearest(&firsts, &seconds, width, 4))
    };
    let found = run(1);
    assert_eq!(found, run(2));
    assert_eq!(found, run(4));
    assert_eq!(found, [naive(&firsts, &seconds, width, 4), naive(&seconds, &firsts, width, 4)]);
}

#[test]
fn hubness_is_the_mean_over_the_nearest() {
    let near = |score| Near { row: 0, score };
    let lists = [vec![near(0.5), near(0.25), near(0.125)], vec![near(1.0)], Vec::new()];
    assert_eq!(hubness(&lists, 2), [0.375, 1.0, 0.0]);
}
