//! Which deletes apply to each file, and what is left to ask of its rows?
//!
//! In: the kept files of one manifest. Out: for each the numbers of its deletes and of its residual.
//! Spec: Scan Planning.
//!
//! Invariant: partition values are looked at only where a delete or the filter depends on them.

use std::collections::HashMap;

use arrow_array::{Int64Array, StringArray};
use floeberg_core::Result;
use floeberg_core::expr::BoundExpr;
use floeberg_core::value::PartitionKey;

use super::bounds::EntryStats;
use super::chunk::{FileColumns, Kept, column, typed};
use super::deletes::{DataFile, DeleteIndex};
use super::filter::PlanFilter;
use super::specs::PlannedSpec;
use super::tally::Tally;
use crate::metadata::ManifestEntries;

/// The kept files of one manifest.
#[derive(Clone, Copy)]
pub(crate) struct KeptFiles<'a> {
    /// All entries of the manifest.
    pub entries: &'a ManifestEntries,
    /// Which of them are kept.
    pub kept: &'a Kept,
    /// The columns of these.
    pub columns: &'a FileColumns,
}

/// What the files of one manifest got, residuals numbered within it.
pub(crate) struct Attached {
    /// For each file the numbers of its deletes; `None` where the snapshot has none.
    pub deletes: Option<Vec<Vec<i32>>>,
    /// For each file a position in `residuals`.
    pub residual_of: Vec<u32>,
    /// A residual for each partition.
    pub residuals: Vec<BoundExpr>,
}

/// Finds the deletes and the residual of every file. `equalities` counts the equality deletes whose scope a file is in, and
/// those whose keys it cannot have.
pub(crate) fn attach(
    filter: &PlanFilter,
    index: &DeleteIndex,
    spec: &PlannedSpec,
    files: KeptFiles<'_>,
    equalities: &mut Tally,
) -> Result<Attached> {
    let columns = files.columns;
    let of_partition = filter.residuals(spec.spec_id)?;
    let mut attached = Attached { deletes: None, residual_of: vec![0; columns.rows], residuals: Vec::new() };
    if !of_partition.depend_on_partition() {
        attached.residuals.push(filter.whole().clone());
        if index.is_empty() {
            return Ok(attached);
        }
    }
    let paths = typed::<StringArray>(columns.column(column::FILE_PATH))?;
    let sequence_numbers = typed::<Int64Array>(columns.column(column::DATA_SEQUENCE_NUMBER))?;
    let anywhere = PartitionKey::new([]);
    let mut numbers: HashMap<PartitionKey, u32> = HashMap::new();
    let mut deletes = (!index.is_empty()).then(|| Vec::with_capacity(columns.rows));
    for row in 0..columns.rows {
        let path = paths.value(row);
        let by_deletes = index.depends_on_partition(path, columns.spec_id);
        if by_deletes && !spec.is_comparable(&columns.partition) {
            return Err(spec.not_comparable().with("path", path));
        }
        let asked = of_partition.depend_on_partition() || by_deletes;
        let key = if asked { spec.key(&columns.partition, row)? } else { anywhere.clone() };
        if let Some(deletes) = &mut deletes {
            let data = DataFile {
                path,
                sequence_number: sequence_numbers.value(row),
                spec_id: columns.spec_id,
                partition_key: &key,
                stats: &EntryStats { entries: files.entries, row: files.kept.entry(row) },
            };
            let mut found = Vec::new();
            index.matching(data, &mut found, equalities)?;
            deletes.push(found);
        }
        if of_partition.depend_on_partition() {
            attached.residual_of[row] = if let Some(number) = numbers.get(&key) {
                *number
            } else {
                attached.residuals.push(of_partition.of(&spec.values(&columns.partition, row)?));
                let number = attached.residuals.len() as u32 - 1;
                numbers.insert(key, number);
                number
            };
        }
    }
    attached.deletes = deletes;
    Ok(attached)
}
