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
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_iceberg::{GroupRecipe, ReadRecipe};
use floeberg_io::StoreOptions;
use floeberg_io::location::canonical;

use crate::columns::check_columns;
use crate::conflicts::Validation;
use crate::operations::RewriteLayout;
use crate::produce::{ActionContext, FileChange, FilesByPath, Produced, Removal, change_files};
use crate::row_level::{GroupCopy, Matched, data_file, rewrite_rows, whole_files};
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
    let Some((layout, groups)) = groups_on_base(context, validation, rewrite)? else {
        return Ok(Produced::default());
    };
    context.progress.begin(Step::Changing, groups.iter().map(Vec::len).sum());
    let (mut removed, mut added, mut counts) = (Vec::new(), Vec::new(), RowCounts::default());
    for group in groups {
        let files = group.len();
        for task in &group {
            counts.rewritten_files += 1;
            counts.rewritten_bytes += u64::try_from(task.file_size_in_bytes).unwrap_or(0);
        }
        removed.extend(group.iter().map(data_file));
        let key = key(context, &layout, &group);
        let is_kept = context.kept.has_copies(&key);
        let copies = context.kept.copied_once(&key, || {
            let recipe = layout.recipe(&context.metadata, &context.storage())?;
            let copies = rewrite_rows(context, group.into_iter().map(Matched::none).collect(), recipe)?;
            context.kept.wrote(copies.locations());
            Ok(copies)
        })?;
        if is_kept {
            for _ in 0..files {
                context.progress.add_file();
            }
            context.progress.add_rows(copies.rows());
        }
        counts.copied_rows += copies.rows();
        added.push(copies);
    }
    let added: Vec<WrittenFile> = Receipt::concat(added)?.into_files().into_iter().collect();
    let removal = Removal::Files(FilesByPath::new(&removed));
    let change = FileChange::new("replace", &added, Some(&removal)).of_attempt();
    let mut produced = change_files(context, change)?;
    produced.files.extend(added.into_iter().map(|written| written.file.file_path));
    Ok(Produced { counts, ..produced })
}

/// The groups whose copies the commit does not have yet, for another process.
///
/// Errors: those of [`rewrite_data_files`], but for those of reading and writing rows.
pub(crate) fn groups_to_copy(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rewrite: &Rewrite,
    storage: &StoreOptions,
) -> Result<Vec<GroupCopy>> {
    let metadata = &context.metadata;
    let Some((layout, groups)) = groups_on_base(context, validation, rewrite)? else { return Ok(Vec::new()) };
    let mut wanted = Vec::new();
    for group in groups {
        let key = key(context, &layout, &group);
        if context.kept.has_copies(&key) {
            continue;
        }
        let recipe = layout.recipe(metadata, storage)?;
        let recipe = if metadata.format_version >= 3 { recipe.with_lineage()? } else { recipe };
        let read = ReadRecipe::of_columns(metadata, recipe.schema().as_ref().clone(), storage)?;
        wanted.push(GroupCopy { key, files: GroupRecipe::of_tasks(Arc::new(read), group), recipe });
    }
    Ok(wanted)
}

/// How rows are written, and the files of each group that are still there, with all their deletes by now; `None` where none is.
fn groups_on_base(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    rewrite: &Rewrite,
) -> Result<Option<(RewriteLayout, Vec<Vec<FileScanTask>>)>> {
    context.progress.begin(Step::Planning, 0);
    let named = rewrite.groups.iter().flatten();
    let paths: HashSet<String> = named.map(|path| canonical(path).to_owned()).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    check_names(context, validation, rewrite)?;
    let layout = rewrite.layout(&context.metadata)?;
    let found = whole_files(context, &paths)?;
    let mut files: HashMap<String, FileScanTask> =
        found.into_iter().map(|file| (canonical(&file.file_path).to_owned(), file)).collect();
    let there = rewrite.groups.iter().map(|group| -> Vec<FileScanTask> {
        group.iter().filter_map(|path| files.remove(canonical(path))).collect()
    });
    let groups: Vec<_> = there.filter(|group| !group.is_empty()).collect();
    Ok((!groups.is_empty()).then_some((layout, groups)))
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
fn key(context: &ActionContext<'_>, layout: &RewriteLayout, group: &[FileScanTask]) -> String {
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
        let _ = write!(key, "\n{:?} {:?}", file.file_path, file.first_row_id);
        for delete in &file.deletes {
            let _ =
                write!(key, "\n  {:?} {:?} {}", delete.file_path, delete.kind, delete.data_sequence_number);
        }
    }
    key
}
