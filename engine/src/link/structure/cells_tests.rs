use super::super::nearest::nearest;
use super::*;

const WIDTH: usize = 24;

/// Rows of both tables around common middles, the same middle for rows of the same number in either.
fn tables(count: usize, noise: f32) -> [Vec<f32>; 2] {
    let mut random = Dice::new(5, "test", "cells").of(0);
    let mut numbers =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.random_range(-1.0..1.0)).collect() };
    let middles = numbers(count * WIDTH);
    [0, 1].map(|_| {
        let apart = numbers(count * WIDTH);
        unit_rows(middles.iter().zip(apart).map(|(middle, apart)| middle + noise * apart).collect(), WIDTH)
    })
}

fn found(tables: &[Vec<f32>; 2], keep: usize) -> [Vec<Vec<Near>>; 2] {
    let chosen = [0, 1].map(|side: usize| (0..(tables[side].len() / WIDTH) as u32).collect::<Vec<u32>>());
    let rows = [0, 1].map(|side| Rows { table: &tables[side], chosen: &chosen[side], width: WIDTH });
    by_cells(rows, keep)
}

fn by_cells(rows: [Rows<'_>; 2], keep: usize) -> [Vec<Vec<Near>>; 2] {
    let keep = Keep { count: keep, offers: Offers::Repeated };
    let mut lists = rows.map(|rows| vec![Best::default(); rows.chosen.len()]);
    offer_by_cells(rows, keep, &Dice::new(1, "test", "draw"), &mut lists);
    lists.map(|lists| finished(lists, keep))
}

#[test]
fn those_most_alike_are_found_with_their_scores() {
    let tables = tables(4000, 0.3);
    let [exact, cells] = [nearest(&tables[0], &tables[1], WIDTH, 5), found(&tables, 5)];
    for (exact, cells) in exact.iter().zip(&cells) {
        let best = exact.iter().zip(cells).filter(|(one, other)| one[0].row == other[0].row).count();
        assert!(best > 3900, "{best}");
        for (exact, cells) in exact.iter().zip(cells) {
            assert!(cells.windows(2).all(|pair| pair[0].score >= pair[1].score), "best first: {cells:?}");
            let mut rows: Vec<u32> = cells.iter().map(|near| near.row).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), cells.len(), "each once: {cells:?}");
            for near in cells {
                let same = exact.iter().find(|other| other.row == near.row);
                assert!(same.is_none_or(|same| (same.score - near.score).abs() < 1e-5), "{near:?} {same:?}");
            }
        }
    }
}

#[test]
fn rows_go_by_their_places_among_the_chosen() {
    let tables = tables(600, 0.1);
    // Every second row, from the last to the first.
    let chosen: Vec<u32> = (0..300).map(|at| 599 - 2 * at).collect();
    let rows = [0, 1].map(|side: usize| Rows { table: &tables[side], chosen: &chosen, width: WIDTH });
    let [forth, back] = by_cells(rows, 1);
    for lists in [forth, back] {
        let right = lists.iter().enumerate().filter(|(at, list)| list[0].row as usize == *at).count();
        assert!(right > 295, "{right}");
    }
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let tables = tables(2000, 0.5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| found(&tables, 7))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn rows_that_are_all_the_same_are_not_all_compared() {
    let row = unit_rows((0..WIDTH).map(|at| at as f32 - 3.0).collect(), WIDTH);
    let tables = [row.repeat(3000), row.repeat(2000)];
    let [forth, back] = found(&tables, 3);
    assert_eq!([forth.len(), back.len()], [3000, 2000]);
    assert!(forth.iter().chain(&back).all(|list| list.len() == 3));
    // In parts that are cut by place, so that no list holds rows from all over.
    let reach = |list: &Vec<Near>| list.iter().map(|near| near.row).max().unwrap();
    assert!(reach(&forth[0]) < 1000, "{:?}", forth[0]);
}

#[test]
fn few_rows_and_none_are_no_trouble() {
    let [a, b] = tables(3, 0.1);
    let lists =
        found(&[a.clone(), b], 2).map(|lists| lists.into_iter().map(|list| list.len()).collect::<Vec<_>>());
    assert_eq!(lists, [[2; 3], [2; 3]]);
    assert_eq!(found(&[a, Vec::new()], 2), [vec![Vec::new(); 3], Vec::new()]);
    assert_eq!(found(&[Vec::new(), Vec::new()], 2), [Vec::<Vec<Near>>::new(), Vec::new()]);
}
