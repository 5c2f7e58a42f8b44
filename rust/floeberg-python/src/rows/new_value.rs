//! Which new values and conditions does Python give?

use std::sync::Arc;

use floeberg_core::{Error, Result};
use floeberg_rows::{
    Assignment, ClauseRequest, ClauseRows, ClauseSets, Condition, NewValue as Value, assigned_columns,
};
use pyo3::prelude::*;

use crate::error::to_exception;
use crate::incoming::{import_column, import_schema};
use crate::pickle::refuse;
use crate::runtime;
use crate::values::sql_expression::SqlExpression;

/// What gives the values of rows.
#[pyclass(frozen, module = "floeberg._native")]
pub struct NewValue(pub Value);

#[pymethods]
impl NewValue {
    /// Null.
    #[staticmethod]
    fn null() -> Self {
        Self(Value::Null)
    }

    /// A column, or a field of a struct, by its dotted name.
    #[staticmethod]
    fn column(name: String) -> Self {
        Self(Value::Column(name))
    }

    /// SQL.
    #[staticmethod]
    fn sql(expression: &SqlExpression) -> Self {
        Self(Value::Sql(expression.inner().clone()))
    }

    /// A function of the user, by its number.
    #[staticmethod]
    fn function(number: usize) -> Self {
        Self(Value::Function(number))
    }

    /// The one value of a `pyarrow.RecordBatchReader` of one column.
    #[staticmethod]
    fn literal(reader: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (field, mut chunks) = import_column(reader.py(), reader)?;
        match (chunks.pop(), chunks.is_empty()) {
            (Some(one), true) if one.len() == 1 => Ok(Self(Value::Literal(Arc::new(field), one))),
            _ => Err(to_exception(reader.py(), &Error::invalid_input("expected one value"))),
        }
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a new value", "what it was made of"))
    }
}

/// What is done to rows of a merge.
#[pyclass(frozen, module = "floeberg._native")]
pub struct MergeClause(pub ClauseRequest);

#[pymethods]
impl MergeClause {
    /// Of the rows that it is for (`matched`, `not matched`, `not matched by source`), which of them, and what it does: without
    /// `assignments` it deletes, or with `sets_all` sets every column that the source has.
    #[staticmethod]
    #[pyo3(signature = (rows, *, condition, assignments, sets_all))]
    fn of(
        py: Python<'_>,
        rows: &str,
        condition: Option<PyRef<'_, NewValue>>,
        assignments: Option<Vec<(usize, PyRef<'_, NewValue>)>>,
        sets_all: bool,
    ) -> PyResult<Self> {
        let rows = runtime::call(py, || clause_rows(rows))?;
        let sets = match (assignments, sets_all) {
            (Some(some), _) => ClauseSets::Some(assignments_of(some)),
            (None, true) => ClauseSets::All,
            (None, false) => ClauseSets::Nothing,
        };
        Ok(Self(ClauseRequest { rows, condition: condition.map(|value| predicate(&value)), sets }))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a clause", "the merge"))
    }
}

fn clause_rows(text: &str) -> Result<ClauseRows> {
    match text {
        "matched" => Ok(ClauseRows::Matched),
        "not matched" => Ok(ClauseRows::NotMatched),
        "not matched by source" => Ok(ClauseRows::NotMatchedBySource),
        other => Err(Error::internal(format!("a clause is for rows that are matched or not, not {other:?}"))),
    }
}

/// A condition of the argument `predicate`.
pub fn predicate(value: &NewValue) -> Condition {
    Condition { argument: "predicate".to_owned(), value: value.0.clone() }
}

/// Assignments of columns by their numbers.
pub fn assignments_of(given: Vec<(usize, PyRef<'_, NewValue>)>) -> Vec<Assignment> {
    given.into_iter().map(|(column, value)| Assignment { column, value: value.0.clone() }).collect()
}

/// The numbers of the columns of a `pyarrow.Schema` that get new values, by names that may stand after `target.`.
#[pyfunction]
#[pyo3(name = "assigned_columns", signature = (schema, names, *, case_sensitive))]
pub fn columns_that_are_assigned(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    names: Vec<String>,
    case_sensitive: bool,
) -> PyResult<Vec<usize>> {
    let schema = import_schema(py, schema)?;
    runtime::call(py, || assigned_columns(&schema, &names, case_sensitive))
}
