//! Which counts do the entries of manifests give?
//!
//! In: manifests, and whether their entries are all that there is or what a snapshot changed. Out: counts by partition.
//! Spec: Manifest Entry Fields (`status`); Partition Statistics File.
//!
//! Invariant: manifests are read some at a time, so memory holds the partitions, and the entries of a few manifests. As in Iceberg
//! Java, a deleted entry says when its partition was updated, though its file is not there any more.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, StructArray};
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::Field;
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{ADDED, DELETED, EntryRequest, ManifestFile, ManifestReader, Specs};
use floeberg_iceberg::metadata::unified_partition;

use super::counts::{Counts, FileKind, Moment, PartitionValues, Partitions};

/// How many manifests are read before their counts are added.
const AT_ONCE: usize = 64;

/// What entries mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Live files are all files.
    All,
    /// Added and deleted files are what the snapshot of each manifest changed.
    Changes,
}

/// Reads the entries of a table's manifests.
pub(super) struct Entries {
    pub(super) reader: ManifestReader,
    specs: Arc<Specs>,
    /// The fields of the struct over all specs, by id and type.
    fields: Vec<Field>,
    pub(super) moments: HashMap<i64, Moment>,
}

impl Entries {
    /// Errors: `InvalidData` for specs that do not fit the schemas.
    pub(super) fn new(table: &Table, cancel: &Cancel) -> Result<Self> {
        let metadata = table.metadata();
        Ok(Self {
            reader: table.manifest_reader(cancel)?,
            specs: Specs::new(metadata, metadata.current_schema())?,
            fields: unified_partition(metadata)?.struct_type.fields,
            moments: Moment::all(metadata),
        })
    }

    /// The counts of manifests. `None` if an entry says that another snapshot than that of its manifest changed something.
    ///
    /// Errors: `InvalidData` for a damaged manifest, naming it; `Unsupported` for an encrypted one; `Cancelled`; those of the store.
    pub(super) fn counts(&self, manifests: &[ManifestFile], meaning: Meaning) -> Result<Option<Partitions>> {
        let mut all = Partitions::default();
        for some in manifests.chunks(AT_ONCE) {
            let read = ordered(some, self.reader.threads, &self.reader.cancel, |manifest| {
                self.of_manifest(manifest, meaning).context("manifest", &manifest.manifest_path)
            })?;
            for partitions in read {
                let Some(partitions) = partitions else { return Ok(None) };
                all.add(partitions)?;
            }
        }
        Ok(Some(all))
    }

    fn of_manifest(&self, manifest: &ManifestFile, meaning: Meaning) -> Result<Option<Partitions>> {
        let spec = self.specs.get(manifest.partition_spec_id)?;
        let wanted = EntryRequest { with_deleted: true, ..EntryRequest::default() };
        let entries = self.reader.entries(manifest, &spec.partition_type, &wanted)?;
        let snapshot_ids = &entries.details()?.snapshot_id;
        let unified = self.specs.unify(entries.spec_id, &entries.partition)?;
        let mut partitions = Partitions::default();
        for row in 0..entries.len() {
            let status = entries.status.value(row);
            let snapshot_id = snapshot_ids.is_valid(row).then(|| snapshot_ids.value(row));
            if meaning == Meaning::Changes {
                if status != ADDED && status != DELETED {
                    continue;
                }
                if snapshot_id != manifest.added_snapshot_id {
                    return Ok(None);
                }
            }
            let updated = snapshot_id.and_then(|id| self.moments.get(&id).copied());
            let kind = kind(entries.file_content.value(row), entries.file_format.value(row))?;
            let counts = if meaning == Meaning::All && status == DELETED {
                Counts::default()
            } else {
                Counts::of_file(kind, entries.record_count.value(row), entries.file_size_in_bytes.value(row))
            };
            let values = self.values(&unified, row)?;
            partitions.change(entries.spec_id, values, &Counts { updated, ..counts }, status == DELETED)?;
        }
        Ok(Some(partitions))
    }

    fn values(&self, unified: &StructArray, row: usize) -> Result<PartitionValues> {
        let fields = self.fields.iter().zip(unified.columns());
        fields.map(|(field, array)| Ok((field.id, from_array(array, row, &field.field_type)?))).collect()
    }
}

fn kind(content: i32, format: &str) -> Result<FileKind> {
    match content {
        0 => Ok(FileKind::Data),
        1 if format.eq_ignore_ascii_case("puffin") => Ok(FileKind::Vector),
        1 => Ok(FileKind::PositionDeletes),
        2 => Ok(FileKind::EqualityDeletes),
        other => Err(Error::invalid_data(format!("expected a file content of 0, 1 or 2, found {other}"))),
    }
}
