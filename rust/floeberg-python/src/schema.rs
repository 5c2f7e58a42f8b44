//! How do schemas of a user reach Rust?
//!
//! In: a `pyarrow.Schema`. Out: the JSON of the table schema that holds its rows.

use floeberg_core::schema::from_arrow::schema_from_arrow as from_arrow;
use floeberg_core::schema::json::schema_to_json;
use pyo3::prelude::*;

use crate::arrow::import_schema;
use crate::runtime;

/// The schema, as JSON text, of a table of a format version that holds the rows of a `pyarrow.Schema`.
#[pyfunction]
pub fn schema_from_arrow(py: Python<'_>, schema: Bound<'_, PyAny>, format_version: u8) -> PyResult<String> {
    let schema = import_schema(py, &schema)?;
    runtime::call(py, || Ok(schema_to_json(&from_arrow(&schema, format_version)?)?.to_string()))
}
