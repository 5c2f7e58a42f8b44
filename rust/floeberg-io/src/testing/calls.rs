//! Which operations did the stores of a process do?
//!
//! In: requested operations. Out: one line for each, in a file that a test reads.
//!
//! Invariant: a line is there before its operation begins, so that of a killed process the last line is the one it was at.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use floeberg_core::{Error, ErrorKind, Result};

use super::faulty::Script;

/// The file that the lines are added to.
#[derive(Debug)]
pub(super) struct Calls(File);

impl Calls {
    fn open(path: &str) -> Result<Self> {
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

/// The script of a file of calls, which all stores of this process share.
pub(super) fn script(path: &str, faults: &str) -> Result<Arc<Script>> {
    static SCRIPTS: OnceLock<Mutex<HashMap<String, Arc<Script>>>> = OnceLock::new();
    let mut scripts = SCRIPTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(script) = scripts.get(path) {
        return Ok(Arc::clone(script));
    }
    let wanted = faults.split(',').filter(|fault| !fault.is_empty()).map(|fault| {
        let (number, name) = fault.split_once('=').unwrap_or((fault, ""));
        let number = number.trim().parse();
        let number = number.map_err(|_| Error::invalid_input(format!("{fault:?} names no operation")))?;
        Ok((number, name.trim().parse()?))
    });
    let script = Arc::new(Script::new(wanted.collect::<Result<Vec<_>>>()?, Some(Calls::open(path)?)));
    scripts.insert(path.to_owned(), Arc::clone(&script));
    Ok(script)
}
