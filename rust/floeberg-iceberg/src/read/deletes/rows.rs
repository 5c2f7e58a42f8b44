//! The rows of a delete file, whatever its format.
//!
//! In: a delete file and the columns to read. Out: batches of them.
//! Spec: Delete Formats.
//!
//! Invariant: columns are found by field id, or by name in a file without ids.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, NameMapping};
use floeberg_files::{
    FileConstants, FileFields, FileFilter, FileReader, Projection, Unit, UnitReader, UnitRequest,
    units_to_read,
};

use crate::plan::DeleteFile;
use crate::read::open::{FileAccess, Names};

/// A delete file, open.
#[derive(Debug)]
pub(super) struct DeleteRows {
    file: Arc<dyn FileReader>,
    access: FileAccess,
}

impl DeleteRows {
    /// Opens a delete file. Its columns have ids, or else names that map to ids.
    pub(super) fn open(access: &FileAccess, delete: &DeleteFile, names: &NameMapping) -> Result<Self> {
        let file = access.open(
            &delete.location,
            Some(delete.file_size_in_bytes),
            delete.file_format,
            Names::Mapped(names),
        )?;
        Ok(Self { file, access: access.clone() })
    }

    /// Its columns.
    pub(super) fn fields(&self) -> &FileFields {
        self.file.fields()
    }

    /// Its units, in order.
    pub(super) fn units(&self) -> Vec<Unit> {
        units_to_read(self.file.as_ref(), None, &DeletedRows::default(), &FileFilter::All)
    }

    /// All rows of a unit, as batches of some columns.
    pub(super) fn read(&self, unit: &Unit, columns: &[Field]) -> Result<UnitReader> {
        let constants = FileConstants::default();
        let projection = Projection::of_fields(columns, self.file.fields(), &constants)?;
        Arc::clone(&self.file).read(&UnitRequest {
            unit,
            projection: &Arc::new(projection),
            deletes: &Arc::default(),
            predicate: None,
            batch_rows: self.access.batch_rows,
            cancel: &self.access.cancel,
            counts: None,
        })
    }

    /// The one string that all rows of a unit have in a top-level column, if the file proves it.
    pub(super) fn one_text(&self, unit: &Unit, column: &Field) -> Option<&str> {
        self.file.one_text(unit, column)
    }
}
