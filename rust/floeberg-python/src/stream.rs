//! How does Python take rows batch by batch?
//!
//! Invariant: an error is raised with its class, and after one, or after Ctrl-C, the reader is spent.

use std::sync::{Mutex, PoisonError};

use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::read::BatchStream;
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::error::to_exception;
use crate::form::BatchForm;
use crate::pickle::refuse;
use crate::runtime;

/// Batches in plan order. Dropping it stops the work.
#[pyclass(frozen, module = "floeberg._native")]
pub struct BatchReader {
    /// Empty while a batch is waited for, and after an error or an interrupt.
    stream: Mutex<Option<BatchStream>>,
    /// What becomes of every batch.
    form: BatchForm,
    cancel: Cancel,
}

impl BatchReader {
    /// Starts reading.
    pub fn open(
        py: Python<'_>,
        form: BatchForm,
        start: impl FnOnce(&Cancel) -> Result<BatchStream> + Send + 'static,
    ) -> PyResult<Self> {
        let cancel = Cancel::default();
        let stream = runtime::run(py, &cancel, start)?;
        Ok(Self { stream: Mutex::new(Some(stream)), form, cancel })
    }

    fn take(&self) -> Option<BatchStream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl BatchReader {
    /// The next batch, or `None` after the last one.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let Some(mut stream) = self.take() else {
            let busy = Error::invalid_input(
                "the reader ended by an error or an interrupt, or another thread reads it now",
            );
            return Err(to_exception(py, &busy));
        };
        let next = |time| {
            stream
                .next_timeout(time)
                .map(|batch| batch.transpose()?.map(|batch| self.form.apply(batch)).transpose())
        };
        let batch = runtime::poll(py, &self.cancel, next)?;
        *self.stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
        Ok(batch.map(Batch))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a reader", "the Scan or the TaskGroup that it reads"))
    }
}
