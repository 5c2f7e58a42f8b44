//! May a column of this Arrow type be written as that type of the table?
//!
//! In: two types. Out: the conversion, or advice to the user.
//!
//! Invariant: conversions are those of [`floeberg_rows::rule`] that appends use; here is only what a type of Iceberg adds.

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::PrimitiveType;
use floeberg_rows::{Conversion, kind_name, rule, units};

use super::step::Leaf;

/// The conversion of an array that is neither a dictionary nor runs. Errors: advice to the user.
pub(super) fn leaf(from: &DataType, wanted: &PrimitiveType, to: &DataType) -> Result<Leaf, String> {
    use DataType as T;
    use PrimitiveType as P;
    match (wanted, from) {
        // Times of the same unit are tested, too: Arrow allows more than a day.
        (P::Time, T::Time32(unit) | T::Time64(unit)) => Ok(Leaf::Cast(units(*unit, TimeUnit::Microsecond))),
        (P::Geometry { .. } | P::Geography { .. }, T::Binary | T::LargeBinary | T::BinaryView) => {
            Ok(Leaf::Wkb)
        }
        (P::Timestamp | P::TimestampNs, T::Timestamp(_, Some(_))) => {
            Err(format!("make it a local time without a zone, as {}", kind_name(to)))
        }
        (P::Timestamptz | P::TimestamptzNs, T::Timestamp(_, None)) => {
            Err(format!("say in which time zone it is, as {}", kind_name(to)))
        }
        (P::Uuid, T::Utf8 | T::LargeUtf8 | T::Utf8View) => Ok(Leaf::Cast(Conversion::UuidText)),
        (P::Unknown, _) => {
            Err("give the column a type in the table first, since unknown holds only null".to_owned())
        }
        _ => match rule(from, to).filter(|rule| rule.appends) {
            Some(rule) => Ok(Leaf::Cast(rule.conversion)),
            None => Err(advice(from, to)),
        },
    }
}

/// What makes an array of the wanted type, in pyarrow, polars and pandas alike.
fn advice(from: &DataType, to: &DataType) -> String {
    use DataType as T;
    let wanted = kind_name(to);
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
