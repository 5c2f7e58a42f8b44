//! How do dates, times, moments and durations get another unit?
//!
//! Invariant: a value that the other unit cannot represent, or that is out of range, is an error, never another value.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, make_array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::DataType;
use floeberg_core::schema::arrow::units_per_second;

use super::fault::Fault;
use super::names::type_name;

const SECONDS_PER_DAY: i64 = 86_400;

/// An array of times, each multiplied by one number and divided by another.
///
/// `mask` marks the rows that count; others may have any value. Errors: the first row that does not fit.
pub(super) fn rescaled(
    array: &ArrayRef,
    [times, divided]: [i64; 2],
    to: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    let numbers = numbers(array)?;
    let used = NullBuffer::union(numbers.nulls(), mask);
    let is_used = |row: usize| used.as_ref().is_none_or(|used| used.is_valid(row));
    let is_short = matches!(to, DataType::Date32 | DataType::Time32(_));
    let (least, most) = match to {
        DataType::Time32(unit) | DataType::Time64(unit) => (0, SECONDS_PER_DAY * units_per_second(*unit) - 1),
        _ if is_short => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => (i64::MIN, i64::MAX),
    };
    let fits = |value: i64| {
        if value % divided != 0 {
            return Err("is finer than the table's unit of time: round it first");
        }
        let scaled = value.checked_mul(times).map(|value| value / divided);
        scaled.filter(|scaled| (least..=most).contains(scaled)).ok_or("is out of range")
    };
    let is_free = times == 1 && divided == 1 && least == i64::MIN;
    let changed = if is_free {
        numbers
    } else {
        let mut values = Vec::with_capacity(numbers.len());
        for (row, value) in numbers.values().iter().enumerate() {
            match fits(*value) {
                Ok(value) => values.push(value),
                Err(_) if !is_used(row) => values.push(0),
                Err(why) => {
                    let why = format!("{why} ({value} in {})", array.data_type());
                    return Err(Fault::unfit(row, name, &type_name(to), why));
                }
            }
        }
        Int64Array::try_new(ScalarBuffer::from(values), numbers.nulls().cloned())?
    };
    let stored: ArrayRef = if is_short {
        let short: ScalarBuffer<i32> = changed.values().iter().map(|value| *value as i32).collect();
        Arc::new(Int32Array::try_new(short, changed.nulls().cloned())?)
    } else {
        Arc::new(changed)
    };
    reinterpreted(&stored, to)
}

/// The numbers of an array of times, in their own unit.
fn numbers(array: &ArrayRef) -> Result<Int64Array, Fault> {
    if matches!(array.data_type(), DataType::Time32(_) | DataType::Date32) {
        let short = reinterpreted(array, &DataType::Int32)?;
        return Ok(short.as_primitive::<Int32Type>().unary::<_, Int64Type>(i64::from));
    }
    Ok(reinterpreted(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

/// The same bytes as another type of the same width.
fn reinterpreted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Fault> {
    Ok(make_array(array.to_data().into_builder().data_type(to.clone()).build()?))
}
