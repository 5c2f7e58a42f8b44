//! Which rows of data files are deleted by position, for a reader that is not ours?
//!
//! In: files of a plan. Out: of each the words of a bitmap: bit `i % 64` of word `i / 64` is set where row `i` is deleted.
//! Spec: Position Delete Files; Deletion Vectors.
//!
//! Invariant: words that delete nothing are left out at the end, and none is past the file's rows.

use floeberg_core::rows::RangeMask;
use floeberg_core::{Cancel, Context, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;

use super::deletes;
use super::table_reader::TableReader;
use crate::plan::{FileScanTask, Plan};

/// The words of some files of a plan, by their numbers. Equality deletes are ignored.
pub fn deleted_words(
    reader: &TableReader,
    plan: &Plan,
    numbers: &[usize],
    cancel: &Cancel,
) -> Result<Vec<Vec<i64>>> {
    ordered(numbers, thread_budget()?, cancel, |number| words(reader, &plan.task(*number)?))
}

fn words(reader: &TableReader, task: &FileScanTask) -> Result<Vec<i64>> {
    let rows = u64::try_from(task.record_count).map_err(|_| {
        Error::invalid_data(format!("a data file has {} rows", task.record_count))
            .with("path", &task.file_path)
    })?;
    let deleted = deletes::load(&reader.request, &reader.deletes, task).context("path", &task.location)?;
    let most = usize::try_from(rows.div_ceil(64))
        .map_err(|_| Error::limit(format!("a bitmap of {rows} rows is larger than memory")))?;
    let mut found: Vec<i64> = match deleted.kept(0..rows)? {
        RangeMask::All => return Ok(Vec::new()),
        RangeMask::None => vec![-1; most],
        RangeMask::Some(kept) => {
            kept.bit_chunks().iter_padded().take(most).map(|word| !word.cast_signed()).collect()
        }
    };
    if let (Some(last), past @ 1..) = (found.last_mut(), rows % 64) {
        *last &= (1_i64 << past) - 1;
    }
    while found.last() == Some(&0) {
        found.pop();
    }
    Ok(found)
}
