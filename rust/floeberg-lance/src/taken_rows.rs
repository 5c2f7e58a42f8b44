//! How are rows read that are asked for by ids or addresses?
//!
//! In: rows that are asked for, in any order and repeated. Out: batches with a row for each of them, in their order.
//!
//! Invariant: rows that follow one another and are the same row are in one batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_select::interleave::interleave;
use floeberg_core::{Cancel, Error, Result};

use crate::pages::Pages;
use crate::rows::{Fragments, RowStream, all_batches};
use crate::take::Taken;

/// The most rows of a batch.
const MOST_ROWS: usize = 1 << 16;
/// About the most bytes of a batch: texts of an array have at most twice as many.
const MOST_BYTES: usize = 1 << 30;

/// Reads rows that are asked for.
///
/// Errors: those of [`RowStream::next_batch`]; `Cancelled`.
pub fn taken_rows(taken: &Taken, pages: &Arc<dyn Pages>, cancel: &Cancel) -> Result<Vec<RecordBatch>> {
    let mut stream = RowStream::new(Fragments::Taken(taken.clone()), Arc::clone(pages), None);
    let batches = all_batches(&mut stream, cancel)?;
    let order = taken.order();
    if let [batch] = batches.as_slice()
        && batch.num_rows() == order.len()
        && order.iter().zip(0_u64..).all(|(row, at)| *row == at)
    {
        return Ok(batches);
    }
    let mut ends = Vec::with_capacity(batches.len());
    let (mut rows, mut bytes) = (0, 0);
    for batch in &batches {
        rows += batch.num_rows();
        bytes += batch.get_array_memory_size();
        ends.push(rows as u64);
    }
    let most = (MOST_BYTES / (bytes / rows.max(1)).max(1)).clamp(1, MOST_ROWS);
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let mut end = (start + most).min(order.len());
        while end < order.len() && order[end] == order[end - 1] {
            end += 1;
        }
        cancel.check()?;
        pieces.push(piece(&batches, &ends, &order[start..end])?);
        start = end;
    }
    Ok(pieces)
}

/// Rows of several batches, by their numbers among all rows.
fn piece(batches: &[RecordBatch], ends: &[u64], rows: &[u64]) -> Result<RecordBatch> {
    let place = |row: &u64| {
        let batch = ends.partition_point(|end| end <= row);
        let before = batch.checked_sub(1).map_or(0, |earlier| ends[earlier]);
        (batch < batches.len()).then_some((batch, (row - before) as usize))
    };
    let places: Option<Vec<_>> = rows.iter().map(place).collect();
    let (Some(places), Some(first)) = (places, batches.first()) else {
        return Err(Error::internal("fewer rows were read than were asked for"));
    };
    let columns = (0..first.num_columns()).map(|number| {
        let arrays: Vec<_> = batches.iter().map(|batch| batch.column(number).as_ref()).collect();
        interleave(&arrays, &places)
    });
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    columns
        .collect::<std::result::Result<Vec<_>, _>>()
        .and_then(|columns| RecordBatch::try_new_with_options(first.schema(), columns, &options))
        .map_err(|error| Error::internal("rows could not be put into their order").caused_by(error))
}
