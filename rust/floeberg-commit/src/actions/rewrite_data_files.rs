//! How are data files written again, as fewer or larger ones?
//!
//! In: groups of data files. Out: a snapshot with the same rows, in new files.
//! Spec: Snapshots (`replace`); Row Lineage; Commit Conflict Resolution and Retry.
//!
//! ```text
//! on each base   files of a group that are still there, with all their deletes by now  ->  new files
//! ```
//!
//! Invariant: rows are those of the base, so that a delete that others committed meanwhile counts: on another base, a group whose
//! files have other deletes is read again. Files that others removed meanwhile are left out. In v3 rows keep their ids.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use floeberg_core::Result;
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_io::location::canonical;

use crate::columns::check_columns;
use crate::conflicts::Validation;
use crate::operations::RewriteLayout;
use crate::produce::{ActionContext, FileChange, FilesByPath, Produced, Removal, change_files};
use crate::row_level::{Encoding, Matched, rewrite_rows, with_deletes};
use crate::state::Step;
use crate::{Rewrite, RowCounts};

/// Writes the rows of groups of files again.
///
/// Errors: `CommitConflict` where a column that rows are sorted by has another name now; those of [`Rewrite::check`], of reading and
/// writing, and of [`change_files`].
pub(super) fn rewrite_data_files(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rewrite: &Rewrite,
) -> Result<Produced> {
    context.progress.begin(Step::Planning, 0);
    let named = rewrite.groups.iter().flatten();
    let paths: HashSet<String> = named.map(|path| canonical(path).to_owned()).collect();
    if paths.is_empty() {
        return Ok(Produced::default());
    }
    check_names(context, validation, rewrite)?;
    let layout = rewrite.layout(&context.metadata)?;
    let found = with_deletes(context, &paths)?;
    let mut files: HashMap<String, Matched> =
        found.into_iter().map(|file| (canonical(&file.task.file_path).to_owned(), file)).collect();
    context.progress.begin(Step::Changing, files.len());
    let encoding = if rewrite.names_size_alone() { Encoding::Needed } else { Encoding::All };
    let (mut removed, mut added, mut counts) = (Vec::new(), Vec::new(), RowCounts::default());
    for group in &rewrite.groups {
        let group: Vec<Matched> = group.iter().filter_map(|path| files.remove(canonical(path))).collect();
        if group.is_empty() {
            continue;
        }
        for file in &group {
            counts.rewritten_files += 1;
            counts.rewritten_bytes += u64::try_from(file.task.file_size_in_bytes).unwrap_or(0);
        }
        removed.extend(group.iter().map(Matched::data_file));
        let copies = context.kept.copied_once(&key(context, &layout, &group), || {
            let copies = rewrite_rows(context, group, layout.recipe(&context.metadata)?, encoding)?;
            context.kept.wrote(copies.locations());
            Ok(copies)
        })?;
        counts.copied_rows += copies.rows();
        added.push(copies);
    }
    if removed.is_empty() {
        return Ok(Produced::default());
    }
    let added: Vec<WrittenFile> = Receipt::concat(added)?.into_files().into_iter().collect();
    let removal = Removal::Files(FilesByPath::new(&removed));
    let change = FileChange::new("replace", &added, Some(&removal)).of_attempt();
    let mut produced = change_files(context, change)?;
    produced.files.extend(added.into_iter().map(|written| written.file.file_path));
    Ok(Produced { counts, ..produced })
}

/// Checks that the columns that rows are sorted by are those that were meant. Errors: `CommitConflict`.
fn check_names(context: &ActionContext<'_>, validation: Validation<'_>, rewrite: &Rewrite) -> Result<()> {
    let Some(sort) = &rewrite.sort else { return Ok(()) };
    let Some(order) = sort.declared()? else { return Ok(()) };
    let columns: Vec<_> = order.columns().into_iter().cloned().collect();
    let schema = context.metadata.current_schema();
    check_columns(validation.columns_at_start, schema, &columns, sort.case_sensitive)
}

/// What copies are made of: equal keys give the same rows, in the same order and with the same ids.
fn key(context: &ActionContext<'_>, layout: &RewriteLayout, group: &[Matched]) -> String {
    let metadata = &context.metadata;
    let mut key = format!(
        "{} {} {} {}",
        metadata.format_version,
        metadata.current_schema_id,
        metadata.default_sort_order_id,
        layout.key()
    );
    for file in group {
        // A file of an upgraded table gets the ids of its rows by the next commit.
        let _ = write!(key, "\n{:?} {:?}", file.task.file_path, file.task.first_row_id);
        for delete in &file.task.deletes {
            let _ =
                write!(key, "\n  {:?} {:?} {}", delete.file_path, delete.kind, delete.data_sequence_number);
        }
    }
    key
}
