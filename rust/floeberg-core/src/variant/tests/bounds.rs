//! Bounds of the fields of variants.

use std::collections::BTreeMap;

use arrow_schema::{DataType, TimeUnit};

use super::model::{Names, Tree, decode, normal};
use super::{number, text};
use crate::ErrorKind;
use crate::value::Value;
use crate::variant::{Bounds, path_of};

/// The names and the object of bounds, one behind the other.
fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    let width = usize::from(bytes[0] >> 6) + 1;
    let number =
        |at: usize| bytes[at..at + width].iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    let count = number(1);
    let length = 1 + width * (count + 2) + number(1 + width * (count + 1));
    bytes.split_at(length)
}

fn bound(column: &DataType, value: &Value) -> (Tree, Vec<u8>) {
    let mut bounds = Bounds::default();
    bounds.insert("$", column, value).unwrap();
    let bytes = bounds.to_bytes().unwrap();
    let (metadata, value) = parts(&bytes);
    let Tree::Object(mut fields) = decode(metadata, value) else { panic!("{bytes:?}") };
    (fields.remove("$").unwrap(), value.to_vec())
}

#[test]
fn paths_are_normalized() {
    let cases: [(&[&str], &str); 6] = [
        (&[], "$"),
        (&["event_type"], "$['event_type']"),
        (&["location", "latitude"], "$['location']['latitude']"),
        (&["user.name", ""], "$['user.name']['']"),
        (&["it's", "a\\b\"é"], "$['it\\'s']['a\\\\b\"é']"),
        (&["\u{8}\t\n\u{c}\r\u{b}\0\u{1f}\u{7f}"], "$['\\b\\t\\n\\f\\r\\u000b\\u0000\\u001f\u{7f}']"),
    ];
    for (names, expected) in cases {
        assert_eq!(path_of(names), expected);
    }
}

#[test]
fn bounds_are_metadata_with_paths_and_an_object_of_values() {
    let mut bounds = Bounds::default();
    bounds.insert("$['b']", &DataType::Utf8, &Value::String("x".repeat(100))).unwrap();
    bounds.insert("$['a']", &DataType::Int32, &Value::Int(7)).unwrap();
    let bytes = bounds.to_bytes().unwrap();
    let (metadata, value) = parts(&bytes);
    assert_eq!(metadata[0], 0x11, "names are said to be in order");
    assert_eq!(Names::decode(metadata).0, ["$['a']", "$['b']"]);
    let expected = [("$['a']".to_owned(), number(7)), ("$['b']".to_owned(), text(&"x".repeat(100)))];
    assert_eq!(decode(metadata, value), Tree::Object(BTreeMap::from(expected)));
    let mut many = Bounds::default();
    for number in 0..300 {
        many.insert(&path_of(&[&format!("k{number}")]), &DataType::Int8, &Value::Int(1)).unwrap();
    }
    let bytes = many.to_bytes().unwrap();
    let (metadata, value) = parts(&bytes);
    let Tree::Object(fields) = decode(metadata, value) else { panic!("{value:?}") };
    assert_eq!(fields.len(), 300);
}

#[test]
fn a_bound_has_the_type_of_its_column() {
    let utc = || Some("UTC".into());
    let eight = |kind: u8, value: i64| Tree::Primitive(kind, value.to_le_bytes().to_vec());
    let cases = [
        (DataType::Boolean, Value::Boolean(true), Tree::Primitive(1, Vec::new()), 1),
        (DataType::Boolean, Value::Boolean(false), Tree::Primitive(2, Vec::new()), 2),
        (DataType::Int8, Value::Int(-5), number(-5), 3),
        (DataType::Int16, Value::Int(-5), number(-5), 4),
        (DataType::Int32, Value::Int(-5), number(-5), 5),
        (DataType::Int64, Value::Long(-5), number(-5), 6),
        (DataType::Float64, Value::Double(-0.0), Tree::Primitive(7, (-0.0_f64).to_le_bytes().to_vec()), 7),
        (DataType::Decimal128(9, 2), Value::Decimal { unscaled: 150, scale: 2 }, normal(15, 1), 8),
        (DataType::Decimal128(18, 2), Value::Decimal { unscaled: 150, scale: 2 }, normal(15, 1), 9),
        (DataType::Decimal128(38, 2), Value::Decimal { unscaled: 150, scale: 2 }, normal(15, 1), 10),
        (DataType::Date32, Value::Date(3), Tree::Primitive(11, 3_i32.to_le_bytes().to_vec()), 11),
        (DataType::Timestamp(TimeUnit::Microsecond, utc()), Value::Timestamptz(4), eight(12, 4), 12),
        (DataType::Timestamp(TimeUnit::Microsecond, None), Value::Timestamp(4), eight(13, 4), 13),
        (DataType::Float32, Value::Float(1.5), Tree::Primitive(14, 1.5_f32.to_le_bytes().to_vec()), 14),
        (DataType::Binary, Value::Binary(vec![9]), Tree::Primitive(15, vec![1, 0, 0, 0, 9]), 15),
        (DataType::Time64(TimeUnit::Microsecond), Value::Time(5), eight(17, 5), 17),
        (DataType::Timestamp(TimeUnit::Nanosecond, utc()), Value::TimestamptzNs(4), eight(18, 4), 18),
        (DataType::Timestamp(TimeUnit::Nanosecond, None), Value::TimestampNs(4), eight(19, 4), 19),
        (DataType::FixedSizeBinary(16), Value::Uuid([7; 16]), Tree::Primitive(20, vec![7; 16]), 20),
    ];
    for (column, value, expected, kind) in cases {
        let (found, object) = bound(&column, &value);
        assert_eq!(found, expected, "{column}");
        // One field: its value follows the head, the count, an id and two offsets.
        assert_eq!(object[5] >> 2, kind, "{column}");
    }
}

#[test]
fn what_a_column_cannot_have_is_no_bound() {
    for (column, value) in [(DataType::Int8, Value::Int(300)), (DataType::Utf8, Value::Long(1))] {
        let error = Bounds::default().insert("$", &column, &value).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
    }
}
