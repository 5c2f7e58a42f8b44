//! Which delete files stand for rows that are deleted?
//!
//! In: the rows by data file. Out: vectors, or position deletes before v3, and the delete files that they replace.
//! Spec: Deletion Vectors; Position Delete Files; Appendix E, Version 3.
//!
//! Invariant: a vector holds what the older vector and position deletes of its data file hold. These are removed if they are for
//! this data file alone.

use std::collections::BTreeMap;

use floeberg_core::Result;
use floeberg_iceberg::manifest::{DataFile, FileContent};
use floeberg_iceberg::plan::{DeleteFile, DeleteKind};
use floeberg_iceberg::write::{
    DeleteRecipe, DeletedPositions, Receipt, WriteTask, WrittenFile, write_positions, write_vectors,
};
use floeberg_io::StoreOptions;
use floeberg_io::location::canonical;

use super::matched::Matched;
use crate::produce::ActionContext;
use floeberg_io::random::random_uuid;

/// Writes the delete files. Returns the new ones, and those that they replace.
///
/// Errors: `InvalidInput` for a table of v1; those of the store.
pub(crate) fn merged_on_read(
    context: &ActionContext<'_>,
    files: Vec<Matched>,
) -> Result<(Receipt, Vec<WrittenFile>)> {
    let recipe =
        DeleteRecipe::new(&context.metadata, &StoreOptions::new(), &BTreeMap::new(), &random_uuid())?;
    let has_vectors = context.metadata.format_version >= 3;
    let (mut deletes, mut replaced) = (Vec::with_capacity(files.len()), Vec::new());
    for Matched { task, mut rows, deleted } in files {
        if has_vectors {
            rows |= deleted;
            replaced
                .extend(task.deletes.iter().filter_map(|delete| replaced_by_vector(delete, &task.file_path)));
        }
        deletes.push(DeletedPositions {
            partition: task.partition.iter().map(|(_, value)| value.clone()).collect(),
            spec_id: task.spec_id,
            file_path: task.file_path,
            positions: rows,
        });
    }
    let write = if has_vectors { write_vectors } else { write_positions };
    let task = WriteTask { partition: 0, name: "0" };
    let reader = context.reader;
    let receipt = write(&recipe, reader.store.as_ref(), task, &reader.cancel, &deletes)?;
    Ok((receipt, replaced))
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
