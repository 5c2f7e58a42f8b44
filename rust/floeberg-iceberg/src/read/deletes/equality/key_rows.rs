//! The keys in an equality delete file.
//!
//! In: a delete file and its key columns. Out: rows of keys, in the types that the table has now.
//! Spec: Equality Delete Files; Column Projection.
//!
//! Invariant: keys are found only by field id. A file without ids gets them from the table's name mapping; a file without a key
//! column is an error.

use arrow_array::ArrayRef;
use floeberg_core::schema::NameMapping;
use floeberg_core::{Context, Error, Result};

use super::key_column::{KeyColumn, keys_of, roots};
use crate::plan::DeleteFile;
use crate::read::ReadRequest;
use crate::read::deletes::rows::DeleteRows;

/// Passes the keys of a file on, some rows at a time, until no more are wanted. Were all taken?
pub(super) fn for_each(
    request: &ReadRequest,
    delete: &DeleteFile,
    columns: &[KeyColumn],
    mut take: impl FnMut(&[ArrayRef]) -> Result<bool>,
) -> Result<bool> {
    let mut read = || {
        // An empty mapping, not `None`: without a mapping, ids would be guessed from the order of the columns.
        let no_names = NameMapping::default();
        let names = request.name_mapping.as_deref().unwrap_or(&no_names);
        let file = DeleteRows::open(&request.files, delete, names)?;
        if let Some(column) = columns.iter().find(|column| !column.is_in(file.fields())) {
            return Err(Error::invalid_data(format!(
                "the equality delete file has no column with id {} ({:?}), which its equality ids name",
                column.id, column.name
            ))
            .with("path", &delete.location));
        }
        let roots = roots(columns);
        for unit in file.units() {
            for batch in file.read(&unit, &roots)? {
                request.files.cancel.check()?;
                let batch = batch?;
                if !take(&keys_of(columns, batch.columns())?)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    };
    read().context("delete_file", &delete.file_path)
}
