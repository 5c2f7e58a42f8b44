//! How does Python ask for the values of SQL expressions?

use floeberg_core::expr::ValueExpression;
use pyo3::prelude::*;

use crate::pickle::refuse;
use crate::runtime;

/// A SQL expression of values that was read.
#[pyclass(frozen, module = "floeberg._native")]
pub struct SqlExpression(ValueExpression);

impl SqlExpression {
    /// The expression.
    pub fn inner(&self) -> &ValueExpression {
        &self.0
    }
}

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

    fn __reduce__(&self) -> PyResult<()> {
        Err(refuse("a SQL expression", "its text"))
    }
}
