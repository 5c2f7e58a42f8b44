use crate::error::ErrorKind;
use crate::schema::{PrimitiveType, Type};
use crate::transform::Transform;

#[test]
fn names_are_read_and_written() {
    for (text, transform) in [
        ("identity", Transform::Identity),
        ("bucket[16]", Transform::Bucket(16)),
        ("truncate[4]", Transform::Truncate(4)),
        ("year", Transform::Year),
        ("month", Transform::Month),
        ("day", Transform::Day),
        ("hour", Transform::Hour),
        ("void", Transform::Void),
    ] {
        assert_eq!(text.parse::<Transform>().unwrap(), transform);
        assert_eq!(transform.to_string(), text);
        assert_eq!(text.to_uppercase().parse::<Transform>().unwrap(), transform);
    }
}

#[test]
fn unknown_names_are_kept_as_written() {
    for text in
        ["bucketV2[4]", "Zorder", "bucket", "bucket[]", "bucket[x]", "bucket[-1]", "truncate[4", "days", ""]
    {
        let transform: Transform = text.parse().unwrap();
        assert_eq!(transform, Transform::Unknown(text.into()));
        assert_eq!(transform.to_string(), text);
    }
}

#[test]
fn parameters_outside_their_limits_are_invalid_data() {
    for text in ["bucket[0]", "truncate[0]", "bucket[2147483648]", "truncate[99999999999999999999]"] {
        assert_eq!(text.parse::<Transform>().unwrap_err().kind(), ErrorKind::InvalidData, "{text}");
    }
}

fn accepted(transform: &Transform) -> String {
    let names = [
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "decimal(9,2)",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "timestamp_ns",
        "timestamptz_ns",
        "string",
        "uuid",
        "fixed[4]",
        "binary",
        "geometry",
        "variant",
    ];
    let accepted = names.into_iter().filter(|name| transform.accepts(&name.parse::<Type>().unwrap()));
    accepted.collect::<Vec<_>>().join(" ")
}

#[test]
fn transforms_take_the_types_of_the_specification() {
    assert_eq!(
        accepted(&Transform::Bucket(4)),
        "int long decimal(9,2) date time timestamp timestamptz timestamp_ns timestamptz_ns string uuid fixed[4] binary"
    );
    assert_eq!(accepted(&Transform::Truncate(4)), "int long decimal(9,2) string binary");
    assert_eq!(accepted(&Transform::Year), "date timestamp timestamptz timestamp_ns timestamptz_ns");
    assert_eq!(accepted(&Transform::Hour), "timestamp timestamptz timestamp_ns timestamptz_ns");
    assert!(!accepted(&Transform::Identity).contains("geometry"));
    assert!(accepted(&Transform::Void).ends_with("variant"));
}

#[test]
fn results_have_the_types_of_the_specification() {
    let [date, long] = [PrimitiveType::Date, PrimitiveType::Long].map(Type::Primitive);
    assert_eq!(Transform::Day.result_type(&PrimitiveType::TimestampNs.into()).unwrap(), date);
    assert_eq!(Transform::Year.result_type(&date).unwrap(), PrimitiveType::Int.into());
    assert_eq!(Transform::Truncate(3).result_type(&long).unwrap(), long);
    assert_eq!(Transform::Void.result_type(&long).unwrap(), long);
    let unknown = Transform::Unknown("zorder".into());
    assert_eq!(unknown.result_type(&long).unwrap(), Type::Unrecognized("zorder".into()));
    assert_eq!(Transform::Hour.result_type(&date).unwrap_err().kind(), ErrorKind::InvalidData);
}
