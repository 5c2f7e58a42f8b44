//! How is a stream decompressed within a limit?
//!
//! Invariant: never more bytes than the limit, whatever the stream claims.

use std::io::Read;

use floeberg_core::{Error, Result};

/// Reads a decompressing stream to its end, into a buffer that is emptied first.
///
/// Errors: `LimitExceeded` for more than `limit` bytes; `InvalidData` where the stream fails. Both name `what` is read.
pub fn read_bounded(stream: impl Read, limit: usize, what: &str, buffer: &mut Vec<u8>) -> Result<()> {
    buffer.clear();
    stream
        .take(limit as u64 + 1)
        .read_to_end(buffer)
        .map_err(|error| Error::invalid_data(format!("expected {what}")).caused_by(error))?;
    if buffer.len() > limit {
        return Err(Error::limit(format!("{what} decompresses to more than {limit} bytes")));
    }
    Ok(())
}
