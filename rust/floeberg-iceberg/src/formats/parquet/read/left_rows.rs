//! Which deleted rows does the decoder skip, and which are decoded and then dropped?
//!
//! In: a mask of the rows of a row group that are left. Out: the same rows, as what is decoded and what is kept of it.
//!
//! Long runs of deleted rows are worth skipping, as their pages need not be read. To skip the short runs between rows
//! that are kept costs more than to decode them.
//!
//! Invariant: what is decoded and kept are exactly the rows of the mask.

use std::iter;
use std::ops::Range;

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

/// From so many deleted rows that follow each other they are skipped.
const SKIPPED_FROM: usize = 4 << 10;

/// The rows that are left of a row group.
#[derive(Debug, Clone, Default)]
pub(super) struct LeftRows {
    /// What the decoder yields; `None` is every row.
    pub(super) selection: Option<RowSelection>,
    /// Of these, what is kept; `None` is every row.
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
    /// Where most rows are deleted it is the decoder that drops them: Arrow's filter moves few rows faster.
    pub(super) fn new(mask: BooleanBuffer) -> Self {
        let (selection, kept) = without_long_gaps(&mask);
        let count = kept.count_set_bits();
        if count < kept.len() / 2 {
            return Self::by_decoder(mask);
        }
        Self { selection, kept: (count < kept.len()).then_some(kept), decoder_drops: false }
    }

    /// From such a mask, all of it left to the decoder, which can then filter rows in the same step.
    pub(super) fn by_decoder(mask: BooleanBuffer) -> Self {
        Self { selection: Some(RowSelection::from_boolean_buffer(mask)), kept: None, decoder_drops: true }
    }
}

/// Skips the long runs of unset bits; with the bits of what is not skipped.
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
