//! How does Arrow data reach Python without a copy?
//!
//! In: a reader, a batch or a schema. Out: capsules of the Arrow `PyCapsule` interface, which share the memory.
//!
//! The callbacks of a stream are called on any thread and without Python, so what stands behind them is pure Rust:
//! its errors reach the consumer as text. Where Python drives the reading, [`Batch`] by [`Batch`], they keep
//! their class.
//!
//! Invariant: no panic crosses the C interface.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use floeberg_core::{Error, Result, fenced};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::to_exception;
use crate::pickle::refuse;

/// The capsule of a stream.
pub fn stream_capsule(
    py: Python<'_>,
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch>> + Send + 'static,
) -> PyResult<Bound<'_, PyCapsule>> {
    let reader = FencedReader { schema, batches, ended: false };
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}

/// The capsule of a schema.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let exported = FFI_ArrowSchema::try_from(schema).map_err(|failure| refused(py, failure))?;
    PyCapsule::new_with_value(py, exported, c"arrow_schema")
}

fn refused(py: Python<'_>, failure: ArrowError) -> PyErr {
    to_exception(py, &Error::internal("a schema cannot be exported").caused_by(failure))
}

/// A schema on its way to Python: `pyarrow.schema(schema)` takes it.
#[pyclass(frozen, module = "floeberg._native")]
pub struct ArrowSchema(pub SchemaRef);

#[pymethods]
impl ArrowSchema {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a schema", "the Scan or the TaskGroup that has it"))
    }
}

/// A column on its way to Python: `pyarrow.array(column)` takes it.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Column(pub Field, pub ArrayRef);

#[pymethods]
impl Column {
    /// The capsules of the type and of the values. The type is never cast to a requested one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let exported = FFI_ArrowSchema::try_from(&self.0).map_err(|failure| refused(py, failure))?;
        let schema = PyCapsule::new_with_value(py, exported, c"arrow_schema")?;
        let values = FFI_ArrowArray::new(&self.1.to_data());
        Ok((schema, PyCapsule::new_with_value(py, values, c"arrow_array")?))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a column", "the array that pyarrow makes of it"))
    }
}

/// One batch of rows on its way to Python: `pyarrow.record_batch(batch)` takes it.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Batch(pub RecordBatch);

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }

    /// The capsules of the schema and of the rows. The schema is never cast to a requested one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema);
        let rows = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).to_data());
        let schema = schema_capsule(py, &self.0.schema())?;
        Ok((schema, PyCapsule::new_with_value(py, rows, c"arrow_array")?))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a batch", "the Scan or the TaskGroup that reads it"))
    }
}

/// Batches that are all in memory: `pyarrow.table(batches)` takes them.
#[pyclass(frozen, module = "floeberg._native")]
pub struct Batches {
    pub schema: SchemaRef,
    pub rows: Vec<RecordBatch>,
}

#[pymethods]
impl Batches {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        stream_capsule(py, self.schema.clone(), self.rows.clone().into_iter().map(Ok))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows", "the Scan or the TaskGroup that reads them"))
    }
}

/// A reader that ends at its first error, turns panics into errors, and gives only strings that C can hold.
struct FencedReader<I> {
    schema: SchemaRef,
    batches: I,
    ended: bool,
}

impl<I: Iterator<Item = Result<RecordBatch>>> Iterator for FencedReader<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = fenced(|| self.batches.next().transpose());
        self.ended = !matches!(batch, Ok(Some(_)));
        // C strings end at the first NUL, and arrow aborts over one.
        batch.transpose().map(|batch| batch.map_err(|error| as_text(&error)))
    }
}

impl<I: Iterator<Item = Result<RecordBatch>>> RecordBatchReader for FencedReader<I> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

fn as_text(error: &Error) -> ArrowError {
    ArrowError::ExternalError(error.to_string().replace('\0', "\u{fffd}").into())
}
