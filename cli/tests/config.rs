//! What does `config` show, and what does it refuse?

mod workbench;

use linknbed::config::{Config, LossKind, PRESETS, Score, preset_text};
use workbench::Workbench;

#[test]
fn a_preset_is_shown_as_it_is_written() {
    let bench = Workbench::new();
    for name in PRESETS {
        let shown = bench.run(&["config", "--preset", name]).succeeded();
        assert_eq!(shown.stdout, preset_text(name).unwrap());
        assert_eq!(shown.stderr, "");
    }
    assert_eq!(bench.run(&["config"]).succeeded().stdout, preset_text("default").unwrap());
}

#[test]
fn the_settings_of_the_benchmarks_are_right() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scripts/peers/stranse.toml");
    let shown = Workbench::new().run(&["config", "--config", file, "--json"]).succeeded();
    let config: Config = serde_json::from_str(&shown.stdout).unwrap();
    // What direct_models.py does without arguments, but for --seed.
    assert_eq!((config.model.entity, config.training.batch, config.loss.margin), (50, 128, 1.0));
    assert_eq!((config.negatives.count, config.optimizer.rate, config.initial.scale), (10, 0.001, 0.06));
}

#[test]
fn json_is_the_resolved_config() {
    let bench = Workbench::new();
    for name in PRESETS {
        let shown = bench.run(&["config", "--preset", name, "--json"]).succeeded();
        let config: Config = serde_json::from_str(&shown.stdout).unwrap();
        assert_eq!(config, Config::preset(name).unwrap());
    }
}

#[test]
fn what_is_shown_can_be_given_back() {
    let bench = Workbench::new();
    bench.put("mine.toml", "preset = \"paper\"\n[loss]\nkind = \"softmax\"\n");
    let args = ["config", "--config", "mine.toml", "--set", "model.score=identity", "--set", "seed=7"];
    let shown = bench.run(&args).succeeded().stdout;
    assert!(shown.contains("# The bend of the score"), "the comments stay: {shown}");

    bench.put("whole.toml", &shown);
    assert_eq!(bench.run(&["config", "--config", "whole.toml"]).succeeded().stdout, shown);
    let json = bench.run(&["config", "--config", "whole.toml", "--json"]).succeeded().stdout;
    let mut expected = Config::preset("paper").unwrap();
    expected.loss.kind = LossKind::Softmax;
    expected.model.score = Score::Identity;
    expected.seed = 7;
    assert_eq!(serde_json::from_str::<Config>(&json).unwrap(), expected);
}

#[test]
fn wrong_usage_names_the_key() {
    let bench = Workbench::new();
    let refused = |args: &[&str], message: &str| {
        bench.run(&[&["config"], args].concat()).failed(2, message);
    };
    refused(&["--preset", "papr"], "preset: found \"papr\", expected paper or default");
    refused(&["--set", "loss.kind=sofmax"], "loss.kind: found sofmax, expected margin, softmax or logistic");
    refused(&["--set", "los.kind=softmax"], "los.kind: no such key; did you mean loss.kind?");
    refused(&["--set", "loss"], "loss: expected KEY=VALUE, such as loss.margin=2");
    refused(&["--set", "loss.margin=-1", "--json"], "loss.margin: found -1, expected a number above 0");
}

#[test]
fn a_wrong_file_is_named_with_the_line() {
    let bench = Workbench::new();
    bench
        .put("a.toml", "[loss]\nmargin = \"wide\"\n")
        .put("b.toml", "seed = \n")
        .put("c.toml", "\n[training]\nbatch = 0\n");
    let refused = |file: &str, message: &str| {
        bench.run(&["config", "--config", file]).failed(1, message);
    };
    refused("a.toml", "a.toml:2: loss.margin: found \"wide\", expected a number");
    refused("b.toml", "b.toml:1:8: this is not TOML: ");
    refused("c.toml", "c.toml:3: training.batch: found 0, expected 1 or more");
    refused("d.toml", "d.toml: ");
}
