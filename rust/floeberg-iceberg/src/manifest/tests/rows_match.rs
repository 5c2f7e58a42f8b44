//! None of the rows of a file means that no row matches, all of them that every row does: over all transforms, several
//! specs, partition fields whose column was dropped, and void ones.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::expr::{BoundExpr, bind, evaluate_row, parse};
use floeberg_core::schema::arrow::field_to_arrow;
use floeberg_core::schema::{PrimitiveType, Schema};
use floeberg_core::transform::Transform;
use floeberg_core::value::ordering::compare;
use floeberg_core::value::{Value, single_value};
use proptest::prelude::*;

use super::entries::{Written, entries, statistics};
use crate::manifest::{ManifestEntries, PruneCounts, Pruner, RowsMatch, Specs};
use crate::metadata::{PartitionField, TableMetadata, parse_table_metadata};

/// `n` (long), `s` (string), `d` (double), `t` (timestamp), and a column that no schema has any more.
type Row = (Option<i64>, Option<String>, Option<f64>, Option<i64>, Option<i64>);

const HOUR: i64 = 3_600_000_000;
const FILES: usize = 3;
const SPECS: usize = 8;

fn table() -> TableMetadata {
    let document = br#"{"format-version": 2, "table-uuid": "u", "location": "/t", "last-updated-ms": 1,
        "last-sequence-number": 1, "last-column-id": 5, "last-partition-id": 1020, "current-schema-id": 1,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [
            {"id": 5, "name": "gone", "required": false, "type": "long"}]},
          {"type": "struct", "schema-id": 1, "fields": [
            {"id": 1, "name": "n", "required": false, "type": "long"},
            {"id": 2, "name": "s", "required": false, "type": "string"},
            {"id": 3, "name": "d", "required": false, "type": "double"},
            {"id": 4, "name": "t", "required": false, "type": "timestamp"}]}],
        "default-spec-id": 0, "partition-specs": [
            {"spec-id": 0, "fields": []},
            {"spec-id": 1, "fields": [
                {"source-id": 1, "field-id": 1000, "name": "n", "transform": "identity"},
                {"source-id": 3, "field-id": 1001, "name": "d", "transform": "identity"}]},
            {"spec-id": 2, "fields": [
                {"source-id": 1, "field-id": 1002, "name": "n_bucket", "transform": "bucket[2]"},
                {"source-id": 2, "field-id": 1003, "name": "s_truncate", "transform": "truncate[1]"}]},
            {"spec-id": 3, "fields": [
                {"source-id": 1, "field-id": 1002, "name": "n_bucket", "transform": "void"},
                {"source-id": 1, "field-id": 1004, "name": "n_truncate", "transform": "truncate[3]"},
                {"source-id": 4, "field-id": 1005, "name": "t_year", "transform": "year"}]},
            {"spec-id": 4, "fields": [
                {"source-id": 4, "field-id": 1006, "name": "t_month", "transform": "month"},
                {"source-id": 4, "field-id": 1007, "name": "t_day", "transform": "day"}]},
            {"spec-id": 5, "fields": [
                {"source-id": 4, "field-id": 1008, "name": "t_hour", "transform": "hour"},
                {"source-id": 5, "field-id": 1009, "name": "gone", "transform": "identity"}]},
            {"spec-id": 6, "fields": [
                {"source-id": 2, "field-id": 1010, "name": "s", "transform": "identity"},
                {"source-id": 2, "field-id": 1011, "name": "s_bucket", "transform": "bucket[3]"},
                {"source-id": 9, "field-id": 1012, "name": "never", "transform": "bucket[3]"}]},
            {"spec-id": 7, "fields": [
                {"source-id": 1, "field-id": 1013, "name": "n_void", "transform": "void"}]}],
        "default-sort-order-id": 0, "sort-orders": [{"order-id": 0, "fields": []}]}"#;
    parse_table_metadata(document, "/t/metadata/v1.metadata.json").unwrap()
}

fn get(row: &Row, id: i32) -> Option<Value> {
    match id {
        1 => row.0.map(Value::Long),
        2 => row.1.clone().map(Value::String),
        3 => row.2.map(Value::Double),
        4 => row.3.map(Value::Timestamp),
        5 => row.4.map(Value::Long),
        _ => None,
    }
}

fn row() -> impl Strategy<Value = Row> {
    let rare = |value| prop::option::weighted(0.9, value);
    let text = prop_oneof!["[ab]{0,2}", "(ab){1,3}[a-c]?"];
    let double = prop::sample::select(vec![f64::NAN, -0.0, 0.0, 1.0, 2.0]);
    let hours = prop_oneof![-3_i64..3, 23_i64..26, 700_i64..760, 8_755_i64..8_790];
    (
        rare((-4_i64..5).boxed()),
        prop::option::weighted(0.9, text),
        prop::option::weighted(0.9, double),
        rare(hours.prop_map(|hours| hours * HOUR).boxed()),
        rare((0_i64..2).boxed()),
    )
}

fn test() -> impl Strategy<Value = String> {
    let op = || prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let hour = prop::sample::select(vec![
        "1969-12-31T23:00:00",
        "1970-01-01T00:00:00",
        "1970-01-02T00:00:00",
        "1970-01-31T01:00:00",
        "1970-02-01T00:00:00",
        "1971-01-01T00:00:00",
    ]);
    prop_oneof![
        4 => (op(), -4_i64..5).prop_map(|(op, literal)| format!("n {op} {literal}")),
        3 => (op(), "[ab]{0,3}").prop_map(|(op, literal)| format!("s {op} '{literal}'")),
        2 => (op(), 0_i64..3).prop_map(|(op, literal)| format!("d {op} {literal}.0")),
        3 => (op(), hour).prop_map(|(op, literal)| format!("t {op} TIMESTAMP '{}'", literal.replace('T', " "))),
        1 => "[ab]{1,2}".prop_map(|prefix| format!("s LIKE '{prefix}%'")),
        1 => "[ab]{1,2}".prop_map(|prefix| format!("s NOT LIKE '{prefix}%'")),
        1 => prop::sample::select(vec!["n", "s", "d", "t"]).prop_map(|name| format!("{name} IS NULL")),
        1 => prop::sample::select(vec!["n", "s", "d", "t"]).prop_map(|name| format!("{name} IS NOT NULL")),
        1 => prop::sample::select(vec!["d IS NAN", "d IS NOT NAN"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["n IN (0, 1, 2, 3)", "n NOT IN (-1, 2)", "s IN ('a', 'ab')"])
            .prop_map(str::to_owned),
    ]
}

fn filter() -> impl Strategy<Value = String> {
    let joined = (test(), prop::sample::select(vec!["AND", "OR"]), test());
    let two = joined.prop_map(|(left, by, right)| format!("({left} {by} {right})")).boxed();
    let three = (two.clone(), prop::sample::select(vec!["AND", "OR"]), test());
    prop_oneof![4 => test(), 4 => two, 2 => three.prop_map(|(left, by, right)| format!("{left} {by} {right}"))]
}

/// What a writer says of a column of a file: texts cut to a character, or to two.
fn written(values: &[Option<Value>], cut: Option<usize>) -> Written {
    let is_nan = |value: &&Value| matches!(value, Value::Double(number) if number.is_nan());
    let live: Vec<&Value> = values.iter().flatten().collect();
    let numbers: Vec<&Value> = live.iter().copied().filter(|value| !is_nan(value)).collect();
    let order = |left: &&&Value, right: &&&Value| compare(left, right).unwrap();
    let (lower, upper) = (numbers.iter().min_by(order), numbers.iter().max_by(order));
    let beginning = |text: &str| text.chars().take(cut.unwrap_or(usize::MAX)).collect::<String>();
    let cut_lower = |value: &Value| match value {
        Value::String(text) => Value::String(beginning(text)),
        other => other.clone(),
    };
    let cut_upper = |value: &Value| match value {
        Value::String(text) if beginning(text) != *text => {
            let mut above: Vec<char> = beginning(text).chars().collect();
            let last = above.last_mut().unwrap();
            *last = char::from_u32(*last as u32 + 1).unwrap();
            Value::String(above.into_iter().collect())
        }
        other => other.clone(),
    };
    let bytes = |bound: Value| single_value::to_bytes(&bound).unwrap();
    (
        Some(values.len() as i64),
        Some((values.len() - live.len()) as i64),
        Some((live.len() - numbers.len()) as i64),
        lower.map(|bound| bytes(cut_lower(bound))),
        upper.map(|bound| bytes(cut_upper(bound))),
    )
}

fn partition_value(field: &PartitionField, row: &Row) -> Option<Value> {
    let source = get(row, field.source_ids[0])?;
    if field.transform == Transform::Void { None } else { field.transform.apply(&source).unwrap() }
}

/// Files of one spec: of the rows that are drawn for a file, those in the partition of its first.
fn block(
    metadata: &TableMetadata,
    specs: &Specs,
    spec_id: i32,
    files: &mut [Vec<Row>],
    known: &[bool],
    cut: Option<usize>,
) -> ManifestEntries {
    let spec = metadata.spec(spec_id).unwrap();
    let key = |row: &Row| -> Vec<Option<Value>> {
        spec.fields.iter().map(|field| partition_value(field, row)).collect()
    };
    for rows in files.iter_mut() {
        let first = key(&rows[0]).iter().map(|value| format!("{value:?}")).collect::<Vec<_>>();
        rows.retain(|row| key(row).iter().map(|value| format!("{value:?}")).eq(first.iter().cloned()));
    }
    let partition_type = &specs.get(spec_id).unwrap().partition_type;
    let columns = partition_type.fields.iter().zip(&spec.fields).map(|(typed, field)| -> (_, ArrayRef) {
        let is_known = typed.field_type != PrimitiveType::Unknown.into();
        let values: Vec<_> =
            files.iter().map(|rows| partition_value(field, &rows[0]).filter(|_| is_known)).collect();
        let values: Vec<_> = values.iter().map(Option::as_ref).collect();
        (Arc::new(field_to_arrow(typed).unwrap()), values_to_array(&values, &typed.field_type).unwrap())
    });
    let columns: Vec<_> = columns.collect();
    let partition = if columns.is_empty() {
        StructArray::new_empty_fields(files.len(), None)
    } else {
        StructArray::from(columns)
    };
    let mut block = entries(spec_id, partition, files.iter().map(|rows| rows.len() as i64).collect());
    for (id, _) in (1..=4).zip(known).filter(|(_, known)| **known) {
        let of_file =
            |rows: &Vec<Row>| written(&rows.iter().map(|row| get(row, id)).collect::<Vec<_>>(), cut);
        block.statistics.insert(id, statistics(&files.iter().map(of_file).collect::<Vec<_>>()));
    }
    block
}

fn rows_match(filter: &BoundExpr, specs: &Specs, block: &ManifestEntries) -> Vec<RowsMatch> {
    let pruner = Pruner::new(filter.clone(), specs);
    let spec = specs.get(block.spec_id).unwrap();
    pruner.rows_match(block, spec, [&mut PruneCounts::default(), &mut PruneCounts::default()]).unwrap()
}

fn bound(sql: &str, schema: &Schema) -> BoundExpr {
    bind(&parse(sql).unwrap(), schema, true).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn none_is_no_row_and_all_is_every_row(
        sql in filter(),
        spec_id in 0..SPECS as i32,
        mut files in prop::collection::vec(prop::collection::vec(row(), 1..5), FILES),
        known in prop::collection::vec(prop::bool::weighted(0.8), 4),
        cut in prop::option::of(1_usize..3),
    ) {
        let metadata = table();
        let specs = Specs::new(&metadata, metadata.current_schema()).unwrap();
        let filter = bound(&sql, metadata.current_schema());
        let block = block(&metadata, &specs, spec_id, &mut files, &known, cut);
        for (rows, found) in files.iter().zip(rows_match(&filter, &specs, &block)) {
            let matching = rows.iter().filter(|row| evaluate_row(&filter, &|id| get(row, id)).unwrap()).count();
            match found {
                RowsMatch::None => prop_assert_eq!(matching, 0, "{} in spec {}: {:?}", sql, spec_id, rows),
                RowsMatch::All => prop_assert_eq!(matching, rows.len(), "{} in spec {}: {:?}", sql, spec_id, rows),
                RowsMatch::Some => {}
            }
        }
    }
}

/// How many rows match of a file without partitions.
fn of_file(sql: &str, rows: Vec<Row>, cut: Option<usize>) -> RowsMatch {
    let metadata = table();
    let specs = Specs::new(&metadata, metadata.current_schema()).unwrap();
    let block = block(&metadata, &specs, 0, &mut [rows], &[true; 4], cut);
    rows_match(&bound(sql, metadata.current_schema()), &specs, &block)[0]
}

fn text(text: &str) -> Row {
    (Some(1), Some(text.to_owned()), Some(1.0), Some(0), None)
}

#[test]
fn equality_on_a_text_is_proved_by_bounds_that_are_whole_and_equal() {
    assert_eq!(of_file("s = 'ab'", vec![text("ab"), text("ab")], None), RowsMatch::All);
    assert_eq!(of_file("s = 'ab'", vec![text("ab"), text("ab")], Some(1)), RowsMatch::Some);
    assert_eq!(of_file("s = 'a'", vec![text("ab")], Some(1)), RowsMatch::Some);
    assert_eq!(of_file("s = 'c'", vec![text("ab")], Some(1)), RowsMatch::None);
}

#[test]
fn nulls_and_nans_are_not_among_all() {
    let null = (None, Some("ab".to_owned()), Some(f64::NAN), Some(0), None);
    assert_eq!(of_file("n = 1", vec![text("a"), null.clone()], None), RowsMatch::Some);
    assert_eq!(of_file("d = 1.0", vec![text("a"), null.clone()], None), RowsMatch::Some);
    assert_eq!(of_file("n = 1 AND d = 1.0", vec![text("a")], None), RowsMatch::All);
    assert_eq!(of_file("d IS NAN", vec![null], None), RowsMatch::All);
}

#[test]
fn an_empty_file_goes_with_its_partition_and_not_by_its_bounds() {
    let metadata = table();
    let specs = Specs::new(&metadata, metadata.current_schema()).unwrap();
    let mut empty = block(&metadata, &specs, 1, &mut [vec![text("a")]], &[true; 4], None);
    empty.record_count = vec![0].into();
    for (sql, expected) in
        [("n = 1", RowsMatch::All), ("n = 2", RowsMatch::None), ("s = 'a'", RowsMatch::None)]
    {
        assert_eq!(rows_match(&bound(sql, metadata.current_schema()), &specs, &empty), [expected], "{sql}");
    }
}
