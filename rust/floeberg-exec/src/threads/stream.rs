//! An ordered stream of items that several threads make.
//!
//! In: tasks in an order. Out: their items in that order; the first error ends the stream.
//!
//! Invariant: threads start when the first item is asked for, so that a stream may cross a fork before; nothing of
//! them is global. Dropping the stream stops them within an item. After a fork the child has neither the threads nor a
//! lock that is safe to take: it touches nothing that they shared.

use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::Instant;
use std::{process, thread};

use floeberg_core::{Error, ErrorKind, Result};

use super::part::Work;
use super::shared::Shared;
use super::worker::work;
use super::{Ahead, Job};

/// The items of a job, in the order of its tasks.
pub struct OrderedStream<J: Job> {
    shared: Arc<Shared<J>>,
    phase: Phase,
    /// The process whose threads work.
    begun_in: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No thread was started.
    New,
    /// Threads work.
    Working,
    /// Nothing follows.
    Over,
}

impl<J: Job> OrderedStream<J> {
    /// A stream that does nothing yet.
    pub fn new(
        job: Arc<J>,
        tasks: impl Iterator<Item = Result<J::Task>> + Send + 'static,
        ahead: Ahead,
    ) -> Self {
        let ahead = Ahead { threads: ahead.threads.max(1), ..ahead };
        let shared = Arc::new(Shared::new(job, Box::new(tasks), ahead));
        Self { shared, phase: Phase::New, begun_in: None }
    }

    /// What is done.
    pub fn job(&self) -> &Arc<J> {
        &self.shared.job
    }

    /// May it be gone on with? Errors: `Cancelled`; `Unsupported` in a child of the process whose threads work.
    pub fn check(&self) -> Result<()> {
        self.shared.ahead.cancel.check()?;
        if self.is_of_another_process() {
            return Err(Error::unsupported(
                "the stream was started in another process: start it again after the fork",
            ));
        }
        Ok(())
    }

    /// The next item, if there is one until a moment (`None` waits for it); `Ready(None)` is the end.
    pub fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<J::Item>>> {
        let step = match self.begin() {
            Ok(()) if self.phase == Phase::Over => Poll::Ready(None),
            Ok(()) => self.take(until),
            Err(error) => Poll::Ready(Some(Err(error))),
        };
        if matches!(step, Poll::Ready(Some(Err(_)) | None)) {
            self.stop();
        }
        step
    }

    /// Ends it: nothing follows.
    pub fn stop(&mut self) {
        self.phase = Phase::Over;
        if !self.is_of_another_process() {
            self.shared.stop();
        }
    }

    fn begin(&mut self) -> Result<()> {
        if self.phase == Phase::Over {
            return Ok(());
        }
        self.check()?;
        if self.phase == Phase::New {
            self.start()?;
            self.begun_in = Some(process::id());
            self.phase = Phase::Working;
        }
        Ok(())
    }

    fn start(&self) -> Result<()> {
        for number in 0..self.shared.ahead.threads {
            let shared = Arc::clone(&self.shared);
            let named = thread::Builder::new().name(format!("{}-{number}", J::THREAD));
            match named.spawn(move || work(&shared)) {
                Ok(_) => {}
                Err(_) if number > 0 => break,
                Err(error) => {
                    return Err(Error::new(
                        ErrorKind::Storage,
                        format!("the system cannot start a thread: {error}"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The next item that was made; `Ready(None)` after the last.
    fn take(&self, until: Option<Instant>) -> Poll<Option<Result<J::Item>>> {
        let mut state = self.shared.lock();
        loop {
            if let Some(fault) = state.fault.take() {
                return Poll::Ready(Some(Err(fault)));
            }
            while let Some(mut first) = state.parts.first_entry() {
                if let Some(item) = first.get_mut().ready.pop_front() {
                    if let Ok(item) = &item {
                        state.waiting_bytes = state.waiting_bytes.saturating_sub(J::bytes(item));
                    }
                    drop(state);
                    self.shared.room.notify_all();
                    return Poll::Ready(Some(item));
                }
                if !matches!(first.get().work, Work::Done) {
                    break;
                }
                first.remove();
                self.shared.room.notify_all();
            }
            if state.is_over() {
                return Poll::Ready(None);
            }
            state = match until {
                None => self.shared.ready.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Poll::Pending;
                    }
                    self.shared.ready.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn is_of_another_process(&self) -> bool {
        self.begun_in.is_some_and(|begun_in| begun_in != process::id())
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> Arc<Shared<J>> {
        Arc::clone(&self.shared)
    }

    #[cfg(test)]
    pub(super) fn begun_in(&mut self, process: u32) {
        self.begun_in = Some(process);
    }
}

impl<J: Job> Drop for OrderedStream<J> {
    fn drop(&mut self) {
        self.stop();
    }
}
