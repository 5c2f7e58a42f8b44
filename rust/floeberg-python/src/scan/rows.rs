//! How do rows reach Python, from a scan or from tasks of one?
//!
//! In: something that can be read. Out: all rows at once, batch by batch, or a capsule that other libraries read from.
//!
//! Invariant: nothing is read while Python is held.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Cancel, Context, Result};
use floeberg_iceberg::read::BatchStream;
use floeberg_iceberg::{GroupRecipe, Scan};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{Batches, schema_capsule, stream_capsule};
use crate::runtime;
use crate::scan::engine_schema::EngineSchema;
use crate::scan::stream::{Awaited, BatchReader};

/// What can be read. Clones read the same rows.
pub trait Rows: Clone + Send + Sync + 'static {
    /// What gives batches.
    type Stream: Awaited + Iterator<Item = Result<RecordBatch>> + 'static;

    /// The Arrow schema of the rows.
    fn output(&self) -> Result<Schema>;

    /// Plans; reading starts with the first batch.
    fn open(&self, cancel: &Cancel) -> Result<Self::Stream>;
}

impl Rows for Scan {
    type Stream = BatchStream;

    fn output(&self) -> Result<Schema> {
        schema_to_arrow(self.projection()?.as_ref()).context("table", self.table().metadata_location())
    }

    fn open(&self, cancel: &Cancel) -> Result<BatchStream> {
        self.stream(cancel)
    }
}

impl Rows for GroupRecipe {
    type Stream = BatchStream;

    fn output(&self) -> Result<Schema> {
        schema_to_arrow(self.read().projected())
    }

    fn open(&self, cancel: &Cancel) -> Result<BatchStream> {
        self.stream(cancel, None)
    }
}

/// The capsule of the schema of the rows.
pub fn output_capsule<'py>(py: Python<'py>, rows: &impl Rows) -> PyResult<Bound<'py, PyCapsule>> {
    schema_capsule(py, &runtime::call(py, || rows.output())?)
}

/// The capsule of a stream of the rows.
pub fn rows_capsule<'py>(py: Python<'py>, rows: &impl Rows) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = Arc::new(runtime::call(py, || rows.output())?);
    let rows = rows.clone();
    let stream = runtime::run(py, &Cancel::default(), move |cancel| rows.open(cancel))?;
    stream_capsule(py, schema, stream)
}

/// All rows.
pub fn read_all(py: Python<'_>, rows: &impl Rows) -> PyResult<Batches> {
    let schema = Arc::new(runtime::call(py, || rows.output())?);
    let rows = rows.clone();
    let read = runtime::run(py, &Cancel::default(), move |cancel| rows.open(cancel)?.collect());
    Ok(Batches { schema, rows: read? })
}

/// The rows, batch by batch.
pub fn read_batches(py: Python<'_>, rows: &impl Rows) -> PyResult<BatchReader> {
    let rows = rows.clone();
    BatchReader::open(py, EngineSchema::OfTable, move |cancel| rows.open(cancel))
}
