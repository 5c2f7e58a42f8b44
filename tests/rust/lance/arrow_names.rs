//! Arrow types as pyarrow spells them.

use arrow_schema::{DataType, Field, TimeUnit};

pub(super) fn name(data_type: &DataType) -> String {
    let field = |field: &Field| format!("{}: {}", field.name(), name(field.data_type()));
    match data_type {
        DataType::Null => "null".into(),
        DataType::Boolean => "bool".into(),
        DataType::Float16 => "halffloat".into(),
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Utf8 => "string".into(),
        DataType::LargeUtf8 => "large_string".into(),
        DataType::Binary => "binary".into(),
        DataType::LargeBinary => "large_binary".into(),
        DataType::Date32 => "date32[day]".into(),
        DataType::Date64 => "date64[ms]".into(),
        DataType::Time32(unit) => format!("time32[{}]", unit_name(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_name(*unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_name(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, tz={zone}]", unit_name(*unit)),
        DataType::Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        DataType::Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        DataType::FixedSizeBinary(length) => format!("fixed_size_binary[{length}]"),
        DataType::List(element) => format!("list<{}>", field(element)),
        DataType::FixedSizeList(element, length) => format!("fixed_size_list<{}>[{length}]", field(element)),
        DataType::Struct(fields) => {
            format!("struct<{}>", fields.iter().map(|part| field(part)).collect::<Vec<_>>().join(", "))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(parts) => {
                format!("map<{}, {}>", name(parts[0].data_type()), name(parts[1].data_type()))
            }
            other => panic!("a map of {other}"),
        },
        DataType::Dictionary(index, value) => {
            format!("dictionary<values={}, indices={}, ordered=0>", name(value), name(index))
        }
        other if other.is_integer() => other.to_string().to_lowercase(),
        other => panic!("no name for {other}"),
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
