//! How many rows of each partition differ at most?
//!
//! In: the files that differ. Out: for each partition how many rows and bytes came and went, at most. No data file and no delete
//! file is opened.
//!
//! Invariant: no partition has more rows that came, or went, than are said here. A row that was only written again counts on both
//! sides.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use floeberg_core::Result;
use floeberg_iceberg::FilesOfBoth;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::plan::{DeleteKind, FileScanTask};

use super::files::{batch_of, identity, partition_shown};

/// The most that differs in a partition.
#[derive(Default)]
struct Most {
    files: i64,
    inserted: Side,
    deleted: Side,
}

#[derive(Default)]
struct Side {
    rows: i64,
    bytes: i64,
}

impl Side {
    fn add(&mut self, rows: i64, bytes: i64) {
        self.rows = self.rows.saturating_add(rows);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// The partitions with files that differ, one row each.
///
/// Errors: those of the tasks of a plan, and `InvalidData` for a partition spec that the table does not have.
pub(super) fn preview(metadata: &TableMetadata, found: Option<&FilesOfBoth>) -> Result<RecordBatch> {
    let mut partitions: BTreeMap<(i32, String), Most> = BTreeMap::new();
    if let Some(FilesOfBoth { before, after, differing, .. }) = found {
        let mut partition = |task: &FileScanTask, add: &dyn Fn(&mut Most)| -> Result<()> {
            let shown = partition_shown(metadata, task.spec_id, &task.partition)?;
            let most = partitions.entry((task.spec_id, shown)).or_default();
            most.files = most.files.saturating_add(1);
            add(most);
            Ok(())
        };
        for number in &differing.came {
            let task = after.task(*number)?;
            partition(&task, &|most| most.inserted.add(task.record_count, task.file_size_in_bytes))?;
        }
        for number in &differing.went {
            let task = before.task(*number)?;
            partition(&task, &|most| most.deleted.add(task.record_count, task.file_size_in_bytes))?;
        }
        for (old, new) in &differing.in_both {
            let (old, new) = (before.task(*old)?, after.task(*new)?);
            let bytes = |rows: i64| if rows > 0 { new.file_size_in_bytes } else { 0 };
            let (gone, back) = (most_deleted(&new, &old), most_deleted(&old, &new));
            partition(&new, &|most| {
                most.deleted.add(gone, bytes(gone));
                most.inserted.add(back, bytes(back));
            })?;
        }
    }
    let count = |of: fn(&Most) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(partitions.values().map(of)))
    };
    let specs = partitions.keys().map(|(spec_id, _)| *spec_id);
    let names = partitions.keys().map(|(_, partition)| partition);
    batch_of(vec![
        ("spec_id", Arc::new(Int32Array::from_iter_values(specs))),
        ("partition", Arc::new(StringArray::from_iter_values(names))),
        ("files", count(|most| most.files)),
        ("inserted_rows", count(|most| most.inserted.rows)),
        ("inserted_bytes", count(|most| most.inserted.bytes)),
        ("deleted_rows", count(|most| most.deleted.rows)),
        ("deleted_bytes", count(|most| most.deleted.bytes)),
    ])
}

/// How many rows the deletes of a file delete at most that it does not have elsewhere.
fn most_deleted(task: &FileScanTask, other: &FileScanTask) -> i64 {
    let known: HashSet<_> = other.deletes.iter().map(|delete| identity(delete)).collect();
    let most = |rows: i64, delete: &Arc<floeberg_iceberg::plan::DeleteFile>| match delete.kind {
        DeleteKind::Equality { .. } => task.record_count,
        DeleteKind::Position | DeleteKind::Vector { .. } => rows.saturating_add(delete.record_count.max(0)),
    };
    let own = task.deletes.iter().filter(|delete| !known.contains(&identity(delete)));
    own.fold(0, most).min(task.record_count)
}
