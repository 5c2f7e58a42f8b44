//! Which value does a row of an array have?

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, TimeUnit};

use crate::error::{Error, Result, beginning};
use crate::schema::arrow::field_id;
use crate::schema::{Field, PrimitiveType, Type};
use crate::value::Value;

/// The value of a row, as a value of the type; `None` is null.
///
/// A struct's fields are found by field id, by name where the array has no ids, and are null where it lacks them.
/// Errors: `InvalidInput` for an array that is not of the type, `Internal` for a row beyond its end.
pub fn from_array(array: &dyn Array, row: usize, field_type: &Type) -> Result<Option<Value>> {
    if row >= array.len() {
        return Err(Error::internal(format!(
            "row {row} is out of range: the array has {} rows",
            array.len()
        )));
    }
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return Ok(None);
    }
    if let DataType::Dictionary(_, _) = array.data_type() {
        let one = array.slice(row, 1);
        let dictionary = one.as_any_dictionary();
        let key = dictionary.normalized_keys();
        return from_array(dictionary.values(), key[0], field_type);
    }
    let value = match field_type {
        Type::Primitive(PrimitiveType::Unknown) => return Ok(None),
        Type::Primitive(primitive) => primitive_value(array, row, primitive),
        Type::Struct(fields) => match array.as_struct_opt() {
            Some(columns) => Some(struct_value(columns, row, &fields.fields)?),
            None => None,
        },
        Type::List(list) => match elements(array, row) {
            Some(elements) => Some(Value::List(all(&elements, &list.element.field_type)?)),
            None => None,
        },
        Type::Map(map) => match array.as_map_opt().map(|maps| maps.value(row)) {
            Some(entries) if entries.num_columns() == 2 => {
                let keys = all(entries.column(0), &map.key.field_type)?;
                let values = all(entries.column(1), &map.value.field_type)?;
                let pairs = keys.into_iter().zip(values).map(|(key, value)| key.map(|key| (key, value)));
                pairs.collect::<Option<Vec<_>>>().map(Value::Map)
            }
            _ => None,
        },
        Type::Variant | Type::Unrecognized(_) => {
            return Err(Error::unsupported(format!(
                "a value of type {} cannot be read from an array",
                beginning(field_type)
            )));
        }
    };
    match value {
        Some(value) => Ok(Some(value)),
        None => Err(Error::invalid_input(format!(
            "expected an array of values of type {field_type}, found {}",
            array.data_type()
        ))),
    }
}

fn struct_value(columns: &StructArray, row: usize, fields: &[Field]) -> Result<Value> {
    let mut values = Vec::with_capacity(fields.len());
    for field in fields {
        let by_id = columns.fields().iter().position(|column| field_id(column) == Some(field.id));
        let position = by_id.or_else(|| {
            let named = |column: &std::sync::Arc<arrow_schema::Field>| {
                field_id(column).is_none() && *column.name() == field.name
            };
            columns.fields().iter().position(named)
        });
        let value = match position {
            Some(position) => from_array(columns.column(position), row, &field.field_type)?,
            None => None,
        };
        values.push((field.id, value));
    }
    Ok(Value::Struct(values))
}

fn elements(array: &dyn Array, row: usize) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => Some(array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(_, _) => Some(array.as_fixed_size_list().value(row)),
        _ => None,
    }
}

fn all(array: &ArrayRef, field_type: &Type) -> Result<Vec<Option<Value>>> {
    (0..array.len()).map(|row| from_array(array, row, field_type)).collect()
}

/// `None` where the array is not of the type.
fn primitive_value(array: &dyn Array, row: usize, primitive: &PrimitiveType) -> Option<Value> {
    use PrimitiveType as P;
    Some(match primitive {
        P::Boolean => Value::Boolean(array.as_boolean_opt()?.value(row)),
        P::Int => Value::Int(array.as_primitive_opt::<Int32Type>()?.value(row)),
        P::Long => match array.data_type() {
            DataType::Int32 => Value::Long(i64::from(array.as_primitive_opt::<Int32Type>()?.value(row))),
            _ => Value::Long(array.as_primitive_opt::<Int64Type>()?.value(row)),
        },
        P::Float => Value::Float(array.as_primitive_opt::<Float32Type>()?.value(row)),
        P::Double => match array.data_type() {
            DataType::Float32 => {
                Value::Double(f64::from(array.as_primitive_opt::<Float32Type>()?.value(row)))
            }
            _ => Value::Double(array.as_primitive_opt::<Float64Type>()?.value(row)),
        },
        P::Decimal { scale, .. } => match array.data_type() {
            DataType::Decimal128(_, found) if *found == *scale as i8 => {
                let unscaled = array.as_primitive_opt::<Decimal128Type>()?.value(row);
                Value::Decimal { unscaled, scale: *scale }
            }
            _ => return None,
        },
        P::Date => match array.data_type() {
            // The day transform's values are ints to older writers.
            DataType::Int32 => Value::Date(array.as_primitive_opt::<Int32Type>()?.value(row)),
            _ => Value::Date(array.as_primitive_opt::<Date32Type>()?.value(row)),
        },
        P::Time => Value::Time(array.as_primitive_opt::<Time64MicrosecondType>()?.value(row)),
        P::Timestamp => Value::Timestamp(micros(array, row)?),
        P::Timestamptz => Value::Timestamptz(micros(array, row)?),
        P::TimestampNs => Value::TimestampNs(array.as_primitive_opt::<TimestampNanosecondType>()?.value(row)),
        P::TimestamptzNs => {
            Value::TimestamptzNs(array.as_primitive_opt::<TimestampNanosecondType>()?.value(row))
        }
        P::String => Value::String(text(array, row)?.to_owned()),
        P::Uuid => Value::Uuid(bytes(array, row)?.try_into().ok()?),
        P::Fixed(length) => {
            let bytes = bytes(array, row).filter(|bytes| bytes.len() == *length as usize)?;
            Value::Fixed(bytes.to_vec())
        }
        P::Binary | P::Geometry { .. } | P::Geography { .. } => Value::Binary(bytes(array, row)?.to_vec()),
        P::Unknown => return None,
    })
}

fn micros(array: &dyn Array, row: usize) -> Option<i64> {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            Some(array.as_primitive_opt::<TimestampMicrosecondType>()?.value(row))
        }
        _ => None,
    }
}

fn text(array: &dyn Array, row: usize) -> Option<&str> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => None,
    }
}

fn bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    match array.data_type() {
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row)),
        _ => None,
    }
}
