//! How do error messages name an Arrow type?

use arrow_schema::{DataType, TimeUnit};

/// `int32`, `timestamp[us, tz=UTC]`, `list`: pyarrow's names, nested types by their kind alone.
pub(super) fn arrow_name(data_type: &DataType) -> String {
    use DataType as T;
    match data_type {
        T::Boolean => "bool".to_owned(),
        T::Utf8 => "string".to_owned(),
        T::LargeUtf8 => "large_string".to_owned(),
        T::Utf8View => "string_view".to_owned(),
        T::LargeBinary => "large_binary".to_owned(),
        T::BinaryView => "binary_view".to_owned(),
        T::FixedSizeBinary(length) => format!("fixed_size_binary[{length}]"),
        T::Float16 => "halffloat".to_owned(),
        T::Float32 => "float".to_owned(),
        T::Float64 => "double".to_owned(),
        T::Time32(unit) => format!("time32[{}]", unit_name(*unit)),
        T::Time64(unit) => format!("time64[{}]", unit_name(*unit)),
        T::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(*unit)),
        T::Timestamp(unit, Some(zone)) => format!("timestamp[{}, tz={zone}]", unit_name(*unit)),
        T::Duration(unit) => format!("duration[{}]", unit_name(*unit)),
        T::List(_) => "list".to_owned(),
        T::LargeList(_) => "large_list".to_owned(),
        T::FixedSizeList(..) => "fixed_size_list".to_owned(),
        T::Struct(_) => "struct".to_owned(),
        T::Map(..) => "map".to_owned(),
        T::Dictionary(_, values) => format!("dictionary of {}", arrow_name(values)),
        T::RunEndEncoded(_, values) => format!("run_end_encoded of {}", arrow_name(values.data_type())),
        T::Decimal32(precision, scale) => format!("decimal32({precision}, {scale})"),
        T::Decimal64(precision, scale) => format!("decimal64({precision}, {scale})"),
        T::Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        T::Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        T::Union(..) => "union".to_owned(),
        other => other.to_string().to_ascii_lowercase(),
    }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
