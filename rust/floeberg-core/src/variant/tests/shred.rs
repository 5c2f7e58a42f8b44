//! The rules that a writer of shredded variants keeps, one by one.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal128Type, Int16Type};
use arrow_array::{Array as _, BinaryArray, StructArray};

use super::model::{Names, Tree, decode, normal};
use super::{null, number, object, of_bytes, read, text, whole};
use crate::ErrorKind;
use crate::variant::Shape;

const NO_NAMES: &[u8] = &[1, 0, 0];

fn names() -> Names {
    Names(["b", "a", "c"].map(str::to_owned).to_vec())
}

fn rows(rows: &[Tree]) -> StructArray {
    whole(&rows.iter().cloned().map(Some).collect::<Vec<_>>(), &names(), 0)
}

/// The shape of some rows, and others in it.
fn shredded(like: &[Tree], of: &[Tree]) -> StructArray {
    Shape::infer(&[rows(like)]).unwrap().unwrap().shred(&rows(of)).unwrap().columns
}

fn child<'a>(group: &'a StructArray, name: &str) -> &'a StructArray {
    group.column_by_name(name).unwrap().as_struct()
}

fn value(group: &StructArray) -> &BinaryArray {
    group.column_by_name("value").unwrap().as_binary()
}

/// Which rows of a column are there.
fn there(group: &StructArray, name: &str) -> Vec<bool> {
    let column = group.column_by_name(name).unwrap();
    (0..column.len()).map(|row| column.is_valid(row)).collect()
}

/// What is left in `value`.
fn rest(group: &StructArray) -> Vec<Option<Tree>> {
    let metadata = names().encode(1);
    value(group).iter().map(|value| value.map(|value| decode(&metadata, value))).collect()
}

#[test]
fn a_value_of_the_type_is_typed_and_another_is_a_value() {
    let found = shredded(&[number(300)], &[number(-300), null(), text("n/a"), number(400)]);
    let typed = found.column(2).as_primitive::<Int16Type>();
    assert_eq!(typed.iter().collect::<Vec<_>>(), [Some(-300), None, None, Some(400)]);
    assert_eq!(rest(&found), [None, Some(null()), Some(text("n/a")), None]);
    assert_eq!(value(&found).value(1), [0], "variant's null is its byte");
}

#[test]
fn an_integer_of_another_width_stays_as_it_is() {
    let found = shredded(&[number(300)], &[number(1), number(300), number(70_000)]);
    assert_eq!(there(&found, "typed_value"), [false, true, false]);
    assert_eq!((value(&found).value(0), value(&found).value(2)[0]), ([3 << 2, 1].as_slice(), 5 << 2));
}

#[test]
fn a_decimal_is_typed_where_it_is_exact() {
    let like = [normal(12_345, 2)];
    let of =
        [normal(15, 1), normal(12_345, 2), normal(1, 3), normal(123_456, 2), normal(-999, 0), normal(999, 1)];
    let found = shredded(&like, &of);
    let typed = found.column(2).as_primitive::<Decimal128Type>();
    // The scale is that of the column; -999 is an integer, and others have too many digits before or after the point.
    assert_eq!(typed.iter().collect::<Vec<_>>(), [Some(150), Some(12_345), None, None, None, Some(9990)]);
    assert_eq!(rest(&found)[2..5], [normal(1, 3), normal(123_456, 2), normal(-999, 0)].map(Some));
    let wide = [vec![9 << 2, 1], 15_i64.to_le_bytes().to_vec()].concat();
    let shape = Shape::infer(&[rows(&like)]).unwrap().unwrap();
    let found = shape.shred(&of_bytes(NO_NAMES, &[Some(wide.clone())])).unwrap().columns;
    assert_eq!(value(&found).value(0), wide, "of another type of decimals");
}

#[test]
fn a_missing_field_is_null_in_both_columns_and_null_is_a_value() {
    let found = shredded(
        &[object(&[("a", text("x"))])],
        &[object(&[("a", text("y"))]), object(&[("a", null())]), object(&[]), object(&[("a", number(1))])],
    );
    assert_eq!(there(&found, "typed_value"), [true; 4], "an object is always in typed_value");
    assert_eq!(there(&found, "value"), [false; 4], "and of an empty rest nothing is stored");
    let a = child(child(&found, "typed_value"), "a");
    assert_eq!(a.null_count(), 0, "the groups of fields are required");
    assert_eq!(there(a, "typed_value"), [true, false, false, false]);
    assert_eq!(rest(a), [None, Some(null()), None, Some(number(1))]);
}

#[test]
fn fields_without_columns_stay_in_value_and_others_do_not() {
    let of = object(&[("a", number(1)), ("b", text("x")), ("c", Tree::Array(vec![null()]))]);
    let found = shredded(&[object(&[("b", text("x"))])], &[of, object(&[("c", null())])]);
    let expected = [object(&[("a", number(1)), ("c", Tree::Array(vec![null()]))]), object(&[("c", null())])];
    assert_eq!(rest(&found), expected.map(Some));
    assert_eq!(there(&found, "typed_value"), [true, true]);
}

#[test]
fn what_is_no_object_is_a_value_whole() {
    let found =
        shredded(&[object(&[("a", text("x"))])], &[text("none"), Tree::Array(vec![number(1)]), null()]);
    assert_eq!(there(&found, "typed_value"), [false; 3]);
    assert_eq!(rest(&found), [text("none"), Tree::Array(vec![number(1)]), null()].map(Some));
}

#[test]
fn arrays_are_of_their_elements_and_no_element_is_missing() {
    let of = [
        Tree::Array(vec![text("x"), null(), number(1)]),
        Tree::Array(Vec::new()),
        object(&[("a", null())]),
        Tree::Array(vec![text("y")]),
    ];
    let found = shredded(&[Tree::Array(vec![text("x")])], &of);
    let lists = found.column(2).as_list::<i32>();
    assert_eq!(there(&found, "typed_value"), [true, true, false, true]);
    assert_eq!(there(&found, "value"), [false, false, true, false]);
    assert_eq!(lists.value_offsets(), [0, 3, 3, 3, 4]);
    let elements = lists.values().as_struct();
    assert_eq!((elements.null_count(), there(elements, "typed_value")), (0, vec![true, false, false, true]));
    assert_eq!(rest(elements), [None, Some(null()), Some(number(1)), None]);
}

#[test]
fn places_with_values_of_another_type_are_told() {
    let like = object(&[("a", text("x")), ("b", object(&[("c", Tree::Array(vec![text("x")]))]))]);
    let shape = Shape::infer(&[rows(std::slice::from_ref(&like))]).unwrap().unwrap();
    let mixed = |of: &[Tree]| shape.shred(&rows(of)).unwrap().mixed;
    // The root, `a`, `b`, `c` and its elements: nulls and fields that stay together do not count.
    let rest = object(&[("a", null()), ("b", null()), ("c", number(1))]);
    assert_eq!(mixed(&[like.clone(), null(), rest]), [false; 5]);
    assert_eq!(mixed(&[text("x")]), [true, false, false, false, false]);
    assert_eq!(mixed(&[object(&[("a", number(1)), ("b", number(1))])]), [false, true, true, false, false]);
    let elements = |tree| object(&[("b", object(&[("c", tree)]))]);
    assert_eq!(mixed(&[elements(text("x"))]), [false, false, false, true, false]);
    assert_eq!(mixed(&[elements(Tree::Array(vec![null(), number(1)]))]), [false, false, false, false, true]);
}

#[test]
fn metadata_and_nulls_stay_as_they_are() {
    let variants =
        whole(&[Some(text("no")), None, Some(number(1)), Some(number(2))], &names(), 0).slice(1, 3);
    let shape = Shape::infer(std::slice::from_ref(&variants)).unwrap().unwrap();
    let found = shape.shred(&variants).unwrap().columns;
    assert_eq!(found.column(0).as_ref(), variants.column(0).as_ref());
    assert_eq!(found.nulls(), variants.nulls());
    assert_eq!(there(&found, "value"), [false; 3], "of a null nothing is stored");
    assert_eq!(read(&found).unwrap(), [None, Some(number(1)), Some(number(2))]);
    let none = shape.shred(&variants.slice(0, 0)).unwrap().columns;
    assert_eq!((none.len(), none.fields()), (0, &shape.fields()));
}

#[test]
fn types_stay_what_they_are() {
    let eight = |kind: u8| [vec![kind << 2], vec![0x80; 8]].concat();
    let values: Vec<Vec<u8>> = vec![
        vec![1 << 2],
        vec![3 << 2, 0x80],
        vec![4 << 2, 1, 0x80],
        vec![5 << 2, 1, 1, 1, 0x80],
        eight(6),
        eight(7),
        vec![8 << 2, 2, 1, 1, 1, 0xff],
        [vec![9 << 2, 1], i64::from(-3).to_le_bytes().to_vec()].concat(),
        [vec![10 << 2, 38], (-3_i128).to_le_bytes().to_vec()].concat(),
        vec![11 << 2, 1, 1, 1, 0x80],
        eight(12),
        eight(13),
        vec![14 << 2, 0, 0, 0xc0, 0x7f],
        vec![15 << 2, 1, 0, 0, 0, 9],
        vec![1 << 2 | 1, b'x'],
        eight(17),
        eight(18),
        eight(19),
        [vec![20 << 2], vec![7; 16]].concat(),
    ];
    for value in values {
        let variants = of_bytes(NO_NAMES, &[Some(value.clone()), None]);
        let shape = Shape::infer(std::slice::from_ref(&variants)).unwrap().unwrap();
        let found = shape.shred(&variants).unwrap().columns;
        assert_eq!(there(&found, "value"), [false, false], "{value:?}");
        let layout = crate::variant::Layout::new(found.fields()).unwrap();
        let back = layout.read(&found, &super::target()).unwrap();
        assert_eq!(back.column(1).as_binary::<i32>().value(0), value);
    }
}

/// Shreds bytes as objects with a text `a`.
fn refused(metadata: &[u8], value: &[u8]) -> crate::Error {
    let shape = Shape::infer(&[rows(&[object(&[("a", text("x"))])])]).unwrap().unwrap();
    shape.shred(&of_bytes(metadata, &[Some(value.to_vec())])).unwrap_err()
}

#[test]
fn what_is_damaged_is_an_error() {
    let metadata = names().encode(1);
    let cases: [(&str, &[u8]); 6] = [
        ("it has no bytes", &[]),
        ("a field has the id 9, but there are only 3 names", &[2, 1, 9, 0, 1, 0]),
        ("the header of an object or array is cut off", &[2, 200, 0]),
        ("more bytes than it has", &[2, 2, 0, 1, 0, 0, 2, 5, 120]),
        ("it ends after 6 of its 7 bytes", &[2, 1, 0, 0, 1, 0, 0]),
        ("a string is not valid UTF-8", &[2, 1, 1, 0, 2, 5, 0xff]),
    ];
    for (expected, value) in cases {
        let error = refused(&metadata, value);
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
    // Of names that no field has, too: who reads the file looks at all of them.
    let outside = refused(&[1, 2, 0xe3, 1, 2, b'a', b'b'], &[2, 1, 1, 0, 2, 0x0c, 5]);
    assert!(outside.to_string().contains("the name of the id 0 lies outside"), "{outside}");
    let no_text = refused(&[1, 1, 0, 1, 0xff], &[0]);
    assert!(no_text.to_string().contains("the name of the id 0 is not valid UTF-8"), "{no_text}");
    assert_eq!(refused(&[], &[0]).kind(), ErrorKind::InvalidData);
    assert_eq!(refused(&[2, 0, 0], &[0]).kind(), ErrorKind::Unsupported);
}

#[test]
fn an_object_with_a_field_twice_is_refused() {
    let twice = Names(["a", "a", "b", "b"].map(str::to_owned).to_vec()).encode(1);
    for ids in [[0, 1], [2, 3]] {
        let error = refused(&twice, &[2, 2, ids[0], ids[1], 0, 1, 2, 0, 0]);
        assert!(error.to_string().contains("twice"), "{error}");
    }
}

#[test]
fn changed_bytes_never_panic() {
    let tree = object(&[
        ("a", text("x")),
        ("b", Tree::Array(vec![normal(15, 1), null()])),
        ("c", object(&[("a", Tree::Primitive(1, Vec::new()))])),
    ]);
    let shape = Shape::infer(&[rows(std::slice::from_ref(&tree))]).unwrap().unwrap();
    let (metadata, value) = (names().encode(1), super::encode(&tree, &names(), 0));
    let survives = |metadata: &[u8], value: &[u8]| {
        let variants = of_bytes(metadata, &[Some(value.to_vec())]);
        let expected = [ErrorKind::InvalidData, ErrorKind::Unsupported];
        let kinds =
            [Shape::infer(std::slice::from_ref(&variants)).map(drop), shape.shred(&variants).map(drop)];
        let errors: Vec<_> = kinds.into_iter().filter_map(Result::err).collect();
        assert!(errors.iter().all(|error| expected.contains(&error.kind())), "{errors:?}");
        errors.is_empty()
    };
    assert!(survives(&metadata, &value));
    let mut refused = 0;
    for flip in [0xff, 0x01, 0x04, 0x80, 0xfc] {
        let changed = |bytes: &[u8], at: usize| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= flip;
            bytes
        };
        refused += (0..metadata.len()).filter(|at| !survives(&changed(&metadata, *at), &value)).count();
        refused += (0..value.len()).filter(|at| !survives(&metadata, &changed(&value, *at))).count();
    }
    refused += (0..value.len()).filter(|length| !survives(&metadata, &value[..*length])).count();
    assert!(refused > 50, "{refused}");
}
