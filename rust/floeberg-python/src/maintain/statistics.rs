//! What do statistics say of a snapshot, and where are they written?

use floeberg_core::{Cancel, Result};
use floeberg_iceberg::Table as IcebergTable;
use floeberg_maintain::{PartitionCounts, partition_counts, sketch_columns};
use pyo3::prelude::*;

use crate::runtime;
use crate::table::table::Table;

/// A snapshot, the distinct values of its columns, and the statistics file that was written, as JSON text.
type TableStatistics = (i64, Vec<(String, u64)>, Option<String>);

/// Sketches columns of a snapshot, and writes the sketches unless it is a dry run. `None` for a table without a snapshot.
#[pyfunction]
#[pyo3(signature = (table, *, snapshot_id, columns, dry_run))]
pub fn compute_table_stats(
    py: Python<'_>,
    table: &Table,
    snapshot_id: Option<i64>,
    columns: Option<Vec<String>>,
    dry_run: bool,
) -> PyResult<Option<TableStatistics>> {
    let table = table.table.clone();
    runtime::run(py, &Cancel::default(), move |cancel| {
        let Some(found) = sketch_columns(&table, snapshot_id, columns.as_deref(), cancel)? else {
            return Ok(None);
        };
        cancel.check()?;
        let file = if dry_run { None } else { Some(table.write_statistics(&found.snapshot, &found.blobs)?) };
        let json = file.map(|file| file.to_json().to_string());
        Ok(Some((found.snapshot.snapshot_id, found.distinct, json)))
    })
}

/// A snapshot, the number of its partitions, the snapshot whose file its counts stand on, and the statistics file that it has now,
/// as JSON text. Without a number the snapshot had the file already.
type PartitionStatistics = (i64, Option<usize>, Option<i64>, Option<String>);

/// Counts the partitions of a snapshot, and writes the counts unless it is a dry run. `None` for a table without a snapshot, and for
/// a snapshot without a file.
#[pyfunction]
#[pyo3(signature = (table, *, snapshot_id, force_refresh, dry_run))]
pub fn compute_partition_stats(
    py: Python<'_>,
    table: &Table,
    snapshot_id: Option<i64>,
    force_refresh: bool,
    dry_run: bool,
) -> PyResult<Option<PartitionStatistics>> {
    let table = table.table.clone();
    runtime::run(py, &Cancel::default(), move |cancel| {
        let found = partition_counts(&table, snapshot_id, force_refresh, cancel)?;
        cancel.check()?;
        written(&table, found, dry_run, cancel)
    })
}

fn written(
    table: &IcebergTable,
    found: PartitionCounts,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<Option<PartitionStatistics>> {
    Ok(match found {
        PartitionCounts::Nothing => None,
        PartitionCounts::There(file) => {
            Some((file.snapshot_id, None, Some(file.snapshot_id), Some(file.to_json().to_string())))
        }
        PartitionCounts::Computed { snapshot, rows, since } => {
            let id = snapshot.snapshot_id;
            let file =
                if dry_run { None } else { Some(table.write_partition_statistics(id, &rows, cancel)?) };
            Some((id, Some(rows.len()), since, file.map(|file| file.to_json().to_string())))
        }
    })
}
