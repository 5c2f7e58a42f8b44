//! Which rows of a table have a key of a source? Handles, on their way to a commit.

use std::sync::Arc;

use floeberg_iceberg::lookup::{FoundRows as IcebergRows, SourceKeys as IcebergKeys};
use floeberg_rows::source_memory;
use pyo3::prelude::*;

use crate::pickle::refuse;
use crate::runtime;

/// The keys of a source, in memory.
#[pyclass(frozen, module = "floeberg._native")]
pub struct SourceKeys(pub Arc<IcebergKeys>);

#[pymethods]
impl SourceKeys {
    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("keys of a source", "the source"))
    }
}

/// Rows of a snapshot with a key of a source.
#[pyclass(frozen, module = "floeberg._native")]
pub struct FoundRows(pub Arc<IcebergRows>);

#[pymethods]
impl FoundRows {
    /// How many rows there are.
    fn __len__(&self) -> usize {
        usize::try_from(self.0.rows()).unwrap_or(usize::MAX)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("found rows", "the source, and look for them there"))
    }
}

/// How many bytes of a source are kept in memory.
#[pyfunction]
#[pyo3(name = "source_memory")]
pub fn memory_of_source(py: Python<'_>) -> PyResult<u64> {
    runtime::call(py, source_memory)
}
