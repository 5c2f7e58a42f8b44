//! How do values and rows of users get the types of a table's columns?
//!
//! In: one batch of a `pyarrow.RecordBatchReader`, and the wanted `pyarrow.Schema`. Out: the same values in its types.
//!
//! Invariant: values are converted by `floeberg_rows` alone, where none changes.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::{Error, Result};
use pyo3::prelude::*;

use crate::arrow::{ArrowSchema, Batch};
use crate::error::to_exception;
use crate::incoming::{RowSource, import_schema};
use crate::runtime;

/// A schema of types that everything can read: without dictionaries, views, runs, and lists of one length of what is not.
/// `keeps_dictionaries`: those of texts, bytes, numbers and bools stay.
#[pyfunction]
#[pyo3(signature = (schema, *, keeps_dictionaries))]
pub fn plain_schema(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    keeps_dictionaries: bool,
) -> PyResult<ArrowSchema> {
    let given = import_schema(py, schema)?;
    Ok(ArrowSchema(Arc::new(floeberg_rows::plain_schema(&given, keeps_dictionaries))))
}

/// The one batch of a reader with the types of a plain schema. Errors: `InvalidInput` for a column that cannot be converted.
#[pyfunction]
pub fn plain_batch(py: Python<'_>, reader: &Bound<'_, PyAny>, schema: &Bound<'_, PyAny>) -> PyResult<Batch> {
    let wanted = Arc::new(import_schema(py, schema)?);
    with_batch(py, reader, |batch| floeberg_rows::plain_batch(&batch, &wanted).map(Batch))
}

/// Checks whether rows of a schema fit the columns of a table, as far as their types say.
///
/// Errors: one `InvalidInput` that lists every mismatch.
#[pyfunction]
pub fn check_fits(py: Python<'_>, given: &Bound<'_, PyAny>, schema: &Bound<'_, PyAny>) -> PyResult<()> {
    let (given, wanted) = (import_schema(py, given)?, import_schema(py, schema)?);
    floeberg_rows::check_fits(&given, &wanted).map_err(|error| to_exception(py, &error))
}

/// What becomes of the one batch of a reader, without Python.
fn with_batch<T: Send>(
    py: Python<'_>,
    reader: &Bound<'_, PyAny>,
    work: impl FnOnce(RecordBatch) -> Result<T> + Send,
) -> PyResult<T> {
    let batch = RowSource::open(reader)?.next(py)?;
    runtime::call(py, || match batch {
        Some(batch) => work(batch.checked()?),
        None => Err(Error::invalid_input("expected one batch")),
    })
}
