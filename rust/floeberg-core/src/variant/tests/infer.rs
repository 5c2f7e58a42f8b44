//! What is inferred from the first rows of a file.

use std::sync::Arc;

use arrow_array::StructArray;
use arrow_schema::{DataType, Field, TimeUnit};

use super::model::{Names, Tree, normal};
use super::{inferred, null, number, object, of_bytes, text, whole};
use crate::ErrorKind;
use crate::variant::{Layout, Shape};

const NO_NAMES: &[u8] = &[1, 0, 0];

fn names() -> Names {
    Names(["b", "a", "c"].map(str::to_owned).to_vec())
}

fn of(rows: &[Tree]) -> Option<DataType> {
    inferred(&whole(&rows.iter().cloned().map(Some).collect::<Vec<_>>(), &names(), 0))
}

/// The group of a field or an element.
fn group(typed: DataType) -> DataType {
    let fields = [("value", DataType::Binary), ("typed_value", typed)];
    DataType::Struct(fields.map(|(name, column)| Field::new(name, column, true)).into_iter().collect())
}

fn object_of(fields: &[(&str, DataType)]) -> DataType {
    let fields = fields.iter().map(|(name, typed)| Field::new(*name, group(typed.clone()), false));
    DataType::Struct(fields.collect())
}

fn list_of(typed: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", group(typed), false)))
}

/// The names of the fields that are shredded.
fn fields_of(shape: Option<DataType>) -> Vec<String> {
    match shape {
        Some(DataType::Struct(fields)) => fields.iter().map(|field| field.name().clone()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_primitive_type_is_a_column_of_its_type() {
    let eight = |kind: u8| [vec![kind << 2], vec![1; 8]].concat();
    let micros = |utc| DataType::Timestamp(TimeUnit::Microsecond, utc);
    let nanos = |utc| DataType::Timestamp(TimeUnit::Nanosecond, utc);
    let utc = || Some("UTC".into());
    let cases: [(Vec<u8>, DataType); 17] = [
        (vec![1 << 2], DataType::Boolean),
        (vec![2 << 2], DataType::Boolean),
        (vec![3 << 2, 1], DataType::Int8),
        (vec![4 << 2, 1, 1], DataType::Int16),
        (vec![5 << 2, 1, 1, 1, 1], DataType::Int32),
        (eight(6), DataType::Int64),
        (eight(7), DataType::Float64),
        (vec![11 << 2, 1, 1, 1, 1], DataType::Date32),
        (eight(12), micros(utc())),
        (eight(13), micros(None)),
        (vec![14 << 2, 1, 1, 1, 1], DataType::Float32),
        (vec![15 << 2, 1, 0, 0, 0, 9], DataType::Binary),
        (vec![16 << 2, 1, 0, 0, 0, b'x'], DataType::Utf8),
        (eight(17), DataType::Time64(TimeUnit::Microsecond)),
        (eight(18), nanos(utc())),
        (eight(19), nanos(None)),
        ([vec![20 << 2], vec![1; 16]].concat(), DataType::FixedSizeBinary(16)),
    ];
    for (value, expected) in cases {
        assert_eq!(inferred(&of_bytes(NO_NAMES, &[Some(value), None])), Some(expected));
    }
}

#[test]
fn integers_are_as_wide_as_the_widest() {
    assert_eq!(of(&[number(1), number(-2)]), Some(DataType::Int8));
    assert_eq!(of(&[number(1), number(300), number(2)]), Some(DataType::Int16));
    assert_eq!(of(&[number(1), number(1 << 40)]), Some(DataType::Int64));
    assert_eq!(of(&[number(1), normal(15, 1)]), None, "a decimal is no integer");
}

#[test]
fn decimals_have_the_digits_and_the_scale_that_all_need() {
    assert_eq!(of(&[normal(15, 1), normal(123_456, 3), normal(1, 4)]), Some(DataType::Decimal128(7, 4)));
    assert_eq!(
        of(&[normal(1, 30), Tree::Number(10_i128.pow(20) + 1, 2)]),
        Some(DataType::Decimal128(38, 19))
    );
    // Of the type of the widest at least: only values of that type are stored in the column.
    let wide = [vec![9 << 2, 1], 15_i64.to_le_bytes().to_vec()].concat();
    assert_eq!(inferred(&of_bytes(NO_NAMES, &[Some(wide)])), Some(DataType::Decimal128(10, 1)));
    let widest = [vec![10 << 2, 0], 0_i128.to_le_bytes().to_vec()].concat();
    assert_eq!(inferred(&of_bytes(NO_NAMES, &[Some(widest)])), Some(DataType::Decimal128(19, 0)));
    let least = [vec![10 << 2, 0], i128::MIN.to_le_bytes().to_vec()].concat();
    assert_eq!(inferred(&of_bytes(NO_NAMES, &[Some(least)])), Some(DataType::Decimal128(38, 0)));
}

#[test]
fn mixed_types_are_not_shredded() {
    let float = Tree::Primitive(14, vec![0; 4]);
    let double = Tree::Primitive(7, vec![0; 8]);
    for mixed in [[number(1), text("a")], [float, double], [object(&[("a", null())]), text("a")]] {
        assert_eq!(of(&mixed), None, "{mixed:?}");
    }
    let rows =
        [object(&[("a", number(1)), ("b", text("x"))]), object(&[("a", text("n/a")), ("b", text("y"))])];
    assert_eq!(of(&rows), Some(object_of(&[("b", DataType::Utf8)])), "only the field is not");
}

#[test]
fn nulls_say_nothing() {
    assert_eq!(of(&[null(), number(1), null()]), Some(DataType::Int8));
    assert_eq!(of(&[null()]), None);
    assert_eq!(of(&[]), None);
    let rows = [object(&[("a", null()), ("b", null())]), object(&[("a", number(1))])];
    assert_eq!(of(&rows), Some(object_of(&[("a", DataType::Int8)])));
}

#[test]
fn objects_and_arrays_are_shredded_by_what_is_in_them() {
    let rows = [
        object(&[("b", Tree::Array(vec![text("x"), null()])), ("a", object(&[("c", number(1))]))]),
        object(&[("b", Tree::Array(Vec::new()))]),
    ];
    let a = object_of(&[("c", DataType::Int8)]);
    assert_eq!(of(&rows), Some(object_of(&[("a", a), ("b", list_of(DataType::Utf8))])));
    let elements = [Tree::Array(vec![object(&[("a", number(1))]), object(&[("a", number(200))])])];
    assert_eq!(of(&elements), Some(list_of(object_of(&[("a", DataType::Int16)]))));
}

#[test]
fn what_has_nothing_to_shred_is_not() {
    let nothing = [
        object(&[]),
        Tree::Array(Vec::new()),
        Tree::Array(vec![number(1), text("a")]),
        Tree::Array(vec![null()]),
        object(&[("a", object(&[])), ("b", Tree::Array(vec![null()]))]),
    ];
    for row in nothing {
        assert_eq!(of(&[row.clone(), null()]), None, "{row:?}");
    }
}

#[test]
fn a_field_of_fewer_than_one_row_in_ten_is_left_out() {
    let rows = |count: i64, of: i64| -> Vec<_> {
        let rare =
            |row| if row < count { vec![("a", number(1)), ("b", number(1))] } else { vec![("b", number(1))] };
        (0..of).map(|row| object(&rare(row))).collect()
    };
    assert_eq!(fields_of(of(&rows(2, 20))), ["a", "b"]);
    assert_eq!(fields_of(of(&rows(2, 21))), ["b"]);
}

#[test]
fn of_many_fields_the_most_frequent_are_shredded() {
    let name = |number: usize| format!("k{number:03}");
    let names = Names((0..400).map(name).collect());
    let all = |from: usize| Tree::Object((from..400).map(|number| (name(number), text("x"))).collect());
    // All are in one row; the last hundred and fifty in another one too.
    let rows = [Some(all(0)), Some(all(250))];
    let found = fields_of(inferred(&whole(&rows, &names, 0)));
    let expected: Vec<_> = (0..150).chain(250..400).map(name).collect();
    assert_eq!(found, expected);
}

#[test]
fn places_are_bounded_all_in_all() {
    let name = |number: usize| format!("k{number:04}");
    let names = Names((0..3_000).map(name).collect());
    let object_of = |numbers: std::ops::Range<usize>, tree: fn(usize) -> Tree| {
        Tree::Object(numbers.map(|number| (name(number), tree(number))).collect())
    };
    let inner =
        |_| Tree::Object((0..100).map(|number| (format!("k{number:04}"), number_of(number))).collect());
    let wide = object_of(0..100, inner);
    let shape = Shape::infer(&[whole(&[Some(wide)], &names, 0)]).unwrap().unwrap();
    let columns = leaves(shape.fields()[2].data_type());
    assert!((500..=2_000).contains(&columns), "{columns}");
}

fn number_of(value: usize) -> Tree {
    number(value as i64)
}

fn leaves(column: &DataType) -> usize {
    match column {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        DataType::List(element) => leaves(element.data_type()),
        _ => 1,
    }
}

#[test]
fn depth_is_bounded_and_what_is_shredded_can_be_read() {
    let mut deep = number(1);
    for level in 0..200 {
        deep = if level % 2 == 0 { object(&[("a", deep)]) } else { Tree::Array(vec![deep]) };
    }
    assert_eq!(of(&[deep]), None, "of what lies that deep nothing is known");
    let mut deep = number(1);
    for level in 0..50 {
        deep = if level % 2 == 0 { object(&[("a", deep)]) } else { Tree::Array(vec![deep]) };
    }
    let shape = Shape::infer(&[whole(&[Some(deep)], &names(), 0)]).unwrap().unwrap();
    assert!(Layout::new(&shape.fields()).unwrap().is_shredded());
}

#[test]
fn a_type_that_is_not_known_is_not_shredded() {
    assert_eq!(inferred(&of_bytes(NO_NAMES, &[Some(vec![40 << 2, 1, 2, 3]), Some(vec![3 << 2, 1])])), None);
}

fn refused(variants: &StructArray) -> ErrorKind {
    Shape::infer(std::slice::from_ref(variants)).unwrap_err().kind()
}

#[test]
fn what_is_damaged_is_an_error() {
    let object = |id: u8| Some(vec![2, 1, id, 0, 1, 0]);
    let no_text = &[1, 1, 0, 1, 0xff];
    assert_eq!(refused(&of_bytes(no_text, &[object(0)])), ErrorKind::InvalidData, "a name that is no text");
    assert_eq!(refused(&of_bytes(NO_NAMES, &[object(0)])), ErrorKind::InvalidData, "an id without a name");
    assert_eq!(refused(&of_bytes(&[], &[Some(vec![0])])), ErrorKind::InvalidData, "no metadata");
    assert_eq!(refused(&of_bytes(NO_NAMES, &[Some(vec![3 << 2])])), ErrorKind::InvalidData, "cut off");
    assert_eq!(refused(&of_bytes(NO_NAMES, &[Some(vec![0, 0])])), ErrorKind::InvalidData, "followed by more");
    let scale = Some(vec![8 << 2, 39, 1, 0, 0, 0]);
    assert_eq!(refused(&of_bytes(NO_NAMES, &[scale])), ErrorKind::InvalidData, "a scale that there is not");
}

#[test]
fn fields_that_lie_upon_each_other_do_not_multiply() {
    // Each of these objects has the next one four times, in the same bytes.
    let mut value = vec![0];
    for _ in 0..40 {
        let length = value.len() as u8;
        let head = match u8::try_from(value.len()) {
            Ok(_) => vec![2, 4, 0, 1, 2, 3, 0, 0, 0, 0, length],
            Err(_) => break,
        };
        value = [head, value].concat();
    }
    let names = Names(["a", "b", "c", "d"].map(str::to_owned).to_vec());
    assert_eq!(refused(&of_bytes(&names.encode(1), &[Some(value)])), ErrorKind::InvalidData);
}

#[test]
fn nulls_of_the_column_are_no_rows_and_slices_are_looked_at_alone() {
    let rows = [Some(text("not this one")), None, Some(number(1)), Some(text("nor this one"))];
    let sliced = whole(&rows, &names(), 0).slice(1, 2);
    assert_eq!(inferred(&sliced), Some(DataType::Int8));
    let both = [sliced.slice(1, 1), whole(&[Some(number(300))], &names(), 0)];
    let shape = Shape::infer(&both).unwrap().unwrap();
    assert_eq!(shape.fields()[2].data_type(), &DataType::Int16);
}
