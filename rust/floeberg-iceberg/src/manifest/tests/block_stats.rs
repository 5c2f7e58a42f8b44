//! A block of entries loses by counts and bounds what its entries would lose one by one.

use std::sync::Arc;

use arrow_array::StructArray;
use floeberg_core::expr::{BoundExpr, bind, explain_mismatch, parse};
use floeberg_core::schema::Schema;
use proptest::prelude::*;

use super::entries::{Written, entries, statistics};
use crate::manifest::bounds::EntryStats;
use crate::manifest::prune_counts::{NO_TEST, PruneCounts};
use crate::manifest::pruner::Pruner;
use crate::manifest::specs::Specs;
use crate::metadata::{parse_table_metadata, with_metadata_columns};
use crate::plan::Stage;

const FILES: usize = 6;

const FILTERS: [&str; 12] = [
    "id = 3",
    "id IN (1, 2, 9) AND d < 0.5",
    "id > 2 OR d IS NAN",
    "id != 3",
    "id IS NULL AND inner.a = 1",
    "inner.a IS NOT NULL AND inner.a <= 2",
    "inner.a IS NULL OR id < 0",
    "u = '01010101-0101-0101-0101-010101010101'",
    "_file = '/t/f2' AND id > 0",
    "_file < '/t/f3' OR _spec_id = 4",
    "_spec_id = 0 AND d >= 1",
    "missing = 1 AND d != 1 AND truncate(2, id) = 2",
];

fn table() -> (Arc<Specs>, Arc<Schema>) {
    let document = br#"{"format-version": 1, "location": "/t", "last-updated-ms": 1, "last-column-id": 6,
        "schema": {"type": "struct", "fields": [
            {"id": 1, "name": "id", "required": false, "type": "long"},
            {"id": 2, "name": "d", "required": false, "type": "double"},
            {"id": 3, "name": "u", "required": false, "type": "uuid"},
            {"id": 4, "name": "inner", "required": false, "type": {"type": "struct", "fields": [
                {"id": 5, "name": "a", "required": true, "type": "int"}]}},
            {"id": 6, "name": "missing", "required": false, "type": "long"}]},
        "partition-spec": []}"#;
    let metadata = parse_table_metadata(document, "/t/metadata/v1.metadata.json").unwrap();
    let names = ["_file", "_spec_id"];
    let schema = with_metadata_columns(metadata.current_schema(), names, true, &metadata).unwrap();
    (Specs::new(&metadata, &schema).unwrap(), schema)
}

/// Counts and bounds that may be missing, damaged, negative, or not of the rows that there are.
fn written(bound: impl Strategy<Value = Vec<u8>> + Clone + 'static) -> impl Strategy<Value = Vec<Written>> {
    let count = || prop::option::weighted(0.9, prop_oneof![2 => Just(0_i64), 4 => 0_i64..5, 1 => -1_i64..0]);
    let bound = prop_oneof![6 => bound, 1 => prop::collection::vec(any::<u8>(), 0..18)];
    let bound = prop::option::weighted(0.9, bound);
    prop::collection::vec((count(), count(), count(), bound.clone(), bound), FILES)
}

fn number() -> impl Strategy<Value = Vec<u8>> + Clone {
    prop_oneof![
        3 => (-2_i64..10).prop_map(|value| value.to_le_bytes().to_vec()),
        1 => (-2_i32..10).prop_map(|value| value.to_le_bytes().to_vec()),
    ]
}

fn float() -> impl Strategy<Value = Vec<u8>> + Clone {
    prop::sample::select(vec![f64::NAN, -0.0, 0.0, 0.5, 1.0, -1.0])
        .prop_map(|value| value.to_le_bytes().to_vec())
}

fn uuid() -> impl Strategy<Value = Vec<u8>> + Clone {
    prop::sample::select(vec![0_u8, 1, 0xff]).prop_map(|byte| vec![byte; 16])
}

proptest! {
    #[test]
    fn a_block_loses_what_its_entries_lose_one_by_one(
        sql in prop::sample::select(FILTERS.to_vec()),
        rows in prop::collection::vec(0_i64..5, FILES),
        came in prop::option::of(prop::collection::vec(any::<bool>(), FILES)),
        columns in (written(number()), written(float()), written(uuid()), written(number())),
    ) {
        let (specs, schema) = table();
        let bound = bind(&parse(sql).unwrap(), &schema, true).unwrap();
        let filter = Pruner::new(bound.clone(), &specs);
        let mut block = entries(0, StructArray::new_empty_fields(FILES, None), rows.clone());
        let (ids, doubles, uuids, inner) = columns;
        for (id, written) in [(1, ids), (2, doubles), (3, uuids), (5, inner)] {
            block.statistics.insert(id, statistics(&written));
        }
        let conjuncts = match &bound {
            BoundExpr::And(conjuncts) => conjuncts.clone(),
            one => vec![one.clone()],
        };
        let mut expected = PruneCounts::new(true);
        let mut kept = came.clone().unwrap_or_else(|| vec![true; FILES]);
        for (row, keep) in kept.iter_mut().enumerate().filter(|(_, keep)| **keep) {
            expected.enter(1);
            let stats = EntryStats { entries: &block, row, untrusted: specs.untrusted() };
            let by_test = || conjuncts.iter().enumerate().find_map(|(number, conjunct)| {
                Some((number, explain_mismatch(conjunct, &stats)?.reason.text()))
            });
            let dropped = if rows[row] == 0 { Some((NO_TEST, "no rows")) } else { by_test() };
            if let Some((test, reason)) = dropped {
                *keep = false;
                expected.drop(test, reason, block.file_path.value(row));
            }
        }
        let mut found = PruneCounts::new(true);
        let mask = filter.keep_by_bounds(&block, came, &mut found);
        prop_assert_eq!(mask, Some(kept));
        prop_assert_eq!(Stage::of("files", &found, &filter.tests), Stage::of("files", &expected, &filter.tests));
    }
}
