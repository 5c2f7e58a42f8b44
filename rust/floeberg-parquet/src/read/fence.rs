//! How is a panic of the Parquet library contained?
//!
//! In: a call into the Parquet library. Out: its result, with errors and panics as `InvalidData` that names the file.
//!
//! Invariant: no panic of the library leaves this module.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use arrow_schema::ArrowError;
use floeberg_core::{Error, Result, panic_text};
use parquet::errors::ParquetError;

/// Runs a call into the Parquet library.
///
/// If the closure panics, the caller must drop whatever it left half done.
pub(crate) fn fence<T>(location: &str, call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    match marked(|| catch_unwind(AssertUnwindSafe(call))) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(from_parquet(error).with("path", location)),
        Err(panic) => {
            let said = panic_text(panic.as_ref());
            Err(Error::invalid_data(format!("the Parquet file is damaged: its decoder stopped ({said})"))
                .with("path", location))
        }
    }
}

thread_local! {
    /// Is this thread inside a fence?
    static FENCED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps panics that a fence catches off standard error; all others are printed as before.
///
/// The panic hook belongs to the whole process, so a program decides: the Python extension calls this once, when it is
/// imported.
pub fn silence_caught_panics() {
    let loud = take_hook();
    set_hook(Box::new(move |panic| {
        if !FENCED.get() {
            loud(panic);
        }
    }));
}

fn marked<T>(call: impl FnOnce() -> T) -> T {
    let outer = FENCED.replace(true);
    let result = call();
    FENCED.set(outer);
    result
}

/// An error of ours that passed through the library is returned unchanged, an error of the library as `InvalidData`.
fn from_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::NYI(what) => Error::unsupported(format!(
            "the Parquet file has a feature that this version cannot read: {what}"
        )),
        ParquetError::External(inner) => own(inner).unwrap_or_else(|other| {
            Error::invalid_data(format!("the Parquet file cannot be decoded: {other}"))
        }),
        other => Error::invalid_data(format!("the Parquet file cannot be decoded: {other}")),
    }
}

/// An error of ours, also one that a filter gave, which is in an error of Arrow.
fn own(inner: Box<dyn std::error::Error + Send + Sync>) -> std::result::Result<Error, String> {
    match inner.downcast::<Error>() {
        Ok(own) => Ok(*own),
        Err(other) => match other.downcast::<ArrowError>() {
            Ok(arrow) => match *arrow {
                ArrowError::ExternalError(inner) => own(inner),
                other => Err(other.to_string()),
            },
            Err(other) => Err(other.to_string()),
        },
    }
}
