use floeberg_core::expr::{ColumnStats, Share, Stats, bind, parse};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;

use crate::manifest::{Pruner, Specs, decode_pair};
use crate::metadata::{TableMetadata, parse_table_metadata};
use crate::plan::deletes::key_stats::{KeyColumn, LazyStats, mismatch};

/// A column without null or NaN, between two bounds.
fn between(lower: Value, upper: Value) -> ColumnStats {
    ColumnStats { nulls: Share::None, nans: Share::None, lower: Some(lower), upper: Some(upper) }
}

fn longs(lower: i64, upper: i64) -> ColumnStats {
    between(Value::Long(lower), Value::Long(upper))
}

fn doubles(lower: f64, upper: f64) -> ColumnStats {
    between(Value::Double(lower), Value::Double(upper))
}

fn nulls(nulls: Share, stats: ColumnStats) -> ColumnStats {
    ColumnStats { nulls, ..stats }
}

fn nans(nans: Share, stats: ColumnStats) -> ColumnStats {
    ColumnStats { nans, ..stats }
}

/// The same whichever of the two is the data.
fn of_both(one: &ColumnStats, other: &ColumnStats) -> Option<&'static str> {
    let found = mismatch(one, other);
    assert_eq!(mismatch(other, one), found, "{one:?} {other:?}");
    found
}

#[test]
fn bounds_that_lie_apart_prove_that_no_value_is_deleted() {
    assert_eq!(of_both(&longs(1, 4), &longs(5, 9)), Some("bounds"));
    assert_eq!(of_both(&longs(1, 5), &longs(5, 9)), None);
    assert_eq!(of_both(&longs(1, 9), &longs(4, 5)), None);
}

#[test]
fn one_bound_of_each_suffices_and_an_unknown_one_proves_nothing() {
    let open = |stats| ColumnStats { lower: None, ..stats };
    assert_eq!(of_both(&open(longs(0, 4)), &longs(5, 9)), Some("bounds"));
    assert_eq!(of_both(&longs(0, 4), &open(longs(5, 9))), None);
    assert_eq!(of_both(&ColumnStats::default(), &longs(5, 9)), None);
    assert_eq!(of_both(&ColumnStats::default(), &ColumnStats::default()), None);
}

#[test]
fn null_may_equal_null_whatever_the_bounds() {
    for (one, other) in
        [(Share::Some, Share::Some), (Share::Unknown, Share::Some), (Share::Unknown, Share::Unknown)]
    {
        assert_eq!(of_both(&nulls(one, longs(1, 4)), &nulls(other, longs(5, 9))), None, "{one:?} {other:?}");
    }
    for share in [Share::Some, Share::Unknown] {
        assert_eq!(of_both(&nulls(share, longs(1, 4)), &longs(5, 9)), Some("bounds"), "{share:?}");
    }
}

#[test]
fn nothing_but_null_equals_no_value() {
    let all_null = ColumnStats { nulls: Share::All, nans: Share::None, lower: None, upper: None };
    assert_eq!(of_both(&all_null, &longs(5, 9)), Some("null count"));
    assert_eq!(of_both(&all_null, &nulls(Share::Some, longs(5, 9))), None);
    assert_eq!(of_both(&all_null, &nulls(Share::Unknown, longs(5, 9))), None);
    assert_eq!(of_both(&all_null, &all_null.clone()), None);
}

#[test]
fn nan_may_equal_nan_though_bounds_do_not_show_it() {
    for (one, other) in
        [(Share::Some, Share::Some), (Share::Unknown, Share::Some), (Share::Unknown, Share::Unknown)]
    {
        assert_eq!(
            of_both(&nans(one, doubles(1.0, 4.0)), &nans(other, doubles(5.0, 9.0))),
            None,
            "{one:?} {other:?}"
        );
    }
    for share in [Share::Some, Share::Unknown] {
        assert_eq!(of_both(&nans(share, doubles(1.0, 4.0)), &doubles(5.0, 9.0)), Some("bounds"), "{share:?}");
    }
}

#[test]
fn nothing_but_nan_equals_no_other_value() {
    let all_nan = ColumnStats { nulls: Share::None, nans: Share::All, lower: None, upper: None };
    assert_eq!(of_both(&all_nan, &doubles(5.0, 9.0)), Some("NaN count"));
    assert_eq!(of_both(&all_nan, &nans(Share::Unknown, doubles(5.0, 9.0))), None);
    let all_null = ColumnStats { nulls: Share::All, nans: Share::None, lower: None, upper: None };
    assert_eq!(of_both(&all_nan, &all_null), Some("null count"));
}

#[test]
fn a_bound_that_is_nan_says_nothing_and_the_zeros_are_not_apart() {
    assert_eq!(of_both(&doubles(f64::NAN, f64::NAN), &doubles(5.0, 9.0)), None);
    assert_eq!(of_both(&doubles(-1.0, -0.0), &doubles(0.0, 9.0)), None);
}

#[test]
fn upper_bounds_of_cut_texts_are_above_the_texts() {
    let texts = |lower: &str, upper: &str| between(Value::String(lower.into()), Value::String(upper.into()));
    // The delete of "ab…z" has the upper bound "ac": texts that begin with "ab" are below it.
    assert_eq!(of_both(&texts("ab", "ac"), &texts("abzzz", "b")), None);
    assert_eq!(of_both(&texts("ab", "ac"), &texts("ad", "b")), Some("bounds"));
    assert_eq!(of_both(&texts("\u{ffff}", "\u{ffff}"), &texts("😀", "😀")), Some("bounds"), "by UTF-8 bytes");
}

#[test]
fn bounds_from_before_a_promotion_are_compared_as_the_type_of_now() {
    let stats = |field_type: &Type, lower: &[u8], upper: &[u8]| {
        let (lower, upper) = decode_pair(field_type, Some(lower), Some(upper));
        ColumnStats { nulls: Share::None, nans: Share::None, lower, upper }
    };
    let long = Type::from(PrimitiveType::Long);
    let ints = stats(&long, &(-5_i32).to_le_bytes(), &7_i32.to_le_bytes());
    assert_eq!(
        of_both(&ints, &stats(&long, &8_i64.to_le_bytes(), &(1_i64 << 40).to_le_bytes())),
        Some("bounds")
    );
    assert_eq!(of_both(&ints, &stats(&long, &7_i64.to_le_bytes(), &9_i64.to_le_bytes())), None);
    assert_eq!(of_both(&ints, &stats(&long, &[8], &[9])), None, "bounds that cannot be decoded");
}

#[test]
fn bounds_of_uuids_prove_nothing() {
    let uuid = |byte: u8| Value::Uuid([byte; 16]);
    assert_eq!(of_both(&between(uuid(1), uuid(1)), &between(uuid(200), uuid(200))), None);
    let all_null = ColumnStats { nulls: Share::All, nans: Share::None, lower: None, upper: None };
    assert_eq!(of_both(&between(uuid(1), uuid(2)), &all_null), Some("null count"));
}

/// The same statistics for a column of every id below a limit.
struct Below(i32, ColumnStats);

impl Stats for Below {
    fn column(&self, id: i32, _: &Type) -> ColumnStats {
        if id < self.0 { self.1.clone() } else { ColumnStats::default() }
    }
}

#[test]
fn one_column_of_a_key_suffices() {
    let column = |id: i32| KeyColumn { id, name: id.to_string(), field_type: PrimitiveType::Long.into() };
    let (columns, data) = ([column(7), column(8), column(9)], Below(9, longs(1, 4)));
    let of = |keys: &[(usize, ColumnStats)]| LazyStats::new(&data, &columns).mismatch(keys);
    assert_eq!(of(&[(0, longs(1, 2)), (1, longs(5, 9))]), Some((1, "bounds")));
    assert_eq!(of(&[(0, longs(1, 2)), (1, longs(4, 9))]), None);
    assert_eq!(of(&[(2, longs(5, 9))]), None, "the data file has no such column");
    assert_eq!(of(&[]), None);
}

fn metadata() -> TableMetadata {
    let table = r#"{
        "format-version": 2, "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1", "location": "file:///warehouse/t",
        "last-sequence-number": 0, "last-updated-ms": 1, "last-column-id": 9, "current-schema-id": 2,
        "default-spec-id": 0, "partition-specs": [{ "spec-id": 0, "fields": [] }], "last-partition-id": 999,
        "default-sort-order-id": 0, "sort-orders": [{ "order-id": 0, "fields": [] }],
        "schemas": [
            { "type": "struct", "schema-id": 0, "fields": [
                { "id": 1, "name": "id", "required": true, "type": "int" },
                { "id": 2, "name": "gone", "required": false, "type": "string" }
            ] },
            { "type": "struct", "schema-id": 2, "fields": [
                { "id": 1, "name": "key", "required": true, "type": "long" },
                { "id": 3, "name": "s", "required": false, "type": { "type": "struct", "fields": [
                    { "id": 4, "name": "inner", "required": false, "type": "date" }
                ] } },
                { "id": 5, "name": "l", "required": false, "type":
                    { "type": "list", "element-id": 6, "element": "long", "element-required": true } },
                { "id": 7, "name": "d", "required": false, "type": "double" }
            ] },
            { "type": "struct", "schema-id": 1, "fields": [
                { "id": 1, "name": "old", "required": true, "type": "int" }
            ] }
        ]
    }"#;
    parse_table_metadata(table.as_bytes(), "v1.metadata.json").unwrap()
}

#[test]
fn a_key_column_is_what_the_newest_schema_that_has_it_says() {
    let metadata = metadata();
    let found = |id: i32| KeyColumn::find(&metadata, id).map(|column| (column.name, column.field_type));
    assert_eq!(found(1), Some(("key".to_owned(), PrimitiveType::Long.into())));
    assert_eq!(found(2), Some(("gone".to_owned(), PrimitiveType::String.into())), "dropped");
    assert_eq!(found(4), Some(("s.inner".to_owned(), PrimitiveType::Date.into())));
    assert_eq!(found(3), None, "a struct");
    assert_eq!(found(6), None, "of a list statistics count elements");
    assert_eq!(found(77), None, "in no schema");
}

/// Why a filter drops a delete file, whose columns all have the same statistics.
fn ruled_out(filter: &str, equality_ids: &[i32], stats: ColumnStats) -> Option<(usize, &'static str)> {
    let metadata = metadata();
    let schema = metadata.current_schema();
    let specs = Specs::new(&metadata, schema).unwrap();
    let filter = Pruner::new(bind(&parse(filter).unwrap(), schema, true).unwrap(), &specs);
    filter.mismatch_of_keys(equality_ids, &Below(i32::MAX, stats))
}

#[test]
fn a_delete_file_without_a_key_that_the_filter_wants_is_left_away() {
    assert_eq!(ruled_out("key > 9", &[1], longs(5, 9)), Some((0, "bounds")));
    assert_eq!(ruled_out("key > 8", &[1], longs(5, 9)), None);
    assert_eq!(ruled_out("key < 9 AND s.inner IS NULL", &[1, 4], longs(5, 9)), Some((1, "null count")));
    assert_eq!(
        ruled_out("key > 9", &[1], nulls(Share::All, ColumnStats::default())),
        Some((0, "null count"))
    );
    assert_eq!(ruled_out("TRUE", &[1], longs(5, 9)), None);
}

#[test]
fn what_the_filter_asks_of_other_columns_than_keys_says_nothing_of_a_delete_file() {
    // Extra columns of a delete file hold what a deleted row once was, not what is deleted.
    assert_eq!(ruled_out("key > 9", &[2], longs(5, 9)), None);
    assert_eq!(ruled_out("key > 9 OR s.inner IS NULL", &[1], longs(5, 9)), None);
    assert_eq!(ruled_out("key > 9 OR s.inner IS NULL", &[4, 1], longs(5, 9)), Some((0, "bounds")));
}

#[test]
fn a_delete_of_nan_is_not_left_away_by_a_filter() {
    let all_nan = ColumnStats { nulls: Share::None, nans: Share::All, lower: None, upper: None };
    for stats in [all_nan, doubles(-2.0, -1.0)] {
        assert_eq!(ruled_out("d > 0", &[7], stats.clone()), None);
        assert_eq!(ruled_out("d > 0 OR key = 4", &[7, 1], stats), None);
    }
}
