//! How do schemas of a user reach Rust?
//!
//! In: a `pyarrow.Schema`, or changes to columns as JSON text. Out: the JSON of schemas, and of changes.

use floeberg_core::Error;
use floeberg_core::schema::evolve::SchemaChanges;
use floeberg_core::schema::from_arrow::schema_from_arrow as from_arrow;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::schema::{Type, near_type};
use floeberg_iceberg::write;
use pyo3::prelude::*;

use crate::incoming::import_schema;
use crate::runtime;
use crate::table::table::Table;
use crate::values::json::json;

/// The schema, as JSON text, of a table of a format version that holds the rows of a `pyarrow.Schema`.
#[pyfunction]
pub fn schema_from_arrow(py: Python<'_>, schema: Bound<'_, PyAny>, format_version: u8) -> PyResult<String> {
    let schema = import_schema(py, &schema)?;
    runtime::call(py, || Ok(schema_to_json(&from_arrow(&schema, format_version)?)?.to_string()))
}

/// A type's name, as the specification writes it.
#[pyfunction]
pub fn checked_type(py: Python<'_>, name: &str) -> PyResult<String> {
    runtime::call(py, || match name.parse::<Type>().map_err(Error::of_input)? {
        Type::Unrecognized(_) => {
            let shown: String = name.chars().take(64).collect();
            Err(Error::invalid_input(match near_type(name) {
                Some(near) => format!("no type is named {shown:?}: expected {near:?}"),
                None => format!(
                    "no type is named {shown:?}: expected a name as \"long\", \"string\" or \"decimal(9, 2)\""
                ),
            }))
        }
        known => Ok(known.to_string()),
    })
}

/// The schema of a table after changes, as JSON text, without making them.
#[pyfunction]
pub fn evolved_schema(py: Python<'_>, table: &Table, changes_json: &str) -> PyResult<String> {
    let metadata = table.table.metadata();
    runtime::call(py, || {
        let evolved = metadata
            .evolve_schema(&SchemaChanges::from_json(&json("list of changes", Some(changes_json))?)?)?;
        Ok(schema_to_json(&evolved.schema)?.to_string())
    })
}

/// The changes, as JSON text, that add the missing columns of a `pyarrow.Schema` to a table.
#[pyfunction]
pub fn columns_to_add(py: Python<'_>, table: &Table, schema: Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let schema = import_schema(py, &schema)?;
    let metadata = table.table.metadata();
    runtime::call(py, || {
        let changes = write::columns_to_add(metadata, &schema)?;
        Ok(changes.map(|changes| changes.to_string()))
    })
}
