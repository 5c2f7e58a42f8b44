//! Is a deletion vector what its entry and its footer say?
//!
//! Spec: Deletion Vectors; Puffin.

use bytes::Bytes;
use floeberg_core::finding::Findings;
use floeberg_core::{Error, Result};
use floeberg_iceberg::wire::puffin::{PuffinFooter, footer_length, parse_footer};
use floeberg_iceberg::wire::vector;
use floeberg_io::Source;

use crate::check::rules::files::{
    FILE_READABLE, VECTOR_BLOB, VECTOR_COUNT, VECTOR_POSITIONS, VECTOR_READABLE,
};

use super::entry::FileEntry;

/// So much of the end is read first.
const TAIL: u64 = 64 << 10;

/// No footer, and no vector, is as large.
const LARGEST: u64 = 1 << 30;

/// The footer of a Puffin file, and its length in bytes.
///
/// Errors: `InvalidData` for a damaged footer; those of the store.
pub(crate) fn footer_of(source: &dyn Source, size: u64) -> Result<(PuffinFooter, u64)> {
    let tail = source.read(size.saturating_sub(TAIL)..size)?;
    let length = footer_length(&tail)?;
    if length > size || length > LARGEST {
        return Err(Error::invalid_data(format!(
            "expected a footer of at most {size} bytes, found {length}"
        )));
    }
    let bytes = if length <= tail.len() as u64 { tail } else { source.read(size - length..size)? };
    Ok((parse_footer(&bytes)?, length))
}

/// Checks a deletion vector. `rows` is the number of rows of its data file, if that is live.
///
/// Errors: those of the store.
pub(super) fn check_vector(
    found: &mut Findings,
    entry: &FileEntry,
    source: &dyn Source,
    size: u64,
    rows: Option<i64>,
) -> Result<()> {
    // An entry without a place is a finding of its own.
    let Some((offset, length)) = entry.vector_range() else { return Ok(()) };
    match floeberg_core::finding::split(footer_of(source, size))? {
        Ok((footer, _)) => check_blob(found, entry, &footer, (offset, length)),
        Err(error) => found.add(&FILE_READABLE, "", error),
    }
    let end = offset.checked_add(length).filter(|end| *end <= size && length <= LARGEST);
    let Some(end) = end else {
        found.add(
            &VECTOR_READABLE,
            "",
            format_args!("it is at {offset}, of {length} bytes, in a file of {size}"),
        );
        return Ok(());
    };
    let bytes: Bytes = match floeberg_core::finding::split(source.read(offset..end))? {
        Ok(bytes) => bytes,
        Err(error) => {
            found.add(&VECTOR_READABLE, "", error);
            return Ok(());
        }
    };
    match vector::decode(&bytes, None) {
        Ok(positions) => {
            let count = i64::try_from(positions.len()).unwrap_or(i64::MAX);
            found.equal(&VECTOR_COUNT, "", (entry.rows(), count));
            if let (Some(rows), Some(last)) = (rows, positions.max())
                && i64::try_from(last).is_ok_and(|last| last >= rows)
            {
                let message = format_args!("the position {last} is in a data file of {rows} rows");
                found.add(&VECTOR_POSITIONS, "", message);
            }
        }
        Err(error) => found.add(&VECTOR_READABLE, "", error),
    }
    Ok(())
}

fn check_blob(found: &mut Findings, entry: &FileEntry, footer: &PuffinFooter, (offset, length): (u64, u64)) {
    let blob = footer.blobs.iter().find(|blob| blob.offset == offset && blob.length == length);
    let Some(blob) = blob else {
        let message = format_args!("the footer has no blob at {offset}, of {length} bytes");
        return found.add(&VECTOR_BLOB, "", message);
    };
    let property = |name: &str| blob.properties.get(name).map_or("none", String::as_str);
    let said = [
        ("type", "deletion-vector-v1".to_owned(), blob.blob_type.clone()),
        (
            "referenced-data-file",
            entry.stored.referenced(entry.row).unwrap_or("none").to_owned(),
            property("referenced-data-file").to_owned(),
        ),
        ("cardinality", entry.rows().to_string(), property("cardinality").to_owned()),
        ("snapshot-id", "-1".to_owned(), blob.snapshot_id.to_string()),
        ("sequence-number", "-1".to_owned(), blob.sequence_number.to_string()),
        (
            "compression-codec",
            "none".to_owned(),
            blob.compression.map_or("none", floeberg_iceberg::wire::puffin::Compression::name).to_owned(),
        ),
    ];
    for (name, expected, there) in said {
        found.equal(&VECTOR_BLOB, name, (expected, there));
    }
}
