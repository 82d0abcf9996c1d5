//! Are queries, scores and gradients what the equations say?

use std::ops::Range;

use super::*;
use crate::model::activation::Activation;
use crate::model::finite_differences::{agrees, numbers};
use crate::model::loss::Loss;
use crate::model::measure::Precision;
use crate::model::score::{Average, Desk, Objective, Pool, Questions};
use crate::model::thin::LANES;
use proptest::prelude::*;

const ALL: [Kind; 9] = [
    Kind::Rescal,
    Kind::DistMult,
    Kind::ComplEx,
    Kind::TransE(Measure::L1),
    Kind::TransE(Measure::L2),
    Kind::RotatE,
    Kind::STransE(Measure::L1),
    Kind::STransE(Measure::L2),
    Kind::Gake,
];
/// Numbers of an entity's vector; even, for complex ones.
const D: usize = 6;

/// The score of a fact, straight from the equation.
fn score(kind: Kind, s: &[f64], r: &[f64], o: &[f64]) -> f64 {
    let half = D / 2;
    let complex = |v: &[f64], i: usize| (v[i], v[half + i]);
    let norm = |differences: Vec<f64>| match kind.measure() {
        Measure::L1 => differences.iter().map(|x| x.abs()).sum::<f64>(),
        _ => differences.iter().map(|x| x * x).sum::<f64>().sqrt(),
    };
    let times = |matrix: &[f64], x: &[f64]| -> Vec<f64> {
        matrix.chunks(D).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    };
    match kind {
        Kind::Rescal => times(r, o).iter().zip(s).map(|(x, s)| x * s).sum(),
        Kind::DistMult => (0..D).map(|i| s[i] * r[i] * o[i]).sum(),
        Kind::ComplEx => (0..half)
            .map(|i| {
                let ((a, b), (c, d), (e, f)) = (complex(s, i), complex(r, i), complex(o, i));
                // Re (a + bi)(c + di)(e − fi)
                (a * c - b * d) * e + (a * d + b * c) * f
            })
            .sum(),
        Kind::TransE(_) => -norm((0..D).map(|i| s[i] + r[i] - o[i]).collect()),
        Kind::RotatE => -(0..half)
            .map(|i| {
                let ((a, b), (e, f)) = (complex(s, i), complex(o, i));
                let (c, d) = (r[i].cos(), r[i].sin());
                (a * c - b * d - e).hypot(a * d + b * c - f)
            })
            .sum::<f64>(),
        Kind::STransE(_) => {
            let (first, second) = (times(&r[D..D + D * D], s), times(&r[D + D * D..], o));
            -norm((0..D).map(|i| first[i] + r[i] - second[i]).collect())
        }
        Kind::Gake => unreachable!("a fact has two scores, by what is asked for"),
    }
}

/// The same of GAKE: how well an entity fits what is around it.
fn fit(f: &[f64], r: &[f64], answer: &[f64]) -> f64 {
    let (a, b) = (f[D].exp(), r[D].exp());
    (0..D).map(|i| answer[i] * (a * f[i] + b * r[i]) / (a + b)).sum()
}

/// The score by query and answer.
fn asked(kind: Kind, direction: Direction, fixed: &[f64], relation: &[f64], answer: &[f64]) -> f64 {
    let mut query = vec![0.0; fixed.len()];
    kind.query(direction, fixed, relation, &mut query);
    let mut moved = vec![0.0; fixed.len()];
    kind.moved(direction, answer, relation, &mut moved);
    kind.measure().of(&query, &moved)
}

#[test]
fn facts_worked_by_hand() {
    // Complex numbers 1 + 2i, i and 3 − i: (1 + 2i) i = −2 + i, times 3 + i is −7 + i.
    let mut query = [0.0; 2];
    Kind::ComplEx.query(Direction::Forth, &[1.0, 2.0], &[0.0, 1.0], &mut query);
    assert_eq!(query, [-2.0, 1.0]);
    assert_eq!(Measure::Product.of(&query, &[3.0, -1.0]), -7.0);
    // A quarter turn of 1 + 2i is −2 + i, and back.
    let quarter = [std::f64::consts::FRAC_PI_2];
    Kind::RotatE.query(Direction::Forth, &[1.0, 2.0], &quarter, &mut query);
    assert!((query[0] + 2.0).abs() < 1e-12 && (query[1] - 1.0).abs() < 1e-12);
    Kind::RotatE.query(Direction::Back, &[-2.0, 1.0], &quarter, &mut query);
    assert!((query[0] - 1.0).abs() < 1e-12 && (query[1] - 2.0).abs() < 1e-12);
    // sᵀ W o with s = (1, 2), W = (1 2; 3 4), o = (5, 6): (7, 10) · (5, 6).
    Kind::Rescal.query(Direction::Forth, &[1.0, 2.0], &[1.0, 2.0, 3.0, 4.0], &mut query);
    assert_eq!((query, Measure::Product.of(&query, &[5.0, 6.0])), ([7.0, 10.0], 95.0));
}

#[test]
fn stranse_begins_as_transe() {
    let kind = Kind::STransE(Measure::L1);
    let mut row = vec![0.5f32; kind.relation_width(2)];
    kind.first_relation(2, &mut row, 1.0);
    assert_eq!(row, [0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
}

proptest! {
    #[test]
    fn members_of_a_context_count_as_if_each_stood_alone(seed in 0..200u64, entities in 0..4usize) {
        let w = D + 1;
        let all = numbers((entities + 2) * w, seed);
        let made = |all: &[f64]| {
            let (mut entity, mut relation, mut query) = (vec![0.0; w], vec![0.0; w], vec![0.0; w]);
            gake::together(all[..entities * w].chunks(w), &mut entity);
            gake::together(all[entities * w..].chunks(w), &mut relation);
            gake::query(&entity, &relation, &mut query);
            (entity, relation, query)
        };
        let (entity, relation, query) = made(&all);
        let weights: Vec<f64> = all.chunks(w).map(|row| row[D].exp()).collect();
        for lane in 0..D {
            let sum: f64 = all.chunks(w).zip(&weights).map(|(row, weight)| weight * row[lane]).sum();
            prop_assert!((query[lane] - sum / weights.iter().sum::<f64>()).abs() < 1e-9);
        }
        let to_query: Vec<f64> = numbers(w, seed + 1);
        let (mut to_entity, mut to_relation) = (vec![0.0; w], vec![0.0; w]);
        gake::back_to_fixed(&entity, &relation, &to_query, &mut to_entity);
        gake::back_to_relation(&entity, &relation, &to_query, &mut to_relation);
        let mut gradient = vec![0.0; all.len()];
        for (at, (member, to)) in all.chunks(w).zip(gradient.chunks_mut(w)).enumerate() {
            let (together, from) = if at < entities { (&entity, &to_entity) } else { (&relation, &to_relation) };
            gake::back_to_member(member, together, from, to);
        }
        let value = |all: &[f64]| made(all).2[..D].iter().zip(&to_query).map(|(q, g)| q * g).sum::<f64>();
        prop_assert!(agrees(&all, &gradient, value));
    }

    #[test]
    fn both_directions_give_the_score_of_the_fact(seed in 0..200u64) {
        for kind in ALL {
            let (w, v) = (kind.entity_width(D), kind.relation_width(D));
            let all = numbers(2 * w + v, seed);
            let (s, rest) = all.split_at(w);
            let (o, r) = rest.split_at(w);
            let forth = asked(kind, Direction::Forth, s, r, o);
            let back = asked(kind, Direction::Back, o, r, s);
            if kind == Kind::Gake {
                prop_assert!((forth - fit(s, r, o)).abs() < 1e-12);
                prop_assert!((back - fit(o, r, s)).abs() < 1e-12);
            } else {
                prop_assert!((forth - score(kind, s, r, o)).abs() < 1e-9, "{kind:?}");
                prop_assert!((back - score(kind, s, r, o)).abs() < 1e-9, "{kind:?}");
            }
        }
    }

}

proptest! {
    // A case is many steps, each of some threads.
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn a_whole_step_agrees_with_finite_differences(seed in 0..100u64) {
        for kind in ALL {
            for loss in [Loss::Softmax(0.0), Loss::Softmax(0.2), Loss::Logistic] {
                Step::new(kind, loss, 0.0, seed).check()?;
                // Every pull is above this bar, so that the other way back has the same gradient.
                Step::new(kind, loss, 1e-12, seed).check()?;
            }
        }
    }
}

/// Three questions about five vectors: one with answers of its own, two that share a pool where that can be.
struct Step {
    kind: Kind,
    objective: Objective,
    questions: Questions,
    directions: [Direction; 3],
    relation_of: [u32; 3],
    /// Fixed vectors, rows of relations, answers.
    numbers: Vec<f64>,
}

impl Step {
    fn new(kind: Kind, loss: Loss, thin: f64, seed: u64) -> Self {
        let pool = Pool {
            candidates: vec![0, 2, 3, 4],
            questions: 1..3,
            queries: vec![1, 2],
            masked: vec![(0, 1), (1, 0), (1, 3)],
            lots: vec![[0.5; LANES]; 2],
        };
        let questions = Questions {
            relations: vec![0; 3],
            fixed: vec![0; 3],
            query_starts: vec![0, 3, 4, 6],
            answers: vec![1, 0, 4, 2, 4, 1],
            starts: vec![0, 3, 4, 6],
            weights: vec![1.0, 0.5, 1.0],
            pools: if kind.moves_answers() { Vec::new() } else { vec![pool] },
        };
        let (w, v) = (kind.entity_width(D), kind.relation_width(D));
        Self {
            kind,
            objective: Objective {
                loss,
                score: Activation::Identity,
                average: Average::Sum,
                thin,
                precision: Precision::Single,
            },
            questions,
            directions: [Direction::Forth, Direction::Back, Direction::Forth],
            relation_of: [1, 0, 1],
            numbers: numbers(3 * w + 2 * v + 5 * w, seed),
        }
    }

    fn parts(&self) -> [Range<usize>; 3] {
        let (w, v) = (self.kind.entity_width(D), self.kind.relation_width(D));
        [0..3 * w, 3 * w..3 * w + 2 * v, 3 * w + 2 * v..8 * w + 2 * v]
    }

    fn gradient(&self, numbers: &[f64]) -> Gradient<f64> {
        let [fixed, relations, answers] = self.parts().map(|own| &numbers[own]);
        let asked = Asked {
            questions: &self.questions,
            fixed,
            relations,
            relation_of: &self.relation_of,
            directions: &self.directions,
            answers,
            width: self.kind.entity_width(D),
            relation_width: self.kind.relation_width(D),
        };
        asked.ask(self.kind, self.objective, &mut Vec::new(), &mut Desk::default())
    }

    /// Whether two numbers that are compared are so near that the size of their difference has no gradient.
    fn is_at_a_corner(&self) -> bool {
        let [fixed, relations, answers] = self.parts().map(|own| &self.numbers[own]);
        let (w, v) = (self.kind.entity_width(D), self.kind.relation_width(D));
        let mut near = false;
        for query in 0..3 {
            let relation = &relations[self.relation_of[query] as usize * v..][..v];
            let mut made = vec![0.0; w];
            self.kind.query(self.directions[query], &fixed[query * w..][..w], relation, &mut made);
            for answer in answers.chunks(w) {
                let mut moved = vec![0.0; w];
                self.kind.moved(self.directions[query], answer, relation, &mut moved);
                near |= made.iter().zip(&moved).any(|(a, b)| (a - b).abs() < 1e-3);
            }
        }
        near && self.kind.measure() != Measure::Product
    }

    fn check(&self) -> Result<(), TestCaseError> {
        if self.is_at_a_corner() {
            return Ok(());
        }
        let found = self.gradient(&self.numbers);
        let gradient = [found.fixed, found.relations, found.answers].concat();
        let loss = |numbers: &[f64]| self.gradient(numbers).losses.iter().sum::<f64>();
        prop_assert!(agrees(&self.numbers, &gradient, loss), "{:?} {:?}", self.kind, self.objective.loss);
        Ok(())
    }
}
