//! The page as a whole, and the data beside it.

use proptest::prelude::*;

use super::well_formed::check;
use super::*;

fn figures(mrr: f64) -> RankFigures {
    let ties = Some(Ties { best: mrr + 0.01, worst: mrr - 0.01 });
    RankFigures { count: 46_468, mrr, mr: 1234.4, hits_1: 0.317, hits_3: 0.441, hits_10: 0.581, ties }
}

fn sides(mrr: f64) -> Sides {
    Sides { both: figures(mrr), tail: figures(mrr + 0.1), head: figures(mrr - 0.1) }
}

/// A report in which everything is there; all names are `name`.
fn full(name: &str) -> Report {
    let own = || name.to_owned();
    let mut triples = TripleSection::new(Part::Test, own());
    (triples.facts, triples.candidates, triples.unseen) = (23_234, 39_667, 112);
    triples.filtered = sides(0.412);
    triples.raw = Some(sides(0.222));
    triples.categories = vec![Category { name: own(), relations: 6, sides: sides(0.555) }];
    triples.best_relations = vec![RelationFigures { name: own(), count: 987, mrr: 0.912 }];
    triples.worst_relations = vec![RelationFigures { name: own(), count: 96, mrr: 0.031 }];
    triples.ranks = vec![RankBin { from: 1, to: 1, count: 3 }, RankBin { from: 2, to: 3, count: 1 }];
    let graph = GraphSummary { entities: 378_206, triples: 1_928_500, ..Default::default() };
    let parts = Parts { train: 14_210, valid: 1_180, test: 8_290 };
    let loss = vec![("total".to_owned(), 0.7), (own(), 0.2)];
    let validation =
        ValidationPoint { step: 778, epoch: 0.5, graphs: vec![(own(), figures(0.3))], best: true };
    let run = RunSummary { preset: own(), seed: 7, parameters: 107_432_960, ..Default::default() };
    Report {
        title: own(),
        about: own(),
        on: Some(Part::Test),
        data: Some(DataSummary { graphs: vec![(own(), graph)], links: vec![(own(), parts)] }),
        run: Some(RunSummary { settings: vec![(own(), own())], program: own(), seconds: Some(75.0), ..run }),
        curves: Some(Curves {
            steps: vec![LossPoint { step: 78, epoch: 0.05, loss }],
            validations: vec![validation],
        }),
        triples: vec![(own(), triples)],
        links: vec![(own(), links(name))],
    }
}

fn links(name: &str) -> LinkSection {
    let own = || name.to_owned();
    let entity = |as_subject: u64| Described {
        name: own(),
        as_subject,
        as_object: 2,
        types: vec![own()],
        attributes: (0..20)
            .map(|at| (own(), if at == 19 { own() } else { format!("{as_subject} {at}") }))
            .collect(),
    };
    let example = |outcome| LinkExample {
        outcome,
        probability: 0.083,
        first: entity(3),
        second: entity(0),
        shared_neighbours: Some(4),
        why: own(),
        reasons: Some(Reasons {
            against: -4.0,
            parts: vec![(own(), 7.25), (format!("{name} too"), -1.5)],
            rivals: -0.375,
            slope: 0.5,
            shift: 0.25,
        }),
        standing: Some(Standing { partner: own(), place: Some(3.5), before: Some(format!("{name} too")) }),
    };
    let point = |x: f32, graph: usize| MapPoint { x, y: 0.5, graph, pair: 1, name: own() };
    let mut links = LinkSection::new([own(), own()], Part::Test, own());
    (links.count, links.candidates) = (8_290, 39_667);
    (links.auprc, links.precision, links.recall, links.f1) = (0.871, 0.903, 0.842, 0.872);
    links.all = PartnerFigures { hits_1: 0.641, hits_10: 0.848, mrr: 0.714 };
    links.labelled = Some(PartnerFigures { hits_1: 0.803, hits_10: 0.951, mrr: 0.858 });
    links.curve =
        vec![CurvePoint { recall: 0.5, precision: 1.0 }, CurvePoint { recall: 1.0, precision: 0.2 }];
    links.map = vec![point(0.0, 0), point(1.0, 1)];
    links.right = vec![example(Outcome::Found)];
    links.wrong = vec![example(Outcome::Missed), example(Outcome::Mistaken)];
    links
}

#[test]
fn every_figure_is_on_the_page() {
    let page = full("Name").html();
    assert!(check(&page).unwrap() > 200);
    for figure in [
        "0.412",
        "0.512",
        "0.312",
        "0.402…0.422",
        "1\u{202f}234",
        "0.317",
        "0.441",
        "0.581",
        "0.222",
        "0.555",
        "0.912",
        "0.031",
        "23\u{202f}234 facts of the test part, 39\u{202f}667 entities",
        "112 facts have an entity",
        "378\u{202f}206",
        "1\u{202f}928\u{202f}500",
        "14\u{202f}210",
        "107\u{202f}432\u{202f}960",
        "1 min 15 s",
        "0.871",
        "0.903",
        "0.842",
        "0.872",
        "0.641",
        "0.848",
        "0.714",
        "0.803",
        "0.951",
        "0.858",
        "0.083",
        "rank 1: 75.0 %",
        "step 778, epoch 0.5",
        "5 facts: 3 as subject, 2 as object",
        "and 10 more",
        "✓ both",
        "missed",
        "mistaken",
        "found",
        "+7.25",
        "−1.50",
        "log-odds",
        "+0.94",
        "at place 3.5.",
        "by 0.500 and adds 0.250",
    ] {
        assert!(page.contains(figure), "{figure} is not on the page");
    }
    assert_eq!(page.matches("<svg viewBox=\"0 0 4").count(), 8);
    assert_eq!(page.matches("<table>").count(), page.matches("<caption>").count());
    assert_eq!(page.matches("role=\"img\"").count(), page.matches("<desc ").count());
}

#[test]
fn the_page_needs_nothing_beside_itself() {
    let page = full("Name").html();
    for outside in ["http:", "https:", "url(", "@import", "src=", "<script", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn an_empty_report_is_a_page_too() {
    let page = Report::default().html();
    check(&page).unwrap();
    assert!(page.contains("<title>Report</title>") && page.contains("There is nothing to report yet."));
    assert!(!page.contains("<section") && !page.contains("<nav") && !page.contains("tiles\">"));
    let json: serde_json::Value = serde_json::from_str(&Report::default().json()).unwrap();
    assert_eq!(json, serde_json::json!({"title": "", "about": ""}));
}

#[test]
fn each_section_may_be_missing_and_may_be_empty() {
    let whole = full("Name");
    let ids = ["facts", "links", "learning", "data", "settings"].map(|id| format!("<section id=\"{id}\">"));
    for missing in 0..5 {
        let mut report = whole.clone();
        match missing {
            0 => report.triples.clear(),
            1 => report.links.clear(),
            2 => report.curves = None,
            3 => report.data = None,
            _ => report.run = None,
        }
        let page = report.html();
        check(&page).unwrap();
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(page.contains(id), at != missing, "{id}");
        }
        assert_eq!(page.matches("href=\"#").count(), 4);
    }
    let bare = Report {
        data: Some(DataSummary::default()),
        run: Some(RunSummary::default()),
        curves: Some(Curves::default()),
        triples: vec![("a".to_owned(), TripleSection::new(Part::Valid, ""))],
        links: vec![("a-b".to_owned(), LinkSection::new(["a".to_owned(), "b".to_owned()], Part::Valid, ""))],
        ..Default::default()
    };
    let page = bare.html();
    check(&page).unwrap();
    assert!(ids.iter().all(|id| page.contains(id)) && !page.contains("<figure"));
}

#[test]
fn what_is_no_number_is_a_dash_on_the_page_and_null_in_the_data() {
    let mut report = full("Name");
    let odd = RankFigures { mrr: f64::NAN, mr: 1e300, hits_10: f64::INFINITY, ..Default::default() };
    report.triples[0].1.filtered.both = odd;
    report.links[0].1.f1 = f64::NAN;
    report.links[0].1.right[0].probability = f64::NAN;
    report.links[0].1.wrong[0].reasons.as_mut().unwrap().rivals = f64::NEG_INFINITY;
    report.data.as_mut().unwrap().graphs[0].1.entities = u64::MAX;
    report.links[0].1.right[0].first.as_subject = u64::MAX;
    let curves = report.curves.as_mut().unwrap();
    curves.steps[0].loss[0].1 = f64::NAN;
    curves.validations[0].epoch = f64::INFINITY;
    let page = report.html();
    check(&page).unwrap();
    assert!(!page.contains("NaN") && !page.contains(">inf") && !page.contains("\"inf"));
    assert!(page.contains("<b>–</b> <span>MRR</span>") && page.contains("<td>1.0e300</td>"));
    assert!(page.contains("18\u{202f}446\u{202f}744\u{202f}073\u{202f}709\u{202f}551\u{202f}615"));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    assert!(json["triples"]["Name"]["mrr"].is_null() && json["links"]["Name"]["f1"].is_null());
}

#[test]
fn the_data_has_the_keys_of_eval_and_inspect() {
    let json: serde_json::Value = serde_json::from_str(&full("g").json()).unwrap();
    assert_eq!(json["on"], "test");
    for side in [&json["triples"]["g"], &json["triples"]["g"]["tail"], &json["triples"]["g"]["head"]] {
        for key in ["count", "mrr", "hits@1", "hits@3", "hits@10", "mr"] {
            assert!(side[key].is_number(), "{key}");
        }
    }
    assert_eq!(json["triples"]["g"]["mrr"], 0.412);
    assert_eq!(json["triples"]["g"]["split"], "test");
    for key in ["count", "candidates", "auprc", "hits@1", "hits@10", "mrr", "precision", "recall", "f1"] {
        assert!(json["links"]["g"][key].is_number(), "{key}");
    }
    assert_eq!(json["links"]["g"]["labelled"]["hits@1"], 0.803);
    assert_eq!(json["links"]["g"]["wrong"][1]["outcome"], "mistaken");
    let reasons = &json["links"]["g"]["wrong"][1]["reasons"];
    assert_eq!(
        *reasons,
        serde_json::json!({"against": -4.0, "nats": {"g": 7.25, "g too": -1.5}, "rivals": -0.375, "slope": 0.5,
                           "shift": 0.25})
    );
    assert_eq!(json["links"]["g"]["wrong"][1]["standing"]["place"], 3.5);
    assert_eq!(json["data"]["graphs"]["g"]["splits"]["train"], 0);
    assert_eq!(json["data"]["links"]["g"]["valid"], 1_180);
    assert_eq!(json["curves"]["validations"][0]["validation"]["g"]["mrr"], 0.3);
    assert_eq!(json["curves"]["steps"][0]["loss"]["total"], 0.7);
}

#[test]
fn what_is_not_known_about_a_link_is_not_there() {
    let mut report = full("Name");
    let links = &mut report.links[0].1;
    for example in links.right.iter_mut().chain(&mut links.wrong) {
        (example.reasons, example.standing) = (None, None);
    }
    let page = report.html();
    check(&page).unwrap();
    assert!(!page.contains("log-odds") && !page.contains("The true partner"));
    let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
    let example = json["links"]["Name"]["right"][0].as_object().unwrap();
    assert!(!example.contains_key("reasons") && !example.contains_key("standing"));
}

#[test]
fn where_the_true_partner_stands_is_told() {
    let mut report = full("Name");
    let standing = |place, before: Option<&str>| {
        Some(Standing { partner: "P".to_owned(), place, before: before.map(str::to_owned) })
    };
    let told = |report: &Report| {
        let page = report.html();
        let told = page.split("<p class=\"standing\">").nth(1).map(|told| told.split("</p>").next().unwrap());
        told.unwrap_or_default().replace("<bdi>", "").replace("</bdi>", "")
    };
    report.links[0].1.right.clear();
    report.links[0].1.wrong.truncate(1);
    for (given, expected) in [
        (standing(Some(1.0), None), "The true partner, P, stands first, but is not likely enough."),
        (standing(Some(7.0), Some("B")), "The true partner, P, stands at place 7. First stands B."),
        (standing(None, Some("B")), "The true partner, P, was no candidate. First stands B."),
        (
            standing(Some(2.0), Some("P")),
            "The true partner, P, stands at place 2. First stands another of that name.",
        ),
    ] {
        report.links[0].1.wrong[0].standing = given;
        assert_eq!(told(&report), expected);
    }
    report.links[0].1.wrong[0].probability = 0.75;
    report.links[0].1.wrong[0].standing = standing(Some(1.0), None);
    assert_eq!(told(&report), "The true partner, P, stands first, but is likelier that of another.");
    report.links[0].1.wrong[0].outcome = Outcome::Found;
    report.links[0].1.wrong[0].standing = standing(Some(1.0), None);
    assert_eq!(told(&report), "");
}

#[test]
fn long_names_may_break_anywhere() {
    let long = "x".repeat(5_000);
    let page = full(&long).html();
    check(&page).unwrap();
    assert!(page.contains("bdi, p, td, th, dd { overflow-wrap: anywhere; }"));
    // Wherever a name stands, it stands in an element of that rule, in a title, or in a figure's description.
    let rest = page.replace(&format!("<bdi>{long}</bdi>"), "");
    let around: Vec<&str> = rest
        .match_indices(&long)
        .map(|(at, _)| &rest[rest.floor_char_boundary(at.saturating_sub(40))..at])
        .collect();
    for before in around {
        let allowed = [
            "<title>",
            "<p class=\"lead\">",
            "<p class=\"protocol\">",
            "<p class=\"why\">",
            "linknbed ",
            "<bdi>",
            "<desc",
            ". ",
        ];
        assert!(allowed.iter().any(|tag| before.contains(tag)), "{before}");
    }
}

#[test]
fn both_files_are_written_and_replaced_whole() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("a/b");
    Report::default().write(&folder).unwrap();
    let report = full("Name");
    report.write(&folder).unwrap();
    assert_eq!(fs::read_to_string(folder.join(PAGE)).unwrap(), report.html());
    assert_eq!(fs::read_to_string(folder.join(DATA)).unwrap(), report.json());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Report::default().write(&file.join("report")).unwrap_err().to_string();
    assert!(error.starts_with(&file.join("report").display().to_string()), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_name_gives_a_well_formed_page_with_the_same_elements(name in any::<String>()) {
        // A name that is empty or that makes two series one has fewer elements, and is tried beside.
        let name = format!("n{name}");
        let plain = check(&full("Name").html());
        prop_assert_eq!(check(&full(&name).html()), plain);
    }
}
