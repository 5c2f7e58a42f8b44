//! How are the tasks of a group shared among several workers?
//!
//! In: tasks, in order, and the bytes that one worker should read. Out: parts of the group, in the same order.
//!
//! Invariant: every row group of every file is in exactly one part, and the rows of the parts, one after the other, are those of the
//! group.

use std::ops::Range;

use floeberg_core::Result;

use super::GroupRecipe;
use crate::plan::{FileFormat, FileScanTask};

/// The most parts of one file, whose size comes from a manifest and may be anything.
const MOST_PIECES: u64 = 1 << 12;

impl GroupRecipe {
    /// The group in parts of about so many bytes; one part if it is no larger.
    ///
    /// Files are cut where row groups or stripes start, as the reader of a part finds them. Errors: those of the tasks.
    pub fn parts(&self, share: u64) -> Result<Vec<Self>> {
        let tasks = self.tasks().collect::<Result<Vec<_>>>()?;
        let size = |task: &FileScanTask| u64::try_from(task.file_size_in_bytes).unwrap_or(0);
        let total: u128 = tasks.iter().map(|task| u128::from(size(task))).sum();
        let wanted = total.div_ceil(u128::from(share.max(1)));
        if wanted <= 1 {
            return Ok(vec![self.clone()]);
        }
        let (mut before, mut last, mut parts) = (0_u128, None, Vec::<Vec<FileScanTask>>::new());
        for task in tasks {
            for (bytes, byte_range) in pieces(&task, size(&task), share.max(1)) {
                let number = (before + u128::from(bytes) / 2) * wanted / total;
                before += u128::from(bytes);
                if last.replace(number) != Some(number) {
                    parts.push(Vec::new());
                }
                if let Some(part) = parts.last_mut() {
                    part.push(FileScanTask { byte_range, ..task.clone() });
                }
            }
        }
        Ok(parts.into_iter().map(|tasks| self.with_tasks(tasks)).collect())
    }
}

/// The pieces of a file, each with its bytes: the first starts at 0 and the last has no end, so that a wrong size loses no row.
fn pieces(task: &FileScanTask, size: u64, share: u64) -> Vec<(u64, Option<Range<u64>>)> {
    let is_cut = matches!(task.file_format, FileFormat::Parquet | FileFormat::Orc);
    let count = if is_cut && task.byte_range.is_none() { size.div_ceil(share).min(MOST_PIECES) } else { 1 };
    if count <= 1 {
        return vec![(size, task.byte_range.clone())];
    }
    let length = size.div_ceil(count);
    let piece = |number: u64| {
        let start = number * length;
        let end = if number + 1 == count { u64::MAX } else { start + length };
        (length.min(size.saturating_sub(start)), Some(start..end))
    };
    (0..count).map(piece).collect()
}
