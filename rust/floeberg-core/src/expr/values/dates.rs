//! What do functions of dates give?
//!
//! Invariant: a date is one that its type holds, or an error. Null is null.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Int64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, new_null_array};
use arrow_schema::DataType;

use super::cast::cast_values;
use super::kernels::to_type;
use super::kinds::shown;
use super::operand::Operand;
use crate::error::{Error, Result};
use crate::value::datetime::{civil_from_days, days_from_civil, days_in_month};

/// Dates as one type of Arrow; nulls of no type too.
///
/// Errors: `InvalidInput` for other types.
pub(super) fn days(function: &str, values: &Operand) -> Result<Operand> {
    match values.data_type() {
        DataType::Null | DataType::Date32 | DataType::Date64 => {
            values.map(|array| cast_values(array, &DataType::Date32, false))
        }
        other => Err(Error::invalid_input(format!("{function} needs dates, found {}", shown(other)))),
    }
}

/// The days that dates and timestamps are on.
///
/// Errors: `InvalidInput` for other types.
fn days_of_moments(function: &str, values: &Operand) -> Result<Operand> {
    match values.data_type() {
        DataType::Timestamp(..) => values.map(|array| cast_values(array, &DataType::Date32, false)),
        DataType::Null | DataType::Date32 | DataType::Date64 => days(function, values),
        other => {
            let found = shown(other);
            Err(Error::invalid_input(format!("{function} needs dates or timestamps, found {found}")))
        }
    }
}

/// Integers as one type of Arrow; nulls of no type too.
///
/// Errors: `InvalidInput` for other types.
fn integers(function: &str, values: &Operand) -> Result<Operand> {
    match values.data_type() {
        DataType::Null => values.map(|array| Ok(new_null_array(&DataType::Int64, array.len()))),
        kind if kind.is_integer() => values.map(|array| to_type(array, &DataType::Int64)),
        other => Err(Error::invalid_input(format!("{function} needs integers, found {}", shown(other)))),
    }
}

/// The dates so many days from dates.
///
/// Errors: `InvalidInput` for other types, and for a date that overflows.
pub(super) fn days_added(
    function: &str,
    dates: &Operand,
    counts: &Operand,
    is_later: bool,
    rows: usize,
) -> Result<Operand> {
    let (dates, counts) = (days(function, dates)?, integers(function, counts)?);
    by_row::<Date32Type, Int64Type, Date32Type>(&dates, &counts, rows, |day, count| {
        let sum =
            if is_later { i64::from(day).checked_add(count) } else { i64::from(day).checked_sub(count) };
        sum.and_then(|sum| i32::try_from(sum).ok()).ok_or_else(|| overflow(function))
    })
}

/// The dates so many months from dates, of which a month may lack the day.
///
/// Errors: `InvalidInput` for other types, and for a date that overflows.
pub(super) fn months_added(dates: &Operand, counts: &Operand, rows: usize) -> Result<Operand> {
    let (dates, counts) = (days("ADD_MONTHS", dates)?, integers("ADD_MONTHS", counts)?);
    by_row::<Date32Type, Int64Type, Date32Type>(&dates, &counts, rows, |day, count| {
        let months = i32::try_from(count).ok();
        months
            .and_then(|months| Date32Type::add_year_months_opt(day, months))
            .ok_or_else(|| overflow("ADD_MONTHS"))
    })
}

/// The days from the second moments to the first.
///
/// Errors: `InvalidInput` for other types.
pub(super) fn days_between(to: &Operand, from: &Operand, rows: usize) -> Result<Operand> {
    let (to, from) = (days_of_moments("DATEDIFF", to)?, days_of_moments("DATEDIFF", from)?);
    by_row::<Date32Type, Date32Type, Int64Type>(&to, &from, rows, |to, from| {
        Ok(i64::from(to) - i64::from(from))
    })
}

/// The last days of the months of moments.
///
/// Errors: `InvalidInput` for other types, and for a date that overflows.
pub(super) fn last_days(values: &Operand) -> Result<Operand> {
    days_of_moments("LAST_DAY", values)?.map(|array| {
        let last: PrimitiveArray<Date32Type> = array.as_primitive::<Date32Type>().try_unary(|each| {
            let (year, month, day) = civil_from_days(i64::from(each));
            let rest = days_in_month(year, month) - day;
            each.checked_add(rest as i32).ok_or_else(|| overflow("LAST_DAY"))
        })?;
        Ok(Arc::new(last) as ArrayRef)
    })
}

/// The days from 1970-01-01 of dates, as integers.
///
/// Errors: `InvalidInput` for other types.
pub(super) fn numbers_of_days(values: &Operand) -> Result<Operand> {
    days("UNIX_DATE", values)?.map(|array| to_type(array, &DataType::Int32))
}

/// The dates of years, months and days of the month.
///
/// Errors: `InvalidInput` for other types, and for numbers that are no date.
pub(super) fn dates_made(parts: [&Operand; 3], rows: usize) -> Result<Operand> {
    let is_constant = parts.iter().all(|part| part.is_constant());
    let rows = if is_constant { 1 } else { rows };
    let [years, months, days] = parts.map(|part| integers("MAKE_DATE", part)?.each_row(rows));
    let [years, months, days] = [years?, months?, days?];
    let [years, months, days] =
        [&years, &months, &days].map(|array| array.as_primitive::<Int64Type>().iter());
    let made = years.zip(months).zip(days).map(|((year, month), day)| match (year, month, day) {
        (Some(year), Some(month), Some(day)) => date_made(year, month, day).map(Some),
        _ => Ok(None),
    });
    let array = Arc::new(made.collect::<Result<PrimitiveArray<Date32Type>>>()?);
    Ok(if is_constant { Operand::Constant(array) } else { Operand::Rows(array) })
}

fn date_made(year: i64, month: i64, day: i64) -> Result<i32> {
    let of_year = match (month, day) {
        (1..=12, 1..=31) if i32::try_from(year).is_ok() => Some((month as u32, day as u32)),
        _ => None,
    };
    of_year
        .filter(|(month, day)| *day <= days_in_month(year, *month))
        .and_then(|(month, day)| i32::try_from(days_from_civil(year, month, day)).ok())
        .ok_or_else(|| {
            Error::invalid_input(format!("MAKE_DATE: no date has year {year}, month {month} and day {day}"))
        })
}

fn overflow(function: &str) -> Error {
    Error::invalid_input(format!("overflow: {function} gives a day beyond those of a date"))
}

/// A value of two for each row; null where one of them is.
fn by_row<One, Other, Made>(
    one: &Operand,
    other: &Operand,
    rows: usize,
    made: impl Fn(One::Native, Other::Native) -> Result<Made::Native>,
) -> Result<Operand>
where
    One: ArrowPrimitiveType,
    Other: ArrowPrimitiveType,
    Made: ArrowPrimitiveType,
{
    let is_constant = one.is_constant() && other.is_constant();
    let rows = if is_constant { 1 } else { rows };
    let (one, other) = (one.each_row(rows)?, other.each_row(rows)?);
    let pairs = one.as_primitive::<One>().iter().zip(other.as_primitive::<Other>());
    let values = pairs.map(|(one, other)| one.zip(other).map(|(one, other)| made(one, other)).transpose());
    let array = Arc::new(values.collect::<Result<PrimitiveArray<Made>>>()?);
    Ok(if is_constant { Operand::Constant(array) } else { Operand::Rows(array) })
}
