//! The rules of the house that a compiler does not check: dependencies are explained and licensed, and the tree
//! speaks of the project alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn metadata() -> Value {
    // Only what this machine builds is sure to be there without a download.
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).unwrap()
}

#[test]
fn every_dependency_is_explained() {
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let explained: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|name| *name != "crate")
        .collect();
    let metadata = metadata();
    let members: Vec<&str> =
        metadata["workspace_members"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let used: BTreeSet<&str> = packages
        .filter(|package| members.contains(&package["id"].as_str().unwrap()))
        .flat_map(|package| package["dependencies"].as_array().unwrap())
        .map(|dependency| dependency["name"].as_str().unwrap())
        .collect();
    assert_eq!(explained, used);
}

#[test]
fn every_licence_allows_use_by_anyone() {
    let allowed = [
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "0BSD",
        "BSL-1.0",
        "Unlicense",
        "Unicode-3.0",
        "CC0-1.0",
        "bzip2-1.0.6",
        "MIT-0",
    ];
    for package in metadata()["packages"].as_array().unwrap() {
        let (name, licence) =
            (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or("none"));
        let licence =
            licence.replace(" WITH LLVM-exception", "").replace('/', " OR ").replace(['(', ')'], "");
        // In `A OR B AND C` it is enough that all parts of one side are allowed.
        let fine =
            licence.split(" OR ").any(|side| side.split(" AND ").all(|part| allowed.contains(&part.trim())));
        assert!(fine, "{name} is licensed as {licence}");
    }
}

#[test]
fn the_tree_names_no_path_of_a_machine() {
    let run = Command::new("git").args(["ls-files"]).current_dir(root()).output().unwrap();
    let files = String::from_utf8(run.stdout).unwrap();
    // Put together here so that this file does not hold them.
    let forbidden = [["/wo", "rk/"], ["/ro", "ot/"], ["../sha", "red"]].map(|parts| parts.concat());
    let mut read = 0;
    for file in files.lines() {
        let Ok(text) = fs::read_to_string(root().join(file)) else { continue };
        read += 1;
        for path in &forbidden {
            assert!(!text.contains(path.as_str()), "{file} names {path}");
        }
    }
    assert!(read > 50, "the test no longer reads the files ({read})");
}
