//! Single values, as bytes and as JSON.

use floeberg_core::schema::value_json::{from_json, to_json};
use floeberg_core::schema::{PrimitiveType, Type, json::type_from_json};
use floeberg_core::transform::Transform;
use floeberg_core::value::single_value::{from_bytes, to_bytes};
use floeberg_core::value::{Value, equal_for_partition};

use crate::judge::decoded;

/// The types that a first byte chooses from.
fn chosen(choice: u8) -> PrimitiveType {
    match choice % 19 {
        0 => PrimitiveType::Boolean,
        1 => PrimitiveType::Int,
        2 => PrimitiveType::Long,
        3 => PrimitiveType::Float,
        4 => PrimitiveType::Double,
        5 => PrimitiveType::Decimal { precision: 38, scale: 10 },
        6 => PrimitiveType::Decimal { precision: 9, scale: 0 },
        7 => PrimitiveType::Date,
        8 => PrimitiveType::Time,
        9 => PrimitiveType::Timestamp,
        10 => PrimitiveType::Timestamptz,
        11 => PrimitiveType::TimestampNs,
        12 => PrimitiveType::TimestamptzNs,
        13 => PrimitiveType::String,
        14 => PrimitiveType::Uuid,
        15 => PrimitiveType::Fixed(6),
        16 => PrimitiveType::Binary,
        17 => PrimitiveType::Geometry { crs: None },
        _ => PrimitiveType::Unknown,
    }
}

/// Bytes are a value, and the value's bytes are that value; shown, transformed and as JSON it makes no trouble.
pub(crate) fn single_value(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let primitive = chosen(*choice);
    let Some(first) = decoded(from_bytes(&primitive, bytes)) else { return };
    let written = to_bytes(&first).expect("a primitive value has bytes");
    let second = from_bytes(&primitive, &written).unwrap_or_else(|error| panic!("{first:?}: {error}"));
    // Bits, not values: NaN equals nothing, and the two zeros are two.
    assert_eq!(to_bytes(&second).unwrap(), written, "{first:?}");
    assert!(equal_for_partition(Some(&second), Some(&first)), "{first:?}");
    let _ = first.to_string();
    transformed(&first);
    read_as_json(&first, &Type::Primitive(primitive));
}

fn transformed(value: &Value) {
    let transforms = [
        Transform::Bucket(16),
        Transform::Truncate(3),
        Transform::Year,
        Transform::Month,
        Transform::Day,
        Transform::Hour,
        Transform::Void,
        Transform::Identity,
    ];
    for transform in transforms {
        decoded(transform.apply(value));
    }
}

fn read_as_json(value: &Value, field_type: &Type) {
    let Some(json) = decoded(to_json(Some(value), field_type)) else { return };
    let read = from_json(&json, field_type).unwrap_or_else(|error| panic!("{json} of {value:?}: {error}"));
    let again = to_json(read.as_ref(), field_type).expect("what was read is written");
    assert_eq!(json, again, "{value:?}");
}

/// `[type, value]`: what the value is read as is written and read as the same.
pub(crate) fn single_value_json(bytes: &[u8]) {
    if bytes.len() > 4096 {
        return;
    }
    let Ok(serde_json::Value::Array(pair)) = serde_json::from_slice(bytes) else { return };
    let [of, value] = pair.as_slice() else { return };
    let Some(field_type) = decoded(type_from_json(of)) else { return };
    if let Some(Some(value)) = decoded(from_json(value, &field_type)) {
        read_as_json(&value, &field_type);
        let _ = value.to_string();
    }
}
