//! What is shredded and put together again is what it was, whatever the values and the shredding.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use super::model::{Names, Tree, normal};
use super::shredder::{Shape, shred};
use super::{read, whole};
use crate::variant::Shape as Inferred;

const NAMES: [&str; 6] = ["b", "a", "é", "", "a.b", "zz"];

fn name() -> impl Strategy<Value = String> {
    proptest::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = Tree> {
    let eight =
        |kind: u8| any::<i64>().prop_map(move |bits| Tree::Primitive(kind, bits.to_le_bytes().into()));
    let leaf = prop_oneof![
        (0_u8..3).prop_map(|kind| Tree::Primitive(kind, Vec::new())),
        (any::<i64>(), 0_u8..4).prop_map(|(number, scale)| normal(i128::from(number), scale)),
        (-300_i128..300, 0_u8..3).prop_map(|(number, scale)| normal(number, scale)),
        proptest::sample::select(vec![7, 12, 13, 17, 18, 19]).prop_flat_map(eight),
        any::<i32>().prop_map(|days| Tree::Primitive(11, days.to_le_bytes().into())),
        any::<u32>().prop_map(|bits| Tree::Primitive(14, bits.to_le_bytes().into())),
        any::<[u8; 16]>().prop_map(|bytes| Tree::Primitive(20, bytes.into())),
        vec(any::<u8>(), 0..70).prop_map(|bytes| {
            Tree::Primitive(15, [(bytes.len() as u32).to_le_bytes().to_vec(), bytes].concat())
        }),
        "[a-zé]{0,80}".prop_map(Tree::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Tree::Array),
            btree_map(name(), inner, 0..5).prop_map(Tree::Object),
        ]
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = proptest::sample::select(vec![
        Shape::Value,
        Shape::Boolean,
        Shape::Int,
        Shape::Long,
        Shape::Double,
        Shape::Decimal,
        Shape::Date,
        Shape::Timestamptz,
        Shape::String,
        Shape::Binary,
    ]);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|shape| Shape::Array(Box::new(shape))),
            btree_map(name(), inner, 1..4).prop_map(Shape::Object),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn a_shredded_variant_is_read_as_it_was(
        rows in vec(proptest::option::weighted(0.9, tree()), 0..6),
        shape in shape(),
        slack in 0_usize..3,
    ) {
        // Not sorted, with a name twice that nothing means and one that nothing has.
        let names = NAMES.iter().copied().chain(["other", "zz"]).map(str::to_owned).collect();
        prop_assert_eq!(read(&shred(&rows, &Names(names), &shape, slack)).unwrap(), rows);
    }

    #[test]
    fn what_a_writer_shreds_is_read_as_it_was(
        rows in vec(proptest::option::weighted(0.9, tree()), 0..8),
        first in 0_usize..8,
        slack in 0_usize..3,
    ) {
        let names = Names(NAMES.iter().copied().chain(["other"]).map(str::to_owned).collect());
        let variants = whole(&rows, &names, slack);
        // Of the first rows, which others need not be like.
        let first = first.min(rows.len());
        if let Some(shape) = Inferred::infer(&[variants.slice(0, first)]).unwrap() {
            let shredded = shape.shred(&variants).unwrap().columns;
            prop_assert_eq!(shredded.fields(), &shape.fields());
            prop_assert_eq!(read(&shredded).unwrap(), rows);
        }
    }

    #[test]
    fn objects_that_are_alike_are_read_as_they_were(
        rows in vec(btree_map(name(), like(), 0..6).prop_map(Tree::Object), 1..12),
        slack in 0_usize..3,
    ) {
        let names = Names(NAMES.iter().copied().map(str::to_owned).collect());
        let rows: Vec<_> = rows.into_iter().map(Some).collect();
        let variants = whole(&rows, &names, slack);
        if let Some(shape) = Inferred::infer(&[variants.slice(0, rows.len().min(4))]).unwrap() {
            prop_assert_eq!(read(&shape.shred(&variants).unwrap().columns).unwrap(), rows);
        }
    }
}

/// Values that are often of one type, so that much is shredded.
fn like() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        8 => (-40_000_i128..40_000).prop_map(|number| Tree::Number(number, 0)),
        1 => (1_i128..1_000_000, 1_u8..4).prop_map(|(number, scale)| normal(number, scale)),
        1 => Just(Tree::Primitive(0, Vec::new())),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Tree::Array),
            btree_map(name(), inner, 0..4).prop_map(Tree::Object),
        ]
    })
}
