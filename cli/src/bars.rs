//! How is progress shown?
//!
//! As a bar on a terminal, as one line a stage otherwise, and not at all when asked to be quiet.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use linknbed::progress::{Progress, Unit};

/// Shows the stages of a command on standard error.
pub(crate) struct Bars {
    mode: Mode,
    current: Mutex<Option<Stage>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Quiet,
    Lines,
    Bars,
}

struct Stage {
    name: String,
    begun: Instant,
    bar: ProgressBar,
}

impl Bars {
    pub(crate) fn new(quiet: bool) -> Self {
        let mode = if quiet {
            Mode::Quiet
        } else if std::io::stderr().is_terminal() {
            Mode::Bars
        } else {
            Mode::Lines
        };
        Self { mode, current: Mutex::new(None) }
    }

    /// A line of talk.
    pub(crate) fn say(&self, line: &str) {
        if self.mode != Mode::Quiet {
            // Nobody is left to tell when standard error is gone.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Unit) {
        let bar = if self.mode == Mode::Bars {
            ProgressBar::new(total.unwrap_or(0))
        } else {
            ProgressBar::hidden()
        };
        let amount = match unit {
            Unit::Bytes => "{bytes}/{total_bytes} {bytes_per_sec}",
            Unit::Items => "{human_pos}/{human_len} {per_sec}",
        };
        let template = format!("{{msg:24}} {{bar:30}} {amount} {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.set_message(stage.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.current() = Some(Stage { name: stage.to_owned(), begun: Instant::now(), bar });
    }

    fn advance(&self, amount: u64) {
        if self.mode == Mode::Bars
            && let Some(stage) = &*self.current()
        {
            stage.bar.inc(amount);
        }
    }

    fn end(&self) {
        if let Some(stage) = self.current().take() {
            stage.bar.finish_and_clear();
            self.say(&format!("{:<28} {:>7.1} s", stage.name, stage.begun.elapsed().as_secs_f64()));
        }
    }
}
