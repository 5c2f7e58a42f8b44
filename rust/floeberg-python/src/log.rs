//! How do lines of the log get from Rust to Python's `logging`?
//!
//! In: lines of any thread. Out: the same, in order, to the loggers of their names, such as `floeberg.io`.
//!
//! A thread of Rust never waits for Python: it puts its line into a queue, and a call from Python passes the lines on, when it looks
//! around and at its end.
//!
//! Invariant: a queue that is full, or that a fork left locked, loses lines; it stops nothing.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Mutex, Once, PoisonError, TryLockError};
use std::thread;

use log::{LevelFilter, Log, Metadata, Record};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
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
/// What interrupted a handler at the end of a call.
static INTERRUPTED: Mutex<Option<PyErr>> = Mutex::new(None);

thread_local! {
    /// Does this thread pass lines on?
    static PASSES_ON: Cell<bool> = const { Cell::new(false) };
}

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

/// Listens to requests, if `logging` asks for their lines. What a handler does is not listened to.
///
/// Errors: what a handler was interrupted by, at the end of the call before.
pub fn listening(py: Python<'_>) -> PyResult<Listening<'_>> {
    INSTALLED.call_once(|| drop(log::set_logger(&QUEUE)));
    let held = INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(interrupted) = held {
        return Err(interrupted);
    }
    if !PASSES_ON.get() {
        let logger = logger(py)?;
        let is_wanted = logger.call_method1("isEnabledFor", (DEBUG,))?.extract::<bool>()?;
        log::set_max_level(if is_wanted { LevelFilter::Debug } else { LevelFilter::Off });
    }
    Ok(Listening { py })
}

/// Passes on what was logged. An exception of a handler stops nothing.
///
/// Errors: what interrupts a handler, such as Ctrl-C.
pub fn pass_on(py: Python<'_>) -> PyResult<()> {
    if log::max_level() == LevelFilter::Off || PASSES_ON.get() {
        return Ok(());
    }
    let _passing = Passing::begin();
    let lines = match QUEUE.0.try_lock() {
        Ok(mut lines) => std::mem::take(&mut *lines),
        Err(TryLockError::Poisoned(lines)) => std::mem::take(&mut *PoisonError::into_inner(lines)),
        Err(TryLockError::WouldBlock) => return Ok(()),
    };
    let logger = logger(py)?;
    for line in lines {
        match logger.call_method1("debug", ("%s", line)) {
            Err(raised) if raised.is_instance_of::<PyException>(py) => {
                raised.write_unraisable(py, Some(logger.as_any()));
            }
            passed => drop(passed?),
        }
    }
    Ok(())
}

/// Lines are being passed on by this thread. Until it is dropped nothing is logged: what a handler reads would be logged for ever.
struct Passing;

impl Passing {
    fn begin() -> Self {
        PASSES_ON.set(true);
        log::set_max_level(LevelFilter::Off);
        Self
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        PASSES_ON.set(false);
        log::set_max_level(LevelFilter::Debug);
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
        if let Err(interrupted) = pass_on(self.py) {
            // The result of the call is there. What ends the program is raised by the next one, and Ctrl-C as soon as Python runs.
            if interrupted.is_instance_of::<PyKeyboardInterrupt>(self.py) {
                drop(self.py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main")));
            } else {
                *INTERRUPTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(interrupted);
            }
        }
    }
}
