//! How does a literal of a filter cross?
//!
//! | kind | value |
//! | --- | --- |
//! | `boolean`, `integer`, `float`, `string`, `binary` | `bool`, `int`, `float`, `str`, `bytes` |
//! | `decimal` | `(unscaled int, scale int)` |
//! | `date` | days from 1970-01-01 |
//! | `time`, `timestamp`, `timestamptz` | microseconds from midnight, or from 1970-01-01 (UTC) |
//! | `timestamp_ns`, `timestamptz_ns` | nanoseconds from 1970-01-01 (UTC) |
//! | `uuid` | 16 `bytes` |

use floeberg_core::expr::RawLiteral;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::error::to_exception;

/// Reads a literal. Errors: `InvalidInput` for a number that no column can hold.
pub fn from_python(literal: &Bound<'_, PyAny>) -> PyResult<RawLiteral> {
    let (kind, value): (String, Bound<'_, PyAny>) = literal.extract()?;
    let read = match kind.as_str() {
        "boolean" => RawLiteral::Boolean(value.extract()?),
        "integer" => RawLiteral::Integer(integer(&value)?),
        "float" => RawLiteral::Float(value.extract()?),
        "decimal" => {
            let (unscaled, scale): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
            RawLiteral::Decimal { unscaled: integer(&unscaled)?, scale: integer(&scale)? }
        }
        "string" => RawLiteral::String(value.extract()?),
        "binary" => RawLiteral::Binary(value.extract()?),
        "date" => RawLiteral::Typed(Value::Date(integer(&value)?)),
        "time" => RawLiteral::Typed(Value::Time(integer(&value)?)),
        "timestamp" => RawLiteral::Typed(Value::Timestamp(integer(&value)?)),
        "timestamptz" => RawLiteral::Typed(Value::Timestamptz(integer(&value)?)),
        "timestamp_ns" => RawLiteral::Typed(Value::TimestampNs(integer(&value)?)),
        "timestamptz_ns" => RawLiteral::Typed(Value::TimestamptzNs(integer(&value)?)),
        "uuid" => RawLiteral::Typed(Value::Uuid(value.extract()?)),
        other => return Err(PyTypeError::new_err(format!("unknown kind of literal {other:?}"))),
    };
    Ok(read)
}

fn integer<'py, T>(value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    value.extract().map_err(|failure: PyErr| {
        let py = value.py();
        if failure.is_instance_of::<PyOverflowError>(py) {
            to_exception(py, &Error::invalid_input(format!("no column can hold the literal {value}")))
        } else {
            failure
        }
    })
}

/// Writes a literal. Errors: `Unsupported` for nested values, which no filter has.
pub fn to_python<'py>(py: Python<'py>, literal: &RawLiteral) -> PyResult<Bound<'py, PyTuple>> {
    match literal {
        RawLiteral::Boolean(value) => ("boolean", *value).into_pyobject(py),
        RawLiteral::Integer(value) => ("integer", *value).into_pyobject(py),
        RawLiteral::Float(value) => ("float", *value).into_pyobject(py),
        RawLiteral::Decimal { unscaled, scale } => ("decimal", (*unscaled, *scale)).into_pyobject(py),
        RawLiteral::String(value) => ("string", PyString::new(py, value)).into_pyobject(py),
        RawLiteral::Binary(value) => ("binary", PyBytes::new(py, value)).into_pyobject(py),
        RawLiteral::Typed(value) => match untyped(value).map_err(|error| to_exception(py, &error))? {
            Some(raw) => to_python(py, &raw),
            None => typed(py, value),
        },
    }
}

/// Writes a value of a column as a typed literal.
pub fn value_to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyTuple>> {
    to_python(py, &RawLiteral::Typed(value.clone()))
}

/// The raw literal that says the same as a typed value, for types that Python's own objects name.
fn untyped(value: &Value) -> Result<Option<RawLiteral>> {
    Ok(Some(match value {
        Value::Boolean(value) => RawLiteral::Boolean(*value),
        Value::Int(value) => RawLiteral::Integer(i128::from(*value)),
        Value::Long(value) => RawLiteral::Integer(i128::from(*value)),
        Value::Float(value) => RawLiteral::Float(f64::from(*value)),
        Value::Double(value) => RawLiteral::Float(*value),
        Value::Decimal { unscaled, scale } => {
            RawLiteral::Decimal { unscaled: *unscaled, scale: i32::from(*scale) }
        }
        Value::String(value) => RawLiteral::String(value.clone()),
        Value::Fixed(value) | Value::Binary(value) => RawLiteral::Binary(value.clone()),
        Value::Struct(_) | Value::List(_) | Value::Map(_) => {
            return Err(Error::unsupported("a filter has no literals of nested types"));
        }
        _ => return Ok(None),
    }))
}

fn typed<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyTuple>> {
    match value {
        Value::Date(days) => ("date", *days).into_pyobject(py),
        Value::Time(micros) => ("time", *micros).into_pyobject(py),
        Value::Timestamp(micros) => ("timestamp", *micros).into_pyobject(py),
        Value::Timestamptz(micros) => ("timestamptz", *micros).into_pyobject(py),
        Value::TimestampNs(nanos) => ("timestamp_ns", *nanos).into_pyobject(py),
        Value::TimestamptzNs(nanos) => ("timestamptz_ns", *nanos).into_pyobject(py),
        Value::Uuid(bytes) => ("uuid", PyBytes::new(py, bytes)).into_pyobject(py),
        other => {
            Err(to_exception(py, &Error::internal(format!("a literal has no Python engine: {other:?}"))))
        }
    }
}
