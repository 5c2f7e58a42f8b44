//! Which files does a manifest list, and can it be read?
//!
//! In: a manifest and the specs of a table. Out: its files, or why it cannot be read.
//! Spec: Manifest Entry Fields; Data File Fields.
//!
//! Invariant: what an entry inherits is applied. Memory holds the paths and some numbers of each file.

use arrow_array::Array as _;
use floeberg_core::finding::split;
use floeberg_core::{Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    ADDED, DELETED, EntryRequest, ManifestContent, ManifestEntries, ManifestFile, parse_manifest,
};
use floeberg_iceberg::metadata::TableMetadata;

use super::request::{LeftFile, PassedOver, Reader};
use crate::place::Place;

/// Manifests are read so many at a time.
const AT_A_TIME: usize = 8;

/// A file, or one vector of a Puffin file.
pub(super) type FileKey = (Place, Option<Place>);

/// A file of a manifest.
#[derive(Debug, Clone)]
pub(super) struct ListedFile {
    pub(super) path: String,
    /// The form in which files are compared.
    pub(super) place: Place,
    pub(super) content: i32,
    pub(super) is_deleted: bool,
    /// Was it added by the snapshot of the manifest? Then it may inherit its sequence number.
    pub(super) is_added: bool,
    pub(super) is_vector: bool,
    /// The data file that it is of, as it is compared.
    pub(super) referenced: Option<Place>,
    /// Its data sequence number, and that at which it was added: the higher one.
    pub(super) sequence_number: i64,
    /// The snapshot that added it.
    pub(super) snapshot_id: Option<i64>,
    pub(super) rows: i64,
    pub(super) first_row_id: Option<i64>,
}

impl ListedFile {
    /// The place of the file, and what tells vectors of one Puffin file apart.
    pub(super) fn key(&self) -> FileKey {
        (self.place.clone(), self.referenced.clone().filter(|_| self.is_vector))
    }

    /// Its content, as reports name it.
    pub(super) fn content_name(&self) -> &'static str {
        match self.content {
            0 => "data",
            1 => "position deletes",
            _ => "equality deletes",
        }
    }

    pub(super) fn is_data(&self) -> bool {
        self.content == 0
    }

    /// The row id after those of its rows (v3).
    pub(super) fn end_of_row_ids(&self) -> Option<i64> {
        self.first_row_id?.checked_add(self.rows)
    }

    /// The same, for a report.
    pub(super) fn left(&self, reason: impl Into<String>) -> LeftFile {
        LeftFile {
            location: self.path.clone(),
            content: self.content_name(),
            rows: self.rows,
            reason: reason.into(),
        }
    }
}

/// A manifest that can be read, with its files.
#[derive(Debug, Clone)]
pub(super) struct ReadManifest {
    pub(super) manifest: ManifestFile,
    pub(super) files: Vec<ListedFile>,
}

/// The files of a manifest, deleted ones too; or why it cannot be read. Errors: those of the store.
pub(super) fn read_manifest(
    reader: &Reader,
    metadata: &TableMetadata,
    manifest: &ManifestFile,
) -> Result<std::result::Result<ReadManifest, Error>> {
    let bytes = match reader.reading.bytes(&manifest.manifest_path)? {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(error)),
    };
    let read = || {
        if manifest.key_metadata.is_some() {
            let message = "the manifest is encrypted, and encrypted tables cannot be read";
            return Err(Error::unsupported(message));
        }
        let spec = metadata.spec(manifest.partition_spec_id)?;
        let partition_type = spec.partition_type(metadata)?;
        // It is decoded as it will be when it is written again.
        let wanted = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
        let entries = parse_manifest(&bytes, manifest, &partition_type, &wanted)?;
        for row in 0..entries.len() {
            entries.entry(row, &partition_type)?;
        }
        Ok(ReadManifest { manifest: manifest.clone(), files: files_of(reader, &entries)? })
    };
    split(read())
}

fn files_of(reader: &Reader, entries: &ManifestEntries) -> Result<Vec<ListedFile>> {
    let details = entries.details()?;
    let file = |row: usize| {
        let is_vector = entries.file_content.value(row) == 1
            && entries.file_format.value(row).eq_ignore_ascii_case("puffin");
        let reference = &details.referenced_data_file;
        let (of_file, number) = (&details.file_sequence_number, entries.data_sequence_number.value(row));
        ListedFile {
            path: entries.file_path.value(row).to_owned(),
            place: reader.place(entries.file_path.value(row)),
            content: if entries.content == ManifestContent::Data {
                0
            } else {
                entries.file_content.value(row)
            },
            is_deleted: entries.status.value(row) == DELETED,
            is_added: entries.status.value(row) == ADDED,
            is_vector,
            referenced: reference.is_valid(row).then(|| reader.place(reference.value(row))),
            sequence_number: if of_file.is_valid(row) { of_file.value(row).max(number) } else { number },
            snapshot_id: details.snapshot_id.is_valid(row).then(|| details.snapshot_id.value(row)),
            rows: entries.record_count.value(row).max(0),
            first_row_id: entries.first_row_id.is_valid(row).then(|| entries.first_row_id.value(row)),
        }
    };
    Ok((0..entries.len()).map(file).collect())
}

/// All manifests of a snapshot, or why one of them cannot be read. Errors: those of the store.
pub(super) fn read_all(
    reader: &Reader,
    metadata: &TableMetadata,
    manifests: &[ManifestFile],
) -> Result<std::result::Result<Vec<ReadManifest>, PassedOver>> {
    let mut all = Vec::new();
    for some in manifests.chunks(AT_A_TIME) {
        let read =
            ordered(some, AT_A_TIME, &reader.cancel, |manifest| read_manifest(reader, metadata, manifest))?;
        for (manifest, read) in some.iter().zip(read) {
            match read {
                Ok(read) => all.push(read),
                Err(error) => {
                    let location = manifest.manifest_path.clone();
                    return Ok(Err(PassedOver { location, reason: error.to_string() }));
                }
            }
        }
    }
    Ok(Ok(all))
}
