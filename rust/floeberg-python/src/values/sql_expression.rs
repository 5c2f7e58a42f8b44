//! How does Python ask for the values of SQL expressions?

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::Field;
use floeberg_core::Error;
use floeberg_core::expr::ValueExpression;
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::incoming::{RowSource, Unchecked};
use crate::pickle::refuse;
use crate::runtime;

/// A SQL expression of values that was read.
#[pyclass(frozen, module = "floeberg._native")]
pub struct SqlExpression(ValueExpression);

#[pymethods]
impl SqlExpression {
    /// Reads an expression.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Self> {
        runtime::call(py, || ValueExpression::parse(text)).map(Self)
    }

    /// Checks that a text is a condition: true, false or null for each row.
    #[staticmethod]
    fn check_condition(py: Python<'_>, text: &str) -> PyResult<()> {
        runtime::call(py, || ValueExpression::parse_condition(text)).map(|_| ())
    }

    /// The dotted names of all columns in the text.
    fn columns(&self) -> Vec<String> {
        self.0.columns().into_iter().map(str::to_owned).collect()
    }

    /// The terms that are all true where the expression is.
    fn conjuncts(&self) -> Vec<Self> {
        self.0.conjuncts().into_iter().map(Self).collect()
    }

    /// The two columns whose equality the expression is.
    fn equal_columns(&self) -> Option<(String, String)> {
        self.0.equal_columns().map(|(left, right)| (left.to_owned(), right.to_owned()))
    }

    /// Terms of this expression, all of which are to be true, in order.
    fn all_of(&self, terms: Vec<Py<Self>>) -> Self {
        let terms: Vec<_> = terms.iter().map(|term| term.get().0.clone()).collect();
        Self(self.0.all_of(&terms))
    }

    /// A value for each of this many rows, of the one batch of a `pyarrow.RecordBatchReader` that has the columns by the names
    /// of the text; `None` where it has no columns.
    fn evaluate(&self, py: Python<'_>, reader: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Column> {
        let mut columns = HashMap::<String, ArrayRef>::new();
        let batch = match reader {
            Some(reader) => RowSource::open(reader)?.next(py)?,
            None => None,
        };
        let values = runtime::call(py, || {
            if let Some(batch) = batch.map(Unchecked::checked).transpose()? {
                if batch.num_rows() != rows {
                    return Err(Error::invalid_input("the columns have another number of rows"));
                }
                for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
                    columns.insert(field.name().clone(), Arc::clone(column));
                }
            }
            self.0.evaluate(&columns, rows)
        })?;
        Ok(Column(Field::new("value", values.data_type().clone(), true), values))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a SQL expression", "its text"))
    }
}
