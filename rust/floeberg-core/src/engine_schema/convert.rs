//! How does a column of the table's form become one of another type?
//!
//! Invariant: rows keep their order and their nulls. Nested columns keep their offsets, and columns whose type stays
//! are shared.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, ListArray, MapArray, StructArray};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};

use super::{leaves, variant};
use crate::error::{Error, Result};

/// A column as a type that `SparkSchema` has for it.
pub(super) fn convert(array: &ArrayRef, target: &DataType) -> Result<ArrayRef> {
    if array.data_type() == target {
        return Ok(Arc::clone(array));
    }
    let unexpected =
        || Error::internal(format!("a column of type {} cannot be converted to {target}", array.data_type()));
    match (array.data_type(), target) {
        (DataType::FixedSizeBinary(16), DataType::Utf8) => {
            leaves::uuid_texts(array.as_fixed_size_binary_opt().ok_or_else(unexpected)?)
        }
        (DataType::FixedSizeBinary(_), DataType::Binary) => {
            leaves::bytes(array.as_fixed_size_binary_opt().ok_or_else(unexpected)?)
        }
        (DataType::Time64(TimeUnit::Microsecond), DataType::Time64(TimeUnit::Nanosecond)) => {
            leaves::nanosecond_times(array.as_primitive_opt().ok_or_else(unexpected)?)
        }
        (DataType::Timestamp(TimeUnit::Nanosecond, from), DataType::Timestamp(TimeUnit::Microsecond, to))
            if from == to =>
        {
            Ok(leaves::microseconds(array.as_primitive_opt().ok_or_else(unexpected)?, to.as_ref()))
        }
        (DataType::Struct(_), DataType::Struct(fields)) if variant::is_variant(fields) => {
            built(variant::reordered(array.as_struct_opt().ok_or_else(unexpected)?, fields))
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            structs(array.as_struct_opt().ok_or_else(unexpected)?, fields)
        }
        (DataType::List(_), DataType::List(element)) => {
            let list = array.as_list_opt::<i32>().ok_or_else(unexpected)?;
            let values = convert(list.values(), element.data_type())?;
            let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
            built(ListArray::try_new(Arc::clone(element), offsets, values, nulls))
        }
        (DataType::Map(_, _), DataType::Map(entries, sorted)) => {
            let map = array.as_map_opt().ok_or_else(unexpected)?;
            let DataType::Struct(fields) = entries.data_type() else { return Err(unexpected()) };
            let pairs = pairs(map.entries(), fields)?;
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            built(MapArray::try_new(Arc::clone(entries), offsets, pairs, nulls, *sorted))
        }
        _ => Err(unexpected()),
    }
}

fn structs(array: &StructArray, fields: &Fields) -> Result<ArrayRef> {
    pairs(array, fields).map(|array| Arc::new(array) as ArrayRef)
}

/// A struct, each field as its type.
fn pairs(array: &StructArray, fields: &Fields) -> Result<StructArray> {
    let (columns, nulls) = (array.columns(), array.nulls().cloned());
    if columns.len() != fields.len() {
        return Err(Error::internal(format!(
            "a struct has {} fields, expected {}",
            columns.len(),
            fields.len()
        )));
    }
    if fields.is_empty() {
        return Ok(StructArray::new_empty_fields(array.len(), nulls));
    }
    let columns = fields.iter().zip(columns).map(|(field, column)| convert(column, field.data_type()));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    StructArray::try_new(fields.clone(), columns, nulls).map_err(|error| broken(&error))
}

fn built(array: Result<impl arrow_array::Array + 'static, ArrowError>) -> Result<ArrayRef> {
    array.map(|array| Arc::new(array) as ArrayRef).map_err(|error| broken(&error))
}

fn broken(error: &ArrowError) -> Error {
    Error::invalid_data(format!("a column does not fit the table's schema: {error}"))
}
