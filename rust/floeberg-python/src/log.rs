//! How do lines of the log get from Rust to Python's `logging`?
//!
//! In: lines of any thread. Out: the same, in order, to the loggers of their names, such as `floeberg.io`.
//!
//! A thread of Rust never waits for Python: it puts its line into a queue, and a call from Python passes the lines on, when it looks
//! around and at its end.
//!
//! Invariant: a queue that is full, or that a fork left locked, loses lines; it stops nothing.

use std::collections::VecDeque;
use std::sync::{Mutex, Once, PoisonError, TryLockError};
use std::thread;

use log::{LevelFilter, Log, Metadata, Record};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What names of loggers begin with. Other libraries log too.
const OWN: &str = "floeberg";

/// The logger whose level counts.
const REQUESTS: &str = "floeberg.io";

/// Python's number of the level.
const DEBUG: i32 = 10;

/// The most lines that wait.
const MOST_LINES: usize = 10_000;

/// How often a thread tries to put its line into the queue.
const TRIES: usize = 100;

static QUEUE: Queue = Queue(Mutex::new(VecDeque::new()));
static INSTALLED: Once = Once::new();

struct Queue(Mutex<VecDeque<String>>);

impl Log for Queue {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(OWN)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let line = record.args().to_string();
        for _ in 0..TRIES {
            let mut lines = match self.0.try_lock() {
                Ok(lines) => lines,
                Err(TryLockError::Poisoned(lines)) => lines.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    thread::yield_now();
                    continue;
                }
            };
            if lines.len() < MOST_LINES {
                lines.push_back(line);
            }
            return;
        }
    }

    fn flush(&self) {}
}

/// Lines that were logged, to be passed on once this is dropped.
pub struct Listening<'py> {
    py: Python<'py>,
}

/// Listens to requests, if `logging` asks for their lines.
pub fn listening(py: Python<'_>) -> Listening<'_> {
    INSTALLED.call_once(|| drop(log::set_logger(&QUEUE)));
    let is_wanted = logger(py).and_then(|logger| {
        logger.call_method1("isEnabledFor", (DEBUG,)).and_then(|wanted| wanted.extract::<bool>())
    });
    log::set_max_level(if is_wanted.unwrap_or(false) { LevelFilter::Debug } else { LevelFilter::Off });
    Listening { py }
}

/// Passes on what was logged.
pub fn pass_on(py: Python<'_>) {
    if log::max_level() == LevelFilter::Off {
        return;
    }
    let lines = match QUEUE.0.try_lock() {
        Ok(mut lines) => std::mem::take(&mut *lines),
        Err(TryLockError::Poisoned(lines)) => std::mem::take(&mut *PoisonError::into_inner(lines)),
        Err(TryLockError::WouldBlock) => return,
    };
    let Ok(logger) = logger(py) else { return };
    for line in lines {
        // A handler of a user that raises stops no read.
        if let Err(raised) = logger.call_method1("debug", ("%s", line)) {
            raised.write_unraisable(py, Some(logger.as_any()));
        }
    }
}

fn logger(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = LOGGER.get_or_try_init(py, || {
        py.import("logging")?.call_method1("getLogger", (REQUESTS,)).map(Bound::unbind)
    })?;
    Ok(made.bind(py).clone())
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        pass_on(self.py);
    }
}
