//! An ordered stream of batches that several threads read.
//!
//! In: tasks in plan order. Out: their batches in that order; the first error ends the stream.
//!
//! Invariant: threads start when the first batch is asked for, so that a stream may cross a fork before; nothing of
//! them is global. Dropping the stream stops them within a batch. After a fork the child has neither the threads nor a
//! lock that is safe to take: it touches nothing that they shared.

use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};
use std::{process, thread};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::{Error, ErrorKind, Result};

use super::part::Work;
use super::shared::{Shared, size};
use super::worker::work;
use crate::plan::FileScanTask;
use crate::read::ReadRequest;
use crate::read::coalesce::Coalescer;

/// Reads tasks with so many threads (at least one), and at most `limit` rows.
pub fn stream(
    request: Arc<ReadRequest>,
    tasks: impl Iterator<Item = Result<FileScanTask>> + Send + 'static,
    threads: usize,
    limit: Option<u64>,
) -> BatchStream {
    let joined = Coalescer::new(request.batch_rows);
    let shared = Arc::new(Shared::new(request, Box::new(tasks), threads.max(1)));
    BatchStream { shared, joined, left: limit, phase: Phase::New, begun_in: None }
}

/// Batches of a scan, in plan order. See [`stream`].
pub struct BatchStream {
    shared: Arc<Shared>,
    joined: Coalescer,
    /// Rows that are still wanted; `None` is all.
    left: Option<u64>,
    phase: Phase,
    /// The process whose threads read.
    pub(super) begun_in: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No thread was started.
    New,
    /// Threads read.
    Reading,
    /// All was read; what was joined is still to be taken.
    Draining,
    /// Nothing follows.
    Over,
}

impl BatchStream {
    /// The schema of every batch.
    pub fn schema(&self) -> Result<SchemaRef> {
        self.shared.request.output_schema()
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.poll(Instant::now().checked_add(timeout))
    }

    fn poll(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        let step = self.step(until).map(Result::transpose);
        if matches!(step, Poll::Ready(Some(Err(_)) | None)) {
            self.phase = Phase::Over;
            self.stop();
        }
        step
    }

    fn step(&mut self, until: Option<Instant>) -> Poll<Result<Option<RecordBatch>>> {
        loop {
            if self.phase == Phase::Over || self.left == Some(0) {
                return Poll::Ready(Ok(None));
            }
            self.shared.request.cancel.check()?;
            if self.is_of_another_process() {
                return Poll::Ready(Err(Error::unsupported(
                    "the rows were read by threads of another process: begin to read them after the fork",
                )));
            }
            if let Some(batch) = self.joined.pop() {
                return Poll::Ready(Ok(Some(self.cut(batch))));
            }
            match self.phase {
                Phase::New => {
                    self.start()?;
                    self.begun_in = Some(process::id());
                    self.phase = Phase::Reading;
                }
                Phase::Reading => match self.take_read(until) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(batch)) => self.joined.push(batch?)?,
                    Poll::Ready(None) => {
                        self.joined.flush()?;
                        self.phase = Phase::Draining;
                    }
                },
                Phase::Draining | Phase::Over => return Poll::Ready(Ok(None)),
            }
        }
    }

    fn start(&self) -> Result<()> {
        for number in 0..self.shared.threads {
            let shared = Arc::clone(&self.shared);
            let named = thread::Builder::new().name(format!("floeberg-read-{number}"));
            match named.spawn(move || work(&shared)) {
                Ok(_) => {}
                Err(_) if number > 0 => break,
                Err(error) => {
                    return Err(Error::new(ErrorKind::Storage, format!("no thread can be started: {error}")));
                }
            }
        }
        Ok(())
    }

    /// The next batch as it was read; `Ready(None)` after the last.
    fn take_read(&self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        let mut state = self.shared.lock();
        loop {
            if let Some(fault) = state.fault.take() {
                return Poll::Ready(Some(Err(fault)));
            }
            while let Some(mut first) = state.parts.first_entry() {
                if let Some(batch) = first.get_mut().ready.pop_front() {
                    if let Ok(batch) = &batch {
                        state.waiting_bytes = state.waiting_bytes.saturating_sub(size(batch));
                    }
                    drop(state);
                    self.shared.room.notify_all();
                    return Poll::Ready(Some(batch));
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

    /// As much of a batch as is still wanted.
    fn cut(&mut self, batch: RecordBatch) -> RecordBatch {
        let Some(left) = &mut self.left else { return batch };
        let rows = usize::try_from(*left).unwrap_or(usize::MAX).min(batch.num_rows());
        *left -= rows as u64;
        let is_last = *left == 0;
        if is_last {
            self.stop();
        }
        batch.slice(0, rows)
    }

    #[cfg(test)]
    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    fn stop(&self) {
        if !self.is_of_another_process() {
            self.shared.stop();
        }
    }

    fn is_of_another_process(&self) -> bool {
        self.begun_in.is_some_and(|begun_in| begun_in != process::id())
    }
}

impl Iterator for BatchStream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.poll(None) {
            Poll::Ready(batch) => batch,
            Poll::Pending => None,
        }
    }
}

impl Drop for BatchStream {
    fn drop(&mut self) {
        self.stop();
    }
}
