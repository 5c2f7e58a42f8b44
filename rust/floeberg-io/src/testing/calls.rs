//! Which operations did the stores of a process do?
//!
//! In: requested operations. Out: one line for each, in a file that a test reads.
//!
//! Invariant: a line is there before its operation begins, so that of a killed process the last line is the one it was at.

use std::fs::{File, OpenOptions};
use std::io::Write as _;

use floeberg_core::{Error, ErrorKind, Result};

/// The file that the lines are added to.
#[derive(Debug)]
pub(super) struct Calls(File);

impl Calls {
    pub(super) fn open(path: &str) -> Result<Self> {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map(Self).map_err(|error| failed(error, path))
    }

    pub(super) fn add(&self, number: u64, operation: &str, location: &str) -> Result<()> {
        let line = format!("{number} {operation} {location}\n");
        (&self.0).write_all(line.as_bytes()).map_err(|error| failed(error, location))
    }
}

fn failed(error: std::io::Error, path: &str) -> Error {
    Error::new(ErrorKind::Internal, "the calls of a test can not be kept").with("path", path).caused_by(error)
}
