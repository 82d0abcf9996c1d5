use super::*;
use crate::graph::{EntityId, Fact, RelationId};
use proptest::prelude::*;

const WIDTH: usize = 32;
const ALL: Weights = Weights { own: 0.5, near: 1.0, far: 0.75, relations: 1.25 };

fn unit(row: Vec<f64>) -> Vec<f64> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { row.iter().map(|x| x / length).collect() } else { row }
}

fn turned(row: &[f64], turn: usize) -> Vec<f64> {
    (0..row.len()).map(|at| row[(at + turn) % row.len()]).collect()
}

/// A weighted sum of rows.
fn sum(terms: &[(f64, Vec<f64>)]) -> Vec<f64> {
    (0..WIDTH).map(|at| terms.iter().map(|(weight, row)| weight * row[at]).sum()).collect()
}

/// By the equations, from a list of edges (entity, directed relation, neighbour), with no matrix at all.
fn naive(entities: usize, relations: usize, facts: &[[u32; 3]], own: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let facts = facts.iter().filter(|fact| fact[0] != fact[2]);
    let edges: Vec<[usize; 3]> = facts
        .map(|fact| fact.map(|id| id as usize))
        .flat_map(|[s, r, o]| [[s, r, o], [o, r + relations, s]])
        .collect();
    let weight = |relation: usize| {
        let count = edges.iter().filter(|edge| edge[1] == relation).count();
        (1.0 + edges.len() as f64 / 2.0 / count as f64).ln()
    };
    let of = |entity: usize| edges.iter().filter(move |edge| edge[0] == entity);
    let spread = |table: &[Vec<f64>], end: usize| -> Vec<Vec<f64>> {
        let row =
            |e| unit(sum(&of(e).map(|edge| (weight(edge[1]), table[edge[end]].clone())).collect::<Vec<_>>()));
        (0..entities).map(row).collect()
    };
    let sources = |table: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let leaving =
            |r| edges.iter().filter(move |edge| edge[1] == r).map(|edge| (1.0, table[edge[0]].clone()));
        (0..2 * relations).map(|r| unit(sum(&leaving(r).collect::<Vec<_>>()))).collect()
    };
    let first_relations = sources(own);
    let near = spread(own, 2);
    let (through, beside) = (spread(&near, 2), spread(&first_relations, 1));
    let both = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        a.iter().zip(b).map(|(a, b)| unit(sum(&[(1.0, a.clone()), (1.0, b.clone())]))).collect()
    };
    let far = both(&through, &beside);
    let described = both(&first_relations, &sources(&near));
    let parts = |e: usize| {
        [own[e].clone(), turned(&near[e], turn(WIDTH, 1)), turned(&far[e], turn(WIDTH, 2))]
            .map(|row| (1.0, row))
    };
    let ends: Vec<Vec<f64>> = (0..entities).map(|e| unit(sum(&parts(e)))).collect();
    let related = |e: usize| {
        let product = |edge: &[usize; 3]| {
            let relation = turned(&described[edge[1]], turn(WIDTH, 5));
            let row: Vec<f64> = relation.iter().zip(&ends[edge[2]]).map(|(a, b)| a * b).collect();
            (weight(edge[1]), row)
        };
        turned(&unit(sum(&of(e).map(product).collect::<Vec<_>>())), turn(WIDTH, 3))
    };
    let whole = |e: usize| {
        let [own, near, far] = parts(e).map(|(_, row)| row);
        let weights = [ALL.own, ALL.near, ALL.far, ALL.relations].map(f64::from);
        unit(sum(&[(weights[0], own), (weights[1], near), (weights[2], far), (weights[3], related(e))]))
    };
    (0..entities).map(whole).collect()
}

fn edges(entities: usize, relations: usize, facts: &[[u32; 3]]) -> Edges {
    let fact =
        |&[s, r, o]: &[u32; 3]| Fact { subject: EntityId(s), relation: RelationId(r), object: EntityId(o) };
    Edges::new(entities, relations, &facts.iter().map(fact).collect::<Vec<_>>())
}

/// Each label is carried by the entity beside it.
fn carried(entities: usize, carriers: &[u32]) -> Gather<f32> {
    let mut gather = Gather { starts: vec![0], ..Default::default() };
    for entity in 0..entities as u32 {
        gather.rows.extend((0..carriers.len() as u32).filter(|&label| carriers[label as usize] == entity));
        gather.starts.push(gather.rows.len() as u32);
    }
    gather
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn descriptions_are_those_of_the_equations(
        facts in prop::collection::btree_set([0..9u32, 0..3u32, 0..9u32], 0..25),
        carriers in prop::collection::btree_set(0..9u32, 1..5),
    ) {
        let facts: Vec<[u32; 3]> = facts.into_iter().collect();
        let carriers: Vec<u32> = carriers.into_iter().collect();
        let labels = random_labels(&Dice::new(1, "test", "g"), carriers.len(), WIDTH);
        let found = describe(&edges(9, 3, &facts), &carried(9, &carriers), &labels, WIDTH, ALL);
        let own: Vec<Vec<f64>> = (0..9u32).map(|entity| {
            let label = carriers.iter().position(|&carrier| carrier == entity);
            let row = |label: usize| labels[label * WIDTH..][..WIDTH].iter().map(|&x| f64::from(x)).collect();
            label.map_or(vec![0.0; WIDTH], row)
        }).collect();
        for (entity, expected) in naive(9, 3, &facts, &own).iter().enumerate() {
            for (found, expected) in found[entity * WIDTH..].iter().zip(expected) {
                prop_assert!((f64::from(*found) - expected).abs() < 1e-4, "entity {entity}: {found} {expected}");
            }
        }
    }
}

#[test]
fn labels_are_of_length_one_nearly_orthogonal_and_repeatable() {
    let draw = |seed| random_labels(&Dice::new(seed, "labels", "g"), 20, 512);
    let labels = draw(3);
    assert_eq!(labels, draw(3));
    assert_ne!(labels, draw(4));
    for (at, one) in labels.chunks(512).enumerate() {
        for (other, row) in labels.chunks(512).enumerate() {
            let product: f32 = one.iter().zip(row).map(|(a, b)| a * b).sum();
            let expected = if at == other { 1.0 } else { 0.0 };
            // Five standard deviations of 1/√512.
            assert!((product - expected).abs() < 0.22, "{at} {other}: {product}");
        }
    }
}

#[test]
fn who_is_far_from_all_labels_has_no_description() {
    // 0 carries a label; 1 is next to it, and 2 next to 1. 4 and 5 know only each other, by a relation of their own.
    let edges = edges(6, 2, &[[0, 0, 1], [1, 0, 2], [4, 1, 5]]);
    let labels = random_labels(&Dice::new(1, "test", "g"), 1, WIDTH);
    let found = describe(&edges, &carried(6, &[0]), &labels, WIDTH, ALL);
    let described: Vec<bool> = found.chunks(WIDTH).map(|row| row.iter().any(|&x| x != 0.0)).collect();
    assert_eq!(described, [true, true, true, false, false, false]);
}
