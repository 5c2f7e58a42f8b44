//! How do error messages name columns and Arrow types?
//!
//! Types have the names of pyarrow.

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use super::fields::extension;

/// The name of a column in quotes, as Python writes it.
pub(crate) fn quoted(name: &str) -> String {
    let quote = if name.contains('\'') && !name.contains('"') { '"' } else { '\'' };
    let mut text = String::with_capacity(name.len() + 2);
    text.push(quote);
    for each in name.chars() {
        match each {
            '\\' => text.push_str("\\\\"),
            each if each == quote => text.extend(['\\', each]),
            each if each.is_control() => text.extend(each.escape_default()),
            each => text.push(each),
        }
    }
    text.push(quote);
    text
}

/// The type of a field: `list<element: int32>`, `extension<arrow.uuid>`.
pub(crate) fn field_type_name(field: &Field) -> String {
    match extension(field) {
        Some(name) => format!("extension<{name}>"),
        None => type_name(field.data_type()),
    }
}

/// A type with all that is below: `int32`, `timestamp[us, tz=UTC]`, `list<element: int32>`.
pub fn type_name(kind: &DataType) -> String {
    use DataType as T;
    match kind {
        T::Date32 => "date32[day]".to_owned(),
        T::Date64 => "date64[ms]".to_owned(),
        T::List(field) => format!("list<{}>", named(field)),
        T::LargeList(field) => format!("large_list<{}>", named(field)),
        T::ListView(field) => format!("list_view<{}>", named(field)),
        T::LargeListView(field) => format!("large_list_view<{}>", named(field)),
        T::FixedSizeList(field, size) => format!("fixed_size_list<{}>[{size}]", named(field)),
        T::Struct(fields) => {
            let fields: Vec<_> = fields.iter().map(|field| named(field)).collect();
            format!("struct<{}>", fields.join(", "))
        }
        T::Map(entries, _) => match entries.data_type() {
            T::Struct(fields) => {
                let parts: Vec<_> = fields.iter().map(|field| field_type_name(field)).collect();
                format!("map<{}>", parts.join(", "))
            }
            _ => "map".to_owned(),
        },
        T::Dictionary(keys, values) => {
            format!("dictionary<values={}, indices={}, ordered=0>", type_name(values), type_name(keys))
        }
        T::RunEndEncoded(ends, values) => format!(
            "run_end_encoded<run_ends: {}, values: {}>",
            field_type_name(ends),
            field_type_name(values)
        ),
        other => kind_name(other),
    }
}

fn named(field: &Field) -> String {
    let end = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{end}", field.name(), field_type_name(field))
}

/// `int32`, `timestamp[us, tz=UTC]`, `list`: nested types by their kind alone.
pub fn kind_name(kind: &DataType) -> String {
    use DataType as T;
    match kind {
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
        T::Interval(IntervalUnit::YearMonth) => "month_interval".to_owned(),
        T::Interval(IntervalUnit::DayTime) => "day_time_interval".to_owned(),
        T::Interval(IntervalUnit::MonthDayNano) => "month_day_nano_interval".to_owned(),
        T::List(_) => "list".to_owned(),
        T::LargeList(_) => "large_list".to_owned(),
        T::ListView(_) => "list_view".to_owned(),
        T::LargeListView(_) => "large_list_view".to_owned(),
        T::FixedSizeList(..) => "fixed_size_list".to_owned(),
        T::Struct(_) => "struct".to_owned(),
        T::Map(..) => "map".to_owned(),
        T::Dictionary(_, values) => format!("dictionary of {}", kind_name(values)),
        T::RunEndEncoded(_, values) => format!("run_end_encoded of {}", kind_name(values.data_type())),
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
