//! What does a partition count?
//!
//! In: data files and delete files of a partition, added or removed. Out: its counts.
//! Spec: Partition Statistics File.
//!
//! Invariant: a count that leaves 64 bits is an error, never a wrong number. Of two snapshots that updated a partition, the one with
//! the later time counts, then the one with the higher sequence number, then the one with the higher id. The total of rows is not
//! written, though the specification allows it for some tables: Iceberg Java 1.11, which never computes it, keeps the number of an
//! older file in the next one, where it is wrong.

use std::collections::HashMap;

use floeberg_core::value::{PartitionKey, Value};
use floeberg_core::{Error, Result};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::statistics::PartitionStatistics;

/// When, with which sequence number and by which snapshot something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) timestamp_ms: i64,
    pub(super) sequence_number: i64,
    pub(super) snapshot_id: i64,
}

impl Moment {
    /// The moments of the snapshots that a table has.
    pub(super) fn all(metadata: &TableMetadata) -> HashMap<i64, Self> {
        let moment =
            |id: i64, timestamp_ms, sequence_number| Self { timestamp_ms, sequence_number, snapshot_id: id };
        let all = metadata.snapshots.iter().map(|each| {
            (each.snapshot_id, moment(each.snapshot_id, each.timestamp_ms, each.sequence_number))
        });
        all.collect()
    }
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Data,
    PositionDeletes,
    Vector,
    EqualityDeletes,
}

/// The counts of a partition, or what changes them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) data_records: i64,
    pub(super) data_files: i64,
    pub(super) data_bytes: i64,
    pub(super) position_records: i64,
    pub(super) position_files: i64,
    pub(super) vectors: i64,
    pub(super) equality_records: i64,
    pub(super) equality_files: i64,
    pub(super) updated: Option<Moment>,
}

impl Counts {
    /// Of one file.
    pub(super) fn of_file(kind: FileKind, records: i64, bytes: i64) -> Self {
        let none = Self::default();
        match kind {
            FileKind::Data => Self { data_records: records, data_files: 1, data_bytes: bytes, ..none },
            FileKind::PositionDeletes => Self { position_records: records, position_files: 1, ..none },
            FileKind::Vector => Self { position_records: records, vectors: 1, ..none },
            FileKind::EqualityDeletes => Self { equality_records: records, equality_files: 1, ..none },
        }
    }

    /// Adds other counts, or takes them away. The later update counts. Errors: `InvalidData` for counts beyond 64 bits.
    pub(super) fn change(&mut self, other: &Self, is_removed: bool) -> Result<()> {
        let pairs = [
            (&mut self.data_records, other.data_records),
            (&mut self.data_files, other.data_files),
            (&mut self.data_bytes, other.data_bytes),
            (&mut self.position_records, other.position_records),
            (&mut self.position_files, other.position_files),
            (&mut self.vectors, other.vectors),
            (&mut self.equality_records, other.equality_records),
            (&mut self.equality_files, other.equality_files),
        ];
        for (count, by) in pairs {
            let sum = if is_removed { count.checked_sub(by) } else { count.checked_add(by) };
            *count = sum.ok_or_else(|| {
                Error::invalid_data("the records, bytes or files of a partition do not fit into 64 bits")
            })?;
        }
        self.updated = self.updated.max(other.updated);
        Ok(())
    }

    /// The counts of a row; `None` where one of them is not known.
    pub(super) fn of_row(row: &PartitionStatistics, moments: &HashMap<i64, Moment>) -> Option<Self> {
        let updated =
            row.last_updated_at.zip(row.last_updated_snapshot_id).map(|(timestamp_ms, snapshot_id)| {
                let sequence_number = moments.get(&snapshot_id).map_or(0, |moment| moment.sequence_number);
                Moment { timestamp_ms, sequence_number, snapshot_id }
            });
        Some(Self {
            data_records: row.data_record_count,
            data_files: i64::from(row.data_file_count),
            data_bytes: row.total_data_file_size_in_bytes,
            position_records: row.position_delete_record_count?,
            position_files: i64::from(row.position_delete_file_count?),
            // Files of format version 2 do not have it, and such tables have no vectors.
            vectors: i64::from(row.dv_count.unwrap_or(0)),
            equality_records: row.equality_delete_record_count?,
            equality_files: i64::from(row.equality_delete_file_count?),
            updated,
        })
    }

    /// Is no count below zero?
    pub(super) fn is_possible(&self) -> bool {
        [
            self.data_records,
            self.data_files,
            self.data_bytes,
            self.position_records,
            self.position_files,
            self.vectors,
            self.equality_records,
            self.equality_files,
        ]
        .iter()
        .all(|count| *count >= 0)
    }

    /// The row of a partition.
    ///
    /// Errors: `LimitExceeded` for more files than 32 bits count.
    pub(super) fn into_row(self, spec_id: i32, partition: PartitionValues) -> Result<PartitionStatistics> {
        let files = |count: i64| {
            i32::try_from(count)
                .map_err(|_| Error::limit(format!("a partition has {count} files, more than 32 bits count")))
        };
        Ok(PartitionStatistics {
            partition,
            spec_id,
            data_record_count: self.data_records,
            data_file_count: files(self.data_files)?,
            total_data_file_size_in_bytes: self.data_bytes,
            position_delete_record_count: Some(self.position_records),
            position_delete_file_count: Some(files(self.position_files)?),
            equality_delete_record_count: Some(self.equality_records),
            equality_delete_file_count: Some(files(self.equality_files)?),
            total_record_count: None,
            last_updated_at: self.updated.map(|moment| moment.timestamp_ms),
            last_updated_snapshot_id: self.updated.map(|moment| moment.snapshot_id),
            dv_count: Some(files(self.vectors)?),
        })
    }
}

/// A partition: its spec, and its values.
type PartitionId = (i32, PartitionKey);
/// The values of a partition in the struct over all specs, by field id.
pub(super) type PartitionValues = Vec<(i32, Option<Value>)>;

/// The counts of partitions.
#[derive(Debug, Clone, Default)]
pub(super) struct Partitions {
    by_id: HashMap<PartitionId, (PartitionValues, Counts)>,
}

impl Partitions {
    /// Adds counts to those of a partition, or takes them away.
    pub(super) fn change(
        &mut self,
        spec_id: i32,
        values: PartitionValues,
        by: &Counts,
        is_removed: bool,
    ) -> Result<()> {
        let key = PartitionKey::new(values.iter().map(|(_, value)| value.as_ref()));
        let (_, counts) = self.by_id.entry((spec_id, key)).or_insert_with(|| (values, Counts::default()));
        counts.change(by, is_removed)
    }

    /// Adds the counts of other partitions.
    pub(super) fn add(&mut self, other: Self) -> Result<()> {
        for (id, (values, by)) in other.by_id {
            let (_, counts) = self.by_id.entry(id).or_insert_with(|| (values, Counts::default()));
            counts.change(&by, false)?;
        }
        Ok(())
    }

    /// The counts.
    pub(super) fn counts(&self) -> impl Iterator<Item = &Counts> {
        self.by_id.values().map(|(_, counts)| counts)
    }

    /// Each partition: its spec, its values and its counts.
    pub(super) fn into_all(self) -> impl Iterator<Item = (i32, PartitionValues, Counts)> {
        self.by_id.into_iter().map(|((spec_id, _), (values, counts))| (spec_id, values, counts))
    }
}
