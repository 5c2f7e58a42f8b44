//! Where is the footer of a Puffin file, and what does it list?
//!
//! In: a whole file, or its end. Out: a [`PuffinFooter`].
//! Spec: Puffin, File structure, Footer structure.
//!
//! ```text
//! magic | blob ... | magic | payload | payload size: i32 LE | flags (4) | magic
//! ```
//!
//! Invariant: the payload size is checked against the bytes of the file; unknown flags are an error.

use floeberg_core::{Error, Result};
use floeberg_io::refuse_encrypted;

use super::compression::{Compression, decompress};
use super::footer_json::{PuffinFooter, parse_payload};

pub(super) const MAGIC: [u8; 4] = *b"PFA1";
pub(super) const PAYLOAD_LIMIT: usize = 64 << 20;
/// The most bytes of a footer in its file: a longer one has more than the largest payload.
pub(crate) const LARGEST_FOOTER: u64 = PAYLOAD_LIMIT as u64 + 16;

/// How many bytes at the end of a file have the length of its footer.
pub const FOOTER_TAIL_LENGTH: usize = 12;

/// The length in bytes of a file's footer, from the file's last [`FOOTER_TAIL_LENGTH`] bytes (or more).
pub fn footer_length(end: &[u8]) -> Result<u64> {
    let Some(tail) = end.last_chunk::<FOOTER_TAIL_LENGTH>() else {
        let found = end.len();
        return Err(Error::invalid_data(format!(
            "expected a Puffin footer of at least 16 bytes, found {found} bytes"
        )));
    };
    let [size @ .., _, _, _, _, _, _, _, _] = *tail;
    check_magic(&tail[8..], "at the end of a Puffin file")?;
    let size = i32::from_le_bytes(size);
    match u64::try_from(size) {
        Ok(size) => Ok(size + (MAGIC.len() + FOOTER_TAIL_LENGTH) as u64),
        Err(_) => Err(Error::invalid_data(format!(
            "expected a Puffin footer payload size of 0 or more, found {size}"
        ))),
    }
}

/// Reads the footer of a file: of the whole file, or of an end of it that holds the footer.
///
/// The magic at the start is checked here only for a whole file. For the end of a file, it is checked with the blobs.
pub fn parse_footer(bytes: &[u8]) -> Result<PuffinFooter> {
    let length = footer_length(bytes)?;
    let footer = usize::try_from(length).ok().filter(|&length| length <= bytes.len());
    let Some(footer) = footer.map(|length| &bytes[bytes.len() - length..]) else {
        let found = bytes.len();
        return Err(Error::invalid_data(format!(
            "expected a Puffin footer of {length} bytes, found {found} bytes"
        )));
    };
    check_magic(&footer[..4], "at the start of a Puffin footer")?;
    let tail = footer.len() - FOOTER_TAIL_LENGTH;
    let flags = &footer[tail + 4..tail + 8];
    let codec = match *flags {
        [0, 0, 0, 0] => None,
        [1, 0, 0, 0] => Some(Compression::Lz4),
        _ => {
            return Err(Error::unsupported(format!(
                "Puffin footer flags {flags:02x?}: expected 00 (plain) or 01 (LZ4), then zeros"
            )));
        }
    };
    parse_payload(&decompress(&footer[4..tail], codec, PAYLOAD_LIMIT)?)
}

pub(crate) fn check_magic(found: &[u8], place: &str) -> Result<()> {
    refuse_encrypted(found)?;
    // A fuzzer does not guess the magic.
    if found.starts_with(&MAGIC) || cfg!(fuzzing) {
        return Ok(());
    }
    let found = &found[..found.len().min(4)];
    Err(Error::invalid_data(format!("expected the bytes 50 46 41 31 {place}, found {found:02x?}")))
}
