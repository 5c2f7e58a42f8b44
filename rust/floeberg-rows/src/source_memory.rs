//! What of a source fits into memory?
//!
//! In: the bytes that a part takes. Out: nothing, or what to do.
//!
//! Invariant: keys of any size end in an error before they take all memory.

use floeberg_core::{Error, Result};
use floeberg_exec::budget::memory_budget;

/// How many bytes of a source are kept in memory: the budget of the process.
///
/// Errors: `InvalidInput` if the budget is not a number.
pub fn source_memory() -> Result<u64> {
    memory_budget()
}

/// Checks what must be in memory, such as the keys of a source.
///
/// Errors: `LimitExceeded` for more bytes than the budget of the process.
pub fn check_source_memory(bytes: u64) -> Result<()> {
    let most = memory_budget()?;
    if bytes <= most {
        return Ok(());
    }
    Err(Error::limit(format!(
        "the source takes more than {most} bytes of memory at once: set a larger FLOEBERG_MEMORY, or change the table in several steps"
    )))
}
