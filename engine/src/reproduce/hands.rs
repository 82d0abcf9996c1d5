//! Who does it, and how many at a time?
//!
//! Each of several threads takes what can be done next, with a share of all threads for its own arithmetic. A training of a
//! small model does not keep many cores busy; several beside each other do. What comes out is the same.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use rayon::ThreadPoolBuilder;

use super::queue::{Piece, Queue};
use super::tables::Ending;
use super::work::Work;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// What all threads know.
struct Crew<'a> {
    work: &'a Work<'a>,
    queue: Mutex<Queue<'a>>,
    /// Something has ended, so that there may be something new to do.
    changed: Condvar,
    /// Whether someone outside asks to stop.
    should_stop: &'a (dyn Fn() -> bool + Sync),
    /// Nothing more is begun: someone asked to stop, or something failed.
    is_over: AtomicBool,
}

/// Does all that is not done, so many things at a time, and says whether it is. What fails stops what is beside it.
pub(super) fn do_all(
    work: &Work<'_>,
    should_stop: &(dyn Fn() -> bool + Sync),
    progress: &dyn Progress,
) -> Result<Ending> {
    let crew = Crew {
        work,
        queue: Mutex::new(Queue::new(work)?),
        changed: Condvar::new(),
        should_stop,
        is_over: AtomicBool::new(false),
    };
    match work.jobs {
        1 => crew.take_until_done(progress)?,
        jobs => crew.side_by_side(jobs, progress)?,
    }
    Ok(if crew.queue().is_done() { Ending::Done } else { Ending::Unfinished })
}

impl<'a> Crew<'a> {
    /// Several threads that each take what is next.
    fn side_by_side(&self, jobs: usize, progress: &dyn Progress) -> Result<()> {
        let threads = rayon::current_num_threads();
        let one = |at: usize| {
            let _ends = EndsForAll(self);
            let share = threads / jobs + usize::from(at < threads % jobs);
            let pool = ThreadPoolBuilder::new().num_threads(share).use_current_thread().build();
            let _pool = pool.map_err(|error| self.cannot_start(&error))?;
            self.take_until_done(progress.beside().as_ref())
        };
        thread::scope(|scope| {
            let start = |at| {
                let hand = thread::Builder::new().spawn_scoped(scope, move || one(at));
                hand.map_err(|error| self.cannot_start(&error))
            };
            let hands: Vec<Result<ScopedJoinHandle<'_, _>>> = (0..jobs).map(start).collect();
            let join = |hand: Result<ScopedJoinHandle<'_, Result<()>>>| {
                hand?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let results: Vec<Result<()>> = hands.into_iter().map(join).collect();
            results.into_iter().collect()
        })
    }

    /// Where one cannot start, the others stop as well, before they have done much.
    fn cannot_start(&self, error: &dyn Display) -> Error {
        self.end_for_all();
        Error::Usage(format!("--jobs: no thread can be started: {error}"))
    }

    /// Does one thing after the other, until nothing is left or it is over.
    fn take_until_done(&self, progress: &dyn Progress) -> Result<()> {
        while let Some(piece) = self.take() {
            let done = self.do_one(piece, progress);
            match done {
                Ok(Did::Whole) => self.wake_others(),
                Ok(Did::Part) | Err(_) => self.end_for_all(),
            }
            done?;
        }
        Ok(())
    }

    /// What is next, when there is something; none when all is done, or it is over.
    fn take(&self) -> Option<Piece<'a>> {
        let mut queue = self.queue();
        loop {
            if self.is_stopped() || queue.is_done() {
                return None;
            }
            if let Some(piece) = queue.next() {
                return Some(piece);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn do_one(&self, piece: Piece<'_>, progress: &dyn Progress) -> Result<Did> {
        match piece {
            Piece::Run(task) => {
                let Some(ended) = self.work.train(task, &|| self.is_stopped(), progress)? else {
                    return Ok(Did::Part);
                };
                self.queue().run_has_ended(task, ended);
            }
            Piece::Row(learnt) => {
                let result = self.work.judge(learnt, progress)?;
                let mut queue = self.queue();
                self.work.folder.keep(&result)?;
                queue.row_is_done(&result);
                self.work.write_tables(Ending::Unfinished)?;
            }
        }
        Ok(Did::Whole)
    }

    fn is_stopped(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || (self.should_stop)()
    }

    fn end_for_all(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.wake_others();
    }

    /// Has those who wait look again. They look with the queue locked, so that none misses it.
    fn wake_others(&self) {
        drop(self.queue());
        self.changed.notify_all();
    }

    fn queue(&self) -> MutexGuard<'_, Queue<'a>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much of something was done.
enum Did {
    Whole,
    /// Someone asked to stop.
    Part,
}

/// Nobody waits for a thread that panicked.
struct EndsForAll<'s, 'a>(&'s Crew<'a>);

impl Drop for EndsForAll<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end_for_all();
        }
    }
}
