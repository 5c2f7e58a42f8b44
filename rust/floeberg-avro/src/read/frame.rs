//! Where does a block lie in the bytes of a file?
//!
//! In: bytes from the start of a block on, as many as were read. Out: the block, or how many bytes it needs.
//! Spec: Avro 1.12, Object Container Files.
//!
//! Invariant: sizes in a block are checked against the rest of the file before they are used to read.

use std::ops::Range;

use floeberg_core::{Error, Result};

use super::cursor::Cursor;
use crate::schema::Limits;

/// The most bytes of the start of a block, which has its size: two longs.
pub const FRAME_START: usize = 20;
/// The bytes of a sync marker.
const SYNC: usize = 16;

/// A block that lies whole in the bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// How many records it holds.
    pub rows: u64,
    /// Where its stored data lies.
    pub stored: Range<usize>,
    /// The bytes of the whole block, including its start and sync marker.
    pub length: usize,
}

/// A block, as far as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// All of it.
    Whole(Frame),
    /// The block takes this many bytes, which the file has.
    Needs(usize),
}

/// Finds the block that starts the bytes, of which the file has `left` from there. At least [`FRAME_START`] bytes, or
/// all that are left, must be there.
pub fn frame(bytes: &[u8], left: u64, sync: &[u8; 16], limits: &Limits) -> Result<Framing> {
    let mut cursor = Cursor::new(bytes);
    let rows = cursor.long()?;
    let Ok(rows) = u64::try_from(rows) else {
        return Err(Cursor::new(bytes).error(&format!("a block of 0 or more records, found {rows}")));
    };
    let start = cursor.position();
    let size = cursor.long()?;
    let room = left.saturating_sub(cursor.position() as u64);
    let size = match u64::try_from(size).ok().filter(|&size| size <= room) {
        Some(size) if size > limits.block_bytes as u64 => {
            let most = limits.block_bytes;
            return Err(Error::limit(format!("an Avro block takes {size} bytes, more than {most}")));
        }
        Some(size) => size as usize,
        None => {
            return Err(Cursor::at(bytes, start)
                .error(&format!("a length of at most {room} (the bytes left), found {size}")));
        }
    };
    let stored = cursor.position()..cursor.position() + size;
    let length = stored.end + SYNC;
    if (length as u64) > left {
        return Err(Error::invalid_data(
            "Avro block: expected a sync marker after it, found the end of the file",
        ));
    }
    let Some(found) = bytes.get(stored.end..length) else { return Ok(Framing::Needs(length)) };
    // A fuzzer does not guess the marker.
    if found != sync && !cfg!(fuzzing) {
        return Err(Error::invalid_data(format!(
            "Avro block: expected the sync marker {sync:02x?} after it, found {found:02x?}"
        )));
    }
    Ok(Framing::Whole(Frame { rows, stored, length }))
}

/// The block that starts the bytes, which go on to the end of the file.
pub(super) fn whole_frame(bytes: &[u8], sync: &[u8; 16], limits: &Limits) -> Result<Frame> {
    match frame(bytes, bytes.len() as u64, sync, limits)? {
        Framing::Whole(frame) => Ok(frame),
        Framing::Needs(length) => {
            let left = bytes.len();
            Err(Error::invalid_data(format!("Avro block: expected {length} bytes, found {left}")))
        }
    }
}
