use super::*;
use crate::dataset::Dice;
use crate::graph::{ByPart, EntityId, GraphBuilder, Link, Links, Part};
use crate::joint::small_graphs::{Prepared, prepared};
use crate::link::Candidates;
use crate::progress::Silent;
use rand::RngExt;

const ENTITIES: u32 = 60;

/// Two copies of one random graph under different names, and links between some of the copies. Entity n is `an` in one and
/// `bn` in the other; the last is next to nobody.
fn copies() -> (Prepared, Vec<Link>) {
    let mut random = Dice::new(7, "test", "copies").of(0);
    let mut builders = [GraphBuilder::default(), GraphBuilder::default()];
    for _ in 0..4 * ENTITIES {
        let [s, o] = [0, 1].map(|_| random.random_range(0..ENTITIES));
        let relation = random.random_range(0..5);
        // Parts differ between the copies: all facts count, whatever their part.
        for ((builder, letter), part) in builders.iter_mut().zip(["a", "b"]).zip([Part::Train, Part::Test]) {
            builder.fact(
                part,
                &format!("{letter}{s}"),
                &format!("{letter}r{relation}"),
                &format!("{letter}{o}"),
            );
        }
    }
    for (builder, letter) in builders.iter_mut().zip(["a", "b"]) {
        builder.fact(Part::Train, &format!("{letter}alone"), "none", &format!("{letter}alone"));
        builder.fact(Part::Train, &format!("{letter}0"), &format!("{letter}r0"), &format!("{letter}1"));
    }
    let graphs: Vec<_> =
        builders.into_iter().zip(["a", "b"]).map(|(builder, name)| builder.finish(name)).collect();
    let id = |graph: usize, name: String| EntityId(graphs[graph].entities.find(&name).unwrap());
    let link = |n: u32| Link { first: id(0, format!("a{n}")), second: id(1, format!("b{n}")) };
    let all: Vec<Link> = (0..ENTITIES).map(link).collect();
    let mut links = Links { first: 0, second: 1, positives: ByPart::default(), negatives: ByPart::default() };
    links.positives.part_mut(Part::Train).extend(&all[..15]);
    (prepared(graphs, vec![links], 0), all)
}

fn pair<'a>(prepared: &'a Prepared, all: &[Link]) -> Pair<'a> {
    Pair::new(&prepared.data, [0, 1], all[..15].to_vec())
}

fn config() -> StructureConfig {
    StructureConfig { width: 256, list: 10, hubness: 5, rounds: 3, ..Default::default() }
}

#[test]
fn copies_of_a_graph_are_aligned() {
    let (prepared, all) = copies();
    let aligned = align(&pair(&prepared, &all), &config(), &Silent).unwrap();
    let links = aligned.links(0.1);
    let right = links.iter().filter(|link| {
        all[15..].contains(&Link { first: EntityId(link.first), second: EntityId(link.second) })
    });
    assert!(right.count() >= 43, "{links:?}");
    assert!(links.len() <= 46, "known ones are no news: {links:?}");
}

#[test]
fn the_bits_do_not_depend_on_threads() {
    let (prepared, all) = copies();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| align(&pair(&prepared, &all), &config(), &Silent).unwrap())
    };
    let aligned = run(1);
    let bits = |aligned: &Aligned| aligned.shares().iter().map(|s| s.score.to_bits()).collect::<Vec<_>>();
    for threads in [2, 4] {
        let other = run(threads);
        assert_eq!(aligned.proposals(), other.proposals());
        assert_eq!(bits(&aligned), bits(&other));
    }
}

#[test]
fn evidence_agrees_with_the_competition_and_is_silent_about_the_unreachable() {
    let (prepared, all) = copies();
    let pair = pair(&prepared, &all);
    let aligned = align(&pair, &config(), &Silent).unwrap();
    let [first, second] = pair.graphs();
    let alone = (first.entities.find("aalone").unwrap(), second.entities.find("balone").unwrap());
    let known = (all[0].first.0, all[0].second.0);
    let mut proposed = aligned.proposals();
    proposed.extend([alone, known]);
    let candidates = Candidates::of(first.entities.len(), proposed);
    let columns = aligned.columns(&candidates);
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["structure similarity", "structure margin", "structure share"]);
    let shares = aligned.shares();
    for (at, pair) in candidates.pairs().enumerate() {
        let [similarity, margin, share] = [0, 1, 2].map(|column| columns[column].values[at]);
        let Some(found) = shares.iter().position(|scored| (scored.first, scored.second) == pair) else {
            assert!(similarity.is_nan() && margin.is_nan() && share.is_nan(), "{pair:?}");
            continue;
        };
        let scored = aligned.similarities()[found];
        assert!((similarity - scored.score).abs() < 1e-4, "{similarity} {scored:?}");
        assert_eq!(share, shares[found].score);
        let rivals = aligned.similarities().iter().filter(|other| {
            **other != scored && (other.first == scored.first || other.second == scored.second)
        });
        let rival = rivals.map(|other| other.score).fold(f32::NEG_INFINITY, f32::max);
        assert!((margin - (similarity - rival).min(4.0)).abs() < 1e-4, "{margin} {similarity} {rival}");
    }
}

#[test]
fn every_link_is_held_out_once_and_those_that_share_an_entity_together() {
    let (prepared, all) = copies();
    let mut pair = pair(&prepared, &all);
    // A second partner for the first entity.
    pair.known.push(Link { first: all[0].first, second: all[20].second });
    pair.known.sort_unstable();
    let folds = folds(&pair, 4, 1);
    let mut held_out: Vec<Link> = folds.iter().flat_map(|fold| fold.held_out.clone()).collect();
    held_out.sort_unstable();
    assert_eq!(held_out, pair.known);
    for fold in &folds {
        let mut whole = [fold.pair.known.clone(), fold.held_out.clone()].concat();
        whole.sort_unstable();
        assert_eq!(whole, pair.known);
        let twice = fold.held_out.iter().filter(|link| link.first == all[0].first).count();
        assert!(twice == 0 || twice == 2, "{:?}", fold.held_out);
        // Evidence of a held-out link is a number: it was compared.
        let aligned = align(&fold.pair, &config(), &Silent).unwrap();
        let asked = fold.held_out.iter().map(|link| (link.first.0, link.second.0)).collect();
        let candidates = Candidates::of(pair.graphs()[0].entities.len(), asked);
        assert!(aligned.columns(&candidates).iter().all(|column| column.values.iter().all(|x| !x.is_nan())));
    }
}

#[test]
fn without_known_links_structure_says_nothing() {
    let (prepared, all) = copies();
    let pair = Pair { known: Vec::new(), ..pair(&prepared, &all) };
    let aligned = align(&pair, &config(), &Silent).unwrap();
    assert!(aligned.proposals().is_empty() && aligned.links(0.0).is_empty());
    let columns = aligned.columns(&Candidates::of(pair.graphs()[0].entities.len(), vec![(0, 0)]));
    assert!(columns.iter().all(|column| column.values[0].is_nan()));
}

#[test]
fn what_cannot_be_done_is_said() {
    let (prepared, all) = copies();
    let pair = pair(&prepared, &all);
    let message = |config: StructureConfig| align(&pair, &config, &Silent).unwrap_err().to_string();
    let good = config();
    let sinkhorn = |temperature, turns| crate::link::decode::Sinkhorn { temperature, turns, ..good.sinkhorn };
    for (config, expected) in [
        (StructureConfig { width: 8, ..good }, "width is 8; it must be at least 16"),
        (StructureConfig { list: 0, ..good }, "list is 0; it must be at least 1"),
        (StructureConfig { hubness: 0, ..good }, "hubness is 0; it must be at least 1"),
        (StructureConfig { rounds: 0, ..good }, "rounds is 0; it must be at least 1"),
        (StructureConfig { sinkhorn: sinkhorn(0.1, 0), ..good }, "turns is 0; it must be at least 1"),
        (StructureConfig { sinkhorn: sinkhorn(0.0, 1), ..good }, "temperature is 0; it must be more than 0"),
        (
            StructureConfig { sinkhorn: sinkhorn(f32::NAN, 1), ..good },
            "temperature is NaN; it must be more than 0",
        ),
    ] {
        assert_eq!(message(config), format!("structure: {expected}"));
    }
    let mut wrong = pair.clone();
    wrong.known.push(Link { first: EntityId(9999), second: EntityId(0) });
    assert_eq!(
        align(&wrong, &good, &Silent).unwrap_err().to_string(),
        "structure: a known link of a and b names an entity that is not there"
    );
}
