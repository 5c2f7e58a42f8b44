//! How are the rows of several fragments read?
//!
//! In: fragments of a scan, and what decodes pages. Out: batches of the rows, one fragment after another.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{Array as _, RecordBatch};
use floeberg_core::expr::Expr;
use floeberg_core::{Cancel, Error, Result};

use crate::group::Group;
use crate::pages::Pages;
use crate::read::{FragmentBatches, FragmentRows, ReadRequest};
use crate::scan::Scan;
use crate::table::Table;
use crate::take::Taken;

/// The fragments to read.
#[derive(Debug, Clone)]
pub enum Fragments {
    /// Of a scan.
    Group(Group),
    /// Of rows that are asked for.
    Taken(Taken),
}

impl Fragments {
    /// How many fragments there are.
    fn len(&self) -> usize {
        match self {
            Self::Group(group) => group.parts().len(),
            Self::Taken(taken) => taken.fragments(),
        }
    }

    fn open(&self, number: usize) -> Result<FragmentRows> {
        match self {
            Self::Group(group) => group.open(number),
            Self::Taken(taken) => taken.open(number),
        }
    }
}

/// Batches of the rows of fragments.
#[derive(Debug)]
pub struct RowStream {
    fragments: Fragments,
    pages: Arc<dyn Pages>,
    /// The most rows that are still given.
    left: Option<u64>,
    next: usize,
    current: Option<FragmentBatches>,
}

impl RowStream {
    /// Rows of fragments, at most `limit`. Nothing is opened before the first batch.
    pub fn new(fragments: Fragments, pages: Arc<dyn Pages>, limit: Option<u64>) -> Self {
        Self { fragments, pages, left: limit, next: 0, current: None }
    }

    /// Columns of all rows of a version; of the rows of some fragments, by their ids, where these are given.
    ///
    /// Errors: `InvalidInput` for an unknown column; those of [`Scan::request`].
    pub fn of_columns(
        table: &Table,
        columns: Vec<String>,
        fragments: Option<&dyn Fn(u64) -> bool>,
        pages: &Arc<dyn Pages>,
    ) -> Result<Self> {
        Self::of_matching(table, columns, &Expr::True, fragments, pages)
    }

    /// The same of the rows that match a filter.
    ///
    /// Errors: `InvalidInput` for an unknown column; those of [`Scan::request`].
    pub(crate) fn of_matching(
        table: &Table,
        columns: Vec<String>,
        filter: &Expr,
        fragments: Option<&dyn Fn(u64) -> bool>,
        pages: &Arc<dyn Pages>,
    ) -> Result<Self> {
        let request = Scan::new(table.clone()).filter(filter.clone()).select(columns).request()?;
        let group = match fragments {
            Some(is_wanted) => Group::of_fragments(&request, is_wanted),
            None => Group::whole(&request),
        };
        Ok(Self::new(Fragments::Group(group), Arc::clone(pages), None))
    }

    /// All rows of a request.
    pub(crate) fn of_request(request: &Arc<ReadRequest>, pages: &Arc<dyn Pages>) -> Self {
        Self::new(Fragments::Group(Group::whole(request)), Arc::clone(pages), None)
    }

    /// The rows of one fragment of a request, by its place.
    pub(crate) fn of_fragment(request: &Arc<ReadRequest>, place: usize, pages: &Arc<dyn Pages>) -> Self {
        Self::new(Fragments::Group(Group::of_fragment(request, place)), Arc::clone(pages), None)
    }

    /// The next batch that has rows; `None` after the last one.
    ///
    /// Errors: those of [`FragmentRows::open`] and of [`FragmentBatches::next_batch`].
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while self.left != Some(0) {
            let batches = match &mut self.current {
                Some(batches) => batches,
                None if self.next == self.fragments.len() => return Ok(None),
                none => {
                    let rows = self.fragments.open(self.next)?;
                    self.next += 1;
                    none.insert(FragmentBatches::open(rows, self.pages.as_ref())?)
                }
            };
            match batches.next_batch()? {
                None => self.current = None,
                Some(batch) if batch.num_rows() > 0 => return Ok(Some(self.limited(batch))),
                Some(_) => {}
            }
        }
        Ok(None)
    }

    fn limited(&mut self, batch: RecordBatch) -> RecordBatch {
        let Some(left) = self.left else { return batch };
        let rows = (batch.num_rows() as u64).min(left);
        self.left = Some(left - rows);
        batch.slice(0, rows as usize)
    }
}

/// All batches of a stream. Errors: those of [`RowStream::next_batch`]; `Cancelled`.
pub(crate) fn all_batches(stream: &mut RowStream, cancel: &Cancel) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    while let Some(batch) = stream.next_batch()? {
        cancel.check()?;
        batches.push(batch);
    }
    Ok(batches)
}

/// The numbers of a column of a batch, such as addresses. Errors: `Internal` where it has another type, or a null.
pub(crate) fn numbers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a [u64]> {
    let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    match column.filter(|column| column.null_count() == 0) {
        Some(column) => Ok(column.values()),
        None => Err(Error::internal(format!("expected numbers in the column {name:?}"))),
    }
}
