//! How does Python take batches, one at a time?
//!
//! Invariant: an error is raised with its class, and after one, or after Ctrl-C, the reader is spent.

use std::sync::{Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use std::vec;

use arrow_array::RecordBatch;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::difference_tasks::{MatchedChanges, SpreadChanges, TaskChanges};
use floeberg_iceberg::exchange::SpreadRows;
use floeberg_iceberg::plan::PlanStream;
use floeberg_iceberg::read::BatchStream;
use floeberg_iceberg::{ChangelogStream, DifferenceStream};
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::error::to_exception;
use crate::pickle::refuse;
use crate::runtime;
use crate::scan::engine_schema::EngineSchema;

/// Batches that may have to be waited for.
pub trait Awaited: Send {
    /// The next batch, if there is one within a time; `Ready(None)` is the end.
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>>;
}

/// Rows, as they are read.
impl Awaited for BatchStream {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Changes, as they are read.
impl Awaited for ChangelogStream {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Differences of two snapshots, as they are found.
impl Awaited for DifferenceStream {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Files, as they are planned.
impl Awaited for PlanStream {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Pieces of rows on their way to another worker.
impl Awaited for SpreadRows {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Rows of a difference that are matched with no others.
impl Awaited for TaskChanges {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Rows on their way to the worker that matches them.
impl Awaited for SpreadChanges {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// Rows of a difference that were matched.
impl Awaited for MatchedChanges {
    fn next_timeout(&mut self, timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        self.next_timeout(timeout)
    }
}

/// What is there.
impl Awaited for vec::IntoIter<RecordBatch> {
    fn next_timeout(&mut self, _timeout: Duration) -> Poll<Option<Result<RecordBatch>>> {
        Poll::Ready(self.next().map(Ok))
    }
}

/// Batches in plan order. Dropping it stops the work.
#[pyclass(frozen, module = "floeberg._native")]
pub struct BatchReader {
    /// Empty while a batch is waited for, and after an error or an interrupt.
    stream: Mutex<Option<Box<dyn Awaited>>>,
    /// What is done with every batch.
    engine: EngineSchema,
    cancel: Cancel,
}

impl BatchReader {
    /// Starts what gives batches.
    pub fn open<A: Awaited + 'static>(
        py: Python<'_>,
        engine: EngineSchema,
        start: impl FnOnce(&Cancel) -> Result<A> + Send + 'static,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        Ok(Self::of(runtime::run(py, &cancel, start)?, engine, cancel))
    }

    /// Takes from what was started, and can be stopped so.
    pub fn of(stream: impl Awaited + 'static, engine: EngineSchema, cancel: Cancel) -> Self {
        Self { stream: Mutex::new(Some(Box::new(stream))), engine, cancel }
    }

    fn take(&self) -> Option<Box<dyn Awaited>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl BatchReader {
    /// The next batch, or `None` after the last one.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let Some(mut stream) = self.take() else {
            let busy = Error::invalid_input(
                "the reader cannot go on: it ended with an error or an interrupt, or another thread is reading from it",
            );
            return Err(to_exception(py, &busy));
        };
        let next = |time| {
            stream
                .next_timeout(time)
                .map(|batch| batch.transpose()?.map(|batch| self.engine.apply(batch)).transpose())
        };
        let batch = runtime::poll(py, &self.cancel, next)?;
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        Ok(batch.map(Batch))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a reader", "the Scan or the TaskGroup that it reads"))
    }
}
