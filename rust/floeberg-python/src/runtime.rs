//! How does a call from Python wait for Rust?
//!
//! In: work that needs no Python. Out: its answer, or a Python exception.
//!
//! Invariant: this is the only place that detaches from Python. While work runs, other Python threads run too;
//! Ctrl-C is noticed within [`WAKE`]; a panic becomes an error. Nothing here outlives a call, so nothing is lost
//! in a process that was forked.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use floeberg_core::{Cancel, Error, ErrorKind, Result, fenced};
use pyo3::prelude::*;

use crate::error::to_exception;

/// How often a waiting call looks for Ctrl-C.
const WAKE: Duration = Duration::from_millis(100);

/// Does short, pure work without holding Python.
pub fn call<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| fenced(work)).map_err(|error| to_exception(py, &error))
}

/// Does work that may be long (it opens, plans or reads files) on a thread of its own.
///
/// On Ctrl-C the work is asked to stop through `cancel`, and the call raises without waiting for it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    wait(py, cancel, work)?.map_err(|error| to_exception(py, &error))
}

/// Like [`run`]; an error of the work is handed back, not raised.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<Result<T>> {
    let flag = cancel.clone();
    let (sender, mut receiver) = sync_channel(1);
    // The receiver is gone after Ctrl-C: nobody wants the answer then.
    let body = move || drop(sender.send(fenced(|| work(&flag))));
    if let Err(failure) = thread::Builder::new().name("floeberg-call".to_owned()).spawn(body) {
        let error = Error::new(ErrorKind::Storage, "the system gives no further thread").caused_by(failure);
        return Ok(Err(error));
    }
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(WAKE)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| cancel.cancel())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(Error::internal("a thread ended without an answer")));
            }
        }
    }
}

/// Waits for something that is on its way, in steps of at most the time they are given.
///
/// On Ctrl-C the work is asked to stop through `cancel`, and the call raises.
pub fn poll<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    mut step: impl FnMut(Duration) -> Poll<Result<T>> + Send,
) -> PyResult<T> {
    loop {
        let step = &mut step;
        match py.detach(move || fenced(|| Ok(step(WAKE)))) {
            Ok(Poll::Pending) => py.check_signals().inspect_err(|_| cancel.cancel())?,
            Ok(Poll::Ready(answer)) => return answer.map_err(|error| to_exception(py, &error)),
            Err(fault) => return Err(to_exception(py, &fault)),
        }
    }
}
