//! How does Python describe files of other writers, on their way to a table?

use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_iceberg::add_files::{FilesToAdd, FootersRead};
use floeberg_io::Location;
use pyo3::prelude::*;

use crate::runtime;
use crate::table::table::Table;
use crate::write::receipt::Receipt;

/// Finds files and reads their footers: their receipt, and the name mapping that they need. `progress` is called with the files that
/// were read, all files, and the rows so far.
#[pyfunction]
#[pyo3(signature = (table, locations, *, trust_field_ids, progress=None))]
pub fn describe_files(
    py: Python<'_>,
    table: &Table,
    locations: Vec<String>,
    trust_field_ids: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Receipt, Option<String>)> {
    let (table, read) = (table.table.clone(), Arc::new(FootersRead::default()));
    let report = |py: Python<'_>| {
        let Some(callback) = &progress else { return Ok(()) };
        callback.call1(py, ("reading", read.files(), read.of_files(), read.rows())).map(drop)
    };
    let reading = Arc::clone(&read);
    let work = move |cancel: &Cancel| {
        let locations =
            locations.iter().map(|given| Location::from_user(given)).collect::<Result<Vec<_>, _>>()?;
        FilesToAdd { locations: &locations, trust_field_ids, are_of_table: false }
            .describe(&table, &reading, cancel)
    };
    let described = runtime::run_reported(py, &Cancel::default(), &report, work)?;
    report(py)?;
    Ok((Receipt(described.receipt), described.name_mapping))
}
