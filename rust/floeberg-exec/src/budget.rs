//! How many threads, requests and bytes may a scan use?
//!
//! `FLOEBERG_THREADS`, `FLOEBERG_REQUESTS`, `FLOEBERG_MEMORY` and `FLOEBERG_MANIFEST_CACHE` decide; without them all cores, 32
//! requests, and 256 MiB each.

use std::env;
use std::num::NonZero;

use floeberg_core::{Error, Result};

/// More threads than this do not help, and can starve the machine.
const MOST_THREADS: usize = 1024;

/// How many threads: `FLOEBERG_THREADS`, at most 1024, else the cores this process may use.
///
/// Errors: `InvalidInput` if the variable is not a whole number of at least 1.
pub fn thread_budget() -> Result<usize> {
    match env::var("FLOEBERG_THREADS") {
        Err(_) => Ok(std::thread::available_parallelism().map_or(1, NonZero::get)),
        Ok(text) => small_number("FLOEBERG_THREADS", &text),
    }
}

/// How many requests may wait for a store that is far away: `FLOEBERG_REQUESTS`, at most 1024, else 32.
///
/// Errors: `InvalidInput` if the variable is not a whole number of at least 1.
pub fn request_budget() -> Result<usize> {
    match env::var("FLOEBERG_REQUESTS") {
        Err(_) => Ok(32),
        Ok(text) => small_number("FLOEBERG_REQUESTS", &text),
    }
}

/// The same for a task of Spark, of which others run beside it: 8 unless `FLOEBERG_REQUESTS` says otherwise.
///
/// Errors: those of [`request_budget`].
pub fn task_request_budget() -> Result<usize> {
    if env::var_os("FLOEBERG_REQUESTS").is_some() { request_budget() } else { Ok(8) }
}

/// How many bytes of batches may wait: `FLOEBERG_MEMORY` (bytes, or with the suffix K, M or G), else 256 MiB.
///
/// Errors: `InvalidInput` if the variable is not such a number of at least 1.
pub fn memory_budget() -> Result<u64> {
    match env::var("FLOEBERG_MEMORY") {
        Err(_) => Ok(256 << 20),
        Ok(text) => bytes("FLOEBERG_MEMORY", &text),
    }
}

/// How many bytes of decoded manifests a table may keep: `FLOEBERG_MANIFEST_CACHE` (bytes, or with the suffix K, M or G; 0
/// keeps none), else 256 MiB.
///
/// Errors: `InvalidInput` where the variable is not such a number.
pub fn manifest_cache_budget() -> Result<u64> {
    match env::var("FLOEBERG_MANIFEST_CACHE") {
        Err(_) => Ok(256 << 20),
        Ok(text) if text.trim() == "0" => Ok(0),
        Ok(text) => bytes("FLOEBERG_MANIFEST_CACHE", &text),
    }
}

/// A number of threads or requests, at most [`MOST_THREADS`].
fn small_number(name: &str, text: &str) -> Result<usize> {
    let written = positive(name, text)?;
    Ok(usize::try_from(written).map_or(MOST_THREADS, |threads| threads.min(MOST_THREADS)))
}

/// A number of bytes, with a suffix or without.
fn bytes(name: &str, text: &str) -> Result<u64> {
    let written = text.trim().to_ascii_uppercase();
    let (digits, unit) = match written.as_bytes().last() {
        Some(b'K') => (&written[..written.len() - 1], 1 << 10),
        Some(b'M') => (&written[..written.len() - 1], 1 << 20),
        Some(b'G') => (&written[..written.len() - 1], 1 << 30),
        _ => (&written[..], 1),
    };
    let number = positive(name, digits)?;
    number.checked_mul(unit).ok_or_else(|| not_positive(name, text))
}

fn positive(name: &str, text: &str) -> Result<u64> {
    text.trim().parse().ok().filter(|number| *number > 0).ok_or_else(|| not_positive(name, text))
}

fn not_positive(name: &str, text: &str) -> Error {
    Error::invalid_input(format!("{name} is {text:?}, expected a whole number of at least 1"))
}

#[cfg(test)]
mod tests;
