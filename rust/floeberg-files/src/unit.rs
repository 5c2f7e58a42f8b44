//! Which part of a file is read on its own, and how?
//!
//! A unit is what a format decodes by itself: a row group, a stripe, or a whole file.
//!
//! Invariant: positions of rows count from the start of the file, whatever is left out.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_core::rows::DeletedRows;

use super::filter::RowPredicate;
use super::project::Projection;
use super::read_counts::ReadCounts;

/// A part of a file that is read on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its number in the file.
    pub number: usize,
    /// Its rows, as positions in the file; `None` if their number is known only after reading.
    pub rows: Option<Range<u64>>,
}

/// What to read of a unit: the rows that are not deleted and match a filter, in order.
#[derive(Debug, Clone, Copy)]
pub struct UnitRequest<'a> {
    /// The unit.
    pub unit: &'a Unit,
    /// The columns of the result.
    pub projection: &'a Arc<Projection>,
    /// The rows of the file that are deleted.
    pub deletes: &'a Arc<DeletedRows>,
    /// The residual filter.
    pub predicate: Option<&'a Arc<RowPredicate>>,
    /// The rows of a batch, at most.
    pub batch_rows: usize,
    /// Stops the work between batches, where a unit may be long.
    pub cancel: &'a Cancel,
    /// Counts what is done, if anybody asks.
    pub counts: Option<&'a ReadCounts>,
}

impl UnitRequest<'_> {
    /// Do columns or the filter need the positions of rows?
    pub fn needs_positions(&self) -> bool {
        self.projection.needs_positions() || self.predicate.is_some_and(|filter| filter.needs_positions())
    }
}
