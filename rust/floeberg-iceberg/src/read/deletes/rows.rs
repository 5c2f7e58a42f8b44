//! The rows of a delete file, whatever its format.
//!
//! In: a delete file and the columns to read. Out: batches of them.
//! Spec: Delete Formats.
//!
//! Invariant: columns are found by field id; in a file that says none, by names.

use std::sync::Arc;

use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, NameMapping};
use floeberg_core::{Cancel, Result};

use crate::plan::DeleteFile;
use crate::read::ReadRequest;
use crate::read::file::{FileFields, OpenFile, Unit, UnitReader, UnitRequest};
use crate::read::filter::FileFilter;
use crate::read::project::{PartitionConstants, Projection};

/// A delete file, open.
#[derive(Debug)]
pub(super) struct DeleteRows {
    file: OpenFile,
    batch_rows: usize,
    cancel: Cancel,
}

impl DeleteRows {
    /// Opens a delete file, whose columns have ids, or else names that stand for some.
    pub(super) fn open(request: &ReadRequest, delete: &DeleteFile, names: &NameMapping) -> Result<Self> {
        let file = OpenFile::open(request, &delete.location, delete.file_format, Some(names))?;
        Ok(Self { file, batch_rows: request.batch_rows, cancel: request.cancel.clone() })
    }

    /// Its columns.
    pub(super) fn fields(&self) -> &FileFields {
        self.file.fields()
    }

    /// What can be read of it, in order.
    pub(super) fn units(&self) -> Vec<Unit> {
        self.file.units(None, &DeletedRows::default(), &FileFilter::All)
    }

    /// All rows of a unit, as batches of some columns.
    pub(super) fn read(&self, unit: &Unit, columns: &[Field]) -> Result<UnitReader> {
        let constants = PartitionConstants::default();
        let projection = Projection::of_fields(columns, self.file.fields(), &constants)?;
        self.file.read(&UnitRequest {
            unit,
            projection: &Arc::new(projection),
            deletes: &Arc::default(),
            predicate: None,
            batch_rows: self.batch_rows,
            cancel: &self.cancel,
        })
    }

    /// The one text that all rows of a unit have in a top-level column, where the file proves it.
    pub(super) fn one_text(&self, unit: &Unit, column: &Field) -> Option<&str> {
        self.file.one_text(unit, column)
    }
}
