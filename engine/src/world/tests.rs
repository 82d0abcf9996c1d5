//! The files are read back by the simplest reader there is, and must say what the report says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::progress::Silent;

const TYPE: &str = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";
const NS: &str = "<http://reel.example/ns/";

type Triple = (String, String, String);

/// A catalogue as cleaning should leave it.
#[derive(Default)]
struct Clean {
    facts: BTreeSet<Triple>,
    attributes: BTreeSet<Triple>,
    types: BTreeSet<(String, String)>,
    names: BTreeMap<String, String>,
    lines: u64,
    dirt: Dirt,
}

impl Clean {
    fn entities(&self) -> BTreeSet<&str> {
        let ends = self.facts.iter().flat_map(|(s, _, o)| [s, o]);
        let others = self.attributes.iter().map(|(s, _, _)| s).chain(self.types.iter().map(|(s, _)| s));
        ends.chain(others).map(String::as_str).collect()
    }

    fn distinct<'a>(all: impl Iterator<Item = &'a String>) -> u64 {
        all.collect::<BTreeSet<_>>().len() as u64
    }

    fn assert_is(&self, report: &CatalogueReport) {
        assert_eq!(self.entities().len() as u64, report.entities);
        assert_eq!(self.facts.len() as u64, report.facts);
        assert_eq!(Self::distinct(self.facts.iter().map(|f| &f.1)), report.relations);
        assert_eq!(Self::distinct(self.attributes.iter().map(|f| &f.1)), report.attribute_keys);
        assert_eq!(Self::distinct(self.types.iter().map(|f| &f.1)), report.types);
        assert_eq!(self.lines, report.raw_lines);
        assert_eq!(self.dirt, report.dirt);
    }

    fn add_fact(&mut self, fact: Triple) {
        if fact.0 == fact.2 {
            self.dirt.self_loops += 1;
        } else if !self.facts.insert(fact) {
            self.dirt.duplicates += 1;
        }
    }

    /// Everything `subject` points at with a relation, or that points at it.
    fn around(&self, relation: &str, end: &str) -> BTreeSet<&str> {
        let fits = self.facts.iter().filter(|f| f.1 == relation);
        fits.filter_map(|(s, _, o)| if s == end { Some(o) } else { (o == end).then_some(s) })
            .map(String::as_str)
            .collect()
    }
}

fn is_garbage(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || "\u{FFFD}\u{200B}\u{FEFF}".contains(c))
        || ["<br>", "&amp;", "&nbsp;"].iter().any(|remnant| text.ends_with(remnant))
}

fn rows(path: PathBuf) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn read_screen(folder: &Path) -> Clean {
    let mut clean = Clean::default();
    let read = |name: &str, columns: usize| {
        let rows = rows(folder.join("screen").join(name));
        assert!(rows.iter().all(|row| row.len() == columns && row.iter().all(|cell| !cell.is_empty())));
        rows
    };
    for row in read("triples.tsv", 3) {
        clean.lines += 1;
        clean.add_fact((row[0].clone(), row[1].clone(), row[2].clone()));
    }
    for row in read("attributes.tsv", 3) {
        clean.lines += 1;
        clean.dirt.garbage_values += u64::from(is_garbage(&row[2]));
        clean.attributes.insert((row[0].clone(), row[1].clone(), row[2].clone()));
    }
    for row in read("types.tsv", 2) {
        clean.lines += 1;
        assert!(clean.types.insert((row[0].clone(), row[1].clone())));
    }
    for row in read("names.tsv", 2) {
        clean.lines += 1;
        clean.dirt.garbage_values += u64::from(is_garbage(&row[1]));
        clean.attributes.insert((row[0].clone(), "name".to_owned(), row[1].clone()));
        clean.names.insert(row[0].clone(), row[1].clone());
    }
    clean
}

fn unescaped(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap();
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => break,
            '\\' => match letters.next().unwrap() {
                'u' => {
                    let code: String = letters.by_ref().take(4).collect();
                    text.push(char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap());
                }
                escaped @ ('"' | '\\') => text.push(escaped),
                other => panic!("\\{other}"),
            },
            plain => {
                assert!(!plain.is_control());
                text.push(plain);
            }
        }
    }
    text
}

fn statements(folder: &Path) -> Vec<Triple> {
    let text = fs::read_to_string(folder.join("reel.nt")).unwrap();
    text.lines()
        .map(|line| {
            let mut parts = line.strip_suffix(" .").unwrap().splitn(3, ' ');
            let mut next = || parts.next().unwrap().to_owned();
            (next(), next(), next())
        })
        .collect()
}

fn read_reel(folder: &Path) -> Clean {
    let mut clean = Clean::default();
    let statements = statements(folder);
    let mediators: BTreeSet<&str> = statements
        .iter()
        .filter(|(_, p, _)| p.ends_with("freebase.type_hints.mediator>"))
        .map(|(s, _, _)| s.as_str())
        .collect();
    assert_eq!(mediators.len(), 3);
    let nodes: BTreeSet<&str> = statements
        .iter()
        .filter(|(_, p, o)| p == TYPE && mediators.contains(o.as_str()))
        .map(|(s, _, _)| s.as_str())
        .collect();
    clean.dirt.cvt_nodes = nodes.len() as u64;
    let (mut ways_in, mut ways_out) = (Vec::new(), BTreeMap::<&str, Vec<(&str, &str)>>::new());
    for (s, p, o) in &statements {
        clean.lines += 1;
        if mediators.contains(s.as_str()) || mediators.contains(o.as_str()) {
        } else if nodes.contains(o.as_str()) {
            ways_in.push((s, p, o));
        } else if nodes.contains(s.as_str()) {
            assert!(o.starts_with('<'), "nodes have no attributes");
            ways_out.entry(s).or_default().push((p, o));
        } else if p == TYPE {
            if o.starts_with("<http://reel.example/ns/base.") {
                clean.dirt.base_types += 1;
            } else {
                assert!(clean.types.insert((s.clone(), o.clone())));
            }
        } else if o.starts_with('"') {
            let text = unescaped(o);
            clean.dirt.garbage_values += u64::from(is_garbage(&text));
            if p == LABEL {
                assert!(clean.names.insert(s.clone(), text.clone()).is_none());
            }
            clean.attributes.insert((s.clone(), p.clone(), o.clone()));
        } else {
            clean.add_fact((s.clone(), p.clone(), o.clone()));
        }
    }
    for (s, into, node) in ways_in {
        for (out, o) in &ways_out[node.as_str()] {
            clean.add_fact((s.clone(), format!("{into}.{out}"), (*o).to_owned()));
        }
    }
    clean
}

struct World {
    _home: tempfile::TempDir,
    folder: PathBuf,
    report: WorldReport,
}

fn world(scale: Scale, seed: u64) -> World {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("world");
    let report = generate(&folder, &WorldConfig { scale, seed }, Replace::Never, &Silent).unwrap();
    World { _home: home, folder, report }
}

/// The bytes of all files.
fn bytes(folder: &Path) -> Vec<Vec<u8>> {
    let screen = super::screen::FILES.map(|name| format!("screen/{name}"));
    let others = ["reel.nt", "links.tsv", "cases.tsv", "README.txt"].map(str::to_owned);
    screen.iter().chain(&others).map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

fn links(world: &World) -> Vec<(String, String)> {
    rows(world.folder.join("links.tsv")).into_iter().map(|row| (row[0].clone(), angled(&row[1]))).collect()
}

fn angled(iri: &str) -> String {
    format!("<{iri}>")
}

fn cases(world: &World, case: &str) -> Vec<(String, String)> {
    let rows = rows(world.folder.join("cases.tsv"));
    rows.into_iter().filter(|row| row[2] == case).map(|row| (row[0].clone(), angled(&row[1]))).collect()
}

#[test]
fn the_seed_decides_every_byte_and_the_threads_none() {
    let one = bytes(&world(Scale::Small, 7).folder);
    assert!(one == bytes(&world(Scale::Small, 7).folder));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(one == pool.install(|| bytes(&world(Scale::Small, 7).folder)));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    assert!(one == pool.install(|| bytes(&world(Scale::Small, 7).folder)));
    let other = bytes(&world(Scale::Small, 8).folder);
    assert!(one.iter().zip(&other).all(|(a, b)| a != b));
}

#[test]
fn the_report_is_what_is_in_the_files() {
    for (scale, seed) in [(Scale::Tiny, 1), (Scale::Tiny, 2), (Scale::Tiny, 3), (Scale::Small, 1)] {
        let world = world(scale, seed);
        let report = &world.report;
        read_screen(&world.folder).assert_is(&report.screen);
        read_reel(&world.folder).assert_is(&report.reel);
        assert_eq!(report.screen.facts, scale.facts(Catalogue::Screen), "the quota is met");
        assert_eq!(report.reel.facts, scale.facts(Catalogue::Reel), "the quota is met");
        for dirt in [report.screen.dirt, report.reel.dirt] {
            assert!(dirt.self_loops > 0 && dirt.duplicates > 0 && dirt.garbage_values > 0, "{dirt:?}");
        }
    }
}

#[test]
fn links_are_one_to_one_and_complete() {
    for scale in [Scale::Tiny, Scale::Small] {
        let world = world(scale, 4);
        let (screen, reel) = (read_screen(&world.folder), read_reel(&world.folder));
        let links = links(&world);
        let firsts: BTreeSet<&str> = links.iter().map(|l| l.0.as_str()).collect();
        let seconds: BTreeSet<&str> = links.iter().map(|l| l.1.as_str()).collect();
        assert_eq!((firsts.len(), seconds.len()), (links.len(), links.len()));
        assert_eq!(links.len(), world.report.links);
        let (first_entities, second_entities) = (screen.entities(), reel.entities());
        assert!(firsts.is_subset(&first_entities) && seconds.is_subset(&second_entities));
        let (alone_first, alone_second) =
            (cases(&world, "unmatched-screen"), cases(&world, "unmatched-reel"));
        assert_eq!(alone_first.len() as u64, world.report.screen.unmatched);
        assert_eq!(alone_second.len() as u64, world.report.reel.unmatched);
        assert_eq!(alone_first.len() + firsts.len(), first_entities.len());
        assert_eq!(alone_second.len() + seconds.len(), second_entities.len());
        assert!(alone_first.iter().all(|(entity, _)| !firsts.contains(entity.as_str())));
        assert!(alone_second.iter().all(|(_, entity)| !seconds.contains(entity.as_str())));
    }
}

#[test]
fn homonyms_share_their_name_in_both_catalogues() {
    let world = world(Scale::Small, 4);
    let homonyms = cases(&world, "homonym");
    assert_eq!(homonyms.len(), 2 * world.report.homonym_pairs);
    let namesakes = |clean: &Clean, name: &str| clean.names.values().filter(|other| *other == name).count();
    let (screen, reel) = (read_screen(&world.folder), read_reel(&world.folder));
    for (first, second) in homonyms {
        assert_eq!(screen.names[&first], reel.names[&second]);
        assert!(namesakes(&screen, &screen.names[&first]) >= 2);
        assert!(namesakes(&reel, &reel.names[&second]) >= 2);
    }
}

#[test]
fn couples_share_films_and_home_but_not_name_and_sex() {
    let world = world(Scale::Small, 4);
    let couples = cases(&world, "couple");
    assert_eq!(couples.len(), 2 * world.report.couples);
    let (screen, reel) = (read_screen(&world.folder), read_reel(&world.folder));
    let (firsts, seconds): (Vec<String>, Vec<String>) = couples.into_iter().unzip();
    assert_couples(&screen, &firsts, "spouse", "castMember", "residence", "gender");
    let compound = |into: &str, out: &str| format!("{NS}{into}>.{NS}{out}>");
    assert_couples(
        &reel,
        &seconds,
        &compound("people.person.spouse_s", "people.marriage.spouse"),
        &compound("film.film.starring", "film.performance.actor"),
        &format!("{NS}people.person.places_lived>"),
        &format!("{NS}people.person.gender>"),
    );
}

fn assert_couples(clean: &Clean, people: &[String], spouse: &str, cast: &str, home: &str, sex: &str) {
    let sex_of = |person: &str| clean.attributes.iter().find(|a| a.0 == person && a.1 == sex).map(|a| &a.2);
    for person in people {
        let partners = clean.around(spouse, person);
        assert_eq!(partners.len(), 1);
        let partner = partners.into_iter().next().unwrap();
        assert!(people.iter().any(|other| other == partner));
        let (films, others) = (clean.around(cast, person), clean.around(cast, partner));
        assert!(!films.is_empty() && films == others, "{films:?} {others:?}");
        let (here, there) = (clean.around(home, person), clean.around(home, partner));
        assert!(!here.is_empty() && here == there);
        assert_ne!(clean.names[person], clean.names[partner]);
        assert!(sex_of(person).is_none() || sex_of(person) != sex_of(partner));
    }
}

#[test]
fn difficult_names_and_silent_entities_are_as_declared() {
    let world = world(Scale::Small, 4);
    let (screen, reel) = (read_screen(&world.folder), read_reel(&world.folder));
    for case in ["typo", "transliterated", "alternative-title"] {
        let entities = cases(&world, case);
        assert!(entities.len() > 20, "{case}: {}", entities.len());
        assert!(entities.iter().all(|(first, second)| screen.names[first] != reel.names[second]));
    }
    let silent = cases(&world, "object-only");
    assert!(silent.len() > 20);
    let subjects: BTreeSet<String> = statements(&world.folder).into_iter().map(|s| s.0).collect();
    assert!(silent.iter().all(|(_, entity)| !subjects.contains(entity)));
}

/// How much two orders of the same things agree, from -1 to 1.
fn correlation(first: &[usize], second: &[usize]) -> f64 {
    let n = first.len() as f64;
    let apart: f64 = first.iter().zip(second).map(|(&a, &b)| (a as f64 - b as f64).powi(2)).sum();
    1.0 - 6.0 * apart / (n * (n * n - 1.0))
}

fn ranks<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].cmp(&values[b]));
    let mut ranks = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, &place)| ranks[place] = rank);
    ranks
}

#[test]
fn neither_identifiers_nor_order_tell_the_links() {
    let world = world(Scale::Small, 4);
    let people: Vec<_> = links(&world).into_iter().filter(|link| link.0.starts_with("nm")).collect();
    let (firsts, seconds): (Vec<String>, Vec<String>) = people.into_iter().unzip();
    assert!(correlation(&ranks(&firsts), &ranks(&seconds)).abs() < 0.12);
    let names = rows(world.folder.join("screen/names.tsv"));
    let place_first: BTreeMap<&str, usize> = names.iter().map(|r| r[0].as_str()).zip(0..).collect();
    let statements = statements(&world.folder);
    let mut place_second = BTreeMap::new();
    for (place, (subject, _, _)) in statements.iter().enumerate() {
        place_second.entry(subject.as_str()).or_insert(place);
    }
    let in_first: Vec<usize> = firsts.iter().map(|e| place_first[e.as_str()]).collect();
    let in_second: Vec<usize> = seconds.iter().map(|e| place_second[e.as_str()]).collect();
    assert!(correlation(&ranks(&in_first), &ranks(&in_second)).abs() < 0.12);
    assert!(correlation(&ranks(&firsts), &ranks(&in_second)).abs() < 0.12);
    let in_links: Vec<usize> = (0..firsts.len()).collect();
    assert!(correlation(&in_links, &ranks(&in_first)).abs() < 0.12);
    assert!(correlation(&in_links, &ranks(&in_second)).abs() < 0.12);
}

#[test]
fn the_catalogues_are_two_views_of_one_truth() {
    let world = world(Scale::Small, 4);
    let (screen, reel) = (read_screen(&world.folder), read_reel(&world.folder));
    let partner: BTreeMap<String, String> = links(&world).into_iter().collect();
    let overlap = |here: &str, there: &str| {
        let there = format!("{NS}{there}>").replace('+', &format!(">.{NS}"));
        let linked: Vec<Triple> = screen
            .facts
            .iter()
            .filter(|f| f.1 == here)
            .filter_map(|f| Some((partner.get(&f.0)?.clone(), there.clone(), partner.get(&f.2)?.clone())))
            .collect();
        linked.iter().filter(|fact| reel.facts.contains(*fact)).count() as f64 / linked.len() as f64
    };
    for (here, there) in [
        ("castMember", "film.film.starring+film.performance.actor"),
        ("director", "film.film.directed_by"),
        ("genre", "film.film.genre"),
    ] {
        assert!((0.6..0.85).contains(&overlap(here, there)), "{here}: {}", overlap(here, there));
    }
    assert!(overlap("workedWith", "film.person.frequent_collaborators") > 0.3);
}

#[test]
fn the_smaller_paper_catalogue_has_the_facts_of_table_one() {
    let truth = Truth::new(Scale::Paper, 1);
    let config = WorldConfig { scale: Scale::Paper, seed: 1 };
    let view = View::new(&truth, Catalogue::Reel, config.scale);
    assert_eq!(view.count() + plan(&view, &config).total(), 22_140_475);
}
