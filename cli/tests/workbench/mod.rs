//! A folder to work in: files are put there, the binary is run there, and what it did is looked at.
//!
//! Paths are given as a user in that folder would give them, so that messages and manifests hold no other path.

// Every test file uses another part of the bench.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// The binary under test.
pub(crate) const LINKNBED: &str = env!("CARGO_BIN_EXE_linknbed");

/// A folder of its own for one test.
pub(crate) struct Workbench {
    home: TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn new(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The run must have been fine.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// The run must have ended with this code and one line that begins with `error: ` and `beginning`.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, beginning: &str) -> Self {
        assert_eq!(self.stderr.lines().count(), 1, "one line: {}", self.stderr);
        self.failed_at_length(code, beginning)
    }

    /// The same, but more may follow the first line, as when clap explains the usage.
    #[track_caller]
    pub(crate) fn failed_at_length(self, code: i32, beginning: &str) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "standard output is data");
        assert!(self.stderr.starts_with(&format!("error: {beginning}")), "{}", self.stderr);
        for trace in ["panicked", "backtrace", "RUST_"] {
            assert!(!self.stderr.contains(trace), "{}", self.stderr);
        }
        self
    }

    /// The run must have ended with this code and this message, to the letter.
    #[track_caller]
    pub(crate) fn said(self, code: i32, message: &str) -> Self {
        assert_eq!(self.stderr, format!("error: {message}\n"));
        self.failed(code, message)
    }

    /// What was said must hold this.
    #[track_caller]
    pub(crate) fn saying(self, part: &str) -> Self {
        assert!(self.stderr.contains(part), "{part:?} is not in: {}", self.stderr);
        self
    }
}

impl Workbench {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Puts a file there, and the folders above it.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("the folders above a file");
        fs::write(path, content).expect("a file of the test");
        self
    }

    /// Runs the binary.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with_input(args, "")
    }

    /// Runs the binary with something on its standard input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut command = assert_cmd::Command::new(LINKNBED);
        Ran::new(command.current_dir(self.home.path()).args(args).write_stdin(input).output().expect("a run"))
    }

    /// Runs the binary from a shell line, in which it is `$LINKNBED`.
    pub(crate) fn run_in_shell(&self, line: &str) -> Ran {
        let mut command = assert_cmd::Command::new("sh");
        let command = command.current_dir(self.home.path()).env("LINKNBED", LINKNBED).args(["-c", line]);
        Ran::new(command.output().expect("a shell"))
    }

    /// `import … --out data`, with nothing but the result on standard error.
    pub(crate) fn import(&self, args: &[&str]) -> Ran {
        self.run(&[&["import", "--quiet", "--out", "data"], args].concat())
    }

    /// Imports into `data`, which must work, and gives `inspect --json` of it.
    #[track_caller]
    pub(crate) fn imported(&self, args: &[&str]) -> Value {
        self.import(args).succeeded();
        self.inspected("data")
    }

    /// `inspect --verify --json` of a prepared folder, which must be whole.
    #[track_caller]
    pub(crate) fn inspected(&self, folder: &str) -> Value {
        let inspected = self.run(&["inspect", folder, "--verify", "--json"]).succeeded();
        serde_json::from_str(&inspected.stdout).expect("JSON")
    }

    /// Neither an output nor a part of one may be there.
    #[track_caller]
    pub(crate) fn holds_no_output(&self) -> &Self {
        for name in ["data", ".data.partial", ".data.replaced"] {
            assert!(!self.path(name).exists(), "{name} was left behind");
        }
        self
    }

    /// Writes the built-in world to `world`.
    #[track_caller]
    pub(crate) fn generate(&self, scale: &str) {
        self.run(&["generate", "--quiet", "--scale", scale, "--out", "world"]).succeeded();
    }

    /// A prepared folder `data` of the tiny world, with facts to validate on.
    #[track_caller]
    pub(crate) fn films(&self) {
        self.generate("tiny");
        self.import(&[&WORLD[..], &["--split", "0.6,0.1,0.3"]].concat()).succeeded();
    }

    /// `train data --out …` of a small model, with nothing but the result on standard error.
    pub(crate) fn train(&self, out: &str, args: &[&str]) -> Ran {
        self.run(&[&["train", "data", "--quiet", "--out", out], &SMALL[..], args].concat())
    }

    /// The last checkpoint of a run: its step and its bytes.
    #[track_caller]
    pub(crate) fn last_checkpoint(&self, run: &str) -> (u64, Vec<u8>) {
        let mut files = self.files(&format!("{run}/checkpoints"));
        files.retain(|name, _| name.starts_with("step-"));
        let (name, bytes) = files.pop_last().expect("a checkpoint");
        let step = name.trim_start_matches("step-").trim_end_matches(".safetensors");
        (step.parse().expect("a step"), bytes)
    }

    /// The lines of a run's trace.
    #[track_caller]
    pub(crate) fn trace(&self, run: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(run).join("trace.jsonl")).expect("a trace");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Every file under a folder, by its path within it.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let folder = self.path(folder);
        let mut files = BTreeMap::new();
        gather(&folder, &folder, &mut files);
        files
    }
}

/// The arguments that import the built-in world.
pub(crate) const WORLD: [&str; 6] =
    ["--graph", "screen=world/screen", "--graph", "reel=world/reel.nt", "--links", "world/links.tsv"];

/// A model that learns the tiny world in a moment.
pub(crate) const SMALL: [&str; 18] = [
    "--set",
    "model.entity=16",
    "--set",
    "model.relation=8",
    "--set",
    "model.type=4",
    "--set",
    "model.attribute=4",
    "--set",
    "model.hidden=8",
    "--set",
    "model.features=64",
    "--set",
    "negatives.count=20",
    "--set",
    "training.batch=200",
    "--set",
    "training.epochs=3",
];

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            gather(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("a path within").to_string_lossy().into_owned();
            files.insert(name, fs::read(&path).expect("a file"));
        }
    }
}
