//! Which of the decoded rows are returned?
//!
//! For formats whose decoder knows neither deletes nor filters: the columns of both the projection and the filter are
//! decoded, then rows are dropped, then the columns are converted to the schema.
//!
//! Invariant: the result has exactly the rows that [`UnitRequest`] asks for, in their order.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use floeberg_core::Result;
use floeberg_core::rows::{DeletedRows, KeptRows, RangeMask};

use super::file_fields::FileFields;
use super::filter::RowPredicate;
use super::narrow::Narrowed;
use super::positions::RowPositions;
use super::project::Projection;
use super::unit::UnitRequest;

/// How batches of decoded leaves become batches of the schema.
#[derive(Debug)]
pub struct AfterDecoding {
    leaves: BTreeSet<usize>,
    projection: Arc<Projection>,
    projected: Narrowed,
    filter: Option<(Arc<RowPredicate>, Narrowed)>,
    deletes: Arc<DeletedRows>,
    needs_positions: bool,
}

impl AfterDecoding {
    /// For the columns of a file.
    pub fn new(fields: &FileFields, request: &UnitRequest<'_>) -> Self {
        let mut leaves = request.projection.leaves.clone();
        leaves.extend(request.predicate.iter().flat_map(|predicate| predicate.leaves()));
        let narrowed = |wanted| Narrowed::new(&fields.fields, &leaves, wanted);
        Self {
            projected: narrowed(&request.projection.leaves),
            filter: request.predicate.map(|filter| (Arc::clone(filter), narrowed(filter.leaves()))),
            projection: Arc::clone(request.projection),
            deletes: Arc::clone(request.deletes),
            needs_positions: request.needs_positions(),
            leaves,
        }
    }

    /// The leaves to decode.
    pub fn leaves(&self) -> &BTreeSet<usize> {
        &self.leaves
    }

    /// The remaining rows of a batch of [`Self::leaves`], whose first row has that position in the file.
    pub fn apply(&self, decoded: RecordBatch, start: u64) -> Result<Option<RecordBatch>> {
        let rows = decoded.num_rows();
        let mut positions =
            if self.needs_positions { RowPositions::From(start) } else { RowPositions::Unasked };
        let mut left = match self.deletes.kept(Range { start, end: start + rows as u64 })? {
            RangeMask::All => None,
            RangeMask::None => return Ok(None),
            RangeMask::Some(mask) => Some(mask),
        };
        if let Some((predicate, narrowed)) = &self.filter {
            let decoded = narrowed.of(&decoded)?;
            let matching = trues(&predicate.evaluate(&decoded, &positions, left.as_ref())?);
            left = Some(left.map_or_else(|| matching.clone(), |left| &left & &matching));
        }
        let mut batch = self.projected.of(&decoded)?;
        // A buffer without other owners is filtered in place.
        drop(decoded);
        if let Some(mask) = left {
            positions = positions.kept(&mask)?;
            batch = KeptRows::new(mask).filter(batch)?;
        }
        if batch.num_rows() == 0 {
            return Ok(None);
        }
        self.projection.apply(&batch, &positions).map(Some)
    }
}

/// The rows for which a test is true, and not unknown.
fn trues(tested: &BooleanArray) -> BooleanBuffer {
    match tested.nulls() {
        Some(nulls) => tested.values() & nulls.inner(),
        None => tested.values().clone(),
    }
}
