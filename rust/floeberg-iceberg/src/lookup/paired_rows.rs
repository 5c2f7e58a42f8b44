//! How are rows of a file read beside their rows of a source?
//!
//! In: positions, ascending, each with a row of the source. Out: columns of these rows, with the same pairs.
//!
//! Invariant: every pair comes once, in order, or reading is an error.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use floeberg_core::{Error, Result};
use roaring::RoaringTreemap;

use crate::plan::FileScanTask;
use crate::read::{TableReader, read_rows};

/// A position, and the number of a row of the source.
pub(super) type Pair = (u64, u32);

/// Reads the columns of a reader, of which the last one has the positions, and gives the others, so many rows at once, until no more
/// are wanted.
///
/// Errors: those of reading; `InvalidData` for a position that the file does not have.
#[expect(clippy::type_complexity, reason = "the function is said in full once")]
pub(super) fn read_pairs(
    reader: &Arc<TableReader>,
    task: &FileScanTask,
    pairs: &[Pair],
    at_once: usize,
    give: &mut dyn FnMut(&[ArrayRef], &[Pair]) -> Result<bool>,
) -> Result<()> {
    let positions: RoaringTreemap = pairs.iter().map(|(position, _)| *position).collect();
    let mut left = pairs;
    for batch in read_rows(reader, task, &positions)? {
        let (rows, read) = wanted(&batch?, &mut left)?;
        for start in (0..read.len()).step_by(at_once) {
            let some = rows.slice(start, at_once.min(read.len() - start));
            let columns = &some.columns()[..some.num_columns() - 1];
            if !give(columns, &read[start..start + some.num_rows()])? {
                return Ok(());
            }
        }
    }
    match left.first() {
        Some((position, _)) => {
            Err(Error::invalid_data("a row that was found is not there any more").with("position", position))
        }
        None => Ok(()),
    }
}

/// The rows of a batch that are wanted, and their pairs, which are taken from the rest.
fn wanted<'p>(batch: &RecordBatch, left: &mut &'p [Pair]) -> Result<(RecordBatch, &'p [Pair])> {
    let positions = batch.column(batch.num_columns() - 1).as_primitive::<Int64Type>().values();
    let all = *left;
    let mut rows = Vec::with_capacity(positions.len().min(all.len()));
    for (row, position) in positions.iter().enumerate() {
        if all.get(rows.len()).is_some_and(|(wanted, _)| *wanted == *position as u64) {
            rows.push(row as u32);
        }
    }
    let (read, rest) = all.split_at(rows.len());
    *left = rest;
    let taken = if rows.len() == batch.num_rows() {
        batch.clone()
    } else {
        take_record_batch(batch, &UInt32Array::from(rows))
            .map_err(|error| Error::internal("rows that are wanted are taken").caused_by(error))?
    };
    Ok((taken, read))
}
