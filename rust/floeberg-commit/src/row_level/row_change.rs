//! Which files replace data files of which rows are deleted?
//!
//! In: files of which all rows are deleted, and positions of deleted rows of others. Out: added and removed files, and counts of
//! rows.
//! Spec: Row-level Deletes; Snapshots (`overwrite`, `delete`).
//!
//! Invariant: a file of which no row is left is removed, in both modes.

use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_iceberg::write::{Receipt, WriteRecipe, WrittenFile};
use floeberg_io::random::random_uuid;

use super::matched::Matched;
use super::merged_on_read::merged_on_read;
use super::rewrite_rows::rewrite_rows;
use crate::produce::ActionContext;
use crate::state::Step;
use crate::{DeleteMode, RowCounts};

/// Files that change rows.
#[derive(Debug, Default)]
pub(crate) struct RowChange {
    /// Copies of rows that stay, or delete files.
    pub added: Receipt,
    /// The removed data files, and delete files that are replaced.
    pub removed: Vec<WrittenFile>,
    /// The rows and data files that change.
    pub counts: RowCounts,
}

/// Writes copies of the remaining rows, or delete files. `whole` are files of which all rows are deleted.
///
/// Errors: those of reading and writing. Files that were written are removed with those of the attempt.
pub(crate) fn row_change(
    context: &ActionContext<'_>,
    mode: DeleteMode,
    whole: Vec<WrittenFile>,
    matched: Vec<Matched>,
) -> Result<RowChange> {
    let mut counts = counted(mode, &whole, &matched);
    let (all, some): (Vec<_>, Vec<_>) = matched.into_iter().partition(Matched::is_whole);
    let mut removed = whole;
    removed.extend(all.iter().map(Matched::data_file));
    if some.is_empty() {
        return Ok(RowChange { added: Receipt::default(), removed, counts });
    }
    context.progress.begin(Step::Changing, some.len());
    let added = match mode {
        DeleteMode::CopyOnWrite => {
            removed.extend(some.iter().map(Matched::data_file));
            let (no_options, write_id) = (BTreeMap::new(), random_uuid());
            let recipe = WriteRecipe::new(&context.metadata, &context.storage(), &no_options, &write_id)?;
            let copies = rewrite_rows(context, some, recipe)?;
            counts.copied_rows = copies.rows();
            copies
        }
        DeleteMode::MergeOnRead => {
            let (added, replaced) = merged_on_read(context, some)?;
            removed.extend(replaced);
            added
        }
    };
    context.kept.wrote(added.locations());
    Ok(RowChange { added, removed, counts })
}

/// The rows and files that would change. Rows that are deleted by keys already count as copied.
pub(crate) fn counted(mode: DeleteMode, whole: &[WrittenFile], matched: &[Matched]) -> RowCounts {
    let number = |count: i64| u64::try_from(count).unwrap_or(0);
    let mut counts = RowCounts::default();
    for written in whole {
        counts.deleted_rows += number(written.file.record_count);
        counts.deleted_files += 1;
        counts.deleted_bytes += number(written.file.file_size_in_bytes);
    }
    for file in matched {
        let bytes = number(file.task.file_size_in_bytes);
        counts.deleted_rows += file.rows.len();
        if file.is_whole() {
            counts.deleted_files += 1;
            counts.deleted_bytes += bytes;
        } else if mode == DeleteMode::MergeOnRead {
            counts.files_with_new_deletes += 1;
        } else {
            counts.rewritten_files += 1;
            counts.rewritten_bytes += bytes;
            let gone = file.rows.len() + file.deleted.len();
            counts.copied_rows += number(file.task.record_count).saturating_sub(gone);
        }
    }
    counts
}
