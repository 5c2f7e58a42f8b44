//! How do the batches of a scan become one stream?
//!
//! In: tasks in plan order. Out: their batches in that order; the first error ends the stream.
//!
//! Invariant: small batches are joined, in order, and no more rows are returned than wanted.

use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use floeberg_core::Result;
use floeberg_exec::budget::{request_budget, task_request_budget};
use floeberg_exec::threads::{Ahead, OrderedStream};
use floeberg_files::Coalescer;

use super::read_job::ReadJob;
use crate::plan::FileScanTask;
use crate::read::TableReader;

/// Reads tasks with this many threads (at least one), and at most `limit` rows.
pub fn stream(
    reader: Arc<TableReader>,
    tasks: impl Iterator<Item = Result<FileScanTask>> + Send + 'static,
    threads: usize,
    limit: Option<u64>,
) -> BatchStream {
    let memory = reader.request.memory;
    begun(reader, tasks, Budget { threads, requests: request_budget(), memory }, limit)
}

/// Reads tasks with this many threads, and the requests of a task of Spark.
pub fn task_stream(
    reader: Arc<TableReader>,
    tasks: impl Iterator<Item = Result<FileScanTask>> + Send + 'static,
    threads: usize,
) -> BatchStream {
    let memory = reader.request.memory;
    begun(reader, tasks, Budget { threads, requests: task_request_budget(), memory }, None)
}

/// Reads the first rows of tasks, one file after the other: no file is asked for before the rows of those before it.
pub fn first_rows(
    reader: Arc<TableReader>,
    tasks: impl Iterator<Item = Result<FileScanTask>> + Send + 'static,
    limit: u64,
) -> BatchStream {
    begun(reader, tasks, Budget { threads: 1, requests: Ok(1), memory: 0 }, Some(limit))
}

/// What a stream may use.
struct Budget {
    threads: usize,
    requests: Result<usize>,
    memory: u64,
}

fn begun(
    reader: Arc<TableReader>,
    tasks: impl Iterator<Item = Result<FileScanTask>> + Send + 'static,
    budget: Budget,
    limit: Option<u64>,
) -> BatchStream {
    let files = &reader.request.files;
    let joined = Coalescer::new(files.batch_rows);
    let ahead = Ahead { threads: budget.threads, memory: budget.memory, cancel: files.cancel.clone() };
    let read = OrderedStream::with_requests(Arc::new(ReadJob { reader }), tasks, ahead, budget.requests);
    BatchStream { read, joined, left: limit, is_read: false }
}

/// Batches of a scan, in plan order. See [`stream`].
///
/// Threads start with the first batch, so a stream may cross a fork before. Dropping it stops them
/// within a batch.
pub struct BatchStream {
    read: OrderedStream<ReadJob>,
    joined: Coalescer,
    /// Rows that are still wanted; `None` is all.
    left: Option<u64>,
    /// Was everything read? A joined batch may still be waiting.
    is_read: bool,
}

impl BatchStream {
    /// The schema of every batch.
    pub fn schema(&self) -> Result<SchemaRef> {
        self.read.job().reader.output_schema()
    }

    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    pub fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.poll(Instant::now().checked_add(timeout))
    }

    fn poll(&mut self, until: Option<Instant>) -> Poll<Option<Result<RecordBatch>>> {
        let step = self.step(until).map(Result::transpose);
        if matches!(step, Poll::Ready(Some(Err(_)) | None)) {
            self.left = Some(0);
            self.read.stop();
        }
        step
    }

    fn step(&mut self, until: Option<Instant>) -> Poll<Result<Option<RecordBatch>>> {
        loop {
            if self.left == Some(0) {
                return Poll::Ready(Ok(None));
            }
            self.read.check()?;
            if let Some(batch) = self.joined.pop() {
                return Poll::Ready(Ok(Some(self.cut(batch))));
            }
            if self.is_read {
                return Poll::Ready(Ok(None));
            }
            match self.read.next_until(until) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Some(batch)) => {
                    self.joined.push(batch?)?;
                    // No batch is waited for that is not wanted.
                    if self.left.is_some_and(|left| self.joined.pending_rows() as u64 >= left) {
                        self.joined.flush()?;
                    }
                }
                Poll::Ready(None) => {
                    self.joined.flush()?;
                    self.is_read = true;
                }
            }
        }
    }

    /// The part of a batch that is still wanted.
    fn cut(&mut self, batch: RecordBatch) -> RecordBatch {
        let Some(left) = &mut self.left else { return batch };
        let rows = usize::try_from(*left).unwrap_or(usize::MAX).min(batch.num_rows());
        *left -= rows as u64;
        let is_last = *left == 0;
        if is_last {
            self.read.stop();
        }
        batch.slice(0, rows)
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
