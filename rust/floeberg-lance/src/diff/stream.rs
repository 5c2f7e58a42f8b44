//! How are the rows streamed that differ between two versions?
//!
//! In: addresses of rows. Out: batches of rows that went, that changed, and that came, in this order.
//!
//! Invariant: an update has a column that changed. Rows that went or came are read by their addresses alone.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::{Cancel, Error, Result};

use super::matching::Matched;
use super::repeated::selected;
use super::versions::Versions;
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows_at::RowsAt;
use crate::scan::Scan;
use crate::table::Table;
use crate::take::Taken;
use crate::taken_rows::taken_rows;

/// The most rows that are compared at once.
const PIECE: usize = 1 << 14;

/// Rows that differ, in batches.
#[derive(Debug)]
pub struct DiffStream {
    diff: Versions,
    pages: Arc<dyn Pages>,
    /// `None` before anything was matched.
    left: Option<Left>,
}

/// What is not given yet.
#[derive(Debug, Default)]
struct Left {
    deleted: Option<RowsAt>,
    pairs: Vec<(u64, u64)>,
    /// How many of the pairs were compared.
    compared: usize,
    inserted: Option<RowsAt>,
}

impl DiffStream {
    pub(super) fn new(diff: Versions, pages: Arc<dyn Pages>) -> Self {
        Self { diff, pages, left: None }
    }

    /// The next batch, which has rows; `None` after the last one.
    ///
    /// Errors: `Unsupported` where rows have addresses alone, and may have been moved; `NotFound` and `InvalidData` for data files that
    /// are gone or damaged; `LimitExceeded`; `Cancelled`.
    pub fn next_batch(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        if self.left.is_none() {
            self.left = Some(match self.diff.matched(&self.pages, cancel)? {
                None => Left::default(),
                Some(Matched { deleted, inserted, pairs, .. }) => Left {
                    deleted: self.rows_at(&self.diff.before, deleted)?,
                    inserted: self.rows_at(&self.diff.after, inserted)?,
                    pairs,
                    compared: 0,
                },
            });
        }
        let Some(left) = &mut self.left else { return Ok(None) };
        let cells = &self.diff.cells;
        if let Some(rows) = &mut left.deleted {
            if let Some(batch) = rows.next_batch(cancel)? {
                return cells.deleted(&selected(&batch, &self.diff.names)?).map(Some);
            }
            left.deleted = None;
        }
        while left.compared < left.pairs.len() {
            cancel.check()?;
            let end = (left.compared + PIECE).min(left.pairs.len());
            let some = &left.pairs[left.compared..end];
            left.compared = end;
            let old: Vec<u64> = some.iter().map(|(old, _)| *old).collect();
            let new: Vec<u64> = some.iter().map(|(_, new)| *new).collect();
            let values =
                |table, addresses: &[u64]| values(table, &self.diff.names, addresses, &self.pages, cancel);
            let batch = cells.updated(&values(&self.diff.before, &old)?, &values(&self.diff.after, &new)?)?;
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        if let Some(rows) = &mut left.inserted {
            if let Some(batch) = rows.next_batch(cancel)? {
                return cells.inserted(&selected(&batch, &self.diff.names)?).map(Some);
            }
            left.inserted = None;
        }
        Ok(None)
    }

    /// How many rows went and came, which are then not given; `None` where something was given already.
    ///
    /// Errors: those of [`Self::next_batch`].
    pub(super) fn take_alone(&mut self, cancel: &Cancel) -> Result<Option<(u64, u64)>> {
        if self.left.is_some() {
            return Ok(None);
        }
        let Matched { deleted, inserted, pairs, .. } =
            self.diff.matched(&self.pages, cancel)?.unwrap_or_default();
        self.left = Some(Left { pairs, ..Left::default() });
        Ok(Some((deleted.len() as u64, inserted.len() as u64)))
    }

    fn rows_at(&self, table: &Table, addresses: Vec<u64>) -> Result<Option<RowsAt>> {
        if addresses.is_empty() {
            return Ok(None);
        }
        let mut columns = self.diff.names.clone();
        columns.push(RowColumn::Address.name().to_owned());
        RowsAt::new(table, addresses, columns, &self.pages).map(Some)
    }
}

/// The values of rows, in the order of their addresses.
fn values(
    table: &Table,
    names: &[String],
    addresses: &[u64],
    pages: &Arc<dyn Pages>,
    cancel: &Cancel,
) -> Result<RecordBatch> {
    let request = Scan::new(table.clone()).select(names.to_vec()).request()?;
    let schema = Arc::clone(request.schema());
    let batches = taken_rows(&Taken::by_addresses(request, addresses)?, pages, cancel)?;
    concat_batches(&schema, &batches)
        .map_err(|error| Error::limit("rows to compare are too large for one batch").caused_by(error))
}
