//! How do several threads produce one ordered stream of items?
//!
//! In: tasks in an order. Out: their items in that order; the first error ends the stream.
//!
//! Invariant: threads start with the first item, so a stream may cross a fork before; nothing about them is global. Dropping the
//! stream stops them within an item. After a fork, the child has neither the threads nor a lock that is safe to take, so it
//! touches no shared state.

use std::process;
use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::Instant;

use floeberg_core::{Error, ErrorKind, Result};

use super::part::Work;
use super::shared::Shared;
use super::worker::start_threads;
use super::{Ahead, Job};
use crate::budget::request_budget;
use crate::cores::{Cores, blocking};

/// The items of a job, in the order of its tasks.
pub struct OrderedStream<J: Job> {
    shared: Arc<Shared<J>>,
    phase: Phase,
    /// The process whose threads work.
    begun_in: Option<u32>,
    /// Why it cannot begin.
    fault: Option<Error>,
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
        Self::with_requests(job, tasks, ahead, request_budget())
    }

    /// The same, with at most so many threads that compute or wait for a store. A budget that is wrong is an error of the first
    /// item.
    pub fn with_requests(
        job: Arc<J>,
        tasks: impl Iterator<Item = Result<J::Task>> + Send + 'static,
        ahead: Ahead,
        requests: Result<usize>,
    ) -> Self {
        let (requests, fault) = match requests {
            Ok(requests) => (requests, None),
            Err(fault) => (1, Some(fault)),
        };
        let cores = Cores::new(ahead.threads, requests, &ahead.cancel);
        let shared = Arc::new(Shared::new(job, Box::new(tasks), ahead, cores));
        Self { shared, phase: Phase::New, begun_in: None, fault }
    }

    /// What is done.
    pub fn job(&self) -> &Arc<J> {
        &self.shared.job
    }

    /// Checks that it can continue. Errors: `Cancelled`; `Unsupported` in a child of the process whose threads work.
    pub fn check(&self) -> Result<()> {
        self.shared.ahead.cancel.check()?;
        if self.is_of_another_process() {
            return Err(Error::unsupported(
                "the stream was started in another process: start it again after the fork",
            ));
        }
        Ok(())
    }

    /// The next item, if there is one before a deadline (`None` waits for it); `Ready(None)` is the end.
    pub fn next_until(&mut self, until: Option<Instant>) -> Poll<Option<Result<J::Item>>> {
        let step = match self.begin() {
            Ok(()) if self.phase == Phase::Over => Poll::Ready(None),
            Ok(()) => match self.take(Some(Instant::now())) {
                Poll::Pending => blocking(|| self.take(until)),
                ready @ Poll::Ready(_) => ready,
            },
            Err(error) => Poll::Ready(Some(Err(error))),
        };
        if matches!(step, Poll::Ready(Some(Err(_)) | None)) {
            self.stop();
        }
        step
    }

    /// Ends the stream.
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
            self.fault.take().map_or(Ok(()), Err)?;
            self.start()?;
            self.begun_in = Some(process::id());
            self.phase = Phase::Working;
        }
        Ok(())
    }

    fn start(&self) -> Result<()> {
        start_threads(&self.shared).map_err(|error| {
            Error::new(ErrorKind::Storage, format!("the system cannot start a thread: {error}"))
        })
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
