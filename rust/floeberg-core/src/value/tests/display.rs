use crate::value::{Value, parse_hex, parse_uuid};

#[test]
fn values_are_written_as_sql_literals() {
    for (value, text) in [
        (Value::Boolean(true), "true"),
        (Value::Int(-5), "-5"),
        (Value::Double(1.0), "1.0"),
        (Value::Float(0.1), "0.1"),
        (Value::Double(f64::NEG_INFINITY), "'-Infinity'"),
        (Value::Decimal { unscaled: -5, scale: 2 }, "-0.05"),
        (Value::Date(18_262), "DATE '2020-01-01'"),
        (Value::Time(1), "TIME '00:00:00.000001'"),
        (Value::Timestamp(-1), "TIMESTAMP '1969-12-31T23:59:59.999999'"),
        (Value::Timestamptz(0), "TIMESTAMPTZ '1970-01-01T00:00:00+00:00'"),
        (Value::TimestampNs(1), "TIMESTAMP_NS '1970-01-01T00:00:00.000000001'"),
        (Value::String("it's".into()), "'it''s'"),
        (
            Value::Uuid(parse_uuid("F79C3E09-677c-4bbd-a479-3f349cb785e7").unwrap()),
            "UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7'",
        ),
        (Value::Fixed(parse_hex("00fF").unwrap()), "X'00ff'"),
        (Value::List(vec![Some(Value::Int(1)), None]), "[1, NULL]"),
        (Value::Struct(vec![(3, Some(Value::Int(1))), (4, None)]), "{3: 1, 4: NULL}"),
        (Value::Map(vec![(Value::String("a".into()), None)]), "{'a': NULL}"),
    ] {
        assert_eq!(value.to_string(), text);
    }
}

#[test]
fn malformed_hex_and_uuids_are_errors() {
    for text in ["0", "0g", "é", "+1"] {
        assert!(parse_hex(text).is_err(), "{text}");
    }
    for text in ["f79c3e09677c4bbda4793f349cb785e7", "f79c3e09-677c-4bbd-a479-3f349cb785eg", ""] {
        assert!(parse_uuid(text).is_err(), "{text}");
    }
}
