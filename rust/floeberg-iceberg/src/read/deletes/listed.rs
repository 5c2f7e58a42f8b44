//! Which positions does a delete file have, as written?
//!
//! In: a position delete file or a deletion vector. Out: batches of (file path, position, deleted row).
//! Spec: Position Delete Files; Deletion Vectors; Reserved Field IDs.
//!
//! Invariant: rows come in the order of the file, with repeated ones; an equality delete file is an error.

use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, new_null_array};
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::{Field, NameMapping, Schema};
use floeberg_core::{Context, Error, Result};
use floeberg_files::{Unit, UnitReader};
use roaring::RoaringTreemap;

use super::load::check;
use super::rows::DeleteRows;
use super::vector;
use crate::plan::{DeleteFile, DeleteKind};
use crate::read::ReadRequest;

/// The rows that one delete file names.
pub(crate) enum ListedDeletes {
    /// Of a position delete file.
    File(Box<FileRows>),
    /// Of a deletion vector.
    Vector(Box<VectorRows>),
}

impl ListedDeletes {
    /// Opens a delete file. `columns` are the file path, the position and the row, in this order.
    pub(crate) fn open(request: &ReadRequest, delete: &DeleteFile, columns: &[Field; 3]) -> Result<Self> {
        check(delete)?;
        match delete.kind {
            DeleteKind::Position => Ok(Self::File(Box::new(FileRows::open(request, delete, columns)?))),
            DeleteKind::Vector { content_offset, content_size_in_bytes } => {
                let positions = vector::read(&request.files, delete, content_offset, content_size_in_bytes)?;
                let rows = VectorRows::new(request, delete, columns, positions)?;
                Ok(Self::Vector(Box::new(rows)))
            }
            DeleteKind::Equality { .. } => {
                Err(Error::internal("an equality delete has no positions").with("path", &delete.file_path))
            }
        }
    }
}

impl Iterator for ListedDeletes {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::File(rows) => rows.next(),
            Self::Vector(rows) => rows.next().transpose(),
        }
    }
}

/// The rows of a position delete file, unit by unit.
pub(crate) struct FileRows {
    file: DeleteRows,
    units: IntoIter<Unit>,
    reader: Option<UnitReader>,
    columns: [Field; 3],
    path: String,
}

impl FileRows {
    fn open(request: &ReadRequest, delete: &DeleteFile, columns: &[Field; 3]) -> Result<Self> {
        let names = NameMapping::of_schema(&Schema::new(0, columns.to_vec())?);
        let file = DeleteRows::open(&request.files, delete, &names)?;
        let units = file.units().into_iter();
        Ok(Self { file, units, reader: None, columns: columns.clone(), path: delete.file_path.clone() })
    }

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                return Some(batch.context("path", &self.path));
            }
            let unit = self.units.next()?;
            match self.file.read(&unit, &self.columns) {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => return Some(Err(error.with("path", &self.path))),
            }
        }
    }
}

/// The rows of a vector, as many at a time as a batch holds.
pub(crate) struct VectorRows {
    positions: roaring::treemap::IntoIter,
    data_file: String,
    schema: SchemaRef,
    batch_rows: usize,
}

impl VectorRows {
    fn new(
        request: &ReadRequest,
        delete: &DeleteFile,
        columns: &[Field; 3],
        positions: RoaringTreemap,
    ) -> Result<Self> {
        let data_file = delete.referenced_data_file.clone().ok_or_else(|| {
            Error::invalid_data("a deletion vector has no referenced_data_file")
                .with("path", &delete.file_path)
        })?;
        let schema = Arc::new(ArrowSchema::new(fields_to_arrow(columns)?));
        Ok(Self { positions: positions.into_iter(), data_file, schema, batch_rows: request.files.batch_rows })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let positions: Vec<i64> =
            self.positions.by_ref().take(self.batch_rows).map(|position| position as i64).collect();
        if positions.is_empty() {
            return Ok(None);
        }
        let paths: StringArray = positions.iter().map(|_| Some(&self.data_file)).collect();
        let rows = new_null_array(self.schema.field(2).data_type(), positions.len());
        let columns: Vec<ArrayRef> = vec![Arc::new(paths), Arc::new(Int64Array::from(positions)), rows];
        RecordBatch::try_new(Arc::clone(&self.schema), columns).map(Some).map_err(|error| {
            Error::internal("the rows of a deletion vector do not fit into a batch").caused_by(error)
        })
    }
}
