//! What are dates and timestamps an interval later or earlier?
//!
//! Invariant: months come to the same day, or to the last one of a shorter month. A date stays a date for days and months, and is
//! midnight for hours, minutes and seconds. Timestamps with a zone are in UTC. What overflows is an error.

use std::sync::Arc;

use arrow_arith::numeric;
use arrow_array::cast::AsArray;
use arrow_array::types::IntervalMonthDayNanoType;
use arrow_array::{IntervalMonthDayNanoArray, new_null_array};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::Arithmetic;
use super::cast::cast_values;
use super::kinds::shown;
use super::operand::Operand;
use crate::error::{Error, Result};

/// The type of intervals, which only terms of sums have.
const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// An interval as a term of a sum.
pub(super) fn interval(value: IntervalMonthDayNano) -> Operand {
    Operand::Constant(Arc::new(IntervalMonthDayNanoArray::from(vec![value])))
}

/// Is one of two terms an interval?
pub(super) fn has_interval(one: &Operand, other: &Operand) -> bool {
    [one, other].iter().any(|term| term.data_type() == &INTERVAL)
}

/// Dates or timestamps, and an interval that is added to them or subtracted from them, for so many rows.
///
/// Errors: `InvalidInput` for other types, another operator, and an overflow.
pub(super) fn shifted(operator: Arithmetic, one: Operand, other: Operand, rows: usize) -> Result<Operand> {
    let is_interval = |term: &Operand| term.data_type() == &INTERVAL;
    let (moments, interval) = match operator {
        Arithmetic::Add if is_interval(&one) && !is_interval(&other) => (other, one),
        Arithmetic::Add | Arithmetic::Subtract if !is_interval(&one) => (one, other),
        _ => {
            return Err(Error::invalid_input(
                "an interval is added to dates and timestamps, or subtracted from them",
            ));
        }
    };
    let has_time = interval.array().as_primitive::<IntervalMonthDayNanoType>().value(0).nanoseconds != 0;
    let kind = moments.data_type().clone();
    let computed = match &kind {
        DataType::Null => return Ok(Operand::null()),
        DataType::Date32 | DataType::Date64 if has_time => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Date32 | DataType::Date64 => DataType::Date32,
        DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, None),
        _ => {
            let found = shown(&kind);
            return Err(Error::invalid_input(format!(
                "an interval is added to dates and timestamps, or subtracted from them, found {found}"
            )));
        }
    };
    let answered = if let DataType::Timestamp(..) = kind { kind } else { computed.clone() };
    let is_constant = moments.is_constant();
    let moments = moments.where_asked(rows).map(|array| cast_values(array, &computed, false))?;
    let made = match operator {
        Arithmetic::Subtract => numeric::sub(&moments, &interval),
        _ => numeric::add(&moments, &interval),
    };
    let made = made.map_err(|error| {
        let said = format!("overflow: the {} is beyond the years of the calendar", shown(&computed));
        Error::invalid_input(said).caused_by(error)
    })?;
    let made = cast_values(&made, &answered, false)?;
    Ok(match (is_constant, rows) {
        (true, 0) => Operand::Constant(new_null_array(&answered, 1)),
        (true, _) => Operand::Constant(made),
        (false, _) => Operand::Rows(made),
    })
}
