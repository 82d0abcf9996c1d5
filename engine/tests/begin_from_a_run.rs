//! A run can begin with what an earlier one learned, and go on when that is gone.

use std::fs;
use std::path::Path;

use linknbed::Result;
use linknbed::clean::CleanConfig;
use linknbed::config::Config;
use linknbed::dataset::{Material, PrepareConfig, Skipped, prepare};
use linknbed::graph::{GraphBuilder, Part};
use linknbed::io::staging::{Replace, Staging};
use linknbed::progress::Silent;
use linknbed::run::{Outcome, Run, TrainJob, train};

fn write_data(path: &Path, names: &[&str]) {
    let mut builder = GraphBuilder::default();
    for pair in names.windows(2) {
        builder.fact(Part::Train, pair[0], "follows", pair[1]);
    }
    let material = Material {
        graphs: vec![builder.finish("letters")],
        links: Vec::new(),
        clean: CleanConfig::default(),
        cleaning: Vec::new(),
        sources: Vec::new(),
        skipped: Skipped::default(),
    };
    let staging = Staging::begin(path, Replace::Never).unwrap();
    prepare(material, &PrepareConfig::default(), staging, &Silent).unwrap();
}

fn run(home: &Path, data: &str, out: &str, sets: &[&str], resume: bool) -> Result<Outcome> {
    let small =
        ["model.entity=4", "model.relation=4", "model.hidden=4", "training.batch=2", "negatives.count=2"];
    let sets: Vec<String> = small.iter().chain(sets).map(|&set| set.to_owned()).collect();
    let config = Config::resolve(Some("paper"), None, &sets)?;
    let (data, out) = (home.join(data), home.join(out));
    train(&TrainJob { data, out, config, resume, replace: false, beside: 1 }, &|| false, &Silent)
}

#[test]
fn what_was_learned_is_where_the_next_run_begins() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_data(&home.join("small"), &["a", "b", "c", "d"]);
    write_data(&home.join("large"), &["a", "b", "c", "d", "e", "f"]);
    let first = run(home, "small", "first", &[], false).unwrap();
    assert_eq!(first.begun_with.unwrap().to_string(), "all vectors are random");
    let path = home.join("first").display().to_string();
    // Steps of next to nothing, so that the numbers of the earlier run are still to be seen.
    let sets =
        ["initial.from=run", &format!("initial.path={path}"), "optimizer.rate=1e-30", "training.epochs=1"];
    let second = run(home, "large", "second", &sets, false).unwrap();
    assert_eq!(
        second.begun_with.unwrap().to_string(),
        "vectors from an earlier run: 4 of 6 entities, 1 of 1 relations, and W^val W1 W2 W3 W4 W5"
    );
    let [old, new] = ["first", "second"].map(|run| Run::open(&home.join(run)).unwrap().load(None).unwrap());
    for name in ["a", "b", "c", "d"] {
        let row = |trained: &linknbed::run::Trained| {
            let row = trained.data.graphs[0].entities.find(name).unwrap() as usize;
            trained.parameters.entities[row * 4..(row + 1) * 4].to_vec()
        };
        assert_eq!(row(&old), row(&new), "{name}");
    }
    assert_eq!(old.parameters.own, new.parameters.own);
    drop((old, new));
    fs::remove_dir_all(home.join("first")).unwrap();
    let sets = [sets[0], sets[1], sets[2], "training.epochs=2"];
    let resumed = run(home, "large", "second", &sets, true).unwrap();
    assert_eq!((resumed.begun_with, resumed.facts), (None, 5));
}

#[test]
fn an_earlier_run_has_to_be_one() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    write_data(&home.join("small"), &["a", "b", "c", "d"]);
    let failure = |path: &str, out: &str| {
        let sets = ["initial.from=run".to_owned(), format!("initial.path={}", home.join(path).display())];
        run(home, "small", out, &[&sets[0], &sets[1]], false).unwrap_err().to_string()
    };
    let at = |path: &str| home.join(path).display().to_string();
    let message = format!("initial.path names {}, which is not there", at("nowhere"));
    assert_eq!(failure("nowhere", "out1"), message);
    assert!(!home.join("out1").exists(), "nothing was begun");
    let message = "is no run: it has no run.json; `train` writes runs";
    assert_eq!(failure("small", "out2"), format!("{}: {message}", at("small")));
}
