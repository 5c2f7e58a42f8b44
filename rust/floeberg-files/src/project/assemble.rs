//! How does a decoded batch become a batch of the schema?
//!
//! Invariant: children of a list or map stay as long as their parent's offsets say; nothing is reordered by rows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType};
use floeberg_core::arrow_values::to_array;
use floeberg_core::{Context, Error, Result};

use super::cast::cast;
use super::source::{ColumnSource, Conversion, Resolved};

/// One field of this many rows, from the decoded fields of its parent. `above` is where its parent is null.
pub(super) fn assemble(
    column: &Resolved,
    decoded: &[ArrayRef],
    rows: usize,
    above: Option<&NullBuffer>,
) -> Result<ArrayRef> {
    match &column.source {
        ColumnSource::Constant(value, field_type) => to_array(value.as_ref(), field_type, rows),
        ColumnSource::File(number, conversion) => {
            let array = decoded.get(*number).ok_or_else(|| {
                Error::internal(format!("the planned column {:?} was not decoded", column.name))
            })?;
            convert(array, conversion, column.target.data_type(), &column.name, above)
        }
        ColumnSource::Position | ColumnSource::Inherited(_) => {
            Err(Error::internal(format!("the metadata column {:?} is nested", column.name)))
        }
    }
}

pub(super) fn convert(
    array: &ArrayRef,
    conversion: &Conversion,
    target: &DataType,
    name: &str,
    above: Option<&NullBuffer>,
) -> Result<ArrayRef> {
    let broken = |error: ArrowError| {
        Error::invalid_data(format!("column {name:?} cannot be read as {target}: {error}"))
    };
    match (conversion, target) {
        (Conversion::Primitive, _) => cast(array, target, name),
        (Conversion::Null, _) => Ok(new_null_array(target, array.len())),
        (Conversion::Struct(fields), DataType::Struct(targets)) => {
            let parent = array.as_struct_opt().ok_or_else(|| unexpected(array, name))?;
            // A required struct has no nulls of its own where an optional one above it is null; its children have.
            let nulls = NullBuffer::union(parent.nulls(), above);
            let children = fields
                .iter()
                .map(|field| assemble(field, parent.columns(), parent.len(), nulls.as_ref()))
                .collect::<Result<Vec<_>>>()?;
            let built = if children.is_empty() {
                StructArray::new_empty_fields(parent.len(), nulls)
            } else {
                StructArray::try_new(targets.clone(), children, nulls).map_err(broken)?
            };
            Ok(Arc::new(built))
        }
        (Conversion::List(element), DataType::List(field)) => {
            let list = array.as_list_opt::<i32>().ok_or_else(|| unexpected(array, name))?;
            let values = convert(list.values(), element, field.data_type(), name, None)?;
            let built =
                ListArray::try_new(Arc::clone(field), list.offsets().clone(), values, list.nulls().cloned());
            Ok(Arc::new(built.map_err(broken)?))
        }
        (Conversion::Map(key, value), DataType::Map(entries, sorted)) => {
            let map = array.as_map_opt().ok_or_else(|| unexpected(array, name))?;
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(Error::internal("the entries of an Arrow map are not a struct"));
            };
            let keys = convert(map.keys(), key, fields[0].data_type(), name, None)?;
            let values = convert(map.values(), value, fields[1].data_type(), name, None)?;
            let pairs = StructArray::try_new(fields.clone(), vec![keys, values], None).map_err(broken)?;
            let built = MapArray::try_new(
                Arc::clone(entries),
                map.offsets().clone(),
                pairs,
                map.nulls().cloned(),
                *sorted,
            );
            Ok(Arc::new(built.map_err(broken)?))
        }
        (Conversion::Variant(layout), DataType::Struct(fields)) => {
            let group = array.as_struct_opt().ok_or_else(|| unexpected(array, name))?;
            Ok(Arc::new(layout.read(group, fields).context("column", name)?))
        }
        _ => Err(unexpected(array, name)),
    }
}

fn unexpected(array: &ArrayRef, name: &str) -> Error {
    Error::internal(format!("column {name:?} was decoded as {}", array.data_type()))
}
