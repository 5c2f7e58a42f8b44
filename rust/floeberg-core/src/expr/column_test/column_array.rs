//! Which array of a batch holds a column?
//!
//! Invariant: a child of a null struct is null, whatever its own array says.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::Fields;

use crate::error::{Error, Result};
use crate::expr::BoundColumn;
use crate::schema::arrow::field_id;

/// A column's array with the nulls of its parents.
pub(in crate::expr) struct ColumnArray {
    /// The values; those of null rows are undefined.
    pub(in crate::expr) values: ArrayRef,
    /// Which rows hold a value; `None` where all do.
    pub(in crate::expr) nulls: Option<NullBuffer>,
}

impl ColumnArray {
    /// Finds a column along its path of field ids.
    ///
    /// Errors: `InvalidInput` where the batch does not have it.
    pub(in crate::expr) fn find(batch: &RecordBatch, column: &BoundColumn) -> Result<Self> {
        let missing = || {
            Error::invalid_input(format!(
                "the batch has no column {:?} (field id {}), which the filter tests",
                column.name, column.id
            ))
        };
        let (first, rest) = column.path.split_first().ok_or_else(missing)?;
        let schema = batch.schema_ref();
        let mut values = batch.column(position(schema.fields(), *first).ok_or_else(missing)?).clone();
        let mut nulls = values.logical_nulls();
        for id in rest {
            let parent = values.as_struct_opt().ok_or_else(missing)?;
            let child = parent.column(position(parent.fields(), *id).ok_or_else(missing)?).clone();
            nulls = NullBuffer::union(nulls.as_ref(), child.logical_nulls().as_ref());
            values = child;
        }
        Ok(Self { values, nulls })
    }
}

fn position(fields: &Fields, id: i32) -> Option<usize> {
    fields.iter().position(|field| field_id(field) == Some(id))
}
