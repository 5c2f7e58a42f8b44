//! Which Python exception is an error?
//!
//! In: an error of the Rust crates. Out: an exception of `floeberg.errors` with message, context and notes.
//!
//! Invariant: this is the only place where one becomes the other; a cause becomes a note and is never lost.

use std::error::Error as _;

use floeberg_core::error::without_passwords;
use floeberg_core::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// The exception of an error.
pub fn to_exception(py: Python<'_>, error: &Error) -> PyErr {
    build(py, class_name(error.kind()), error).unwrap_or_else(|failure| failure)
}

/// The exception of an error; `NotFound` becomes the class that the caller names.
pub fn to_open_exception(py: Python<'_>, not_there: &'static str, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::NotFound => not_there,
        kind => class_name(kind),
    };
    build(py, class, error).unwrap_or_else(|failure| failure)
}

fn class_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "NotFoundError",
        ErrorKind::AlreadyExists => "AlreadyExistsError",
        ErrorKind::InvalidInput => "InvalidInputError",
        ErrorKind::InvalidData => "InvalidDataError",
        ErrorKind::Unsupported => "UnsupportedError",
        ErrorKind::CommitConflict => "CommitConflictError",
        ErrorKind::CommitStateUnknown => "CommitStateUnknownError",
        ErrorKind::PermissionDenied => "PermissionDeniedError",
        ErrorKind::Storage => "StorageError",
        ErrorKind::LimitExceeded => "LimitExceededError",
        ErrorKind::Cancelled => "CancelledError",
        // `ErrorKind` may grow: a kind without a class is a fault of this table.
        _ => "InternalError",
    }
}

/// The kind of an exception of `floeberg.errors`; `None` for any other.
pub fn kind_of(py: Python<'_>, exception: &PyErr) -> Option<ErrorKind> {
    let classes = py.import("floeberg.errors").ok()?;
    let kinds = [
        ErrorKind::NotFound,
        ErrorKind::InvalidInput,
        ErrorKind::InvalidData,
        ErrorKind::Unsupported,
        ErrorKind::PermissionDenied,
        ErrorKind::Storage,
    ];
    let is_of = |kind: &ErrorKind| {
        classes.getattr(class_name(*kind)).is_ok_and(|class| exception.is_instance(py, &class))
    };
    kinds.into_iter().find(is_of)
}

/// The error of an exception that says what is wrong with a file; `None` for any other.
pub fn to_error_of_file(py: Python<'_>, exception: &PyErr) -> Option<Error> {
    let classes = py.import("floeberg.errors").ok()?;
    let kinds = [ErrorKind::NotFound, ErrorKind::InvalidData, ErrorKind::LimitExceeded];
    let is_of = |kind: &ErrorKind| {
        classes.getattr(class_name(*kind)).is_ok_and(|class| exception.is_instance(py, &class))
    };
    let kind = kinds.into_iter().find(is_of)?;
    let value = exception.value(py);
    let message = value.getattr("args").and_then(|args| args.get_item(0)?.extract::<String>());
    let error = Error::new(kind, message.unwrap_or_else(|_| value.to_string()));
    let path = value.getattr("context").and_then(|context| context.get_item("path")?.extract::<String>());
    Some(match path {
        Ok(path) => error.with("path", path),
        Err(_) => error,
    })
}

fn build(py: Python<'_>, class: &str, error: &Error) -> PyResult<PyErr> {
    let class = py.import("floeberg.errors")?.getattr(class)?.cast_into::<PyType>()?;
    let context = PyDict::new(py);
    for (key, value) in error.context() {
        context.set_item(key, value)?;
    }
    let keywords = PyDict::new(py);
    keywords.set_item("context", context)?;
    keywords.set_item("retryable", error.is_retryable())?;
    let exception = class.call((error.message(),), Some(&keywords))?;
    if error.is_outcome_unknown() {
        exception.setattr("outcome_unknown", true)?;
    }
    let mut cause = error.source();
    while let Some(source) = cause {
        exception
            .call_method1("add_note", (format!("caused by: {}", without_passwords(&source.to_string())),))?;
        cause = source.source();
    }
    Ok(PyErr::from_value(exception))
}
