//! Which metadata file is the newest that can be read?
//!
//! In: metadata files. Out: the newest whole one, and why others are passed over.
//! Spec: Table Metadata Fields.
//!
//! Invariant: the newest has the highest sequence number, then the latest time, then the highest version in its name. Files of two tables
//! are an error.

use std::sync::Arc;

use floeberg_core::finding::split;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::metadata::{TableMetadata, parse_table_metadata};
use floeberg_io::location::file_name;

use super::request::{PassedOver, Reader};

/// A metadata file.
#[derive(Debug, Clone)]
pub(super) struct MetadataFile {
    pub(super) location: String,
    pub(super) metadata: Arc<TableMetadata>,
}

/// Metadata files are read so many at a time.
const AT_A_TIME: usize = 16;

/// The newest metadata file; `None` where none can be read.
///
/// Errors: `InvalidInput` for metadata of two tables; those of the store.
pub(super) fn newest_metadata(
    reader: &Reader,
    files: &[String],
    passed_over: &mut Vec<PassedOver>,
) -> Result<Option<MetadataFile>> {
    let mut newest: Option<MetadataFile> = None;
    for some in files.chunks(AT_A_TIME) {
        let read =
            ordered(some, AT_A_TIME, &reader.cancel, |location| match reader.reading.bytes(location)? {
                Ok(bytes) => split(parse_table_metadata(&bytes, location)),
                Err(error) => Ok(Err(error)),
            })?;
        for (location, read) in some.iter().zip(read) {
            match read {
                Err(error) => {
                    passed_over.push(PassedOver { location: location.clone(), reason: error.to_string() });
                }
                Ok(metadata) => {
                    let found = MetadataFile { location: location.clone(), metadata: Arc::new(metadata) };
                    let known = newest.take();
                    newest = Some(known.map_or(Ok(found.clone()), |known| newer(known, found))?);
                }
            }
        }
    }
    Ok(newest)
}

fn newer(one: MetadataFile, other: MetadataFile) -> Result<MetadataFile> {
    if let (Some(first), Some(second)) = (&one.metadata.table_uuid, &other.metadata.table_uuid)
        && !first.eq_ignore_ascii_case(second)
    {
        let message = format!(
            "the folder has metadata of two tables, {first} and {second}: expected that of one. Move the files of one of them elsewhere"
        );
        return Err(Error::invalid_input(message).with("metadata", &other.location));
    }
    Ok(if key(&other) > key(&one) { other } else { one })
}

fn key(file: &MetadataFile) -> (i64, i64, u64) {
    let name = file_name(&file.location).unwrap_or_default();
    let name = name.strip_prefix('v').unwrap_or(name);
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let version = name[..digits].parse().unwrap_or(0);
    (file.metadata.last_sequence_number, file.metadata.last_updated_ms, version)
}
