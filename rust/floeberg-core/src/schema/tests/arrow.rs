use std::collections::BTreeMap;

use arrow_schema::DataType;
use serde_json::json;

use crate::error::ErrorKind;
use crate::schema::arrow::{field_id, field_to_arrow, schema_to_arrow};
use crate::schema::json::schema_from_json;
use crate::schema::{Field, Schema, Type};

fn arrow(name: &str) -> arrow_schema::Field {
    field_to_arrow(&Field::optional(7, "x", name.parse::<Type>().unwrap())).unwrap()
}

#[test]
fn every_primitive_type_has_one_arrow_form() {
    for (name, expected) in [
        ("boolean", "Boolean"),
        ("int", "Int32"),
        ("long", "Int64"),
        ("float", "Float32"),
        ("double", "Float64"),
        ("decimal(9,2)", "Decimal128(9, 2)"),
        ("date", "Date32"),
        ("time", "Time64(µs)"),
        ("timestamp", "Timestamp(µs)"),
        ("timestamptz", "Timestamp(µs, \"UTC\")"),
        ("timestamp_ns", "Timestamp(ns)"),
        ("timestamptz_ns", "Timestamp(ns, \"UTC\")"),
        ("string", "Utf8"),
        ("uuid", "FixedSizeBinary(16)"),
        ("fixed[3]", "FixedSizeBinary(3)"),
        ("binary", "Binary"),
        ("unknown", "Null"),
        ("geometry", "Binary"),
    ] {
        let field = arrow(name);
        assert_eq!(field.data_type().to_string(), expected, "{name}");
        assert_eq!(field_id(&field), Some(7));
    }
}

#[test]
fn extension_types_are_named_in_metadata() {
    let extension = |name: &str| {
        let field = arrow(name);
        let mut metadata: BTreeMap<_, _> =
            field.metadata().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        metadata.remove("PARQUET:field_id");
        metadata.into_iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(extension("uuid"), "ARROW:extension:name=arrow.uuid");
    assert_eq!(
        extension("geometry"),
        r#"ARROW:extension:metadata={"crs":"OGC:CRS84","crs_type":"authority_code"} ARROW:extension:name=geoarrow.wkb"#
    );
    assert_eq!(
        extension("geometry(EPSG:3857)"),
        r#"ARROW:extension:metadata={"crs":"EPSG:3857"} ARROW:extension:name=geoarrow.wkb"#
    );
    assert_eq!(
        extension("geography"),
        concat!(
            r#"ARROW:extension:metadata={"crs":"OGC:CRS84","crs_type":"authority_code","edges":"spherical"} "#,
            "ARROW:extension:name=geoarrow.wkb"
        )
    );
    assert_eq!(
        extension("geography(srid:4269, karney)"),
        r#"ARROW:extension:metadata={"crs":"4269","crs_type":"srid","edges":"karney"} ARROW:extension:name=geoarrow.wkb"#
    );
    assert_eq!(extension("variant"), "ARROW:extension:metadata= ARROW:extension:name=arrow.parquet.variant");
}

#[test]
fn ids_and_nullability_reach_every_level() {
    let schema = schema_from_json(&json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "m", "required": true, "type": {
            "type": "map", "key-id": 2, "key": "string", "value-id": 3, "value-required": false,
            "value": {"type": "list", "element-id": 4, "element-required": true, "element": {
                "type": "struct", "fields": [{"id": 5, "name": "a", "required": false, "type": "int"}]}}}},
    ]}))
    .unwrap();
    let arrow = schema_to_arrow(&schema).unwrap();
    let map = arrow.field(0);
    assert_eq!((field_id(map), map.is_nullable()), (Some(1), false));
    let DataType::Map(entries, false) = map.data_type() else { panic!("{map}") };
    assert_eq!((entries.name().as_str(), entries.is_nullable()), ("key_value", false));
    let DataType::Struct(entry) = entries.data_type() else { panic!("{entries}") };
    assert_eq!(
        (entry[0].name().as_str(), field_id(&entry[0]), entry[0].is_nullable()),
        ("key", Some(2), false)
    );
    assert_eq!(
        (entry[1].name().as_str(), field_id(&entry[1]), entry[1].is_nullable()),
        ("value", Some(3), true)
    );
    let DataType::List(element) = entry[1].data_type() else { panic!("{entry:?}") };
    assert_eq!(
        (element.name().as_str(), field_id(element), element.is_nullable()),
        ("element", Some(4), false)
    );
    let DataType::Struct(fields) = element.data_type() else { panic!("{element}") };
    assert_eq!((field_id(&fields[0]), fields[0].is_nullable()), (Some(5), true));
}

#[test]
fn a_type_that_is_not_known_is_an_error_that_names_the_column() {
    let schema =
        Schema::new(0, vec![Field::optional(1, "new", Type::Unrecognized("interval".into()))]).unwrap();
    let error = schema_to_arrow(&schema).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.context(), [("column", "new".to_owned())]);
}
