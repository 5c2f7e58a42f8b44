//! How do the pieces of ranges become files?
//!
//! In: pieces, range by range. Out: the files of all ranges, each with rows of one range, sorted.
//!
//! Invariant: a write that fails leaves no file. Pieces of a range that was ended are an error: they would overlap its files.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{Array as _, RecordBatch};
use floeberg_core::{Cancel, Error, Result};

use super::pieces::from_bytes;
use crate::write::{Receipt, WriteRecipe, WriteTask, Writer};

/// Writes pieces, as [`SpreadRows`](super::SpreadRows) gives them.
///
/// Errors: `InvalidInput` for batches of another form, and for ranges in another order; those of the batches and of writing.
pub fn gather_rows(
    pieces: impl Iterator<Item = Result<RecordBatch>>,
    recipe: &WriteRecipe,
    task: WriteTask<'_>,
    cancel: &Cancel,
) -> Result<Receipt> {
    let store = recipe.store()?;
    let mut written = Vec::new();
    let work = |written: &mut Vec<Receipt>| {
        let mut open: Option<(i32, Writer)> = None;
        for batch in pieces {
            let batch = batch?;
            let (Some(ranges), Some(rows)) = (
                batch.column_by_name("range").and_then(|ranges| ranges.as_primitive_opt::<Int32Type>()),
                batch.column_by_name("rows").and_then(|rows| rows.as_binary_opt::<i32>()),
            ) else {
                let found = batch.schema_ref().fields();
                return Err(Error::invalid_input(format!(
                    "expected the number of a range and rows as bytes, found {found:?}"
                )));
            };
            for piece in 0..batch.num_rows() {
                let range = ranges.value(piece);
                let mut writer = match open.take() {
                    Some((number, writer)) if number == range => writer,
                    before => {
                        if let Some((number, writer)) = before {
                            written.push(writer.finish()?);
                            if range < number {
                                return Err(Error::invalid_input(format!(
                                    "expected ranges in order, found range {range} after range {number}"
                                )));
                            }
                        }
                        let name = format!("{}-r{range}", task.name);
                        let task = WriteTask { name: &name, ..task };
                        Writer::new(recipe, Arc::clone(&store), task, cancel)?
                    }
                };
                if rows.is_valid(piece) {
                    from_bytes(rows.value(piece), &mut |batch| writer.write(&batch))?;
                }
                open = Some((range, writer));
            }
        }
        if let Some((_, writer)) = open {
            written.push(writer.finish()?);
        }
        Ok(())
    };
    match work(&mut written) {
        Ok(()) => Receipt::concat(written),
        Err(error) => {
            // What cannot be removed must not hide why.
            for receipt in &written {
                drop(recipe.remove(receipt));
            }
            Err(error)
        }
    }
}
