//! Writes a report with invented figures, to look at the page: `report_sample FOLDER`.

#![allow(clippy::print_stdout, missing_docs)]

use std::path::PathBuf;

use linknbed::graph::Part;
use linknbed::report::{
    Category, CurvePoint, Curves, DataSummary, Described, GraphSummary, LinkExample, LinkSection, LossPoint,
    MapPoint, Outcome, PartnerFigures, Parts, RankBin, RankFigures, RelationFigures, Report, RunSummary,
    Sides, Ties, TripleSection, ValidationPoint, plane,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: report_sample FOLDER")?);
    let mut links = links();
    links.explain();
    let report = Report {
        title: "Two film catalogues, joined".to_owned(),
        about: "All figures on this page are invented. It shows what a report looks like.".to_owned(),
        on: Some(Part::Test),
        data: Some(data()),
        run: Some(run()),
        curves: Some(curves()),
        triples: vec![("imdb".to_owned(), triples(0.412)), ("freebase".to_owned(), triples(0.331))],
        links: vec![("imdb-freebase".to_owned(), links)],
    };
    report.write(&folder)?;
    println!("{}", folder.join(linknbed::report::PAGE).display());
    Ok(())
}

fn data() -> DataSummary {
    let graph = |entities, relations, triples: u64, types| GraphSummary {
        entities,
        relations,
        triples,
        splits: Parts { train: triples * 6 / 10, valid: triples / 20, test: triples * 35 / 100 },
        attributes: entities * 4,
        attribute_keys: 37,
        types,
        typed_entities: entities * 9 / 10,
    };
    DataSummary {
        graphs: vec![
            ("imdb".to_owned(), graph(378_206, 38, 1_928_500, 41)),
            ("freebase".to_owned(), graph(39_667, 146, 664_010, 324)),
        ],
        links: vec![("imdb-freebase".to_owned(), Parts { train: 14_210, valid: 1_180, test: 8_290 })],
    }
}

fn run() -> RunSummary {
    let settings = [
        ("model.entity", "256"),
        ("model.hidden", "64"),
        ("model.contexts", "neighbourhood, attributes, types"),
        ("loss.b", "0.6"),
        ("loss.negatives", "50"),
        ("optimizer.rate", "0.01"),
    ];
    RunSummary {
        preset: "paper".to_owned(),
        seed: 7,
        epochs: 5.0,
        steps: 7_780,
        parameters: 107_432_960,
        seconds: Some(4_215.0),
        program: "0.1.0".to_owned(),
        settings: settings.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
    }
}

fn curves() -> Curves {
    let steps = (1..=100).map(|at| {
        let epoch = f64::from(at) / 20.0;
        let relational = 0.42 * (-epoch * 0.9).exp() + 0.11 + noise(at) * 0.012;
        let linkage = 0.25 * (-epoch * 1.4).exp() + 0.03 + noise(at + 500) * 0.008;
        let parts = [("total", relational + linkage), ("relational", relational), ("linkage", linkage)];
        let loss = parts.map(|(name, value)| (name.to_owned(), value)).into();
        LossPoint { step: u64::from(at) * 78, epoch, loss }
    });
    let validations = (1..=10).map(|at| {
        let epoch = f64::from(at) / 2.0;
        let rise = 1.0 - (-epoch).exp();
        let graphs = [("imdb", 0.42 * rise), ("freebase", 0.34 * rise + noise(at) * 0.01)];
        let graphs = graphs.map(|(name, mrr)| (name.to_owned(), ranks(mrr, 5_000))).into();
        ValidationPoint { step: u64::from(at) * 778, epoch, graphs, best: at == 9 }
    });
    Curves { steps: steps.collect(), validations: validations.collect() }
}

fn ranks(mrr: f64, count: u64) -> RankFigures {
    RankFigures {
        count,
        mrr,
        mr: 40.0 / mrr.max(0.01),
        hits_1: mrr * 0.77,
        hits_3: mrr * 1.07,
        hits_10: (mrr * 1.41).min(1.0),
        ties: Some(Ties { best: mrr + 0.0021, worst: mrr - 0.0018 }),
    }
}

fn sides(mrr: f64, count: u64) -> Sides {
    Sides { both: ranks(mrr, count), tail: ranks(mrr + 0.06, count / 2), head: ranks(mrr - 0.06, count / 2) }
}

fn triples(mrr: f64) -> TripleSection {
    let mut section = TripleSection::new(
        Part::Test,
        "Every fact asks twice, for its object and for its subject. All entities of the graph are ordered by their \
         score; a tie counts as the middle of its places.",
    );
    (section.facts, section.candidates, section.unseen) = (23_234, 39_667, 112);
    section.filtered = sides(mrr, 46_468);
    section.raw = Some(sides(mrr * 0.7, 46_468));
    let kinds = [("1-1", 0.29, 6), ("1-N", 0.12, 14), ("N-1", 0.21, 9), ("N-N", 0.02, 9)];
    section.categories = kinds
        .map(|(name, more, relations)| Category {
            name: name.to_owned(),
            relations,
            sides: sides(mrr + more, relations * 812),
        })
        .into();
    let relation =
        |(name, count, mrr): (&str, u64, f64)| RelationFigures { name: name.to_owned(), count, mrr };
    section.best_relations = [
        ("sequel of", 412, 0.912),
        ("country", 9_811, 0.874),
        ("directed by", 7_120, 0.702),
        ("http://rdf.example.org/ns/film.film.production_companies_and_their_subsidiaries", 2_044, 0.655),
        ("written by", 5_310, 0.611),
    ]
    .map(relation)
    .into();
    section.worst_relations = [
        ("influenced by", 96, 0.031),
        ("cameo in", 310, 0.054),
        ("film format", 77, 0.083),
        ("edited by", 1_902, 0.127),
    ]
    .map(relation)
    .into();
    let counts =
        [13_900, 4_400, 5_200, 4_900, 4_100, 3_600, 3_000, 2_300, 1_700, 1_200, 800, 600, 400, 250, 100, 18];
    section.ranks =
        (0..16).zip(counts).map(|(at, count)| RankBin { from: 1 << at, to: (2 << at) - 1, count }).collect();
    section
}

fn links() -> LinkSection {
    let graphs = ["imdb".to_owned(), "freebase".to_owned()];
    let mut section = LinkSection::new(
        graphs,
        Part::Test,
        "AUPRC is over labelled pairs: every known link with its 20 negatives. Precision, recall and F1 are of the links \
         that were decided on, with a threshold chosen on validation links.",
    );
    (section.count, section.candidates) = (8_290, 39_667);
    (section.auprc, section.precision, section.recall, section.f1) = (0.871, 0.903, 0.842, 0.871);
    section.all = PartnerFigures { hits_1: 0.641, hits_10: 0.848, mrr: 0.714 };
    section.labelled = Some(PartnerFigures { hits_1: 0.803, hits_10: 0.951, mrr: 0.858 });
    section.curve = (1..=100)
        .map(|at| {
            let recall = f64::from(at) / 100.0;
            CurvePoint { recall, precision: (1.0 - 0.93 * recall.powi(9) - 0.04 * recall).clamp(0.0, 1.0) }
        })
        .collect();
    section.map = map();
    section.wrong = wrong();
    section.right = (0..12).map(right).collect();
    section
}

/// Pairs around seven centres in eight dimensions, brought into a plane.
fn map() -> Vec<MapPoint> {
    let pairs = 140;
    let mut vectors = Vec::new();
    for pair in 0..pairs {
        for graph in 0..2 {
            let centre = pair % 7;
            let apart = if pair % 11 == 0 { 1.6 } else { 0.22 };
            vectors.extend((0..8).map(|at| {
                let place = noise(centre * 31 + at) * 4.0 + noise(pair * 17 + at * 3 + 999) * 1.3;
                (place + noise(pair * 29 + at * 7 + graph * 5_003) * apart) as f32
            }));
        }
    }
    let points = plane(&vectors, 8).into_iter().enumerate();
    points
        .map(|(at, (x, y))| MapPoint {
            x,
            y,
            graph: at % 2,
            pair: at as u32 / 2,
            name: format!("film {}", at / 2),
        })
        .collect()
}

fn entity(name: &str, facts: (u64, u64), types: &[&str], attributes: &[(&str, &str)]) -> Described {
    Described {
        name: name.to_owned(),
        as_subject: facts.0,
        as_object: facts.1,
        types: types.iter().map(|&name| name.to_owned()).collect(),
        attributes: attributes.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
    }
}

fn wrong() -> Vec<LinkExample> {
    let many: Vec<(String, String)> =
        (1..=23).map(|at| (format!("alias {at}"), format!("Captain {at}"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let pairs = [
        (
            Outcome::Missed,
            0.083,
            entity("The Smuggler", (31, 12), &["character", "pilot", "owner of a ship"], &many),
            entity(
                "Smuggler, The",
                (6, 4),
                &["fictional_character"],
                &[("gender", "male"), ("alias", "captain 3")],
            ),
        ),
        (
            Outcome::Missed,
            0.214,
            entity("The Butler", (28, 14), &["character"], &[("name", "The Butler"), ("first seen", "1943")]),
            entity("The Butler", (0, 3), &["character"], &[("type.object.name", "The Butler")]),
        ),
        (
            Outcome::Mistaken,
            0.967,
            entity(
                "Thomas of the Manor",
                (9, 7),
                &["character"],
                &[("born in", "Gotham"), ("wealth", "great"), ("first seen", "1939"), ("gender", "male")],
            ),
            entity(
                "Martha of the Manor",
                (8, 7),
                &["character"],
                &[
                    ("place_of_birth", "gotham"),
                    ("wealth", "great"),
                    ("first_seen", "1939"),
                    ("gender", "female"),
                ],
            ),
        ),
        (
            Outcome::Missed,
            0.412,
            entity(
                "https://rdf.example.org/resource/film/a-very-long-identifier-without-any-space-that-has-to-be-broken-somewhere-0001928374",
                (2, 0),
                &[],
                &[],
            ),
            entity("Кто-то <b>другой</b> & Co.", (0, 0), &[], &[("name", "Кто-то другой")]),
        ),
    ];
    pairs
        .into_iter()
        .map(|(outcome, probability, first, second)| LinkExample {
            outcome,
            probability,
            shared_neighbours: (outcome == Outcome::Mistaken).then_some(6),
            first,
            second,
            ..Default::default()
        })
        .collect()
}

fn right(at: u32) -> LinkExample {
    let year = (1950 + at * 5).to_string();
    let name = format!("The Long Road, part {}", at + 1);
    let catalogue = [("name", name.as_str()), ("released", &year), ("minutes", "114"), ("country", "France")];
    let other = [("label", name.as_str()), ("initial_release_date", &year), ("runtime", "113.0")];
    LinkExample {
        outcome: Outcome::Found,
        probability: 0.999 - f64::from(at) * 0.013,
        first: entity(&name, (8, 3), &["film"], &catalogue),
        second: entity(&name, (7, if at == 3 { 90 } else { 2 }), &["film"], &other),
        ..Default::default()
    }
}

/// Something between -1 and 1 that looks like chance, and is the same each time.
fn noise(at: u32) -> f64 {
    let mixed = (u64::from(at) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 40) as f64 / f64::from(1 << 23)) - 1.0
}
