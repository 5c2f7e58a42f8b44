//! Which numbers are the parts of dates and times, and where do their units begin?
//!
//! Invariant: timestamps with a zone are in UTC. Every division floors, so that moments before 1970 have the parts that their
//! texts show. A value has a part, or is an error: none becomes null.

use std::sync::Arc;

use arrow_arith::temporal::{DatePart, date_part};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{Array, ArrayRef, Date32Array, Int64Array, new_null_array};
use arrow_schema::{DataType, TimeUnit};

use super::DateUnit;
use super::cast::cast_values;
use super::dates::days;
use super::kernels::{computing, to_type};
use super::kinds::shown;
use super::operand::Operand;
use crate::error::{Error, Result};
use crate::schema::arrow::units_per_second;
use crate::value::datetime::{civil_from_days, days_from_civil};

/// The parts by their names; of several names the first is the one in errors.
const PARTS: [(&str, DatePart); 15] = [
    ("YEAR", DatePart::Year),
    ("QUARTER", DatePart::Quarter),
    ("MONTH", DatePart::Month),
    ("WEEK", DatePart::WeekISO),
    ("DAY", DatePart::Day),
    ("DAYOFYEAR", DatePart::DayOfYear),
    ("DOY", DatePart::DayOfYear),
    ("DAYOFWEEK", DatePart::DayOfWeekSunday1),
    ("ISODOW", DatePart::DayOfWeekMonday1),
    ("DAYOFWEEK_ISO", DatePart::DayOfWeekMonday1),
    ("ISOYEAR", DatePart::YearISO),
    ("YEAROFWEEK", DatePart::YearISO),
    ("HOUR", DatePart::Hour),
    ("MINUTE", DatePart::Minute),
    ("SECOND", DatePart::Second),
];

/// The units by their names.
const UNITS: [(&str, DateUnit); 10] = [
    ("YEAR", DateUnit::Year),
    ("QUARTER", DateUnit::Quarter),
    ("MONTH", DateUnit::Month),
    ("WEEK", DateUnit::Week),
    ("DAY", DateUnit::Day),
    ("HOUR", DateUnit::Hour),
    ("MINUTE", DateUnit::Minute),
    ("SECOND", DateUnit::Second),
    ("MILLISECOND", DateUnit::Millisecond),
    ("MICROSECOND", DateUnit::Microsecond),
];

/// The part of a name in either case.
pub(in crate::expr) fn part_named(name: &str) -> Option<DatePart> {
    PARTS.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, part)| part)
}

/// The unit of a name in either case.
pub(in crate::expr) fn unit_named(name: &str) -> Option<DateUnit> {
    UNITS.into_iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map(|(_, unit)| unit)
}

/// A part of dates, times and timestamps, as integers. The time of a date is midnight.
///
/// Errors: `InvalidInput` for other types, for a part that times lack, and for years beyond those of Arrow's calendar.
pub(super) fn part_of(part: DatePart, values: &Operand) -> Result<Operand> {
    let name = PARTS.into_iter().find(|(_, known)| *known == part).map_or("a part", |(name, _)| name);
    let is_of_time = matches!(part, DatePart::Hour | DatePart::Minute | DatePart::Second);
    let kind = match values.data_type() {
        DataType::Null => return values.map(|array| Ok(new_null_array(&DataType::Int32, array.len()))),
        DataType::Date32 | DataType::Date64 => DataType::Date32,
        DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, None),
        kind @ (DataType::Time32(_) | DataType::Time64(_)) if is_of_time => kind.clone(),
        other => {
            let times = if is_of_time { ", timestamps or times" } else { " or timestamps" };
            return Err(Error::invalid_input(format!("{name} needs dates{times}, found {}", shown(other))));
        }
    };
    values.map(|array| {
        let array = cast_values(array, &kind, false)?;
        let made = date_part(&array, part).map_err(computing)?;
        if made.null_count() > array.null_count() {
            return Err(Error::invalid_input(format!(
                "{name} of a {} beyond the years of the calendar, -262143 to 262142",
                shown(&kind)
            )));
        }
        Ok(made)
    })
}

/// The timestamps where the units of timestamps begin; a date is midnight.
///
/// Errors: `InvalidInput` for other types, and where the unit begins before the first timestamp.
pub(super) fn truncated(unit: DateUnit, values: &Operand) -> Result<Operand> {
    let kind = match values.data_type() {
        kind @ DataType::Timestamp(..) => kind.clone(),
        DataType::Null | DataType::Date32 | DataType::Date64 => {
            DataType::Timestamp(TimeUnit::Microsecond, None)
        }
        other => {
            let found = shown(other);
            return Err(Error::invalid_input(format!("DATE_TRUNC needs timestamps or dates, found {found}")));
        }
    };
    let DataType::Timestamp(resolution, _) = &kind else {
        return Err(Error::internal("a timestamp has no unit"));
    };
    let per_second = units_per_second(*resolution);
    values.map(|array| {
        let longs = to_type(&cast_values(array, &kind, false)?, &DataType::Int64)?;
        let begun: Int64Array = longs.as_primitive::<Int64Type>().try_unary(|value| {
            begin(unit, value, per_second).ok_or_else(|| {
                Error::invalid_input("overflow: a unit begins before the first timestamp of the type")
            })
        })?;
        to_type(&(Arc::new(begun) as ArrayRef), &kind)
    })
}

/// The dates on which the units of dates begin.
///
/// Errors: `InvalidInput` for other types, and where the unit begins before the first date.
pub(super) fn truncated_dates(unit: DateUnit, values: &Operand) -> Result<Operand> {
    days("TRUNC", values)?.map(|array| {
        let begun: Date32Array = array.as_primitive::<Date32Type>().try_unary(|day| {
            i32::try_from(begin_of_days(unit, i64::from(day)))
                .map_err(|_| Error::invalid_input("overflow: a unit begins before the first date"))
        })?;
        Ok(Arc::new(begun) as ArrayRef)
    })
}

/// Where the unit of a moment begins; `None` before the first moment.
fn begin(unit: DateUnit, moment: i64, per_second: i64) -> Option<i64> {
    let length = match unit {
        DateUnit::Hour => 3_600 * per_second,
        DateUnit::Minute => 60 * per_second,
        DateUnit::Second => per_second,
        DateUnit::Millisecond => (per_second / 1_000).max(1),
        DateUnit::Microsecond => (per_second / 1_000_000).max(1),
        _ => {
            let per_day = 86_400 * per_second;
            return begin_of_days(unit, moment.div_euclid(per_day)).checked_mul(per_day);
        }
    };
    moment.checked_sub(moment.rem_euclid(length))
}

/// The first day of the unit that a day is in.
fn begin_of_days(unit: DateUnit, day: i64) -> i64 {
    let (year, month, _) = civil_from_days(day);
    match unit {
        DateUnit::Year => days_from_civil(year, 1, 1),
        DateUnit::Quarter => days_from_civil(year, (month - 1) / 3 * 3 + 1, 1),
        DateUnit::Month => days_from_civil(year, month, 1),
        // 1970-01-01 is a Thursday.
        DateUnit::Week => day - (day + 3).rem_euclid(7),
        _ => day,
    }
}
