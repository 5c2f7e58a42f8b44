//! What do the scope rules look at in a delete file?
//!
//! Spec: Scan Planning (scope rules); Delete File Stats.

use std::sync::Arc;

use floeberg_core::expr::ColumnStats;
use floeberg_core::value::PartitionKey;

use crate::plan::{DeleteFile, DeleteKind};

/// A partition: the spec's id and the key of the values.
pub(crate) type Partition = (i32, PartitionKey);

/// A delete file, with what the scope rules look at.
#[derive(Debug)]
pub(crate) struct IndexedDelete {
    /// The file.
    pub file: Arc<DeleteFile>,
    /// Where it stands.
    pub partition: Partition,
    /// Is its spec unpartitioned? Then an equality delete reaches every partition.
    pub unpartitioned: bool,
    /// Position deletes: no deleted path is smaller.
    pub lowest_path: Option<String>,
    /// Position deletes: no deleted path is larger.
    pub highest_path: Option<String>,
    /// Equality deletes: what is known of key columns, by field id.
    pub keys: Vec<(i32, ColumnStats)>,
}

/// What is known of the key columns of an equality delete, by the number of the column.
pub(crate) type Keys = Vec<(usize, ColumnStats)>;

impl IndexedDelete {
    /// Is it for all files of its partition, and not for one file or for all partitions?
    pub fn is_scoped_by_partition(&self) -> bool {
        match self.file.kind {
            DeleteKind::Equality { .. } => !self.unpartitioned,
            DeleteKind::Position | DeleteKind::Vector { .. } => self.scope_path().is_none(),
        }
    }

    /// The one data file that a position delete or a vector is for: the one it names, or the one its path bounds name
    /// (Delete File Stats).
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
