//! Who does it, and how many at a time?
//!
//! Each of several threads takes what can be done next, with a share of all threads for its own arithmetic. A training of a
//! small model does not keep many cores busy; several beside each other do. What comes out is the same.

use std::fmt::Display;
use std::io;
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
struct Shared<'a> {
    work: &'a Work<'a>,
    queue: Mutex<Queue<'a>>,
    /// Something has ended, so that there may be something new to do.
    changed: Condvar,
    stop: &'a AtomicBool,
}

/// Does all that is not done, so many things at a time, and says whether it is. What fails stops what is beside it.
pub(super) fn do_all(
    work: &Work<'_>,
    jobs: usize,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Ending> {
    let shared = Shared { work, queue: Mutex::new(Queue::new(work)?), changed: Condvar::new(), stop };
    match jobs {
        0 | 1 => shared.take_until_done(progress)?,
        _ => shared.side_by_side(jobs, progress)?,
    }
    Ok(if shared.queue().is_done() { Ending::Done } else { Ending::Unfinished })
}

impl<'a> Shared<'a> {
    /// Several threads that each take what is next.
    fn side_by_side(&self, jobs: usize, progress: &dyn Progress) -> Result<()> {
        let threads = rayon::current_num_threads();
        let cannot_start =
            |error: &dyn Display| Error::Usage(format!("--jobs: no thread can be started: {error}"));
        let one = |at: usize| {
            let _wake = WakeOthers(self);
            let own = (threads / jobs + usize::from(at < threads % jobs)).max(1);
            let pool = ThreadPoolBuilder::new().num_threads(own).use_current_thread().build();
            let _pool = pool.map_err(|error| cannot_start(&error))?;
            self.take_until_done(progress.beside().as_ref())
        };
        thread::scope(|scope| {
            let start = |at| thread::Builder::new().spawn_scoped(scope, move || one(at));
            let hands: Vec<_> = (0..jobs).map(start).collect();
            let join = |hand: io::Result<ScopedJoinHandle<'_, Result<()>>>| match hand {
                Ok(hand) => hand.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(error) => Err(cannot_start(&error)),
            };
            let results: Vec<Result<()>> = hands.into_iter().map(join).collect();
            results.into_iter().collect()
        })
    }

    /// Does one thing after the other, until nothing is left or someone asked it to stop.
    fn take_until_done(&self, progress: &dyn Progress) -> Result<()> {
        while let Some(piece) = self.take() {
            let done = self.do_one(piece, progress);
            if done.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            self.wake_others();
            done?;
        }
        Ok(())
    }

    /// What is next, when there is something; none when all is done, or it should stop.
    fn take(&self) -> Option<Piece<'a>> {
        let mut queue = self.queue();
        loop {
            if self.stop.load(Ordering::Relaxed) || queue.is_done() {
                return None;
            }
            if let Some(piece) = queue.next() {
                return Some(piece);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn do_one(&self, piece: Piece<'_>, progress: &dyn Progress) -> Result<()> {
        match piece {
            Piece::Run(task) => {
                // None if it was stopped: nobody takes anything after that.
                if let Some(ended) = self.work.train(task, self.stop, progress)? {
                    self.queue().run_has_ended(task, ended);
                }
            }
            Piece::Row(learnt) => {
                let result = self.work.judge(learnt, progress)?;
                let mut queue = self.queue();
                self.work.folder.keep(&result)?;
                queue.row_is_done(&result);
                self.work.write_tables(Ending::Unfinished)?;
            }
        }
        Ok(())
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

/// Nobody waits for a thread that panicked.
struct WakeOthers<'s, 'a>(&'s Shared<'a>);

impl Drop for WakeOthers<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
            self.0.wake_others();
        }
    }
}
