//! Which deleted rows does the decoder skip, and which are decoded and then dropped?
//!
//! In: a mask of the remaining rows of a row group. Out: the rows to decode, and which of them to keep.
//!
//! Long runs of deleted rows are worth skipping, as their pages need not be read. Skipping short runs between kept rows
//! costs more than decoding them.
//!
//! Invariant: the rows that are decoded and kept are exactly the rows of the mask.

use std::iter;
use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

/// The shortest run of deleted rows that is skipped.
const SKIPPED_FROM: usize = 4 << 10;

/// The remaining rows of a row group.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftRows {
    /// The rows to decode; `None` is every row.
    pub(super) selection: Option<RowSelection>,
    /// The decoded rows to keep; `None` is every row.
    pub(super) kept: Option<BooleanBuffer>,
    /// Does the decoder drop rows from the batches that it decodes?
    pub(super) decoder_drops: bool,
}

impl LeftRows {
    /// No row.
    pub(super) fn none() -> Self {
        Self { selection: Some(RowSelection::from(Vec::new())), ..Self::default() }
    }

    /// From a mask with a bit for each row of the row group.
    ///
    /// If most rows are deleted, the decoder drops them, with Arrow's filter, which is faster for few remaining rows.
    pub(super) fn new(mask: BooleanBuffer) -> Self {
        let (selection, kept) = without_long_gaps(&mask);
        let count = kept.count_set_bits();
        if count < kept.len() / 2 {
            return Self::by_decoder(mask);
        }
        Self { selection, kept: (count < kept.len()).then_some(kept), decoder_drops: false }
    }

    /// From such a mask, applied only in the decoder, which can then filter rows in the same step.
    pub(super) fn by_decoder(mask: BooleanBuffer) -> Self {
        Self { selection: Some(RowSelection::from_boolean_buffer(mask)), kept: None, decoder_drops: true }
    }
}

/// Skips the long runs of unset bits. Also returns the bits of the rows that are not skipped.
fn without_long_gaps(mask: &BooleanBuffer) -> (Option<RowSelection>, BooleanBuffer) {
    let gaps = long_gaps(mask);
    if gaps.is_empty() {
        return (None, mask.clone());
    }
    let mut selectors = Vec::new();
    let mut bits = BooleanBufferBuilder::new(mask.len());
    let mut from = 0;
    for gap in gaps.into_iter().chain(iter::once(mask.len()..mask.len())) {
        selectors.push(RowSelector::select(gap.start - from));
        selectors.push(RowSelector::skip(gap.len()));
        bits.append_buffer(&mask.slice(from, gap.start - from));
        from = gap.end;
    }
    (Some(RowSelection::from(selectors)), bits.finish())
}

/// The runs of unset bits that are long enough to skip, in order.
fn long_gaps(mask: &BooleanBuffer) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut from = 0;
    for (start, end) in mask.set_slices().chain([(mask.len(), mask.len())]) {
        if start - from >= SKIPPED_FROM {
            gaps.push(from..start);
        }
        from = end;
    }
    gaps
}
