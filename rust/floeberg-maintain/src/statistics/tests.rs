#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use arrow_array::ArrayRef;
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::schema::{Field, ListType, PrimitiveType as P, Schema, StructType, Type};
use floeberg_core::value::Value;
use floeberg_core::value::single_value::to_bytes;
use floeberg_core::{ErrorKind, Result};

use super::columns::chosen;
use super::sketch::{Finished, Sketch};
use super::values::each_value;

fn sketch(values: impl IntoIterator<Item = String>) -> Sketch {
    let mut sketch = Sketch::new().unwrap();
    values.into_iter().for_each(|value| sketch.add(value.as_bytes()));
    sketch
}

fn united(sketches: &[Sketch]) -> Finished {
    Sketch::united(sketches).unwrap()
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2).map(|start| &hex[start..start + 2]);
    pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect()
}

/// Bytes that the package `datasketches` 5.2 for Python gives for the same texts.
#[test]
fn sketches_are_those_of_data_sketches() {
    let texts = |texts: &[&str]| united(&[sketch(texts.iter().map(|text| (*text).to_owned()))]);
    // Of nothing, Java leaves the hash of the seed out, and Python does not.
    assert_eq!(texts(&[]).bytes, bytes_of("01030300001e0000"));
    assert_eq!(texts(&["a"]).bytes, bytes_of("01030300001acc9317c11d528507017b"));
    let some = texts(&["a", "iceberg", "a", "puffin, a bird of the sea"]);
    let expected = "02030300001acc93030000000000000019e1926a76422e0335e113f3ca1ffe2f17c11d528507017b";
    assert_eq!((some.bytes, some.distinct), (bytes_of(expected), 3));
    let many = united(&[sketch((0..20_000).map(|number| number.to_string()))]);
    assert_eq!((many.distinct, many.bytes.len()), (19_881, 24 + 4096 * 8));
    assert_eq!(crc32fast::hash(&many.bytes), 584_413_892);
}

#[test]
fn a_sketch_depends_on_the_values_alone() {
    let number = |number: u32| (number % 30_000).to_string();
    let whole = united(&[sketch((0..60_000).map(number))]);
    let backwards = united(&[sketch((0..60_000).rev().map(number))]);
    let parts: Vec<_> =
        (0..7).map(|part| sketch((0..60_000).filter(|each| each % 7 == part).map(number))).collect();
    assert_eq!(whole, backwards);
    assert_eq!(whole, united(&parts));
    assert_eq!(whole, united(&parts.into_iter().rev().collect::<Vec<_>>()));
    let exact = united(&[sketch((0..4096).map(number)), sketch((0..4096).map(number))]);
    assert_eq!(exact.distinct, 4096);
}

#[test]
fn values_are_single_values() {
    let decimal = |unscaled| Value::Decimal { unscaled, scale: 2 };
    let values: Vec<(P, Vec<Value>)> = vec![
        (P::Boolean, vec![Value::Boolean(true), Value::Boolean(false)]),
        (P::Int, vec![Value::Int(-1), Value::Int(34)]),
        (P::Long, vec![Value::Long(i64::MIN), Value::Long(34)]),
        (P::Float, vec![Value::Float(f32::NAN), Value::Float(-0.0), Value::Float(1.5)]),
        (P::Double, vec![Value::Double(f64::NAN), Value::Double(0.0), Value::Double(1.5)]),
        (
            P::Decimal { precision: 38, scale: 2 },
            vec![decimal(0), decimal(-129), decimal(128), decimal(i128::MAX / 2)],
        ),
        (P::Date, vec![Value::Date(-3)]),
        (P::Time, vec![Value::Time(3)]),
        (P::Timestamp, vec![Value::Timestamp(-3)]),
        (P::Timestamptz, vec![Value::Timestamptz(3)]),
        (P::TimestampNs, vec![Value::TimestampNs(3)]),
        (P::TimestamptzNs, vec![Value::TimestamptzNs(3)]),
        (P::String, vec![Value::String("é𝄞".to_owned()), Value::String(String::new())]),
        (P::Uuid, vec![Value::Uuid([7; 16])]),
        (P::Fixed(3), vec![Value::Fixed(vec![1, 2, 3])]),
        (P::Binary, vec![Value::Binary(vec![0, 255]), Value::Binary(Vec::new())]),
        (P::Unknown, vec![]),
    ];
    for (primitive, values) in values {
        let with_null: Vec<Option<&Value>> = [None].into_iter().chain(values.iter().map(Some)).collect();
        let array: ArrayRef = values_to_array(&with_null, &Type::Primitive(primitive.clone())).unwrap();
        let mut found: Vec<Vec<u8>> = Vec::new();
        each_value(&array, |bytes| found.push(bytes.to_vec())).unwrap();
        let expected = values.iter().map(to_bytes).collect::<Result<Vec<_>>>().unwrap();
        assert_eq!(found, expected, "{primitive}");
    }
    let list: ArrayRef = Arc::new(arrow_array::StructArray::new_empty_fields(1, None));
    assert_eq!(each_value(&list, |_| {}).unwrap_err().kind(), ErrorKind::Internal);
}

fn schema() -> Schema {
    let inside = StructType { fields: vec![Field::optional(4, "y", P::Double)] };
    let list = ListType { element: Field::optional(6, "element", P::Int) };
    let fields = vec![
        Field::required(1, "id", P::Long),
        Field::optional(2, "Name", P::String),
        Field::optional(3, "x", Type::Struct(inside)),
        Field::optional(5, "list", Type::List(Box::new(list))),
        Field::optional(7, "shape", P::Geometry { crs: None }),
    ];
    Schema::new(0, fields).unwrap()
}

#[test]
fn columns_are_those_of_primitive_types() {
    let names = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        chosen(&schema(), Some(&names))
            .map(|found| found.iter().map(|each| each.field_id).collect::<Vec<_>>())
    };
    let all: Vec<_> = chosen(&schema(), None).unwrap().into_iter().map(|each| each.name).collect();
    assert_eq!(all, ["id", "Name"]);
    assert_eq!(names(&["x.y", "id", "x.y"]).unwrap(), [4, 1]);
    for (wrong, said) in [
        (&[][..], "expected at least one column"),
        (&["nothing"], "nothing"),
        (&["NAME"], "NAME"),
        (&["x"], "of type struct"),
        (&["list"], "of type list"),
        (&["list.element"], "several values a row"),
    ] {
        let error = names(wrong).unwrap_err();
        assert!(error.message().contains(said), "{error}");
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{wrong:?}");
    }
    assert_eq!(names(&["shape"]).unwrap_err().kind(), ErrorKind::Unsupported);
    let nested_only = schema().select(&[4]).unwrap();
    assert_eq!(chosen(&nested_only, None).unwrap_err().kind(), ErrorKind::InvalidInput);
}
