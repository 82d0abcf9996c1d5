//! Every command in the docs works, and prints what the docs say.
//!
//! In a `console` block a line behind `$` is run by a shell, in one folder for each file, and the lines after it are
//! its standard output. A line `…` stands for any lines.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Step {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    steps.push(Step { line: number + 1, command: command.to_owned(), output: Vec::new() })
                }
                (None, Some(step)) => step.output.push(line.trim_end().to_owned()),
                (None, None) => panic!("line {}: output before any command", number + 1),
            }
        }
    }
    steps
}

/// Whether the lines are as expected, where `…` stands for any number of lines.
fn matches(expected: &[String], found: &[String]) -> bool {
    match (expected.split_first(), found.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            matches(rest, found) || (!found.is_empty() && matches(expected, &found[1..]))
        }
        (Some((first, rest)), Some((line, others))) => first == line && matches(rest, others),
        _ => false,
    }
}

/// Runs all commands of a file; `folder` is where they run.
fn run(file: &Path, folder: &Path) -> usize {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_linknbed"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let steps = steps(&fs::read_to_string(file).unwrap());
    for step in &steps {
        let run = Command::new("sh")
            .args(["-c", &step.command])
            .current_dir(folder)
            .env("PATH", &path)
            .env("LC_ALL", "C.UTF-8")
            .output()
            .unwrap();
        let at = format!("{}:{}: {}", file.display(), step.line, step.command);
        assert!(run.status.success(), "{at}\n{}", String::from_utf8_lossy(&run.stderr));
        let stdout = String::from_utf8_lossy(&run.stdout);
        let found: Vec<String> = stdout.lines().map(|line| line.trim_end().to_owned()).collect();
        if !step.output.is_empty() || found.is_empty() {
            let shown = step.output.join("\n");
            assert!(matches(&step.output, &found), "{at}\nexpected:\n{shown}\nfound:\n{stdout}");
        }
    }
    steps.len()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_folder(&path, &target) } else { _ = fs::copy(&path, &target).unwrap() }
    }
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn every_command_in_the_docs_works() {
    let mut files = vec![root().join("README.md")];
    files.extend(pages(&root().join("docs")));
    let mut commands = 0;
    for file in files {
        let home = tempfile::tempdir().unwrap();
        copy_folder(&root().join("examples"), &home.path().join("examples"));
        commands += run(&file, home.path());
    }
    assert!(commands >= 15, "the test no longer finds the commands ({commands})");
}

#[test]
fn every_link_in_the_docs_leads_somewhere() {
    let mut files: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root().join(name))
        .to_vec();
    files.extend(pages(&root().join("docs")));
    let mut links = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("](") {
            let target = text[at + 2..].split(')').next().unwrap();
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            links += 1;
            let path = file.parent().unwrap().join(target.split('#').next().unwrap());
            assert!(path.exists(), "{} links to {target}, which is not there", file.display());
        }
    }
    assert!(links >= 15, "the test no longer finds the links ({links})");
}

#[test]
fn the_reference_names_every_option() {
    let reference = fs::read_to_string(root().join("docs/reference/commands.md")).unwrap();
    let verbs = [
        "demo",
        "generate",
        "import",
        "inspect",
        "config",
        "train",
        "export",
        "eval",
        "predict",
        "link",
        "merge",
        "reproduce",
    ];
    for verb in verbs {
        let help = Command::new(env!("CARGO_BIN_EXE_linknbed")).args([verb, "--help"]).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let options = help.lines().filter_map(|line| {
            let line = line.trim_start();
            let line =
                line.strip_prefix("-").and_then(|l| l.split_once(", ").map(|(_, rest)| rest)).unwrap_or(line);
            line.strip_prefix("--").map(|l| l.split([' ', '[', '<']).next().unwrap_or(l))
        });
        let mut count = 0;
        for option in options {
            count += 1;
            assert!(reference.contains(&format!("`--{option}")), "the reference lacks --{option} of {verb}");
        }
        assert!(count >= 4, "{verb}: the test no longer finds the options");
    }
}

#[test]
fn an_ellipsis_stands_for_any_lines() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(matches(&lines("a\n…"), &lines("a")));
    assert!(!matches(&lines("a\n…\nd"), &lines("a\nb")));
    assert!(!matches(&lines("a"), &lines("a\nb")));
}
