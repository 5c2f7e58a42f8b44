//! How do batches of Python become batches of a schema?
//!
//! Invariant: rows are counted over all batches, so that an error names the row of the caller.

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_iceberg::write::Matching;

use crate::incoming::Unchecked;

/// Gives the rows of all batches, checked and matched, in pieces of bounded size.
///
/// Errors: those of the batches, of their checks, and of `give`.
pub fn conformed(
    batches: impl Iterator<Item = Result<Unchecked>>,
    matching: &Matching,
    mut give: impl FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let mut rows = 0_u64;
    for batch in batches {
        let batch = batch?.checked()?;
        matching.apply_in_pieces(&batch, rows, &mut give)?;
        rows = rows.saturating_add(batch.num_rows() as u64);
    }
    Ok(())
}
