//! Does a source fit into memory?
//!
//! In: the bytes that it takes. Out: nothing, or what to do.
//!
//! Invariant: a source of any size ends in an error before it takes all memory.

use floeberg_core::{Error, Result};
use floeberg_exec::budget::memory_budget;

/// Errors: `LimitExceeded` for more bytes than the budget of the process.
pub fn check_source_memory(bytes: u64) -> Result<()> {
    let most = memory_budget()?;
    if bytes <= most {
        return Ok(());
    }
    Err(Error::limit(format!(
        "the source takes more than {most} bytes of memory: set a larger FLOEBERG_MEMORY, or change the table in several steps"
    )))
}
