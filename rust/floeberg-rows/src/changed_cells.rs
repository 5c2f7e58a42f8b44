//! How are rows shown before and after, with the columns that changed?
//!
//! ```text
//! _change | _changed_columns | before | after
//! ```
//!
//! In: rows that came, rows that went, or both sides of updated rows. Out: one row for each of them.
//!
//! Invariant: an update has a column that changed. Rows whose selected columns are all equal are left out. A key column never changed,
//! since two rows of one key have the same values there, also where they are written with other bits.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, RecordBatch, StringArray, StructArray, new_null_array,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Fields, Schema as ArrowSchema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use floeberg_core::{Error, Result};

use crate::differing::differing_rows;

/// The value of `_change` for a row that came.
pub const INSERT: &str = "insert";
/// The value of `_change` for a row that went.
pub const DELETE: &str = "delete";
/// The value of `_change` for a row that has other values.
pub const UPDATE: &str = "update";

/// How many rows differ.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Rows that the second side has alone.
    pub inserted: u64,
    /// Rows that the first side has alone.
    pub deleted: u64,
    /// Rows that both have, with other values.
    pub updated: u64,
    /// For each column in how many of the updated rows it changed. Columns that never did are left out.
    pub changed_columns: BTreeMap<String, u64>,
}

impl RowCounts {
    /// Counts the rows of a batch of a difference.
    pub fn add(&mut self, batch: &RecordBatch) {
        for change in batch.column(0).as_string::<i32>().iter().flatten() {
            match change {
                INSERT => self.inserted += 1,
                UPDATE => self.updated += 1,
                _ => self.deleted += 1,
            }
        }
        for names in batch.column(1).as_list::<i32>().iter().flatten() {
            for name in names.as_string::<i32>().iter().flatten() {
                match self.changed_columns.get_mut(name) {
                    Some(count) => *count += 1,
                    None => drop(self.changed_columns.insert(name.to_owned(), 1)),
                }
            }
        }
    }
}

/// The columns of a difference.
#[derive(Debug, Clone)]
pub struct ChangedCells {
    fields: Fields,
    /// Which of them are the key that makes rows one row.
    is_key: Vec<bool>,
    output: SchemaRef,
}

impl ChangedCells {
    /// Of the columns that are compared.
    pub fn new(columns: &Fields) -> Self {
        // A side may have no row at all.
        let nullable = |field: &Arc<ArrowField>| Arc::new(field.as_ref().clone().with_nullable(true));
        let fields: Fields = columns.iter().map(nullable).collect();
        let name = Arc::new(ArrowField::new("element", DataType::Utf8, false));
        let row = |side| ArrowField::new(side, DataType::Struct(fields.clone()), true);
        let output = Arc::new(ArrowSchema::new(vec![
            ArrowField::new("_change", DataType::Utf8, false),
            ArrowField::new("_changed_columns", DataType::List(name), true),
            row("before"),
            row("after"),
        ]));
        Self { is_key: vec![false; fields.len()], fields, output }
    }

    /// With the names of the columns whose values make rows one row. Others than the shown ones count for nothing.
    #[must_use]
    pub fn with_key(self, key: &[String]) -> Self {
        let is_key = self.fields.iter().map(|field| key.contains(field.name())).collect();
        Self { is_key, ..self }
    }

    /// The schema of the result.
    pub fn output(&self) -> &SchemaRef {
        &self.output
    }

    /// Rows that came. Errors: `Internal` for other columns.
    pub fn inserted(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        self.batch(INSERT, self.no_columns(rows), self.no_rows(rows), self.row(rows)?)
    }

    /// Rows that went. Errors: `Internal` for other columns.
    pub fn deleted(&self, rows: &RecordBatch) -> Result<RecordBatch> {
        self.batch(DELETE, self.no_columns(rows), self.row(rows)?, self.no_rows(rows))
    }

    fn no_columns(&self, rows: &RecordBatch) -> ArrayRef {
        new_null_array(self.output.field(1).data_type(), rows.num_rows())
    }

    fn no_rows(&self, rows: &RecordBatch) -> ArrayRef {
        new_null_array(&DataType::Struct(self.fields.clone()), rows.num_rows())
    }

    /// Both sides of updated rows, without those that have no other value. Errors: `Internal` for other columns.
    pub fn updated(&self, before: &RecordBatch, after: &RecordBatch) -> Result<RecordBatch> {
        let rows = before.num_rows();
        let columns = before.columns().iter().zip(after.columns()).zip(&self.is_key);
        let compare = |((old, new), is_key): ((&ArrayRef, &ArrayRef), &bool)| {
            if *is_key {
                return BooleanBuffer::new_unset(rows);
            }
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
pub(crate) fn misfit(error: ArrowError) -> Error {
    Error::internal("the columns of a difference do not fit").caused_by(error)
}
