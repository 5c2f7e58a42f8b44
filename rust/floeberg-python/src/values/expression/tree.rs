//! How are the tuples of a filter read and written?

use floeberg_core::Error;
use floeberg_core::expr::{Expr, MAX_DEPTH, Operator, Predicate, Term, ValueExpression};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::literal;
use crate::error::to_exception;

/// A filter on its way over the boundary.
pub struct Tree(pub Expr);

/// The head of a condition of values.
const SQL: &str = "sql";

/// The operators, as the expressions specification spells them.
const OPERATORS: [(Operator, &str); 14] = [
    (Operator::IsNull, "is-null"),
    (Operator::NotNull, "not-null"),
    (Operator::IsNan, "is-nan"),
    (Operator::NotNan, "not-nan"),
    (Operator::StartsWith, "starts-with"),
    (Operator::NotStartsWith, "not-starts-with"),
    (Operator::In, "in"),
    (Operator::NotIn, "not-in"),
    (Operator::Eq, "eq"),
    (Operator::NotEq, "not-eq"),
    (Operator::Lt, "lt"),
    (Operator::LtEq, "lt-eq"),
    (Operator::Gt, "gt"),
    (Operator::GtEq, "gt-eq"),
];

impl<'py> FromPyObject<'_, 'py> for Tree {
    type Error = PyErr;

    fn extract(tree: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        read(&tree, 1).map(Self)
    }
}

impl<'py> IntoPyObject<'py> for Tree {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        write(py, &self.0)
    }
}

fn read(tree: &Bound<'_, PyAny>, depth: usize) -> PyResult<Expr> {
    if depth > MAX_DEPTH {
        let error = Error::limit(format!("a filter is nested deeper than {MAX_DEPTH} levels"));
        return Err(to_exception(tree.py(), &error));
    }
    let parts = tree.cast::<PyTuple>()?;
    let head: String = parts.get_item(0)?.extract()?;
    let children = || -> PyResult<Vec<Expr>> {
        parts.get_item(1)?.try_iter()?.map(|child| read(&child?, depth + 1)).collect()
    };
    match head.as_str() {
        "true" => Ok(Expr::True),
        "false" => Ok(Expr::False),
        "and" => Ok(Expr::And(children()?)),
        "or" => Ok(Expr::Or(children()?)),
        SQL => {
            let text: String = parts.get_item(1)?.extract()?;
            let read = ValueExpression::parse_condition(&text).map(Expr::Condition);
            read.map_err(|error| to_exception(parts.py(), &error))
        }
        "not" => Ok(Expr::Not(Box::new(read(&parts.get_item(1)?, depth + 1)?))),
        name => read_test(parts, name),
    }
}

fn read_test(parts: &Bound<'_, PyTuple>, name: &str) -> PyResult<Expr> {
    let Some((op, _)) = OPERATORS.iter().find(|(_, known)| *known == name) else {
        return Err(PyTypeError::new_err(format!("no test is named {name:?}")));
    };
    let transform: Option<String> = parts.get_item(2)?.extract()?;
    let transform = transform
        .map(|written| written.parse())
        .transpose()
        .map_err(|error: Error| to_exception(parts.py(), &error))?;
    let literals = parts.get_item(3)?.try_iter()?.map(|item| literal::from_python(&item?));
    Ok(Expr::Predicate(Predicate {
        op: *op,
        term: Term { name: parts.get_item(1)?.extract()?, transform },
        literals: literals.collect::<PyResult<_>>()?,
    }))
}

fn write<'py>(py: Python<'py>, tree: &Expr) -> PyResult<Bound<'py, PyTuple>> {
    match tree {
        Expr::True => ("true",).into_pyobject(py),
        Expr::False => ("false",).into_pyobject(py),
        Expr::And(children) => ("and", write_all(py, children)?).into_pyobject(py),
        Expr::Or(children) => ("or", write_all(py, children)?).into_pyobject(py),
        Expr::Not(child) => ("not", write(py, child)?).into_pyobject(py),
        Expr::Condition(expression) => (SQL, expression.text()).into_pyobject(py),
        Expr::Predicate(test) => {
            let literals = PyList::empty(py);
            for item in &test.literals {
                literals.append(literal::to_python(py, item)?)?;
            }
            let transform = test.term.transform.as_ref().map(ToString::to_string);
            let name = OPERATORS.iter().find(|(op, _)| *op == test.op).map(|(_, name)| *name);
            (name, test.term.name.as_str(), transform, literals).into_pyobject(py)
        }
    }
}

fn write_all<'py>(py: Python<'py>, children: &[Expr]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for child in children {
        list.append(write(py, child)?)?;
    }
    Ok(list)
}
