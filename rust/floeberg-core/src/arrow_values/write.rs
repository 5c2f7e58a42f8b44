//! How are values written to an array?

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, ListArray, MapArray, PrimitiveArray,
    StringArray, StructArray, UInt32Array, new_empty_array, new_null_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field as ArrowField};

use crate::error::{Error, Result, beginning};
use crate::schema::arrow::type_to_arrow;
use crate::schema::{Field, PrimitiveType, Type};
use crate::value::Value;

/// The most bytes of an array that is made of values: a type's length comes from a file and may be anything.
const MAX_BYTES: usize = 1 << 28;

/// An array of one value, `len` times.
///
/// Errors: `InvalidInput` for a value that is not of the type, `Unsupported` for a type without an Arrow form,
/// `LimitExceeded` where the array would pass 256 MiB.
pub fn to_array(value: Option<&Value>, field_type: &Type, len: usize) -> Result<ArrayRef> {
    let Some(value) = value else {
        let data_type = type_to_arrow(field_type)?;
        check_size(null_width(&data_type), len)?;
        return Ok(new_null_array(&data_type, len));
    };
    let one = values_to_array(&[Some(value)], field_type)?;
    check_size(width(value), len)?;
    arrow_select::take::take(&one, &UInt32Array::from_value(0, len), None)
        .map_err(|error| Error::internal("repeating a value failed").caused_by(error))
}

/// An array of values. Errors: those of [`to_array`].
pub fn values_to_array(values: &[Option<&Value>], field_type: &Type) -> Result<ArrayRef> {
    let data_type = type_to_arrow(field_type)?;
    check_size(null_width(&data_type), values.len())?;
    if values.is_empty() {
        return Ok(new_empty_array(&data_type));
    }
    match field_type {
        Type::Primitive(primitive) => {
            if let Some(other) = values.iter().flatten().find(|value| !value.matches(primitive)) {
                return Err(wrong(field_type, other));
            }
            primitives(values, primitive, data_type)
        }
        Type::Struct(fields) => structs(values, &fields.fields, field_type, &data_type),
        Type::List(list) => lists(values, &list.element, field_type, &data_type),
        Type::Map(map) => maps(values, [&map.key, &map.value], field_type, &data_type),
        Type::Variant | Type::Unrecognized(_) => match values.iter().flatten().next() {
            Some(other) => Err(wrong(field_type, other)),
            None => Ok(new_null_array(&data_type, values.len())),
        },
    }
}

/// Values that match their type. (What follows takes each value out of its variant, so another one is a null.)
fn primitives(values: &[Option<&Value>], primitive: &PrimitiveType, data_type: DataType) -> Result<ArrayRef> {
    use PrimitiveType as P;
    let bytes = |value: Option<&Value>| -> Option<Vec<u8>> {
        match value {
            Some(Value::Uuid(bytes)) => Some(bytes.to_vec()),
            Some(Value::Fixed(bytes) | Value::Binary(bytes)) => Some(bytes.clone()),
            _ => None,
        }
    };
    Ok(match primitive {
        P::Boolean => {
            let booleans = values.iter().map(|value| match value {
                Some(Value::Boolean(value)) => Some(*value),
                _ => None,
            });
            Arc::new(booleans.collect::<BooleanArray>())
        }
        P::Int | P::Date => {
            let int = |value: &Value| match value {
                Value::Int(value) | Value::Date(value) => Some(*value),
                _ => None,
            };
            if *primitive == P::Int {
                numbers::<Int32Type>(values, data_type, int)
            } else {
                numbers::<Date32Type>(values, data_type, int)
            }
        }
        P::Long => numbers::<Int64Type>(values, data_type, Value::as_long),
        P::Time => numbers::<Time64MicrosecondType>(values, data_type, Value::as_long),
        P::Timestamp | P::Timestamptz => {
            numbers::<TimestampMicrosecondType>(values, data_type, Value::as_long)
        }
        P::TimestampNs | P::TimestamptzNs => {
            numbers::<TimestampNanosecondType>(values, data_type, Value::as_long)
        }
        P::Float => numbers::<Float32Type>(values, data_type, |value| match value {
            Value::Float(value) => Some(*value),
            _ => None,
        }),
        P::Double => numbers::<Float64Type>(values, data_type, |value| match value {
            Value::Double(value) => Some(*value),
            _ => None,
        }),
        P::Decimal { .. } => numbers::<Decimal128Type>(values, data_type, |value| match value {
            Value::Decimal { unscaled, .. } => Some(*unscaled),
            _ => None,
        }),
        P::String => {
            let texts = values.iter().map(|value| match value {
                Some(Value::String(text)) => Some(text.as_str()),
                _ => None,
            });
            Arc::new(texts.collect::<StringArray>())
        }
        P::Uuid => Arc::new(fixed(values.iter().copied().map(bytes), 16)?),
        P::Fixed(length) => Arc::new(fixed(values.iter().copied().map(bytes), *length as i32)?),
        P::Binary | P::Geometry { .. } | P::Geography { .. } => {
            Arc::new(values.iter().copied().map(bytes).collect::<BinaryArray>())
        }
        P::Unknown => new_null_array(&data_type, values.len()),
    })
}

fn numbers<T: ArrowPrimitiveType>(
    values: &[Option<&Value>],
    data_type: DataType,
    number: impl Fn(&Value) -> Option<T::Native>,
) -> ArrayRef {
    let array: PrimitiveArray<T> = values.iter().map(|value| value.and_then(&number)).collect();
    Arc::new(array.with_data_type(data_type))
}

fn fixed(values: impl Iterator<Item = Option<Vec<u8>>>, length: i32) -> Result<FixedSizeBinaryArray> {
    FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, length).map_err(refused)
}

fn structs(
    values: &[Option<&Value>],
    fields: &[Field],
    field_type: &Type,
    data_type: &DataType,
) -> Result<ArrayRef> {
    let DataType::Struct(arrow_fields) = data_type else { return Err(mismatch(data_type)) };
    let mut columns = Vec::with_capacity(fields.len());
    for field in fields {
        let mut column = Vec::with_capacity(values.len());
        for value in values {
            column.push(match value {
                None => None,
                Some(Value::Struct(children)) => match children.iter().find(|(id, _)| *id == field.id) {
                    Some((_, child)) => child.as_ref(),
                    None => field.initial_default.as_ref(),
                },
                Some(other) => return Err(wrong(field_type, other)),
            });
        }
        columns.push(values_to_array(&column, &field.field_type)?);
    }
    let array = StructArray::try_new_with_length(arrow_fields.clone(), columns, nulls(values), values.len());
    Ok(Arc::new(array.map_err(refused)?))
}

fn lists(
    values: &[Option<&Value>],
    element: &Field,
    field_type: &Type,
    data_type: &DataType,
) -> Result<ArrayRef> {
    let DataType::List(arrow_field) = data_type else { return Err(mismatch(data_type)) };
    let mut elements = Vec::new();
    let mut lengths = Vec::with_capacity(values.len());
    for value in values {
        match value {
            None => lengths.push(0),
            Some(Value::List(list)) => {
                lengths.push(list.len());
                elements.extend(list.iter().map(Option::as_ref));
            }
            Some(other) => return Err(wrong(field_type, other)),
        }
    }
    let elements = values_to_array(&elements, &element.field_type)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let array = ListArray::try_new(Arc::clone(arrow_field), offsets, elements, nulls(values));
    Ok(Arc::new(array.map_err(refused)?))
}

fn maps(
    values: &[Option<&Value>],
    [key, value]: [&Field; 2],
    field_type: &Type,
    data_type: &DataType,
) -> Result<ArrayRef> {
    let DataType::Map(entries_field, ordered) = data_type else { return Err(mismatch(data_type)) };
    let DataType::Struct(entry_fields) = entries_field.data_type() else { return Err(mismatch(data_type)) };
    let (mut keys, mut items) = (Vec::new(), Vec::new());
    let mut lengths = Vec::with_capacity(values.len());
    for value in values {
        match value {
            None => lengths.push(0),
            Some(Value::Map(entries)) => {
                lengths.push(entries.len());
                keys.extend(entries.iter().map(|(key, _)| Some(key)));
                items.extend(entries.iter().map(|(_, item)| item.as_ref()));
            }
            Some(other) => return Err(wrong(field_type, other)),
        }
    }
    let columns = vec![values_to_array(&keys, &key.field_type)?, values_to_array(&items, &value.field_type)?];
    let entries = StructArray::try_new(entry_fields.clone(), columns, None).map_err(refused)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    let array = MapArray::try_new(Arc::clone(entries_field), offsets, entries, nulls(values), *ordered);
    Ok(Arc::new(array.map_err(refused)?))
}

fn nulls(values: &[Option<&Value>]) -> Option<NullBuffer> {
    let valid: Vec<bool> = values.iter().map(Option::is_some).collect();
    (!valid.iter().all(|valid| *valid)).then(|| NullBuffer::from(valid))
}

/// Bytes that one value takes at most, its children included.
fn width(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 4,
        Value::Fixed(bytes) | Value::Binary(bytes) => bytes.len() + 4,
        Value::Struct(fields) => {
            1 + fields.iter().map(|(_, value)| value.as_ref().map_or(16, width)).sum::<usize>()
        }
        Value::List(elements) => {
            4 + elements.iter().map(|value| value.as_ref().map_or(16, width)).sum::<usize>()
        }
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Option<Value>)| width(key) + value.as_ref().map_or(16, width);
            4 + entries.iter().map(entry).sum::<usize>()
        }
        _ => 16,
    }
}

/// Bytes that a null takes.
fn null_width(data_type: &DataType) -> usize {
    match data_type {
        DataType::FixedSizeBinary(length) => *length as usize,
        DataType::Struct(fields) => {
            fields.iter().map(|field: &Arc<ArrowField>| null_width(field.data_type())).sum()
        }
        other => other.primitive_width().unwrap_or(4),
    }
}

fn check_size(width: usize, len: usize) -> Result<()> {
    if width.checked_mul(len).is_some_and(|bytes| bytes <= MAX_BYTES) {
        return Ok(());
    }
    Err(Error::limit(format!(
        "an array of {len} values of {width} bytes would be larger than {MAX_BYTES} bytes"
    )))
}

fn wrong(field_type: &Type, found: &Value) -> Error {
    let shown = beginning(found);
    Error::invalid_input(format!("expected a value of type {field_type}, found {shown}"))
}

fn refused(error: arrow_schema::ArrowError) -> Error {
    Error::invalid_input("values do not fit into an array of their type").caused_by(error)
}

fn mismatch(data_type: &DataType) -> Error {
    Error::internal(format!("the Arrow type {data_type} does not match the type of its column"))
}
