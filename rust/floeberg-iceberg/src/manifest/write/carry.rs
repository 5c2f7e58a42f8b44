//! Which entry does a row of a decoded manifest have, to be written again?
//!
//! In: decoded entries with all their metrics, and the partition type. Out: an entry, inheritance applied.
//! Spec: Manifest Entry Fields; Data File Fields.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, MapArray};
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::StructType;
use floeberg_core::{Error, Result};

use super::{DataFile, EntryStatus, FileContent, ManifestEntry};
use crate::manifest::{ADDED, DELETED, EntryMetrics, ManifestEntries};

impl ManifestEntries {
    /// The entry of a row, with its counts and bounds, which were requested by `with_metrics`.
    ///
    /// Snapshot, sequence numbers and first row id are explicit, with inheritance applied, since the entry moves to another manifest.
    /// Errors: `Internal` if no metrics were requested, or for a row out of range; `InvalidInput` for another partition type than the
    /// entries were decoded with.
    pub fn entry(&self, row: usize, partition_type: &StructType) -> Result<ManifestEntry> {
        let Some(metrics) = self.metrics.as_ref().filter(|_| row < self.len()) else {
            return Err(Error::internal("an entry to carry over is missing, or was decoded without metrics"));
        };
        self.entry_with(row, Some(metrics), partition_type)
    }

    /// The entry of a row to be written again, and the bytes of its [carried fields](ManifestEntries::stored). The entry lacks what is in
    /// the bytes alone: counts, bounds, key metadata and split offsets. Without bytes it is whole, as that of [`entry`](Self::entry).
    ///
    /// Errors: those of [`entry`](Self::entry).
    pub fn carried(&self, row: usize, partition_type: &StructType) -> Result<(ManifestEntry, Option<&[u8]>)> {
        match self.stored.as_ref().filter(|stored| row < stored.len()) {
            None => Ok((self.entry(row, partition_type)?, None)),
            Some(stored) => Ok((self.entry_with(row, None, partition_type)?, Some(stored.value(row)))),
        }
    }

    /// The entry of a row that is there.
    fn entry_with(
        &self,
        row: usize,
        metrics: Option<&EntryMetrics>,
        partition_type: &StructType,
    ) -> Result<ManifestEntry> {
        let status = match self.status.value(row) {
            DELETED => EntryStatus::Deleted,
            ADDED => EntryStatus::Added,
            _ => EntryStatus::Existing,
        };
        let details = self.details()?;
        Ok(ManifestEntry {
            status,
            snapshot_id: valid(&details.snapshot_id, row, |row| details.snapshot_id.value(row)),
            sequence_number: Some(self.data_sequence_number.value(row)),
            file_sequence_number: valid(&details.file_sequence_number, row, |row| {
                details.file_sequence_number.value(row)
            }),
            data_file: self.data_file(row, metrics, partition_type)?,
            unknown: self.unknown.as_ref().and_then(|unknown| unknown.row(row)),
        })
    }

    fn data_file(
        &self,
        row: usize,
        metrics: Option<&EntryMetrics>,
        partition_type: &StructType,
    ) -> Result<DataFile> {
        if self.partition.num_columns() != partition_type.fields.len() {
            return Err(Error::invalid_input("the entries were decoded with another partition type"));
        }
        let columns = self.partition.columns().iter().zip(&partition_type.fields);
        let partition = columns.map(|(column, field)| from_array(column, row, &field.field_type));
        let long = |array: &arrow_array::Int64Array| valid(array, row, |row| array.value(row));
        let details = self.details()?;
        let (offsets, ids) = (&self.split_offsets, &details.equality_ids);
        Ok(DataFile {
            content: match self.file_content.value(row) {
                0 => FileContent::Data,
                1 => FileContent::PositionDeletes,
                _ => FileContent::EqualityDeletes,
            },
            file_path: self.file_path.value(row).to_owned(),
            file_format: self.file_format.value(row).to_owned(),
            partition: partition.collect::<Result<_>>()?,
            record_count: self.record_count.value(row),
            file_size_in_bytes: self.file_size_in_bytes.value(row),
            column_sizes: metrics.and_then(|metrics| longs(&metrics.column_sizes, row)),
            value_counts: metrics.and_then(|metrics| longs(&metrics.value_counts, row)),
            null_value_counts: metrics.and_then(|metrics| longs(&metrics.null_value_counts, row)),
            nan_value_counts: metrics.and_then(|metrics| longs(&metrics.nan_value_counts, row)),
            lower_bounds: metrics.and_then(|metrics| bounds(&metrics.lower_bounds, row)),
            upper_bounds: metrics.and_then(|metrics| bounds(&metrics.upper_bounds, row)),
            key_metadata: metrics
                .and_then(|_| valid(&self.key_metadata, row, |row| self.key_metadata.value(row).to_vec())),
            split_offsets: metrics.and_then(|_| {
                valid(offsets, row, |row| offsets.value(row).as_primitive::<Int64Type>().values().to_vec())
            }),
            equality_ids: valid(ids, row, |row| ids.value(row).as_primitive::<Int32Type>().values().to_vec()),
            sort_order_id: valid(&details.sort_order_id, row, |row| details.sort_order_id.value(row)),
            first_row_id: long(&self.first_row_id),
            referenced_data_file: valid(&details.referenced_data_file, row, |row| {
                details.referenced_data_file.value(row).to_owned()
            }),
            content_offset: long(&details.content_offset),
            content_size_in_bytes: long(&details.content_size_in_bytes),
        })
    }
}

fn valid<T>(array: &dyn Array, row: usize, get: impl FnOnce(usize) -> T) -> Option<T> {
    array.is_valid(row).then(|| get(row))
}

/// Null values are left out: a field that is missing from a map is unknown too.
fn map<T>(maps: &MapArray, row: usize, get: impl Fn(&dyn Array, usize) -> T) -> Option<BTreeMap<i32, T>> {
    valid(maps, row, |row| {
        let pairs = maps.value(row);
        let (keys, values) = (pairs.column(0).as_primitive::<Int32Type>(), pairs.column(1));
        let known = (0..keys.len()).filter(|item| values.is_valid(*item));
        known.map(|item| (keys.value(item), get(values, item))).collect()
    })
}

fn longs(maps: &MapArray, row: usize) -> Option<BTreeMap<i32, i64>> {
    map(maps, row, |values, item| values.as_primitive::<Int64Type>().value(item))
}

fn bounds(maps: &MapArray, row: usize) -> Option<BTreeMap<i32, Vec<u8>>> {
    map(maps, row, |values, item| values.as_binary::<i32>().value(item).to_vec())
}
