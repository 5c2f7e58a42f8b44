//! Which files differ between two snapshots?
//!
//! In: the files of both. Out: those of one alone, and those of both with other deletes.
//! Spec: Scan Planning; Delete Formats.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use floeberg_iceberg::FilesOfBoth;
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, FileScanTask, Plan};

/// A row of the result.
struct Row {
    change: &'static str,
    content: &'static str,
    path: String,
    spec_id: i32,
    partition: String,
    rows: i64,
    bytes: i64,
}

/// The files that differ, one row each.
///
/// Errors: those of the tasks of a plan, and `InvalidData` for a partition spec that the table does not have.
pub(super) fn files(metadata: &TableMetadata, found: Option<&FilesOfBoth>) -> Result<RecordBatch> {
    let mut rows = Vec::new();
    if let Some(found) = found {
        let mut add = |change, task: &FileScanTask| {
            rows.push(Row {
                change,
                content: "data",
                path: task.file_path.clone(),
                spec_id: task.spec_id,
                partition: partition_shown(metadata, task.spec_id, &task.partition)?,
                rows: task.record_count,
                bytes: task.file_size_in_bytes,
            });
            Ok::<_, Error>(())
        };
        for number in &found.differing.went {
            add("removed", &found.before.task(*number)?)?;
        }
        for number in &found.differing.came {
            add("added", &found.after.task(*number)?)?;
        }
        for (_, number) in &found.differing.in_both {
            add("other deletes", &found.after.task(*number)?)?;
        }
        if !found.has_same_deletes {
            let one_sided =
                [("removed", &found.before, &found.after), ("added", &found.after, &found.before)];
            for (change, plan, other) in one_sided {
                delete_files(metadata, change, plan, other, &mut rows)?;
            }
        }
    }
    batch(&rows)
}

/// The delete files of a plan that another one does not have.
fn delete_files(
    metadata: &TableMetadata,
    change: &'static str,
    plan: &Plan,
    other: &Plan,
    rows: &mut Vec<Row>,
) -> Result<()> {
    let known: HashSet<_> = other.delete_files().iter().map(|delete| identity(delete)).collect();
    for delete in plan.delete_files().iter().filter(|delete| !known.contains(&identity(delete))) {
        rows.push(Row {
            change,
            content: match delete.kind {
                DeleteKind::Position => "position deletes",
                DeleteKind::Equality { .. } => "equality deletes",
                DeleteKind::Vector { .. } => "deletion vector",
            },
            path: delete.file_path.clone(),
            spec_id: delete.spec_id,
            partition: partition_shown(metadata, delete.spec_id, &delete.partition)?,
            rows: delete.record_count,
            bytes: i64::try_from(delete.content_size()).unwrap_or(i64::MAX),
        });
    }
    Ok(())
}

/// A Puffin file may have several deletion vectors.
pub(super) fn identity(delete: &DeleteFile) -> (&str, Option<i64>) {
    let offset = match delete.kind {
        DeleteKind::Vector { content_offset, .. } => Some(content_offset),
        DeleteKind::Position | DeleteKind::Equality { .. } => None,
    };
    (&delete.file_path, offset)
}

/// A partition as the folder that it has by default; empty in a table that is not partitioned.
pub(super) fn partition_shown(
    metadata: &TableMetadata,
    spec_id: i32,
    partition: &[(i32, Option<Value>)],
) -> Result<String> {
    let spec = metadata.partition_specs.iter().find(|spec| spec.spec_id == spec_id).ok_or_else(|| {
        Error::invalid_data(format!("a file has the partition spec {spec_id}, which the table does not have"))
    })?;
    let values: Vec<Option<Value>> = partition.iter().map(|(_, value)| value.clone()).collect();
    Ok(spec.partition_path(&values))
}

fn batch(rows: &[Row]) -> Result<RecordBatch> {
    let text =
        |of: fn(&Row) -> &str| -> ArrayRef { Arc::new(StringArray::from_iter_values(rows.iter().map(of))) };
    let long =
        |of: fn(&Row) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(rows.iter().map(of))) };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("change", text(|row| row.change)),
        ("content", text(|row| row.content)),
        ("file_path", text(|row| &row.path)),
        ("spec_id", Arc::new(Int32Array::from_iter_values(rows.iter().map(|row| row.spec_id)))),
        ("partition", text(|row| &row.partition)),
        ("record_count", long(|row| row.rows)),
        ("file_size_in_bytes", long(|row| row.bytes)),
    ];
    batch_of(columns)
}

/// Columns without nulls, as a batch.
pub(super) fn batch_of(columns: Vec<(&str, ArrayRef)>) -> Result<RecordBatch> {
    let field = |(name, column): &(&str, ArrayRef)| {
        let data_type: &DataType = column.data_type();
        Field::new(*name, data_type.clone(), false)
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns)
        .map_err(|error| Error::internal("the columns of a difference do not fit").caused_by(error))
}
