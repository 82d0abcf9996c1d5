//! Does another program find the same figures? `scripts/fixtures/pykeen_ranks.py` asked PyKEEN.

use serde_json::Value;

use super::*;
use crate::graph::{EntityId, Fact, RelationId};
use crate::model::measure::Measure;

struct Fixture {
    json: Value,
    width: usize,
}

impl Fixture {
    fn open() -> Self {
        let json: Value =
            serde_json::from_str(include_str!("../../tests/fixtures/pykeen_ranks.json")).unwrap();
        let width = json["width"].as_u64().unwrap() as usize;
        Self { json, width }
    }

    fn vectors(&self, name: &str) -> Vec<f32> {
        let quarters = self.json[name].as_array().unwrap().iter().map(|x| x.as_i64().unwrap());
        quarters.map(|quarter| quarter as f32 / 4.0).collect()
    }

    fn facts(&self, part: &str) -> Vec<Fact> {
        let ids: Vec<u32> = self.json["facts"][part]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_u64().unwrap() as u32)
            .collect();
        let fact = |ids: &[u32]| Fact {
            subject: EntityId(ids[0]),
            relation: RelationId(ids[1]),
            object: EntityId(ids[2]),
        };
        ids.chunks_exact(3).map(fact).collect()
    }

    /// Where DistMult puts the right answers to what is asked about the test facts.
    fn standings(&self, side: RankSide) -> Vec<Standing> {
        let (entities, relations) = (self.vectors("entities"), self.vectors("relations"));
        let row = |table: &[f32], row: u32| table[row as usize * self.width..][..self.width].to_vec();
        let test = self.facts("test");
        let all = ["train", "valid", "test"].into_iter().flat_map(|part| self.facts(part));
        let known = KnownAnswers::new(side, &test, all);
        let query = |fact: &Fact| {
            let pairs = row(&entities, side.ends(fact).0).into_iter().zip(row(&relations, fact.relation.0));
            pairs.map(|(a, b)| a * b).collect::<Vec<f32>>()
        };
        standings(&Questions {
            width: self.width,
            measure: Measure::Product,
            queries: &test.iter().flat_map(query).collect::<Vec<f32>>(),
            candidates: &entities,
            right: &test.iter().map(|fact| side.ends(fact).1).collect::<Vec<u32>>(),
            known: &test.iter().map(|fact| known.of(fact)).collect::<Vec<_>>(),
            corrections: &vec![&[][..]; test.len()],
        })
    }

    fn compare(&self, side: &str, metrics: Metrics) {
        let mean = Figures { mrr: metrics.mrr, mr: metrics.mr, hits: metrics.hits };
        for (ties, found) in [("best", metrics.best), ("mean", mean), ("worst", metrics.worst)] {
            let numbers = [found.mrr, found.mr, found.hits[0], found.hits[1], found.hits[2]];
            for (name, number) in ["mrr", "mr", "hits@1", "hits@3", "hits@10"].into_iter().zip(numbers) {
                let theirs = self.json["figures"][side][ties][name].as_f64().unwrap();
                // Theirs are sums of single precision where ties are in the middle.
                assert!(
                    (number - theirs).abs() < 1e-6 * theirs.max(1.0),
                    "{side} {ties} {name}: {number}, {theirs}"
                );
            }
        }
    }
}

#[test]
fn pykeen_finds_the_same_figures() {
    let fixture = Fixture::open();
    let [tail, head] = [RankSide::Tail, RankSide::Head].map(|side| fixture.standings(side));
    let both = [tail.clone(), head.clone()].concat();
    for (side, standings) in [("tail", tail), ("head", head), ("both", both)] {
        let of = |ranks: Vec<Rank>| Metrics::of_ranks(&ranks);
        let filtered = of(standings.iter().map(|standing| standing.filtered).collect());
        let raw = of(standings.iter().map(|standing| standing.raw).collect());
        assert!(filtered.best.mr < filtered.worst.mr && filtered.mr < raw.mr, "ties, and known answers");
        fixture.compare(side, filtered);
    }
}
