//! The rooms of the library use only those that come before them.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in reading order.
const ROOMS: [&str; 20] = [
    "error",
    "progress",
    "graph",
    "compute",
    "io",
    "clean",
    "world",
    "dataset",
    "config",
    "model",
    "joint",
    "eval",
    "train",
    "run",
    "predict",
    "link",
    "merge",
    "report",
    "assess",
    "reproduce",
];

/// Rooms that know no other, whatever their place.
const SELF_CONTAINED: [&str; 2] = ["graph", "compute"];

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The rooms that a text names as `crate::room`.
fn rooms_used(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("crate::").map(|(at, _)| {
        let rest = &text[at + "crate::".len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn no_arrow_points_up() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = |room: &str| ROOMS.iter().position(|other| *other == room);
    let mut arrows = 0;
    for file in source_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let room = relative.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        if room == "lib" {
            continue;
        }
        let own = place(&room).unwrap_or_else(|| panic!("{room} is not in the list of rooms"));
        let text = fs::read_to_string(&file).unwrap();
        for used in rooms_used(&text).filter(|used| place(used).is_some()) {
            arrows += 1;
            let at = relative.display();
            assert!(place(used) <= Some(own), "{at} uses {used}, which comes after it");
            let alone = SELF_CONTAINED.contains(&room.as_str()) && used != room && used != "error";
            assert!(!alone, "{at} uses {used}, but {room} knows no other room");
        }
    }
    assert!(arrows > 50, "the test no longer sees the arrows ({arrows})");
}

#[test]
fn lib_lists_the_rooms_in_order() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let listed: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert_eq!(listed, ROOMS);
}
