//! How are rows shown before and after, with the columns that changed?
//!
//! ```text
//! _change | _changed_columns | before | after
//! ```
//!
//! In: rows that came, rows that went, or both sides of updated rows. Out: one row for each of them.
//!
//! Invariant: an update has a column that changed. Rows whose selected columns are all equal are left out.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, RecordBatch, StringArray, StructArray, new_null_array,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields, Schema as ArrowSchema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Context as _, Error, Result};
use floeberg_rows::differing_rows;

use super::step::Side;
use crate::Scan;

/// The value of `_change` for a row that came.
pub(super) const INSERT: &str = "insert";
/// The value of `_change` for a row that went.
pub(super) const DELETE: &str = "delete";
/// The value of `_change` for a row that has other values.
pub(super) const UPDATE: &str = "update";

/// The columns of a difference.
pub(super) struct ChangedCells {
    fields: Fields,
    output: SchemaRef,
}

impl ChangedCells {
    /// Of the columns that a scan selects.
    ///
    /// Errors: those of the scan's columns.
    pub fn new(scan: &Scan) -> Result<Self> {
        let selected = schema_to_arrow(scan.projection()?.as_ref())
            .context("table", scan.table().metadata_location())?;
        // A side may have no row at all.
        let nullable = |field: &Arc<ArrowField>| Arc::new(field.as_ref().clone().with_nullable(true));
        let fields: Fields = selected.fields().iter().map(nullable).collect();
        let name = Arc::new(ArrowField::new("element", DataType::Utf8, false));
        let row = |side| ArrowField::new(side, DataType::Struct(fields.clone()), true);
        let output = Arc::new(ArrowSchema::new(vec![
            ArrowField::new("_change", DataType::Utf8, false),
            ArrowField::new("_changed_columns", DataType::List(name), true),
            row("before"),
            row("after"),
        ]));
        Ok(Self { fields, output })
    }

    /// The schema of the result.
    pub fn output(&self) -> &SchemaRef {
        &self.output
    }

    /// Rows of one side.
    pub fn of_side(&self, side: Side, rows: &RecordBatch) -> Result<RecordBatch> {
        let (count, present) = (rows.num_rows(), self.row(rows)?);
        let none = new_null_array(&DataType::Struct(self.fields.clone()), count);
        let (change, before, after) = match side {
            Side::Inserted => (INSERT, none, present),
            Side::Deleted => (DELETE, present, none),
        };
        let columns = new_null_array(self.output.field(1).data_type(), count);
        self.batch(change, columns, before, after)
    }

    /// Both sides of updated rows, without those that have no other value.
    pub fn of_updates(&self, before: &RecordBatch, after: &RecordBatch) -> Result<RecordBatch> {
        let rows = before.num_rows();
        let columns = before.columns().iter().zip(after.columns());
        let compare = |(old, new): (&ArrayRef, &ArrayRef)| {
            differing_rows(std::slice::from_ref(old), std::slice::from_ref(new), rows)
        };
        let changed: Vec<BooleanBuffer> = columns.map(compare).collect();
        let any = changed.iter().fold(BooleanBuffer::new_unset(rows), |any, column| &any | column);
        let mut names = ListBuilder::new(StringBuilder::new()).with_field(ArrowField::new(
            "element",
            DataType::Utf8,
            false,
        ));
        for row in any.set_indices() {
            for (field, _) in self.fields.iter().zip(&changed).filter(|(_, column)| column.value(row)) {
                names.values().append_value(field.name());
            }
            names.append(true);
        }
        let mask = BooleanArray::from(any);
        let side = |rows: &RecordBatch| self.row(&filter_record_batch(rows, &mask).map_err(misfit)?);
        self.batch(UPDATE, Arc::new(names.finish()), side(before)?, side(after)?)
    }

    /// The columns of rows as one column.
    fn row(&self, rows: &RecordBatch) -> Result<ArrayRef> {
        let columns = rows.columns().to_vec();
        let row = StructArray::try_new_with_length(self.fields.clone(), columns, None, rows.num_rows());
        Ok(Arc::new(row.map_err(misfit)?))
    }

    fn batch(
        &self,
        change: &str,
        columns: ArrayRef,
        before: ArrayRef,
        after: ArrayRef,
    ) -> Result<RecordBatch> {
        let changes = StringArray::from_iter_values(std::iter::repeat_n(change, before.len()));
        RecordBatch::try_new(Arc::clone(&self.output), vec![Arc::new(changes), columns, before, after])
            .map_err(misfit)
    }
}

/// Columns of a difference are not those that it has.
pub(super) fn misfit(error: ArrowError) -> Error {
    Error::internal("the columns of a difference do not fit").caused_by(error)
}
