//! What does a data file say of its columns and rows?
//!
//! In: the last bytes of a data file, and its first global buffer. Out: its version, its fields, and its number of rows.
//! Spec: Lance, file format, Footer; `file2.proto`, `FileDescriptor`.
//!
//! ```text
//! [ pages | global buffers | metadata of columns | offsets of these | offset and size of each global buffer ]
//! u64 LE x 3: metadata of columns, offsets of these, offsets of global buffers | u32 LE x 2: global buffers, columns
//! u16 LE x 2: major, minor | "LANC"
//! ```
//!
//! Invariant: no file of version 0.1 comes here, whose end is another.

use std::ops::Range;

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{message, parse};

use super::field::SchemaField;

/// The bytes of the footer.
pub const FOOTER: u64 = 40;
/// The bytes that say where a global buffer is.
const BUFFER_ENTRY: u64 = 16;
const MAGIC: &[u8] = b"LANC";

/// The end of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFooter {
    /// Where the offsets of global buffers are.
    pub buffers_at: u64,
    /// How many global buffers.
    pub buffers: u32,
    /// How many columns.
    pub columns: u32,
    /// Before the dot of the version.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl FileFooter {
    /// Reads the last bytes of a file. Errors: `InvalidData` for fewer than a footer has, and without the magic.
    pub fn parse(end: &[u8]) -> Result<Self> {
        let Some((_, footer)) = end.split_last_chunk::<40>() else {
            return Err(Error::invalid_data(format!(
                "expected a data file of at least {FOOTER} bytes, found {}",
                end.len()
            )));
        };
        if &footer[36..] != MAGIC {
            return Err(Error::invalid_data(format!(
                "expected `LANC` at the end of a data file, found {:02x?}",
                &footer[36..]
            )));
        }
        Ok(Self {
            buffers_at: long(&footer[16..24]),
            buffers: long(&footer[24..28]) as u32,
            columns: long(&footer[28..32]) as u32,
            major: long(&footer[32..34]) as u32,
            minor: long(&footer[34..36]) as u32,
        })
    }

    /// Where it is said where the first global buffer is. Errors: `InvalidData` for a file without one, or outside of the file.
    pub fn first_entry(&self, file_size: u64) -> Result<Range<u64>> {
        if self.buffers == 0 {
            return Err(Error::invalid_data("expected a data file that describes its columns, found none"));
        }
        within(self.buffers_at, BUFFER_ENTRY, file_size)
    }
}

/// Where the buffer of an entry is. Errors: `InvalidData` for one outside of the file.
pub fn buffer_of(entry: &[u8], file_size: u64) -> Result<Range<u64>> {
    let (Some(position), Some(size)) = (entry.get(..8), entry.get(8..16)) else {
        return Err(Error::invalid_data("expected the place of a global buffer, found its end"));
    };
    within(long(position), long(size), file_size)
}

fn within(start: u64, length: u64, file_size: u64) -> Result<Range<u64>> {
    match start.checked_add(length) {
        Some(end) if end <= file_size.saturating_sub(FOOTER) => Ok(start..end),
        _ => Err(Error::invalid_data(format!(
            "expected {length} bytes in a data file of {file_size} bytes, found them at {start}"
        ))),
    }
}

fn long(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

message! {
    /// The columns and rows of a data file.
    pub struct FileDescriptor {
        /// The columns.
        schema: FileSchema = 1,
        /// The number of rows.
        rows: u64 = 2,
    }
}

message! {
    /// The columns of a data file.
    pub struct FileSchema {
        /// The fields, depth first. Their ids are the writer's own, and need not be the table's.
        fields: Vec<SchemaField> = 1,
    }
}

impl FileDescriptor {
    /// Reads the first global buffer. Errors: `InvalidData`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        parse(bytes).context("message", "FileDescriptor")
    }
}
