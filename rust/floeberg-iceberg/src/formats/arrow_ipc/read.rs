//! How are Arrow files read?
//!
//! The whole file is decoded; unwanted columns and rows are dropped afterwards.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, Fields, Schema};
use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{
    AfterDecoding, FileField, FileFields, FileFilter, FileMetrics, FileReader, Modes, Projection, Unit,
    UnitReader, UnitRequest,
};
use floeberg_io::Store;

/// An Arrow file.
#[derive(Debug)]
pub(crate) struct IpcFile {
    location: String,
    bytes: Bytes,
    fields: FileFields,
}

impl IpcFile {
    /// Opens a file whose columns have ids.
    pub(crate) fn open(store: &dyn Store, location: &str) -> Result<Self> {
        let bytes = store.open(location)?.read_all(u64::MAX)?;
        let reader = StreamReader::try_new(Cursor::new(bytes.clone()), None);
        let schema = reader.map_err(damaged).context("path", location)?.schema();
        let fields = FileFields::new(schema.fields(), None);
        Ok(Self { location: location.to_owned(), bytes, fields })
    }
}

impl FileReader for IpcFile {
    fn fields(&self) -> &FileFields {
        &self.fields
    }

    fn units(&self, bytes: Option<&Range<u64>>, _: &FileFilter) -> Vec<Unit> {
        let starts_inside = bytes.is_none_or(|bytes| bytes.contains(&0));
        starts_inside.then_some(Unit { number: 0, rows: None }).into_iter().collect()
    }

    fn prepared(self: Arc<Self>, _: &[Unit], _: &Projection, _: &FileFilter) -> Result<Arc<dyn FileReader>> {
        Ok(self)
    }

    fn metrics(&self, _: &floeberg_core::schema::Schema, _: &Modes) -> Result<FileMetrics> {
        let file_size_in_bytes = i64::try_from(self.bytes.len()).unwrap_or(i64::MAX);
        Ok(FileMetrics { file_size_in_bytes, ..FileMetrics::default() })
    }

    fn read(self: Arc<Self>, request: &UnitRequest<'_>) -> Result<UnitReader> {
        let after = AfterDecoding::new(&self.fields, request);
        let most = request.batch_rows;
        let mut next_row = 0;
        let reader = StreamReader::try_new(Cursor::new(self.bytes.clone()), None).map_err(damaged)?;
        let cut = reader.flat_map(move |batch| match batch {
            Ok(batch) => {
                let starts = (0..batch.num_rows()).step_by(most);
                starts.map(|start| Ok(batch.slice(start, most.min(batch.num_rows() - start)))).collect()
            }
            Err(error) => vec![Err(damaged(error))],
        });
        let read = cut.filter_map(move |batch: Result<RecordBatch>| {
            let kept = batch.and_then(|batch| {
                let start = next_row;
                next_row += batch.num_rows() as u64;
                after.apply(self.leaves(&batch, after.leaves())?, start)
            });
            kept.context("path", &self.location).transpose()
        });
        Ok(Box::new(read))
    }
}

impl IpcFile {
    /// Some leaves of a batch of all.
    fn leaves(&self, batch: &RecordBatch, leaves: &BTreeSet<usize>) -> Result<RecordBatch> {
        let (fields, columns) =
            kept(&self.fields.fields, batch.schema().fields(), batch.columns(), leaves).map_err(damaged)?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).map_err(damaged)
    }
}

fn kept(
    file: &[FileField],
    fields: &Fields,
    columns: &[ArrayRef],
    leaves: &BTreeSet<usize>,
) -> Result<(Fields, Vec<ArrayRef>), ArrowError> {
    let (mut kept_fields, mut kept_columns) = (Vec::new(), Vec::new());
    for ((part, field), column) in file.iter().zip(fields).zip(columns) {
        if leaves.range(part.leaves.clone()).next().is_none() {
            continue;
        }
        let column = match column.as_struct_opt().filter(|_| !part.children.is_empty()) {
            Some(parent) => {
                let (fields, columns) = kept(&part.children, parent.fields(), parent.columns(), leaves)?;
                Arc::new(StructArray::try_new(fields, columns, parent.nulls().cloned())?) as ArrayRef
            }
            None => Arc::clone(column),
        };
        kept_fields.push(Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone())));
        kept_columns.push(column);
    }
    Ok((kept_fields.into(), kept_columns))
}

fn damaged(error: ArrowError) -> Error {
    Error::invalid_data("the Arrow file cannot be decoded").caused_by(error)
}
