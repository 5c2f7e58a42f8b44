//! How does an answer of counts and bounds reach Python?

use floeberg_iceberg::aggregate::Account;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The fields of `floeberg.scan.explain.Answer` but its name and value, with the reasons of reading as pairs.
pub fn describe_account<'py>(py: Python<'py>, account: &Account) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("files", account.files)?;
    fields.set_item("by_metadata", account.by_metadata)?;
    fields.set_item("not_needed", account.not_needed)?;
    let read: Vec<_> = account.read.iter().map(|(why, count)| (*why, *count)).collect();
    fields.set_item("read", read)?;
    Ok(fields)
}
