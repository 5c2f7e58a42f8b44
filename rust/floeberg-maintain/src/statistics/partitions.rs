//! What does each partition of a snapshot count?
//!
//! In: a table and a snapshot. Out: a row for each partition, sorted, or the file that has them already.
//! Spec: Partition Statistics; Partition Statistics File.
//!
//! Invariant: rows are sorted by the struct over all specs, ascending, nulls first, and then by spec. Two specs never share a row,
//! even if their values are equal.

use std::cmp::Ordering;
use std::sync::Arc;

use floeberg_core::schema::PrimitiveType;
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::{PartitionStatisticsFile, Snapshot, TableMetadata, unified_partition};
use floeberg_iceberg::statistics::PartitionStatistics;

use super::changes::{counts_since, newest_file};
use super::counts::Partitions;
use super::entries::{Entries, Meaning};

/// The counts of the partitions of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum PartitionCounts {
    /// The table has no snapshot, or the snapshot no file.
    Nothing,
    /// The snapshot has a statistics file already.
    There(PartitionStatisticsFile),
    /// They were computed.
    Computed {
        /// The snapshot.
        snapshot: Arc<Snapshot>,
        /// A row for each partition, sorted.
        rows: Vec<PartitionStatistics>,
        /// The snapshot whose statistics file they stand on. `None` if all manifests were read.
        since: Option<i64>,
    },
}

/// Counts the partitions of a snapshot; by default, of the current one.
///
/// They stand on the newest statistics file of an ancestor, if history allows it and `force_refresh` does not ask for all manifests.
///
/// Errors: `NotFound` for an unknown snapshot; `InvalidInput` for a table that is not partitioned; `Unsupported` for a partition field
/// whose values have no known type; `InvalidData` for a damaged manifest; `Cancelled`; those of the store.
pub fn partition_counts(
    table: &Table,
    snapshot_id: Option<i64>,
    force_refresh: bool,
    cancel: &Cancel,
) -> Result<PartitionCounts> {
    let metadata = table.metadata();
    let chosen = match snapshot_id {
        Some(id) => Some(metadata.snapshot(id)?),
        None => metadata.current_snapshot(),
    };
    let Some(snapshot) = chosen.cloned() else { return Ok(PartitionCounts::Nothing) };
    check_partitions(metadata)?;
    let older = if force_refresh { None } else { newest_file(metadata, &snapshot)? };
    if let Some(file) = older.as_ref().filter(|file| file.snapshot_id == snapshot.snapshot_id) {
        return Ok(PartitionCounts::There(file.clone()));
    }
    let entries = Entries::new(table, cancel)?;
    let work = || {
        let manifests = entries.reader.manifests(&snapshot)?;
        if let Some(file) = older {
            let since = counts_since(table, &entries, &file, &snapshot, &manifests, cancel)?;
            if let Some(all) = since {
                return Ok((all, Some(file.snapshot_id)));
            }
        }
        let all = entries.counts(&manifests, Meaning::All)?;
        Ok::<_, Error>((all.ok_or_else(|| Error::internal("all entries of manifests count"))?, None))
    };
    let (all, since) = work().context("table", table.metadata_location())?;
    let rows = sorted_rows(all)?;
    if rows.is_empty() {
        return Ok(PartitionCounts::Nothing);
    }
    Ok(PartitionCounts::Computed { snapshot, rows, since })
}

/// Errors: `InvalidInput` for a table that is not partitioned; `Unsupported` for a field whose values have no known type.
fn check_partitions(metadata: &TableMetadata) -> Result<()> {
    if metadata.partition_specs.iter().all(|spec| spec.is_unpartitioned()) {
        return Err(Error::invalid_input(
            "expected a partitioned table to compute partition statistics, found one without a partition field",
        ));
    }
    let unified = unified_partition(metadata)?;
    for spec in &metadata.partition_specs {
        let positions = unified.positions.get(&spec.spec_id).map_or(&[][..], Vec::as_slice);
        for (field, position) in spec.fields.iter().zip(positions) {
            let result = unified.struct_type.fields.get(*position).map(|field| &field.field_type);
            let is_known = result.is_some_and(|result| *result != PrimitiveType::Unknown.into());
            if field.transform != Transform::Void && !is_known {
                return Err(Error::unsupported(format!(
                    "the type of the partition field {:?} is not known, so its partitions cannot be told apart",
                    field.name
                )));
            }
        }
    }
    Ok(())
}

fn sorted_rows(all: Partitions) -> Result<Vec<PartitionStatistics>> {
    let rows = all.into_all().map(|(spec_id, values, counts)| counts.into_row(spec_id, values));
    let mut rows = rows.collect::<Result<Vec<_>>>()?;
    rows.sort_by(|one, other| {
        let pairs = one.partition.iter().zip(&other.partition);
        let mut orders = pairs.map(|((_, one), (_, other))| order(one.as_ref(), other.as_ref()));
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal).then(one.spec_id.cmp(&other.spec_id))
    });
    Ok(rows)
}

/// Nulls are first, NaN is last, and -0.0 is before 0.0, as in Iceberg Java.
fn order(one: Option<&Value>, other: Option<&Value>) -> Ordering {
    match (one, other) {
        (Some(Value::Float(one)), Some(Value::Float(other))) => of_floats((*one).into(), (*other).into()),
        (Some(Value::Double(one)), Some(Value::Double(other))) => of_floats(*one, *other),
        (Some(one), Some(other)) => compare(one, other).unwrap_or(Ordering::Equal),
        (one, other) => one.is_some().cmp(&other.is_some()),
    }
}

fn of_floats(one: f64, other: f64) -> Ordering {
    one.is_nan()
        .cmp(&other.is_nan())
        .then_with(|| if one.is_nan() { Ordering::Equal } else { one.total_cmp(&other) })
}
