//! What is said of the fields of shredded variants is true of all rows of their file.

use std::collections::BTreeMap;

use super::shredding::{BUFFER, SHRED, null, number, object, table, text, written};
use crate::read::tests::variant_model::{Tree, decode, normal};

type Rows = Vec<(i64, Option<Tree>)>;
/// The least and the greatest value.
type Both = (Option<Tree>, Option<Tree>);

fn rows(trees: Vec<Tree>) -> Rows {
    trees.into_iter().zip(0..).map(|(tree, id)| (id, Some(tree))).collect()
}

/// The bounds of the fields of `v`, by path.
fn bounds(properties: &[(&str, &str)], rows: &Rows) -> BTreeMap<String, Both> {
    let (_, receipt) = written(&table(&[&[SHRED], properties].concat()), rows);
    let [file] = receipt.files() else { panic!("{} files", receipt.files().len()) };
    let fields = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| {
        bounds.as_ref().unwrap().get(&2).map(|bytes| fields_of(bytes))
    };
    let lower = fields(&file.file.lower_bounds).unwrap_or_default();
    let mut upper = fields(&file.file.upper_bounds).unwrap_or_default();
    let both = lower.into_iter().map(|(path, lower)| (path.clone(), (Some(lower), upper.remove(&path))));
    let both: BTreeMap<_, _> = both.collect();
    assert!(upper.is_empty(), "no upper bound is alone: {upper:?}");
    both
}

/// The fields of an object, which follows its metadata.
fn fields_of(bytes: &[u8]) -> BTreeMap<String, Tree> {
    let width = usize::from(bytes[0] >> 6) + 1;
    let number = |at: usize| {
        bytes[at..at + width].iter().rev().fold(0, |sum: usize, byte| sum << 8 | usize::from(*byte))
    };
    let count = number(1);
    let (metadata, value) = bytes.split_at(1 + width * (count + 2) + number(1 + width * (count + 1)));
    match decode(metadata, value) {
        Tree::Object(fields) => fields,
        other => panic!("{other:?}"),
    }
}

fn both(lower: Tree, upper: Tree) -> Both {
    (Some(lower), Some(upper))
}

fn expected<const N: usize>(fields: [(&str, Both); N]) -> BTreeMap<String, Both> {
    fields.into_iter().map(|(path, bounds)| (path.to_owned(), bounds)).collect()
}

fn double(value: f64) -> Tree {
    Tree::Primitive(7, value.to_le_bytes().to_vec())
}

#[test]
fn fields_of_one_type_have_bounds_by_their_paths() {
    let row = |row: i128| {
        object(&[
            ("n", number(70_000 + row)),
            ("a.b", normal(row * 10 + 1, 2)),
            ("it's", text(format!("text {row}"))),
            ("deep", object(&[("kind", Tree::Primitive(11, (row as i32).to_le_bytes().to_vec()))])),
            ("tags", Tree::Array(vec![text("not of these")])),
        ])
    };
    let groups = [
        ("write.parquet.row-group-size-bytes", "1"),
        ("write.parquet.row-group-check-min-record-count", "3"),
    ];
    let found = bounds(&groups, &rows((0..10).map(row).collect()));
    let fields = [
        ("$['n']", both(number(70_000), number(70_009))),
        ("$['a.b']", both(normal(1, 2), normal(91, 2))),
        ("$['it\\'s']", both(text("text 0"), text("text 9"))),
        ("$['deep']['kind']", both(Tree::Primitive(11, vec![0; 4]), Tree::Primitive(11, vec![9, 0, 0, 0]))),
    ];
    assert_eq!(found, expected(fields));
}

#[test]
fn whole_variants_of_one_type_have_the_path_of_the_root() {
    let mut of = rows(vec![number(70_001), null(), number(-70_000)]);
    of.push((9, None));
    assert_eq!(bounds(&[], &of), expected([("$", both(number(-70_000), number(70_001)))]));
}

#[test]
fn values_of_another_type_leave_no_bounds_and_nulls_and_fields_without_columns_do() {
    let row = |n: Tree, more: &[(&str, Tree)]| {
        object(&[&[("n", n), ("deep", object(&[("kind", text("x"))]))], more].concat())
    };
    let kind = ("$['deep']['kind']", both(text("x"), text("x")));
    let n = ("$['n']", both(number(300), number(400)));
    let first = || vec![row(number(400), &[]), row(number(300), &[]), row(null(), &[])];
    let with = |last: Tree| bounds(&[(BUFFER, "3")], &rows([first(), vec![last]].concat()));
    // A field of its own, a field that is missing, and a null instead of an object.
    assert_eq!(with(row(null(), &[("tags", number(1))])), expected([n.clone(), kind.clone()]));
    assert_eq!(with(object(&[("n", number(400)), ("deep", null())])), expected([n.clone(), kind.clone()]));
    assert_eq!(with(null()), expected([n.clone(), kind.clone()]));
    // An integer of another width, and a text.
    assert_eq!(with(row(number(1), &[])), expected([kind.clone()]));
    assert_eq!(with(row(text("a"), &[])), expected([kind.clone()]));
    // An array where others have an object may have fields of the same path in it.
    let array = Tree::Array(vec![object(&[("kind", text("a"))])]);
    assert_eq!(with(object(&[("n", number(300)), ("deep", array)])), expected([n]));
    assert_eq!(with(text("no object")), expected([]));
}

#[test]
fn metrics_modes_decide_what_is_kept() {
    let of = rows(vec![
        object(&[("kind", text("abcdef")), ("n", number(300))]),
        object(&[("kind", text("xyz\u{10ffff}\u{10ffff}"))]),
    ]);
    let kind = |mode: &str| bounds(&[("write.metadata.metrics.column.v", mode)], &of).remove("$['kind']");
    assert_eq!(kind("full"), Some(both(text("abcdef"), text("xyz\u{10ffff}\u{10ffff}"))));
    assert_eq!(kind("truncate(2)"), Some(both(text("ab"), text("xz"))));
    assert_eq!(kind("truncate(4)"), Some(both(text("abcd"), text("xy{"))));
    for mode in ["counts", "none"] {
        assert_eq!(bounds(&[("write.metadata.metrics.column.v", mode)], &of), BTreeMap::new(), "{mode}");
    }
    let highest = rows(vec![text("\u{10ffff}\u{10ffff}")]);
    let found = bounds(&[("write.metadata.metrics.column.v", "truncate(1)")], &highest);
    assert_eq!(found, expected([("$", (Some(text("\u{10ffff}")), None))]), "no shorter text is above");
}

#[test]
fn nan_is_no_bound_and_zeros_have_the_sign_that_bounds_all_zeros() {
    let found = bounds(&[], &rows(vec![double(f64::NAN), double(2.5), double(-1.0)]));
    assert_eq!(found, expected([("$", both(double(-1.0), double(2.5)))]));
    assert_eq!(bounds(&[], &rows(vec![double(f64::NAN)])), BTreeMap::new());
    let found = bounds(&[], &rows(vec![double(0.0), double(-0.0)]));
    assert_eq!(found, expected([("$", both(double(-0.0), double(0.0)))]));
}

#[test]
fn a_column_that_is_not_shredded_has_none() {
    let (_, receipt) = written(&table(&[]), &rows(vec![number(1)]));
    let file = &receipt.files()[0].file;
    assert!(!file.lower_bounds.as_ref().unwrap().contains_key(&2));
    assert_eq!(file.value_counts.as_ref().unwrap()[&2], 1);
    assert_eq!(bounds(&[], &rows(vec![number(1), text("a")])), BTreeMap::new());
}
