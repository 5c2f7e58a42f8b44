//! How does a damaged file stop at its own reader?
//!
//! In: a call into the Parquet library. Out: its result, with errors and panics as `InvalidData` that names the file.
//!
//! Invariant: no panic of the library passes this line.

use std::panic::{AssertUnwindSafe, catch_unwind};

use floeberg_core::{Error, Result};
use parquet::errors::ParquetError;

/// Runs a call into the Parquet library.
///
/// What the closure leaves half done when it panics must be dropped by the caller.
pub(crate) fn fence<T>(location: &str, call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(from_parquet(error).with("path", location)),
        Err(panic) => {
            let said = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no reason given");
            Err(Error::invalid_data(format!("the Parquet file is damaged: its decoder stopped ({said})"))
                .with("path", location))
        }
    }
}

/// An error of ours that went through the library comes back as itself, one of the library's as `InvalidData`.
fn from_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::NYI(what) => {
            Error::unsupported(format!("the Parquet file needs what this version cannot read: {what}"))
        }
        ParquetError::External(inner) => match inner.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) => Error::invalid_data(format!("the Parquet file cannot be decoded: {other}")),
        },
        other => Error::invalid_data(format!("the Parquet file cannot be decoded: {other}")),
    }
}
