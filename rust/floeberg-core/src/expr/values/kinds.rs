//! Which kinds of values have Arrow's types, and what are they called?

use arrow_schema::{DataType, TimeUnit};

use crate::schema::PrimitiveType;

/// The type of a column of filters that takes all values of a type; `None` where none does.
pub(super) fn primitive_of(kind: &DataType) -> Option<PrimitiveType> {
    use DataType as D;
    use PrimitiveType as P;
    Some(match kind {
        D::Boolean => P::Boolean,
        D::Int8 | D::Int16 | D::UInt8 | D::UInt16 | D::Int32 => P::Int,
        D::UInt32 | D::Int64 => P::Long,
        D::Float16 | D::Float32 => P::Float,
        D::Float64 => P::Double,
        D::Decimal32(precision, scale) | D::Decimal64(precision, scale) | D::Decimal128(precision, scale) => {
            P::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        D::Date32 | D::Date64 => P::Date,
        D::Time32(_) | D::Time64(_) => P::Time,
        D::Timestamp(TimeUnit::Nanosecond, None) => P::TimestampNs,
        D::Timestamp(TimeUnit::Nanosecond, Some(_)) => P::TimestamptzNs,
        D::Timestamp(_, None) => P::Timestamp,
        D::Timestamp(_, Some(_)) => P::Timestamptz,
        D::Utf8 | D::LargeUtf8 | D::Utf8View => P::String,
        D::Binary | D::LargeBinary | D::BinaryView => P::Binary,
        D::FixedSizeBinary(width) => P::Fixed(u32::try_from(*width).ok()?),
        _ => return None,
    })
}

/// The name of a type in errors: that of a table's column, where it has one.
pub(super) fn shown(kind: &DataType) -> String {
    match kind {
        DataType::Struct(_) => "struct".to_owned(),
        DataType::Map(..) => "map".to_owned(),
        _ if kind.is_nested() => "list".to_owned(),
        DataType::Int8 | DataType::Int16 | DataType::Float16 => kind.to_string().to_lowercase(),
        _ if kind.is_unsigned_integer() => kind.to_string().to_lowercase(),
        _ => primitive_of(kind).map_or_else(|| kind.to_string().to_lowercase(), |found| found.to_string()),
    }
}

/// Is it a type of floats?
pub(super) fn is_float(kind: &DataType) -> bool {
    matches!(kind, DataType::Float16 | DataType::Float32 | DataType::Float64)
}

/// Is it a type of texts?
pub(super) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Is it a type of bytes?
pub(super) fn is_bytes(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_)
    )
}

/// Is it a type of numbers?
pub(super) fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || is_float(kind) || is_decimal(kind)
}

/// The type of decimals with so many digits; `None` where none has so many.
pub(super) fn decimal_type(precision: u8, scale: i8) -> Option<DataType> {
    if precision <= arrow_schema::DECIMAL128_MAX_PRECISION {
        Some(DataType::Decimal128(precision, scale))
    } else if precision <= arrow_schema::DECIMAL256_MAX_PRECISION {
        Some(DataType::Decimal256(precision, scale))
    } else {
        None
    }
}

/// The precision and the scale of a type of decimals.
pub(super) fn digits(kind: &DataType) -> Option<(u8, i8)> {
    match kind {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((*precision, *scale)),
        _ => None,
    }
}

/// Which types decimals have.
pub(super) fn is_decimal(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}
