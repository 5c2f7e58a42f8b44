//! What does the footer of a Parquet file say?
//!
//! In: an open file. Out: its metadata.
//! Spec: Appendix A, Parquet.
//!
//! Invariant: sizes in the file are checked against its real size before anything is read or allocated by them.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Context, Error, Result};
use floeberg_io::{FileKey, Source, refuse_encrypted};
use parquet::DecodeResult;
use parquet::encryption::decrypt::FileDecryptionProperties;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataPushDecoder,
    ParquetMetaDataReader,
};

use super::encrypted::names_encryption;
use super::fence;

/// Most footers are smaller than this, and one read gets them.
const TAIL_GUESS: u64 = 64 << 10;
/// Masks are allocated for the row count that a row group claims. No writer puts more rows into one.
const MOST_ROWS: i64 = 1 << 32;
/// Length of the footer's length, and the magic.
const TAIL: usize = 8;

/// The end of a file, as it was read with the footer: page indexes often lie there too.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    /// Where it starts.
    start: u64,
    bytes: Bytes,
}

impl Tail {
    /// The bytes of some ranges of the file, if all lie in the tail.
    pub(crate) fn read(&self, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        let slice = |range: &Range<u64>| {
            let start = usize::try_from(range.start.checked_sub(self.start)?).ok()?;
            let end = usize::try_from(range.end.checked_sub(self.start)?).ok()?;
            (start <= end && end <= self.bytes.len()).then(|| self.bytes.slice(start..end))
        };
        ranges.iter().map(slice).collect()
    }
}

/// Reads the footer. The store gives the size of the file: sizes in metadata are only hints.
pub(crate) fn read_footer(
    source: &dyn Source,
    options: &ParquetMetaDataOptions,
    key: Option<&FileKey>,
) -> Result<(Arc<ParquetMetaData>, Tail)> {
    let location = source.location();
    let (size, end) = source.read_end(TAIL_GUESS)?;
    if size < TAIL as u64 + 4 {
        return Err(damaged(location, &format!("it is {size} bytes long, shorter than any Parquet file")));
    }
    let tail = Tail { start: size - end.len() as u64, bytes: end };
    let footer = footer_bytes(source, size, &tail.bytes, key)?;
    if key.is_none() && names_encryption(&footer) {
        return Err(Error::unsupported("the Parquet file has encrypted columns").with("path", location));
    }
    let metadata = match key {
        Some(key) => {
            let end = tail.bytes.split_last_chunk::<TAIL>().map_or(&[][..], |(_, end)| end);
            decrypted(location, size, [&footer, end].concat().into(), options, key)?
        }
        None => {
            fence(location, || ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(options)))?
        }
    };
    check(&metadata, size).context("path", location)?;
    Ok((Arc::new(metadata), tail))
}

fn footer_bytes(source: &dyn Source, size: u64, tail: &Bytes, key: Option<&FileKey>) -> Result<Bytes> {
    let location = source.location();
    let Some((body, end)) = tail.split_last_chunk::<TAIL>() else {
        return Err(damaged(location, "its end cannot be read"));
    };
    let [a, b, c, d, magic @ ..] = *end;
    match &magic {
        b"PAR1" if key.is_none() => {}
        b"PARE" if key.is_some() => {}
        b"PAR1" => {
            let message =
                "the Parquet file is not encrypted, or its footer is not, where its manifest names a key";
            return Err(Error::invalid_data(message).with("path", location));
        }
        b"PARE" => {
            let message = "the Parquet file has an encrypted footer, and nothing names its key: open the table with \
                           `key_management`, or with the option `encryption.kms-impl`";
            return Err(Error::unsupported(message).with("path", location));
        }
        other => {
            refuse_encrypted(&source.read(0..4)?).context("path", location)?;
            return Err(damaged(location, &format!("expected PAR1 at its end, found {other:02x?}")));
        }
    }
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let room = size - TAIL as u64;
    if length > room {
        return Err(damaged(
            location,
            &format!("its footer claims {length} bytes of a file that has {room}"),
        ));
    }
    let start = usize::try_from(length).ok().and_then(|length| body.len().checked_sub(length));
    if let Some(start) = start {
        return Ok(tail.slice(start..body.len()));
    }
    source.needed_end(length + TAIL as u64);
    source.read(room - length..room)
}

/// Reads an encrypted footer.
///
/// Errors: `InvalidData` for one that is not authentic; `Unsupported` for a key that the library cannot use.
fn decrypted(
    location: &str,
    size: u64,
    footer: Bytes,
    options: &ParquetMetaDataOptions,
    key: &FileKey,
) -> Result<ParquetMetaData> {
    check_length(key).context("path", location)?;
    let read = || {
        let properties = FileDecryptionProperties::builder(key.key().to_vec())
            .with_aad_prefix(key.aad_prefix().to_vec())
            .build()?;
        let mut decoder = ParquetMetaDataPushDecoder::try_new(size)?
            .with_metadata_options(Some(Arc::new(options.clone())))
            .with_page_index_policy(PageIndexPolicy::Skip)
            .with_file_decryption_properties(Some(properties));
        decoder.push_range(size - footer.len() as u64..size, footer)?;
        match decoder.try_decode()? {
            DecodeResult::Data(metadata) => Ok(metadata),
            _ => Err(ParquetError::EOF("the footer is cut short".to_owned())),
        }
    };
    fence(location, read).map_err(|error| {
        let message = "the footer of the encrypted Parquet file is not authentic: it was changed, or its key is another one";
        Error::invalid_data(message).with("path", location).caused_by(error)
    })
}

/// Row groups and column chunks must lie in the file and count no negative rows.
fn check(metadata: &ParquetMetaData, size: u64) -> Result<()> {
    let mut rows = 0_i64;
    for (number, group) in metadata.row_groups().iter().enumerate() {
        let count = group.num_rows();
        rows = rows.checked_add(count).filter(|_| count >= 0).ok_or_else(|| {
            Error::invalid_data(format!("row group {number} of the Parquet file claims {count} rows"))
        })?;
        if count > MOST_ROWS {
            return Err(Error::limit(format!(
                "row group {number} of the Parquet file claims {count} rows, more than {MOST_ROWS}"
            )));
        }
        for column in group.columns() {
            let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let length = column.compressed_size();
            let inside = u64::try_from(start)
                .ok()
                .zip(u64::try_from(length).ok())
                .and_then(|(start, length)| start.checked_add(length))
                .is_some_and(|end| end <= size);
            if !inside {
                return Err(Error::invalid_data(format!(
                    "column {} in row group {number} claims {length} bytes at {start} of a Parquet file of {size}",
                    column.column_path()
                )));
            }
        }
    }
    Ok(())
}

/// Errors: `Unsupported` for a key of a length that the library cannot use.
pub(crate) fn check_length(key: &FileKey) -> Result<()> {
    match key.key().len() {
        16 | 32 => Ok(()),
        other => Err(Error::unsupported(format!(
            "AES with keys of {other} bytes is not supported: use keys of 16 or 32 bytes"
        ))),
    }
}

fn damaged(location: &str, why: &str) -> Error {
    Error::invalid_data(format!("this is not a whole Parquet file: {why}")).with("path", location)
}

#[cfg(test)]
mod tests;
