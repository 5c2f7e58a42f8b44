//! The rules of shredding, one by one.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, Time64MicrosecondBuilder};
use arrow_array::types::{Int8Type, Int16Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array,
    Int32Array, Int64Array, ListArray, PrimitiveArray, StringArray, StructArray, TimestampMicrosecondArray,
    TimestampNanosecondArray, UInt32Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};

use super::model::{Names, Tree, encode, normal};
use super::{null, number, object, read, target, text};
use crate::ErrorKind;
use crate::variant::Layout;

/// A group of nullable columns.
fn group(columns: Vec<(&str, ArrayRef)>, nulls: Option<Vec<bool>>) -> StructArray {
    let fields = columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true));
    let fields = fields.collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    StructArray::new(fields, arrays, nulls.map(NullBuffer::from))
}

fn names() -> Names {
    Names(["a", "b", "c"].map(str::to_owned).to_vec())
}

fn metadata(rows: usize) -> ArrayRef {
    Arc::new(BinaryArray::from_iter_values(vec![names().encode(1); rows]))
}

fn bytes(values: &[Option<Tree>]) -> ArrayRef {
    let encoded = values.iter().map(|value| value.as_ref().map(|tree| encode(tree, &names(), 0)));
    Arc::new(encoded.collect::<BinaryArray>())
}

fn array<T: Array + 'static>(array: T) -> ArrayRef {
    Arc::new(array)
}

/// What is said of a group that breaks a rule.
fn refused(group: &StructArray) -> String {
    let error = read(group).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
    error.to_string()
}

/// A variant whose only column of values is `typed_value`.
fn typed(values: ArrayRef) -> Vec<Option<Tree>> {
    read(&group(vec![("metadata", metadata(values.len())), ("typed_value", values)], None)).unwrap()
}

#[test]
fn values_that_are_not_shredded_are_shared() {
    let (metadata, value) = (metadata(2), bytes(&[Some(number(1)), None]));
    let stored = group(vec![("value", Arc::clone(&value)), ("metadata", metadata)], Some(vec![true, false]));
    let read = Layout::new(stored.fields()).unwrap().read(&stored, &target()).unwrap();
    assert_eq!(read.column(1).to_data().buffers()[1].as_ptr(), value.to_data().buffers()[1].as_ptr());
    assert_eq!(super::read(&stored).unwrap(), [Some(number(1)), None]);
}

#[test]
fn values_that_are_not_shredded_are_opaque() {
    let value: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"\xff".as_slice()]));
    let metadata: ArrayRef = Arc::new(BinaryArray::from_iter_values([b"no".as_slice()]));
    let stored = group(vec![("metadata", metadata), ("value", value)], None);
    let read = Layout::new(stored.fields()).unwrap().read(&stored, &target()).unwrap();
    assert_eq!(read.columns(), stored.columns());
}

#[test]
fn a_missing_value_at_the_top_is_the_null_of_variant() {
    let value = bytes(&[None, Some(number(7))]);
    let unshredded = group(vec![("metadata", metadata(2)), ("value", Arc::clone(&value))], None);
    assert_eq!(read(&unshredded).unwrap(), [Some(null()), Some(number(7))]);
    let typed = Arc::new(Int64Array::from(vec![None, None]));
    let shredded = group(vec![("metadata", metadata(2)), ("value", value), ("typed_value", typed)], None);
    assert_eq!(read(&shredded).unwrap(), [Some(null()), Some(number(7))]);
}

#[test]
fn a_value_is_of_the_shredded_type_or_in_value() {
    let value = bytes(&[None, Some(null()), Some(text("n/a")), None]);
    let typed = Arc::new(Int64Array::from(vec![Some(34), None, None, Some(100)]));
    let stored = group(vec![("typed_value", typed), ("metadata", metadata(4)), ("value", value)], None);
    let expected = [number(34), null(), text("n/a"), number(100)];
    assert_eq!(read(&stored).unwrap(), expected.map(Some));
}

#[test]
fn every_primitive_type_is_the_type_of_its_column() {
    let eight = |kind: u8, value: i64| Some(Tree::Primitive(kind, value.to_le_bytes().to_vec()));
    let plain = |kind: u8, bytes: &[u8]| Some(Tree::Primitive(kind, bytes.to_vec()));
    let mut uuids = FixedSizeBinaryBuilder::new(16);
    uuids.append_value([9; 16]).unwrap();
    let mut times = Time64MicrosecondBuilder::new();
    times.append_value(5);
    let decimal = |value: i128, precision, scale| {
        array(Decimal128Array::from(vec![value]).with_precision_and_scale(precision, scale).unwrap())
    };
    let long = "x".repeat(64);
    let cases = [
        (array(BooleanArray::from(vec![true])), plain(1, &[])),
        (array(BooleanArray::from(vec![false])), plain(2, &[])),
        (array(PrimitiveArray::<Int8Type>::from(vec![-5])), Some(number(-5))),
        (array(PrimitiveArray::<Int16Type>::from(vec![-300])), Some(number(-300))),
        (array(Int32Array::from(vec![i32::MIN])), Some(number(i64::from(i32::MIN)))),
        (array(Int64Array::from(vec![i64::MAX])), Some(number(i64::MAX))),
        (array(Float32Array::from(vec![1.5])), plain(14, &1.5_f32.to_le_bytes())),
        (array(Float64Array::from(vec![-0.1])), plain(7, &(-0.1_f64).to_le_bytes())),
        (decimal(-1_234, 9, 2), Some(normal(-1_234, 2))),
        (decimal(123_456_789_012, 18, 3), Some(normal(123_456_789_012, 3))),
        (decimal(-10_i128.pow(37), 38, 10), Some(normal(-10_i128.pow(37), 10))),
        (array(Date32Array::from(vec![-1])), plain(11, &(-1_i32).to_le_bytes())),
        (array(times.finish()), eight(17, 5)),
        (array(TimestampMicrosecondArray::from(vec![-1]).with_timezone("UTC")), eight(12, -1)),
        (array(TimestampMicrosecondArray::from(vec![-2])), eight(13, -2)),
        (array(TimestampNanosecondArray::from(vec![-3]).with_timezone("UTC")), eight(18, -3)),
        (array(TimestampNanosecondArray::from(vec![-4])), eight(19, -4)),
        (array(BinaryArray::from_vec(vec![b"ab"])), plain(15, &[2, 0, 0, 0, b'a', b'b'])),
        (array(StringArray::from(vec!["é"])), Some(text("é"))),
        (array(StringArray::from(vec![long.as_str()])), Some(text(&long))),
        (array(uuids.finish()), plain(20, &[9; 16])),
    ];
    for (column, expected) in cases {
        let of = column.data_type().clone();
        assert_eq!(typed(column), [expected], "{of}");
    }
}

#[test]
fn numbers_keep_the_width_of_their_column() {
    let int: ArrayRef = Arc::new(PrimitiveArray::<Int8Type>::from(vec![-5]));
    let stored = group(vec![("metadata", metadata(1)), ("typed_value", int)], None);
    let read = Layout::new(stored.fields()).unwrap().read(&stored, &target()).unwrap();
    let expected: ArrayRef = Arc::new(BinaryArray::from_iter_values([[3_u8 << 2, 251]]));
    assert_eq!(read.column(1), &expected);
}

#[test]
fn other_types_are_refused() {
    let fixed: ArrayRef =
        Arc::new(arrow_array::FixedSizeBinaryArray::try_from_iter([[0; 4]].iter()).unwrap());
    let unsigned: ArrayRef = Arc::new(UInt32Array::from(vec![1]));
    for column in [fixed, unsigned] {
        let said = refused(&group(vec![("metadata", metadata(1)), ("typed_value", column)], None));
        assert!(said.contains("cannot be shredded as"), "{said}");
    }
}

/// `[1, "x"], [], 5, [null, missing]`, elements shredded as int.
fn arrays(conflict: bool) -> StructArray {
    let elements = bytes(&[None, Some(text("x")), Some(null()), None]);
    let ints = Int32Array::from(vec![Some(1), conflict.then_some(2), None, None]);
    let elements = group(vec![("value", elements), ("typed_value", Arc::new(ints))], None);
    let field = Arc::new(Field::new("element", elements.data_type().clone(), false));
    let offsets = OffsetBuffer::from_lengths([2, 0, 0, 2]);
    let nulls = NullBuffer::from(vec![true, true, false, true]);
    let lists = ListArray::new(field, offsets, Arc::new(elements), Some(nulls));
    let value = bytes(&[None, None, Some(number(5)), None]);
    group(vec![("metadata", metadata(4)), ("value", value), ("typed_value", Arc::new(lists))], None)
}

#[test]
fn an_array_is_of_its_elements_and_a_missing_one_is_null() {
    let expected = [
        Tree::Array(vec![number(1), text("x")]),
        Tree::Array(Vec::new()),
        number(5),
        Tree::Array(vec![null(), null()]),
    ];
    assert_eq!(read(&arrays(false)).unwrap(), expected.map(Some));
}

#[test]
fn a_value_beside_a_typed_value_is_refused_but_for_objects() {
    let both = || bytes(&[Some(number(1))]);
    let int: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let primitive = group(vec![("metadata", metadata(1)), ("value", both()), ("typed_value", int)], None);
    for stored in [primitive, arrays(true)] {
        let said = refused(&stored);
        assert!(said.contains("both as \"value\" and as \"typed_value\""), "{said}");
    }
}

/// One row: an object whose field `b` is shredded as int.
fn of_field(rest: Option<Tree>, value: Option<Tree>, typed: Option<i32>) -> StructArray {
    let columns = vec![("value", bytes(&[value])), ("typed_value", array(Int32Array::from(vec![typed])))];
    objects(rest, group(columns, None), true)
}

fn objects(rest: Option<Tree>, field: StructArray, has_object: bool) -> StructArray {
    let object = group(vec![("b", Arc::new(field))], Some(vec![has_object]));
    group(vec![("metadata", metadata(1)), ("value", bytes(&[rest])), ("typed_value", Arc::new(object))], None)
}

fn one(group: &StructArray) -> Tree {
    read(group).unwrap().remove(0).unwrap()
}

#[test]
fn a_shredded_field_is_typed_or_a_value_or_missing() {
    assert_eq!(one(&of_field(None, None, Some(3))), object(&[("b", number(3))]));
    assert_eq!(one(&of_field(None, Some(text("x")), None)), object(&[("b", text("x"))]));
    assert_eq!(one(&of_field(None, Some(null()), None)), object(&[("b", null())]));
    assert_eq!(one(&of_field(None, None, None)), object(&[]));
}

#[test]
fn fields_without_columns_are_united_with_those_that_have_some() {
    let rest = object(&[("a", text("x")), ("c", Tree::Array(vec![null()]))]);
    let expected = object(&[("a", text("x")), ("b", number(3)), ("c", Tree::Array(vec![null()]))]);
    assert_eq!(one(&of_field(Some(rest), None, Some(3))), expected);
    assert_eq!(one(&of_field(Some(object(&[])), None, Some(3))), object(&[("b", number(3))]));
}

#[test]
fn a_field_that_is_shredded_and_in_the_value_is_refused() {
    for (value, typed) in [(None, Some(3)), (Some(null()), None), (None, None)] {
        let said = refused(&of_field(Some(object(&[("b", null())])), value, typed));
        assert!(said.contains("\"b\", which has columns of its own"), "{said}");
    }
}

#[test]
fn an_object_with_a_field_twice_is_refused() {
    // Two ids of one name, as a dictionary that is not sorted may have them.
    let twice: ArrayRef =
        Arc::new(BinaryArray::from_iter_values([Names(vec!["a".into(), "a".into()]).encode(1)]));
    let rest: ArrayRef = Arc::new(BinaryArray::from_iter_values([[2, 2, 0, 1, 0, 1, 2, 0, 0]]));
    let object = group(vec![("z", array(group(vec![("value", bytes(&[None]))], None)))], None);
    let said =
        refused(&group(vec![("metadata", twice), ("value", rest), ("typed_value", array(object))], None));
    assert!(said.contains("the field \"a\" twice"), "{said}");
}

#[test]
fn a_field_in_both_its_columns_is_refused() {
    let said = refused(&of_field(None, Some(null()), Some(3)));
    assert!(said.contains("both as"), "{said}");
}

#[test]
fn a_value_that_is_no_object_beside_shredded_fields_is_refused() {
    for typed in [Some(3), None] {
        let said = refused(&of_field(Some(text("a")), None, typed));
        assert!(said.contains("\"value\" that is not an object"), "{said}");
    }
}

#[test]
fn what_is_no_object_has_no_typed_value() {
    let field = || group(vec![("value", bytes(&[None]))], None);
    assert_eq!(one(&objects(Some(text("malformed")), field(), false)), text("malformed"));
    assert_eq!(one(&objects(None, field(), false)), null());
}

#[test]
fn a_group_of_a_field_that_is_null_is_a_missing_field() {
    let int: ArrayRef = Arc::new(Int32Array::from(vec![3]));
    let absent = group(vec![("typed_value", int)], Some(vec![false]));
    assert_eq!(one(&objects(None, absent, true)), object(&[]));
}

#[test]
fn a_shredded_name_that_the_metadata_lacks_is_refused() {
    let field = group(vec![("value", bytes(&[Some(null())]))], None);
    let object = group(vec![("unheard", Arc::new(field))], None);
    let said = refused(&group(vec![("metadata", metadata(1)), ("typed_value", Arc::new(object))], None));
    assert!(said.contains("\"unheard\" is not among the names"), "{said}");
}

#[test]
fn rows_may_have_metadata_of_their_own() {
    let (one, other) = (Names(vec!["b".into()]), Names(vec!["z".into(), "a".into(), "b".into()]));
    let metadata = BinaryArray::from_iter_values([one.encode(1), other.encode(2), one.encode(1)]);
    let rest = encode(&Tree::Object(BTreeMap::from([("a".into(), null())])), &other, 0);
    let value = BinaryArray::from_iter([None, Some(rest), None]);
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let fields = group(vec![("b", Arc::new(group(vec![("typed_value", ints)], None)))], None);
    let stored = group(
        vec![("metadata", Arc::new(metadata)), ("value", Arc::new(value)), ("typed_value", Arc::new(fields))],
        None,
    );
    let expected = [
        object(&[("b", number(1))]),
        object(&[("a", null()), ("b", number(2))]),
        object(&[("b", number(3))]),
    ];
    assert_eq!(read(&stored).unwrap(), expected.map(Some));
}

#[test]
fn an_object_of_many_fields_is_a_large_one() {
    let names = Names((0..300).map(|number| format!("k{number:03}")).collect());
    let columns: Vec<(&str, ArrayRef)> = names
        .0
        .iter()
        .map(|name| {
            let ints: ArrayRef = Arc::new(Int32Array::from(vec![1]));
            (name.as_str(), Arc::new(group(vec![("typed_value", ints)], None)) as ArrayRef)
        })
        .collect();
    let metadata: ArrayRef = Arc::new(BinaryArray::from_iter_values([names.encode(2)]));
    let stored = group(vec![("metadata", metadata), ("typed_value", Arc::new(group(columns, None)))], None);
    let expected = names.0.iter().map(|name| (name.clone(), number(1))).collect();
    assert_eq!(one(&stored), Tree::Object(expected));
}

#[test]
fn groups_that_are_no_variant_are_refused() {
    let value = || bytes(&[Some(null())]);
    let cases = [
        (vec![("value", value())], "no column \"metadata\""),
        (vec![("metadata", metadata(1))], "neither \"value\" nor \"typed_value\""),
        (vec![("metadata", metadata(1)), ("value", value()), ("more", value())], "\"more\" too many"),
        (
            vec![("metadata", array(Int32Array::from(vec![1]))), ("value", value())],
            "is Int32, expected bytes",
        ),
    ];
    for (columns, expected) in cases {
        let said = refused(&group(columns, None));
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn columns_that_nest_too_deep_are_refused() {
    let mut nested = DataType::Int32;
    for _ in 0..200 {
        let group = DataType::Struct(vec![Field::new("typed_value", nested, true)].into());
        nested = DataType::Struct(vec![Field::new("a", group, false)].into());
    }
    let fields =
        vec![Field::new("metadata", DataType::Binary, false), Field::new("typed_value", nested, true)];
    let error = Layout::new(&fields.into()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
}
