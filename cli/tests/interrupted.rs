//! What is left of an import that is killed?
//!
//! Either nothing that opens, or a whole folder: never one that opens and is not what it says. And the next import
//! into the same place is not disturbed by what the killed one left.

mod workbench;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use workbench::{LINKNBED, WORLD, Workbench};

/// Moments spread over an import, in thousandths of its time: i/11 of it, moved a little each.
const MOMENTS: [u32; 10] = [83, 190, 268, 371, 449, 553, 630, 734, 809, 921];

/// Imports into `data` and kills the import once `wait` returns. Whether it was still running.
fn killed(bench: &Workbench, args: &[&str], wait: impl FnOnce()) -> bool {
    let mut import = Command::new(LINKNBED)
        .current_dir(bench.path("."))
        .args(["import", "--quiet", "--out", "data"])
        .args(WORLD)
        .args(args)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait();
    import.kill().unwrap();
    !import.wait().unwrap().success()
}

/// Whether the folder opens; if it does, it must be whole.
fn opens(bench: &Workbench) -> bool {
    let opened = bench.run(&["inspect", "data"]);
    if opened.code == Some(0) {
        bench.inspected("data");
        return true;
    }
    opened.failed(1, "data");
    false
}

/// How long an import takes here and now.
fn measured(bench: &Workbench) -> Duration {
    let begun = Instant::now();
    bench.import(&WORLD).succeeded();
    begun.elapsed()
}

fn nothing_partial_is_there(bench: &Workbench) {
    for name in [".data.partial", ".data.replaced"] {
        assert!(!bench.path(name).exists(), "{name} is still there");
    }
}

#[test]
fn a_killed_import_leaves_nothing_that_opens_and_is_not_whole() {
    let bench = Workbench::new();
    bench.generate("medium");
    let duration = measured(&bench);
    let whole = bench.files("data");
    let check = || {
        if opens(&bench) {
            assert!(bench.files("data") == whole, "another folder than an undisturbed import gives");
        } else {
            assert!(!bench.path("data").exists(), "half a folder is there");
        }
        std::fs::remove_dir_all(bench.path("data")).ok();
    };
    std::fs::remove_dir_all(bench.path("data")).unwrap();
    let mut running = 0;
    for moment in MOMENTS {
        running += u32::from(killed(&bench, &[], || std::thread::sleep(duration * moment / 1000)));
        check();
    }
    assert!(running > 0, "no import was killed before its end");
    // However fast the machine is, one is killed while it writes.
    std::fs::remove_dir_all(bench.path(".data.partial")).ok();
    let graph = bench.path(".data.partial/graphs/screen");
    let writing = || {
        let begun = Instant::now();
        while !graph.exists() && begun.elapsed() < 10 * duration {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    assert!(killed(&bench, &[], writing) && graph.exists(), "the import was not killed while it wrote");
    check();
    bench.import(&WORLD).succeeded();
    assert!(bench.files("data") == whole);
    nothing_partial_is_there(&bench);
}

#[test]
fn a_killed_replacement_leaves_the_old_folder_or_the_new_one() {
    let bench = Workbench::new();
    bench.generate("small");
    let duration = measured(&bench);
    let old = bench.files("data");
    bench.import(&[&WORLD[..], &["--force", "--seed", "1"]].concat()).succeeded();
    let new = bench.files("data");
    for moment in MOMENTS.iter().chain(&[960, 980, 1000, 1020]) {
        bench.import(&[&WORLD[..], &["--force"]].concat()).succeeded();
        let wait = || std::thread::sleep(duration * *moment / 1000);
        killed(&bench, &["--force", "--seed", "1"], wait);
        // Between the two renames of a replacement the old folder lies beside its place.
        let place = if bench.path("data").exists() { "data" } else { ".data.replaced" };
        let found = bench.files(place);
        assert!(found == old || found == new, "neither the old folder nor the new one");
    }
    bench.import(&[&WORLD[..], &["--force", "--seed", "1"]].concat()).succeeded();
    assert!(bench.files("data") == new);
    nothing_partial_is_there(&bench);
}
