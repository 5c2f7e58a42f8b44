//! Which fields of a delete file decide its scope?
//!
//! Spec: Scan Planning (scope rules); Delete File Stats.

use std::sync::Arc;

use floeberg_core::expr::ColumnStats;
use floeberg_core::value::{PartitionKey, Value};

use crate::plan::{DeleteFile, DeleteKind};

/// A partition: the spec's id and the key of the values.
pub(crate) type Partition = (i32, PartitionKey);

/// Bytes that an index takes per delete, besides the delete itself: entries of lists and maps.
const NOTED: usize = 64;

/// A delete file, with the fields that decide its scope.
#[derive(Debug)]
pub(crate) struct IndexedDelete {
    /// The file.
    pub file: Arc<DeleteFile>,
    /// Its partition.
    pub partition: Partition,
    /// Is its spec unpartitioned? Then an equality delete reaches every partition.
    pub unpartitioned: bool,
    /// Position deletes: no deleted path is smaller.
    pub lowest_path: Option<String>,
    /// Position deletes: no deleted path is larger.
    pub highest_path: Option<String>,
    /// Equality deletes: statistics of key columns, by field id.
    pub keys: Vec<(i32, ColumnStats)>,
}

/// Statistics of the key columns of an equality delete, by the number of the column.
pub(crate) type Keys = Vec<(usize, ColumnStats)>;

/// About how many bytes keys take.
pub(crate) fn memory_of(keys: &Keys) -> u64 {
    let bounds = |stats: &ColumnStats| heap_of(stats.lower.as_ref()) + heap_of(stats.upper.as_ref());
    let of_keys = keys.iter().map(|(_, stats)| size_of::<(usize, ColumnStats)>() + bounds(stats));
    (size_of::<Keys>() + of_keys.sum::<usize>()) as u64
}

/// The heap bytes of a value of a primitive type.
fn heap_of(value: Option<&Value>) -> usize {
    match value {
        Some(Value::String(text)) => text.len(),
        Some(Value::Fixed(bytes) | Value::Binary(bytes)) => bytes.len(),
        _ => 0,
    }
}

impl IndexedDelete {
    /// About how many bytes it takes, including its entries in an index but not its keys.
    pub fn memory(&self) -> u64 {
        let file = self.file.as_ref();
        let texts = [
            Some(&file.file_path),
            Some(&file.location),
            file.referenced_data_file.as_ref(),
            self.lowest_path.as_ref(),
            self.highest_path.as_ref(),
        ];
        let ids = match &file.kind {
            DeleteKind::Equality { equality_ids } => equality_ids.as_slice(),
            DeleteKind::Position | DeleteKind::Vector { .. } => &[],
        };
        let values = file
            .partition
            .iter()
            .map(|(_, value)| size_of::<(i32, Option<Value>)>() + heap_of(value.as_ref()));
        let bytes = size_of::<Self>()
            + size_of::<DeleteFile>()
            + texts.into_iter().flatten().map(String::len).sum::<usize>()
            + size_of_val(ids)
            + self.partition.1.as_bytes().len()
            + values.sum::<usize>()
            + NOTED;
        bytes as u64
    }

    /// Does it apply to all files of its partition, and not to one file or to all partitions?
    pub fn is_scoped_by_partition(&self) -> bool {
        match self.file.kind {
            DeleteKind::Equality { .. } => !self.unpartitioned,
            DeleteKind::Position | DeleteKind::Vector { .. } => self.scope_path().is_none(),
        }
    }

    /// The one data file of a position delete or a deletion vector: the referenced data file, or the one that equal path bounds
    /// name (Delete File Stats).
    pub fn scope_path(&self) -> Option<&str> {
        if matches!(self.file.kind, DeleteKind::Equality { .. }) {
            return None;
        }
        if let Some(path) = &self.file.referenced_data_file {
            return Some(path);
        }
        match (&self.lowest_path, &self.highest_path) {
            (Some(lowest), Some(highest)) if lowest == highest => Some(lowest),
            _ => None,
        }
    }
}
