//! Where is a column in a batch, if it is inside structs?
//!
//! In: a schema and a field id, or a column and positions. Out: positions from the top, or the array of the column.
//!
//! Invariant: a value is null if one of the structs above it is null.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::NullBuffer;

use crate::error::{Error, Result};
use crate::schema::Schema;

/// The positions from the top to a column that is in no list and no map.
pub fn positions(schema: &Schema, id: i32) -> Vec<usize> {
    let path = schema.path(id).unwrap_or_default();
    let mut siblings = schema.fields();
    let mut positions = Vec::with_capacity(path.len());
    for field in path {
        positions.extend(siblings.iter().position(|sibling| sibling.id == field.id));
        siblings = field.field_type.as_struct().map_or(&[], |fields| &fields.fields);
    }
    positions
}

/// A column in structs, by its positions below the array.
///
/// Errors: `Internal` for an array that has no struct there.
pub fn column_in_structs(column: &ArrayRef, path: &[usize]) -> Result<ArrayRef> {
    let Some((first, rest)) = path.split_first() else { return Ok(column.clone()) };
    let parent = column.as_struct_opt().filter(|parent| *first < parent.num_columns());
    let parent = parent.ok_or_else(|| Error::internal("a batch does not have the table's schema"))?;
    let child = parent.column(*first);
    // The null type has no bitmap and needs none.
    if child.data_type().is_null() {
        return Ok(child.clone());
    }
    let nulls = NullBuffer::union(parent.nulls(), child.nulls());
    let data = child.to_data().into_builder().nulls(nulls).build();
    let child =
        data.map_err(|error| Error::internal("a column was not found in its struct").caused_by(error))?;
    column_in_structs(&make_array(child), rest)
}
