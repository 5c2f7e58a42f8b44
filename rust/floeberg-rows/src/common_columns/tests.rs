#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_schema::{DataType as T, Field, TimeUnit};

use super::{common_column, is_same_column};

fn common(before: T, after: T) -> Option<T> {
    let field = |kind| Field::new("x", kind, true);
    common_column(&field(before), &field(after)).ok().map(|field| field.data_type().clone())
}

#[test]
fn the_wider_type_is_the_common_one_in_both_orders() {
    let wider = [
        (T::Int32, T::Int64, T::Int64),
        (T::Int8, T::Int32, T::Int32),
        (T::UInt32, T::Int32, T::Int64),
        (T::UInt8, T::UInt64, T::UInt64),
        (T::Float32, T::Float64, T::Float64),
        (T::Decimal128(9, 2), T::Decimal128(18, 2), T::Decimal128(18, 2)),
        (T::Date32, T::Timestamp(TimeUnit::Microsecond, None), T::Timestamp(TimeUnit::Microsecond, None)),
        (T::Null, T::Utf8, T::Utf8),
        (T::UInt64, T::Decimal128(20, 0), T::Decimal128(20, 0)),
        (T::Time32(TimeUnit::Second), T::Time64(TimeUnit::Microsecond), T::Time64(TimeUnit::Microsecond)),
    ];
    for (narrow, wide, expected) in wider {
        assert_eq!(common(narrow.clone(), wide.clone()), Some(expected.clone()), "{narrow} {wide}");
        assert_eq!(common(wide.clone(), narrow.clone()), Some(expected), "{wide} {narrow}");
        assert!(!is_same_column(&Field::new("x", narrow, true), &Field::new("x", wide, true)));
    }
}

#[test]
fn types_of_another_meaning_have_none() {
    let other = [
        (T::Int32, T::Float64),
        (T::Int64, T::Utf8),
        (T::UInt64, T::Int64),
        (T::Decimal128(9, 2), T::Decimal128(9, 3)),
        (T::Timestamp(TimeUnit::Microsecond, None), T::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        (T::Timestamp(TimeUnit::Microsecond, None), T::Timestamp(TimeUnit::Nanosecond, None)),
        (T::Date32, T::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))),
        (T::Binary, T::FixedSizeBinary(4)),
    ];
    for (one, two) in other {
        assert_eq!(common(one.clone(), two.clone()), None, "{one} {two}");
        assert_eq!(common(two.clone(), one.clone()), None, "{two} {one}");
    }
}

#[test]
fn an_error_names_the_part_and_both_types() {
    let record = |kind| Field::new("r", T::Struct(vec![Field::new("a", kind, true)].into()), true);
    let error = common_column(&record(T::Int32), &record(T::Utf8)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("'r.a'") && text.contains("int32") && text.contains("string"), "{text}");
}
