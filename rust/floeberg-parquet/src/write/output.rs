//! How do bytes get from the Parquet library to a store, and errors back?
//!
//! Invariant: an error of the store comes back as it was.

use std::io;

use floeberg_core::{Error, Result, fenced};
use floeberg_io::Sink;
use parquet::errors::ParquetError;

/// The output of the library. Nothing can be written after the end.
pub(super) struct Output(Option<Box<dyn Sink>>);

impl Output {
    pub fn new(sink: Box<dyn Sink>) -> Self {
        Self(Some(sink))
    }

    /// Ends the file: its size.
    pub fn finish(&mut self) -> Result<u64> {
        self.0.take().ok_or_else(ended)?.finish()
    }
}

fn ended() -> Error {
    Error::internal("a file was finished and cannot be written to")
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sink = self.0.as_mut().ok_or_else(|| io::Error::other(ended()))?;
        sink.write(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a call into the library that writes. Errors name the file; a panic is one of them.
pub(super) fn writing<T>(location: &str, call: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
    fenced(|| call().map_err(from_parquet)).map_err(|error| error.with("path", location))
}

fn from_parquet(error: ParquetError) -> Error {
    let refused = |error: Box<dyn std::error::Error + Send + Sync>| {
        Error::invalid_input(format!("rows cannot be stored: {error}"))
    };
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(outer) => match outer.downcast::<Error>() {
                Ok(own) => own,
                Err(other) => Error::internal("writing a Parquet file").caused_by(other),
            },
            Err(other) => refused(other),
        },
        other => refused(other.into()),
    }
}
