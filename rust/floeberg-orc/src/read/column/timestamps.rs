//! Points in time: seconds from 2015, and nanoseconds.
//!
//! Spec: ORC v1, Timestamp Columns; Iceberg, Appendix A, ORC.
//!
//! Writers round the seconds of a timestamp before 1970 toward zero, so one second is missing if there are whole milliseconds;
//! readers subtract it again. Digits finer than the unit are rounded down.
//!
//! Arrow's writer stores such seconds with negative nanoseconds instead. Nothing is missing there, and the two are added.

use std::sync::Arc;

use arrow_array::types::{TimestampMicrosecondType, TimestampNanosecondType};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_buffer::NullBuffer;
use arrow_schema::TimeUnit;
use floeberg_core::{Error, Result};

use super::reader::{Decode, spread, valued};
use crate::read::rle::Integers;

/// The seconds from 1970 to 2015, from which files count.
const EPOCH: i64 = 1_420_070_400;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// From this many nanoseconds on, seconds before 1970 are corrected.
const NANOS_PER_MILLI: i64 = 1_000_000;

/// Points in time.
pub(super) struct Timestamps {
    pub(super) seconds: Integers,
    pub(super) nanos: Integers,
    pub(super) unit: TimeUnit,
    pub(super) zone: Option<Arc<str>>,
}

impl Decode for Timestamps {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let count = valued(rows, nulls.as_ref());
        let (seconds, nanos) = (self.seconds.read(count)?, self.nanos.read(count)?);
        let unit = self.unit;
        let values: Option<Vec<_>> = seconds
            .into_iter()
            .zip(nanos)
            .map(|(seconds, nanos)| value(seconds, decode_nanos(nanos)?, unit))
            .collect();
        let values = values.ok_or_else(|| {
            Error::invalid_data("a timestamp of the ORC file is invalid, or out of range for its unit")
        })?;
        let values = spread(values, nulls.as_ref()).into();
        let zone = self.zone.clone();
        Ok(match unit {
            TimeUnit::Nanosecond => Arc::new(
                PrimitiveArray::<TimestampNanosecondType>::new(values, nulls).with_timezone_opt(zone),
            ),
            _ => Arc::new(
                PrimitiveArray::<TimestampMicrosecondType>::new(values, nulls).with_timezone_opt(zone),
            ),
        })
    }
}

/// Nanoseconds as they are written: the lowest three bits count the zeros that were taken off, less one. Negative ones keep their
/// sign.
fn decode_nanos(written: i64) -> Option<i64> {
    let zeros = (written & 7) as u32;
    let digits = written >> 3;
    let nanos = if zeros == 0 { digits } else { digits.checked_mul(10_i64.pow(zeros + 1))? };
    (1 - NANOS_PER_SECOND..NANOS_PER_SECOND).contains(&nanos).then_some(nanos)
}

fn value(seconds: i64, nanos: i64, unit: TimeUnit) -> Option<i64> {
    let seconds = seconds.checked_add(EPOCH)?;
    let seconds = if seconds < 0 && nanos >= NANOS_PER_MILLI { seconds.checked_sub(1)? } else { seconds };
    // The seconds of the first values alone are below the range of the unit.
    let units = |per_second: i64, fraction: i64| {
        i64::try_from(i128::from(seconds) * i128::from(per_second) + i128::from(fraction)).ok()
    };
    match unit {
        TimeUnit::Nanosecond => units(NANOS_PER_SECOND, nanos),
        _ => units(1_000_000, nanos.div_euclid(1_000)),
    }
}
