//! Bytes that are no variant.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StructArray};
use arrow_schema::Field;

use super::model::{Names, Tree, encode};
use super::target;
use crate::ErrorKind;
use crate::variant::Layout;

/// Objects of one row, whose field `b` is shredded without a type: everything must be parsed.
fn stored(metadata: &[u8], rest: &[u8], field: &[u8]) -> StructArray {
    let column = |bytes: &[u8]| Arc::new(BinaryArray::from_iter_values([bytes])) as ArrayRef;
    let group = |columns: Vec<(&str, ArrayRef)>| {
        let columns = columns
            .into_iter()
            .map(|(name, array)| (Arc::new(Field::new(name, array.data_type().clone(), false)), array));
        StructArray::from(columns.collect::<Vec<_>>())
    };
    let object = group(vec![("b", Arc::new(group(vec![("value", column(field))])))]);
    group(vec![("metadata", column(metadata)), ("value", column(rest)), ("typed_value", Arc::new(object))])
}

/// Reads; damage is an error of one of these kinds.
fn survives(metadata: &[u8], rest: &[u8], field: &[u8]) -> bool {
    let stored = stored(metadata, rest, field);
    match Layout::new(stored.fields()).unwrap().read(&stored, &target()) {
        Ok(_) => true,
        Err(error) => {
            assert!([ErrorKind::InvalidData, ErrorKind::Unsupported].contains(&error.kind()), "{error:?}");
            false
        }
    }
}

/// Metadata, and an object of everything.
fn whole() -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let names = Names(["a", "b", "c"].map(str::to_owned).to_vec());
    let text = Tree::String("x".repeat(70));
    let fields = BTreeMap::from([
        ("a".to_owned(), Tree::Array(vec![text.clone(), Tree::Primitive(20, vec![1; 16])])),
        ("c".to_owned(), Tree::Number(7, 1)),
    ]);
    let rest = encode(&Tree::Object(fields), &names, 0);
    (names.encode(1), rest, encode(&text, &names, 0))
}

#[test]
fn what_is_cut_off_is_an_error() {
    let (metadata, rest, field) = whole();
    assert!(survives(&metadata, &rest, &field));
    // The last name may be cut off unnoticed where nobody asks for it; here all are asked for.
    for length in 0..metadata.len() {
        assert!(!survives(&metadata[..length], &rest, &field), "metadata of {length}");
    }
    for length in 0..rest.len() {
        assert!(!survives(&metadata, &rest[..length], &field), "an object of {length}");
    }
    for length in 0..field.len() {
        assert!(!survives(&metadata, &rest, &field[..length]), "a field of {length}");
    }
}

#[test]
fn what_is_followed_by_more_is_an_error() {
    let (metadata, rest, field) = whole();
    assert!(!survives(&metadata, &[rest.as_slice(), &[0]].concat(), &field));
    assert!(!survives(&metadata, &rest, &[field.as_slice(), &[0]].concat()));
}

#[test]
fn changed_bytes_never_panic() {
    let (metadata, rest, field) = whole();
    let mut errors = 0;
    for flip in [0xff, 0x01, 0x04, 0x80, 0xfc] {
        let changed = |bytes: &[u8], at: usize| {
            let mut bytes = bytes.to_vec();
            bytes[at] ^= flip;
            bytes
        };
        for at in 0..metadata.len() {
            errors += usize::from(!survives(&changed(&metadata, at), &rest, &field));
        }
        for at in 0..rest.len() {
            errors += usize::from(!survives(&metadata, &changed(&rest, at), &field));
        }
        for at in 0..field.len() {
            errors += usize::from(!survives(&metadata, &rest, &changed(&field, at)));
        }
    }
    assert!(errors > 50, "{errors}");
}

#[test]
fn sizes_that_are_claimed_are_not_believed() {
    let (metadata, rest, field) = whole();
    // Four-byte widths, and the largest counts.
    let huge_metadata = [[0xc1].as_slice(), &[0xff; 12]].concat();
    let huge_object = [[0x7e].as_slice(), &[0xff; 40]].concat();
    let huge_array = [[0x1f].as_slice(), &[0xff; 40]].concat();
    let huge_text = [[16 << 2].as_slice(), &[0xff; 8]].concat();
    assert!(!survives(&huge_metadata, &rest, &field));
    assert!(!survives(&metadata, &huge_object, &field));
    assert!(!survives(&metadata, &rest, &huge_array));
    assert!(!survives(&metadata, &rest, &huge_text));
}

#[test]
fn another_version_is_not_read() {
    let (mut metadata, rest, field) = whole();
    metadata[0] = metadata[0] & 0xf0 | 2;
    let stored = stored(&metadata, &rest, &field);
    let error = Layout::new(stored.fields()).unwrap().read(&stored, &target()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

#[test]
fn a_type_that_is_not_known_is_moved_where_its_length_is() {
    let (metadata, rest, _) = whole();
    let unknown = [40 << 2, 1, 2, 3];
    assert!(survives(&metadata, &rest, &unknown));
    // Among the fields of an object nobody says where it ends.
    let object = [&[2, 1, 0, 0, 4], unknown.as_slice()].concat();
    assert!(!survives(&metadata, &object, &[0]));
}

#[test]
fn fields_that_lie_upon_each_other_are_refused() {
    let names = Names(["a", "b", "c"].map(str::to_owned).to_vec());
    let text = encode(&Tree::String("x".repeat(60)), &names, 0);
    let length = text.len() as u8;
    // `a` and `c` are the same bytes.
    let object = [[2, 2, 0, 2, 0, 0, length].as_slice(), &text].concat();
    assert!(!survives(&names.encode(1), &object, &[0]));
}
