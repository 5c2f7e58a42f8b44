//! Which rows are one row, where several rows have their key?
//!
//! In: the rows of both versions whose keys are repeated, with a number for each key. Out: those that went, that came, and pairs.
//! Spec: Lance, Row Address.
//!
//! ```text
//! rows of one key:   equal values -> the same row    one left on each side -> a pair    others -> they went, and came
//! ```
//!
//! Invariant: as the differences of Iceberg tables, and of two tables, have it: one matcher does both. Rows whose keys are not repeated
//! are not read here.

use arrow_array::RecordBatch;
use floeberg_core::rows::RowHashes;
use floeberg_core::{Cancel, Error, Result};
use floeberg_rows::{ChangeType, Matcher, RowNumbers, Side, check_source_memory, value_numbers};

use super::matching::{Matched, Repeated, Sides};
use crate::read::RowColumn;
use crate::rows_at::RowsAt;
use crate::table::Table;

/// Adds what became of the rows whose keys are repeated. They are compared by the columns of some names, without those of the key.
///
/// Errors: `Unsupported`, with the column, for a type whose values cannot be compared; those of reading; `LimitExceeded`; `Cancelled`.
pub(super) fn match_repeated(
    sides: &Sides<'_>,
    values: &[String],
    matched: &mut Matched,
    cancel: &Cancel,
) -> Result<()> {
    let Repeated { mut old, mut new } = std::mem::take(&mut matched.repeated);
    if old.is_empty() {
        return Ok(());
    }
    // About what the matcher keeps of a row.
    check_source_memory((old.len() + new.len()) as u64 * 128)?;
    let hashes = RowHashes::default();
    let mut matcher = Matcher::default();
    for (side, table, rows) in
        [(Side::Inserted, sides.after, &mut new), (Side::Deleted, sides.before, &mut old)]
    {
        rows.sort_unstable();
        let mut stream = RowValues::new(table, rows, values, sides)?;
        while let Some((groups, batch)) = stream.next(cancel)? {
            let keys = groups.iter().map(|group| u128::from(*group)).collect();
            let rows = value_numbers(groups, &batch, &hashes)?;
            matcher.add(side, RowNumbers { rows, keys: Some(keys) })?;
        }
    }
    let found = matcher.finish();
    let mut updated = Vec::new();
    for ((address, _), change) in old.iter().zip(&found.deleted) {
        match change {
            Some(ChangeType::UpdateBefore) => updated.push(*address),
            Some(_) => matched.deleted.push(*address),
            None => {}
        }
    }
    let mut pairs = found.pairs.iter();
    for ((address, _), change) in new.iter().zip(&found.inserted) {
        let old = match change {
            Some(ChangeType::UpdateAfter) => pairs.next().and_then(|pair| updated.get(*pair as usize)),
            Some(_) => None,
            None => continue,
        };
        match old {
            Some(old) => matched.pairs.push((*old, *address)),
            None => matched.inserted.push(*address),
        }
    }
    Ok(())
}

/// The values of rows, in their order, with the numbers of their keys.
struct RowValues<'a> {
    stream: Option<RowsAt>,
    rows: &'a [(u64, u32)],
    names: &'a [String],
    groups: Vec<u32>,
    next: usize,
}

impl<'a> RowValues<'a> {
    fn new(table: &Table, rows: &'a [(u64, u32)], names: &'a [String], sides: &Sides<'_>) -> Result<Self> {
        let mut columns = names.to_vec();
        columns.push(RowColumn::Address.name().to_owned());
        let addresses: Vec<u64> = rows.iter().map(|(address, _)| *address).collect();
        let stream = if addresses.is_empty() {
            None
        } else {
            Some(RowsAt::new(table, addresses, columns, sides.pages)?)
        };
        Ok(Self { stream, rows, names, groups: Vec::new(), next: 0 })
    }

    fn next(&mut self, cancel: &Cancel) -> Result<Option<(&[u32], RecordBatch)>> {
        let Some(batch) = self.stream.as_mut().map(|stream| stream.next_batch(cancel)).transpose()?.flatten()
        else {
            return Ok(None);
        };
        let end = (self.next + batch.num_rows()).min(self.rows.len());
        self.groups = self.rows[self.next..end].iter().map(|(_, group)| *group).collect();
        self.next = end;
        Ok(Some((&self.groups, selected(&batch, self.names)?)))
    }
}

/// The columns of some names.
pub(super) fn selected(batch: &RecordBatch, names: &[String]) -> Result<RecordBatch> {
    let places: Option<Vec<usize>> = names.iter().map(|name| batch.schema().index_of(name).ok()).collect();
    let places = places.ok_or_else(|| Error::internal("a column of a difference was not read"))?;
    batch.project(&places).map_err(|error| Error::internal("columns could not be chosen").caused_by(error))
}
