//! Which positions do the deletes of one task delete?
//!
//! In: a task whose deletes the planner chose. Out: the deleted positions of its data file.
//! Spec: Scan Planning; Position Delete Files; Deletion Vectors.
//!
//! Invariant: a delete that cannot be applied is an error, never ignored.

use floeberg_core::rows::DeletedRows;
use floeberg_core::{Context, Error, Result};
use floeberg_io::location::canonical;

use super::caches::DeleteCaches;
use super::vector;
use crate::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use crate::read::ReadRequest;

/// The rows that the deletes of a task delete by their positions.
pub(crate) fn load(request: &ReadRequest, caches: &DeleteCaches, task: &FileScanTask) -> Result<DeletedRows> {
    task.deletes.iter().try_for_each(|delete| check(delete))?;
    let mut rows = DeletedRows::default();
    for delete in &task.deletes {
        request.files.cancel.check()?;
        match delete.kind {
            DeleteKind::Vector { content_offset, content_size_in_bytes } => {
                rows.add(&vector::read(&request.files, delete, content_offset, content_size_in_bytes)?);
            }
            DeleteKind::Position => {
                let file = caches.positions.get(request, delete, canonical(&task.file_path));
                let file = file.context("delete_file", &delete.file_path)?;
                if let Some(positions) = file.get(canonical(&task.file_path)) {
                    rows.add(positions);
                }
            }
            DeleteKind::Equality { .. } => {}
        }
    }
    Ok(rows)
}

/// Can this version apply a delete?
pub(super) fn check(delete: &DeleteFile) -> Result<()> {
    match (&delete.kind, delete.file_format) {
        (DeleteKind::Vector { .. }, FileFormat::Puffin) => Ok(()),
        (
            DeleteKind::Equality { .. } | DeleteKind::Position,
            FileFormat::Parquet | FileFormat::Avro | FileFormat::Orc,
        ) => Ok(()),
        (kind, format) => {
            Err(Error::invalid_data(format!("delete files cannot have {kind:?} in {format:?}"))
                .with("path", &delete.file_path))
        }
    }
}
