//! Which rows does a change join to a table?

use std::sync::Arc;

use floeberg_core::{Cancel, Result};
use floeberg_rows::SourceRows as Rows;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::schema_capsule;
use crate::incoming::{RowSource, Unchecked};
use crate::pickle::refuse;
use crate::runtime::{self, Fed};

/// Rows of a source, which attempts of a commit share.
#[pyclass(frozen, module = "floeberg._native")]
pub struct SourceRows(pub Arc<Rows>);

#[pymethods]
impl SourceRows {
    /// Of a `pyarrow.RecordBatchReader`. With `in_file` its batches are mapped from a file, and stay there.
    #[staticmethod]
    #[pyo3(signature = (reader, *, in_file))]
    fn of(py: Python<'_>, reader: &Bound<'_, PyAny>, in_file: bool) -> PyResult<Self> {
        let mut source = RowSource::open(reader)?;
        let schema = source.schema();
        let take = move |_: &Cancel, batches: Fed<Unchecked>| {
            let mut rows = 0;
            let checked = batches.map(|batch| {
                let batch = batch?.with_texts(rows)?;
                rows += batch.num_rows();
                Ok(batch)
            });
            let batches = checked.collect::<Result<Vec<_>>>()?;
            if in_file { Rows::in_file(schema, batches) } else { Rows::in_memory(schema, batches) }
        };
        let rows = runtime::feed(py, &Cancel::default(), |py| source.next(py), take, |_| Ok(()))?;
        Ok(Self(Arc::new(rows)))
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.0.rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, self.0.schema())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("rows of a source", "the rows themselves"))
    }
}
