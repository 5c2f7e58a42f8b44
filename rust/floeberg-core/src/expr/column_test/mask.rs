//! Which rows pass one test?
//!
//! In: a test and its column's array. Out: one bit per row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};

use super::column_array::ColumnArray;
use super::kernel::{is_nan, ordered, prefixed};
use crate::error::{Error, Result};
use crate::expr::{BoundExpr, BoundPredicate, Operator};
use crate::schema::{PrimitiveType, Type};
use crate::value::Value;

/// Evaluates one test over its column.
pub(in crate::expr) fn mask(test: &BoundPredicate, column: &ColumnArray) -> Result<BooleanBuffer> {
    let rows = column.values.len();
    let valid = |nulls: &Option<NullBuffer>| {
        nulls.as_ref().map_or_else(|| BooleanBuffer::new_set(rows), |nulls| nulls.inner().clone())
    };
    if test.op == Operator::NotNull {
        return Ok(valid(&column.nulls));
    }
    if test.op == Operator::IsNull {
        return Ok(!&valid(&column.nulls));
    }
    if column.values.data_type() == &DataType::Null {
        return Ok(if test.op.holds_for_null() {
            BooleanBuffer::new_set(rows)
        } else {
            BooleanBuffer::new_unset(rows)
        });
    }
    let passed = match &test.transform {
        None => values_mask(test, &column.values, &test.column.field_type)?,
        Some(transform) => {
            let transformed = transform.apply_array(column.values.as_ref(), &test.column.field_type)?;
            values_mask(test, &transformed, &transform.result_type(&test.column.field_type)?)?
        }
    };
    Ok(match &column.nulls {
        None => passed,
        Some(nulls) if test.op.holds_for_null() => &passed | &!nulls.inner(),
        Some(nulls) => &passed & nulls.inner(),
    })
}

/// A filter of one column that is bound to a single test, over its values. What it is for null is that of the filter.
pub(in crate::expr) fn evaluate_values(expr: &BoundExpr, values: &ArrayRef) -> Result<BooleanBuffer> {
    match expr {
        BoundExpr::True => Ok(BooleanBuffer::new_set(values.len())),
        BoundExpr::False => Ok(BooleanBuffer::new_unset(values.len())),
        BoundExpr::Predicate(test) => {
            mask(test, &ColumnArray { values: Arc::clone(values), nulls: values.logical_nulls() })
        }
        BoundExpr::And(_) | BoundExpr::Or(_) | BoundExpr::Condition(_) => {
            Err(Error::internal("a filter of values is not a single test"))
        }
    }
}

/// The bits of the rows that are not null; the others are not defined.
fn values_mask(test: &BoundPredicate, array: &ArrayRef, tested: &Type) -> Result<BooleanBuffer> {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        if dictionary.values().is_empty() {
            return Ok(BooleanBuffer::new_unset(array.len()));
        }
        // Each distinct value is tested once.
        let of_values = values_mask(test, dictionary.values(), tested)?;
        let keys = dictionary.normalized_keys();
        return Ok(BooleanBuffer::collect_bool(array.len(), |row| of_values.value(keys[row])));
    }
    let Type::Primitive(tested) = tested else { return Err(unexpected(test, array.data_type())) };
    match tested {
        PrimitiveType::Boolean => {
            let array = cast(array, &DataType::Boolean, test)?;
            let array = array.as_boolean();
            let literals = literals(test, |value| match value {
                Value::Boolean(value) => Some(*value),
                _ => None,
            })?;
            Ok(ordered(test.op, array.len(), |row| array.value(row), &literals))
        }
        PrimitiveType::Int => {
            let literals = literals(test, |value| match value {
                Value::Int(value) => Some(*value),
                _ => None,
            })?;
            primitive::<Int32Type>(test, array, &DataType::Int32, &literals)
        }
        PrimitiveType::Date => {
            let literals = literals(test, |value| match value {
                Value::Date(value) => Some(*value),
                _ => None,
            })?;
            primitive::<Date32Type>(test, array, &DataType::Date32, &literals)
        }
        PrimitiveType::Long => {
            primitive::<Int64Type>(test, array, &DataType::Int64, &literals(test, Value::as_long)?)
        }
        PrimitiveType::Time => {
            let target = DataType::Time64(TimeUnit::Microsecond);
            primitive::<Time64MicrosecondType>(test, array, &target, &literals(test, Value::as_long)?)
        }
        PrimitiveType::Timestamp | PrimitiveType::Timestamptz => {
            let target = DataType::Timestamp(TimeUnit::Microsecond, zone(array.data_type()));
            primitive::<TimestampMicrosecondType>(test, array, &target, &literals(test, Value::as_long)?)
        }
        PrimitiveType::TimestampNs | PrimitiveType::TimestamptzNs => {
            let target = DataType::Timestamp(TimeUnit::Nanosecond, zone(array.data_type()));
            primitive::<TimestampNanosecondType>(test, array, &target, &literals(test, Value::as_long)?)
        }
        PrimitiveType::Float => {
            if matches!(test.op, Operator::IsNan | Operator::NotNan) {
                let array = cast(array, &DataType::Float32, test)?;
                return Ok(is_nan(test.op, array.as_primitive::<Float32Type>().values()));
            }
            let literals = literals(test, |value| match value {
                Value::Float(value) => Some(*value),
                _ => None,
            })?;
            primitive::<Float32Type>(test, array, &DataType::Float32, &literals)
        }
        PrimitiveType::Double => {
            if matches!(test.op, Operator::IsNan | Operator::NotNan) {
                let array = cast(array, &DataType::Float64, test)?;
                return Ok(is_nan(test.op, array.as_primitive::<Float64Type>().values()));
            }
            let literals = literals(test, |value| match value {
                Value::Double(value) => Some(*value),
                _ => None,
            })?;
            primitive::<Float64Type>(test, array, &DataType::Float64, &literals)
        }
        PrimitiveType::Decimal { precision, scale } => {
            let own = *scale as i8;
            let target = match array.data_type() {
                DataType::Decimal128(precision, scale) if *scale == own => {
                    DataType::Decimal128(*precision, *scale)
                }
                _ => DataType::Decimal128(*precision, own),
            };
            let literals = literals(test, |value| match value {
                Value::Decimal { unscaled, .. } => Some(*unscaled),
                _ => None,
            })?;
            primitive::<Decimal128Type>(test, array, &target, &literals)
        }
        PrimitiveType::String => texts(test, array),
        PrimitiveType::Uuid | PrimitiveType::Fixed(_) | PrimitiveType::Binary => bytes(test, array),
        PrimitiveType::Unknown | PrimitiveType::Geometry { .. } | PrimitiveType::Geography { .. } => {
            Err(unexpected(test, array.data_type()))
        }
    }
}

fn primitive<T: ArrowPrimitiveType>(
    test: &BoundPredicate,
    array: &ArrayRef,
    target: &DataType,
    literals: &[T::Native],
) -> Result<BooleanBuffer>
where
    T::Native: PartialOrd,
{
    let array = cast(array, target, test)?;
    let values: &PrimitiveArray<T> =
        array.as_primitive_opt().ok_or_else(|| unexpected(test, array.data_type()))?;
    let values: &[T::Native] = values.values();
    Ok(ordered(test.op, values.len(), |row| values[row], literals))
}

fn texts(test: &BoundPredicate, array: &ArrayRef) -> Result<BooleanBuffer> {
    let literals = literals(test, |value| match value {
        Value::String(value) => Some(value.as_bytes()),
        _ => None,
    })?;
    match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row).as_bytes(), &literals))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row).as_bytes(), &literals))
        }
        DataType::Utf8View => {
            let array = array.as_string_view();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row).as_bytes(), &literals))
        }
        _ => {
            let array = cast(array, &DataType::LargeUtf8, test)?;
            texts(test, &array)
        }
    }
}

fn bytes(test: &BoundPredicate, array: &ArrayRef) -> Result<BooleanBuffer> {
    let literals = literals(test, |value| match value {
        Value::Uuid(value) => Some(value.as_slice()),
        Value::Fixed(value) | Value::Binary(value) => Some(value.as_slice()),
        _ => None,
    })?;
    match array.data_type() {
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row), &literals))
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row), &literals))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row), &literals))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            Ok(byte_mask(test.op, array.len(), |row| array.value(row), &literals))
        }
        _ => {
            let array = cast(array, &DataType::LargeBinary, test)?;
            bytes(test, &array)
        }
    }
}

fn byte_mask<'a>(
    op: Operator,
    rows: usize,
    get: impl Fn(usize) -> &'a [u8],
    literals: &[&'a [u8]],
) -> BooleanBuffer {
    match (op, literals) {
        (Operator::StartsWith | Operator::NotStartsWith, [prefix]) => prefixed(op, rows, get, prefix),
        _ => ordered(op, rows, get, literals),
    }
}

fn literals<'a, T>(test: &'a BoundPredicate, native: impl Fn(&'a Value) -> Option<T>) -> Result<Vec<T>> {
    test.literals.iter().map(native).collect::<Option<_>>().ok_or_else(|| {
        Error::internal(format!("the literals of {test} are not of the type {}", test.column.field_type))
    })
}

fn zone(found: &DataType) -> Option<Arc<str>> {
    match found {
        DataType::Timestamp(_, zone) => zone.clone(),
        _ => None,
    }
}

/// Casts where the type differs; a value that does not fit is an error, never a null.
fn cast(array: &ArrayRef, target: &DataType, test: &BoundPredicate) -> Result<ArrayRef> {
    if array.data_type() == target {
        return Ok(array.clone());
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, target, &options)
        .map_err(|error| unexpected(test, array.data_type()).caused_by(error))
}

fn unexpected(test: &BoundPredicate, found: &DataType) -> Error {
    Error::invalid_data(format!(
        "column {:?} of type {} can not be read from an array of type {found}",
        test.column.name, test.column.field_type
    ))
}
