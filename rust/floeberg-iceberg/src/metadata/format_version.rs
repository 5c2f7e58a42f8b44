//! Which format versions are written?

use floeberg_core::{Error, Result};

/// Errors: `Unsupported`.
pub(crate) fn check_version(format_version: u8) -> Result<()> {
    match format_version {
        1..=3 => Ok(()),
        other => {
            Err(Error::unsupported(format!("expected format version 1, 2 or 3 to write, found {other}")))
        }
    }
}
