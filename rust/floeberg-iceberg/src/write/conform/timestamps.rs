//! How are dates and times of other units converted to those of the table?
//!
//! Invariant: a value that the table's unit cannot represent, or that is out of range, is an error, never another value.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, Time32MillisecondType, Time32SecondType};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, make_array};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use floeberg_core::value::datetime::MICROS_PER_DAY;

use super::fault::Fault;

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
    let refuse = |row: usize, why: String| Fault::At { row, column: name.to_owned(), why };
    let numbers = numbers(array)?;
    let used = NullBuffer::union(numbers.nulls(), mask);
    let is_used = |row: usize| used.as_ref().is_none_or(|used| used.is_valid(row));
    let (least, most) = match to {
        DataType::Time64(_) => (0, MICROS_PER_DAY - 1),
        DataType::Date32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
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
                Err(why) => return Err(refuse(row, format!("{why} ({value} in {})", array.data_type()))),
            }
        }
        Int64Array::try_new(ScalarBuffer::from(values), numbers.nulls().cloned())?
    };
    let stored: ArrayRef = if *to == DataType::Date32 {
        let days: ScalarBuffer<i32> = changed.values().iter().map(|days| *days as i32).collect();
        Arc::new(Int32Array::try_new(days, changed.nulls().cloned())?)
    } else {
        Arc::new(changed)
    };
    reinterpreted(&stored, to)
}

/// The numbers of an array of times, in their own unit.
fn numbers(array: &ArrayRef) -> Result<Int64Array, Fault> {
    let widened: ArrayRef = match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            Arc::new(array.as_primitive::<Time32SecondType>().unary::<_, Int64Type>(i64::from))
        }
        DataType::Time32(_) => {
            Arc::new(array.as_primitive::<Time32MillisecondType>().unary::<_, Int64Type>(i64::from))
        }
        _ => reinterpreted(array, &DataType::Int64)?,
    };
    Ok(widened.as_primitive::<Int64Type>().clone())
}

/// The same bytes as another type of the same width.
fn reinterpreted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, Fault> {
    Ok(make_array(array.to_data().into_builder().data_type(to.clone()).build()?))
}
