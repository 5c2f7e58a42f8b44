//! How is the file of a manifest laid out?
//!
//! In: the last bytes of a file. Out: where its manifest and its sections are. And back: a manifest as a whole file.
//! Spec: Lance, `io/manifest.rs`.
//!
//! ```text
//! [ indices: length u32 LE | IndexSection ]      optional, where `index_section` says
//! [ transaction: length u32 LE | Transaction ]   optional, where `transaction_section` says
//! [ manifest: length u32 LE | Manifest ]         where the end says
//! position of the manifest: i64 LE | major: u16 LE = 0 | minor: u16 LE | "LANC"
//! ```
//!
//! Invariant: a length must fill exactly the bytes between its section and the end, before anything is read by it.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Error, Result};

use super::manifest::Manifest;

/// The bytes of the end: position, versions, magic.
pub const END: u64 = 16;
const MAGIC: &[u8; 4] = b"LANC";
const LENGTH: u64 = 4;
/// What writers of the format write, whatever the version of data files.
const MINOR: u16 = 2;

/// Where the manifest lies in its file, its length included.
///
/// Errors: `InvalidData` for an end without magic, or a position outside of the file.
pub fn manifest_range(end: &[u8], file_size: u64) -> Result<Range<u64>> {
    let Some((position, rest)) =
        end.split_last_chunk::<16>().and_then(|(_, end)| end.split_first_chunk::<8>())
    else {
        return Err(Error::invalid_data(format!(
            "expected a manifest of at least {} bytes, found {file_size}",
            END + LENGTH
        )));
    };
    if !cfg!(fuzzing) && &rest[4..] != MAGIC {
        return Err(Error::invalid_data(format!(
            "expected `LANC` at the end of a manifest, found {:02x?}",
            &rest[4..]
        )));
    }
    let position = i64::from_le_bytes(*position);
    let last = file_size.checked_sub(END + LENGTH);
    match (u64::try_from(position), last) {
        (Ok(position), Some(last)) if position <= last => Ok(position..file_size - END),
        _ => Err(Error::invalid_data(format!(
            "expected the position of a manifest in a file of {file_size} bytes, found {position}"
        ))),
    }
}

/// The message of a section, which its length must fill. `what` names it in errors.
pub fn message_of(section: &Bytes, what: &str) -> Result<Bytes> {
    let Some((length, message)) = section.split_first_chunk::<4>() else {
        return Err(Error::invalid_data(format!("expected the length of {what}, found its end")));
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length != message.len() {
        return Err(Error::invalid_data(format!(
            "expected {what} of {} bytes, found the length {length}",
            message.len()
        )));
    }
    Ok(section.slice(4..))
}

/// The bytes of a section at an offset, its length included, from the bytes of a file that start at `start` and end before the
/// manifest's end. `None` where the section lies before them.
///
/// Errors: `InvalidData` for a section that does not end before the manifest.
pub fn section_in(bytes: &Bytes, start: u64, offset: u64, what: &str) -> Result<Option<Bytes>> {
    if offset < start {
        return Ok(None);
    }
    let damaged =
        || Error::invalid_data(format!("expected {what} before the manifest, found the offset {offset}"));
    let at = usize::try_from(offset - start).map_err(|_| damaged())?;
    let section = bytes.get(at..).and_then(|rest| {
        let (length, message) = rest.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        (length <= message.len()).then_some(at..at + 4 + length)
    });
    Ok(Some(bytes.slice(section.ok_or_else(damaged)?)))
}

/// A whole file: indices and transaction as they are given, and the manifest, which then says where they are, and whose fragments
/// then lie in the file.
///
/// Errors: `LimitExceeded` for a part of 4 GiB or more, which the format cannot hold.
pub fn to_file(manifest: &mut Manifest, indices: Option<&[u8]>, transaction: Option<&[u8]>) -> Result<Bytes> {
    let mut file = Vec::new();
    manifest.head.index_section = section(&mut file, indices)?;
    manifest.head.transaction_section = section(&mut file, transaction)?;
    let position = file.len() as u64;
    let [before, after] = manifest.head.around_fragments();
    let pieces = manifest.fragments.written(0..manifest.fragments.len());
    let fragments = pieces.iter().map(Bytes::len).sum::<usize>();
    let length = before.len() + fragments + after.len();
    // Hundreds of megabytes are not copied because there was no room behind them.
    file.reserve_exact(LENGTH as usize + length + END as usize);
    file.extend_from_slice(&length_of(length)?);
    file.extend_from_slice(&before);
    let start = file.len();
    for piece in pieces {
        file.extend_from_slice(&piece);
    }
    let end = file.len();
    file.extend_from_slice(&after);
    file.extend_from_slice(&position.to_le_bytes());
    file.extend_from_slice(&0_u16.to_le_bytes());
    file.extend_from_slice(&MINOR.to_le_bytes());
    file.extend_from_slice(MAGIC);
    let file = Bytes::from(file);
    manifest.fragments.move_into(&file, start, end);
    Ok(file)
}

fn section(file: &mut Vec<u8>, message: Option<&[u8]>) -> Result<Option<u64>> {
    let Some(message) = message else { return Ok(None) };
    let position = file.len() as u64;
    file.extend_from_slice(&length_of(message.len())?);
    file.extend_from_slice(message);
    Ok(Some(position))
}

fn length_of(part: usize) -> Result<[u8; 4]> {
    let length = u32::try_from(part).map_err(|_| {
        Error::limit(format!("a part of a manifest has {part} bytes, at most 4 GiB can be written"))
    })?;
    Ok(length.to_le_bytes())
}
