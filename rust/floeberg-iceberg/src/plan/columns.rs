//! What are the columns of a plan?
//!
//! In: entries of one manifest, which of them are kept, their deletes and residuals. Out: one batch, with one row per data file.
//!
//! Invariant: all batches of a plan have one schema.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Int32Array, ListArray, RecordBatch, StringArray, StructArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema as ArrowSchema, SchemaRef};
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use floeberg_core::{Error, Result};
use floeberg_io::Relocation;

use crate::manifest::{ManifestEntries, Specs};

/// The columns of a plan, by position.
pub(crate) mod column {
    pub const FILE_PATH: usize = 0;
    pub const LOCATION: usize = 1;
    pub const FILE_FORMAT: usize = 2;
    pub const SPEC_ID: usize = 3;
    pub const PARTITION: usize = 4;
    pub const RECORD_COUNT: usize = 5;
    pub const FILE_SIZE: usize = 6;
    pub const DATA_SEQUENCE_NUMBER: usize = 7;
    pub const FIRST_ROW_ID: usize = 8;
    pub const SPLIT_OFFSETS: usize = 9;
    pub const DELETE_FILES: usize = 10;
    pub const RESIDUAL: usize = 11;
}

/// The schema of a plan: see `Plan::to_arrow`.
pub(crate) fn plan_schema(specs: &Specs) -> SchemaRef {
    let list = |item: DataType| DataType::List(Arc::new(Field::new("element", item, false)));
    Arc::new(ArrowSchema::new(vec![
        Field::new("file_path", DataType::Utf8, false),
        Field::new("location", DataType::Utf8, false),
        Field::new("file_format", DataType::Utf8, false),
        Field::new("spec_id", DataType::Int32, false),
        Field::new("partition", specs.unified_type(), false),
        Field::new("record_count", DataType::Int64, false),
        Field::new("file_size_in_bytes", DataType::Int64, false),
        Field::new("data_sequence_number", DataType::Int64, false),
        Field::new("first_row_id", DataType::Int64, true),
        Field::new("split_offsets", list(DataType::Int64), true),
        Field::new("delete_files", list(DataType::Int32), false),
        Field::new("residual", DataType::Int32, false),
    ]))
}

/// Keeps the entries of a mask. If all are kept, nothing is copied.
pub(crate) struct Selection {
    predicate: Option<FilterPredicate>,
    /// Which entries are kept; `None` is all.
    entries: Option<Vec<usize>>,
    rows: usize,
}

impl Selection {
    /// A mask over the entries; `None` keeps all `len`.
    pub fn new(mask: Option<Vec<bool>>, len: usize) -> Self {
        match mask {
            Some(mask) if mask.iter().any(|keep| !keep) => {
                let mask = BooleanArray::from(mask);
                Self {
                    rows: mask.true_count(),
                    entries: Some(mask.values().set_indices().collect()),
                    predicate: Some(FilterBuilder::new(&mask).optimize().build()),
                }
            }
            _ => Self { predicate: None, entries: None, rows: len },
        }
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The entry number of a kept one.
    pub fn entry(&self, row: usize) -> usize {
        self.entries.as_ref().map_or(row, |entries| entries[row])
    }

    /// The kept values of a column.
    pub fn take(&self, column: &dyn Array) -> Result<ArrayRef> {
        match &self.predicate {
            None => Ok(column.slice(0, column.len())),
            Some(predicate) => predicate
                .filter(column)
                .map_err(|error| Error::internal("keeping entries of a manifest").caused_by(error)),
        }
    }
}

/// The columns from the manifest itself: all but deletes and residuals.
pub(crate) struct FileColumns {
    /// How many files.
    pub rows: usize,
    /// The spec of all of them.
    pub spec_id: i32,
    /// Partition values, in the spec's own form.
    pub partition: StructArray,
    /// The first ten columns of the plan.
    columns: Vec<ArrayRef>,
}

impl FileColumns {
    /// Picks the kept entries.
    pub fn new(
        entries: &ManifestEntries,
        kept: &Selection,
        specs: &Specs,
        relocation: &Relocation,
    ) -> Result<Self> {
        let partition = kept.take(&entries.partition)?;
        let partition = typed::<StructArray>(&partition)?.clone();
        let file_path = kept.take(&entries.file_path)?;
        let location = relocated(&file_path, relocation)?;
        let columns = vec![
            file_path,
            location,
            kept.take(&entries.file_format)?,
            Arc::new(Int32Array::from_value(entries.spec_id, kept.len())),
            Arc::new(specs.unify(entries.spec_id, &partition)?),
            kept.take(&entries.record_count)?,
            kept.take(&entries.file_size_in_bytes)?,
            kept.take(&entries.data_sequence_number)?,
            kept.take(&entries.first_row_id)?,
            split_offsets(&kept.take(&entries.split_offsets)?)?,
        ];
        Ok(Self { rows: kept.len(), spec_id: entries.spec_id, partition, columns })
    }

    /// A column by its position.
    pub fn column(&self, position: usize) -> &ArrayRef {
        &self.columns[position]
    }

    /// The batch, with the deletes and residual numbers of each file.
    pub fn finish(
        self,
        schema: SchemaRef,
        deletes: Option<ListArray>,
        residuals: Vec<i32>,
    ) -> Result<RecordBatch> {
        let mut columns = self.columns;
        let none = || DeleteLists { offsets: vec![0; self.rows + 1], values: Vec::new() }.finish();
        columns.push(Arc::new(deletes.map_or_else(none, Ok)?));
        columns.push(Arc::new(Int32Array::from(residuals)));
        RecordBatch::try_new(schema, columns).map_err(unfit)
    }
}

/// A chunk with one column replaced.
pub(crate) fn with_column(chunk: RecordBatch, position: usize, column: ArrayRef) -> Result<RecordBatch> {
    let (schema, mut columns, _) = chunk.into_parts();
    columns[position] = column;
    RecordBatch::try_new(schema, columns).map_err(unfit)
}

fn unfit(error: ArrowError) -> Error {
    Error::internal("the columns of a plan do not fit its schema").caused_by(error)
}

/// Numbers of deletes, file after file.
pub(crate) struct DeleteLists {
    /// For each file the start of its numbers, and at the end the end of the last.
    pub offsets: Vec<i32>,
    /// The numbers.
    pub values: Vec<i32>,
}

impl DeleteLists {
    /// The column.
    pub fn finish(self) -> Result<ListArray> {
        let field = Arc::new(Field::new("element", DataType::Int32, false));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        ListArray::try_new(field, offsets, Arc::new(Int32Array::from(self.values)), None).map_err(unfit)
    }
}

/// A column as its array type.
pub(crate) fn typed<A: Array + 'static>(column: &dyn Array) -> Result<&A> {
    column.as_any().downcast_ref().ok_or_else(|| {
        Error::internal(format!("a column of a plan is of the unexpected type {}", column.data_type()))
    })
}

fn relocated(paths: &ArrayRef, relocation: &Relocation) -> Result<ArrayRef> {
    if relocation.is_empty() {
        return Ok(Arc::clone(paths));
    }
    let paths = typed::<StringArray>(paths)?;
    let mut bytes = 0;
    let moved = paths.iter().flatten().map(|path| {
        let moved = relocation.apply(path);
        bytes += moved.len();
        // An array of strings cannot exceed 2 GiB: Arrow panics there.
        if i32::try_from(bytes).is_ok() {
            Ok(moved)
        } else {
            Err(Error::limit("the paths of a manifest take more than 2 GiB"))
        }
    });
    Ok(Arc::new(StringArray::from_iter_values(moved.collect::<Result<Vec<_>>>()?)))
}

/// The offsets with the plan's own element field, and without nulls among them.
fn split_offsets(offsets: &ArrayRef) -> Result<ArrayRef> {
    let (_, ends, values, nulls) = typed::<ListArray>(offsets)?.clone().into_parts();
    let field = Arc::new(Field::new("element", DataType::Int64, false));
    ListArray::try_new(field, ends, values, nulls)
        .map(|lists| Arc::new(lists) as ArrayRef)
        .map_err(|error| Error::invalid_data("split offsets hold a null").caused_by(error))
}
