//! How does a panic become an error?
//!
//! In: work that may panic. Out: its result, or `Internal` with the message of the panic.
//!
//! Invariant: a panic ends one piece of work, never a thread that others wait for.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Error, Result};

/// Does work and makes an error of a panic. What the work left half done must be dropped by the caller.
///
/// Errors: those of the work, and `Internal` where it panicked.
pub fn fenced<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic_text(panic.as_ref());
        Err(Error::internal(format!("a fault of Floeberg, please report it: {said}")))
    })
}

/// What a panic said.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests;
