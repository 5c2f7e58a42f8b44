//! What do new values compute of rows, without a table?
//!
//! Tests hold it to other engines.

use floeberg_core::{Error, Result};
use floeberg_rows::{NoFunctions, computed_columns};
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::incoming::{RowSource, Unchecked};
use crate::rows::new_value::NewValue;
use crate::runtime;

/// The values of new columns of the one batch of a `pyarrow.RecordBatchReader`, which need no functions of the user.
#[pyfunction]
#[pyo3(name = "computed_columns")]
pub fn columns_that_are_computed(
    py: Python<'_>,
    values: Vec<PyRef<'_, NewValue>>,
    reader: &Bound<'_, PyAny>,
) -> PyResult<Batch> {
    let batch = RowSource::open(reader)?.next(py)?;
    let values: Vec<_> = values.iter().map(|value| value.0.clone()).collect();
    runtime::call(py, || -> Result<Batch> {
        let Some(batch) = batch.map(Unchecked::checked).transpose()? else {
            return Err(Error::invalid_input("expected one batch"));
        };
        computed_columns(&values, &batch, None, std::sync::Arc::new(NoFunctions)).map(Batch)
    })
}
