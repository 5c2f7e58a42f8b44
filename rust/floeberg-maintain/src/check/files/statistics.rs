//! Are the statistics files of a table there, and are they what the metadata says?
//!
//! Spec: Table Statistics; Partition Statistics.

use std::sync::Arc;

use floeberg_core::finding::{Findings, split};
use floeberg_core::schema::Schema;
use floeberg_core::{ErrorKind, Result};
use floeberg_iceberg::metadata::{PartitionStatisticsFile, StatisticsFile};
use floeberg_iceberg::plan::FileFormat;
use floeberg_iceberg::read::FileAccess;
use floeberg_io::Source;

use crate::check::rules::files::{STATISTICS_BLOBS, STATISTICS_FILE};

use super::one::FileChecks;
use super::puffin::footer_of;

/// Checks the statistics files that the metadata names.
///
/// Errors: those of the store.
pub(in crate::check) fn check_statistics_files(checks: &FileChecks) -> Result<Findings> {
    let mut found = Findings::default();
    let metadata = &checks.known.metadata;
    // Statistics that cannot be parsed are a finding of the metadata.
    for file in metadata.statistics_files().unwrap_or_default() {
        found.extend(check_puffin(checks, &file)?);
    }
    for file in metadata.partition_statistics_files().unwrap_or_default() {
        found.extend(check_partitions(checks, &file)?);
    }
    Ok(found)
}

/// Opens a file of this size, by the metadata; `None` where it cannot be opened.
fn opened(
    checks: &FileChecks,
    location: &str,
    size_in_bytes: i64,
    found: &mut Findings,
) -> Result<Option<(Arc<dyn Source>, u64)>> {
    match checks.reading.open(location)? {
        Ok((source, size)) => {
            let said = u64::try_from(size_in_bytes).unwrap_or(0);
            found.equal(&STATISTICS_FILE, "file-size-in-bytes", (size, said));
            Ok(Some((source, size)))
        }
        Err(error) => {
            found.add(&STATISTICS_FILE, "", error);
            Ok(None)
        }
    }
}

fn check_puffin(checks: &FileChecks, file: &StatisticsFile) -> Result<Findings> {
    let mut found = Findings::of_snapshot(&file.statistics_path, file.snapshot_id);
    let opened = opened(checks, &file.statistics_path, file.file_size_in_bytes, &mut found)?;
    let Some((source, size)) = opened else { return Ok(found) };
    if file.key_metadata.is_some() {
        return Ok(found);
    }
    let (footer, length) = match split(footer_of(source.as_ref(), size))? {
        Ok(footer) => footer,
        Err(error) => {
            found.add(&STATISTICS_FILE, "", error);
            return Ok(found);
        }
    };
    let said = u64::try_from(file.file_footer_size_in_bytes).unwrap_or(0);
    found.equal(&STATISTICS_FILE, "file-footer-size-in-bytes", (length, said));
    let described: Vec<_> = file
        .blob_metadata
        .iter()
        .map(|blob| (blob.blob_type.as_str(), blob.snapshot_id, blob.sequence_number, blob.fields.as_slice()))
        .collect();
    let there: Vec<_> = footer
        .blobs
        .iter()
        .map(|blob| (blob.blob_type.as_str(), blob.snapshot_id, blob.sequence_number, blob.fields.as_slice()))
        .collect();
    if let Some(blob) = described.iter().find(|blob| !there.contains(blob)) {
        let message =
            format_args!("the file has no blob {} of columns {:?}, snapshot {}", blob.0, blob.3, blob.1);
        found.add(&STATISTICS_BLOBS, "blob-metadata", message);
    }
    Ok(found)
}

fn check_partitions(checks: &FileChecks, file: &PartitionStatisticsFile) -> Result<Findings> {
    let mut found = Findings::of_snapshot(&file.statistics_path, file.snapshot_id);
    let opened = opened(checks, &file.statistics_path, file.file_size_in_bytes, &mut found)?;
    let Some((source, size)) = opened else { return Ok(found) };
    let start = source.read(0..size.min(4))?;
    let format = match start.as_ref() {
        b"PAR1" => FileFormat::Parquet,
        b"Obj\x01" => FileFormat::Avro,
        _ => FileFormat::Orc,
    };
    let access = FileAccess {
        store: Arc::clone(&checks.reading.store),
        batch_rows: 1024,
        cancel: checks.cancel.clone(),
    };
    let location = checks.reading.relocation.apply(&file.statistics_path);
    match split(access.open_file(&location, format, None, &Schema::new(0, Vec::new())?))? {
        Err(error) if error.kind() != ErrorKind::Unsupported => found.add(&STATISTICS_FILE, "", error),
        _ => {}
    }
    Ok(found)
}
