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
//! Invariant: each attempt finds the data files on its own base, so that a delete file goes only when the rows that it deletes are
//! deleted otherwise. The snapshot of converted keys is an `overwrite`, and its deletes are as new as the snapshot is: a compaction
//! of Iceberg Java that began before looks at such deletes alone, and would bring deleted rows back. Deletes by position that are
//! only written again keep their sequence number, and the snapshot is a `replace`.

use std::collections::HashSet;

use floeberg_core::Result;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::FileContent;
use floeberg_iceberg::plan::{DeleteKind, FileScanTask};
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use crate::produce::{ActionContext, FileChange, FilesByPath, Produced, Removal, change_files};
use crate::row_level::{
    DeletedRowsReader, HitFiles, Matched, delete_file, hit_by, is_one_of, listed_delete_file, merged_on_read,
    of_live_deletes,
};
use crate::state::Step;
use crate::{DeleteRewrite, DeleteRewriteKind, RowCounts};

/// Writes delete files again. Those that are not in the base any more are left out.
///
/// Errors: those of reading and writing, and of [`change_files`].
pub(super) fn rewrite_deletes(context: &ActionContext<'_>, rewrite: &DeleteRewrite) -> Result<Produced> {
    context.progress.begin(Step::Planning, 0);
    let is_of_keys = rewrite.kind == DeleteRewriteKind::Equality;
    let Chosen { paths, tasks, mut removed } = choose(context, rewrite)?;
    let counts = counted(&removed);
    if removed.is_empty() {
        return Ok(Produced::default());
    }
    context.progress.begin(Step::Reading, tasks.len());
    let reader = DeletedRowsReader::new(context)?;
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let found =
            if is_of_keys { by_key(&reader, task) } else { by_position(context, &reader, task, &paths) };
        context.progress.add_file();
        found
    })?;
    let found: Vec<Matched> = found.into_iter().flatten().collect();
    context.progress.begin(Step::Changing, found.len());
    let replaced = found.iter().flat_map(|found| &found.task.deletes);
    let newest = replaced
        .filter(|delete| !matches!(delete.kind, DeleteKind::Equality { .. }))
        .map(|delete| delete.data_sequence_number)
        .max();
    let files_with_new_deletes = found.len() as u64;
    let (added, replaced) =
        if found.is_empty() { (Receipt::default(), Vec::new()) } else { merged_on_read(context, found)? };
    context.kept.wrote(added.locations());
    removed.extend(replaced);
    let removal = Removal::Files(FilesByPath::new(&removed));
    let change = FileChange {
        data_sequence_number: newest.filter(|_| !is_of_keys),
        is_of_attempt: true,
        ..FileChange::new(
            if is_of_keys && !added.files().is_empty() { "overwrite" } else { "replace" },
            added.files(),
            Some(&removal),
        )
    };
    let mut produced = change_files(context, change)?;
    produced.files.extend(added.locations().map(str::to_owned));
    Ok(Produced { counts: RowCounts { files_with_new_deletes, ..counts }, ..produced })
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
    /// The delete files that the user chose, by canonical path.
    paths: HashSet<String>,
    /// The data files that they apply to.
    tasks: Vec<FileScanTask>,
    /// The delete files to remove.
    removed: Vec<WrittenFile>,
}

fn choose(context: &ActionContext<'_>, rewrite: &DeleteRewrite) -> Result<Chosen> {
    let paths: HashSet<String> = rewrite.paths.iter().map(|path| canonical(path).to_owned()).collect();
    let HitFiles { tasks, equality_paths } = hit_by(context, &paths)?;
    let mut removed = chosen(&tasks, &paths, rewrite.kind == DeleteRewriteKind::Equality);
    if rewrite.unmatched_too {
        removed.extend(unmatched(context, &equality_paths)?);
    }
    Ok(Chosen { paths, tasks, removed })
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

/// What the chosen files delete of a data file; in v3, what all delete by position, since a vector stands for all of them.
fn by_position(
    context: &ActionContext<'_>,
    reader: &DeletedRowsReader,
    task: &FileScanTask,
    paths: &HashSet<String>,
) -> Result<Option<Matched>> {
    let has_vectors = context.metadata.format_version >= 3;
    let rows = reader.by_position(task, |delete| {
        !matches!(delete.kind, DeleteKind::Equality { .. }) && (has_vectors || is_one_of(delete, paths))
    })?;
    Ok((!rows.is_empty()).then(|| Matched { task: task.clone(), rows, deleted: RoaringTreemap::new() }))
}

/// The rows of a data file that equality deletes delete, and no position delete.
fn by_key(reader: &DeletedRowsReader, task: &FileScanTask) -> Result<Option<Matched>> {
    let rows = reader.by_key(task)?;
    let deleted = reader.by_position(task, |delete| !matches!(delete.kind, DeleteKind::Equality { .. }))?;
    let rows = rows - &deleted;
    Ok((!rows.is_empty()).then(|| Matched { task: task.clone(), rows, deleted }))
}
