//! Variants that are built are what they were built of, and pass; damaged ones do not, or are still read.

use std::collections::BTreeMap;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, StructArray};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::model::{Names, Tree, decode, encode, normal};
use crate::ErrorKind;
use crate::value::datetime::MICROS_PER_DAY;
use crate::variant::{Checker, MOST_DEPTH, VariantValue, Variants};

fn value() -> impl Strategy<Value = VariantValue> {
    let leaf = prop_oneof![
        Just(VariantValue::Null),
        any::<bool>().prop_map(VariantValue::Boolean),
        any::<i64>().prop_map(VariantValue::Integer),
        (-70_000_i64..70_000).prop_map(VariantValue::Integer),
        any::<f64>().prop_map(VariantValue::Double),
        (any::<i128>(), 0_u8..39)
            .prop_map(|(number, scale)| VariantValue::Decimal { unscaled: number / 1000, scale }),
        (-2000_i128..2000, 0_u8..20).prop_map(|(unscaled, scale)| VariantValue::Decimal { unscaled, scale }),
        any::<i32>().prop_map(VariantValue::Date),
        (0..MICROS_PER_DAY).prop_map(VariantValue::Time),
        any::<i64>().prop_map(VariantValue::Timestamp),
        any::<i64>().prop_map(VariantValue::Timestamptz),
        any::<i64>().prop_map(VariantValue::TimestampNanos),
        any::<i64>().prop_map(VariantValue::TimestamptzNanos),
        vec(any::<u8>(), 0..70).prop_map(VariantValue::Binary),
        "[a-zé]{0,80}".prop_map(VariantValue::String),
        any::<[u8; 16]>().prop_map(VariantValue::Uuid),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(VariantValue::Array),
            btree_map("[a-cé\u{e000}\u{10000}]{0,2}", inner, 0..5).prop_map(VariantValue::Object),
        ]
    })
}

/// The same value, as the specification alone has it.
fn tree(value: &VariantValue) -> Tree {
    use VariantValue as V;
    match value {
        V::Null => Tree::Primitive(0, Vec::new()),
        V::Boolean(true) => Tree::Primitive(1, Vec::new()),
        V::Boolean(false) => Tree::Primitive(2, Vec::new()),
        V::Integer(number) => normal(i128::from(*number), 0),
        V::Double(number) => Tree::Primitive(7, number.to_le_bytes().into()),
        V::Decimal { unscaled, scale } => normal(*unscaled, *scale),
        V::Date(days) => Tree::Primitive(11, days.to_le_bytes().into()),
        V::Time(micros) => Tree::Primitive(17, micros.to_le_bytes().into()),
        V::Timestamp(micros) => Tree::Primitive(13, micros.to_le_bytes().into()),
        V::Timestamptz(micros) => Tree::Primitive(12, micros.to_le_bytes().into()),
        V::TimestampNanos(nanos) => Tree::Primitive(19, nanos.to_le_bytes().into()),
        V::TimestamptzNanos(nanos) => Tree::Primitive(18, nanos.to_le_bytes().into()),
        V::Binary(bytes) => {
            Tree::Primitive(15, [(bytes.len() as u32).to_le_bytes().to_vec(), bytes.clone()].concat())
        }
        V::String(text) => Tree::String(text.clone()),
        V::Uuid(bytes) => Tree::Primitive(20, bytes.to_vec()),
        V::Array(elements) => Tree::Array(elements.iter().map(tree).collect()),
        V::Object(fields) => {
            Tree::Object(fields.iter().map(|(name, value)| (name.clone(), tree(value))).collect())
        }
    }
}

proptest! {
    #[test]
    fn what_is_built_is_what_it_was_built_of(rows in vec(proptest::option::of(value()), 0..6)) {
        let mut variants = Variants::default();
        for row in &rows {
            variants.append(row.as_ref()).unwrap();
        }
        let made: StructArray = variants.finish().unwrap();
        let (metadata, values) = (made.column(0).as_binary::<i32>(), made.column(1).as_binary::<i32>());
        let mut checker = Checker::default();
        for (number, row) in rows.iter().enumerate() {
            prop_assert_eq!(made.is_valid(number), row.is_some());
            prop_assert!(checker.check(metadata.value(number), values.value(number)).is_ok());
            if let Some(row) = row {
                prop_assert_eq!(decode(metadata.value(number), values.value(number)), tree(row));
            }
        }
    }

    #[test]
    fn what_passes_is_read(built in value(), place: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let (metadata, mut value) = built.encode().unwrap();
        prop_assert!(Checker::default().check(&metadata, &value[..cut.index(value.len())]).is_err());
        let place = place.index(value.len());
        value[place] = byte;
        if Checker::default().check(&metadata, &value).is_ok() {
            // It panics at what cannot be read.
            decode(&metadata, &value);
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let too_long = VariantValue::Decimal { unscaled: 10_i128.pow(38), scale: 0 };
    assert_eq!(too_long.encode().unwrap_err().kind(), ErrorKind::InvalidInput);
    let nested =
        |depth: usize| (0..depth).fold(VariantValue::Null, |inner, _| VariantValue::Array(vec![inner]));
    let (metadata, value) = nested(MOST_DEPTH).encode().unwrap();
    Checker::default().check(&metadata, &value).unwrap();
    assert_eq!(nested(MOST_DEPTH + 1).encode().unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn what_other_writers_get_wrong_is_found() {
    let names = Names(["a", "b"].map(str::to_owned).to_vec());
    let leaf = |bytes: &[u8]| Tree::Primitive(bytes[0], bytes[1..].to_vec());
    let check = |names: &Names, value: &[u8]| Checker::default().check(&names.encode(1), value);
    let object = Tree::Object(BTreeMap::from([("a".to_owned(), leaf(&[1])), ("b".to_owned(), leaf(&[2]))]));
    check(&names, &encode(&object, &names, 0)).unwrap();
    // The same names under each other's ids are not in order.
    let swapped = Names(["b", "a"].map(str::to_owned).to_vec());
    assert!(check(&swapped, &encode(&object, &names, 0)).is_err());
    let time = [vec![17 << 2], MICROS_PER_DAY.to_le_bytes().to_vec()].concat();
    for wrong in [&[1 << 2 | 1, 0xff][..], &[21 << 2], &[8 << 2, 39, 0, 0, 0, 0], &time, &[0, 0], &[]] {
        assert!(check(&names, wrong).is_err(), "{wrong:?}");
    }
    let deep = (0..=MOST_DEPTH).fold(leaf(&[0]), |inner, _| Tree::Array(vec![inner]));
    assert_eq!(check(&names, &encode(&deep, &names, 0)).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn names_in_the_order_of_java_are_in_order() {
    // By UTF-16 the second one is below the first, by bytes above.
    let names = Names(["\u{10000}", "\u{e000}"].map(str::to_owned).to_vec());
    Checker::default().check(&names.encode(1), &[2, 2, 0, 1, 0, 1, 2, 0, 0]).unwrap();
}
