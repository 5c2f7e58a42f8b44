//! May a column of this Arrow type be written as that type of the table?
//!
//! In: two types. Out: the conversion, or advice to the user.
//!
//! Invariant: every value of the one type fits the other. Values are checked one by one for timestamps of a finer unit, wider
//! integers, geometries, texts of uuids and bytes of a fixed length.

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::PrimitiveType;
use floeberg_core::schema::arrow::units_per_second;

use super::arrow_names::arrow_name;
use super::step::Leaf;

const MILLIS_PER_DAY: i64 = 86_400_000;

/// The conversion of an array that is neither a dictionary nor runs. Errors: advice to the user.
pub(super) fn leaf(from: &DataType, wanted: &PrimitiveType, to: &DataType) -> Result<Leaf, String> {
    use DataType as T;
    use PrimitiveType as P;
    let moment = |from, to| {
        let (from, to) = (units_per_second(from), units_per_second(to));
        Ok(Leaf::Moment { times: (to / from).max(1), divided: (from / to).max(1) })
    };
    match (wanted, from) {
        (P::Decimal { precision, scale }, _) => {
            decimal(from, *precision, *scale).ok_or_else(|| advice(from, to))
        }
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
        (P::Uuid, T::Utf8 | T::LargeUtf8 | T::Utf8View) => Ok(Leaf::UuidText),
        (P::Uuid | P::Fixed(_), T::Binary | T::LargeBinary | T::BinaryView) => Ok(Leaf::Sized),
        (P::Unknown, _) => {
            Err("give the column a type in the table first, since unknown holds only null".to_owned())
        }
        _ => Err(advice(from, to)),
    }
}

/// What makes an array of the wanted type, in pyarrow, polars and pandas alike.
fn advice(from: &DataType, to: &DataType) -> String {
    use DataType as T;
    let wanted = arrow_name(to);
    let is_decimal =
        matches!(from, T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..));
    let is_text = matches!(from, T::Utf8 | T::LargeUtf8 | T::Utf8View);
    let is_moment = matches!(from, T::Timestamp(..));
    let is_bytes = matches!(from, T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_));
    let is_plain = from.is_numeric() || is_text || is_moment || is_bytes || from.is_temporal();
    let casts = match to {
        _ if *from == T::Boolean => to.is_integer() || to.is_floating() || matches!(to, T::Utf8),
        T::Utf8 => is_plain,
        _ if is_text => to.is_numeric() || to.is_temporal() || matches!(to, T::Boolean | T::Binary),
        T::Boolean => from.is_integer() || from.is_floating(),
        T::Float32 | T::Float64 => from.is_numeric(),
        T::Int32 | T::Int64 => from.is_integer(),
        T::Date32 => is_moment,
        T::Timestamp(..) => is_moment || matches!(from, T::Date32 | T::Date64),
        T::Time64(_) => is_moment,
        _ => false,
    };
    match to {
        T::Int32 | T::Int64 if from.is_floating() => format!(
            "cast it to {wanted}, with NaN filled or made null first; in pandas, whole numbers with missing values are of \
             the dtype Int64"
        ),
        T::Int32 | T::Int64 if is_decimal => format!("round it, and cast it to {wanted}"),
        T::Decimal128(..) if from.is_integer() => {
            format!("cast it to decimal128(38, 0), and then to {wanted}")
        }
        T::Decimal128(..) if from.is_floating() => {
            format!("cast it to {wanted}, with NaN filled or made null first")
        }
        T::Decimal128(_, scale) if is_decimal => {
            format!("round it to {scale} digits after the point, and cast it to {wanted}")
        }
        T::Time64(_) if is_text => format!("parse it, and make it an array of {wanted}"),
        T::FixedSizeBinary(size) => format!("make it values of {size} bytes"),
        _ if casts => format!("cast it to {wanted}"),
        _ => format!("no cast makes such values: make it an array of {wanted}, or leave the column out"),
    }
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
