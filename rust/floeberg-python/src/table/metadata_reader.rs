//! How does Python take the rows of a metadata table?
//!
//! Invariant: an error is raised with its class, and after one, or after Ctrl-C, the reader is spent.

use std::sync::{Mutex, PoisonError};

use arrow_schema::SchemaRef;
use floeberg_core::{Cancel, Error};
use floeberg_iceberg::inspect::{Inspection, MetadataRows};
use pyo3::prelude::*;

use crate::arrow::{ArrowSchema, Batch, Batches};
use crate::error::to_exception;
use crate::pickle::refuse;
use crate::runtime;

/// The rows of a metadata table, read on demand.
#[pyclass(frozen, module = "floeberg._native")]
pub struct MetadataReader {
    schema: SchemaRef,
    /// Empty while rows are read, and after an error or an interrupt.
    rows: Mutex<Option<MetadataRows>>,
    cancel: Cancel,
}

impl MetadataReader {
    /// Starts reading.
    pub fn open(py: Python<'_>, inspection: Inspection) -> PyResult<Self> {
        let cancel = Cancel::default();
        let rows = runtime::run(py, &cancel, move |cancel| inspection.open(cancel))?;
        Ok(Self { schema: rows.schema().clone(), rows: Mutex::new(Some(rows)), cancel })
    }

    fn take(&self, py: Python<'_>) -> PyResult<MetadataRows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(|| {
            let spent = Error::invalid_input(
                "the reader cannot go on: it ended with an error or an interrupt, or another thread is reading from it",
            );
            to_exception(py, &spent)
        })
    }

    fn put_back(&self, rows: MetadataRows) {
        *self.rows.lock().unwrap_or_else(PoisonError::into_inner) = Some(rows);
    }
}

#[pymethods]
impl MetadataReader {
    /// The columns.
    fn arrow_schema(&self) -> ArrowSchema {
        ArrowSchema(self.schema.clone())
    }

    /// The next batch, or `None` after the last one.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let mut rows = self.take(py)?;
        let work = move |_: &Cancel| {
            let batch = rows.next().transpose()?;
            Ok((rows, batch))
        };
        let (rows, batch) = runtime::run(py, &self.cancel, work)?;
        self.put_back(rows);
        Ok(batch.map(Batch))
    }

    /// All rows that are left.
    fn read_all(&self, py: Python<'_>) -> PyResult<Batches> {
        let mut rows = self.take(py)?;
        let work = move |_: &Cancel| {
            let batches = rows.by_ref().collect::<floeberg_core::Result<Vec<_>>>()?;
            Ok((rows, batches))
        };
        let (rows, batches) = runtime::run(py, &self.cancel, work)?;
        self.put_back(rows);
        Ok(Batches { schema: self.schema.clone(), rows: batches })
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a reader of a metadata table", "the Table that it inspects"))
    }
}
