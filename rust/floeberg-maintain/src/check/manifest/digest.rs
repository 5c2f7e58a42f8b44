//! What do snapshots need of a manifest, once it was checked?
//!
//! In: entries. Out: sums, and 64 bytes for each live file.
//! Spec: Optional Snapshot Summary Fields; Scan Planning; First Row ID Inheritance.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use floeberg_core::finding;
use floeberg_core::value::PartitionKey;
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};
use floeberg_io::location::canonical;

use super::stored::{ADDED, DATA, DELETED, EQUALITY, Stored, number};

/// Sums over files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) records: i64,
    pub(super) data_files: i64,
    pub(super) delete_files: i64,
    pub(super) files_size: i64,
    pub(super) position_deletes: i64,
    pub(super) equality_deletes: i64,
}

/// A live file.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveFile {
    /// Its location, and of a vector its offset, as a hash of 128 bits.
    pub(super) key: u128,
    pub(super) rows: i64,
    pub(super) sequence: i64,
    /// The id of its first row; -1 for none.
    pub(super) first_row_id: i64,
    /// Its spec and partition, as a hash.
    pub(super) partition: u64,
    pub(super) entry: u32,
    pub(super) is_data: bool,
}

/// A delete file that names its data file.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) key: u128,
    pub(super) path: String,
    pub(super) sequence: i64,
    pub(super) partition: u64,
    pub(super) entry: u32,
    pub(super) is_vector: bool,
}

/// What is kept of a manifest.
#[derive(Debug, Default)]
pub(in crate::check) struct Digest {
    pub(super) live: Sums,
    /// What the snapshot that added the manifest added and removed.
    pub(super) added: Sums,
    pub(super) removed: Sums,
    pub(super) files: Vec<LiveFile>,
    pub(super) targets: Vec<Target>,
    /// How many row ids the manifest assigns.
    pub(super) assigned: i64,
}

impl Sums {
    pub(super) fn plus(&mut self, other: &Self) {
        self.records = self.records.saturating_add(other.records);
        self.data_files = self.data_files.saturating_add(other.data_files);
        self.delete_files = self.delete_files.saturating_add(other.delete_files);
        self.files_size = self.files_size.saturating_add(other.files_size);
        self.position_deletes = self.position_deletes.saturating_add(other.position_deletes);
        self.equality_deletes = self.equality_deletes.saturating_add(other.equality_deletes);
    }

    fn of(stored: &Stored, row: usize) -> Self {
        let rows = stored.record_count.value(row);
        let of_vector = number(&stored.content_size, row).filter(|_| stored.is_vector(row));
        let mut sums = Self { files_size: of_vector.unwrap_or(stored.size.value(row)), ..Self::default() };
        match stored.content(row) {
            DATA => (sums.data_files, sums.records) = (1, rows),
            EQUALITY => (sums.delete_files, sums.equality_deletes) = (1, rows),
            _ => (sums.delete_files, sums.position_deletes) = (1, rows),
        }
        sums
    }
}

/// The hash of a location, and of the offset of a vector in it. Two files with one hash are as likely as a broken disk.
pub(in crate::check) fn key_of(location: &str, offset: Option<i64>) -> u128 {
    finding::key_of(&(canonical(location), offset))
}

impl Digest {
    /// Of entries whose status is one of the three, with the partition of each.
    pub(super) fn new(stored: &Stored, manifest: &ManifestFile, partitions: &[PartitionKey]) -> Self {
        let mut digest = Self::default();
        let mut next_id = manifest.first_row_id.filter(|_| manifest.content == ManifestContent::Data);
        for row in 0..stored.len() {
            let status = stored.status.value(row);
            let sums = Sums::of(stored, row);
            let own = number(&stored.snapshot_id, row);
            if own.is_none() || own == manifest.added_snapshot_id {
                match status {
                    ADDED => digest.added.plus(&sums),
                    DELETED => digest.removed.plus(&sums),
                    _ => {}
                }
            }
            if status == DELETED {
                continue;
            }
            digest.live.plus(&sums);
            let rows = stored.record_count.value(row);
            let mut first_row_id = number(&stored.first_row_id, row);
            if let (None, Some(next)) = (first_row_id, next_id) {
                first_row_id = Some(next);
                next_id = Some(next.saturating_add(rows.max(0)));
                digest.assigned = digest.assigned.saturating_add(rows.max(0));
            }
            digest.add(stored, row, manifest, first_row_id, partitions.get(row));
        }
        digest
    }

    fn add(
        &mut self,
        stored: &Stored,
        row: usize,
        manifest: &ManifestFile,
        first_row_id: Option<i64>,
        partition: Option<&PartitionKey>,
    ) {
        let mut hasher = DefaultHasher::new();
        (manifest.partition_spec_id, partition).hash(&mut hasher);
        let partition = hasher.finish();
        let (path, is_vector) = (stored.path.value(row), stored.is_vector(row));
        let sequence = stored.sequence(row, manifest).unwrap_or(0);
        let entry = u32::try_from(row).unwrap_or(u32::MAX);
        let offset = number(&stored.offset, row).filter(|_| is_vector);
        self.files.push(LiveFile {
            key: key_of(path, offset),
            rows: stored.record_count.value(row),
            sequence,
            first_row_id: first_row_id.filter(|_| manifest.content == ManifestContent::Data).unwrap_or(-1),
            partition,
            entry,
            is_data: stored.content(row) == DATA,
        });
        if stored.content(row) != DATA
            && let Some(path) = stored.referenced(row)
        {
            let (key, path) = (key_of(path, None), path.to_owned());
            self.targets.push(Target { key, path, sequence, partition, entry, is_vector });
        }
    }
}
