//! How are functions of the user called?
//!
//! In: rows, from any thread of the work. Out: values, which the thread of the caller has computed.
//!
//! Invariant: no thread of ours is ever in Python.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::FieldRef;
use floeberg_core::{Error, Result};
use floeberg_rows::{Functions, NoFunctions};
use pyo3::prelude::*;

use crate::arrow::Batch;
use crate::error::to_exception;
use crate::incoming::import_column;
use crate::runtime::{Caller, ask_caller};

/// Functions that an object of Python calls: it takes a number and a batch, and gives a `pyarrow.RecordBatchReader` of one column.
struct PythonFunctions {
    caller: Caller,
    functions: Arc<Py<PyAny>>,
}

/// The functions of a Python object, if there is one.
pub fn functions_of(caller: Caller, functions: Option<Arc<Py<PyAny>>>) -> Arc<dyn Functions> {
    match functions {
        Some(functions) => Arc::new(PythonFunctions { caller, functions }),
        None => Arc::new(NoFunctions),
    }
}

impl Functions for PythonFunctions {
    fn call(&self, number: usize, rows: &RecordBatch) -> Result<(FieldRef, ArrayRef)> {
        let (functions, batch, count) = (Arc::clone(&self.functions), rows.clone(), rows.num_rows());
        let (field, values) = ask_caller(&self.caller, move |py| {
            let reader = functions.bind(py).call1((number, Py::new(py, Batch(batch))?))?;
            let (field, mut chunks) = import_column(py, &reader)?;
            match (chunks.pop(), chunks.is_empty()) {
                (Some(values), true) => Ok((field, values)),
                _ => Err(to_exception(py, &Error::internal("a function gives one array"))),
            }
        })?;
        if values.len() != count {
            return Err(Error::internal(format!(
                "a function gave {} values, expected {count}",
                values.len()
            )));
        }
        Ok((Arc::new(field), values))
    }
}
