//! What is in a blob of a Puffin file?
//!
//! Spec: Puffin, File structure, Compression codecs.
//!
//! Invariant: a blob lies between the file's first magic and its footer, and its content is within a limit.

use std::borrow::Cow;

use floeberg_core::{Error, Result};

use super::BlobMetadata;
use super::compression::decompress;
use super::footer::{check_magic, footer_length};

const CONTENT_LIMIT: usize = 1 << 30;

/// The content of a blob, decompressed, from the bytes of the whole file.
pub fn read_blob<'a>(file: &'a [u8], blob: &BlobMetadata) -> Result<Cow<'a, [u8]>> {
    check_magic(file, "at the start of a Puffin file")?;
    let footer = usize::try_from(footer_length(file)?).unwrap_or(usize::MAX);
    let end = file.len().saturating_sub(footer);
    let range = usize::try_from(blob.offset).ok().zip(usize::try_from(blob.length).ok());
    let stored = range
        .and_then(|(offset, length)| Some(offset..offset.checked_add(length)?))
        .filter(|range| range.start >= 4 && range.end <= end)
        .map(|range| &file[range]);
    match stored {
        Some(stored) => blob_content(stored, blob),
        None => Err(Error::invalid_data(format!(
            "expected a Puffin blob between the bytes 4 and {end}, found offset {} and length {}",
            blob.offset, blob.length
        ))),
    }
}

/// The content of a blob, decompressed, from its bytes in the file.
pub fn blob_content<'a>(stored: &'a [u8], blob: &BlobMetadata) -> Result<Cow<'a, [u8]>> {
    if stored.len() as u64 != blob.length {
        let (expected, found) = (blob.length, stored.len());
        return Err(Error::invalid_data(format!(
            "expected a Puffin blob of {expected} bytes, found {found}"
        )));
    }
    decompress(stored, blob.compression, CONTENT_LIMIT)
}
