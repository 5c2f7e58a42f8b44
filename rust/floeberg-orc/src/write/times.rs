//! How are points in time stored?
//!
//! In: micro- or nanoseconds from 1970. Out: seconds from 2015, and nanoseconds.
//! Spec: ORC v1, Timestamp Columns.
//!
//! Readers take seconds before 1970 with whole milliseconds as rounded toward zero, and subtract one. So the last second before 1970
//! cannot be said, but for its first millisecond: files of the reference writer have it a second later.
//!
//! Invariant: every value that is stored is read back as it was, by the rule above.

use floeberg_core::{Error, Result};

/// The seconds from 1970 to 2015.
const EPOCH: i64 = 1_420_070_400;
const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_MILLI: i64 = 1_000_000;

/// Seconds and nanoseconds of a value whose unit has this many nanoseconds, as they are stored.
///
/// Errors: `InvalidInput` for values that ORC cannot say.
#[inline]
pub(super) fn stored(value: i64, nanos_per_unit: i64) -> Result<(i64, i64)> {
    let units = NANOS_PER_SECOND / nanos_per_unit;
    let (mut seconds, nanos) = (value.div_euclid(units), value.rem_euclid(units) * nanos_per_unit);
    if seconds < 0 && nanos >= NANOS_PER_MILLI {
        if seconds == -1 {
            return Err(last_second());
        }
        seconds += 1;
    }
    Ok((seconds - EPOCH, short(nanos)))
}

#[cold]
fn last_second() -> Error {
    Error::invalid_input(
        "ORC files cannot hold times between 1969-12-31 23:59:59.001 and 1970-01-01: readers would take them \
         as a second later. Write Parquet or Avro: options={\"write-format\": \"parquet\"}",
    )
}

/// Nanoseconds without zeros at their end. The lowest three bits count these, less one.
#[inline]
fn short(nanos: i64) -> i64 {
    if nanos == 0 || nanos % 100 != 0 {
        return nanos << 3;
    }
    let (mut digits, mut zeros) = (nanos / 100, 1);
    while digits % 10 == 0 && zeros < 7 {
        digits /= 10;
        zeros += 1;
    }
    digits << 3 | zeros
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;

    use super::*;

    #[test]
    fn seconds_before_1970_are_rounded_toward_zero() {
        assert_eq!(stored(1_420_070_400_000_000, 1_000).unwrap(), (0, 0));
        assert_eq!(stored(-1_500_000, 1_000).unwrap(), (-1 - EPOCH, 5 << 3 | 7));
        assert_eq!(stored(-2_000_000, 1_000).unwrap(), (-2 - EPOCH, 0));
        assert_eq!(stored(-999_001, 1_000).unwrap(), (-1 - EPOCH, 999 << 3 | 2));
        for value in [-1, -500_000, -999_000] {
            assert_eq!(stored(value, 1_000).unwrap_err().kind(), ErrorKind::InvalidInput);
        }
        assert_eq!(stored(i64::MAX, 1).unwrap().0, 9_223_372_036 - EPOCH);
        assert!(stored(i64::MIN, 1).is_ok() && stored(i64::MIN, 1_000).is_ok());
    }
}
