//! What do Arrow's kernels take and say?

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DataType};

use crate::error::{Error, Result};
use crate::schema::arrow::UTC;

/// What Arrow says of values that it cannot compute with.
pub(super) fn computing(error: ArrowError) -> Error {
    let said = match error {
        ArrowError::DivideByZero => "divide by zero".to_owned(),
        ArrowError::ArithmeticOverflow(what) => format!("overflow: {what}"),
        ArrowError::InvalidArgumentError(what)
        | ArrowError::ComputeError(what)
        | ArrowError::CastError(what) => what,
        other => other.to_string(),
    };
    Error::invalid_input(said)
}

/// Values in another type of the same kind. What does not fit is an error.
pub(super) fn to_type(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    if array.data_type() == kind {
        return Ok(Arc::clone(array));
    }
    cast_with_options(array, kind, &CastOptions { safe: false, ..CastOptions::default() }).map_err(computing)
}

/// A column without dictionaries and runs, its times with a zone in UTC.
pub(super) fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    match array.data_type() {
        DataType::Dictionary(_, values) => plain(&to_type(array, values)?),
        DataType::RunEndEncoded(_, values) => plain(&to_type(array, values.data_type())?),
        DataType::Timestamp(unit, Some(zone)) if zone.as_ref() != UTC => {
            // The same moments: only the name of the zone is another.
            to_type(array, &DataType::Timestamp(*unit, Some(Arc::from(UTC))))
        }
        _ => Ok(Arc::clone(array)),
    }
}
