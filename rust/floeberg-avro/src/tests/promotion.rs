use arrow_array::Array;
use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float64Type, Int32Type, Int64Type, TimestampNanosecondType};
use floeberg_core::schema::{Field, PrimitiveType};
use floeberg_core::{ErrorKind, Result};

use super::read::read;
use crate::testing::{file, long, prefixed, record};

/// Reads one value of that Avro type as the wanted type.
fn one(avro_type: &str, data: &[u8], wanted: PrimitiveType) -> Result<ArrayRef> {
    let schema = record(&format!(r#"{{"name":"v","type":{avro_type},"field-id":1}}"#));
    let rows = read(&file(&schema, 1, data), &[Field::optional(1, "v", wanted)])?;
    Ok(rows.column(0).clone())
}

#[test]
fn numbers_widen_as_the_specification_says() {
    let wide = one(r#""int""#, &long(-7), PrimitiveType::Long).unwrap();
    assert_eq!(wide.as_primitive::<Int64Type>().value(0), -7);
    let double = one(r#""float""#, &0.1_f32.to_le_bytes(), PrimitiveType::Double).unwrap();
    assert_eq!(double.as_primitive::<Float64Type>().value(0), f64::from(0.1_f32));
}

#[test]
fn a_long_reads_as_an_int_only_where_it_fits() {
    let narrow = one(r#""long""#, &long(-7), PrimitiveType::Int).unwrap();
    assert_eq!(narrow.as_primitive::<Int32Type>().value(0), -7);
    let error = one(r#""long""#, &long(1 << 40), PrimitiveType::Int).unwrap_err();
    assert!(error.message().contains("an int of 32 bits, found 1099511627776"), "{error}");
}

#[test]
fn text_and_bytes_stand_for_each_other() {
    let text = one(r#""bytes""#, &prefixed("é".as_bytes()), PrimitiveType::String).unwrap();
    assert_eq!(text.as_string::<i32>().value(0), "é");
    let bytes = one(r#""string""#, &prefixed(b"ab"), PrimitiveType::Binary).unwrap();
    assert_eq!(bytes.as_binary::<i32>().value(0), b"ab");
    assert!(one(r#""bytes""#, &prefixed(&[0xff]), PrimitiveType::String).is_err());
}

#[test]
fn decimals_are_sign_extended_from_any_length() {
    let wanted = || PrimitiveType::Decimal { precision: 9, scale: 2 };
    let fixed = |size: usize| {
        format!(
            r#"{{"type":"fixed","name":"d","size":{size},"logicalType":"decimal","precision":9,"scale":2}}"#
        )
    };
    let bytes = r#"{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"#;
    let padded = [&[0xff; 18][..], &[0xfb, 0x2e]].concat();
    let cases =
        [(fixed(2), vec![0xfb, 0x2e]), (fixed(20), padded), (bytes.to_owned(), prefixed(&[0xfb, 0x2e]))];
    for (avro_type, data) in cases {
        let decimal = one(&avro_type, &data, wanted()).unwrap();
        assert_eq!(decimal.as_primitive::<Decimal128Type>().value(0), -1234, "{avro_type}");
    }
    let beyond = [&[1][..], &[0; 16]].concat();
    assert_eq!(one(&fixed(17), &beyond, wanted()).unwrap_err().kind(), ErrorKind::InvalidData);
    let other_scale = fixed(2).replace(r#""scale":2"#, r#""scale":3"#);
    assert!(one(&other_scale, &[0, 1], wanted()).unwrap_err().message().contains("does not fit"));
}

#[test]
fn a_uuid_is_sixteen_bytes_or_its_text() {
    let bytes: Vec<u8> = (0..16).collect();
    let fixed = r#"{"type":"fixed","name":"u","size":16,"logicalType":"uuid"}"#;
    let uuid = one(fixed, &bytes, PrimitiveType::Uuid).unwrap();
    assert_eq!(uuid.as_fixed_size_binary().value(0), bytes);
    let text = prefixed(b"00010203-0405-0607-0809-0A0b0c0d0e0f");
    let uuid = one(r#"{"type":"string","logicalType":"uuid"}"#, &text, PrimitiveType::Uuid).unwrap();
    assert_eq!(uuid.as_fixed_size_binary().value(0), bytes);
    for wrong in ["0001", "00010203-0405-0607-0809-0A0b0c0d0e0f00", "zz010203-0405-0607-0809-0A0b0c0d0e0f"] {
        assert!(one(r#""string""#, &prefixed(wrong.as_bytes()), PrimitiveType::Uuid).is_err(), "{wrong}");
    }
}

#[test]
fn times_are_read_in_their_own_unit_only() {
    let nanos = r#"{"type":"long","logicalType":"timestamp-nanos","adjust-to-utc":true}"#;
    let array = one(nanos, &long(-1), PrimitiveType::TimestamptzNs).unwrap();
    assert_eq!(array.as_primitive::<TimestampNanosecondType>().value(0), -1);
    assert!(one(nanos, &long(-1), PrimitiveType::Timestamptz).is_err());
    let millis = r#"{"type":"long","logicalType":"timestamp-millis"}"#;
    assert!(one(millis, &long(1), PrimitiveType::Timestamp).is_err());
    let day = one(r#""int""#, &long(-1), PrimitiveType::Date).unwrap();
    assert_eq!(day.data_type(), &arrow_schema::DataType::Date32);
}

#[test]
fn types_that_do_not_fit_are_an_error_that_names_the_field() {
    let wrong = [
        (r#""string""#, PrimitiveType::Long),
        (r#""double""#, PrimitiveType::Float),
        (r#""boolean""#, PrimitiveType::Int),
    ];
    for (avro_type, wanted) in wrong {
        let error = one(avro_type, &[0; 8], wanted).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("field: 1: v"), "{error}");
    }
    let error = one(r#"["null","long","string"]"#, &[0], PrimitiveType::Long).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn null_may_be_the_second_branch_or_the_only_type() {
    for (avro_type, data) in [(r#"["long","null"]"#, 2), (r#"["null"]"#, 0)] {
        let array = one(avro_type, &[data], PrimitiveType::Long).unwrap();
        assert_eq!(array.null_count(), 1, "{avro_type}");
    }
    let array = one(r#"["long","null"]"#, &[0, 10], PrimitiveType::Long).unwrap();
    assert_eq!(array.as_primitive::<Int64Type>().value(0), 5);
    let array = one(r#"["long"]"#, &[0, 10], PrimitiveType::Long).unwrap();
    assert_eq!(array.as_primitive::<Int64Type>().value(0), 5);
}

#[test]
fn an_enum_reads_as_its_symbols() {
    let symbols = r#"{"type":"enum","name":"e","symbols":["A","B"]}"#;
    assert_eq!(one(symbols, &[2], PrimitiveType::String).unwrap().as_string::<i32>().value(0), "B");
    assert!(one(symbols, &[4], PrimitiveType::String).unwrap_err().message().contains("one of 2 symbols"));
}
