//! How does the result of a count, minimum or maximum reach Python?

use floeberg_iceberg::aggregate::AggregateMetrics;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The fields of `floeberg.scan.explain.AggregateResult` but its name and value, with the reasons of reading as pairs.
pub fn describe_metrics<'py>(py: Python<'py>, metrics: &AggregateMetrics) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("files", metrics.files)?;
    fields.set_item("by_metadata", metrics.by_metadata)?;
    fields.set_item("not_needed", metrics.not_needed)?;
    let read: Vec<_> = metrics.read.iter().map(|(why, count)| (*why, *count)).collect();
    fields.set_item("read", read)?;
    Ok(fields)
}
