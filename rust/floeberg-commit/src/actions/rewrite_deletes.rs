//! How are delete files written again, as fewer ones or of another kind?
//!
//! In: files of position deletes or of equality deletes. Out: a snapshot with the same rows, in which vectors stand for them, or
//! position deletes before v3.
//! Spec: Delete Formats; Deletion Vectors; Scan Planning; Commit Conflict Resolution and Retry.
//!
//! ```text
//! delete files  ->  all data files of the base that they apply to  ->  positions of deleted rows  ->  new delete files
//! ```
//!
//! Invariant: each attempt finds the data files on its own base, and writes the deletes of those that others changed again, so that a delete file goes only when the rows that it deletes are
//! deleted otherwise. The snapshot of converted keys is an `overwrite`, and its deletes are as new as the snapshot is: a compaction
//! of Iceberg Java that began before looks at such deletes alone, and would bring deleted rows back. Deletes by position that are
//! only written again keep their sequence number, and the snapshot is a `replace`.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::plan::{DeleteKind, FileScanTask};
use floeberg_iceberg::write::{DeleteRecipe, Receipt, WrittenFile};
use floeberg_iceberg::{GroupRecipe, ReadRecipe};
use floeberg_io::StoreOptions;
use floeberg_io::location::canonical;
use floeberg_io::random::random_uuid;
use floeberg_properties::TARGET_FILE_SIZE;

use crate::produce::{ActionContext, FileChange, FilesByPath, Produced, Removal, change_files};
use crate::row_level::{
    DeleteGroup, HitFiles, Unit, by_unit, delete_file, hit_by, in_groups, is_one_of, joined,
    listed_delete_file, of_live_deletes, replaced_by_new, units, write_units,
};
use crate::state::{CommitFiles, Step};
use crate::{DeleteRewrite, DeleteRewriteKind, RowCounts};

/// Writes delete files again. Those that are not in the base any more are left out.
///
/// Errors: those of reading and writing, and of [`change_files`].
pub(super) fn rewrite_deletes(context: &ActionContext<'_>, rewrite: &DeleteRewrite) -> Result<Produced> {
    context.progress.begin(Step::Planning, 0);
    let is_of_keys = rewrite.kind == DeleteRewriteKind::Equality;
    let Chosen { tasks, mut removed } = choose(context, rewrite)?;
    let counts = counted(&removed);
    if removed.is_empty() {
        return Ok(Produced::default());
    }
    let (version, storage) = (context.metadata.format_version, context.storage());
    let recipe = DeleteRecipe::new(&context.metadata, &storage, &BTreeMap::new(), &random_uuid())?;
    let units = units(&recipe, tasks);
    let missing: Vec<&Unit> = units.iter().filter(|unit| !context.kept.has_copies(&unit.key)).collect();
    if !missing.is_empty() {
        let written = write_units(context, &recipe, &missing)?;
        take(context.kept, &joined(&missing), written)?;
    }
    let (mut added, mut replaced, mut newest, mut files_with_new_deletes) = (Vec::new(), Vec::new(), None, 0);
    for unit in &units {
        let Some(deletes) = context.kept.copies(&unit.key).filter(|deletes| !deletes.files().is_empty())
        else {
            continue;
        };
        added.extend(deletes.into_files());
        for task in &unit.tasks {
            // A file of the deletes of a partition does not say of which data files.
            files_with_new_deletes += 1;
            replaced.extend(replaced_by_new(version, task));
            let by_position =
                task.deletes.iter().filter(|delete| !matches!(delete.kind, DeleteKind::Equality { .. }));
            newest = newest.max(by_position.map(|delete| delete.data_sequence_number).max());
        }
    }
    removed.extend(replaced);
    let removal = Removal::Files(FilesByPath::new(&removed));
    let change = FileChange {
        data_sequence_number: newest.filter(|_| !is_of_keys),
        is_of_attempt: true,
        ..FileChange::new(
            if is_of_keys && !added.is_empty() { "overwrite" } else { "replace" },
            &added,
            Some(&removal),
        )
    };
    let mut produced = change_files(context, change)?;
    produced.files.extend(added.into_iter().map(|written| written.file.file_path));
    Ok(Produced { counts: RowCounts { files_with_new_deletes, ..counts }, ..produced })
}

/// The groups of data files whose new deletes the commit does not have yet, for another process.
///
/// Errors: those of planning.
pub(crate) fn deletes_to_write(
    context: &ActionContext<'_>,
    rewrite: &DeleteRewrite,
    storage: &StoreOptions,
) -> Result<Vec<DeleteGroup>> {
    context.progress.begin(Step::Planning, 0);
    let metadata = &context.metadata;
    let Chosen { tasks, removed } = choose(context, rewrite)?;
    if rewrite.kind == DeleteRewriteKind::Dangling || removed.is_empty() {
        return Ok(Vec::new());
    }
    let recipe = DeleteRecipe::new(metadata, storage, &BTreeMap::new(), &random_uuid())?;
    let units = units(&recipe, tasks).into_iter().filter(|unit| !context.kept.has_copies(&unit.key));
    let columns = metadata.current_schema().as_ref().clone();
    let read = Arc::new(ReadRecipe::of_columns(metadata, columns, storage)?);
    let share = TARGET_FILE_SIZE.of(&metadata.properties)?;
    let group = |(key, tasks)| {
        let files = GroupRecipe::of_tasks(Arc::clone(&read), tasks);
        DeleteGroup { key, files, recipe: recipe.clone() }
    };
    Ok(in_groups(units.collect(), share).into_iter().map(group).collect())
}

/// Takes delete files under the keys of their units: the commit removes those that it does not need.
///
/// Errors: `InvalidInput` for delete files of other data files.
pub(crate) fn take(kept: &CommitFiles, key: &str, written: Receipt) -> Result<()> {
    kept.wrote(written.locations());
    for (key, deletes) in by_unit(key, written)? {
        kept.take_copies(&key, deletes);
    }
    Ok(())
}

/// How many delete files would be replaced, and their bytes. Nothing is written.
pub(super) fn count(context: &ActionContext<'_>, rewrite: &DeleteRewrite) -> Result<RowCounts> {
    Ok(counted(&choose(context, rewrite)?.removed))
}

fn counted(replaced: &[WrittenFile]) -> RowCounts {
    let bytes = replaced.iter().map(|written| u64::try_from(written.file.file_size_in_bytes).unwrap_or(0));
    RowCounts { replaced_files: replaced.len() as u64, replaced_bytes: bytes.sum(), ..RowCounts::default() }
}

/// What is written again.
struct Chosen {
    /// The data files that they apply to, with the deletes that new ones stand for.
    tasks: Vec<FileScanTask>,
    /// The delete files to remove.
    removed: Vec<WrittenFile>,
}

fn choose(context: &ActionContext<'_>, rewrite: &DeleteRewrite) -> Result<Chosen> {
    let paths: HashSet<String> = rewrite.paths.iter().map(|path| canonical(path).to_owned()).collect();
    let HitFiles { mut tasks, equality_paths } = hit_by(context, &paths)?;
    let is_of_keys = rewrite.kind == DeleteRewriteKind::Equality;
    let mut removed = chosen(&tasks, &paths, is_of_keys);
    let has_vectors = context.metadata.format_version >= 3;
    for task in tasks.iter_mut().filter(|_| !is_of_keys) {
        // A vector stands for all that is deleted by position, a file for what the chosen files delete.
        task.deletes.retain(|delete| {
            !matches!(delete.kind, DeleteKind::Equality { .. }) && (has_vectors || is_one_of(delete, &paths))
        });
    }
    if rewrite.unmatched_too {
        removed.extend(unmatched(context, &equality_paths)?);
    }
    Ok(Chosen { tasks, removed })
}

/// Live equality delete files of which a plan proves that they delete no row of the base: none of its data files has them.
fn unmatched(context: &ActionContext<'_>, matched: &HashSet<String>) -> Result<Vec<WrittenFile>> {
    of_live_deletes(context, |entries| {
        let is_unmatched = |row: &usize| {
            entries.file_content.value(*row) == FileContent::EqualityDeletes as i32
                && !matched.contains(canonical(entries.file_path.value(*row)))
        };
        (0..entries.len()).filter(is_unmatched).map(|row| listed_delete_file(entries, row)).collect()
    })
}

/// The delete files to write again that are in the base, each once.
fn chosen(tasks: &[FileScanTask], paths: &HashSet<String>, is_of_keys: bool) -> Vec<WrittenFile> {
    let mut seen = HashSet::new();
    let deletes = tasks.iter().flat_map(|task| &task.deletes);
    let of_kind = deletes.filter(|delete| {
        is_one_of(delete, paths) && matches!(delete.kind, DeleteKind::Equality { .. }) == is_of_keys
    });
    of_kind
        .filter(|delete| seen.insert(canonical(&delete.file_path).to_owned()))
        .map(|delete| delete_file(delete))
        .collect()
}
