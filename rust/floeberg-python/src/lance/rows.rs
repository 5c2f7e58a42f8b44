//! How do rows of a fragment reach Python, whose files Python decodes?
//!
//! In: a `pyarrow.RecordBatchReader`, or what reads like one, for each data file. Out: batches of the table.
//!
//! Invariant: readers are asked on the thread that called; all else is done without Python. Readers may cut their batches as they
//! like: what one gives more than another waits.

use std::collections::VecDeque;
use std::sync::{Mutex, TryLockError};

use arrow_array::RecordBatch;
use floeberg_core::Error;
use floeberg_lance::read::{FragmentRows, Rows};
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::error::to_exception;
use crate::incoming::RowSource;
use crate::pickle::refuse;
use crate::runtime;

/// The rows of a batch, where no data file cuts them.
const ROWS_OF_A_BATCH: usize = 65536;

/// A data file, its columns, and the rows to read: start and number, or single rows.
type FileToRead = (String, Vec<String>, (u64, u64), Option<Vec<u64>>);

/// Rows of a fragment, being read.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceRows(Mutex<Reading>);

struct Reading {
    rows: FragmentRows,
    sources: Vec<Source>,
    has_started: bool,
}

/// A reader of a data file, and what it gave that is not used yet.
struct Source {
    reader: RowSource,
    waiting: VecDeque<RecordBatch>,
}

impl LanceRows {
    pub fn new(rows: FragmentRows) -> Self {
        Self(Mutex::new(Reading { rows, sources: Vec::new(), has_started: false }))
    }

    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut Reading) -> PyResult<T>) -> PyResult<T> {
        match self.0.try_lock() {
            Ok(mut reading) => work(&mut reading),
            Err(TryLockError::Poisoned(broken)) => work(&mut broken.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(to_exception(py, &Error::invalid_input("another thread reads these rows")))
            }
        }
    }
}

#[pymethods]
impl LanceRows {
    /// The data files to read.
    fn files(&self, py: Python<'_>) -> PyResult<Vec<FileToRead>> {
        self.with(py, |reading| {
            let (range, single) = match reading.rows.rows() {
                Rows::Range(range) => ((range.start, range.end - range.start), None),
                Rows::Some(rows) => ((0, rows.len() as u64), Some(rows.clone())),
            };
            let files = reading.rows.files().iter();
            Ok(files.map(|file| (file.location.clone(), file.paths.clone(), range, single.clone())).collect())
        })
    }

    /// Begins to read, with a reader for each of `files()`.
    fn start(&self, py: Python<'_>, readers: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        self.with(py, |reading| {
            let open = |reader: &Bound<'_, PyAny>| {
                Ok(Source { reader: RowSource::open(reader)?, waiting: VecDeque::new() })
            };
            reading.sources = readers.iter().map(open).collect::<PyResult<_>>()?;
            reading.has_started = true;
            Ok(())
        })
    }

    /// The next batch, which may have no rows; `None` after the last one.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        self.with(py, |reading| Ok(reading.next(py)?.map(Batch)))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows", "the LanceScan or the LanceTaskGroup that reads them"))
    }
}

impl Reading {
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        if !self.has_started {
            return Err(to_exception(py, &Error::internal("rows are read before their files are open")));
        }
        let left = usize::try_from(self.rows.left()).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(None);
        }
        for (source, file) in self.sources.iter_mut().zip(self.rows.files()) {
            if source.waiting.is_empty() {
                source.fill(py, &file.location)?;
            }
        }
        let first = |source: &Source| source.waiting.front().map_or(0, RecordBatch::num_rows);
        let count = self.sources.iter().map(first).min().unwrap_or(ROWS_OF_A_BATCH).min(left);
        let batches: Vec<_> = self.sources.iter_mut().map(|source| source.take(count)).collect();
        let rows = &mut self.rows;
        runtime::call(py, || rows.batch(&batches, count)).map(Some)
    }
}

impl Source {
    /// Takes a batch that has rows out of the reader.
    fn fill(&mut self, py: Python<'_>, location: &str) -> PyResult<()> {
        while self.waiting.is_empty() {
            let Some(batch) = self.reader.next(py)? else {
                let error = Error::invalid_data("expected more rows in a data file, found its end");
                return Err(to_exception(py, &error.with("path", location)));
            };
            let batch = runtime::call(py, || batch.checked())?;
            if batch.num_rows() > 0 {
                self.waiting.push_back(batch);
            }
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> RecordBatch {
        match self.waiting.pop_front() {
            Some(batch) if batch.num_rows() > count => {
                self.waiting.push_front(batch.slice(count, batch.num_rows() - count));
                batch.slice(0, count)
            }
            Some(batch) => batch,
            None => RecordBatch::new_empty(self.reader.schema()),
        }
    }
}
