//! Which rows do some fragments have?
//!
//! In: a version, and fragments of it. Out: ids, addresses and versions of their rows. No data file is opened.
//! Spec: Lance, Stable Row IDs; Row Lineage.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::DataType;
use floeberg_core::expr::Expr;
use floeberg_core::rows::{KeyIndex, NO_ROW};
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::check_source_memory;

use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows::{RowStream, numbers};
use crate::table::Table;

/// No version of a row is known. Versions of tables are smaller.
const UNKNOWN: u64 = u64::MAX;

/// Rows of some fragments, in the order of a scan.
#[derive(Debug, Default)]
pub(crate) struct RowPlaces {
    pub(crate) ids: Vec<u64>,
    pub(crate) addresses: Vec<u64>,
    created: Vec<u64>,
    updated: Vec<u64>,
}

impl RowPlaces {
    /// Of fragments, by their ids. Errors: `InvalidData`; `LimitExceeded`; `Cancelled`.
    pub(crate) fn of(
        table: &Table,
        fragments: &[u64],
        pages: &Arc<dyn Pages>,
        cancel: &Cancel,
    ) -> Result<Self> {
        Self::of_matching(table, fragments, &Expr::True, pages, cancel)
    }

    /// Of the rows of fragments that match a filter. Errors: those of [`RowPlaces::of`]; `InvalidInput` for an unknown column.
    pub(crate) fn of_matching(
        table: &Table,
        fragments: &[u64],
        filter: &Expr,
        pages: &Arc<dyn Pages>,
        cancel: &Cancel,
    ) -> Result<Self> {
        let wanted: HashSet<u64> = fragments.iter().copied().collect();
        let columns = RowColumn::ALL.map(|column| column.name().to_owned()).to_vec();
        let mut stream =
            RowStream::of_matching(table, columns, filter, Some(&|id| wanted.contains(&id)), pages)?;
        let mut rows = Self::default();
        while let Some(batch) = stream.next_batch()? {
            cancel.check()?;
            rows.ids.extend(numbers(&batch, RowColumn::Id.name())?);
            rows.addresses.extend(numbers(&batch, RowColumn::Address.name())?);
            rows.created.extend(versions(&batch, RowColumn::CreatedAtVersion)?);
            rows.updated.extend(versions(&batch, RowColumn::LastUpdatedAtVersion)?);
            check_source_memory(rows.addresses.len() as u64 * 4 * size_of::<u64>() as u64)?;
        }
        Ok(rows)
    }

    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// The version in which a row came.
    pub(crate) fn created(&self, row: usize) -> Option<u64> {
        Some(self.created[row]).filter(|version| *version != UNKNOWN)
    }

    /// The version in which a row was last changed.
    pub(crate) fn updated(&self, row: usize) -> Option<u64> {
        Some(self.updated[row]).filter(|version| *version != UNKNOWN)
    }

    /// The addresses of rows that are not among some.
    pub(super) fn others(&self, rows: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut is_other = vec![true; self.len()];
        rows.for_each(|row| is_other[row] = false);
        let others = self.addresses.iter().zip(is_other).filter(|(_, is_other)| *is_other);
        others.map(|(address, _)| *address).collect()
    }
}

fn versions(batch: &RecordBatch, column: RowColumn) -> Result<Vec<u64>> {
    let found = batch.column_by_name(column.name()).and_then(|found| found.as_primitive_opt::<UInt64Type>());
    let found = found.ok_or_else(|| Error::internal("expected versions of rows"))?;
    if found.null_count() == 0 {
        return Ok(found.values().to_vec());
    }
    Ok(found.iter().map(|version| version.unwrap_or(UNKNOWN)).collect())
}

/// Pairs of rows with equal numbers, such as ids: a row of the first, and one of the second, in the order of the second.
///
/// Errors: `LimitExceeded`.
pub(crate) fn paired(first: &[u64], second: &[u64]) -> Result<Vec<(usize, usize)>> {
    let column = |numbers: &[u64]| -> [ArrayRef; 1] {
        [Arc::new(numbers.iter().map(|number| number.cast_signed()).collect::<Int64Array>())]
    };
    let mut index = KeyIndex::new(vec![DataType::Int64], false)?;
    index.insert(&column(first))?;
    let found = index.find(&column(second))?;
    let pairs = found.into_iter().zip(0..).filter(|(row, _)| *row != NO_ROW);
    Ok(pairs.map(|(row, other)| (row as usize, other)).collect())
}
