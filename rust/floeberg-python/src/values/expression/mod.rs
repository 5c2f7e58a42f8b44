//! How do filters cross between Python and Rust?
//!
//! As a tree of tuples: `("true",)`, `("false",)`, `("and", [tree, ..])`, `("or", [tree, ..])`, `("not", tree)`,
//! `("sql", text)` for a condition of values, and a test `(operator, column, transform or None, [literal, ..])` with the operator as the expressions specification
//! spells it. A literal is `(kind, value)`, see [`literal`]. `floeberg.expressions` makes and reads such trees.
//!
//! Invariant: a tree deeper than [`MAX_DEPTH`] is refused before it is walked further.

mod literal;
mod tree;

use std::collections::HashMap;

use floeberg_core::expr::{self, Expr};
use floeberg_core::{Error, Result};
use pyo3::prelude::*;

use crate::runtime;

pub use floeberg_core::expr::unbind;
pub use literal::value_to_python;
pub use tree::Tree;

/// The tree of a SQL filter.
#[pyfunction]
pub fn parse_expression(py: Python<'_>, text: &str) -> PyResult<Tree> {
    runtime::call(py, || expr::parse(text)).map(Tree)
}

/// The tree of a filter in the JSON of the REST catalog specification.
#[pyfunction]
#[pyo3(signature = (text, names=None))]
pub fn expression_from_json(
    py: Python<'_>,
    text: &str,
    names: Option<HashMap<i32, String>>,
) -> PyResult<Tree> {
    runtime::call(py, || from_json(text, names.as_ref())).map(Tree)
}

/// The JSON text of a tree, as the REST catalog specification has it.
#[pyfunction]
pub fn expression_to_json(py: Python<'_>, tree: Tree) -> PyResult<String> {
    runtime::call(py, || Ok(expr::json::to_json(&tree.0)?.to_string()))
}

/// The SQL-like text of a tree.
#[pyfunction]
pub fn expression_to_text(tree: Tree) -> String {
    tree.0.to_string()
}

/// The columns that a text names, if it reads as an expression of columns.
#[pyfunction]
pub fn value_columns(text: &str) -> Option<Vec<String>> {
    expr::value_columns(text)
}

fn from_json(text: &str, names: Option<&HashMap<i32, String>>) -> Result<Expr> {
    let mut json = serde_json::from_str(text)
        .map_err(|failure| Error::invalid_input("a filter is not valid JSON").caused_by(failure))?;
    if let Some(names) = names {
        expr::json::name_references(&mut json, &|id| names.get(&id).cloned())?;
    }
    expr::json::from_json(&json)
}
