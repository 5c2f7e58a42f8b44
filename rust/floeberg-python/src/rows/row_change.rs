//! What is done to which rows?

use floeberg_core::{Error, Result};
use floeberg_rows::{ApplyFeed, ChangeFeed, MergeRows, NullKeys, UpdateRows, UpsertRows};
use pyo3::prelude::*;

use crate::incoming::import_schema;
use crate::pickle::refuse;
use crate::rows::new_value::{MergeClause, NewValue, assignments_of, predicate};
use crate::rows::source::SourceRows;
use crate::runtime;

/// A change of rows, for tables of all formats.
#[pyclass(frozen, module = "floeberg._native")]
pub struct RowChange(pub Request);

/// What is asked for.
#[derive(Clone)]
pub enum Request {
    Update(UpdateRows),
    Upsert(UpsertRows),
    Feed(ApplyFeed),
    Merge(MergeRows),
}

#[pymethods]
impl RowChange {
    /// Sets columns, by their numbers, of rows that match a filter.
    #[staticmethod]
    #[pyo3(signature = (assignments, *, case_sensitive))]
    fn update(assignments: Vec<(usize, PyRef<'_, NewValue>)>, case_sensitive: bool) -> Self {
        Self(Request::Update(UpdateRows { assignments: assignments_of(assignments), case_sensitive }))
    }

    /// Updates the rows that have a key of a source, and inserts the others.
    #[staticmethod]
    #[pyo3(signature = (source, *, keys, updates, inserts, null_keys, case_sensitive))]
    fn upsert(
        py: Python<'_>,
        source: &SourceRows,
        keys: Option<Vec<String>>,
        updates: bool,
        inserts: bool,
        null_keys: &str,
        case_sensitive: bool,
    ) -> PyResult<Self> {
        let null_keys = runtime::call(py, || null_keys_of(null_keys))?;
        let source = source.0.clone();
        let upsert = UpsertRows { source, keys, updates, inserts, null_keys, case_sensitive };
        Ok(Self(Request::Upsert(upsert)))
    }

    /// Applies a feed of changes.
    #[staticmethod]
    #[pyo3(signature = (source, *, keys, operation, order_by, null_keys))]
    fn feed(
        py: Python<'_>,
        source: &SourceRows,
        keys: Vec<String>,
        operation: String,
        order_by: Vec<String>,
        null_keys: &str,
    ) -> PyResult<Self> {
        let null_keys = runtime::call(py, || null_keys_of(null_keys))?;
        let feed = ChangeFeed { keys, operation, order_by };
        Ok(Self(Request::Feed(ApplyFeed { source: source.0.clone(), feed, null_keys })))
    }

    /// Changes rows by clauses. `condition` must hold too where keys are equal; `whole` is the same with the equalities of the keys.
    #[staticmethod]
    #[pyo3(signature = (source, *, keys, condition, whole, clauses, case_sensitive))]
    fn merge(
        source: &SourceRows,
        keys: Vec<(String, String)>,
        condition: Option<PyRef<'_, NewValue>>,
        whole: Option<PyRef<'_, NewValue>>,
        clauses: Vec<PyRef<'_, MergeClause>>,
        case_sensitive: bool,
    ) -> Self {
        Self(Request::Merge(MergeRows {
            source: source.0.clone(),
            keys,
            conditions: (condition.map(|value| predicate(&value)), whole.map(|value| predicate(&value))),
            clauses: clauses.iter().map(|clause| clause.0.clone()).collect(),
            case_sensitive,
        }))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a change of rows", "what it was made of"))
    }
}

/// Checks that a feed with the columns of a `pyarrow.Schema` has its keys, operation and order.
#[pyfunction]
#[pyo3(signature = (schema, *, keys, operation, order_by))]
pub fn check_feed(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    keys: Vec<String>,
    operation: String,
    order_by: Vec<String>,
) -> PyResult<()> {
    let schema = import_schema(py, schema)?;
    runtime::call(py, || ChangeFeed { keys, operation, order_by }.check(&schema))
}

fn null_keys_of(text: &str) -> Result<NullKeys> {
    match text {
        "error" => Ok(NullKeys::Refused),
        "equal" => Ok(NullKeys::Equal),
        other => {
            Err(Error::invalid_input(format!("null_keys: expected 'error' or 'equal', found '{other}'")))
        }
    }
}
