//! Which delete files stand for rows that are deleted?
//!
//! In: the rows by data file. Out: vectors, or position deletes before v3, and the delete files that they replace.
//! Spec: Deletion Vectors; Position Delete Files; Appendix E, Version 3.
//!
//! Invariant: a vector holds what the older vector and position deletes of its data file hold. These are removed if they are for
//! this data file alone.

use std::collections::BTreeMap;

use floeberg_core::{Cancel, Result};
use floeberg_iceberg::manifest::{DataFile, FileContent};
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, FileScanTask};
use floeberg_iceberg::write::{
    DeleteRecipe, DeletedPositions, Receipt, WriteTask, WrittenFile, write_positions, write_vectors,
};
use floeberg_io::Store;
use floeberg_io::location::canonical;
use floeberg_io::random::random_uuid;

use super::matched::Matched;
use crate::produce::ActionContext;

/// Writes the delete files. Returns the new ones, and those that they replace.
///
/// Errors: `InvalidInput` for a table of v1; those of the store.
pub(crate) fn merged_on_read(
    context: &ActionContext<'_>,
    files: Vec<Matched>,
) -> Result<(Receipt, Vec<WrittenFile>)> {
    let metadata = &context.metadata;
    let recipe = DeleteRecipe::new(metadata, &context.storage(), &BTreeMap::new(), &random_uuid())?;
    let replaced =
        files.iter().flat_map(|file| replaced_by_new(metadata.format_version, &file.task)).collect();
    let (task, reader) = (WriteTask { partition: 0, name: "0" }, context.reader);
    Ok((write_deletes(&recipe, reader.store.as_ref(), task, &reader.cancel, files)?, replaced))
}

/// Writes delete files for rows of data files; a vector is also for those that are deleted by position already.
///
/// Errors: those of the store. No file stays after one.
pub(super) fn write_deletes(
    recipe: &DeleteRecipe,
    store: &dyn Store,
    task: WriteTask<'_>,
    cancel: &Cancel,
    files: Vec<Matched>,
) -> Result<Receipt> {
    let has_vectors = recipe.has_vectors();
    let deletes = files.into_iter().map(|Matched { task, mut rows, deleted }| {
        if has_vectors {
            rows |= deleted;
        }
        DeletedPositions {
            partition: task.partition.iter().map(|(_, value)| value.clone()).collect(),
            spec_id: task.spec_id,
            file_path: task.file_path,
            positions: rows,
        }
    });
    let deletes: Vec<DeletedPositions> = deletes.collect();
    let write = if has_vectors { write_vectors } else { write_positions };
    write(recipe, store, task, cancel, &deletes)
}

/// The delete files of a data file that new ones for it replace: from v3 on, a vector replaces what is for this data file alone.
pub(crate) fn replaced_by_new(format_version: u8, task: &FileScanTask) -> Vec<WrittenFile> {
    if format_version < 3 {
        return Vec::new();
    }
    task.deletes.iter().filter_map(|delete| replaced_by_vector(delete, &task.file_path)).collect()
}

/// The delete file to remove, if it is for this data file alone.
fn replaced_by_vector(delete: &DeleteFile, data_file: &str) -> Option<WrittenFile> {
    let is_own = match &delete.kind {
        DeleteKind::Vector { .. } => true,
        DeleteKind::Position => {
            let only = delete.referenced_data_file.as_deref();
            only.is_some_and(|only| canonical(only) == canonical(data_file))
        }
        DeleteKind::Equality { .. } => false,
    };
    is_own.then(|| delete_file(delete))
}

/// A delete file, as a file to remove.
pub(crate) fn delete_file(delete: &DeleteFile) -> WrittenFile {
    let (content, content_offset) = match &delete.kind {
        DeleteKind::Vector { content_offset, .. } => (FileContent::PositionDeletes, Some(*content_offset)),
        DeleteKind::Position => (FileContent::PositionDeletes, None),
        DeleteKind::Equality { .. } => (FileContent::EqualityDeletes, None),
    };
    let file = DataFile {
        content,
        content_offset,
        file_size_in_bytes: delete.file_size_in_bytes,
        ..DataFile::new(&delete.file_path, delete.file_format.name())
    };
    WrittenFile { spec_id: delete.spec_id, file, purpose: None }
}
