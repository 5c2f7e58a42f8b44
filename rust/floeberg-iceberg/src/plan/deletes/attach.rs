//! Which deletes and which residual does each file get?
//!
//! In: the kept files of one manifest, and their deletes if known. Out: for each the numbers of its deletes and of
//! its residual.
//! Spec: Scan Planning.
//!
//! Invariant: partition values are used only if a delete or the filter depends on them.

use std::sync::Arc;

use arrow_array::{Array as _, Int64Array, ListArray, StringArray, UInt64Array};
use arrow_select::take::take;
use floeberg_core::arrow_values::PartitionNumbers;
use floeberg_core::expr::BoundExpr;
use floeberg_core::{Error, Result};

use super::index::{DataFile, DeleteIndex};
use crate::manifest::{
    BoundSpec, DistinctResiduals, EntryStats, ManifestEntries, PruneCounts, Pruner, UntrustedColumns,
};
use crate::plan::columns::{DeleteLists, FileColumns, Selection, column, typed};

/// The kept files of one manifest.
#[derive(Clone, Copy)]
pub(crate) struct KeptFiles<'a> {
    /// All entries of the manifest.
    pub entries: &'a ManifestEntries,
    /// Which of them are kept.
    pub kept: &'a Selection,
    /// The columns of these.
    pub columns: &'a FileColumns,
    /// The columns whose statistics must not be used.
    pub untrusted: &'a UntrustedColumns,
    /// Are the paths of deletes that do not apply kept?
    pub verbose: bool,
}

/// The deletes of the files of one manifest.
#[derive(Debug)]
pub(crate) struct AttachedDeletes {
    /// Their numbers.
    pub lists: ListArray,
    /// Counts of the equality deletes in scope of a file, and of those whose keys it cannot have.
    pub equalities: PruneCounts,
}

impl AttachedDeletes {
    /// About how many bytes they take.
    pub fn memory(&self) -> u64 {
        (size_of::<Self>() + self.lists.get_array_memory_size()) as u64
    }
}

/// The deletes and residuals of the files of one manifest, with residuals numbered within it.
pub(crate) struct Attached {
    /// Their deletes; `None` if the snapshot has none.
    pub deletes: Option<Arc<AttachedDeletes>>,
    /// For each file a position in `residuals`.
    pub residual_of: Vec<i32>,
    /// The different residuals of their partitions.
    pub residuals: Vec<BoundExpr>,
}

/// Finds the deletes and the residual of every file. Known deletes must be of the same files and the same index.
pub(crate) fn attach(
    filter: &Pruner,
    index: &DeleteIndex,
    spec: &BoundSpec,
    files: KeptFiles<'_>,
    known: Option<Arc<AttachedDeletes>>,
) -> Result<Attached> {
    let columns = files.columns;
    let residuals = filter.residuals(spec.spec_id)?;
    let is_looked_up = known.is_none() && !index.is_empty();
    let named = if is_looked_up { named_deletes(index, spec, columns)? } else { Vec::new() };
    let is_scoped = is_looked_up && index.is_scoped_by_partition(spec.spec_id);
    let partitions = if is_scoped || residuals.depend_on_partition() {
        spec.partitions(&columns.partition)?
    } else if named.iter().any(Option::is_some) {
        partitions_of_named(spec, columns, &named)?
    } else {
        PartitionNumbers::one(columns.rows)
    };
    let deletes = if is_looked_up {
        let mut equalities = PruneCounts::new(files.verbose);
        let lists = delete_lists(index, files, &partitions, &named, &mut equalities)?;
        Some(Arc::new(AttachedDeletes { lists: lists.finish()?, equalities }))
    } else {
        known
    };
    let (residuals, residual_of) = if residuals.depend_on_partition() {
        let of = |row: &usize| Ok(residuals.of(&spec.values(&columns.partition, *row)?));
        let each = partitions.rows.iter().map(of).collect::<Result<_>>()?;
        // Most partitions share a few residuals. Several threads find equal ones here, and only one thread later.
        let mut distinct = DistinctResiduals::default();
        let numbers = distinct.numbers(each);
        let residual_of = partitions.of.iter().map(|partition| numbers[*partition as usize]).collect();
        (distinct.into_list().into_iter().map(Arc::unwrap_or_clone).collect(), residual_of)
    } else {
        (vec![filter.whole().clone()], vec![0; columns.rows])
    };
    Ok(Attached { deletes, residual_of, residuals })
}

/// For each file the first delete that names it; empty if no delete names a file.
///
/// Errors: `Unsupported` if a file has deletes by its partition, and partitions cannot be compared.
fn named_deletes(index: &DeleteIndex, spec: &BoundSpec, columns: &FileColumns) -> Result<Vec<Option<u32>>> {
    let paths = typed::<StringArray>(columns.column(column::FILE_PATH))?;
    let named: Vec<_> = if index.names_files() {
        (0..columns.rows).map(|row| index.named(paths.value(row))).collect()
    } else {
        Vec::new()
    };
    if !spec.is_comparable(&columns.partition) {
        let all = index.is_scoped_by_partition(spec.spec_id);
        if let Some(row) = (0..columns.rows).find(|row| all || named.get(*row).is_some_and(Option::is_some)) {
            return Err(spec.not_comparable().with("path", paths.value(row)));
        }
    }
    Ok(named)
}

/// The partitions of the files that deletes name: only these are compared. All other files may have any partition.
fn partitions_of_named(
    spec: &BoundSpec,
    columns: &FileColumns,
    named: &[Option<u32>],
) -> Result<PartitionNumbers> {
    let rows: Vec<usize> = (0..named.len()).filter(|row| named[*row].is_some()).collect();
    let places = UInt64Array::from_iter_values(rows.iter().map(|row| *row as u64));
    let partition = take(&columns.partition, &places, None)
        .map_err(|error| Error::internal("partitions of named files").caused_by(error))?;
    let found = spec.partitions(typed(&partition)?)?;
    let mut of = vec![0; columns.rows];
    for (row, number) in rows.iter().zip(found.of) {
        of[*row] = number;
    }
    Ok(PartitionNumbers { of, keys: found.keys, rows: found.rows.iter().map(|first| rows[*first]).collect() })
}

fn delete_lists(
    index: &DeleteIndex,
    files: KeptFiles<'_>,
    partitions: &PartitionNumbers,
    named: &[Option<u32>],
    equalities: &mut PruneCounts,
) -> Result<DeleteLists> {
    let columns = files.columns;
    let paths = typed::<StringArray>(columns.column(column::FILE_PATH))?;
    let sequence_numbers = typed::<Int64Array>(columns.column(column::DATA_SEQUENCE_NUMBER))?;
    let scopes: Vec<_> = partitions.keys.iter().map(|key| index.partition(columns.spec_id, key)).collect();
    let mut lists = DeleteLists { offsets: Vec::with_capacity(columns.rows + 1), values: Vec::new() };
    lists.offsets.push(0);
    for row in 0..columns.rows {
        let data = DataFile {
            path: paths.value(row),
            named: named.get(row).copied().flatten(),
            sequence_number: sequence_numbers.value(row),
            partition: scopes[partitions.of[row] as usize],
            stats: &EntryStats {
                entries: files.entries,
                row: files.kept.entry(row),
                untrusted: files.untrusted,
            },
        };
        index.matching(data, &mut lists.values, equalities)?;
        let end = i32::try_from(lists.values.len()).map_err(|_| {
            Error::limit("the files of a manifest have more than 2,147,483,647 deletes together")
        })?;
        lists.offsets.push(end);
    }
    Ok(lists)
}
