//! How is progress shown?
//!
//! As a bar on a terminal, as one line a stage otherwise, and not at all when asked to be quiet.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use linknbed::progress::{Progress, Unit};

/// Shows the stages of a command on standard error.
pub(crate) struct Bars {
    mode: Mode,
    /// Those of all work that is done beside each other.
    all: MultiProgress,
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
    noted: Instant,
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
        Self::of(mode, MultiProgress::new())
    }

    fn of(mode: Mode, all: MultiProgress) -> Self {
        Self { mode, all, current: Mutex::new(None) }
    }

    /// A line of talk.
    pub(crate) fn say(&self, line: &str) {
        // Nobody is left to tell when standard error is gone.
        let _ = match self.mode {
            Mode::Quiet => Ok(()),
            // Above the bars.
            Mode::Bars if !self.all.is_hidden() => self.all.println(line),
            Mode::Bars | Mode::Lines => writeln!(std::io::stderr(), "{line}"),
        };
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.current.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Progress for Bars {
    fn begin(&self, stage: &str, total: Option<u64>, unit: Unit) {
        let bar = if self.mode == Mode::Bars {
            self.all.add(ProgressBar::new(total.unwrap_or(0)))
        } else {
            ProgressBar::hidden()
        };
        // One that is hidden knows none by itself, and lines say how much is left.
        total.into_iter().for_each(|total| bar.set_length(total));
        let amount = match unit {
            Unit::Bytes => "{bytes}/{total_bytes} {bytes_per_sec}",
            Unit::Items => "{human_pos}/{human_len} {items_per_sec}",
        };
        let template = format!("{{prefix:18}} {{bar:24}} {amount} {{eta}} left {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.with_key(
                "items_per_sec",
                |state: &ProgressState, out: &mut dyn fmt::Write| {
                    // Where it cannot be shown, nothing is lost.
                    let _ = write!(out, "{}/s", HumanCount(state.per_sec().round() as u64));
                },
            ));
        }
        bar.set_prefix(stage.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.current() =
            Some(Stage { name: stage.to_owned(), noted: Instant::now(), begun: Instant::now(), bar });
    }

    fn advance(&self, amount: u64) {
        if let Some(stage) = &*self.current() {
            stage.bar.inc(amount);
        }
    }

    fn note(&self, words: &str) {
        /// Where nobody looks on, a line now and then is enough.
        const EVERY: Duration = Duration::from_secs(10);
        let mut line = None;
        if let Some(stage) = &mut *self.current() {
            stage.bar.set_message(words.to_owned());
            if self.mode == Mode::Lines && stage.noted.elapsed() >= EVERY {
                stage.noted = Instant::now();
                let seconds = stage.begun.elapsed().as_secs_f64();
                let pace = pace(stage.bar.position(), stage.bar.length(), seconds);
                line = Some(format!("{:<18} {seconds:>7.0} s  {words}; {pace}", stage.name));
            }
        }
        line.into_iter().for_each(|line| self.say(&line));
    }

    fn end(&self) {
        if let Some(stage) = self.current().take() {
            stage.bar.finish_and_clear();
            self.say(&format!("{:<28} {:>7.1} s", stage.name, stage.begun.elapsed().as_secs_f64()));
        }
    }

    fn beside(&self) -> Box<dyn Progress + '_> {
        Box::new(Self::of(self.mode, self.all.clone()))
    }
}

/// How fast it goes, and how long it will yet take where the end is known.
fn pace(done: u64, total: Option<u64>, seconds: f64) -> String {
    let rate = format!("{:.0}/s", done as f64 / seconds);
    let Some(total) = total.filter(|_| done > 0) else { return rate };
    let left = Duration::from_secs_f64(seconds * total.saturating_sub(done) as f64 / done as f64);
    format!("{rate}, {} left", HumanDuration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_long_it_will_take() {
        assert_eq!(pace(20, Some(100), 10.0), "2/s, 40 seconds left");
        assert_eq!(pace(20, Some(10_000), 10.0), "2/s, 83 minutes left");
        assert_eq!(pace(20, None, 10.0), "2/s");
        assert_eq!(pace(0, Some(100), 10.0), "0/s");
    }

    #[test]
    fn a_hidden_stage_knows_its_end() {
        let bars = Bars::of(Mode::Lines, MultiProgress::new());
        bars.begin("reading", Some(100), Unit::Items);
        bars.advance(20);
        let bar = bars.current().as_ref().map(|stage| (stage.bar.position(), stage.bar.length()));
        assert_eq!(bar, Some((20, Some(100))));
    }
}
