//! May a column of this Arrow type be written as that type of the table?
//!
//! In: two types. Out: the conversion, or advice to the user.
//!
//! Invariant: every value of the one type fits the other. Values are checked one by one for timestamps of a finer unit, wider
//! integers and geometries.

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::PrimitiveType;

use super::arrow_names::arrow_name;
use super::step::Leaf;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// The conversion of an array that is neither a dictionary nor runs. Errors: advice to the user.
pub(super) fn leaf(from: &DataType, wanted: &PrimitiveType, to: &DataType) -> Result<Leaf, String> {
    use DataType as T;
    use PrimitiveType as P;
    let moment = |from, to| {
        let (from, to) = (per_second(from), per_second(to));
        Ok(Leaf::Moment { times: (to / from).max(1), divided: (from / to).max(1) })
    };
    match (wanted, from) {
        (P::Decimal { precision, scale }, _) => decimal(from, *precision, *scale).ok_or_else(|| cast_to(to)),
        (P::Time, T::Time32(unit) | T::Time64(unit)) => moment(*unit, TimeUnit::Microsecond),
        (P::Geometry { .. } | P::Geography { .. }, T::Binary | T::LargeBinary | T::BinaryView) => {
            Ok(Leaf::Wkb)
        }
        (_, from) if from == to => Ok(Leaf::Same),
        (P::Int, T::Int8 | T::Int16 | T::UInt8 | T::UInt16) => Ok(Leaf::Widened),
        (P::Int, T::UInt32 | T::Int64 | T::UInt64) | (P::Long, T::UInt64) => Ok(Leaf::Narrowed),
        (P::Long, T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 | T::UInt32) => Ok(Leaf::Widened),
        (P::Float, T::Float16 | T::Int8 | T::Int16 | T::UInt8 | T::UInt16) => Ok(Leaf::Widened),
        (P::Double, T::Float16 | T::Float32) => Ok(Leaf::Widened),
        (P::Double, T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 | T::UInt32) => Ok(Leaf::Widened),
        (P::Date, T::Date64) => Ok(Leaf::Moment { times: 1, divided: MILLIS_PER_DAY }),
        (P::Timestamp | P::TimestampNs, T::Timestamp(_, Some(_))) => {
            Err(format!("make it a local time without a zone, as {}", arrow_name(to)))
        }
        (P::Timestamptz | P::TimestamptzNs, T::Timestamp(_, None)) => {
            Err(format!("say in which time zone it is, as {}", arrow_name(to)))
        }
        (P::Timestamp | P::Timestamptz, T::Timestamp(unit, _)) => moment(*unit, TimeUnit::Microsecond),
        (P::TimestampNs | P::TimestamptzNs, T::Timestamp(unit, _)) => moment(*unit, TimeUnit::Nanosecond),
        (P::String, T::LargeUtf8 | T::Utf8View) => Ok(Leaf::Bytes),
        (P::Binary, T::LargeBinary | T::BinaryView) => Ok(Leaf::Bytes),
        (P::Binary, T::FixedSizeBinary(_)) => Ok(Leaf::Widened),
        (P::Unknown, _) => {
            Err("give the column a type in the table first, since unknown holds only null".to_owned())
        }
        _ => Err(cast_to(to)),
    }
}

fn cast_to(to: &DataType) -> String {
    format!("cast it to {}", arrow_name(to))
}

/// A decimal with as many digits before the point and after it, or more.
fn decimal(from: &DataType, precision: u8, scale: u8) -> Option<Leaf> {
    use DataType as T;
    let (digits, own_scale) = match from {
        T::Decimal128(own, own_scale) if (*own, *own_scale) == (precision, scale as i8) => {
            return Some(Leaf::Decimal);
        }
        T::Decimal32(own, own_scale)
        | T::Decimal64(own, own_scale)
        | T::Decimal128(own, own_scale)
        | T::Decimal256(own, own_scale) => (i16::from(*own), i16::from(*own_scale)),
        T::Int8 | T::UInt8 => (3, 0),
        T::Int16 | T::UInt16 => (5, 0),
        T::Int32 | T::UInt32 => (10, 0),
        T::Int64 => (19, 0),
        T::UInt64 => (20, 0),
        _ => return None,
    };
    let (precision, scale) = (i16::from(precision), i16::from(scale));
    (own_scale <= scale && digits - own_scale <= precision - scale).then_some(Leaf::Widened)
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
