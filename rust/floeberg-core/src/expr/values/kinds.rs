//! Which kinds of values have Arrow's types, and what are they called?

use arrow_schema::{DataType, TimeUnit};

/// The zone of times with one.
pub(super) const UTC: &str = "UTC";

/// The name of a type in errors: that of a table's column, where it has one.
pub(super) fn shown(kind: &DataType) -> String {
    use DataType as D;
    match kind {
        D::Int32 => "int".to_owned(),
        D::Int64 => "long".to_owned(),
        D::Utf8 | D::LargeUtf8 | D::Utf8View => "string".to_owned(),
        D::Float32 => "float".to_owned(),
        D::Float64 => "double".to_owned(),
        D::Date32 => "date".to_owned(),
        D::Time64(TimeUnit::Microsecond) => "time".to_owned(),
        D::Timestamp(TimeUnit::Microsecond, zone) => {
            if zone.is_some() { "timestamptz" } else { "timestamp" }.to_owned()
        }
        D::Timestamp(TimeUnit::Nanosecond, zone) => {
            if zone.is_some() { "timestamptz_ns" } else { "timestamp_ns" }.to_owned()
        }
        D::Binary | D::LargeBinary | D::BinaryView => "binary".to_owned(),
        D::FixedSizeBinary(width) => format!("fixed[{width}]"),
        D::Struct(_) => "struct".to_owned(),
        D::List(_) | D::LargeList(_) | D::FixedSizeList(..) | D::ListView(_) | D::LargeListView(_) => {
            "list".to_owned()
        }
        D::Map(..) => "map".to_owned(),
        _ => match digits(kind) {
            Some((precision, scale)) => format!("decimal({precision}, {scale})"),
            None => kind.to_string().to_lowercase(),
        },
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
