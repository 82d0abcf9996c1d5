//! How is it told how well facts are completed?

use crate::dataset::PreparedGraph;
use crate::eval::{self, Metrics, TripleFigures};
use crate::graph::Part;
use crate::report::{Category, RankBin, RankFigures, RelationFigures, Sides, Ties, TripleSection};

/// So many of the best and of the worst relations are told.
const RELATIONS: usize = 10;
/// A relation with fewer facts says more about chance than about the model.
const FEWEST_FACTS: usize = 5;

const PROTOCOL: &str = "Each fact is asked about twice, for its object and for its subject, among all entities of the \
                        graph; other known answers are left out (raw: they are not); of equal scores the right answer \
                        takes the middle; the two entities of a fact are no neighbours of each other, for every \
                        candidate.";

pub(super) fn section(graph: &PreparedGraph, part: Part, figures: &TripleFigures) -> TripleSection {
    let mut relations: Vec<RelationFigures> = figures
        .relations
        .iter()
        .filter(|of| of.facts >= FEWEST_FACTS)
        .map(|of| RelationFigures {
            name: graph.relations.get(of.relation).to_owned(),
            count: of.metrics.count as u64,
            mrr: of.metrics.mrr,
        })
        .collect();
    relations.sort_by(|a, b| b.mrr.total_cmp(&a.mrr).then_with(|| a.name.cmp(&b.name)));
    let best = relations.iter().take(RELATIONS).cloned().collect::<Vec<_>>();
    let worst = relations.iter().skip(best.len()).rev().take(RELATIONS).cloned().collect();
    TripleSection {
        facts: graph.facts[part as usize].len() as u64,
        candidates: graph.entities.len() as u64,
        unseen: figures.unseen.facts as u64,
        filtered: sides(&figures.filtered),
        raw: Some(sides(&figures.raw)),
        categories: figures
            .categories
            .iter()
            .map(|of| Category {
                name: of.category.name().to_owned(),
                relations: of.relations as u64,
                sides: sides(&of.sides),
            })
            .collect(),
        best_relations: best,
        worst_relations: worst,
        ranks: (0u32..)
            .zip(&figures.histogram)
            .map(|(power, &count)| RankBin { from: 1 << power, to: (2 << power) - 1, count })
            .collect(),
        ..TripleSection::new(part, PROTOCOL)
    }
}

fn sides(sides: &eval::Sides) -> Sides {
    Sides { both: figures(&sides.both), tail: figures(&sides.tail), head: figures(&sides.head) }
}

fn figures(metrics: &Metrics) -> RankFigures {
    if metrics.count == 0 {
        // The mean of nothing is no number.
        let none = f64::NAN;
        return RankFigures {
            count: 0,
            mrr: none,
            mr: none,
            hits_1: none,
            hits_3: none,
            hits_10: none,
            ties: None,
        };
    }
    let [hits_1, hits_3, hits_10] = metrics.hits;
    let ties = Some(Ties { best: metrics.best.mrr, worst: metrics.worst.mrr });
    RankFigures {
        count: metrics.count as u64,
        mrr: metrics.mrr,
        mr: metrics.mr,
        hits_1,
        hits_3,
        hits_10,
        ties,
    }
}
