//! How do rows of a Lance table reach Python, whose files Python decodes?
//!
//! Invariant: data files are decoded on the thread that called; all else is done without Python.

use std::sync::{Arc, Mutex, TryLockError};

use arrow_array::RecordBatch;
use floeberg_core::{Cancel, Error, Result};
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::pickle::refuse;
use crate::runtime;

type Next = Box<dyn FnMut(&Cancel) -> Result<Option<RecordBatch>> + Send>;

/// Batches of rows, being read.
#[pyclass(frozen, module = "floeberg._native")]
pub struct LanceRows(Arc<Mutex<Next>>);

impl LanceRows {
    /// Batches that a function gives, each with rows, until there is none.
    pub fn new(next: impl FnMut(&Cancel) -> Result<Option<RecordBatch>> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(next))))
    }

    fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Next, &Cancel) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let rows = Arc::clone(&self.0);
        runtime::asking(py, &Cancel::default(), move |cancel| match rows.try_lock() {
            Ok(mut next) => work(&mut next, cancel),
            Err(TryLockError::Poisoned(broken)) => work(&mut broken.into_inner(), cancel),
            Err(TryLockError::WouldBlock) => Err(Error::invalid_input("another thread reads these rows")),
        })
    }
}

#[pymethods]
impl LanceRows {
    /// The next batch, which has rows; `None` after the last one.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        Ok(self.with(py, |next, cancel| next(cancel))?.map(Batch))
    }

    /// The number of rows of all batches.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |next, cancel| {
            let mut rows = 0;
            while let Some(batch) = next(cancel)? {
                cancel.check()?;
                rows += batch.num_rows() as u64;
            }
            Ok(rows)
        })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows", "the LanceScan or the LanceTaskGroup that reads them"))
    }
}
