use std::sync::Arc;

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field as ArrowField, Fields, Metadata, Schema as ArrowSchema, TimeUnit};
use proptest::prelude::*;

use crate::error::ErrorKind;
use crate::schema::arrow::{schema_to_arrow, type_to_arrow};
use crate::schema::from_arrow::schema_from_arrow;
use crate::schema::{Field, Schema, Type};
use crate::value::tests::strategies::typed_value;

fn one(data_type: DataType) -> ArrowSchema {
    ArrowSchema::new(vec![ArrowField::new("x", data_type, true)])
}

fn type_of(data_type: DataType) -> String {
    schema_from_arrow(&one(data_type), 3).unwrap().fields()[0].field_type.to_string()
}

fn refusal(data_type: DataType, format_version: u8) -> String {
    let error = schema_from_arrow(&one(data_type), format_version).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    error.message().to_owned()
}

fn boxed(data_type: DataType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("item", data_type, true))
}

#[test]
fn every_arrow_type_has_the_type_that_holds_all_its_values() {
    let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values));
    let ends = Arc::new(ArrowField::new("run_ends", DataType::Int32, false));
    for (data_type, expected) in [
        (DataType::Null, "unknown"),
        (DataType::Boolean, "boolean"),
        (DataType::Int8, "int"),
        (DataType::UInt16, "int"),
        (DataType::UInt32, "long"),
        (DataType::Int64, "long"),
        (DataType::Float16, "float"),
        (DataType::Float64, "double"),
        (DataType::Decimal32(7, 2), "decimal(7,2)"),
        (DataType::Decimal256(38, 0), "decimal(38,0)"),
        (DataType::Date64, "date"),
        (DataType::Time32(TimeUnit::Second), "time"),
        (DataType::Timestamp(TimeUnit::Second, None), "timestamp"),
        (DataType::Timestamp(TimeUnit::Microsecond, Some("etc/utc".into())), "timestamptz"),
        (DataType::Timestamp(TimeUnit::Nanosecond, None), "timestamp_ns"),
        (DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into())), "timestamptz_ns"),
        (DataType::LargeUtf8, "string"),
        (DataType::Utf8View, "string"),
        (DataType::BinaryView, "binary"),
        (DataType::FixedSizeBinary(16), "fixed[16]"),
        (dictionary(DataType::LargeUtf8), "string"),
        (DataType::RunEndEncoded(ends, boxed(dictionary(DataType::Int64))), "long"),
        (DataType::LargeList(boxed(DataType::Int8)), "list<int>"),
        (DataType::FixedSizeList(boxed(DataType::Float32), 3), "list<float>"),
        (DataType::ListView(boxed(DataType::Utf8View)), "list<string>"),
    ] {
        assert_eq!(type_of(data_type.clone()), expected, "{data_type}");
    }
}

#[test]
fn what_no_type_holds_is_refused_with_the_way_out() {
    for (data_type, version, said) in [
        (DataType::UInt64, 3, "cast it to int64 or decimal128(20, 0)"),
        (DataType::Null, 2, "needs format version 3"),
        (
            DataType::Timestamp(TimeUnit::Nanosecond, None),
            2,
            "cast it to microseconds, or set format_version=3",
        ),
        (DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Rome".into())), 3, "cast it to UTC"),
        (DataType::Decimal256(39, 0), 3, "up to 38 digits"),
        (DataType::Decimal128(9, -2), 3, "a scale from 0"),
        (DataType::Duration(TimeUnit::Second), 3, "which no type of a table can hold"),
    ] {
        let message = refusal(data_type, version);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn one_error_names_every_column() {
    let inner = Fields::from(vec![ArrowField::new("b", DataType::UInt64, true)]);
    let schema = ArrowSchema::new(vec![
        ArrowField::new("a", DataType::Struct(inner), true),
        ArrowField::new("ok", DataType::Utf8, true),
        ArrowField::new("c", DataType::Null, true),
    ]);
    let error = schema_from_arrow(&schema, 1).unwrap_err();
    assert!(error.message().contains("\"a.b\"") && error.message().contains("\"c\""), "{error}");
    assert!(!error.message().contains("\"ok\""), "{error}");
}

#[test]
fn nesting_is_limited() {
    let deep = (0..200).fold(DataType::Int32, |inner, _| DataType::List(boxed(inner)));
    assert!(refusal(deep, 3).contains("more than 100 levels deep"));
}

#[test]
fn extensions_name_their_types() {
    let extension = |storage: DataType, name: &str, parameters: &str| {
        let metadata =
            Metadata::new().with(EXTENSION_TYPE_NAME_KEY, name).with(EXTENSION_TYPE_METADATA_KEY, parameters);
        let schema = ArrowSchema::new(vec![ArrowField::new("x", storage, true).with_metadata(metadata)]);
        schema_from_arrow(&schema, 3).map(|schema| schema.fields()[0].field_type.to_string())
    };
    let wkb = |parameters| extension(DataType::LargeBinary, "geoarrow.wkb", parameters);
    assert_eq!(extension(DataType::FixedSizeBinary(16), "arrow.uuid", "").unwrap(), "uuid");
    assert_eq!(extension(DataType::Utf8, "arrow.json", "").unwrap(), "string");
    assert_eq!(wkb("").unwrap(), "geometry(srid:0)");
    assert_eq!(wkb(r#"{"crs": "OGC:CRS84"}"#).unwrap(), "geometry");
    assert_eq!(
        wkb(r#"{"crs": "4269", "crs_type": "srid", "edges": "karney"}"#).unwrap(),
        "geography(srid:4269, karney)"
    );
    assert_eq!(
        wkb(r#"{"crs": {"id": {"authority": "EPSG", "code": 3857}}}"#).unwrap(),
        "geometry(EPSG:3857)"
    );
    assert!(wkb(r#"{"crs": {"type": "GeographicCRS"}}"#).unwrap_err().message().contains("without an id"));
    assert!(wkb("{").unwrap_err().message().contains("not JSON"));
    assert!(wkb(r#"{"crs": "OGC:CRS84", "edges": "wavy"}"#).unwrap_err().message().contains("edges"));
}

#[test]
fn ids_are_given_as_iceberg_java_does_and_comments_are_kept() {
    let point = Fields::from(vec![
        ArrowField::new("x", DataType::Float64, false),
        ArrowField::new("y", DataType::Float64, true),
    ]);
    let doc = Metadata::new().with("doc", "where");
    let entry = Fields::from(vec![
        ArrowField::new("keys", DataType::Utf8, true),
        ArrowField::new("values", DataType::Int32, true),
    ]);
    let entries = Arc::new(ArrowField::new("entries", DataType::Struct(entry), false));
    let schema = ArrowSchema::new(vec![
        ArrowField::new("p", DataType::Struct(point), false).with_metadata(doc),
        ArrowField::new("l", DataType::List(boxed(DataType::Int32)), true),
        ArrowField::new("m", DataType::Map(entries, false), true),
        ArrowField::new("z", DataType::Int32, true),
    ]);
    let schema = schema_from_arrow(&schema, 2).unwrap();
    let ids = ["p", "l", "m", "z", "p.x", "p.y", "l.element", "m.key", "m.value"]
        .map(|name| schema.find(name, true).unwrap());
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(schema.field(1).unwrap().doc.as_deref(), Some("where"));
    assert!(schema.field(1).unwrap().required && schema.field(8).unwrap().required);
    assert!(!schema.field(9).unwrap().required);
}

proptest! {
    #[test]
    fn the_arrow_form_of_a_table_is_read_as_its_types(columns in proptest::collection::vec((typed_value(), any::<bool>()), 1..8)) {
        let fields = columns.into_iter().zip(1..).map(|(((primitive, _), required), id)| {
            Field { required, ..Field::optional(id, format!("c{id}"), primitive) }
        });
        let schema = Schema::new(0, fields.collect()).unwrap();
        let read = schema_from_arrow(&schema_to_arrow(&schema).unwrap(), 3).unwrap();
        prop_assert_eq!(read, schema);
    }
}

#[test]
fn the_arrow_form_of_types_without_values_is_read_as_them() {
    for name in [
        "unknown",
        "variant",
        "geometry",
        "geometry(EPSG:3857)",
        "geography",
        "geography(srid:4326, vincenty)",
    ] {
        let field_type: Type = name.parse().unwrap();
        assert!(type_to_arrow(&field_type).is_ok());
        let schema = Schema::new(0, vec![Field::optional(1, "x", field_type)]).unwrap();
        let read = schema_from_arrow(&schema_to_arrow(&schema).unwrap(), 3).unwrap();
        assert_eq!(read, schema, "{name}");
    }
}
