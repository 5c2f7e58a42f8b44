use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Time64NanosecondType, TimestampMicrosecondType};
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, FixedSizeBinaryArray, Int64Array, RecordBatch, StringArray,
    StructArray, Time64MicrosecondArray,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field as ArrowField};
use proptest::prelude::*;
use serde_json::json;

use crate::arrow_values::{from_array, values_to_array};
use crate::engine_schema::SparkSchema;
use crate::error::{Error, ErrorKind};
use crate::schema::arrow::{schema_to_arrow, type_to_arrow};
use crate::schema::json::schema_from_json;
use crate::schema::{Field, PrimitiveType, Schema, Type};
use crate::value::tests::strategies::typed_value;
use crate::value::{Value, format_uuid};

const TRUNCATING: SparkSchema = SparkSchema { truncate_nanoseconds: true };

/// A column in the table's form.
fn batch(schema: &Schema, columns: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(Arc::new(schema_to_arrow(schema).unwrap()), columns).unwrap()
}

/// The batch as Spark takes it.
fn formed(schema: &Schema, rows: &RecordBatch) -> Result<RecordBatch, Error> {
    SparkSchema::batch(rows, &Arc::new(TRUNCATING.schema(schema).unwrap()))
}

fn column(field_type: &Type) -> Schema {
    Schema::new(0, vec![Field::optional(1, "x", field_type.clone())]).unwrap()
}

fn values(field_type: &Type, rows: &[Option<&Value>]) -> RecordBatch {
    batch(&column(field_type), vec![values_to_array(rows, field_type).unwrap()])
}

/// A value of a column for Spark. Its times count nanoseconds, which no table's do.
fn read(column: &ArrayRef, row: usize, field_type: &Type) -> Option<Value> {
    let column = arrow_cast::cast(column, &type_to_arrow(field_type).unwrap()).unwrap();
    from_array(&column, row, field_type).unwrap()
}

#[test]
fn uuids_are_lower_case_text_with_hyphens() {
    let uuid = *b"\xF7\x9c\x3e\x09\x67\x7c\x4b\xbd\xa4\x79\x3f\x34\x9c\xb7\x85\xe7";
    let uuids = Type::Primitive(PrimitiveType::Uuid);
    let rows = values(&uuids, &[None, Some(&Value::Uuid(uuid)), Some(&Value::Uuid([0; 16]))]);
    let text = formed(&column(&uuids), &rows).unwrap();
    let text: &StringArray = text.column(0).as_string();
    let expected =
        [None, Some("f79c3e09-677c-4bbd-a479-3f349cb785e7"), Some("00000000-0000-0000-0000-000000000000")];
    assert_eq!(text.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn bytes_of_one_length_are_shared() {
    let fixed = Type::Primitive(PrimitiveType::Fixed(3));
    let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some(b"abc"), Some(b"def"), None, Some(b"xyz")].into_iter(),
        3,
    )
    .unwrap();
    let rows = batch(&column(&fixed), vec![Arc::new(array)]).slice(1, 3);
    let binary = formed(&column(&fixed), &rows).unwrap();
    let binary = binary.column(0).as_binary::<i32>();
    assert_eq!(binary.iter().collect::<Vec<_>>(), [Some(&b"def"[..]), None, Some(b"xyz")]);
    assert_eq!(binary.values().as_ptr(), rows.column(0).as_fixed_size_binary().values().as_ptr());
}

#[test]
fn no_bytes_at_all_are_bytes() {
    let empty = Type::Primitive(PrimitiveType::Fixed(0));
    let rows = values(&empty, &[Some(&Value::Fixed(Vec::new())), None]);
    let binary = formed(&column(&empty), &rows).unwrap();
    assert_eq!(binary.column(0).as_binary::<i32>().iter().collect::<Vec<_>>(), [Some(&b""[..]), None]);
    let none = formed(&column(&empty), &rows.slice(0, 0)).unwrap();
    assert_eq!(none.num_rows(), 0);
}

#[test]
fn columns_whose_type_stays_are_shared() {
    let schema = Schema::new(
        0,
        vec![Field::required(1, "a", PrimitiveType::Long), Field::optional(2, "b", PrimitiveType::String)],
    )
    .unwrap();
    let columns: Vec<ArrayRef> =
        vec![Arc::new(Int64Array::from(vec![1])), Arc::new(StringArray::from(vec!["x"]))];
    let rows = formed(&schema, &batch(&schema, columns.clone())).unwrap();
    for (before, after) in columns.iter().zip(rows.columns()) {
        assert!(Arc::ptr_eq(before, after));
    }
    assert!(!rows.schema().field(0).is_nullable());
}

#[test]
fn timestamps_before_1970_are_in_the_microsecond_below() {
    for primitive in [PrimitiveType::TimestampNs, PrimitiveType::TimestamptzNs] {
        let value = |nanos| match primitive {
            PrimitiveType::TimestampNs => Value::TimestampNs(nanos),
            _ => Value::TimestamptzNs(nanos),
        };
        let rows = [value(-1), value(-1000), value(-1001), value(999), value(i64::MIN)];
        let rows: Vec<_> = rows.iter().map(Some).chain([None]).collect();
        let field_type = Type::Primitive(primitive.clone());
        let micros = formed(&column(&field_type), &values(&field_type, &rows)).unwrap();
        let micros = micros.column(0).as_primitive::<TimestampMicrosecondType>();
        let found: Vec<_> = micros.iter().collect();
        assert_eq!(found, [Some(-1), Some(-1), Some(-2), Some(0), Some(-9_223_372_036_854_776), None]);
    }
}

#[test]
fn a_time_that_is_none_is_an_error_unless_its_row_is_null() {
    let times = Type::Primitive(PrimitiveType::Time);
    for damaged in [-1, 86_400_000_000, i64::MAX] {
        let array = Time64MicrosecondArray::from(vec![0, damaged]);
        let error = formed(&column(&times), &batch(&column(&times), vec![Arc::new(array)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(error.context(), [("column", "x".to_owned())]);
    }
    let nulls = NullBuffer::from(vec![true, false]);
    let array = Time64MicrosecondArray::new(vec![86_399_999_999, -5].into(), Some(nulls));
    let nanos = formed(&column(&times), &batch(&column(&times), vec![Arc::new(array)])).unwrap();
    let nanos: Vec<_> = nanos.column(0).as_primitive::<Time64NanosecondType>().iter().collect();
    assert_eq!(nanos, [Some(86_399_999_999_000), None]);
}

#[test]
fn batches_without_columns_keep_their_rows() {
    let schema = Schema::new(0, Vec::new()).unwrap();
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(3));
    let empty = Arc::new(schema_to_arrow(&schema).unwrap());
    let rows = RecordBatch::try_new_with_options(empty, Vec::new(), &options).unwrap();
    assert_eq!(formed(&schema, &rows).unwrap().num_rows(), 3);
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let ints = Type::Primitive(PrimitiveType::Int);
    let rows = values(&ints, &[Some(&Value::Int(1))]);
    let error = formed(&column(&PrimitiveType::Long.into()), &rows).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    let none = Schema::new(0, Vec::new()).unwrap();
    assert_eq!(formed(&none, &rows).unwrap_err().kind(), ErrorKind::Internal);
}

/// `map<uuid, list<struct<time, fixed[2], unknown>>>`.
fn nested() -> Schema {
    schema_from_json(&json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "m", "required": false, "type": {
            "type": "map", "key-id": 2, "key": "uuid", "value-id": 3, "value-required": false, "value": {
                "type": "list", "element-id": 4, "element-required": false, "element": {
                    "type": "struct", "fields": [
                        {"id": 5, "name": "t", "required": true, "type": "time"},
                        {"id": 6, "name": "f", "required": false, "type": "fixed[2]"},
                        {"id": 7, "name": "u", "required": false, "type": "unknown"}
                    ]
                }
            }
        }}
    ]}))
    .unwrap()
}

#[test]
fn nested_rows_nulls_and_slices_keep_their_place() {
    let schema = nested();
    let map_type = &schema.fields()[0].field_type;
    let row = |number: u8| {
        let fields = [Some(Value::Time(i64::from(number))), Some(Value::Fixed(vec![number, 0])), None];
        let element = Value::Struct((5..).zip(fields).collect());
        let list = Value::List(vec![Some(element), None]);
        Value::Map(vec![(Value::Uuid([number; 16]), Some(list)), (Value::Uuid([255; 16]), None)])
    };
    let (first, last) = (row(1), row(2));
    let rows = [Some(&first), None, Some(&last)];
    let whole = batch(&schema, vec![values_to_array(&rows, map_type).unwrap()]);
    let spark = schema_of_values();
    for (from, length) in [(0, 3), (1, 2), (2, 1), (1, 0)] {
        let part = formed(&schema, &whole.slice(from, length)).unwrap();
        assert_eq!(part.schema().as_ref(), &TRUNCATING.schema(&schema).unwrap());
        for number in 0..length {
            let found = read(part.column(0), number, &spark);
            assert_eq!(found, rows[from + number].map(text_form), "{from} {number}");
        }
    }
}

/// The type as which the values of `nested` come out.
fn schema_of_values() -> Type {
    let text = json!({"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "m", "required": false, "type": {
            "type": "map", "key-id": 2, "key": "string", "value-id": 3, "value-required": false, "value": {
                "type": "list", "element-id": 4, "element-required": false, "element": {
                    "type": "struct", "fields": [
                        {"id": 5, "name": "t", "required": true, "type": "time"},
                        {"id": 6, "name": "f", "required": false, "type": "binary"},
                        {"id": 7, "name": "u", "required": false, "type": "unknown"}
                    ]
                }
            }
        }}
    ]});
    schema_from_json(&text).unwrap().fields()[0].field_type.clone()
}

/// A value with UUIDs as text and bytes of any length.
fn text_form(value: &Value) -> Value {
    let optional = |value: &Option<Value>| value.as_ref().map(text_form);
    let field = |(id, value): &(i32, Option<Value>)| (*id, optional(value));
    match value {
        Value::Uuid(bytes) => Value::String(format_uuid(bytes)),
        Value::Fixed(bytes) => Value::Binary(bytes.clone()),
        Value::Struct(fields) => Value::Struct(fields.iter().map(field).collect()),
        Value::List(elements) => Value::List(elements.iter().map(optional).collect()),
        Value::Map(pairs) => {
            Value::Map(pairs.iter().map(|(key, value)| (text_form(key), optional(value))).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn every_value_keeps_its_meaning((primitive, value) in typed_value(), null_first in any::<bool>()) {
        let field_type = Type::Primitive(primitive.clone());
        let rows = if null_first { vec![None, Some(&value)] } else { vec![Some(&value), None] };
        let spark = formed(&column(&field_type), &values(&field_type, &rows)).unwrap();
        let (spark_type, expected) = match (primitive, &value) {
            (PrimitiveType::Uuid, _) => (PrimitiveType::String, text_form(&value)),
            (PrimitiveType::Fixed(_), _) => (PrimitiveType::Binary, text_form(&value)),
            (PrimitiveType::TimestampNs, Value::TimestampNs(nanos)) => {
                (PrimitiveType::Timestamp, Value::Timestamp(nanos.div_euclid(1000)))
            }
            (PrimitiveType::TimestamptzNs, Value::TimestamptzNs(nanos)) => {
                (PrimitiveType::Timestamptz, Value::Timestamptz(nanos.div_euclid(1000)))
            }
            (other, _) => (other, value.clone()),
        };
        let spark_type = Type::Primitive(spark_type);
        for (row, expected) in rows.iter().map(|row| row.map(|_| expected.clone())).enumerate() {
            prop_assert_eq!(read(spark.column(0), row, &spark_type), expected);
        }
    }
}

#[test]
fn variants_have_the_order_and_the_mark_of_spark_and_share_their_bytes() {
    let of_variants = column(&Type::Variant);
    let part = |name: &str, bytes: &'static [u8]| {
        let field = Arc::new(ArrowField::new(name, DataType::Binary, false));
        (field, Arc::new(BinaryArray::from_iter_values([bytes; 2])) as ArrayRef)
    };
    let (fields, columns): (Vec<_>, Vec<_>) =
        [part("metadata", b"\x01\x00\x00"), part("value", b"\x00")].into_iter().unzip();
    let nulls = NullBuffer::from(vec![true, false]);
    let stored = StructArray::new(fields.into(), columns, Some(nulls));
    let formed = formed(&of_variants, &batch(&of_variants, vec![Arc::new(stored.clone())])).unwrap();
    let found = formed.column(0).as_struct();
    let inner: Vec<_> =
        found.fields().iter().map(|field| (field.name().as_str(), field.is_nullable())).collect();
    assert_eq!(inner, [("value", false), ("metadata", false)]);
    assert_eq!(found.fields()[1].metadata().get("variant").map(AsRef::as_ref), Some("true"));
    assert!(found.fields()[0].metadata().is_empty());
    assert_eq!((found.column(0), found.column(1)), (stored.column(1), stored.column(0)));
    assert_eq!(found.nulls(), stored.nulls());
}
